// Uses the window in Chromium as a person would. Arguments: its folder, a folder for what it saves, a shared view of a clip of the first file, and
// files to drop, each with those that belong to it behind commas. Prints what it showed, as JSON. WINDOW_PICTURES names a folder for pictures of each
// step.

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { faults } from './axe.mjs';
import { open } from './browser.mjs';
import { serve } from './site.mjs';
import { ARGS, picture, prepare } from './webgpu.mjs';
import { SIZE, drop, figures, message, settled, until } from './window.mjs';

const [, , folder, saved, view, ...drops] = process.argv;

async function shown(page, name) {
  const { png, colors } = await picture(page);
  if (process.env.WINDOW_PICTURES) writeFileSync(`${process.env.WINDOW_PICTURES}/${name}.png`, png);
  return { png: png.toString('base64'), colors };
}

/** A browser that has none. */
const hideWebGpu = (page) => page.evaluateOnNewDocument(() => Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined }));

async function chord(page, keys) {
  for (const key of keys) await page.keyboard.down(key);
  for (const key of keys.reverse()) await page.keyboard.up(key);
}

/** The files of a drop as a link names them. */
function linked(site, paths) {
  for (const path of paths) cpSync(path, `${site}/clips/${basename(path)}`);
  return paths.map((path) => `clips/${encodeURIComponent(basename(path))}`).join(',');
}

const site = mkdtempSync(`${tmpdir()}/posepress-window-`);
cpSync(folder, site, { recursive: true });
const { address, close } = await serve(site);
const found = { files: [] };
const { browser, page, requests, problems } = await open(`${address}/index.html`, SIZE, { args: ARGS, prepare });
try {
  found.sample = await settled(page);
  found.colors = (await shown(page, 'sample')).colors;
  await chord(page, ['Space']);
  const before = await shown(page, 'plays');
  found.plays = await until('another picture', async () => (await shown(page, 'plays')).png !== before.png);
  await chord(page, ['Space']);
  let last = (await figures(page)).digest;
  for (const files of drops) {
    await drop(page, files.split(','));
    const result = await until(`a result of ${files}`, async () => {
      const now = await figures(page);
      return now?.done && now.digest !== last && now;
    });
    last = result.digest;
    await shown(page, basename(files.split(',')[0]));
    found.files.push(result);
  }
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: saved });
  await chord(page, ['Control', 'KeyE']);
  found.saved = await until('the container', () => readdirSync(saved).find((name) => name.endsWith('.posepress')));
  await page.reload();
  found.kept = await page.evaluate(() => localStorage.getItem('posepress-window'));
  found.reloaded = await until('the window again', async () => (await message(page)) === null);
  await shown(page, 'reloaded');
  const bare = await open(`${address}/index.html`, SIZE, { prepare: hideWebGpu });
  found.without = await until('a sentence', async () => {
    const said = await message(bare.page);
    return /WebGPU/.test(said) && said;
  });
  found.inaccessible = await faults(bare.page).finally(() => bare.browser.close());
  const link = `${address}/index.html?src=${linked(site, drops[0].split(','))}#view=${encodeURIComponent(view)}`;
  const shared = await open(link, SIZE, { args: ARGS, prepare });
  found.linked = await settled(shared.page).finally(() => shared.browser.close());
  close();
  await page.reload();
  found.offline = await until('the window without a server', async () => (await message(page)) === null);
  found.elsewhere = requests.filter((asked) => !asked.startsWith(address));
  found.problems = problems;
} finally {
  await browser.close();
  close();
  rmSync(site, { recursive: true });
}
console.log(JSON.stringify(found));
