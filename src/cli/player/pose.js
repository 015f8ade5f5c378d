/** First float of each channel of a local transform, and its end. */
const CHANNELS = [0, 4, 7, 10];

/**
 * Local transforms of a side at a place, ten floats per joint, then its float tracks. The decoder has its own curves between samples; others
 * are blended.
 */
function localsAt(clip, side, place) {
  const { samples } = clip;
  const joints = 10 * clip.shells_m.length;
  if (side === 1 && clip.decode) return clip.decode(place, joints + clip.tracks);
  const column = clip.sides[side];
  const count = column.length / samples;
  const from = Math.min(Math.floor(place), samples - 1);
  const part = place - from;
  const out = new Float32Array(count);
  for (let at = 0; at < count; at += 1) out[at] = column[at * samples + from];
  if (part <= 0 || from + 1 >= samples) return out;
  for (let at = joints; at < count; at += 1) out[at] += (column[at * samples + from + 1] - out[at]) * part;
  for (let joint = 0; joint < joints; joint += 10) {
    const next = (at) => column[(joint + at) * samples + from + 1];
    const dot = out[joint] * next(0) + out[joint + 1] * next(1) + out[joint + 2] * next(2) + out[joint + 3] * next(3);
    const near = dot < 0 ? -1 : 1;
    for (let at = 0; at < 10; at += 1) {
      const to = at < 4 ? near * next(at) : next(at);
      out[joint + at] += (to - out[joint + at]) * part;
    }
    const norm = Math.hypot(out[joint], out[joint + 1], out[joint + 2], out[joint + 3]) || 1;
    for (let at = 0; at < 4; at += 1) out[joint + at] /= norm;
  }
  for (const channel of clip.held[side].get(from) ?? []) {
    const [start, end] = floatsOf(channel, clip.shells_m.length);
    for (let at = start; at < end; at += 1) out[at] = column[at * samples + from];
  }
  return out;
}

/** First float of a channel, and its end. */
function floatsOf(channel, joints) {
  if (channel >= 3 * joints) return [channel + 7 * joints, channel + 7 * joints + 1];
  const joint = 10 * Math.floor(channel / 3);
  return [0, 1].map((end) => joint + CHANNELS[(channel % 3) + end]);
}

/** Object-space matrices of a pose: three rows of four per joint. */
function matricesOf(locals, parents) {
  const out = new Float64Array(12 * parents.length);
  const own = new Float64Array(12);
  parents.forEach((parent, joint) => {
    localMatrix(locals, 10 * joint, own);
    if (parent < 0) out.set(own, 12 * joint);
    else multiply(out, 12 * parent, own, 0, out, 12 * joint);
  });
  return out;
}

function localMatrix(locals, at, out) {
  const [x, y, z, w, tx, ty, tz, sx, sy, sz] = locals.subarray(at, at + 10);
  out[0] = (1 - 2 * (y * y + z * z)) * sx;
  out[1] = 2 * (x * y - w * z) * sy;
  out[2] = 2 * (x * z + w * y) * sz;
  out[3] = tx;
  out[4] = 2 * (x * y + w * z) * sx;
  out[5] = (1 - 2 * (x * x + z * z)) * sy;
  out[6] = 2 * (y * z - w * x) * sz;
  out[7] = ty;
  out[8] = 2 * (x * z - w * y) * sx;
  out[9] = 2 * (y * z + w * x) * sy;
  out[10] = (1 - 2 * (x * x + y * y)) * sz;
  out[11] = tz;
}

function multiply(a, atA, b, atB, out, atOut) {
  for (let row = 0; row < 3; row += 1) {
    const left = atA + 4 * row;
    for (let column = 0; column < 4; column += 1) {
      const right = atB + column;
      out[atOut + 4 * row + column] =
        a[left] * b[right] + a[left + 1] * b[right + 4] + a[left + 2] * b[right + 8] + (column === 3 ? a[left + 3] : 0);
    }
  }
}

/** The largest distance between a joint's shell points on the two sides, metres. */
function shellErrors(a, b, shells) {
  return shells.map((shell, joint) => {
    let largest = 0;
    for (let axis = 0; axis < 3; axis += 1) {
      let square = 0;
      for (let row = 0; row < 3; row += 1) {
        const at = 12 * joint + 4 * row;
        square += (a[at + 3] - b[at + 3] + (a[at + axis] - b[at + axis]) * shell) ** 2;
      }
      largest = Math.max(largest, square);
    }
    return Math.sqrt(largest);
  });
}

const origin = (matrices, joint) => [3, 7, 11].map((at) => matrices[12 * joint + at]);

/** Positions of all vertices of a mesh after its morph targets, as parts of its longest side. */
function morphed({ positions, targets }, floats) {
  const out = Float32Array.from(positions, (value) => value / 65535);
  for (const { track, vertices, offsets } of targets) {
    const weight = floats[track] ?? 0;
    if (!weight) continue;
    const count = vertices.length;
    for (let at = 0; at < count; at += 1) {
      for (let axis = 0; axis < 3; axis += 1) out[3 * vertices[at] + axis] += offsets[axis * count + at] * weight;
    }
  }
  return out;
}

/** About `most` vertices of a mesh, as a side moves them. */
function someVertices(mesh, { sides, floats }, side, most) {
  const { palette, matrices, influences, weights } = mesh;
  const positions = morphed(mesh, floats[side]);
  const count = positions.length / 3;
  const points = [];
  for (let vertex = 0; vertex < count; vertex += Math.ceil(count / most)) {
    const point = [0, 0, 0];
    for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot += 1) {
      if (!weights[slot]) continue;
      const map = new Float64Array(12);
      multiply(sides[side], 12 * palette[influences[slot]], matrices, 12 * influences[slot], map, 0);
      const [x, y, z] = positions.subarray(3 * vertex, 3 * vertex + 3);
      for (let row = 0; row < 3; row += 1) {
        const at = map[4 * row] * x + map[4 * row + 1] * y + map[4 * row + 2] * z + map[4 * row + 3];
        point[row] += (at * weights[slot]) / 255;
      }
    }
    points.push(point);
  }
  return points;
}

/** Both sides of the shown clip at a place. */
function poseAt(place) {
  const joints = 10 * shown.shells_m.length;
  const locals = [0, 1].map((side) => localsAt(shown, side, place));
  const sides = locals.map((side) => matricesOf(side, shown.rig.parents));
  const floats = locals.map((side) => side.slice(joints));
  return { sides, floats, errors: shellErrors(sides[0], sides[1], shown.shells_m) };
}
