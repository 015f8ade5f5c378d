// What scripts do with the window in a page.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const LONGEST_MS = 120000;
export const SIZE = { width: 1280, height: 800 };

export async function until(what, find) {
  const end = Date.now() + LONGEST_MS;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not come within ${LONGEST_MS / 1000} s`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

export const figures = (page) => page.evaluate(() => JSON.parse(window.posepress?.figures() ?? 'null'));
export const message = (page) => page.evaluate(() => (document.getElementById('message').hidden ? null : document.getElementById('words').textContent));

/** Waits until a clip has its results. */
export const settled = (page) =>
  until('a result', async () => {
    const found = await figures(page);
    return found?.settled && found;
  });

export async function drop(page, paths) {
  const files = paths.map((path) => [basename(path), readFileSync(path).toString('base64')]);
  await page.evaluate((files) => {
    const given = new DataTransfer();
    for (const [name, text] of files) given.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name));
    const options = { dataTransfer: given, bubbles: true, cancelable: true };
    for (const kind of ['dragenter', 'dragover', 'drop']) document.querySelector('canvas').dispatchEvent(new DragEvent(kind, options));
  }, files);
}
