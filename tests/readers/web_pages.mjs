// Opens the examples' pages in Chromium. Arguments: the npm package's folder, the examples' folder, a GLB, and a container. Prints for each page
// if its picture moves, and what it complained of.

import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { open } from './browser.mjs';
import { serve } from './site.mjs';

const [, , folder, examples, model, file] = process.argv;
const LONGEST_MS = 30000;
const IN_A_ROW = 6;
const site = mkdtempSync(`${tmpdir()}/posepress-pages-`);

function lay() {
  cpSync(examples, site, { recursive: true });
  cpSync(model, `${site}/character.glb`);
  cpSync(file, `${site}/clips.posepress`);
  cpSync(folder, `${site}/node_modules/posepress`, { recursive: true });
  for (const name of ['three', '@babylonjs', 'playcanvas']) {
    symlinkSync(fileURLToPath(new URL(`./node_modules/${name}`, import.meta.url)), `${site}/node_modules/${name}`);
  }
}

/** True if each of several pictures in a row differs from the one before. */
async function moves(page) {
  const until = Date.now() + LONGEST_MS;
  let [last, changes] = ['', -1];
  while (changes < IN_A_ROW && Date.now() < until) {
    const picture = await page.screenshot({ encoding: 'base64' });
    changes = picture === last ? 0 : changes + 1;
    last = picture;
    await new Promise((done) => setTimeout(done, 100));
  }
  return changes >= IN_A_ROW;
}

const pages = {};
try {
  lay();
  const { address, close } = await serve(site);
  for (const name of readdirSync(examples).filter((one) => one.endsWith('.html'))) {
    const { browser, page, problems } = await open(`${address}/${name}`, { width: 320, height: 240 });
    // Babylon.js says its version.
    pages[name] = { moves: await moves(page), problems: problems.filter((problem) => !problem.startsWith('BJS - ')) };
    await browser.close();
  }
  close();
} finally {
  rmSync(site, { recursive: true });
}
process.stdout.write(JSON.stringify(pages));
