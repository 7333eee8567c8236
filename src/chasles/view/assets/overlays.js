// What is drawn over the robot: frames, screw axes, inertias, centre of mass, ellipsoids.
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

function addOverlays(group, link) {
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
