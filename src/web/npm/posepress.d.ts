/** Numbers of a joint: rotation x, y, z, w, translation x, y, z, scale x, y, z. */
export const JOINT_NUMBERS: 10;

declare global {
  // Known to TypeScript from 5.2 on.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** What went wrong. `trap` is a bug of posepress; `closed` is an object that was disposed of, or whose instance ended. */
export type ErrorKind =
  | 'truncated' | 'invalid' | 'checksum' | 'memory' | 'argument' | 'closed' | 'trap' | 'load';

/** An error with its kind and, for damaged bytes, the place. */
export class PosepressError extends Error {
  readonly kind: ErrorKind;
  /** Byte at which the error was found. */
  readonly at?: number;
}

/**
 * `press`: runtime storage of press. `codecs`: all codecs with random access, built for size. `full`: these, archives and tiers of press,
 * and errors with the value found and those expected.
 */
export type Codecs = 'press' | 'codecs' | 'full';

export interface LoadOptions {
  /** The module to fetch. Default: `full`. */
  codecs?: Codecs;
  /** Fetches the module with SIMD. Default: what this engine has. */
  simd?: boolean;
  /** Bytes of a module, a compiled module, or its address, instead of the file beside this one. */
  wasm?: ArrayBuffer | Uint8Array | WebAssembly.Module | URL | string;
}

/** Loads the decoder. */
export function load(options?: LoadOptions): Promise<Posepress>;
/** Name of the file that `load` fetches. */
export function moduleName(options?: Pick<LoadOptions, 'codecs' | 'simd'>): string;
/** True if this engine runs modules with SIMD. */
export function hasSimd(): boolean;

/** The loaded decoder. */
export class Posepress {
  private constructor();
  /** Opens the bytes of a container. */
  open(bytes: ArrayBuffer | ArrayBufferView): Container;
  /** Bytes of the module's memory, which never shrinks. */
  readonly memoryBytes: number;
}

/** Something open in the module. `using` frees it at the end of its block. */
declare class Held {
  /** Frees it. What was opened from it stays open. */
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface Joint {
  readonly name: string;
  /** Index of its parent, which is smaller; -1 for a root. */
  readonly parent: number;
  /** Local transform of the bind pose: ten numbers. */
  readonly bind: Float32Array;
}

/** An open container. */
export class Container extends Held {
  private constructor();
  /** False if the rig was left out of the file. */
  readonly hasRig: boolean;
  readonly joints: readonly Joint[];
  readonly clips: readonly { readonly name: string; readonly codec: string }[];
  readonly floatTracks: readonly string[];
  /** Tiers that are not joined, in joining order. */
  readonly missingTiers: readonly string[];
  /** Joins the bytes of the next tier. Clips that are opened after it have its detail. Needs the module `full`, and a container with its rig. */
  join(bytes: ArrayBuffer | ArrayBufferView): void;
  /** Opens a clip by its name or index. `bind` is the bind pose of a container without its rig: ten numbers per joint. */
  openClip(clip: string | number, options?: { bind?: Float32Array }): Clip;
}

/** An open clip, shared by its players. */
export class Clip extends Held {
  private constructor();
  readonly name: string;
  /** Four letters that identify the codec. */
  readonly codec: string;
  readonly joints: number;
  readonly floatTracks: number;
  readonly samples: number;
  readonly durationSecs: number;
  /** Samples per second; 0 for a clip of one sample. */
  readonly rateHz: number;
  readonly isLooping: boolean;
  /** True if poses are differences to a base pose. */
  readonly isAdditive: boolean;
  /** Bytes in memory, without players and the container's bind pose. */
  readonly residentBytes: number;
  /** Makes a player: one per character. */
  player(): Player;
}

export interface Playback {
  /** Before the start and after the end: as the clip is marked, loop, or hold. Default: `clip`. */
  ends?: 'clip' | 'loop' | 'clamp';
  /** Snaps to samples. Default: `none`, which blends. */
  rounding?: 'none' | 'floor' | 'ceil' | 'nearest';
}

/** A clip being played. */
export class Player extends Held {
  private constructor();
  /**
   * The pose at a time in seconds: ten numbers per joint, relative to its parent, then one per float track. The array is the
   * player's own memory: read it before the next call of any function.
   */
  sample(timeSecs: number, playback?: Playback): Float32Array;
  /** The pose at a place in samples from the clip's start: 2.5 is halfway between the third sample and the fourth. */
  sampleAt(atSample: number): Float32Array;
}
