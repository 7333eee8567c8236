// The tool by hand: inverse kinematics for where the pointer is.
function reach(point) {
  const { given } = DATA.search;
  const T = Float64Array.from(found.tool);
  [T[3], T[7], T[11]] = [point.x, point.y, point.z];
  const inputs = [zeros(3), state.q, T, ...given.map((x) => Float64Array.from(x)), new Float64Array([1])];
  const answer = inverse_kinematics(...inputs);
  if (answer.q.every(Number.isFinite)) setState(closed(answer.q));
}

function startDragging(controls) {
  const ray = new THREE.Raycaster();
  const pointer = new THREE.Vector2();
  let plane = null;
  const aim = (event) => {
    const box = view.getBoundingClientRect();
    pointer.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    ray.setFromCamera(pointer, camera);
  };
  view.addEventListener("pointerdown", (event) => {
    aim(event);
    if (!DATA.search || !ray.intersectObject(handle).length) return;
    plane = { normal: camera.getWorldDirection(new THREE.Vector3()), point: handle.position.clone() };
    controls.enabled = false;
    setMode("still");
    view.setPointerCapture(event.pointerId);
  }, true);
  view.addEventListener("pointermove", (event) => {
    if (!plane) return;
    aim(event);
    const along = plane.point.clone().sub(ray.ray.origin).dot(plane.normal) / ray.ray.direction.dot(plane.normal);
    reach(ray.ray.origin.clone().addScaledVector(ray.ray.direction, along));
  });
  for (const name of ["pointerup", "pointercancel"]) {
    view.addEventListener(name, () => {
      plane = null;
      controls.enabled = true;
    });
  }
}
