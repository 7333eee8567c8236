function take(x, to, what) {
  if (typeof x === "number") x = [x];
  if (x?.length !== to.length) throw new RangeError(`${what} must be ${to.length} numbers, got ${x?.length ?? x}`);
  for (let i = 0; i < to.length; i++) {
    if (typeof x[i] !== "number") throw new RangeError(`${what}[${i}] must be a number, got ${x[i]}`);
    to[i] = x[i];
  }
}
function check(y, size, what) {
  if (y?.length !== size) throw new RangeError(`${what} is written to ${size} elements, got ${y?.length ?? y}`);
}
function f_inverse_dynamics(x_q, x_qd, x_qdd, y_inverse_dynamics) {
  const v0 = x_q[0];
  const v2 = Math.sin(v0);
  const v3 = 9.81 * v2;
  const v1 = x_qdd[0];
  const v4 = v1 + v3;
  y_inverse_dynamics[0] = v4;
}
const f_inverse_dynamics_taken_x_q = new Float64Array(1);
const f_inverse_dynamics_taken_x_qd = new Float64Array(1);
const f_inverse_dynamics_taken_x_qdd = new Float64Array(1);
/**
 * @param {number | ArrayLike<number>} x_q "q", shape [1]
 * @param {number | ArrayLike<number>} x_qd "qd", shape [1]
 * @param {number | ArrayLike<number>} x_qdd "qdd", shape [1]
 * @param {Float64Array=} y_inverse_dynamics "inverse_dynamics", shape [1]
 */
export function inverse_dynamics(x_q, x_qd, x_qdd, y_inverse_dynamics = new Float64Array(1)) {
  take(x_q, f_inverse_dynamics_taken_x_q, "inverse_dynamics: q");
  take(x_qd, f_inverse_dynamics_taken_x_qd, "inverse_dynamics: qd");
  take(x_qdd, f_inverse_dynamics_taken_x_qdd, "inverse_dynamics: qdd");
  check(y_inverse_dynamics, 1, "inverse_dynamics: inverse_dynamics");
  f_inverse_dynamics(f_inverse_dynamics_taken_x_q, f_inverse_dynamics_taken_x_qd, f_inverse_dynamics_taken_x_qdd, y_inverse_dynamics);
  return y_inverse_dynamics;
}
