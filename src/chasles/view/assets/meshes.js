// Meshes of the robot's file, as view/meshes.py writes them, and colours of its materials.
const DARKEST = 0.16; // of a colour: black would hide a shape, and be lost on a dark page
const decodedMeshes = [];
const colouredMaterials = {};

// Corners come at their places, and those that share a place with one of them, across a crease, by its number.
function decodedMesh({ low, step, corners, again, triangles }) {
  const places = Float32Array.from(decoded(corners), (x, i) => low[i % 3] + step[i % 3] * x);
  const shared = decoded(again);
  const position = new Float32Array(places.length + 3 * shared.length);
  position.set(places);
  shared.forEach((i, k) => position.set(places.subarray(3 * i, 3 * i + 3), places.length + 3 * k));
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(position, 3));
  made.setIndex(new THREE.BufferAttribute(decoded(triangles), 1));
  made.computeVertexNormals();
  return made;
}

function meshGeometry(part) {
  return (decodedMeshes[part.mesh] ??= decodedMesh(DATA.meshes[part.mesh]));
}

function coloured([r, g, b, a]) {
  const key = [r, g, b, a].join();
  if (!colouredMaterials[key]) {
    const [red, green, blue] = [r, g, b].map((x) => DARKEST + (1 - DARKEST) * x);
    const color = new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace);
    const clear = a < 1 ? { transparent: true, opacity: Math.max(a, 0.05), depthWrite: false } : {};
    colouredMaterials[key] = new THREE.MeshStandardMaterial({ color, roughness: 0.6, metalness: 0.05, fog: false, ...clear });
  }
  return colouredMaterials[key];
}
