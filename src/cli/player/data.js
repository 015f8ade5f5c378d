/** Inflates a block of the page. */
async function block(id) {
  const text = $(id).textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Adds up differences of bits: `words` differ from `base`, or from the word before. */
function sums(words, base) {
  let before = 0;
  for (let at = 0; at < words.length; at += 1) {
    before = ((base ? base[at] : before) + signed(words[at])) >>> 0;
    words[at] = before;
  }
  return new Float32Array(words.buffer, words.byteOffset, words.length);
}

const signed = (word) => (word >>> 1) ^ -(word & 1);

/** The words of four planes of bytes. */
function words(bytes) {
  const count = bytes.length / 4;
  const out = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) {
    out[at] = bytes[at] | (bytes[at + count] << 8) | (bytes[at + 2 * count] << 16) | (bytes[at + 3 * count] << 24);
  }
  return out;
}

/** Both sides of a clip, one column of samples per float, its errors over time, and its stepped intervals. */
async function unpackClip(index) {
  const { samples, shells_m, tracks, sub_frames, skin_steps, decodes, holds } = scene.clips[index];
  const all = words(await block(`clip-${index}`));
  const columns = 10 * shells_m.length + tracks;
  const size = columns * samples;
  const original = all.slice(0, size);
  for (let column = 0; column < columns; column += 1) sums(original.subarray(column * samples, (column + 1) * samples));
  const sides = [new Float32Array(original.buffer)];
  let at = size;
  let decode = null;
  if (decodes) decode = await openContainer(await block(`container-${index}`));
  else {
    sides.push(sums(all.slice(size, 2 * size), original));
    at += size;
  }
  const steps = (samples - 1) * sub_frames + 1;
  const shell = sums(all.slice(at, at + steps));
  const skin = sums(all.slice(at + steps, at + steps + skin_steps));
  at += steps + skin_steps;
  const held = holds.map((count) => {
    at += count;
    return unpackHolds(all.subarray(at - count, at), samples);
  });
  return { sides, decode, shell, skin, held };
}

/**
 * Stepped channels by sample: they keep their values until the next one. Joint `j` has the channels from `3 * j`; float tracks come after
 * joints.
 */
function unpackHolds(words, samples) {
  const held = new Map();
  let code = 0;
  for (const step of words) {
    code += step;
    const sample = code % samples;
    if (!held.has(sample)) held.set(sample, []);
    held.get(sample).push(Math.floor(code / samples));
  }
  return held;
}

/** Takes typed arrays from bytes, one after the other. */
function taker(bytes) {
  let at = 0;
  return (Type, count) => {
    const size = count * Type.BYTES_PER_ELEMENT;
    const part = new Type(bytes.slice(at, at + size).buffer);
    at += size;
    return part;
  };
}

/** Vertices of triangles, from differences. */
function corners(bytes) {
  const vertices = words(bytes);
  sums(vertices);
  return vertices;
}

/** The arrays of a mesh, in the order in which they are packed. */
function unpackMesh(bytes, { vertices, triangles, palette }) {
  const take = taker(bytes);
  return {
    palette,
    matrices: take(Float32Array, 12 * palette.length),
    triangles: corners(take(Uint8Array, 12 * triangles)),
    positions: take(Uint16Array, 3 * vertices),
    influences: take(Uint16Array, 4 * vertices),
    normals: take(Int8Array, 2 * vertices),
    colors: take(Uint8Array, 3 * vertices),
    weights: take(Uint8Array, 4 * vertices),
  };
}

/** Morph targets: the vertices that they move, and the offsets of these vertices, x, then y, then z. */
function unpackTargets(words, rows) {
  let at = 0;
  const take = (count) => words.subarray(at, (at += count));
  return rows.map(({ track, moved, step }) => {
    let vertex = 0;
    const vertices = Uint32Array.from(take(moved), (more) => (vertex += more));
    return { track, vertices, offsets: Float32Array.from(take(3 * moved), (word) => signed(word) * step) };
  });
}

/** Textures of one size. Layer 0 is white. */
function unpackTextures(bytes, { width, height, layers, lowest, reach }, vertices) {
  const take = taker(bytes);
  const [uvs, layerOf] = [take(Uint16Array, 2 * vertices), take(Uint8Array, vertices)];
  const size = 3 * width * height;
  const pixels = new Uint8Array(size * (layers + 1)).fill(255);
  pixels.set(take(Uint8Array, size * layers), size);
  return { uvs, layerOf, pixels, size: [width, height, layers + 1], map: [...lowest, ...reach] };
}
