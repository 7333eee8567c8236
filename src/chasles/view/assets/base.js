"use strict";
// What all parts of the page share: DATA (view/scene.py), the robot's own functions (view/functions.py), the state.
const $ = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const { n, nq, size } = DATA;
const zeros = (count) => new Float64Array(count);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// Colours that a colour-blind eye tells apart (Okabe and Ito).
const COLOUR = { blue: "#0072b2", orange: "#d55e00", green: "#009e73", pink: "#cc79a7", amber: "#e69f00", sky: "#56b4e9", purple: "#8c6bb1" };
const LIGHTER = { blue: "#4aa3df", orange: "#f07b3a", green: "#2fc297", pink: "#e29cc0", amber: "#f0b429", sky: "#8fd0f5", purple: "#b49ad6" }; // of curves on a dark page
const INK = "#1a222e";
const state = { q: Float64Array.from(DATA.q), v: zeros(n), tau: zeros(n), mode: "still" }; // or "falling", "playing"
const shown = {}; // what is drawn over the robot, by name: overlays.js

const whenChanged = []; // called after the state has changed, in order
const whenFrame = []; // called with the time, ms, before a frame is drawn
const whenMode = []; // called when the mode has changed
const changed = () => whenChanged.forEach((one) => one());
function setMode(mode) {
  if (state.mode === mode) return;
  state.mode = mode;
  whenMode.forEach((one) => one(mode));
}

function setState(q, v = null) {
  state.q.set(q);
  if (v) state.v.set(v);
  else state.v.fill(0);
  changed();
}

// Three digits of a number, none of what is less than 1e-9, all of those before the point.
function digits(x, unit) {
  const size = Math.abs(Number(x.toPrecision(3)));
  let text = "0";
  if (size >= 1e6 || (size >= 1e-9 && size < 1e-3)) text = x.toExponential(2);
  else if (size >= 1e-3) text = x.toFixed(Math.max(0, 2 - Math.floor(Math.log10(size))));
  return `${text.replaceAll("-", "\u2212")} ${unit}`;
}

// A configuration put back onto the constraints, if there are any. k: the velocity whose slider moved.
const closed = (q, k = -1) => (DATA.constraints ? onto(q, k) : q);

// The numbers of an array in DATA (view/encoding.py).
function decoded(given) {
  const [[kind, text]] = Object.entries(given);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const kinds = { float32: Float32Array, float64: Float64Array, uint16: Uint16Array, uint32: Uint32Array };
  return new kinds[kind](bytes.buffer); // little-endian, as all browsers are
}

// A coordinate for each velocity, zero at home: q itself, or a rotation vector where q has a quaternion.
const LONGEST_TURN = Math.PI - 1e-9;
function rotationVector(q, at) {
  const [x, y, z, w] = q.subarray(at, at + 4);
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, Math.abs(w)) * (w < 0 ? -1 : 1);
  const scale = sine < 1e-12 ? 2 : angle / sine;
  return [scale * x, scale * y, scale * z];
}
function quaternion([x, y, z]) {
  const angle = Math.hypot(x, y, z);
  const scale = angle < 1e-12 ? 0.5 : Math.sin(angle / 2) / angle;
  return [scale * x, scale * y, scale * z, Math.cos(angle / 2)];
}
function coordinate(q, k) {
  const { kind, q: at, axis } = DATA.joints[k];
  if (kind === "free") return axis < 3 ? rotationVector(q, at + 3)[axis] : q[at + axis - 3];
  return kind === "spherical" ? rotationVector(q, at)[axis] : q[at + axis];
}
function withCoordinate(q, k, x) {
  const { kind, q: at, axis } = DATA.joints[k];
  const next = Float64Array.from(q);
  const turning = kind === "spherical" ? at : kind === "free" && axis < 3 ? at + 3 : -1;
  if (turning >= 0) {
    const vector = rotationVector(q, turning);
    vector[axis] = 0;
    const room = Math.sqrt(Math.max(0, LONGEST_TURN ** 2 - x * x)); // for the others: beyond it they would turn about
    const share = Math.min(1, room / (Math.hypot(...vector) || 1));
    const turned = vector.map((other) => share * other);
    turned[axis] = x;
    next.set(quaternion(turned), turning);
  } else next[kind === "free" ? at + axis - 3 : at + axis] = x;
  return next;
}
