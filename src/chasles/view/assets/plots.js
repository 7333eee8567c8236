// Plots over time: curves on a canvas, round ticks, a cursor; a legend whose names hide and show their curves.
const COLOURS = Object.values(COLOUR);
const DARK = Object.values(LIGHTER);
const DASHES = [[], [6, 3], [2, 2]];
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const tones = {}; // of text and lines, read where plots are drawn anew
const MANY = 9; // curves that a legend shows without scrolling
const MARGIN = { left: 46, right: 10, top: 8, bottom: 20 };

const curveColour = (k) => (tones.dark ? DARK : COLOURS)[k % COLOURS.length];
const curveDash = (k) => DASHES[Math.floor(k / COLOURS.length) % DASHES.length];

// Round numbers (1, 2 or 5 times a power of ten) from low to high, about `most` of them.
function ticks(low, high, most) {
  const gap = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(gap));
  const step = power * [1, 2, 5, 10].find((x) => x * power >= gap * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return { step, values: found };
}

// A number with as many decimals as its step needs.
function tickText(x, step) {
  if (Math.abs(x) < step / 1e6) return "0";
  const size = Math.max(Math.abs(x), step);
  if (size >= 1e5 || step < 1e-4) return x.toExponential(Math.max(0, Math.min(3, Math.round(Math.log10(size / step))))).replace("e+", "e").replaceAll("-", "\u2212");
  return x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "\u2212");
}

// Names for a legend: as in the panel, and without a last word that says what all of them are.
function legendNames(names) {
  const short = shorter(names);
  const cut = short.map((name) => name.replace(/[_\-. ]joint$/i, ""));
  return new Set(cut).size === names.length ? cut : short;
}

// A panel: {title, unit, names, t, values (curve by curve), count, stride} -> its element, `draw` and `cursor`.
class Plot {
  constructor(key, seek) {
    this.key = key;
    this.hidden = new Set();
    this.canvas = $("canvas", { className: "curves" });
    this.over = $("canvas", { className: "cursor" });
    this.title = $("h3");
    this.legend = $("div", { className: "legend" });
    this.box = $("div", { className: "box" }, this.canvas, this.over);
    this.element = $("figure", { className: "plot" }, this.title, this.box, this.legend);
    this.element.dataset.key = key;
    this.window = [0, 1];
    const to = (event) => {
      const box = this.box.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / Math.max(1, box.width - MARGIN.left - MARGIN.right);
      seek(this.window[0] + Math.min(1, Math.max(0, share)) * (this.window[1] - this.window[0]));
    };
    this.box.addEventListener("pointerdown", (event) => {
      this.box.setPointerCapture(event.pointerId);
      this.dragging = true;
      to(event);
    });
    this.box.addEventListener("pointermove", (event) => this.dragging && to(event));
    for (const name of ["pointerup", "pointercancel"]) this.box.addEventListener(name, () => (this.dragging = false));
  }

  show(panel) {
    const names = panel.names.join("\n");
    this.panel = panel;
    if (names === this.names) return;
    this.names = names;
    this.hidden.clear();
    const count = panel.names.length > MANY ? `${panel.names.length} curves` : "";
    const told = [panel.unit, count].filter(Boolean).join(", ");
    this.title.replaceChildren(panel.title, $("span", { textContent: told && ` ${told}` }));
    this.values = [];
    this.legend.replaceChildren();
    const short = panel.names.length > 1 ? legendNames(panel.names) : [""];
    panel.names.forEach((name, k) => {
      const value = $("output");
      const key = $("i");
      const button = $("button", { title: name, ariaPressed: "true" }, key, $("span", { textContent: short[k] }), value);
      button.addEventListener("click", () => {
        if (this.hidden.has(k)) this.hidden.delete(k);
        else if (this.hidden.size < panel.names.length - 1) this.hidden.add(k);
        button.ariaPressed = String(!this.hidden.has(k));
        this.draw();
      });
      this.values.push({ value, key });
      this.legend.append(button);
    });
  }

  size() {
    const { width, height } = this.box.getBoundingClientRect();
    const ratio = Math.max(1, devicePixelRatio || 1);
    for (const canvas of [this.canvas, this.over]) {
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    }
    return { width, height, ratio };
  }

  // Least and greatest of the curves that are shown, a little wider.
  range() {
    const { values, count, stride, names } = this.panel;
    let low = Infinity, high = -Infinity;
    names.forEach((_, c) => {
      if (this.hidden.has(c)) return;
      for (let k = 0; k < count; k++) {
        const x = values[c * stride + k];
        if (!Number.isFinite(x)) continue;
        if (x < low) low = x;
        if (x > high) high = x;
      }
    });
    if (!(low <= high)) return [-1, 1];
    const least = 1e-9 * Math.max(1, Math.abs(low), Math.abs(high));
    const pad = high - low > least ? 0.06 * (high - low) : Math.max(0.5, 0.1 * Math.abs(high));
    return [low - pad, high + pad];
  }

  // again: drawn before, and neither its size nor its colours are others than then.
  draw(span = this.window, events = this.events ?? [], again = false) {
    if (!again || !this.room) {
      this.room = this.size();
      Object.assign(tones, { dark: isDark(), text: css("--text"), faint: css("--faint"), line: css("--line") });
    }
    const { width, height, ratio } = this.room;
    if (!this.panel || width < 10) return;
    [this.window, this.events] = [span, events];
    const [low, high] = (this.bounds = this.range());
    const paint = this.canvas.getContext("2d");
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    const right = width - MARGIN.right, bottom = height - MARGIN.bottom;
    this.x = (t) => MARGIN.left + ((t - span[0]) / (span[1] - span[0] || 1)) * (right - MARGIN.left);
    this.y = (v) => bottom - ((v - low) / (high - low)) * (bottom - MARGIN.top);
    paint.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
    paint.fillStyle = tones.faint;
    paint.strokeStyle = tones.line;
    paint.lineWidth = 1;
    paint.setLineDash([]);
    const up = ticks(low, high, Math.max(2, Math.floor((bottom - MARGIN.top) / 20)));
    paint.textAlign = "right";
    paint.textBaseline = "middle";
    for (const v of up.values) {
      const y = Math.round(this.y(v)) + 0.5;
      paint.beginPath();
      paint.moveTo(MARGIN.left, y);
      paint.lineTo(right, y);
      paint.stroke();
      paint.fillText(tickText(v, up.step), MARGIN.left - 6, y);
    }
    const along = ticks(span[0], span[1], Math.max(2, Math.floor((right - MARGIN.left) / 64)));
    paint.textAlign = "center";
    paint.textBaseline = "top";
    along.values.forEach((t, k) => {
      const x = Math.round(this.x(t)) + 0.5;
      paint.beginPath();
      paint.moveTo(x, bottom);
      paint.lineTo(x, bottom + 3);
      paint.stroke();
      const text = tickText(t, along.step) + (k === along.values.length - 1 ? " s" : "");
      paint.fillText(text, Math.min(x, width - paint.measureText(text).width / 2 - 1), bottom + 5);
    });
    paint.setLineDash([2, 3]);
    for (const event of events) {
      const x = Math.round(this.x(event.t)) + 0.5;
      paint.beginPath();
      paint.moveTo(x, MARGIN.top);
      paint.lineTo(x, bottom);
      paint.stroke();
    }
    paint.save();
    paint.beginPath();
    paint.rect(MARGIN.left, MARGIN.top - 2, right - MARGIN.left, bottom - MARGIN.top + 4);
    paint.clip();
    paint.lineWidth = 1.5;
    paint.lineJoin = "round";
    this.panel.names.forEach((_, c) => {
      if (!again) this.values[c].key.style.background = curveColour(c);
      if (this.hidden.has(c)) return;
      paint.strokeStyle = curveColour(c);
      paint.setLineDash(curveDash(c));
      this.curve(paint, c, ratio);
    });
    paint.restore();
    this.cursor(this.at);
  }

  // One curve; where it has many points to a pixel, the least and the greatest of each.
  curve(paint, c, ratio) {
    const { t, values, count, stride } = this.panel;
    const from = c * stride;
    paint.beginPath();
    if (count < 3 * ratio * this.canvas.width) {
      let pen = false;
      for (let k = 0; k < count; k++) {
        const v = values[from + k];
        if (!Number.isFinite(v)) pen = false;
        else if (pen) paint.lineTo(this.x(t[k]), this.y(v));
        else paint.moveTo(this.x(t[k]), this.y(v)), (pen = true);
      }
    } else {
      let column = -Infinity, low = 0, high = 0;
      for (let k = 0; k < count; k++) {
        const v = values[from + k], x = Math.floor(this.x(t[k]) * ratio);
        if (x !== column) {
          if (column > -Infinity) paint.lineTo(column / ratio, this.y(low)), paint.lineTo(column / ratio, this.y(high));
          [column, low, high] = [x, v, v];
        } else if (v < low) low = v;
        else if (v > high) high = v;
      }
    }
    paint.stroke();
  }

  // The line at time t and a dot on each curve; none without a time.
  cursor(t) {
    this.at = t;
    if (!this.panel || !this.x) return;
    const { width, height, ratio } = this.room;
    const paint = this.over.getContext("2d");
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    if (t === undefined) return;
    const x = this.x(t);
    if (x < MARGIN.left - 1 || x > width - MARGIN.right + 1) return;
    paint.strokeStyle = tones.text;
    paint.lineWidth = 1;
    paint.beginPath();
    paint.moveTo(Math.round(x) + 0.5, MARGIN.top);
    paint.lineTo(Math.round(x) + 0.5, height - MARGIN.bottom);
    paint.stroke();
    this.panel.names.forEach((_, c) => {
      const v = this.valueAt(c, t);
      if (this.hidden.has(c) || !Number.isFinite(v)) return;
      paint.fillStyle = curveColour(c);
      paint.beginPath();
      paint.arc(x, this.y(v), 2.5, 0, 7);
      paint.fill();
    });
  }

  // The values at time t in the legend; none without a time.
  tell(t) {
    this.values?.forEach(({ value }, c) => {
      const v = t === undefined ? NaN : this.valueAt(c, t);
      value.textContent = Number.isFinite(v) ? digits(v, "") : "";
    });
  }

  valueAt(c, t) {
    const { t: times, values, count, stride } = this.panel;
    const k = placeOf(times, count, t);
    const a = values[c * stride + k], b = values[c * stride + Math.min(k + 1, count - 1)];
    const h = times[Math.min(k + 1, count - 1)] - times[k];
    return h > 0 ? a + (b - a) * Math.min(1, Math.max(0, (t - times[k]) / h)) : a;
  }
}

// The last k < count - 1 with times[k] <= t.
function placeOf(times, count, t) {
  let low = 0, high = Math.max(0, count - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
