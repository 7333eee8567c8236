// The keyboard, and the card that tells it.
const KEYS = [
  ["Drag the background", "turn the view"],
  ["Right button, or two fingers", "move the view"],
  ["Wheel, or pinch", "zoom"],
  ["Drag a ring", "move the tool, by inverse kinematics"],
  ["Shift and drag a ring", "turn the tool"],
  ["Drag a link", "turn its joint"],
  ["Click a number", "type it: 0.5, pi/2, 30\u00b0"],
  [["\u2190", "\u2192", "\u2191", "\u2193"], "turn the view"],
  [["+", "\u2212"], "zoom"],
  [["F", "Home"], "all of the robot"],
  [["Space"], "let it fall, or play; stop"],
  [["R"], "the first pose"],
  [["D"], "dark or light"],
  [["?"], "this card"],
];

function orbit(controls, aside, over) {
  const offset = camera.position.clone().sub(controls.target);
  offset.applyAxisAngle(up, aside);
  const right = new THREE.Vector3().crossVectors(up, offset).normalize();
  const tilted = offset.clone().applyAxisAngle(right, over);
  if (Math.abs(tilted.angleTo(up) - Math.PI / 2) < Math.PI / 2 - 0.05) offset.copy(tilted);
  camera.position.copy(controls.target).add(offset);
  controls.update();
  stale = true;
}

function zoom(controls, by) {
  camera.position.sub(controls.target).multiplyScalar(by).add(controls.target);
  controls.update();
  stale = true;
}

let themeChosen = false; // by hand: the system's is followed no more
function toggleTheme() {
  themeChosen = true;
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  paint();
  changed();
}

function buildKeys(controls, resetView, touched) {
  const card = document.getElementById("keys");
  const table = $("table", {}, ...KEYS.map(([what, does]) => $("tr", {},
    $("td", {}, ...(Array.isArray(what) ? what.flatMap((key) => [$("kbd", { textContent: key }), " "]) : [what])), $("td", { textContent: does }))));
  const close = $("button", { textContent: "Close" });
  close.addEventListener("click", () => card.close());
  card.append($("h3", { textContent: "Hands and keys" }), table, close);
  card.addEventListener("click", (event) => event.target === card && card.close());
  const help = () => (card.open ? card.close() : card.showModal());
  document.getElementById("help").addEventListener("click", help);
  document.getElementById("frame").addEventListener("click", resetView);
  document.getElementById("theme").addEventListener("click", toggleTheme);
  const actions = {
    ArrowLeft: () => orbit(controls, -0.12, 0),
    ArrowRight: () => orbit(controls, 0.12, 0),
    ArrowUp: () => orbit(controls, 0, -0.1),
    ArrowDown: () => orbit(controls, 0, 0.1),
    "+": () => zoom(controls, 0.88),
    "=": () => zoom(controls, 0.88),
    "-": () => zoom(controls, 1 / 0.88),
    Home: resetView,
    f: resetView,
    " ": () => document.getElementById(document.getElementById("player")?.hidden === false ? "play" : "fall")?.click(),
    r: () => document.getElementById("reset").click(),
    d: toggleTheme,
    "?": help,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    const typing = tagName === "INPUT" || tagName === "TEXTAREA" || tagName === "SELECT";
    const pressing = tagName === "BUTTON" || tagName === "SUMMARY";
    if (typing && (type !== "range" || event.key.startsWith("Arrow") || event.key === "Home")) return;
    if (pressing && event.key === " ") return;
    if (card.open && event.key !== "?") return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    if (/^(Arrow|[-+=])/.test(event.key)) touched();
    action();
  });
}
