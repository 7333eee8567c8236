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
function f_settled_0_step(x_y, x_captured, y_y, y_until, y_seen) {
  const v0 = x_y[0];
  const v1 = Math.sin(v0);
  const v2 = x_captured[0];
  const v3 = v1 + v2;
  const v4 = v0 < 0;
  const v5 = -v0;
  const v6 = v4 ? v5 : v0;
  const v7 = v6 < 0.2;
  const v8 = v0 * v0;
  const v9 = v3 <= v3;
  const v10 = v9 ? 0 : 2;
  const v11 = v7 ? 1 : v10;
  y_y[0] = v3;
  y_until[0] = v11;
  y_seen[0] = v8;
}
const f_settled_0_now_y = new Float64Array(1);
const f_settled_0_new_y = new Float64Array(1);
const f_settled_0_new_until = new Float64Array(1);
const f_settled_0_new_seen = new Float64Array(1);
function f_settled_0(x_y, x_captured, y_y, y_until, y_seen) {
  const now_y = f_settled_0_now_y;
  const new_y = f_settled_0_new_y;
  const new_until = f_settled_0_new_until;
  const new_seen = f_settled_0_new_seen;
  let k = 0;
  let status = 0;
  now_y[0] = x_y[0];
  for (let i = 0; i < 4; i++) y_seen[i] = 0;
  while ((k < 4) && ((status <= 0) && (0 <= status))) {
    f_settled_0_step(now_y, x_captured, new_y, new_until, new_seen);
    now_y[0] = new_y[0];
    y_seen[k] = new_seen[0];
    status = new_until[0];
    k = k + 1;
  }
  y_y[0] = now_y[0];
  y_until[0] = status;
}
const f_settled_in2_captured = new Float64Array(1);
function f_settled(x_x, y_y, y_until, y_seen) {
  const v0 = x_x[0];
  const v1 = 0.1 * v0;
  const in2_captured = f_settled_in2_captured;
  in2_captured[0] = v1;
  f_settled_0(x_x, in2_captured, y_y, y_until, y_seen);
}
const f_settled_taken_x_x = new Float64Array(1);
/**
 * @param {number | ArrayLike<number>} x_x "x", shape []
 * @param {Float64Array=} y_y "y", shape []
 * @param {Float64Array=} y_until "until", shape []
 * @param {Float64Array=} y_seen "seen", shape [4]
 */
export function settled(x_x, y_y = new Float64Array(1), y_until = new Float64Array(1), y_seen = new Float64Array(4)) {
  take(x_x, f_settled_taken_x_x, "settled: x");
  check(y_y, 1, "settled: y");
  check(y_until, 1, "settled: until");
  check(y_seen, 4, "settled: seen");
  f_settled(f_settled_taken_x_x, y_y, y_until, y_seen);
  return { ["y"]: y_y, ["until"]: y_until, ["seen"]: y_seen };
}
