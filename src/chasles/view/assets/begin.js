// Everything is there: begin.
function drawnBySoftware() {
  // no graphics processor: smooth edges would cost four times as much
  const context = document.createElement("canvas").getContext("webgl2");
  const about = context?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? context.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function makeRenderer() {
  const canvas = document.createElement("canvas");
  const software = drawnBySoftware();
  const options = { antialias: !software, alpha: true, preserveDrawingBuffer: true, powerPreference: "high-performance" };
  const context = canvas.getContext("webgl2", options);
  if (!context) {
    const text = "This browser shows no 3D graphics (WebGL): a plain drawing stands in. All else works.";
    document.getElementById("scale").after($("p", { id: "message", textContent: text, role: "status" }));
    return flatRenderer();
  }
  const made = new THREE.WebGLRenderer({ canvas, context, ...options });
  if (software) sun.shadow.mapSize.set(512, 512);
  made.shadowMap.enabled = true;
  made.shadowMap.type = THREE.PCFShadowMap;
  made.toneMapping = THREE.NeutralToneMapping;
  return made;
}

// Fewer pixels while it moves on machines that cannot follow, all of them again when it rests.
const SLOW = 45; // ms a frame
const QUICK = 24; // ms
const quality = { share: 1, drawn: 0, late: 0, quick: 0, patience: 60, rested: true }; // patience: quick frames before more pixels are tried
function adapt(renderer, now, drawing) {
  const full = Math.min(2, devicePixelRatio);
  if (!drawing) {
    if (quality.rested || now - quality.drawn < 250) return false;
    quality.rested = true;
    renderer.setPixelRatio(full);
    return quality.share < 1;
  }
  const took = now - quality.drawn;
  quality.drawn = now;
  if (took > 1000) return false; // the first of a motion
  if (quality.rested) renderer.setPixelRatio(full * quality.share);
  quality.rested = false;
  quality.late = took > SLOW ? quality.late + 1 : 0;
  quality.quick = took < QUICK ? quality.quick + 1 : 0;
  const [fewer, more] = [quality.late >= 4 && quality.share > 0.4, quality.quick >= quality.patience && quality.share < 1];
  if (fewer) quality.patience = Math.min(2000, 2 * quality.patience);
  if (fewer || more) {
    quality.late = quality.quick = 0;
    quality.share = fewer ? 0.7 * quality.share : Math.min(1, quality.share / 0.7);
    renderer.setPixelRatio(full * quality.share);
  }
  return false;
}

function begin() {
  build();
  buildPanel();
  buildFall();
  buildConstraints();
  buildPlayer();
  const renderer = makeRenderer();
  view.append(renderer.domElement);
  changed();
  placeGround();
  updateOverlays();
  aimCamera();
  frameRobot();
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  controls.target.copy(target);
  controls.minDistance = size / 20;
  controls.maxDistance = 40 * size;
  controls.addEventListener("change", () => (stale = true));
  if (window !== window.parent) {
    // in another page, which the wheel scrolls until this one is pressed
    controls.enableZoom = document.hasFocus();
    addEventListener("focus", () => (controls.enableZoom = true));
    addEventListener("blur", () => (controls.enableZoom = false));
  }
  let untouched = true; // the view is the one that the page chose
  controls.addEventListener("start", () => (untouched = false));
  const resetView = () => {
    untouched = true;
    frameRobot();
    controls.target.copy(target);
    controls.update();
    stale = true;
  };
  let framed = freeArea();
  const fit = () => {
    aimCamera();
    const area = freeArea();
    const same = Math.abs(area.width - framed.width) + Math.abs(area.height - framed.height) < 60;
    if (!untouched || same) return;
    framed = area;
    resetView();
  };
  const resize = () => {
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(innerWidth, innerHeight);
    fit();
  };
  const observer = new ResizeObserver(fit);
  for (const one of [panel, document.getElementById("player")]) if (one) observer.observe(one);
  const draw = () => {
    faceHandles();
    renderer.render(scene, camera);
    placeLabels();
  };
  addEventListener("resize", resize);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => themeChosen || setTheme(matches ? "dark" : "light"));
  let printedFrom = null;
  addEventListener("beforeprint", () => {
    printedFrom = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    paint();
    draw();
  });
  addEventListener("afterprint", () => {
    document.documentElement.dataset.theme = printedFrom;
    paint();
  });
  resize();
  paint();
  startDragging(controls);
  buildKeys(controls, resetView, () => (untouched = false));
  const frame = (now) => {
    whenFrame.forEach((one) => one(now));
    follow(controls.target);
    controls.update();
    const again = adapt(renderer, now, stale);
    if (stale || again) draw();
    stale = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
begin();
