/** The runtime as a WebAssembly module. It decodes the bytes of clips, in pages that carry it. */
let decoder = null;

function decoderModule() {
  decoder ??= block("decoder-0").then((bytes) => WebAssembly.compile(bytes));
  return decoder;
}

/** A sampler of the clip in a container: it returns ten floats per joint. An instance plays one clip. */
async function openContainer(bytes) {
  const instance = await WebAssembly.instantiate(await decoderModule(), {});
  const { memory, ...calls } = instance.exports;
  const must = (name, ...args) => {
    const result = calls[name](...args) >>> 0;
    if (result) return result;
    const text = new Uint8Array(memory.buffer, calls.text_at() >>> 0, calls.text_length() >>> 0);
    throw new Error(new TextDecoder().decode(text));
  };
  const give = (data) => {
    const at = must("input_room", data.length);
    new Uint8Array(memory.buffer, at, data.length).set(data);
  };
  give(bytes);
  const container = must("container_open");
  const player = must("player_open", must("clip_open", container, 0));
  return (place, count) => new Float32Array(memory.buffer, must("player_sample_at", player, place), count);
}
