// The robot in three dimensions: its links, light, floor; `found` is what follows from the state.
const view = document.getElementById("view");
let renderer = null;
try {
  renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
} catch (error) {
  renderer = null;
}
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, 1, size / 100, size * 100);
camera.up.set(0, 0, 1);
camera.position.set(1.35 * size, -1.5 * size, 1.05 * size);
const target = new THREE.Vector3(0, 0, 0.3 * size);
const links = [];
const materials = {};

function material(look, colour) {
  const key = look + (colour ?? "");
  if (!materials[key]) {
    materials[key] = new THREE.MeshStandardMaterial({ color: colour ?? css(`--${look}`), roughness: 0.55, metalness: 0.05 });
    materials[key].userData.look = colour ? null : look;
  }
  return materials[key];
}

function geometry(part) {
  if (part.kind === "mesh") return meshGeometry(part);
  const [a, b, c] = part.size;
  if (part.kind === "sphere") return new THREE.SphereGeometry(a, 32, 20);
  if (part.kind === "box") return new THREE.BoxGeometry(a, b, c);
  const tube = part.kind === "capsule" ? new THREE.CapsuleGeometry(a, b, 10, 28) : new THREE.CylinderGeometry(a, a, b, 36);
  return tube.rotateX(Math.PI / 2); // along z
}

function mesh(part) {
  const made = new THREE.Mesh(geometry(part), part.colour ? coloured(part.colour) : material(part.look));
  made.applyMatrix4(new THREE.Matrix4().fromArray(part.pose));
  made.castShadow = made.receiveShadow = true;
  return made;
}

function round(x) {
  // to 1, 2 or 5 times a power of ten
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x < 2 * power ? 1 : x < 5 * power ? 2 : 5);
}

function build() {
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8090a0, 1.6));
  const sun = new THREE.DirectionalLight(0xffffff, 2.2);
  sun.position.set(1.5 * size, -2 * size, 3.5 * size);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  Object.assign(sun.shadow.camera, { left: -2 * size, right: 2 * size, top: 2 * size, bottom: -2 * size, far: 12 * size });
  scene.add(sun);
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(60 * size, 60 * size), new THREE.ShadowMaterial({ opacity: 0.18 }));
  floor.receiveShadow = true;
  scene.add(floor);
  const cell = round(size / 4);
  const grid = new THREE.GridHelper(40 * cell, 40, css("--line"), css("--line")).rotateX(Math.PI / 2);
  grid.name = "grid";
  scene.add(grid);
  const base = new THREE.Group();
  DATA.base.parts.forEach((part) => base.add(mesh(part)));
  scene.add(base);
  for (const link of DATA.links) {
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    link.parts.forEach((part) => group.add(mesh(part)));
    addOverlays(group, link);
    links.push(group);
    scene.add(group);
  }
}

let found = null;
function rowMajor(T, at) {
  return new THREE.Matrix4().set(...T.subarray(at, at + 16));
}

function update() {
  found = look(state.q);
  links.forEach((group, i) => {
    group.matrix.copy(rowMajor(found.links, 16 * i));
    group.matrixWorldNeedsUpdate = true;
    for (const child of group.children) if (child.name in shown) child.visible = shown[child.name];
  });
  mass.position.set(...found.com);
  mass.visible = shown.mass;
  ellipsoid.visible = shown.manipulability && DATA.has_tool;
  if (DATA.has_tool) {
    const T = rowMajor(found.tool, 0);
    handle.position.setFromMatrixPosition(T);
    if (ellipsoid.visible) placeEllipsoid(T);
  }
  handle.visible = DATA.has_tool;
}
whenChanged.push(update);
