// The panel: joints as sliders with the forces on them, what is shown, energies, doubts.
const rows = []; // of each joint: its slider, its number, its force
const angles = { degrees: false };
const RARELY = 66; // ms between numbers while the robot moves by itself
let numbersStale = true;
let numbersAt = 0;

function shorter(names) {
  // names without what they all begin with, up to a separator
  const first = names[0] ?? "";
  let cut = 0;
  for (let k = 1; k < first.length; k++) if (/[_\-/. ]/.test(first[k - 1]) && names.every((x) => x.startsWith(first.slice(0, k)) && x.length > k)) cut = k;
  return names.length > 1 ? names.map((x) => x.slice(cut)) : names;
}

// Where a joint turns without limits its slider shows one turn of it: what has to be added to that.
const endless = (joint) => !joint.limited.some(Boolean);
const wholeTurns = (joint, x) => (endless(joint) && joint.unit === "rad" ? 2 * Math.PI * Math.round(x / (2 * Math.PI)) : 0);

const inDegrees = (joint) => angles.degrees && joint.unit === "rad";
function positionText(x, joint) {
  if (!inDegrees(joint)) return digits(joint.unit === "rad" && Math.abs(x) < 1e-6 ? 0 : x, joint.unit);
  return `${((x * 180) / Math.PI).toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "\u2212")}\u00b0`;
}

function typed(text, joint) {
  // the number that a text means, in rad or m; NaN if it means none
  const clean = text.trim().toLowerCase().replaceAll("\u2212", "-").replaceAll("\u03c0", "pi").replace(",", ".");
  const match = /^([-+]?)(\d*\.?\d*(?:e[-+]?\d+)?)\s*\*?\s*(pi)?\s*(?:\/\s*(\d+\.?\d*))?\s*(\u00b0|deg|degrees|rad|mm|cm|m)?$/.exec(clean);
  if (!match || (!match[2] && !match[3])) return NaN;
  const [, sign, number, pi, divisor, given] = match;
  const unit = given ?? (pi ? "rad" : inDegrees(joint) ? "deg" : joint.unit);
  const per = { "\u00b0": Math.PI / 180, deg: Math.PI / 180, degrees: Math.PI / 180, rad: 1, mm: 1e-3, cm: 1e-2, m: 1 }[unit];
  if ((joint.unit === "m") !== unit.endsWith("m")) return NaN;
  const value = (number ? Number(number) : 1) * (pi ? Math.PI : 1) / (divisor ? Number(divisor) : 1);
  return (sign === "-" ? -1 : 1) * value * per;
}

function isOutside({ limited, lower, upper }, x) {
  const slack = 1e-9 * Math.max(1, Math.abs(x));
  return (limited[0] && x < lower - slack) || (limited[1] && x > upper + slack);
}

function moveJoint(k, x) {
  setMode("still");
  setState(closed(withCoordinate(state.q, k, x), k));
}

function rangeText(joint) {
  const [low, high] = joint.limited.map((x, k) => (x ? positionText(k ? joint.upper : joint.lower, joint) : null));
  if (low && high) return `from ${low} to ${high}`;
  return low ? `no less than ${low}` : high ? `no more than ${high}` : "no limits";
}

function jointTitle(joint, k) {
  const effort = DATA.effort[k] === null ? "" : `, at most ${digits(DATA.effort[k], forceUnit(joint))}`;
  const led = joint.mimics.length ? `; ${joint.mimics.join(", ")} follow${joint.mimics.length > 1 ? "" : "s"}` : "";
  return `${joint.name}: ${rangeText(joint)}${effort}${led}`;
}
const forceUnit = (joint) => (joint.unit === "m" ? "N" : "N m");

function jointRow(joint, k) {
  const id = `joint${k}`;
  const slider = $("input", { type: "range", id, min: joint.lower, max: joint.upper, step: "any", disabled: joint.lower === joint.upper });
  const value = $("input", { className: "value", type: "text", inputMode: "text", autocomplete: "off", spellcheck: false, ariaLabel: `${joint.name}: its position as a number` });
  const answer = $("div", { className: "answer", role: "alert", hidden: true });
  const fill = $("i");
  const number = $("span");
  const force = $("div", { className: "force" }, number, $("b", {}, fill));
  const name = $("label", { htmlFor: id, textContent: joint.short });
  name.title = slider.title = jointTitle(joint, k);
  if (!joint.limited.some(Boolean)) name.append($("small", { className: "note", textContent: "  no limits" }));
  if (joint.mimics.length) name.append($("small", { className: "note", textContent: `  +${joint.mimics.length} that follow${joint.mimics.length > 1 ? "" : "s"}` }));
  const outside = $("small", { className: "outside", textContent: "  outside its limits", hidden: true });
  if (!endless(joint)) name.append(outside);
  slider.addEventListener("input", () => moveJoint(k, Number(slider.value) + wholeTurns(joint, coordinate(state.q, k))));
  const refuse = (text) => {
    answer.hidden = !text;
    answer.textContent = text;
    value.ariaInvalid = String(Boolean(text));
  };
  const take = () => {
    const x = typed(value.value, joint);
    if (Number.isNaN(x)) return refuse(`a number, such as ${joint.unit === "m" ? "0.2 or 200 mm" : "0.5, pi/2 or 30\u00b0"}`);
    if (isOutside(joint, x)) return refuse(rangeText(joint));
    refuse("");
    moveJoint(k, x);
  };
  value.addEventListener("focus", () => value.select());
  value.addEventListener("change", take);
  value.addEventListener("keydown", (event) => {
    if (event.key === "Enter") take();
    if (event.key === "Escape") {
      refuse("");
      value.value = positionText(coordinate(state.q, k), joint);
      value.blur();
    }
  });
  value.addEventListener("blur", () => {
    refuse("");
    showNumbers();
  });
  rows.push({ joint, slider, value, fill, number, force, outside });
  return $("div", { className: "row" }, name, value, $("div", { className: "range" }, slider), force, answer);
}

function buildJoints() {
  const short = shorter(DATA.joints.map((joint) => joint.name));
  DATA.joints.forEach((joint, k) => (joint.short = short[k]));
  const box = document.getElementById("joints");
  if (!n) {
    box.append($("p", { className: "note", textContent: "This robot has no joints that move." }));
    return;
  }
  const turn = $("button", { className: "small", textContent: "rad", title: "Radians or degrees", ariaLabel: "Angles in radians: change to degrees" });
  turn.addEventListener("click", () => {
    angles.degrees = !angles.degrees;
    turn.textContent = angles.degrees ? "deg" : "rad";
    turn.ariaLabel = `Angles in ${angles.degrees ? "degrees: change to radians" : "radians: change to degrees"}`;
    rows.forEach(({ joint, slider }, k) => (slider.title = jointTitle(joint, k)));
    showNumbers();
  });
  box.append($("h2", {}, "Joints", turn, $("span", { id: "force-title" })));
  const made = DATA.joints.map(jointRow);
  if (!DATA.groups) return void box.append(...made);
  DATA.groups.forEach((group, at) => {
    const inside = group.joints.map((k) => DATA.joints[k].name);
    const cut = shorter(inside);
    group.joints.forEach((k, j) => (made[k].querySelector("label").firstChild.textContent = cut[j]));
    box.append($("details", { open: at === 0 }, $("summary", {}, `${group.name} `, $("small", { textContent: group.joints.length })), ...group.joints.map((k) => made[k])));
  });
}

const NO_TOOL = "Manipulability and forces are those of a tool, and this robot has none: robot.with_tool(np.eye(4), link) gives it one.";
function buildShown() {
  const notes = $("div");
  const buttons = $("div", { className: "buttons" });
  for (const [key, { text, note, needs }] of Object.entries(OVERLAYS)) {
    const missing = { tool: !DATA.has_tool, tips: !DATA.tips.length, mass: !DATA.has_mass };
    if (missing[needs] && needs === "tool") {
      buttons.append($("button", { textContent: text, id: `show-${key}`, disabled: true, title: NO_TOOL }));
      continue;
    }
    if (missing[needs]) continue;
    const button = $("button", { textContent: text, ariaPressed: String(shown[key]), id: `show-${key}` });
    const line = $("p", { className: "note", textContent: note, hidden: !shown[key] || !note });
    button.addEventListener("click", () => {
      showOverlay(key, !shown[key]);
      button.ariaPressed = String(shown[key]);
      line.hidden = !shown[key] || !note;
    });
    buttons.append(button);
    if (key === "handles" && DATA.tips.length) buttons.append(turnButton());
    notes.append(line);
  }
  if (!DATA.has_tool && n) notes.append($("p", { className: "note", id: "no-tool", textContent: NO_TOOL }));
  document.getElementById("shown").append($("h2", { textContent: "Show" }), buttons, notes);
}

function turnButton() {
  const button = $("button", { textContent: "Drag to turn", id: "turning", ariaPressed: "false", title: "A ring that is dragged turns what it is on, as with Shift, instead of moving it" });
  button.addEventListener("click", () => {
    turning.on = !turning.on;
    button.ariaPressed = String(turning.on);
  });
  return button;
}

const facts = {};
function fact(list, name, title = "") {
  facts[name] = $("dd");
  list.append($("dt", { textContent: name, title }), facts[name]);
}

function buildNumbers() {
  const list = $("dl", { className: "facts" });
  fact(list, "Kinetic energy");
  fact(list, "Potential energy");
  if (DATA.has_mass) fact(list, "Centre of mass");
  if (DATA.has_tool) fact(list, "Tool");
  const copy = $("button", { className: "small", textContent: "Copy q", id: "copy", title: "q as Python, for the clipboard" });
  copy.addEventListener("click", async () => {
    const text = `np.array([${Array.from(state.q).join(", ")}])`;
    const done = await toClipboard(text);
    copy.textContent = done ? "Copied" : "Copy q";
    if (!done) window.prompt("q, to copy:", text);
    setTimeout(() => (copy.textContent = "Copy q"), 1500);
  });
  document.getElementById("numbers").append($("h2", {}, "Numbers", $("span"), copy), list);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = $("textarea", { value: text, style: "position:fixed;opacity:0" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function buildPanel() {
  const back = $("button", { textContent: "Reset", id: "reset", title: "Back to the first pose" });
  back.addEventListener("click", () => {
    setMode("still");
    setState(DATA.q);
  });
  const motion = document.getElementById("motion");
  if (DATA.description) motion.append($("p", { className: "note", id: "about", textContent: DATA.description }));
  motion.append($("div", { className: "buttons", id: "actions" }, back));
  buildJoints();
  buildShown();
  buildNumbers();
  if (DATA.doubts.length) {
    const list = $("ul", {}, ...DATA.doubts.map((text) => $("li", { textContent: text })));
    const count = `${DATA.doubts.length} doubt${DATA.doubts.length > 1 ? "s" : ""} about this robot`;
    document.getElementById("doubts").append($("details", {}, $("summary", { textContent: count }), list));
  }
  for (const text of DATA.notes ?? []) document.getElementById("doubts").append($("p", { className: "note", textContent: `${text[0].toUpperCase()}${text.slice(1)}.` }));
  const fold = document.getElementById("fold");
  const setFolded = (folded) => {
    panel.classList.toggle("folded", folded);
    fold.ariaExpanded = String(!folded);
  };
  if (innerWidth <= 720 && innerHeight <= 520) setFolded(true);
  fold.addEventListener("click", () => {
    setFolded(!panel.classList.contains("folded"));
    aimCamera();
  });
}

const FORCES = { still: "forces that hold it", falling: "forces that act", playing: "forces recorded" };
function showNumbers() {
  numbersStale = false;
  const { tau } = state;
  let largest = 1e-9;
  for (const x of tau) largest = Math.max(largest, Math.abs(x));
  rows.forEach((row, k) => {
    const x = coordinate(state.q, k);
    if (endless(row.joint) && row.joint.unit === "m") {
      const span = row.joint.upper * Math.max(1, Math.ceil(Math.abs(x) / row.joint.upper - 1e-9));
      if (Number(row.slider.max) !== span) Object.assign(row.slider, { min: -span, max: span });
    }
    if (document.activeElement !== row.slider || state.mode !== "still") row.slider.value = x - wholeTurns(row.joint, x);
    const outside = isOutside(row.joint, x);
    if (row.outside.hidden === outside) {
      row.outside.hidden = !outside;
      row.value.classList.toggle("outside", outside);
    }
    const text = positionText(x, row.joint);
    row.slider.ariaValueText = text;
    if (document.activeElement !== row.value) row.value.value = text;
    const most = DATA.effort[k] ?? largest;
    const share = Math.min(1, Math.abs(tau[k]) / (most || largest));
    const over = DATA.effort[k] !== null && Math.abs(tau[k]) > DATA.effort[k] + 1e-6 * largest;
    row.fill.style.inset = tau[k] < 0 ? `0 50% 0 ${50 - 50 * share}%` : `0 ${50 - 50 * share}% 0 50%`;
    row.force.className = over ? "force over" : "force";
    row.number.textContent = digits(tau[k], forceUnit(row.joint));
  });
  const title = document.getElementById("force-title");
  if (title) title.textContent = FORCES[state.mode];
  const { kinetic, potential } = energies(state.q, state.v);
  const place = (p) => Array.from(p, (x) => digits(x, "").trim()).join(", ") + " m";
  facts["Kinetic energy"].textContent = digits(kinetic[0], "J");
  facts["Potential energy"].textContent = digits(potential[0], "J");
  if (DATA.has_mass) facts["Centre of mass"].textContent = place(found.com);
  if (DATA.has_tool) facts.Tool.textContent = place([found.tool[3], found.tool[7], found.tool[11]]);
}
whenChanged.push(() => (numbersStale = true));
whenFrame.push((now) => {
  if (!numbersStale || (state.mode !== "still" && now - numbersAt < RARELY)) return;
  numbersAt = now;
  showNumbers();
});
