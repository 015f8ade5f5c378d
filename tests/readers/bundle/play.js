// Plays a container in a page or a worker. Bytes come and go in base64, as the browser's driver hands them over.

import { load } from 'posepress';
import { poses } from './poses.js';

async function play(options, { container, steps }) {
  const bytes = Uint8Array.from(atob(container), (letter) => letter.charCodeAt(0));
  const played = poses(await load(options), bytes, steps);
  return btoa(Array.from(played, (byte) => String.fromCharCode(byte)).join(''));
}

/** A page gets the function `play`; a worker answers messages. */
export function offer(options) {
  if (globalThis.document) globalThis.play = (task) => play(options, task);
  else globalThis.onmessage = async ({ data }) => globalThis.postMessage(await play(options, data));
}
