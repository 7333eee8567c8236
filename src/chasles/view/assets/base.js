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
const state = { q: Float64Array.from(DATA.q), v: zeros(n), tau: zeros(n), mode: "still" }; // or "falling", "playing"
const shown = { frames: false, axes: false, inertias: false, mass: true, manipulability: false, forces: false };

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

function digits(x, unit) {
  const size = Math.abs(x);
  const text = size < 5e-4 ? "0" : x.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
  return `${text.replace("-", "\u2212")} ${unit}`;
}

// A configuration put back onto the constraints, if there are any. k: the velocity whose slider moved.
const closed = (q, k = -1) => (DATA.constraints ? onto(q, k) : q);

// The numbers of an array in DATA (view/encoding.py).
function decoded(given) {
  const [[kind, text]] = Object.entries(given);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new { float32: Float32Array, float64: Float64Array }[kind](bytes.buffer);
}
