// The player: a motion that was recorded, or the fall, shown at any time of it, with its plots in step.
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const REDRAWN = 60; // ms between two drawings of plots that grow, one after the other
const [LOW, LOWEST] = [720, 560]; // px of a window's height: below, one plot is open at first; none
const recordings = (DATA.motion?.rows ?? []).map((row) => {
  const made = { ...row, t: decoded(row.t), q: decoded(row.q), qd: decoded(row.qd), tau: row.tau && decoded(row.tau), panels: {} };
  for (const [key, panel] of Object.entries(row.panels)) {
    made.panels[key] = { ...panel, t: decoded(panel.t), values: decoded(panel.values), stride: panel.count };
  }
  return made;
});
const player = { source: recordings[0] ?? null, time: recordings[0]?.t[0] ?? 0, running: false, speed: 1, loop: true, ghosts: recordings.length > 1 };
const plots = {};
const dock = { drawn: 0 }; // elements, and which plot is drawn next
const narrow = matchMedia("(max-width: 720px)");
let lastFrame = 0;
let motionStale = false;
let lastDrawn = 0;
const hOf = new Float64Array(1);
const sOf = new Float64Array(1);

const beginning = () => player.source.t[0];
const ending = () => player.source.t[player.source.count - 1];

// q and v of a record at a time, by cubic Hermite interpolation on the joints' groups; tau along the line.
function stateAt(record, time, tau = null) {
  const { t, q, qd, count } = record;
  const k = count > 1 ? placeOf(t, count, time) : 0;
  const [a, b] = [k, Math.min(k + 1, count - 1)];
  if (a === b) {
    if (tau) record.tau ? tau.set(record.tau.subarray(0, n)) : tau.fill(0);
    return { q: q.subarray(0, nq), v: qd.subarray(0, n) };
  }
  hOf[0] = t[b] - t[a];
  sOf[0] = Math.min(1, Math.max(0, (time - t[a]) / hOf[0]));
  if (tau) {
    if (!record.tau) tau.fill(0);
    else for (let i = 0; i < n; i++) tau[i] = (1 - sOf[0]) * record.tau[a * n + i] + sOf[0] * record.tau[b * n + i];
  }
  return between(q.subarray(a * nq, b * nq), qd.subarray(a * n, b * n), q.subarray(b * nq, (b + 1) * nq), qd.subarray(b * n, (b + 1) * n), hOf, sOf);
}

function seek(time) {
  if (!player.source) return;
  player.time = Math.min(ending(), Math.max(beginning(), time));
  setMode("playing");
  const { q, v } = stateAt(player.source, player.time, state.tau);
  setState(q, v);
}

function scrub(time) {
  if (state.mode === "falling") pauseFall();
  pause();
  seek(time);
}

function play() {
  if (!player.source) return;
  if (player.time >= ending() - 1e-12) player.time = beginning();
  player.running = true;
  lastFrame = performance.now();
  seek(player.time);
  showTransport();
}

function pause() {
  player.running = false;
  motionStale = true;
  showTransport();
}

// The sample before or after.
function stepSample(by) {
  if (!player.source) return;
  pause();
  const { t, count } = player.source;
  const near = 1e-9 * Math.max(1, Math.abs(ending()));
  let k = placeOf(t, count, player.time + near);
  if (k === count - 2 && player.time >= t[count - 1] - near) k = count - 1;
  const behind = player.time > t[k] + near;
  seek(t[Math.min(count - 1, Math.max(0, by > 0 ? k + 1 : behind ? k : k - 1))]);
}

function playOn(now) {
  if (state.mode === "playing" && player.running) {
    let time = player.time + (player.speed * Math.min(100, now - lastFrame)) / 1000;
    if (time > ending()) {
      if (player.loop && ending() > beginning()) time = beginning() + ((time - beginning()) % (ending() - beginning()));
      else pause();
    }
    seek(time);
  }
  lastFrame = now;
  if (state.mode === "falling" && fall) {
    if (player.source !== fall) choose(fall);
    player.time = fall.time;
    if (now - lastDrawn > REDRAWN) drawNext(now);
  }
}
whenFrame.push(playOn);

whenMode.push((mode) => {
  if (mode !== "playing") player.running = false;
  motionStale = true;
  if (mode === "playing" && fall && player.source === fall) drawPlots();
  showTransport();
});

// The record that is played and plotted.
function choose(record) {
  player.source = record;
  buildChoices();
  buildPlots();
  player.time = record.live ? record.time : Math.min(ending(), Math.max(beginning(), player.time));
  showTransport();
}

const ICONS = { play: "M7 4l14 8-14 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", back: "M6 5h3v14H6zM20 5L10 12l10 7z", next: "M15 5h3v14h-3zM4 5l10 7-10 7z", loop: "M17 2l4 4-4 4V7H7v4H5V5h12zM7 22l-4-4 4-4v3h10v-4h2v6H7z", fold: "M6 9l6 6 6-6-1.5-1.5L12 12 7.500 7.500z" };
function icon(name) {
  const holder = $("span", { innerHTML: `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"></path></svg>` });
  return holder.firstChild;
}

function iconButton(id, name, label, press) {
  const button = $("button", { id, title: label, ariaLabel: label, className: "icon" }, icon(name));
  button.addEventListener("click", press);
  return button;
}

function buildPlayer() {
  dock.play = iconButton("play", "play", "Play", () => {
    if (!player.source) letFall();
    else if (player.running) pause();
    else if (state.mode === "falling") pauseFall();
    else play();
  });
  dock.slider = $("input", { type: "range", id: "time", step: "any", ariaLabel: "Time" });
  dock.slider.addEventListener("input", () => scrub(Number(dock.slider.value)));
  dock.clock = $("output", { id: "clock" });
  dock.speed = $("select", { id: "speed", title: "Speed", ariaLabel: "Speed" }, ...SPEEDS.map((x) => $("option", { value: x, textContent: `${x}\u00d7`, selected: x === 1 })));
  dock.speed.addEventListener("change", () => (player.speed = Number(dock.speed.value)));
  dock.loop = iconButton("loop", "loop", "Repeat", () => {
    player.loop = !player.loop;
    showTransport();
  });
  dock.fold = iconButton("foldPlots", "fold", "Show or hide the plots", () => {
    dock.element.classList.toggle("bare");
    aimCamera();
    drawPlots();
  });
  dock.choices = $("select", { id: "record", title: "Motion", ariaLabel: "Motion" });
  dock.choices.addEventListener("change", () => {
    pause();
    choose(records()[dock.choices.selectedIndex]);
    seek(player.time);
  });
  dock.panels = $("div", { className: "panels", role: "group", ariaLabel: "Plots" });
  dock.plots = $("div", { className: "plots" });
  dock.notes = $("p", { className: "note", id: "notes", textContent: (DATA.motion?.notes ?? []).join(" ") });
  dock.transport = $("div", { className: "transport" },
    iconButton("back", "back", "The sample before", () => stepSample(-1)), dock.play, iconButton("next", "next", "The sample after", () => stepSample(1)),
    dock.slider, dock.clock, dock.speed, dock.loop, dock.choices, dock.fold);
  dock.element = $("section", { id: "player", ariaLabel: "Player" }, dock.transport, dock.panels, dock.plots, dock.notes);
  if (innerHeight < LOWEST) dock.element.classList.add("bare");
  const place = () => {
    if (narrow.matches) {
      document.getElementById("motion").append(dock.element);
      document.querySelector("#panel header").after(dock.transport); // seen where the panel is folded, too
    } else {
      document.body.append(dock.element);
      dock.element.prepend(dock.transport);
    }
    drawPlots();
  };
  narrow.addEventListener("change", place);
  prefersDark.addEventListener("change", () => drawPlots());
  new MutationObserver(() => drawPlots()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  new ResizeObserver(() => drawPlots()).observe(dock.plots);
  place();
  if (player.source) {
    choose(player.source);
    const { q, v } = stateAt(player.source, player.time, state.tau);
    state.q.set(q);
    state.v.set(v);
    setMode("playing");
  } else showTransport();
}

const records = () => [...recordings, ...(fall ? [fall] : [])];

function buildChoices() {
  const all = records();
  dock.choices.replaceChildren(...all.map((one) => $("option", { textContent: one.name || "recorded", selected: one === player.source })));
  dock.choices.hidden = all.length < 2;
}

// The plots of the record: those chosen, by default a few.
function buildPlots() {
  const { panels } = player.source;
  const keys = Object.keys(panels);
  dock.open ??= new Set((narrow.matches || innerHeight < LOW ? ["q"] : ["q", panels.tau && !player.source.live ? "tau" : "qd", "energy"]).filter((key) => key in panels));
  dock.panels.replaceChildren();
  for (const key of keys) {
    const button = $("button", { textContent: panels[key].title, ariaPressed: String(dock.open.has(key)) });
    button.dataset.key = key;
    button.addEventListener("click", () => {
      if (narrow.matches) dock.open = new Set([key]);
      else if (dock.open.has(key)) dock.open.delete(key);
      else dock.open.add(key);
      buildPlots();
    });
    dock.panels.append(button);
  }
  const open = keys.filter((key) => dock.open.has(key));
  for (const key of open) plots[key] ??= new Plot(key, scrub);
  dock.plots.replaceChildren(...open.map((key) => plots[key].element));
  drawPlots();
}

const openPlots = () => (player.source ? Object.keys(player.source.panels).filter((key) => dock.open?.has(key)).map((key) => plots[key]) : []);

function drawPlots() {
  for (const plot of openPlots()) drawPlot(plot);
}

// One of the plots that grow, so that no frame has to draw them all.
function drawNext(now) {
  lastDrawn = now;
  const open = openPlots();
  dock.drawn = (dock.drawn + 1) % Math.max(1, open.length);
  if (open.length) drawPlot(open[dock.drawn], Boolean(open[dock.drawn].room));
}

function drawPlot(plot, again = false) {
  if (!player.source.count || dock.element.classList.contains("bare")) return;
  const end = ending();
  const from = player.source.live ? Math.max(beginning(), end - KEPT) : beginning();
  plot.show(player.source.panels[plot.key]);
  motionStale = true; // its legend is told
  plot.at = state.mode === "still" ? undefined : player.time;
  plot.draw([from, Math.max(end, player.source.live ? from + 2 : end)], player.source.events, again);
}

function showTransport() {
  if (!dock.element) return;
  const { source } = player;
  const appears = dock.element.hidden && source;
  dock.element.hidden = dock.transport.hidden = !source;
  if (!source) return;
  if (appears) {
    camera.zoom = Math.max(0.6, 1 - (narrow.matches ? 0 : playerHeight()) / innerHeight); // all of what was seen
    aimCamera();
  }
  const moving = player.running || state.mode === "falling";
  if (dock.moving !== moving) {
    dock.moving = moving;
    dock.play.replaceChildren(icon(moving ? "pause" : "play"));
    dock.play.title = dock.play.ariaLabel = moving ? "Pause" : "Play";
  }
  dock.loop.ariaPressed = String(player.loop);
  showTime();
}

function showTime() {
  if (!player.source?.count) return;
  const low = player.source.live ? Math.max(beginning(), ending() - KEPT) : beginning();
  if (dock.low !== low) dock.slider.min = dock.low = low;
  if (dock.high !== ending()) dock.slider.max = dock.high = ending();
  dock.slider.value = player.time;
  const places = ending() - beginning() < 1 && !player.source.live ? 4 : 2;
  dock.clock.textContent = state.mode === "falling" ? `${player.time.toFixed(2)} s` : `${player.time.toFixed(places)} / ${ending().toFixed(places)} s`;
}

// Where a recorded motion takes the robot, for the camera: origins of links, now and then. What floats goes too far.
function motionPoints() {
  const points = [];
  if (DATA.links.some((link) => link.kind === "free")) return points;
  for (const record of recordings) {
    for (let k = 0; k <= 24; k++) {
      const at = Math.round((k * (record.count - 1)) / 24);
      const { links: poses, tool: hand } = look(record.q.subarray(at * nq, (at + 1) * nq));
      for (let i = 0; i < links.length; i++) points.push(new THREE.Vector3(poses[16 * i + 3], poses[16 * i + 7], poses[16 * i + 11]));
      if (hand) points.push(new THREE.Vector3(hand[3], hand[7], hand[11]));
    }
  }
  return points;
}

// What the player covers of the window, from below.
function playerHeight() {
  const { height } = dock.element?.getBoundingClientRect() ?? { height: 0 };
  return height ? height + 12 : 0;
}

// Other motions of a batch, at the same time.
const ghosts = [];
function showGhosts() {
  const others = player.ghosts && state.mode === "playing" && !player.source?.live ? recordings.filter((one) => one !== player.source) : [];
  while (ghosts.length < others.length) {
    const paint = new THREE.MeshStandardMaterial({ color: curveColour(ghosts.length + 1), transparent: true, opacity: 0.22, depthWrite: false });
    ghosts.push(links.map((group) => {
      const copy = new THREE.Group();
      copy.matrixAutoUpdate = false;
      group.children[0].children.filter((one) => one.isMesh).forEach((one) => {
        const twin = new THREE.Mesh(one.geometry, paint);
        twin.applyMatrix4(one.matrix);
        copy.add(twin);
      });
      scene.add(copy);
      return copy;
    }));
  }
  ghosts.forEach((groups, g) => {
    const poses = g < others.length ? look(stateAt(others[g], Math.min(player.time, others[g].t[others[g].count - 1])).q).links : null;
    groups.forEach((group, i) => {
      group.visible = Boolean(poses);
      if (poses) group.matrix.copy(rowMajor(poses, 16 * i)), (group.matrixWorldNeedsUpdate = true);
    });
  });
}

whenChanged.push(() => (motionStale = true));
whenFrame.push((now) => {
  if (!motionStale || !player.source || !dock.element) return;
  motionStale = false;
  showGhosts();
  const time = state.mode === "still" ? undefined : player.time;
  const moving = state.mode === "falling" || player.running;
  const told = !moving || now - numbersAt >= RARELY; // in the frame in which the panel tells its numbers
  if (told) showTime();
  if (dock.element.classList.contains("bare")) return;
  if (told && state.mode === "falling") keepSample();
  for (const plot of openPlots()) {
    if (state.mode !== "falling") plot.cursor(time); // else it is drawn with the plot
    if (told) plot.tell(time);
  }
});
