// Let it fall: the robot's own equations of motion, step by step, as much time as has passed.
const STEP = 1e-3; // s
const LONGEST = 0.05; // s of motion in a frame: a page that cannot follow is slower than time
const free = zeros(n);
const stepSize = new Float64Array([STEP]);
let before = 0;

// The joint forces at the state shown: those that hold it, none where it falls, those recorded where it plays.
function forces() {
  if (state.mode === "still") state.tau.set(torques(state.q, state.v, free));
  else if (state.mode === "falling") state.tau.fill(0);
}
whenChanged.push(forces);

function advance(now) {
  if (state.mode !== "falling") return;
  const seconds = Math.min(LONGEST, (now - before) / 1000);
  before = now;
  for (let k = Math.round(seconds / STEP); k > 0; k--) {
    const next = step(state.q, state.v, free, stepSize);
    state.q.set(next.q);
    state.v.set(next.v);
  }
  if (state.q.every(Number.isFinite)) changed();
  else {
    setMode("still");
    setState(DATA.q);
  }
}
whenFrame.push(advance);

function buildFall() {
  const button = $("button", { id: "fall", textContent: "Let it fall", ariaPressed: "false" });
  button.addEventListener("click", () => {
    before = performance.now();
    setMode(state.mode === "falling" ? "still" : "falling");
    changed();
  });
  whenMode.push((mode) => (button.ariaPressed = String(mode === "falling")));
  document.getElementById("actions").prepend(button);
}
