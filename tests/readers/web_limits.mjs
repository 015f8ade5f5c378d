// The npm package with damaged bytes, wrong arguments, a trap, and many openings. Arguments: the package's folder, containers, and a tier
// of the last one. Prints what was done.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Worker, isMainThread, workerData } from 'node:worker_threads';

const [, , folder, ...files] = isMainThread ? process.argv : [0, 0, ...workerData];
const { PosepressError, load, moduleName } = await import(pathToFileURL(`${folder}/posepress.js`));
const tier = readFileSync(files.at(-1));
const containers = files.slice(0, -1).map((file) => readFileSync(file));
const DAMAGED = 2000;
const OPENED = 1000;

function played(posepress, bytes) {
  const container = posepress.open(bytes);
  let sum = 0;
  for (let index = 0; index < container.clips.length; index++) {
    try {
      const clip = container.openClip(index);
      const player = clip.player();
      for (const time of [-1, 0, 0.5 * clip.durationSecs, 1e9, NaN]) sum += player.sample(time)[0];
      player.dispose();
      clip.dispose();
    } catch (error) {
      assert.ok(error instanceof PosepressError, error);
      assert.notEqual(error.kind, 'trap', error.message);
    }
  }
  container.dispose();
  return sum;
}

// splitmix-like: the same damage on every run.
function randoms(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function damagedFiles(posepress) {
  const random = randoms(7);
  let refused = 0;
  for (let round = 0; round < DAMAGED; round++) {
    const bytes = Uint8Array.from(containers[round % containers.length]);
    const isCut = random(2) === 0;
    if (!isCut) for (let flips = 1 + random(4); flips > 0; flips--) bytes[random(bytes.length)] ^= 1 << random(8);
    try {
      played(posepress, isCut ? bytes.subarray(0, random(bytes.length)) : bytes);
    } catch (error) {
      assert.ok(error instanceof PosepressError, error);
      assert.ok(['truncated', 'invalid', 'checksum'].includes(error.kind), `${error.kind}: ${error.message}`);
      refused += 1;
    }
  }
  assert.ok(refused > 0.99 * DAMAGED, `${refused} refused`);
  console.log(`${DAMAGED} damaged files, ${refused} refused`);
}

// Checksums stop most damage. Without them, payloads must stop it.
function damagedClips(posepress) {
  const random = randoms(11);
  const wrong = { refused: 0, played: 0 };
  const bytes = containers[0];
  const container = posepress.open(bytes);
  for (let round = 0; round < DAMAGED; round++) {
    const bind = new Float32Array(10 * random(6)).map(() => random(1000) / 100 - 5);
    try {
      const player = container.openClip(random(container.clips.length), { bind }).player();
      player.sampleAt(random(1e6) - 1000);
      wrong.played += 1;
    } catch (error) {
      assert.ok(error instanceof PosepressError && error.kind !== 'trap', error);
      wrong.refused += 1;
    }
  }
  assert.ok(wrong.refused > 0 && wrong.played > 0, JSON.stringify(wrong));
}

function wrongArguments(posepress) {
  const kindOf = (work) => {
    try {
      work();
    } catch (error) {
      return error.kind;
    }
  };
  const container = posepress.open(containers[0]);
  const clip = container.openClip(0);
  const player = clip.player();
  assert.equal(kindOf(() => posepress.open('text')), 'argument');
  assert.equal(kindOf(() => container.openClip('no such clip')), 'argument');
  assert.equal(kindOf(() => player.sample(0, { ends: 'bounce' })), 'argument');
  container.dispose();
  clip.dispose();
  assert.ok(Number.isFinite(player.sample(0)[3]), 'a player goes on without its clip');
  player.dispose();
  player.dispose();
  assert.equal(kindOf(() => player.sample(0)), 'closed');
  assert.equal(kindOf(() => container.openClip(0)), 'closed');
  assert.throws(() => moduleName({ codecs: 'all' }), PosepressError);
  try {
    posepress.open(containers[0].subarray(0, 40));
    assert.fail('a container cut short');
  } catch (error) {
    assert.equal(error.kind, 'truncated');
    assert.ok(Number.isInteger(error.at) && error.message.includes('cut short'), error.message);
  }
}

function joinedTiers(posepress) {
  const container = posepress.open(containers.at(-1));
  const [first, ...others] = container.missingTiers;
  const before = container.openClip(0).player().sampleAt(0.5).slice();
  container.join(tier);
  assert.deepEqual(container.missingTiers, others, `without ${first}`);
  const after = container.openClip(0).player().sampleAt(0.5);
  assert.ok(after.some((number, index) => number !== before[index]), 'a tier adds detail');
}

function flatMemory(posepress) {
  for (let round = 0; round < 20; round++) containers.forEach((bytes) => played(posepress, bytes));
  const before = posepress.memoryBytes;
  for (let round = 0; round < OPENED; round++) played(posepress, containers[round % containers.length]);
  assert.equal(posepress.memoryBytes, before, 'memory grows');
  console.log(`${OPENED} openings, ${before} bytes of memory before and after`);
}

// A pose is a view of memory, and memory that grows moves away from its views.
function grownMemory(posepress) {
  const player = posepress.open(containers[0]).openClip(0).player();
  const before = player.sampleAt(0.5).slice();
  const grown = posepress.memoryBytes + 1;
  const held = [];
  while (posepress.memoryBytes < grown) held.push(posepress.open(containers[held.length % containers.length]));
  assert.deepEqual(player.sampleAt(0.5), before, 'a pose after memory grew');
  held.forEach((container) => container.dispose());
}

async function droppedObjects(posepress) {
  const { length } = containers[0];
  const count = Math.ceil((64 << 20) / length);
  for (let round = 0; round < count; round++) {
    posepress.open(containers[0]);
    if (round % 500 === 0) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  assert.ok(posepress.memoryBytes < 32 << 20, `${posepress.memoryBytes} bytes for ${count} dropped containers`);
}

// No bytes are known that trap the module, so its export is replaced by one that does.
async function trapped() {
  const { Instance } = WebAssembly;
  let isBroken = true;
  WebAssembly.Instance = class {
    constructor(module, imports) {
      const { exports } = new Instance(module, imports);
      const trap = () => {
        throw new WebAssembly.RuntimeError('unreachable');
      };
      this.exports = isBroken ? { ...exports, player_sample: trap } : exports;
    }
  };
  const posepress = await load();
  const container = posepress.open(containers[0]);
  const player = container.openClip(0).player();
  isBroken = false;
  assert.throws(() => player.sample(0), { kind: 'trap' });
  assert.throws(() => player.sample(0), { kind: 'closed' });
  assert.throws(() => container.openClip(0), { kind: 'closed' });
  assert.ok(Number.isFinite(played(posepress, containers[0])), 'a new instance plays');
  WebAssembly.Instance = Instance;
}

async function handedIn() {
  const bytes = readFileSync(`${folder}/${moduleName({ codecs: 'press' })}`);
  const posepress = await load({ wasm: bytes });
  assert.equal(typeof played(posepress, containers[0]), 'number');
  assert.throws(() => posepress.open(containers[0]).join(tier), { kind: 'argument' });
  await assert.rejects(load({ wasm: new Uint8Array(9) }), { kind: 'load' });
  await assert.rejects(load({ wasm: 'missing.wasm' }), { kind: 'load' });
}

const posepress = await load();
if (isMainThread) {
  wrongArguments(posepress);
  joinedTiers(posepress);
  damagedFiles(posepress);
  damagedClips(posepress);
  flatMemory(posepress);
  grownMemory(await load());
  await droppedObjects(posepress);
  await trapped();
  await handedIn();
  await new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: [folder, ...files] });
    worker.once('error', reject).once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`worker: ${code}`))));
  });
} else {
  assert.equal(typeof played(posepress, containers[0]), 'number');
}
