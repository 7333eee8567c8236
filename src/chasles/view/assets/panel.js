// The panel: joints as sliders, what is shown, forces and energies.
const sliders = [];
const home = Float64Array.from(DATA.neutral);
function shorter(names) {
  // names without what they all begin with, up to a separator
  const first = names[0] ?? "";
  let cut = 0;
  for (let k = 1; k < first.length; k++) if (/[_\-/. ]/.test(first[k - 1]) && names.every((x) => x.startsWith(first.slice(0, k)) && x.length > k)) cut = k;
  return names.length > 1 ? names.map((x) => x.slice(cut)) : names;
}

function buildPanel() {
  const short = shorter(DATA.joints.map((joint) => joint.name));
  DATA.joints.forEach((joint, k) => (joint.short = short[k]));
  const joints = document.getElementById("joints");
  joints.append($("h2", { textContent: "Joints" }));
  DATA.joints.forEach((joint, k) => {
    const id = `joint${k}`;
    const slider = $("input", { type: "range", id, min: joint.lower, max: joint.upper, step: "any" });
    const value = $("output");
    slider.addEventListener("input", () => {
      const away = difference(home, state.q);
      away[k] = Number(slider.value);
      setMode("still");
      setState(closed(integrate(home, away), k));
    });
    sliders.push({ slider, value });
    joints.append($("div", { className: "row" }, $("label", { htmlFor: id, textContent: joint.short, title: joint.name }), slider, value));
  });
  const motion = document.getElementById("motion");
  const back = $("button", { textContent: "Home" });
  back.addEventListener("click", () => {
    setMode("still");
    setState(DATA.q);
  });
  motion.append($("div", { className: "buttons", id: "actions" }, back));
  const names = { frames: "Frames", axes: "Axes", inertias: "Inertias", mass: "Centre of mass", manipulability: "Manipulability" };
  const buttons = $("div", { className: "buttons" });
  for (const [key, text] of Object.entries(names)) {
    if ((key === "manipulability" && !DATA.has_tool) || (key === "mass" && !DATA.has_mass)) continue;
    const button = $("button", { textContent: text, ariaPressed: String(shown[key]) });
    button.addEventListener("click", () => {
      shown[key] = !shown[key];
      button.ariaPressed = String(shown[key]);
      changed();
    });
    buttons.append(button);
  }
  document.getElementById("shown").append($("h2", { textContent: "Show" }), buttons);
  const bars = $("div", { className: "bars", id: "torques" });
  DATA.joints.forEach((joint) => {
    const fill = $("i");
    const value = $("span", { className: "value" });
    bars.append($("span", { textContent: joint.short, title: joint.name }), $("div", { className: "bar" }, fill), value);
    joint.show = { fill, value };
  });
  document.getElementById("numbers").append(
    $("h2", { textContent: "Forces that hold it" }), bars, $("p", { className: "note", id: "energy" }),
  );
  document.getElementById("fold").addEventListener("click", () => document.getElementById("panel").classList.toggle("folded"));
}

function showNumbers() {
  const away = difference(home, state.q);
  sliders.forEach(({ slider, value }, k) => {
    if (document.activeElement !== slider || state.mode !== "still") slider.value = away[k];
    value.textContent = digits(away[k], DATA.joints[k].unit);
  });
  const { tau } = state;
  const largest = Math.max(1e-9, ...tau.map(Math.abs));
  DATA.joints.forEach((joint, k) => {
    const most = DATA.effort[k] ?? largest;
    const share = Math.min(1, Math.abs(tau[k]) / most);
    joint.show.fill.style.cssText = tau[k] < 0 ? `right:50%;width:${50 * share}%` : `left:50%;width:${50 * share}%`;
    joint.show.fill.className = DATA.effort[k] !== null && Math.abs(tau[k]) > DATA.effort[k] ? "over" : "";
    joint.show.value.textContent = digits(tau[k], joint.unit === "m" ? "N" : "N m");
  });
  const { kinetic, potential } = energies(state.q, state.v);
  document.getElementById("energy").textContent =
    `kinetic ${digits(kinetic[0], "J")}, potential ${digits(potential[0], "J")}`;
}
whenChanged.push(showNumbers);
