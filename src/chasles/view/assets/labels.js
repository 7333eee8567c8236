// Names over the picture: of all links where they are shown, and of what is under the pointer.
const labels = document.getElementById("labels");
const hovered = labels.appendChild($("span", { className: "hover", hidden: true }));
let linkLabels = null;

function showHover(text, event) {
  hovered.hidden = !text;
  if (!text) return;
  hovered.textContent = text;
  const left = Math.min(event.clientX + 14, innerWidth - hovered.offsetWidth - 8);
  hovered.style.transform = `translate(${left}px, ${event.clientY + 14}px)`;
}

function placeLabels() {
  // each beside its link's origin, below those that are there already
  if (!shown.names && !linkLabels) return;
  if (!linkLabels) {
    const short = shorter(DATA.links.map((link) => link.name));
    linkLabels = DATA.links.map((link, i) => labels.appendChild($("span", { textContent: short[i], title: link.name })));
  }
  const point = new THREE.Vector3();
  const taken = [];
  linkLabels.forEach((label, i) => {
    const [x, y, depth] = onScreen(point.set(...DATA.links[i].at).applyMatrix4(links[i].matrix));
    label.hidden = !shown.names || depth > 1;
    if (label.hidden) return;
    let top = Math.round(y - 8);
    while (taken.some(([left, other]) => Math.abs(left - x) < 90 && Math.abs(other - top) < 17)) top += 17;
    taken.push([x, top]);
    label.style.transform = `translate(${Math.round(x + 10)}px, ${top}px)`;
  });
}
