// Times the window in Chromium. Arguments: its folder, a file, and `alone` for a browser without workers. Prints the milliseconds from a drop to the first
// and the last numbers, and the longest frame meanwhile; from each of four moves of the tolerance's slider to the first numbers; and the longest frame of ten
// seconds in which recipes are compared on all clips.

import { writeFileSync } from 'node:fs';
import { open } from './browser.mjs';
import { serve } from './site.mjs';
import { ARGS, picture, prepare } from './webgpu.mjs';
import { SIZE, drop, figures, settled, until } from './window.mjs';

const [, , folder, file, alone] = process.argv;
/** The slider in a window of this size. */
const SLIDER = { y: 227, from: 1095, to: [1120, 1150, 1110, 1160] };
/** The button that compares recipes. */
const COMPARE = { x: 926, y: 68 };

const { address, close } = await serve(folder);
const { browser, page } = await open(`${address}/index.html`, SIZE, { args: ARGS, prepare: alone ? withoutWorkers : prepare });

async function withoutWorkers(page) {
  await prepare(page);
  await page.evaluateOnNewDocument(() => Object.defineProperty(window, 'Worker', { value: undefined }));
}

/** The longest frame, milliseconds, while something is done. */
async function longest(act) {
  await page.evaluate(() => {
    const watched = (window.watched = { longest: 0, last: performance.now(), on: true });
    requestAnimationFrame(function frame(now) {
      watched.longest = Math.max(watched.longest, now - watched.last);
      watched.last = now;
      if (watched.on) requestAnimationFrame(frame);
    });
  });
  const result = await act();
  const frame = await page.evaluate(() => {
    window.watched.on = false;
    return Math.round(Math.max(window.watched.longest, performance.now() - window.watched.last));
  });
  return [result, frame];
}

/** Milliseconds of an action until the figures are others, and until they are the last ones. */
async function timed(act) {
  const { digest } = await figures(page);
  const began = Date.now();
  await act();
  let first;
  await until('other figures', async () => {
    const now = await figures(page);
    if (now?.digest && now.digest !== digest) first ??= Date.now() - began;
    return first !== undefined && now.done;
  });
  return [first, Date.now() - began];
}

await settled(page);
const [times, frame] = await longest(() => timed(() => drop(page, [file])));
console.log('drop', ...times, 'longest frame', frame);
await settled(page);
await page.mouse.move(SLIDER.from, SLIDER.y);
await page.mouse.down();
for (const x of SLIDER.to) console.log('drag', ...(await timed(() => page.mouse.move(x, SLIDER.y))));
await page.mouse.up();
await settled(page);
await page.keyboard.down('Control');
await page.keyboard.press('KeyP');
await page.keyboard.up('Control');
await page.keyboard.type('budget', { delay: 100 });
await new Promise((done) => setTimeout(done, 1000));
await page.keyboard.press('Enter');
await new Promise((done) => setTimeout(done, 1000));
await page.mouse.click(COMPARE.x, COMPARE.y);
const compared = await longest(() => new Promise((done) => setTimeout(done, 10000)));
console.log('compare', 'longest frame', compared[1]);
if (process.env.WINDOW_PICTURES) writeFileSync(`${process.env.WINDOW_PICTURES}/compared.png`, (await picture(page)).png);
await browser.close();
close();
