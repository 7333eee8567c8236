// The robot in three dimensions: its links, light, floor, camera; `found` is what follows from the state.
const view = document.getElementById("view");
const panel = document.getElementById("panel");
const up = new THREE.Vector3(...DATA.up);
const scene = new THREE.Scene();
scene.fog = new THREE.Fog(0, 1, 2);
const camera = new THREE.PerspectiveCamera(36, 1, 1, 2);
camera.up.copy(up);
const target = new THREE.Vector3(); // what the camera looks at
const ground = new THREE.Group(); // its z is up
const sun = new THREE.DirectionalLight(0xffffff, 2.1);
const links = []; // a group each, whose first child holds the link's shapes
const materials = {};
const CELLS = 28; // of the grid, from its middle to its rim
let found = null;
let seen = null; // the free area, px
let stale = true; // the picture has to be drawn again
let cell = 1; // of the grid, m
const floats = DATA.links.some((link) => link.kind === "free");

function material(look) {
  if (!materials[look]) {
    materials[look] = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.05, fog: false });
    materials[look].userData.look = look;
  }
  return materials[look];
}

function rounded(radius, length) {
  // a cylinder along y whose edges are not sharp
  const edge = 0.12 * Math.min(radius, length / 2);
  const outline = [[0, -length / 2], [radius - edge, -length / 2], [radius, edge - length / 2]];
  outline.push([radius, length / 2 - edge], [radius - edge, length / 2], [0, length / 2]);
  const points = [];
  for (const [x, y] of outline) for (let k = 0; k < 2; k++) points.push(new THREE.Vector2(x, y)); // twice: flat faces
  return new THREE.LatheGeometry(points, 40);
}

function geometry(part) {
  if (part.kind === "mesh") return meshGeometry(part);
  const [a, b, c] = part.size;
  if (part.kind === "sphere") return new THREE.SphereGeometry(a, 32, 20);
  if (part.kind === "box") return new THREE.BoxGeometry(a, b, c);
  const tube = part.kind === "capsule" ? new THREE.CapsuleGeometry(a, b, 10, 28) : rounded(a, b);
  return tube.rotateX(Math.PI / 2); // along z
}

function mesh(part) {
  const made = new THREE.Mesh(geometry(part), part.colour ? coloured(part.colour) : material(part.look));
  made.applyMatrix4(new THREE.Matrix4().fromArray(part.pose));
  made.castShadow = made.receiveShadow = true;
  return made;
}

function shapes(parts) {
  const group = new THREE.Group();
  parts.forEach((part) => group.add(mesh(part)));
  return group;
}

function build() {
  scene.add(new THREE.HemisphereLight(0xffffff, 0xa3acb8, 2.1), sun, sun.target, ground);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.bias = -0.0006;
  sun.shadow.normalBias = size / 300;
  sun.shadow.radius = 3;
  scene.children[0].position.copy(up);
  ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  const base = shapes(DATA.base.parts);
  base.name = "base";
  scene.add(base);
  DATA.links.forEach((link, i) => {
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    group.add(shapes(link.parts));
    group.children[0].traverse((one) => (one.userData.link = i));
    addOverlays(group, link);
    links.push(group);
    scene.add(group);
  });
}

function round(x) {
  // to 1, 2 or 5 times a power of ten
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x < 2 * power ? 1 : x < 5 * power ? 2 : 5);
}

function length(x) {
  const [unit, per] = x >= 1000 ? ["km", 1e-3] : x >= 0.1 ? ["m", 1] : x >= 1e-3 ? ["mm", 1e3] : ["\u00b5m", 1e6];
  return `${Number((x * per).toPrecision(1))} ${unit}`;
}

function extent() {
  // the box around the robot as it stands, and no less than a part of its size
  scene.updateMatrixWorld();
  const box = new THREE.Box3();
  for (const one of [scene.getObjectByName("base"), ...links.map((group) => group.children[0]), ...nets]) box.expandByObject(one);
  if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(size, size, size).multiplyScalar(0.5));
  return box;
}

function corners(box) {
  const out = [];
  for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) out.push(new THREE.Vector3(x, y, z));
  return out;
}

function gridGeometry(step) {
  // a disc of squares, each side a line of its own: lines that pass the camera are not drawn by all machines
  const points = [];
  const inside = (i, j) => i * i + j * j <= CELLS * CELLS;
  for (let i = -CELLS; i <= CELLS; i++) for (let j = -CELLS; j <= CELLS; j++) {
    if (!inside(i, j)) continue;
    if (inside(i + 1, j)) points.push(i, j, 0, i + 1, j, 0);
    if (inside(i, j + 1)) points.push(i, j, 0, i, j + 1, 0);
  }
  const made = new THREE.BufferGeometry();
  const shades = [];
  for (let k = 0; k < points.length; k += 3) {
    const share = Math.hypot(points[k], points[k + 1]) / CELLS; // toward the rim it fades
    shades.push(1, 1, 1, Math.min(1, 1.6 * (1 - share)));
  }
  made.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(points, (x) => x * step), 3));
  made.setAttribute("color", new THREE.BufferAttribute(Float32Array.from(shades), 4));
  return made;
}

function floorHeight(box) {
  // under the base of what stands; under all that it can reach for what swings, or lies level with its base
  const low = (points) => Math.min(...points.map((point) => point.dot(up)));
  if (DATA.floor !== null) {
    const base = new THREE.Box3().setFromObject(scene.getObjectByName("base"));
    return base.isEmpty() ? DATA.floor : Math.min(DATA.floor, low(corners(base)));
  }
  const lowest = low([...corners(box), ...motionPoints()]);
  if (floats || lowest > 2 * size) return lowest; // far from the origin
  const highest = Math.max(...corners(box).map((point) => point.dot(up)));
  const level = lowest > -0.3 * size && highest < 0.3 * size && new THREE.Vector3(...found.com).dot(up) < 0.1 * size;
  return Math.min(0, lowest, level || (DATA.across && !DATA.constraints) ? -1.1 * size : 0);
}

function placeGround() {
  const box = extent();
  const middle = box.getCenter(new THREE.Vector3());
  const height = floorHeight(box);
  if (middle.length() < 5 * size) ground.position.copy(up).multiplyScalar(height);
  else ground.position.copy(middle).addScaledVector(up, height - middle.dot(up));
  cell = round(size / 4);
  const floor = new THREE.Mesh(new THREE.RingGeometry(0, CELLS * cell, 64), new THREE.ShadowMaterial({ opacity: 0.2, fog: false, depthWrite: false }));
  floor.receiveShadow = true;
  floor.position.z = -size / 2000;
  const grid = new THREE.LineSegments(gridGeometry(cell), new THREE.LineBasicMaterial({ toneMapped: false, vertexColors: true, transparent: true, depthWrite: false }));
  grid.name = "grid";
  grid.renderOrder = -1; // before the shadows, which are as good as level with it
  ground.add(floor, grid);
  ground.userData.first = ground.position.clone();
  carryGround();
  const reach = Math.max(size, box.getSize(new THREE.Vector3()).length() / 2) * 1.3;
  sun.position.copy(middle).addScaledVector(fromGround(0.45, -0.6, 1), 3 * reach);
  sun.target.position.copy(middle);
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach / 10, far: 8 * reach });
}

// The grid goes along with what floats: as many whole cells to the sides, and below it in steps that can be seen.
const carried = { by: new THREE.Vector3(), back: new THREE.Quaternion(), told: null };
function carryGround() {
  const { first } = ground.userData;
  if (!first) return;
  const { by, back } = carried;
  if (floats) {
    const [aside, down] = [8 * cell, Math.ceil((2 * size) / cell) * cell];
    by.fromArray(found.com).sub(first).applyQuaternion(back.copy(ground.quaternion).invert());
    by.set(Math.round(by.x / aside) * aside, Math.round(by.y / aside) * aside, by.z < 0 ? Math.floor(by.z / down) * down : 0);
    ground.position.copy(by).applyQuaternion(ground.quaternion).add(first);
  }
  if (carried.told === by.z) return;
  carried.told = by.z;
  document.getElementById("scale").textContent = `grid ${length(cell)}${by.z ? `, drawn ${digits(-by.z, "m")} lower` : ""}`;
}

const fromGround = (x, y, z) => new THREE.Vector3(x, y, z).applyQuaternion(ground.quaternion);

function freeArea() {
  // what the panel and the player leave of the window
  const box = panel.getBoundingClientRect();
  if (matchMedia("print").matches) return { width: innerWidth, height: innerHeight };
  if (innerWidth <= 720) return { width: innerWidth, height: Math.max(80, box.top) };
  const folded = panel.classList.contains("folded");
  return { width: folded ? innerWidth : Math.max(80, box.left), height: Math.max(80, innerHeight - playerHeight()) };
}

function aimCamera() {
  // at the middle of the free area
  const area = freeArea();
  camera.aspect = innerWidth / innerHeight;
  const shift = [(innerWidth - area.width) / 2, (innerHeight - area.height) / 2];
  seen = area;
  camera.setViewOffset(innerWidth, innerHeight, ...shift, innerWidth, innerHeight);
  camera.updateProjectionMatrix();
  stale = true;
}

function frameRobot() {
  // so that all of it is seen, from where it is seen best
  const area = freeArea();
  camera.zoom = 1;
  const box = extent();
  if (DATA.base.parts.length) box.expandByPoint(ground.position);
  if (DATA.has_mass) box.expandByPoint(mass.position);
  const points = corners(box).concat(motionPoints());
  points.forEach((point) => box.expandByPoint(point));
  box.getCenter(target);
  let toward = fromGround(0.62, -0.75, 0.42);
  if (DATA.across) {
    const side = new THREE.Vector3(...DATA.across);
    toward = side.clone().addScaledVector(up, 0.22).addScaledVector(new THREE.Vector3().crossVectors(up, side), 0.3);
  }
  toward.normalize();
  const right = new THREE.Vector3().crossVectors(up, toward).normalize();
  const above = new THREE.Vector3().crossVectors(toward, right);
  const tangent = 0.88 * Math.tan((camera.fov * Math.PI) / 360);
  let distance = (0.3 * size) / tangent;
  for (const point of points) {
    point.sub(target);
    const wide = (Math.abs(point.dot(right)) * innerHeight) / area.width;
    const high = (Math.abs(point.dot(above)) * innerHeight) / area.height;
    distance = Math.max(distance, Math.max(wide, high) / tangent + point.dot(toward));
  }
  camera.position.copy(target).addScaledVector(toward, distance);
  camera.near = distance / 200;
  camera.far = distance * 60;
  camera.updateProjectionMatrix();
  scene.fog.near = 1.6 * distance;
  scene.fog.far = 6 * distance;
}

// The camera goes along with a centre of mass that leaves the middle of what is seen, where a robot falls or plays; it
// stays where it is while that is out of sight, as of a tool that somebody looks at closely.
const followed = { at: new THREE.Vector3(), by: new THREE.Vector3(), away: Infinity };
const projected = new THREE.Vector3();
function fromMiddle(point) {
  // of the free area, whose rims are at 1
  const { x, y, z } = projected.copy(point).project(camera);
  if (z >= 1) return Infinity;
  return Math.max(Math.abs(((x + 1) * innerWidth) / seen.width - 1), Math.abs(((1 - y) * innerHeight) / seen.height - 1));
}
function follow(orbited) {
  const { at, by, away: before } = followed;
  by.fromArray(found.com).sub(at);
  at.add(by);
  const now = (followed.away = fromMiddle(at));
  const edge = state.mode !== "still" && floats ? 0.2 : 1;
  if (grabbed || !by.lengthSq() || before > 1 || now <= Math.max(edge, before)) return;
  for (const place of [camera.position, orbited, sun.position, sun.target.position]) place.add(by);
  camera.updateMatrixWorld();
  followed.away = fromMiddle(at);
}

function paint() {
  for (const one of Object.values(materials)) if (one.userData.look) one.color.set(css(`--${one.userData.look}`));
  scene.getObjectByName("grid")?.material.color.set(css("--grid"));
  scene.fog.color.set(css("--ground"));
  paintHandles();
  stale = true;
}

function rowMajor(T, at, into = new THREE.Matrix4()) {
  const e = into.elements;
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) e[4 * j + i] = T[at + 4 * i + j];
  return into;
}

function update() {
  if (found) look(state.q, ...Object.values(found)); // into the arrays that there are
  else found = look(state.q);
  links.forEach((group, i) => {
    rowMajor(found.links, 16 * i, group.matrix);
    group.matrixWorldNeedsUpdate = true;
  });
  if (DATA.has_tool) rowMajor(found.tool, 0, tool.matrix);
  carryGround();
  updateOverlays();
  stale = true;
}
whenChanged.push(update);
