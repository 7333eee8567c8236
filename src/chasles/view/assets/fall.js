// Let it fall: the robot's own equations of motion, step by step, as much time as has passed; and a hand that pulls.
const STEP = DATA.fall.step; // s
const LONGEST = 0.2; // s of motion in a frame: a page that cannot follow is slower than time
const BUSY = { share: 0.6, least: 9, most: 100 }; // of the time from frame to frame, ms: what computing may take of it
const FLOATS = DATA.links.some((link) => link.kind === "free");
const HINT = FLOATS ? "There is no ground: it falls freely. Drag a link to pull it." : "Drag a link to pull it.";
const KEPT = 20; // s of a fall that can be looked at again
const SAMPLE = 0.01; // s between two of them
const SLOWING = 2; // 1/s: where it is held, half of its speed is gone after a third of a second
const still = zeros(n);
const stepSize = new Float64Array([STEP]);
const stopping = new Float64Array([DATA.fall.stops ? 1 : 0]);
const acting = zeros(n);
const slowing = zeros(n);
const next = { q: zeros(nq), v: zeros(n) };
const kept = { kinetic: zeros(1), potential: zeros(1), multipliers: DATA.constraints ? zeros(DATA.constraints.rows.length) : null };
let holding = false;
const PULL = { frequency: 8, damping: 0.7 }; // rad/s, and of critical
let pulled = null; // {at: link, own: a point of it, to: where it is drawn to, x: where it is, columns, inertia}
let before = 0;
let owed = 0;
let sinceSample = 0;
let fall = null; // the record of the fall

// The joint forces at the state shown: those that hold it; where it falls or plays they are set with the state.
function forces() {
  if (state.mode === "still") torques(state.q, state.v, still, state.tau);
}
whenChanged.push(forces);

// Joint forces while it falls: none, or those that carry its weight and slow it; and those of the hand.
function act() {
  acting.fill(0);
  if (holding) {
    for (let k = 0; k < n; k++) slowing[k] = -SLOWING * state.v[k];
    torques(state.q, still, slowing, acting);
  }
  if (!pulled) return;
  const { columns, inertia, x, to } = pulled;
  const { frequency, damping } = PULL;
  const speed = [0, 0, 0];
  for (const { k, rows } of columns) for (let i = 0; i < 3; i++) speed[i] += rows[i] * state.v[k];
  const force = [to.x - x.x, to.y - x.y, to.z - x.z].map((away, i) => inertia * frequency * (frequency * away - 2 * damping * speed[i]));
  for (const { k, rows } of columns) for (let i = 0; i < 3; i++) acting[k] += rows[i] * force[i];
  x.set(x.x + STEP * speed[0], x.y + STEP * speed[1], x.z + STEP * speed[2]);
}

// Once a frame: where the point in the hand is, its velocities at unit rates of the joints, and the inertia that a pull
// meets there, 1 / m = d . J M^-1 J^T d along its direction d, by what a step makes of the force d.
function grasp() {
  pulled.x = pulled.own.clone().applyMatrix4(links[pulled.at].matrix);
  pulled.columns = columnsOf(pulled.at, pulled.x, null, true);
  const along = pulled.to.clone().sub(pulled.x).normalize().toArray();
  const unit = zeros(n);
  for (const { k, rows } of pulled.columns) for (let i = 0; i < 3; i++) unit[k] += rows[i] * along[i];
  const none = new Float64Array(1);
  const [pushed, fallen] = [unit, still].map((tau) => step(state.q, still, tau, none, stepSize).v);
  let mobility = 0;
  for (let k = 0; k < n; k++) mobility += (unit[k] * (pushed[k] - fallen[k])) / STEP;
  pulled.inertia = mobility > 1e-9 ? 1 / mobility : 0;
}

function advance(now) {
  if (state.mode !== "falling") return;
  owed = Math.min(LONGEST, owed + (now - before) / 1000);
  const busy = Math.min(BUSY.most, Math.max(BUSY.least, BUSY.share * (now - before)));
  before = now;
  const begun = performance.now();
  tellPace(now);
  if (pulled) grasp();
  let finite = true;
  while (owed >= STEP && finite) {
    act();
    step(state.q, state.v, acting, stopping, stepSize, next.q, next.v);
    finite = next.q.every(Number.isFinite) && next.v.every(Number.isFinite);
    if (!finite) break;
    state.q.set(next.q);
    state.v.set(next.v);
    fall.time += STEP;
    owed -= STEP;
    sinceSample += STEP;
    if (sinceSample >= SAMPLE - STEP / 2) keepSample();
    if (performance.now() - begun > busy) owed = 0;
  }
  state.tau.set(acting);
  if (!finite) {
    keepSample();
    setMode("playing");
    tell(
      `The numbers did not stay finite at ${fall.time.toFixed(3)} s: ` +
        (!isFinite(accelerations()) ? `the ${DATA.constraints ? "loop" : "mass matrix"} is singular in this pose.` : "it moves too fast for the step."),
    );
  }
  changed();
}
whenFrame.push(advance);

// The largest of the accelerations from rest in the pose shown, where no joint forces act; nan where there are none.
function accelerations() {
  step(state.q, still, still, new Float64Array(1), stepSize, next.q, next.v);
  return next.v.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / STEP;
}

// Where a second of motion takes longer than a second, it is said.
const pace = { since: 0, time: 0 };
function tellPace(now) {
  if (now - pace.since < 1500) return;
  const rate = (1000 * (fall.time - pace.time)) / (now - pace.since);
  const slow = pace.time > 0 && rate < 0.9 ? ` Slower than time: ${rate < 0.01 ? "below 0.01" : rate.toFixed(rate < 0.1 ? 2 : 1)}\u00d7.` : "";
  document.getElementById("hint").textContent = `${HINT}${slow}`;
  [pace.since, pace.time] = [now, fall.time];
}

function tell(text) {
  const told = document.getElementById("told");
  told.textContent = text;
  told.hidden = !text;
}

// The record: as a trajectory's (player.js), with room for twice as many samples as are kept.
const ROOM = Math.round((2 * KEPT) / SAMPLE);
const LIVE = [
  ["q", "Joints", DATA.labels.q, DATA.labels.q_unit, nq],
  ["qd", "Velocities", DATA.labels.qd, DATA.labels.qd_unit, n],
  ["tau", "Forces", DATA.labels.qd, DATA.labels.tau_unit, n],
  ["energy", "Energy", ["kinetic", "potential", "total"], "J", 3],
];
if (DATA.constraints) LIVE.push(["multipliers", "Constraint forces", DATA.constraints.rows, DATA.labels.multipliers_unit, DATA.constraints.rows.length]);

function newFall() {
  const t = new Float64Array(ROOM);
  const panels = {};
  for (const [key, title, names, unit, many] of LIVE) {
    panels[key] = { title, unit, names, t, values: new Float64Array(many * ROOM), count: 0, stride: ROOM };
  }
  return { name: "fall", live: true, time: 0, count: 0, t, q: zeros(nq * ROOM), qd: zeros(n * ROOM), tau: zeros(n * ROOM), panels, events: [] };
}

function keepSample() {
  sinceSample = 0;
  if (fall.count === ROOM) forget(ROOM / 2);
  const k = fall.count;
  if (k && fall.t[k - 1] >= fall.time) return;
  fall.t[k] = fall.time;
  fall.q.set(state.q, k * nq);
  fall.qd.set(state.v, k * n);
  fall.tau.set(acting, k * n);
  const { kinetic, potential, multipliers } = kept;
  energies(state.q, state.v, kinetic, potential);
  const values = { q: state.q, qd: state.v, tau: acting, energy: [kinetic[0], potential[0], kinetic[0] + potential[0]] };
  if (multipliers) values.multipliers = reactions(state.q, state.v, acting, multipliers);
  fall.count = k + 1;
  for (const [key, row] of Object.entries(values)) {
    const panel = fall.panels[key];
    for (let c = 0; c < row.length; c++) panel.values[c * ROOM + k] = row[c];
    panel.count = fall.count;
  }
}

// The first samples dropped; what is kept is as long as before KEPT, or longer.
function forget(many) {
  const left = fall.count - many;
  fall.t.copyWithin(0, many, fall.count);
  fall.q.copyWithin(0, many * nq, fall.count * nq);
  fall.qd.copyWithin(0, many * n, fall.count * n);
  fall.tau.copyWithin(0, many * n, fall.count * n);
  for (const panel of Object.values(fall.panels)) {
    for (let c = 0; c < panel.names.length; c++) panel.values.copyWithin(c * ROOM, c * ROOM + many, c * ROOM + fall.count);
    panel.count = left;
  }
  fall.count = left;
}

// From the state shown: the record goes on where it was cut by scrubbing, or begins anew.
function letFall() {
  tell("");
  if (fall && player.source === fall && state.mode === "playing") {
    fall.count = Math.min(fall.count, placeOf(fall.t, fall.count + 1, player.time) + 1);
    fall.time = player.time;
    for (const panel of Object.values(fall.panels)) panel.count = fall.count;
  } else fall = newFall();
  [before, owed, pace.since, pace.time] = [performance.now(), 0, 0, 0];
  acting.fill(0);
  keepSample();
  if (accelerations() < 1e-9 && state.v.every((x) => Math.abs(x) < 1e-9)) tell("No force moves it in this pose: pull it.");
  setMode("falling");
  changed();
}

function toggle(id, text, title, pressed, change) {
  const button = $("button", { id, textContent: text, title, ariaPressed: String(pressed) });
  button.addEventListener("click", () => {
    pressed = !pressed;
    button.ariaPressed = String(pressed);
    change(pressed);
  });
  return button;
}

function buildFall() {
  const button = $("button", { id: "fall", textContent: "Let it fall", ariaPressed: "false" });
  button.addEventListener("click", () => (state.mode === "falling" ? pauseFall() : letFall()));
  whenMode.push((mode) => {
    button.ariaPressed = String(mode === "falling");
    button.textContent = mode === "falling" ? "Pause" : "Let it fall";
    if (mode !== "falling") release();
    if (!button.disabled) document.getElementById("hint").hidden = mode !== "falling";
  });
  const actions = document.getElementById("actions");
  if (typeof step === "undefined") {
    const why = "It cannot fall: a joint moves no mass, so that forces have no accelerations.";
    Object.assign(button, { disabled: true, title: why });
    actions.prepend(button);
    actions.after($("p", { id: "hint", className: "note", textContent: why }), $("p", { id: "told", hidden: true, role: "status" }));
    return;
  }
  const hold = toggle("hold", "Hold", "Joint forces that carry its weight and slow it down", holding, (on) => (holding = on));
  actions.prepend(button, hold);
  if (DATA.fall.stops) {
    hold.after(toggle("stops", "Stops", "Stops at the joints' limits: stiff springs with dampers", true, (on) => (stopping[0] = on ? 1 : 0)));
  }
  actions.after(
    $("p", { id: "hint", className: "note", hidden: true, textContent: HINT }),
    $("p", { id: "told", hidden: true, role: "status" }),
  );
  buildPull();
}

function pauseFall() {
  keepSample();
  setMode("playing");
  changed();
}

// The hand: a point of a link that is drawn to where the pointer is, in the plane through it that faces the camera.
const line = new THREE.Line(new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3)), new THREE.LineBasicMaterial({ color: COLOUR.orange, depthTest: false }));
const knob = new THREE.Mesh(new THREE.SphereGeometry(0.018 * size, 20, 14), new THREE.MeshBasicMaterial({ color: COLOUR.orange, depthTest: false }));
line.frustumCulled = false;
line.visible = knob.visible = false;
line.renderOrder = knob.renderOrder = 4;
scene.add(line, knob);

function release() {
  pulled = null;
  stale = true;
  line.visible = knob.visible = false;
}

function buildPull() {
  const ray = new THREE.Raycaster();
  const pointer = new THREE.Vector2();
  let plane = null;
  const aim = (event) => {
    const box = view.getBoundingClientRect();
    pointer.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    ray.setFromCamera(pointer, camera);
  };
  const place = () => {
    const along = plane.point.clone().sub(ray.ray.origin).dot(plane.normal) / ray.ray.direction.dot(plane.normal);
    return ray.ray.origin.clone().addScaledVector(ray.ray.direction, along);
  };
  view.addEventListener("pointerdown", (event) => {
    if (state.mode !== "falling" || typeof step === "undefined") return;
    aim(event);
    scene.updateMatrixWorld();
    const hit = ray.intersectObjects(links, true).find((one) => one.object.visible && one.object.material?.visible !== false);
    if (!hit) return;
    const at = links.findIndex((group) => group === hit.object || group.getObjectById(hit.object.id));
    const own = hit.point.clone().applyMatrix4(links[at].matrix.clone().invert());
    plane = { normal: camera.getWorldDirection(new THREE.Vector3()), point: hit.point.clone() };
    pulled = { at, own, to: hit.point.clone(), x: hit.point.clone() };
    grasp();
    tell("");
    view.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
    event.preventDefault();
  }, true);
  view.addEventListener("pointermove", (event) => {
    if (!pulled) return;
    aim(event);
    pulled.to.copy(place());
    event.stopImmediatePropagation();
  }, true);
  for (const name of ["pointerup", "pointercancel"]) view.addEventListener(name, release, true);
  whenChanged.push(() => {
    line.visible = knob.visible = Boolean(pulled);
    if (!pulled) return;
    line.geometry.attributes.position.array.set([...pulled.x, ...pulled.to]);
    line.geometry.attributes.position.needsUpdate = true;
    knob.position.copy(pulled.to);
  });
}
