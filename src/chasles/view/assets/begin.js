// Everything is there: begin.
function paint() {
  for (const one of Object.values(materials)) if (one.userData.look) one.color.set(css(`--${one.userData.look}`));
  const grid = scene.getObjectByName("grid");
  if (grid) grid.material.color.set(css("--line"));
}

function begin() {
  build();
  buildPanel();
  buildFall();
  buildConstraints();
  buildPlayer();
  if (!renderer) {
    view.append($("p", { id: "message", textContent: "This browser shows no 3D graphics (WebGL): the numbers still work." }));
    changed();
    return;
  }
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFShadowMap;
  view.append(renderer.domElement);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.target.copy(target);
  controls.enableDamping = true;
  const resize = () => {
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    const narrow = innerWidth <= 720;
    camera.setViewOffset(innerWidth, innerHeight, narrow ? 0 : 160, narrow ? innerHeight * 0.2 : 0, innerWidth, innerHeight);
    camera.updateProjectionMatrix();
  };
  addEventListener("resize", resize);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  resize();
  startDragging(controls);
  changed();
  const frame = (now) => {
    whenFrame.forEach((one) => one(now));
    controls.update();
    renderer.render(scene, camera);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
begin();
