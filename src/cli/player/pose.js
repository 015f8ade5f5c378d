/** First float of each channel of a local transform, and its end. */
const CHANNELS = [0, 4, 7, 10];

/** Local transforms of a side at a place: ten floats per joint. The decoder has its own curves between samples; others are blended. */
function localsAt(clip, side, place) {
  const { samples } = clip;
  if (side === 1 && clip.decode) return clip.decode(place, 10 * clip.shells_m.length);
  const column = clip.sides[side];
  const count = column.length / samples;
  const from = Math.min(Math.floor(place), samples - 1);
  const part = place - from;
  const out = new Float32Array(count);
  for (let at = 0; at < count; at += 1) out[at] = column[at * samples + from];
  if (part <= 0 || from + 1 >= samples) return out;
  for (let joint = 0; joint < count; joint += 10) {
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
    const joint = 10 * Math.floor(channel / 3);
    for (let at = CHANNELS[channel % 3]; at < CHANNELS[(channel % 3) + 1]; at += 1) out[joint + at] = column[(joint + at) * samples + from];
  }
  return out;
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

/** Some hundred vertices of a mesh, as a pose moves them. */
function someVertices({ palette, matrices, positions, influences, weights }, side) {
  const count = positions.length / 3;
  const points = [];
  for (let vertex = 0; vertex < count; vertex += Math.ceil(count / 400)) {
    const point = [0, 0, 0];
    for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot += 1) {
      if (!weights[slot]) continue;
      const map = new Float64Array(12);
      multiply(side, 12 * palette[influences[slot]], matrices, 12 * influences[slot], map, 0);
      const [x, y, z] = positions.subarray(3 * vertex, 3 * vertex + 3);
      for (let row = 0; row < 3; row += 1) {
        const at = (map[4 * row] * x + map[4 * row + 1] * y + map[4 * row + 2] * z) / 65535 + map[4 * row + 3];
        point[row] += (at * weights[slot]) / 255;
      }
    }
    points.push(point);
  }
  return points;
}

/** Both sides of the shown clip at a place. */
function poseAt(place) {
  const sides = [0, 1].map((side) => matricesOf(localsAt(shown, side, place), shown.rig.parents));
  return { sides, errors: shellErrors(sides[0], sides[1], shown.shells_m) };
}
