/** The camera of all views: it orbits a target. */
const camera = { yaw: 0.65, pitch: 0.2, distance: 3, target: [0, 1, 0], anchor: [0, 0, 0] };

/** Where a clip that travels is now. */
const wayNow = () => (shown.mover < 0 ? [0, 0, 0] : origin(shown.pose.sides[0], shown.mover));

/** The way over the ground since the camera was set, if the camera follows. */
function followed() {
  if (!state.follow || !shown) return [0, 0, 0];
  const now = wayNow();
  return [now[0] - camera.anchor[0], 0, now[2] - camera.anchor[2]];
}

function eyeAndTarget() {
  const way = followed();
  const target = camera.target.map((value, axis) => value + way[axis]);
  const [cos, sin] = [Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const out = [cos * Math.sin(camera.yaw), sin, cos * Math.cos(camera.yaw)];
  return [target.map((value, axis) => value + out[axis] * camera.distance), target];
}

/** Angle of view from bottom to top, radians. */
const FIELD = 0.6;

/** Looks at an upright cylinder. */
function frame(center, [radius, half], aspect) {
  camera.anchor = wayNow();
  camera.target = center;
  camera.distance = Math.max(half, radius / aspect) / Math.tan(FIELD / 2) + radius;
}

/** Looks at all joints and the mesh as they are now. */
function frameAll(aspect) {
  if (!shown) return;
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  const joints = shown.body.flatMap((isBody, joint) => (isBody ? [origin(shown.pose.sides[0], joint)] : []));
  for (const point of [...joints, ...(shown.mesh ? someVertices(shown.mesh, shown.pose, 0, 400) : [])]) {
    point.forEach((value, axis) => {
      low[axis] = Math.min(low[axis], value);
      high[axis] = Math.max(high[axis], value);
    });
  }
  const center = low.map((value, axis) => (value + high[axis]) / 2);
  const radius = Math.hypot(high[0] - low[0], high[2] - low[2]) / 2;
  const margin = 0.05 * (high[1] - low[1]);
  frame(center, [radius * 0.9 + margin, (high[1] - low[1]) / 2 + margin], aspect);
}

function frameJoint(aspect) {
  if (state.joint < 0 || !shown) return frameAll(aspect);
  frame(origin(shown.pose.sides[0], state.joint), [shown.size * 0.1, shown.size * 0.1], aspect);
}

function orbit(dx, dy) {
  camera.yaw -= dx * 0.008;
  camera.pitch = Math.min(1.5, Math.max(-1.5, camera.pitch + dy * 0.008));
}

function pan(dx, dy, height) {
  const scale = (2 * camera.distance * Math.tan(FIELD / 2)) / height;
  const [cos, sin] = [Math.cos(camera.yaw), Math.sin(camera.yaw)];
  const up = [-Math.sin(camera.pitch) * sin, Math.cos(camera.pitch), -Math.sin(camera.pitch) * cos];
  const right = [cos, 0, -sin];
  camera.target = camera.target.map((value, axis) => value + (up[axis] * dy - right[axis] * dx) * scale);
}

function dolly(factor) {
  camera.distance = Math.min(1000, Math.max(0.01, camera.distance * factor));
}

/** The matrix from the world to the picture, column by column. */
function projection(aspect) {
  const [eye, target] = eyeAndTarget();
  const unit = (v) => v.map((value) => value / (Math.hypot(...v) || 1));
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const back = unit(eye.map((value, axis) => value - target[axis]));
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  const [near, far] = [camera.distance / 100, camera.distance * 100 + 100];
  const tall = 1 / Math.tan(FIELD / 2);
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const rows = [
    [...right.map((v) => (v * tall) / aspect), (-dot(right, eye) * tall) / aspect],
    [...up.map((v) => v * tall), -dot(up, eye) * tall],
    [...back.map((v) => v * a), -dot(back, eye) * a + b],
    [...back.map((v) => -v), dot(back, eye)],
  ];
  return { matrix: new Float32Array([0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column]))), eye, target };
}
