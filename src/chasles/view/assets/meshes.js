// Meshes of the robot's file, as view/meshes.py writes them, and colours of its materials.
const CREASE = Math.cos((35 * Math.PI) / 180); // faces that meet at less than that are one smooth surface
const DARKEST = 0.16; // of a colour: black would hide a shape, and be lost on a dark page
const decodedMeshes = [];
const colouredMaterials = {};

function numbersOf(text, kind) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return new kind(bytes.buffer); // little-endian, as all browsers are
}

function decodedMesh({ low, step, corners, triangles, wide }) {
  // (3 corners) of each triangle in turn: their places, and normals that are smooth but at creases
  const whole = numbersOf(corners, Uint16Array);
  const index = numbersOf(triangles, wide ? Uint32Array : Uint16Array);
  const places = Float32Array.from(whole, (x, i) => low[i % 3] + step[i % 3] * x);
  const count = places.length / 3;
  const position = new Float32Array(3 * index.length);
  const faceNormals = new Float32Array(index.length); // their lengths are twice the areas
  const around = new Uint32Array(count + 1); // where the corners of each place begin in `corner`
  for (const i of index) around[i + 1]++;
  for (let i = 0; i < count; i++) around[i + 1] += around[i];
  const next = around.slice(0, count);
  const corner = new Uint32Array(index.length);
  for (let k = 0; k < index.length; k++) {
    corner[next[index[k]]++] = k;
    for (let c = 0; c < 3; c++) position[3 * k + c] = places[3 * index[k] + c];
  }
  for (let f = 0; f < index.length; f += 3) {
    const p = position.subarray(3 * f, 3 * f + 9);
    const [ax, ay, az] = [p[3] - p[0], p[4] - p[1], p[5] - p[2]];
    const [bx, by, bz] = [p[6] - p[0], p[7] - p[1], p[8] - p[2]];
    faceNormals[f] = ay * bz - az * by;
    faceNormals[f + 1] = az * bx - ax * bz;
    faceNormals[f + 2] = ax * by - ay * bx;
  }
  const normal = new Float32Array(position.length);
  const lengths = Float32Array.from({ length: index.length / 3 }, (_, f) => Math.hypot(...faceNormals.subarray(3 * f, 3 * f + 3)));
  for (let k = 0; k < index.length; k++) {
    const f = k - (k % 3);
    let [x, y, z] = [0, 0, 0];
    for (let j = around[index[k]]; j < around[index[k] + 1]; j++) {
      const g = corner[j] - (corner[j] % 3);
      const dot = faceNormals[f] * faceNormals[g] + faceNormals[f + 1] * faceNormals[g + 1] + faceNormals[f + 2] * faceNormals[g + 2];
      if (g !== f && dot < CREASE * lengths[f / 3] * lengths[g / 3]) continue;
      x += faceNormals[g];
      y += faceNormals[g + 1];
      z += faceNormals[g + 2];
    }
    const long = Math.hypot(x, y, z) || 1;
    normal[3 * k] = x / long;
    normal[3 * k + 1] = y / long;
    normal[3 * k + 2] = z / long;
  }
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(position, 3));
  made.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
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
