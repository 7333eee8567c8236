// Without WebGL: the scene drawn on a plain canvas, each shape as the outline of its corners, the far ones first.
const CORNERS = 240; // of a shape, at most

function convexOutline(points) {
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (ordered) => {
    const out = [];
    for (const point of ordered) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], point) <= 0) out.pop();
      out.push(point);
    }
    return out.slice(0, -1);
  };
  return [...half(points), ...half(points.slice().reverse())];
}

function flatRenderer() {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  let [width, height, ratio] = [1, 1, 1];
  const point = new THREE.Vector3();
  const project = (x, y, z, matrix) => {
    point.set(x, y, z).applyMatrix4(matrix);
    const depth = point.distanceTo(camera.position);
    const ahead = point.clone().applyMatrix4(camera.matrixWorldInverse).z < -camera.near;
    point.project(camera);
    return ahead ? [((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height, depth] : null;
  };
  const projected = (object) => {
    const { position } = object.geometry.attributes;
    const each = Math.max(1, Math.ceil(position.count / CORNERS));
    const out = [];
    for (let i = 0; i < position.count; i += each) {
      const at = project(position.getX(i), position.getY(i), position.getZ(i), object.matrixWorld);
      if (!at) return null;
      out.push(at);
    }
    return out;
  };
  const lines = (object) => {
    const { position } = object.geometry.attributes;
    const count = Math.min(position.count, object.geometry.drawRange.count);
    const by = object.isLineSegments ? 2 : 1;
    pen.strokeStyle = object.material.color.getStyle();
    pen.lineWidth = object.isLineSegments ? 1 : 2;
    pen.beginPath();
    for (let i = 0; i + 1 < count; i += by) {
      const [a, b] = [i, i + 1].map((k) => project(position.getX(k), position.getY(k), position.getZ(k), object.matrixWorld));
      if (!a || !b) continue;
      pen.moveTo(a[0], a[1]);
      pen.lineTo(b[0], b[1]);
    }
    pen.stroke();
  };
  const solids = (objects) => {
    const drawn = [];
    for (const object of objects) {
      const points = projected(object);
      if (points?.length) drawn.push({ object, points, depth: points.reduce((sum, x) => sum + x[2], 0) / points.length });
    }
    drawn.sort((a, b) => a.object.renderOrder - b.object.renderOrder || b.depth - a.depth);
    for (const { object, points } of drawn) {
      const { color, opacity, type } = object.material;
      pen.globalAlpha = opacity;
      pen.fillStyle = color.getStyle();
      pen.strokeStyle = "#0008";
      pen.lineWidth = type === "MeshBasicMaterial" ? 0 : 1;
      pen.beginPath();
      convexOutline(points).forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.fill();
      if (type !== "MeshBasicMaterial") pen.stroke();
    }
    pen.globalAlpha = 1;
  };
  return {
    domElement: canvas,
    shadowMap: {},
    setPixelRatio: (x) => (ratio = x),
    setSize: (x, y) => {
      [width, height] = [x, y];
      Object.assign(canvas, { width: x * ratio, height: y * ratio });
      Object.assign(canvas.style, { width: `${x}px`, height: `${y}px` });
    },
    render: () => {
      scene.updateMatrixWorld();
      camera.updateMatrixWorld();
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      const found = [];
      scene.traverseVisible((object) => {
        if (object.isLine) lines(object);
        else if (object.isMesh && object.material.type !== "ShadowMaterial") found.push(object);
      });
      solids(found);
    },
  };
}
