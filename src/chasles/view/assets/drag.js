// By hand: rings on the tool, or on the tips of a tree, follow the pointer by inverse kinematics; a link that is dragged
// turns its own joint.
const RING = 11; // px
const SELDOM = 50; // ms between two looks at what is under a pointer
const NEAR = { mouse: 18, pen: 22, touch: 34 }; // px from a ring that take it
const handles = DATA.tips.map((tip) => {
  const group = new THREE.Group();
  const paint = (opacity) => plain(COLOUR.orange, { depthTest: false, transparent: true, opacity, side: THREE.DoubleSide });
  group.add(new THREE.Mesh(new THREE.RingGeometry(0.72, 1, 40), paint(1)), new THREE.Mesh(new THREE.RingGeometry(0, 0.32, 24), paint(1)));
  group.children.forEach((one) => (one.renderOrder = 6));
  scene.add(overlay("handles", group));
  return { ...tip, group };
});
let grabbed = null;
const [ahead, fromCamera] = [new THREE.Vector3(), new THREE.Vector3()]; // of faceHandles
const turning = { on: false };

function paintHandles() {
  for (const { group } of handles) for (const one of group.children) one.material.color.set(css("--tool"));
}

function faceHandles() {
  // toward the camera, of the same size on the screen wherever they are
  camera.getWorldDirection(ahead);
  for (const handle of handles) {
    tipPoint(handle, handle.group.position);
    handle.group.quaternion.copy(camera.quaternion);
    const depth = fromCamera.copy(handle.group.position).sub(camera.position).dot(ahead);
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(depth, 1e-9)) / innerHeight;
    handle.group.scale.setScalar(RING * pixel * (grabbed?.handle === handle ? 1.35 : 1));
  }
}

function onScreen(point) {
  const at = point.clone().project(camera);
  return [((at.x + 1) / 2) * innerWidth, ((1 - at.y) / 2) * innerHeight, at.z];
}

function nearestHandle(event) {
  let [best, least] = [null, NEAR[event.pointerType] ?? NEAR.mouse];
  if (!shown.handles) return null;
  for (const handle of handles) {
    const [x, y, z] = onScreen(tipPoint(handle));
    const away = Math.hypot(event.clientX - x, event.clientY - y);
    if (away < least && z < 1) [best, least] = [handle, away];
  }
  return best;
}

const turned = (T, vector) => new THREE.Vector3(...vector).applyMatrix4(new THREE.Matrix4().extractRotation(T));

// The velocity of a point on a link, and the link's angular velocity, at unit rates of the joints that carry it.
function columnsOf(link, point, only = null, floating = false) {
  const columns = [];
  for (let i = link; i >= 0; i = DATA.links[i].parent) {
    const one = DATA.links[i];
    if (only === null ? one.kind === "free" && !floating : i !== only) continue;
    const T = links[i].matrix;
    const arm = point.clone().sub(new THREE.Vector3().setFromMatrixPosition(T));
    one.columns.forEach((column, k) => {
      if (one.kind === "free" && k < 3) return; // in the hand it does not turn
      const w = turned(T, column.slice(0, 3));
      const v = turned(T, column.slice(3)).add(w.clone().cross(arm));
      columns.push({ k: one.v + k, rows: [v.x, v.y, v.z, w.x, w.y, w.z].map((x) => x * one.factor) });
    });
  }
  return columns;
}

function solved(A, b) {
  // A x = b of a symmetric positive matrix, by elimination
  const m = b.length;
  const M = A.map((row, i) => [...row, b[i]]);
  for (let i = 0; i < m; i++) for (let j = i + 1; j < m; j++) {
    const factor = M[j][i] / M[i][i];
    for (let k = i; k <= m; k++) M[j][k] -= factor * M[i][k];
  }
  const x = new Array(m).fill(0);
  for (let i = m - 1; i >= 0; i--) {
    let sum = M[i][m];
    for (let k = i + 1; k < m; k++) sum -= M[i][k] * x[k];
    x[i] = sum / M[i][i];
  }
  return x;
}

// A damped step of q by which a point on a link, and its rotation, come nearer to where they should be: least squares,
// without joints that would leave their limits.
function pullStep(q, columns, error) {
  const damping = (0.04 * size) ** 2;
  let left = columns;
  for (let attempt = 0; attempt < 4; attempt++) {
    const A = error.map((_, i) => error.map((_, j) => left.reduce((sum, c) => sum + c.rows[i] * c.rows[j], i === j ? damping : 0)));
    const y = solved(A, error);
    const step = zeros(n);
    for (const { k, rows } of left) for (let i = 0; i < y.length; i++) step[k] += rows[i] * y[i];
    const held = new Set();
    DATA.joints.forEach(({ limited, lower, upper, kind }, k) => {
      if (kind !== "screw" || !step[k]) return;
      const x = coordinate(q, k) + step[k];
      if ((limited[0] && x < lower && step[k] < 0 && coordinate(q, k) <= lower + 1e-9) || (limited[1] && x > upper && step[k] > 0 && coordinate(q, k) >= upper - 1e-9)) held.add(k);
    });
    if (!held.size || attempt === 3) return clamped(integrate(q, step));
    left = left.filter(({ k }) => !held.has(k));
    if (!left.length) return q;
  }
  return q;
}

function clamped(q) {
  const next = Float64Array.from(q);
  for (const { kind, q: at, limited, lower, upper } of DATA.joints) {
    if (kind !== "screw") continue;
    if (limited[0]) next[at] = Math.max(next[at], lower);
    if (limited[1]) next[at] = Math.min(next[at], upper);
  }
  return next;
}

// Toward a place, and a rotation where one is wanted, as near as it comes.
function reachFor(link, at, place, rotation = null, only = null) {
  const longest = 0.1 * size;
  for (let k = 0; k < 12; k++) {
    const point = at.clone().applyMatrix4(links[link].matrix);
    const away = place.clone().sub(point);
    const error = away.clone().clampLength(0, longest).toArray();
    if (rotation) error.push(...turnBetween(links[link].matrix, rotation).map((x) => x * 0.3 * size));
    if (Math.hypot(...error) < 1e-5 * size) break;
    const columns = columnsOf(link, point, only).map(({ k, rows }) => ({ k, rows: rotation ? rows.map((x, i) => (i < 3 ? x : x * 0.3 * size)) : rows.slice(0, 3) }));
    if (!columns.length) return;
    const next = closed(pullStep(state.q, columns, error));
    if (!next.every(Number.isFinite)) return;
    state.q.set(next);
    const poses = look(next).links;
    links.forEach((group, i) => rowMajor(poses, 16 * i, group.matrix));
  }
  setState(Float64Array.from(state.q));
}

function turnBetween(T, rotation) {
  const now = new THREE.Quaternion().setFromRotationMatrix(T);
  const by = rotation.clone().multiply(now.invert());
  const vector = rotationVector(Float64Array.from([by.x, by.y, by.z, by.w]), 0);
  const angle = Math.hypot(...vector);
  return angle > 0.3 ? vector.map((x) => (x * 0.3) / angle) : vector;
}

// The library's search for a pose of the tool, from where the robot is; null where it finds none near.
function searched(place, rotation) {
  if (!DATA.search || !DATA.has_tool || grabbed.handle.name !== "tool") return null;
  const T = new THREE.Matrix4().makeRotationFromQuaternion(rotation).setPosition(place).transpose();
  const given = (DATA.search.inputs ??= DATA.search.given.map((x) => Float64Array.from(x)));
  const { q } = inverse_kinematics(zeros(3), state.q, Float64Array.from(T.elements), ...given, new Float64Array([1]));
  if (!q.every(Number.isFinite) || Math.max(...q.map((x, k) => Math.abs(x - state.q[k]))) > 0.5) return null;
  const { tool: reached } = look(q);
  return Math.hypot(reached[3] - place.x, reached[7] - place.y, reached[11] - place.z) < 1e-3 * size ? q : null;
}

function startDragging(controls) {
  const ray = new THREE.Raycaster();
  const pointer = new THREE.Vector2();
  const aim = (event) => {
    pointer.set((2 * event.clientX) / innerWidth - 1, 1 - (2 * event.clientY) / innerHeight);
    ray.setFromCamera(pointer, camera);
  };
  const linkUnder = (event) => {
    aim(event);
    return ray.intersectObjects(links.map((group) => group.children[0]), true)[0] ?? null;
  };
  const hand = (handle, link, at, place, event) => ({
    handle, link, at, x: event.clientX, y: event.clientY,
    normal: camera.getWorldDirection(new THREE.Vector3()), place,
    rotation: new THREE.Quaternion().setFromRotationMatrix(handle && DATA.has_tool ? tool.matrix : links[link].matrix),
  });
  view.addEventListener("pointerdown", (event) => {
    if (grabbed || event.button > 0 || !n) return;
    const handle = nearestHandle(event);
    const hit = handle ? null : linkUnder(event);
    if (!handle && !hit) return;
    if (handle) grabbed = hand(handle, handle.link, new THREE.Vector3(...handle.at), tipPoint(handle), event);
    else {
      const link = hit.object.userData.link;
      grabbed = hand(null, link, hit.point.clone().applyMatrix4(links[link].matrix.clone().invert()), hit.point.clone(), event);
    }
    controls.enabled = false;
    setMode("still");
    view.setPointerCapture(event.pointerId);
    view.style.cursor = "grabbing";
    showHover(null);
    event.stopPropagation();
  }, true);
  view.addEventListener("pointermove", (event) => {
    if (!grabbed) return hover(event);
    const { handle, link, at, normal, place, rotation } = grabbed;
    if (handle && (event.shiftKey || turning.on)) {
      turnBy(event);
      return;
    }
    aim(event);
    const along = place.clone().sub(ray.ray.origin).dot(normal) / ray.ray.direction.dot(normal);
    const to = ray.ray.origin.clone().addScaledVector(ray.ray.direction, along);
    if (!handle) return reachFor(link, at, to, null, link);
    const q = searched(to, rotation);
    if (q) setState(closed(q));
    else reachFor(link, at, to);
  });
  const turnBy = (event) => {
    const [dx, dy] = [event.clientX - grabbed.x, event.clientY - grabbed.y].map((x) => x * 0.008);
    [grabbed.x, grabbed.y] = [event.clientX, event.clientY];
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const by = new THREE.Quaternion().setFromAxisAngle(up, dx).multiply(new THREE.Quaternion().setFromAxisAngle(right, dy));
    grabbed.rotation.premultiply(by);
    const q = searched(grabbed.place, grabbed.rotation);
    if (q) return setState(closed(q));
    const onTool = DATA.has_tool ? new THREE.Quaternion().setFromRotationMatrix(tool.matrix).invert().multiply(new THREE.Quaternion().setFromRotationMatrix(links[grabbed.link].matrix)) : null;
    reachFor(grabbed.link, grabbed.at, grabbed.place, onTool ? grabbed.rotation.clone().multiply(onTool) : grabbed.rotation);
    grabbed.rotation.setFromRotationMatrix(DATA.has_tool ? tool.matrix : links[grabbed.link].matrix);
  };
  for (const name of ["pointerup", "pointercancel"]) {
    view.addEventListener(name, () => {
      grabbed = null;
      controls.enabled = true;
      view.style.cursor = "";
      stale = true;
    });
  }
  let hoveredAt = 0;
  const hover = (event) => {
    if (event.timeStamp - hoveredAt < SELDOM) return;
    hoveredAt = event.timeStamp;
    if (event.buttons || event.pointerType === "touch") return showHover(null);
    const handle = nearestHandle(event);
    const hit = handle ? null : linkUnder(event);
    view.style.cursor = handle || hit ? "grab" : "";
    if (handle) return showHover(`drag ${handle.name}; with Shift: turn it`, event);
    if (!hit) return showHover(null);
    const { name, joint, follows } = DATA.links[hit.object.userData.link];
    showHover(`${name}, on ${joint}${follows ? `, which follows ${follows[0]}` : ""}`, event);
  };
  view.addEventListener("pointerleave", () => showHover(null));
}
