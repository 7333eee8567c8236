// What is drawn over the robot, and can be switched on and off: frames, axes, inertias, centre of mass, ellipsoids.
const tool = new THREE.Group(); // its matrix is the tool's pose
tool.matrixAutoUpdate = false;
scene.add(tool);
const SPEED = 0.25; // s: how long a tool's velocity is drawn
const FORCE = 0.03 * size * size; // m / N: how long a tool's force is drawn
const LONGEST_FORCE = 0.4 * size; // m: drawn no longer
const TRACE = 3000; // points that are kept
const OVERLAYS = {
  handles: { text: "Handles", on: true, note: "" },
  mass: { text: "Centre of mass", on: DATA.has_mass, needs: "mass", note: "" },
  frames: { text: "Frames", note: "Orange x, green y, blue z of each link and the tool." },
  names: { text: "Names", note: "" },
  axes: { text: "Axes", note: "Axes of joints: pink where they turn, blue where they slide, orange where they do both at once." },
  inertias: { text: "Inertias", note: "Each link as the ellipsoid of even density that has its mass and inertia." },
  manipulability: { text: "Manipulability", needs: "tool", note: `Velocities of the tool at joint rates of length 1; 1 m/s is drawn as ${SPEED} m.` },
  forces: { text: "Forces", needs: "tool", note: `Forces at the tool from joint forces of length 1; 1 N is drawn as ${(1000 * FORCE).toPrecision(2)} mm, all no longer than ${LONGEST_FORCE.toPrecision(2)} m.` },
  trace: { text: "Trace", needs: "tips", note: "The way of the tool since this was switched on." },
};
for (const [key, { on }] of Object.entries(OVERLAYS)) shown[key] = Boolean(on);
const byOverlay = {}; // what is in the scene for each
const overlay = (name, object) => {
  (byOverlay[name] ??= []).push(object);
  object.visible = shown[name];
  return object;
};
const plain = (colour, more = {}) => new THREE.MeshBasicMaterial({ color: colour, fog: false, toneMapped: false, ...more });
const clear = (colour) => new THREE.MeshStandardMaterial({ color: colour, transparent: true, opacity: 0.42, depthWrite: false, fog: false });

function arrow(direction, length, radius, colour, both = false) {
  // from the origin; `both`: with a head and as long on the other side too
  const group = new THREE.Group();
  const paint = plain(colour, { depthTest: false });
  const begin = both ? -length : 0;
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length - begin, 12).translate(0, (length + begin) / 2, 0), paint));
  group.add(new THREE.Mesh(new THREE.ConeGeometry(3 * radius, 8 * radius, 16).translate(0, length, 0), paint));
  if (both) group.add(new THREE.Mesh(new THREE.ConeGeometry(3 * radius, 8 * radius, 16).rotateX(Math.PI).translate(0, begin, 0), paint));
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction.clone().normalize());
  group.children.forEach((one) => (one.renderOrder = 2));
  return group;
}

function frameAxes(length) {
  const group = new THREE.Group();
  const axes = [[1, 0, 0, COLOUR.orange], [0, 1, 0, COLOUR.green], [0, 0, 1, COLOUR.blue]];
  for (const [x, y, z, colour] of axes) group.add(arrow(new THREE.Vector3(x, y, z), length, length / 40, colour));
  return group;
}

function jointAxis(link) {
  // a screw's axis in the link's frame: an arrow, with a ring around it where it turns
  const [w, v] = [new THREE.Vector3(...link.columns[0].slice(0, 3)), new THREE.Vector3(...link.columns[0].slice(3))];
  const turning = w.length() > 0;
  const pitch = turning ? w.dot(v) / w.lengthSq() : 0;
  const colour = !turning ? COLOUR.blue : Math.abs(pitch) > 1e-9 ? COLOUR.amber : COLOUR.pink;
  const group = arrow(turning ? w : v, 0.13 * size, size / 300, colour, !turning);
  if (turning) {
    const ring = new THREE.TorusGeometry(0.045 * size, size / 320, 8, 40, 1.6 * Math.PI).rotateX(Math.PI / 2).translate(0, 0.1 * size, 0);
    group.add(new THREE.Mesh(ring, plain(colour)));
    if (Math.abs(pitch) <= 1e-9) group.add(arrow(new THREE.Vector3(0, -1, 0), 0.13 * size, size / 300, colour).children[0]);
  }
  group.position.set(...link.at);
  return group;
}

function addOverlays(group, link) {
  group.add(overlay("frames", frameAxes(0.11 * size)));
  if (link.kind === "screw") group.add(overlay("axes", jointAxis(link)));
  if (!link.ellipsoid) return;
  const solid = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), clear(COLOUR.amber));
  solid.scale.set(...link.ellipsoid.half.map((x) => Math.max(x, size / 150)));
  const holder = new THREE.Group();
  holder.applyMatrix4(new THREE.Matrix4().fromArray(link.ellipsoid.pose));
  holder.add(solid);
  group.add(overlay("inertias", holder));
}

const mass = new THREE.Group(); // the centre of mass, and where it is above the floor
mass.add(new THREE.Mesh(new THREE.SphereGeometry(0.015 * size, 24, 16), plain(COLOUR.amber, { depthTest: false })));
mass.add(new THREE.Mesh(new THREE.SphereGeometry(0.007 * size, 24, 16), plain(INK, { depthTest: false })));
mass.children.forEach((one, k) => (one.renderOrder = 3 + k));
const plumb = new THREE.Mesh(new THREE.CylinderGeometry(size / 600, size / 600, 1, 8).translate(0, -0.5, 0), plain(COLOUR.amber));
const below = new THREE.Mesh(new THREE.RingGeometry(0.014 * size, 0.02 * size, 32), plain(COLOUR.amber, { side: THREE.DoubleSide }));
plumb.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
below.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
scene.add(overlay("mass", mass), overlay("mass", plumb), overlay("mass", below));

const velocityBall = new THREE.Mesh(new THREE.SphereGeometry(1, 40, 24), clear(COLOUR.green));
const forceBall = new THREE.Mesh(new THREE.SphereGeometry(1, 40, 24), clear(COLOUR.pink));
for (const one of [velocityBall, forceBall]) one.matrixAutoUpdate = false;
if (DATA.has_tool) tool.add(overlay("frames", frameAxes(0.08 * size)), overlay("manipulability", velocityBall), overlay("forces", forceBall));

const trace = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: COLOUR.orange, fog: false, toneMapped: false }));
const traced = { points: new Float32Array(3 * TRACE), count: 0, last: new THREE.Vector3() };
trace.geometry.setAttribute("position", new THREE.BufferAttribute(traced.points, 3));
trace.frustumCulled = false;
scene.add(overlay("trace", trace));

function tipPoint(tip, into = new THREE.Vector3()) {
  return into.fromArray(tip.at).applyMatrix4(links[tip.link].matrix);
}

function addToTrace() {
  const point = tipPoint(DATA.tips[0]);
  if (traced.count && point.distanceTo(traced.last) < size / 400) return;
  if (traced.count === TRACE) traced.points.copyWithin(0, 3 * (TRACE / 3)), (traced.count = (2 * TRACE) / 3);
  traced.last.copy(point);
  traced.points.set(point.toArray(), 3 * traced.count++);
  trace.geometry.setDrawRange(0, traced.count);
  trace.geometry.attributes.position.needsUpdate = true;
}

function showOverlay(name, on) {
  shown[name] = on;
  for (const one of byOverlay[name] ?? []) one.visible = on;
  if (name === "trace") traced.count = 0;
  changed();
}

function updateOverlays() {
  mass.position.set(...found.com);
  plumb.position.copy(mass.position);
  const height = mass.position.dot(up) - ground.position.dot(up);
  plumb.scale.y = Math.max(height, 1e-9);
  below.position.copy(mass.position).addScaledVector(up, size / 1000 - height);
  plumb.visible = below.visible = shown.mass && height > 0;
  if (shown.manipulability || shown.forces) placeEllipsoids();
  if (shown.trace) addToTrace();
}

function placeEllipsoids() {
  // J J^T of the linear rows, which are in the tool's axes: velocities at unit joint rates, forces by its inverse
  const A = [0, 1, 2].map((i) => [0, 1, 2].map((j) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += found.jacobian[(3 + i) * n + k] * found.jacobian[(3 + j) * n + k];
    return sum;
  }));
  const [values, vectors] = eigen(A);
  const R = new THREE.Matrix4().makeBasis(...[0, 1, 2].map((k) => new THREE.Vector3(vectors[0][k], vectors[1][k], vectors[2][k])));
  const gains = values.map((x) => Math.sqrt(Math.max(x, 0)));
  const half = gains.map((x) => Math.max(SPEED * x, size / 400));
  velocityBall.matrix.copy(R).scale(new THREE.Vector3(...half));
  forceBall.matrix.copy(R).scale(new THREE.Vector3(...gains.map((x) => Math.min(FORCE / Math.max(x, 1e-12), LONGEST_FORCE))));
  velocityBall.matrixWorldNeedsUpdate = forceBall.matrixWorldNeedsUpdate = true;
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
