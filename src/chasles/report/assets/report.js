"use strict";
// The value of a map under the pointer, the section that is read, and contents that are closed on small screens.
for (const map of document.querySelectorAll("svg.map")) {
  const {values, x, y, unit} = JSON.parse(map.dataset.map);
  const image = map.querySelector("image");
  const reading = document.createElement("div");
  const hint = `${matchMedia("(hover: none)").matches ? "Touch" : "Point at"} the map to read its values.`;
  reading.className = "reading";
  reading.textContent = hint;
  map.closest("figure").querySelector("figcaption").append(reading);
  const show = (event) => {
    const place = image.getBoundingClientRect();
    const a = (event.clientX - place.left) / place.width, b = (place.bottom - event.clientY) / place.height;
    if (a < 0 || a >= 1 || b < 0 || b >= 1) { reading.textContent = hint; return; }
    const row = values[Math.floor(b * values.length)], value = row[Math.floor(a * row.length)];
    const typeset = (number) => String(number).replaceAll("-", "\u2212");
    const at = ([label, lower, upper], s) => `${label}: ${typeset((lower + s * (upper - lower)).toPrecision(3))}`;
    reading.textContent = `${at(x, a)}, ${at(y, b)} \u2192 ${value === null ? "not known" : `${typeset(value)} ${unit}`}`;
  };
  map.addEventListener("pointermove", show);
  map.addEventListener("pointerdown", show);
  map.addEventListener("pointerleave", () => { reading.textContent = hint; });
}
for (const box of document.querySelectorAll(".wide")) {
  const show = () => {
    const rest = box.scrollWidth - box.clientWidth;
    box.classList.toggle("more", box.scrollLeft < rest - 2);
    rest > 2 ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
  };
  box.addEventListener("scroll", show, {passive: true});
  addEventListener("resize", show);
  box.closest("details")?.addEventListener("toggle", show);
  show();
}
const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
if ("IntersectionObserver" in window) {
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
    const first = [...links.keys()].find((id) => seen.has(id));
    for (const [id, a] of links) a.classList.toggle("here", id === first);
  }, {rootMargin: "-10% 0px -60% 0px"});
  for (const section of document.querySelectorAll("section")) observer.observe(section);
}
if (window.matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
