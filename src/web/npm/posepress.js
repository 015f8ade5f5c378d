// Plays .posepress containers. The module in WebAssembly decodes; this file owns its memory and turns its errors into exceptions.

const KINDS = ['', 'truncated', 'invalid', 'checksum', 'memory', 'argument', 'closed', 'trap', 'load'];
const ENDS = ['clip', 'loop', 'clamp'];
const ROUNDING = ['none', 'floor', 'ceil', 'nearest'];
const MODULES = ['press', 'codecs', 'full'];
const [JOINT, CLIP, FLOAT_TRACK, TIER, CODEC] = [0, 1, 2, 3, 4];
/** Numbers of a joint: rotation x, y, z, w, translation x, y, z, scale x, y, z. */
export const JOINT_NUMBERS = 10;
const BIND_AT = 5;
const BIND_NUMBERS = 1 + JOINT_NUMBERS;

// The smallest module with an instruction of fixed-width SIMD: i8x16.splat.
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
]);

/** An error with its kind and, for damaged bytes, the place. */
export class PosepressError extends Error {
  constructor(kind, message, at) {
    super(message);
    this.name = 'PosepressError';
    this.kind = kind;
    this.at = at;
  }
}

/** True if this engine runs modules with SIMD. */
export function hasSimd() {
  return WebAssembly.validate(SIMD_MODULE);
}

function flavour({ codecs = 'full', simd = hasSimd() } = {}) {
  one(MODULES, codecs, 'codecs');
  return `${codecs}${simd ? '-simd' : ''}`;
}

/** Name of the file that `load` fetches. */
export function moduleName(options) {
  return `posepress-${flavour(options)}.wasm`;
}

/** Loads the decoder. */
export async function load(options = {}) {
  // Bundlers take this pattern for the files that it can name, and no others.
  const module = await moduleOf(options.wasm ?? new URL(`./posepress-${flavour(options)}.wasm`, import.meta.url));
  return new Posepress(new Link(module));
}

async function moduleOf(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  const bytes = wasm instanceof URL || typeof wasm === 'string' ? await fetched(new URL(wasm, import.meta.url)) : wasm;
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new PosepressError('load', `this is no module of posepress: ${error.message}`);
  }
}

async function fetched(url) {
  const isNode = typeof process === 'object' && process.versions?.node !== undefined;
  try {
    if (url.protocol === 'file:' && isNode) {
      const files = 'node:fs/promises'; // a variable, so that bundlers for browsers leave it alone
      return await (await import(/* webpackIgnore: true */ /* @vite-ignore */ files)).readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return await response.arrayBuffer();
  } catch (error) {
    throw new PosepressError('load', `${url} cannot be read: ${error.message}. Hand its bytes to load({ wasm }).`);
  }
}

/** One instance of the module. A trap ends it, and the next object that is opened gets a new one. */
class Instance {
  isLost = false;

  constructor(module) {
    this.exports = new WebAssembly.Instance(module, {}).exports;
  }

  call(name, ...args) {
    if (this.isLost) throw lost();
    const made = this.exports[name];
    if (!made) throw new PosepressError('argument', `this module was built without ${name}: load codecs 'full'`);
    try {
      return made(...args);
    } catch (error) {
      this.isLost = true;
      throw new PosepressError('trap', `a bug of posepress ended its instance: ${error.message}. Open the file again.`);
    }
  }

  // A function of the module returns 0 when it fails.
  must(name, ...args) {
    const result = this.call(name, ...args) >>> 0;
    if (result !== 0) return result;
    const kind = KINDS[this.call('error_kind')];
    const place = this.call('error_place') >>> 0;
    const text = this.text() || 'there is not enough memory';
    throw new PosepressError(kind, text, place === 0 ? undefined : place - 1);
  }

  text() {
    const [at, length] = [this.call('text_at') >>> 0, this.call('text_length') >>> 0];
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, length));
  }

  give(bytes) {
    const at = this.must('input_room', bytes.byteLength);
    new Uint8Array(this.exports.memory.buffer, at, bytes.byteLength).set(bytes);
  }

  numbers(first, count) {
    const at = this.call('numbers_at') >>> 0;
    return new Float64Array(this.exports.memory.buffer, at + 8 * first, count);
  }
}

class Link {
  #module;
  #instance;

  constructor(module) {
    this.#module = module;
    this.#instance = new Instance(module);
  }

  get instance() {
    if (this.#instance.isLost) this.#instance = new Instance(this.#module);
    return this.#instance;
  }
}

function lost() {
  return new PosepressError('closed', 'its instance ended with an earlier error. Open the file again.');
}

function one(list, name, what) {
  const index = list.indexOf(name);
  if (index < 0) throw new PosepressError('argument', `${what} is ${name}; expected ${list.join(', ')}`);
  return index;
}

function bytesOf(bytes, what) {
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  throw new PosepressError('argument', `${what} is no Uint8Array or ArrayBuffer`);
}

// Frees what was dropped without dispose().
const dropped = new FinalizationRegistry(({ instance, free, handle }) => {
  if (!instance.isLost) instance.call(free, handle);
});

/** Something open in the module. */
class Held {
  #free;
  #handle;
  #instance;

  constructor(instance, free, handle) {
    [this.#instance, this.#free, this.#handle] = [instance, free, handle];
    dropped.register(this, { instance, free, handle }, this);
  }

  get _instance() {
    return this.#instance;
  }

  get _handle() {
    if (this.#handle === 0) throw new PosepressError('closed', 'it was disposed of');
    if (this.#instance.isLost) throw lost();
    return this.#handle;
  }

  dispose() {
    if (this.#handle === 0) return;
    dropped.unregister(this);
    if (!this.#instance.isLost) this.#instance.call(this.#free, this.#handle);
    this.#handle = 0;
  }
}
if (Symbol.dispose) Held.prototype[Symbol.dispose] = Held.prototype.dispose;

/** The loaded decoder. */
export class Posepress {
  #link;

  constructor(link) {
    this.#link = link;
  }

  /** Opens the bytes of a container. */
  open(bytes) {
    const { instance } = this.#link;
    instance.give(bytesOf(bytes, 'the container'));
    return new Container(instance, instance.must('container_open'));
  }

  /** Bytes of the module's memory, which never shrinks. */
  get memoryBytes() {
    return this.#link.instance.exports.memory.buffer.byteLength;
  }
}

/** An open container. */
export class Container extends Held {
  constructor(instance, handle) {
    super(instance, 'container_free', handle);
    this.#describe();
  }

  #describe() {
    const instance = this._instance;
    instance.must('container_describe', this._handle);
    const [joints, clips, floats, tiers, hasRig] = instance.numbers(0, BIND_AT);
    const rows = instance.numbers(BIND_AT, BIND_NUMBERS * joints).slice();
    const names = (list, count) => Array.from({ length: count }, (_, index) => this.#name(list, index));
    this.hasRig = hasRig === 1;
    this.joints = names(JOINT, joints).map((name, joint) => {
      const [parent, ...bind] = rows.subarray(BIND_NUMBERS * joint, BIND_NUMBERS * (joint + 1));
      return { name, parent, bind: new Float32Array(bind) };
    });
    this.clips = names(CLIP, clips).map((name, index) => ({ name, codec: this.#name(CODEC, index) }));
    this.floatTracks = names(FLOAT_TRACK, floats);
    this.missingTiers = names(TIER, tiers);
  }

  #name(list, index) {
    this._instance.must('container_name', this._handle, list, index);
    return this._instance.text();
  }

  /** Joins the bytes of the next tier. Clips that are opened after it have its detail. */
  join(bytes) {
    const handle = this._handle;
    this._instance.give(bytesOf(bytes, 'the tier'));
    this._instance.must('container_join', handle);
    this.#describe();
  }

  /** Opens a clip by its name or index. */
  openClip(clip, { bind = new Float32Array() } = {}) {
    const index = typeof clip === 'string' ? this.clips.findIndex(({ name }) => name === clip) : clip;
    if (!Number.isInteger(index) || index < 0 || index >= this.clips.length) {
      const names = this.clips.map(({ name }) => name).join(', ');
      throw new PosepressError('argument', `there is no clip ${clip}; the container has ${names}`);
    }
    const handle = this._handle;
    this._instance.give(bytesOf(bind, 'the bind pose'));
    return new Clip(this._instance, this._instance.must('clip_open', handle, index), this.clips[index]);
  }
}

/** An open clip, shared by its players. */
export class Clip extends Held {
  constructor(instance, handle, { name, codec }) {
    super(instance, 'clip_free', handle);
    instance.must('clip_describe', handle);
    const [joints, floatTracks, samples, durationSecs, loops, additive, residentBytes] = instance.numbers(0, 7);
    const rateHz = samples > 1 ? (samples - 1) / durationSecs : 0;
    const flags = { isLooping: loops === 1, isAdditive: additive === 1 };
    Object.assign(this, { name, codec, joints, floatTracks, samples, durationSecs, rateHz, ...flags, residentBytes });
  }

  /** Makes a player: one per character. */
  player() {
    return new Player(this._instance, this._instance.must('player_open', this._handle), this);
  }
}

/** A clip being played. */
export class Player extends Held {
  #length;
  #pose = new Float32Array();

  constructor(instance, handle, { joints, floatTracks }) {
    super(instance, 'player_free', handle);
    this.#length = JOINT_NUMBERS * joints + floatTracks;
  }

  /** The pose at a time in seconds: ten numbers per joint, then one per float track. The next call overwrites it. */
  sample(timeSecs, { ends = 'clip', rounding = 'none' } = {}) {
    const how = [one(ENDS, ends, 'ends'), one(ROUNDING, rounding, 'rounding')];
    return this.#view(this._instance.must('player_sample', this._handle, timeSecs, ...how));
  }

  /** The pose at a place in samples from the clip's start: 2.5 is halfway between the third sample and the fourth. */
  sampleAt(atSample) {
    return this.#view(this._instance.must('player_sample_at', this._handle, atSample));
  }

  // Memory that grows detaches its buffer, which leaves arrays on it empty.
  #view(at) {
    if (this.#pose.length !== this.#length) this.#pose = new Float32Array(this._instance.exports.memory.buffer, at, this.#length);
    return this.#pose;
  }
}
