"use strict";
// The page of a robot. DATA: what view/scene.py says. The robot's own functions: look, integrate, difference, torques,
// energies, step and the search of inverse kinematics.
const $ = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const { n, nq, size } = DATA;
const zeros = (count) => new Float64Array(count);
const state = { q: Float64Array.from(DATA.q), v: zeros(n), falling: false };
const shown = { frames: false, axes: false, inertias: false, mass: true, ellipsoid: false };

// ---- the picture ---------------------------------------------------------------------------------------------------

const view = document.getElementById("view");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
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
  const [a, b, c] = part.size;
  if (part.kind === "sphere") return new THREE.SphereGeometry(a, 32, 20);
  if (part.kind === "box") return new THREE.BoxGeometry(a, b, c);
  const tube = part.kind === "capsule" ? new THREE.CapsuleGeometry(a, b, 10, 28) : new THREE.CylinderGeometry(a, a, b, 36);
  return tube.rotateX(Math.PI / 2); // along z
}

function mesh(part) {
  const made = new THREE.Mesh(geometry(part), material(part.look));
  made.applyMatrix4(new THREE.Matrix4().fromArray(part.pose));
  made.castShadow = made.receiveShadow = true;
  return made;
}

function arrow(direction, length, radius, colour) {
  const group = new THREE.Group();
  const paint = new THREE.MeshBasicMaterial({ color: colour });
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 12).translate(0, length / 2, 0), paint);
  const head = new THREE.Mesh(new THREE.ConeGeometry(3 * radius, 8 * radius, 16).translate(0, length, 0), paint);
  group.add(shaft, head);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction.clone().normalize());
  return group;
}

function frameAxes(length) {
  const group = new THREE.Group();
  const axes = [[1, 0, 0, "#d55e00"], [0, 1, 0, "#009e73"], [0, 0, 1, "#0072b2"]];
  for (const [x, y, z, colour] of axes) group.add(arrow(new THREE.Vector3(x, y, z), length, length / 40, colour));
  return group;
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
    const frame = frameAxes(0.12 * size);
    frame.name = "frames";
    group.add(frame);
    const axis = new THREE.Vector3(...link.axis);
    if (axis.length() > 0) {
      const line = arrow(axis, 0.24 * size, size / 260, "#cc79a7");
      line.name = "axes";
      group.add(line);
    }
    if (link.ellipsoid) {
      const paint = new THREE.MeshStandardMaterial({ color: "#e69f00", transparent: true, opacity: 0.45 });
      const solid = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), paint);
      const holder = new THREE.Group();
      holder.applyMatrix4(new THREE.Matrix4().fromArray(link.ellipsoid.pose));
      solid.scale.set(...link.ellipsoid.half.map((x) => Math.max(x, size / 500)));
      holder.add(solid);
      holder.name = "inertias";
      group.add(holder);
    }
    links.push(group);
    scene.add(group);
  }
}

const mass = new THREE.Mesh(new THREE.SphereGeometry(0.022 * size, 24, 16), new THREE.MeshBasicMaterial({ color: "#e69f00" }));
mass.material.depthTest = false;
mass.renderOrder = 2;
const ellipsoid = new THREE.Mesh(
  new THREE.SphereGeometry(1, 40, 24),
  new THREE.MeshStandardMaterial({ color: "#009e73", transparent: true, opacity: 0.4, depthWrite: false }),
);
const handle = new THREE.Mesh(new THREE.SphereGeometry(0.05 * size, 24, 16), new THREE.MeshBasicMaterial({ visible: false }));
scene.add(mass, ellipsoid, handle);

// ---- the state and what follows from it ---------------------------------------------------------------------------

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
  ellipsoid.visible = shown.ellipsoid && DATA.has_tool;
  if (DATA.has_tool) {
    const T = rowMajor(found.tool, 0);
    handle.position.setFromMatrixPosition(T);
    if (ellipsoid.visible) placeEllipsoid(T);
  }
  handle.visible = DATA.has_tool;
  showNumbers();
}

function placeEllipsoid(T) {
  // of the tool's velocities at unit joint rates: J J^T of the linear rows, which are in the tool's axes
  const A = [0, 1, 2].map((i) => [0, 1, 2].map((j) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += found.jacobian[(3 + i) * n + k] * found.jacobian[(3 + j) * n + k];
    return sum;
  }));
  const [values, vectors] = eigen(A);
  const half = values.map((x) => Math.max(0.25 * Math.sqrt(Math.max(x, 0)), size / 400));
  const R = new THREE.Matrix4().makeBasis(...[0, 1, 2].map((k) => new THREE.Vector3(vectors[0][k], vectors[1][k], vectors[2][k])));
  if (R.determinant() < 0) R.scale(new THREE.Vector3(-1, 1, 1));
  ellipsoid.matrixAutoUpdate = false;
  ellipsoid.matrix.copy(T).multiply(R).scale(new THREE.Vector3(...half));
}

function eigen(A) {
  // of a symmetric 3 x 3 matrix, by Jacobi's rotations
  const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(A[p][q]) < 1e-15) continue;
      const angle = 0.5 * Math.atan2(2 * A[p][q], A[q][q] - A[p][p]);
      const c = Math.cos(angle), s = Math.sin(angle);
      for (const M of [A, V]) for (const row of M) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
      for (let j = 0; j < 3; j++) [A[p][j], A[q][j]] = [c * A[p][j] - s * A[q][j], s * A[p][j] + c * A[q][j]];
    }
  }
  return [[A[0][0], A[1][1], A[2][2]], V];
}

// ---- the panel ------------------------------------------------------------------------------------------------------

const sliders = [];
const home = Float64Array.from(DATA.neutral);
function digits(x, unit) {
  const size = Math.abs(x);
  const text = size < 5e-4 ? "0" : x.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
  return `${text.replace("-", "\u2212")} ${unit}`;
}

function shorter(names) {
  // names without what they all begin with, up to a separator
  const first = names[0] ?? "";
  let cut = 0;
  for (let k = 1; k < first.length; k++) if (/[_\-/. ]/.test(first[k - 1]) && names.every((x) => x.startsWith(first.slice(0, k)) && x.length > k)) cut = k;
  return names.length > 1 ? names.map((x) => x.slice(cut)) : names;
}

function buildPanel() {
  const short = shorter(DATA.joints.map((joint) => joint.name));
  DATA.joints.forEach((joint, k) => (joint.short = short[k]));
  const joints = document.getElementById("joints");
  joints.append($("h2", { textContent: "Joints" }));
  DATA.joints.forEach((joint, k) => {
    const id = `joint${k}`;
    const slider = $("input", { type: "range", id, min: joint.lower, max: joint.upper, step: "any" });
    const value = $("output");
    slider.addEventListener("input", () => {
      const away = difference(home, state.q);
      away[k] = Number(slider.value);
      state.q = integrate(home, away);
      state.v.fill(0);
      fall(false);
      update();
    });
    sliders.push({ slider, value });
    joints.append($("div", { className: "row" }, $("label", { htmlFor: id, textContent: joint.short, title: joint.name }), slider, value));
  });
  const motion = document.getElementById("motion");
  const drop = $("button", { id: "fall", textContent: "Let it fall", ariaPressed: "false" });
  drop.addEventListener("click", () => fall(!state.falling));
  const back = $("button", { textContent: "Home" });
  back.addEventListener("click", () => {
    fall(false);
    state.q = Float64Array.from(DATA.q);
    state.v.fill(0);
    update();
  });
  motion.append($("div", { className: "buttons" }, drop, back));
  const names = { frames: "Frames", axes: "Axes", inertias: "Inertias", mass: "Centre of mass", ellipsoid: "Manipulability" };
  const buttons = $("div", { className: "buttons" });
  for (const [key, text] of Object.entries(names)) {
    if (key === "ellipsoid" && !DATA.has_tool) continue;
    const button = $("button", { textContent: text, ariaPressed: String(shown[key]) });
    button.addEventListener("click", () => {
      shown[key] = !shown[key];
      button.ariaPressed = String(shown[key]);
      update();
    });
    buttons.append(button);
  }
  document.getElementById("shown").append($("h2", { textContent: "Show" }), buttons);
  const bars = $("div", { className: "bars", id: "torques" });
  DATA.joints.forEach((joint) => {
    const fill = $("i");
    const value = $("span", { className: "value" });
    bars.append($("span", { textContent: joint.short, title: joint.name }), $("div", { className: "bar" }, fill), value);
    joint.show = { fill, value };
  });
  document.getElementById("numbers").append(
    $("h2", { textContent: "Forces that hold it" }), bars, $("p", { className: "note", id: "energy" }),
  );
  document.getElementById("fold").addEventListener("click", () => document.getElementById("panel").classList.toggle("folded"));
}

function showNumbers() {
  const away = difference(home, state.q);
  sliders.forEach(({ slider, value }, k) => {
    if (document.activeElement !== slider || state.falling) slider.value = away[k];
    value.textContent = digits(away[k], DATA.joints[k].unit);
  });
  const tau = state.falling ? zeros(n) : torques(state.q, state.v, zeros(n));
  state.tau = tau;
  const largest = Math.max(1e-9, ...tau.map(Math.abs));
  DATA.joints.forEach((joint, k) => {
    const most = DATA.effort[k] ?? largest;
    const share = Math.min(1, Math.abs(tau[k]) / most);
    joint.show.fill.style.cssText = tau[k] < 0 ? `right:50%;width:${50 * share}%` : `left:50%;width:${50 * share}%`;
    joint.show.fill.className = DATA.effort[k] !== null && Math.abs(tau[k]) > DATA.effort[k] ? "over" : "";
    joint.show.value.textContent = digits(tau[k], joint.unit === "m" ? "N" : "N m");
  });
  const { kinetic, potential } = energies(state.q, state.v);
  document.getElementById("energy").textContent =
    `kinetic ${digits(kinetic[0], "J")}, potential ${digits(potential[0], "J")}`;
}

// ---- motion -----------------------------------------------------------------------------------------------------------

const STEP = 1e-3;
const still = zeros(n);
function fall(on) {
  state.falling = on;
  if (on) state.before = performance.now();
  document.getElementById("fall").ariaPressed = String(on);
}

function advance(now) {
  const seconds = Math.min(0.05, (now - state.before) / 1000);
  state.before = now;
  const h = new Float64Array([STEP]);
  for (let k = Math.round(seconds / STEP); k > 0; k--) {
    const next = step(state.q, state.v, still, h);
    state.q.set(next.q);
    state.v.set(next.v);
  }
  if (!state.q.every(Number.isFinite)) {
    state.q = Float64Array.from(DATA.q);
    state.v.fill(0);
    fall(false);
  }
}

// ---- the tool by hand ---------------------------------------------------------------------------------------------------

function reach(point) {
  const { function: name, given } = DATA.search;
  const T = Float64Array.from(found.tool);
  [T[3], T[7], T[11]] = [point.x, point.y, point.z];
  const inputs = [zeros(3), state.q, T, ...given.map((x) => Float64Array.from(x)), new Float64Array([1])];
  const answer = { inverse_kinematics }[name](...inputs);
  if (answer.q.every(Number.isFinite)) state.q.set(answer.q);
  state.v.fill(0);
}

function startDragging(controls) {
  const ray = new THREE.Raycaster();
  const pointer = new THREE.Vector2();
  let plane = null;
  const aim = (event) => {
    const box = view.getBoundingClientRect();
    pointer.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    ray.setFromCamera(pointer, camera);
  };
  view.addEventListener("pointerdown", (event) => {
    aim(event);
    if (!DATA.search || !ray.intersectObject(handle).length) return;
    plane = { normal: camera.getWorldDirection(new THREE.Vector3()), point: handle.position.clone() };
    controls.enabled = false;
    fall(false);
    view.setPointerCapture(event.pointerId);
  }, true);
  view.addEventListener("pointermove", (event) => {
    if (!plane) return;
    aim(event);
    const along = plane.point.clone().sub(ray.ray.origin).dot(plane.normal) / ray.ray.direction.dot(plane.normal);
    reach(ray.ray.origin.clone().addScaledVector(ray.ray.direction, along));
    update();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    view.addEventListener(name, () => {
      plane = null;
      controls.enabled = true;
    });
  }
}

// ---- begin ----------------------------------------------------------------------------------------------------------------

function paint() {
  for (const one of Object.values(materials)) if (one.userData.look) one.color.set(css(`--${one.userData.look}`));
  const grid = scene.getObjectByName("grid");
  if (grid) grid.material.color.set(css("--line"));
}

function begin() {
  build();
  buildPanel();
  if (!renderer) {
    view.append($("p", { id: "message", textContent: "This browser shows no 3D graphics (WebGL): the numbers still work." }));
    update();
    return;
  }
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFShadowMap;
  view.append(renderer.domElement);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.target.copy(target);
  controls.enableDamping = true;
  const resize = () => {
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    const narrow = innerWidth <= 720;
    camera.setViewOffset(innerWidth, innerHeight, narrow ? 0 : 160, narrow ? innerHeight * 0.2 : 0, innerWidth, innerHeight);
    camera.updateProjectionMatrix();
  };
  addEventListener("resize", resize);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  resize();
  startDragging(controls);
  update();
  const frame = (now) => {
    if (state.falling) {
      advance(now);
      update();
    }
    controls.update();
    renderer.render(scene, camera);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
begin();
