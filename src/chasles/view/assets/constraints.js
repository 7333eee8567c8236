// Constraints: where loops close, rods, contacts and their surfaces, the forces that they exert.
const marks = [];
const rods = [];
const nets = []; // surfaces that have an end
const multiplierRows = [];
const MARK = { closure: COLOUR.pink, rod: COLOUR.green, contact: COLOUR.orange };

// A configuration put back onto the constraints. k: the velocity of the slider that moved, which stays where it was put
// as far as the others can follow; a way in short stretches, so that the same assembly is found.
function onto(q, k) {
  const free = zeros(n).fill(1);
  if (k < 0) return settle(q, free).q;
  free[k] = 0;
  const away = difference(state.q, q)[k];
  const many = Math.min(200, Math.max(1, Math.ceil(Math.abs(away) / 0.04)));
  const part = zeros(n);
  part[k] = away / many;
  let reached = state.q;
  for (let i = 0; i < many; i++) {
    const next = settle(integrate(reached, part), free);
    if (!(next.off[0] < 1e-9) || difference(reached, next.q).some((x) => !(Math.abs(x) < 0.5))) break;
    reached = next.q;
  }
  return reached;
}

function net(surface) {
  const { rows, columns } = surface;
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(decoded(surface.points), 3));
  const corners = [];
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const a = i * columns + j;
      corners.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
    }
  }
  made.setIndex(corners);
  made.computeVertexNormals();
  const paint = new THREE.MeshStandardMaterial({ color: COLOUR.sky, transparent: true, opacity: 0.28, side: THREE.DoubleSide, depthWrite: false, roughness: 0.7 });
  return new THREE.Mesh(made, paint);
}

function buildConstraints() {
  if (!DATA.constraints) return;
  for (const surface of DATA.constraints.surfaces) {
    const made = net(surface);
    (surface.body < 0 ? scene : links[surface.body]).add(made);
    if (surface.bounded) nets.push(made);
  }
  for (const { kind, count } of DATA.constraints.marks) {
    const paint = new THREE.MeshBasicMaterial({ color: MARK[kind], depthTest: false, transparent: true });
    const first = marks.length;
    for (let i = 0; i < count; i++) {
      const ring = new THREE.Mesh(new THREE.TorusGeometry(0.026 * size, 0.0045 * size, 10, 40), paint);
      const dot = new THREE.Mesh(new THREE.SphereGeometry(0.009 * size, 20, 12), paint);
      const mark = new THREE.Group();
      mark.add(ring, dot);
      mark.traverse((one) => (one.renderOrder = 3));
      scene.add(mark);
      marks.push(mark);
    }
    if (kind === "rod") {
      const rod = new THREE.Mesh(new THREE.CylinderGeometry(0.012 * size, 0.012 * size, 1, 16).rotateX(Math.PI / 2), material("link"));
      rod.castShadow = true;
      scene.add(rod);
      rods.push({ rod, first });
    }
  }
  const { rows, units } = DATA.constraints;
  if (!rows.length) return;
  const list = $("div", { id: "multipliers" });
  const short = rows.length > 1 ? shorter(rows) : rows;
  rows.forEach((name, k) => {
    const fill = $("i");
    const value = $("span");
    multiplierRows.push({ fill, value, unit: units[k] });
    list.append($("div", { className: "row" }, $("label", { textContent: short[k], title: name }), $("div", { className: "force" }, value, $("b", {}, fill))));
  });
  document.getElementById("numbers").append($("h2", { textContent: "Forces of the constraints" }), list);
}

function showConstraints() {
  if (!DATA.constraints) return;
  marks.forEach((mark, k) => mark.position.fromArray(found.marks, 3 * k));
  for (const { rod, first } of rods) {
    const [a, b] = [marks[first].position, marks[first + 1].position];
    rod.position.copy(a).lerp(b, 0.5);
    rod.scale.z = a.distanceTo(b);
    rod.lookAt(b);
  }
}

// At the rate of the panel's numbers.
function showMultipliers() {
  const values = reactions(state.q, state.v, state.tau);
  const largest = Math.max(1e-9, ...values.map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
  multiplierRows.forEach(({ fill, value, unit }, k) => {
    const share = Number.isFinite(values[k]) ? (50 * Math.abs(values[k])) / largest : 0;
    fill.style.inset = values[k] < 0 ? `0 50% 0 ${50 - share}%` : `0 ${50 - share}% 0 50%`;
    value.textContent = Number.isFinite(values[k]) ? digits(values[k], unit) : "not unique";
  });
}
whenChanged.push(showConstraints);
let multipliersStale = true;
let multipliersAt = -Infinity;
whenChanged.push(() => (multipliersStale = true));
whenFrame.push((now) => {
  if (!multipliersStale || !multiplierRows.length || (state.mode !== "still" && now - multipliersAt < RARELY)) return;
  [multipliersStale, multipliersAt] = [false, now];
  showMultipliers();
});
whenFrame.push(() => marks.forEach((mark) => mark.quaternion.copy(camera.quaternion)));
