// Times the window in Chromium. Arguments: its folder and a file of one clip. Prints the milliseconds from a drop to the first and the last numbers,
// and from each of four moves of the tolerance's slider to the first numbers.

import { open } from './browser.mjs';
import { serve } from './site.mjs';
import { ARGS, prepare } from './webgpu.mjs';
import { SIZE, drop, figures, settled, until } from './window.mjs';

const [, , folder, file] = process.argv;
/** The slider in a window of this size. */
const SLIDER = { y: 227, from: 1095, to: [1120, 1150, 1110, 1160] };

const { address, close } = await serve(folder);
const { browser, page } = await open(`${address}/index.html`, SIZE, { args: ARGS, prepare });

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
console.log('drop', ...(await timed(() => drop(page, [file]))));
await settled(page);
await page.mouse.move(SLIDER.from, SLIDER.y);
await page.mouse.down();
for (const x of SLIDER.to) console.log('drag', ...(await timed(() => page.mouse.move(x, SLIDER.y))));
await page.mouse.up();
await browser.close();
close();
