// Plays a container in Chromium with what Vite and esbuild make of the npm package: in a page, in a worker, and in a page from file://.
// The server's policy allows no eval. Arguments: the package's folder, the container, a path, and places per sample interval. Writes the
// poses of each place to the path with the place's name as extension. Prints what the pages asked for from elsewhere, what they complained
// of, and what Vite took besides code.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { build } from 'vite';
import { open } from './browser.mjs';
import { serve } from './site.mjs';

const [, , folder, file, out, steps] = process.argv;
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self'";
const task = { container: readFileSync(file).toString('base64'), steps: Number(steps) };
const home = mkdtempSync(`${tmpdir()}/posepress-bundles-`);
const problems = [];

async function bundle() {
  cpSync(fileURLToPath(new URL('./bundle', import.meta.url)), home, { recursive: true });
  cpSync(folder, `${home}/node_modules/posepress`, { recursive: true });
  await build({ root: home, base: './', configFile: false, logLevel: 'warn', build: { outDir: `${home}/vite` } });
  problems.push(...readdirSync(`${home}/vite/assets`).filter((name) => !/\.(js|wasm)$/.test(name)));
  const handed = { entryPoints: [`${home}/handed.js`], bundle: true, logLevel: 'error' };
  await esbuild.build({ ...handed, format: 'esm', loader: { '.wasm': 'file' }, outdir: `${home}/esbuild` });
  await esbuild.build({ ...handed, format: 'iife', loader: { '.wasm': 'binary' }, outdir: `${home}/file` });
  cpSync(`${home}/esbuild.html`, `${home}/esbuild/index.html`);
  cpSync(`${home}/file.html`, `${home}/file/index.html`);
}

const inPage = (work) => globalThis.play(work);

const inWorker = (work) =>
  new Promise((resolve, reject) => {
    const worker = globalThis.worker?.() ?? new Worker('./handed.js', { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`worker: ${message}`));
    worker.postMessage(work);
  });

/** Plays in each place of a page. */
async function play(page, places) {
  const opened = await open(page, { width: 320, height: 240 });
  for (const [name, run] of Object.entries(places)) {
    const poses = await opened.page.evaluate(run, task);
    writeFileSync(`${out}.${name}`, Buffer.from(poses, 'base64'));
  }
  const own = new URL('.', opened.page.url()).href;
  problems.push(...opened.problems, ...opened.requests.filter((asked) => !asked.startsWith(own)));
  await opened.browser.close();
}

try {
  await bundle();
  const site = await serve(home, POLICY);
  await play(`${site.address}/vite/index.html`, { vite: inPage, 'vite-worker': inWorker });
  await play(`${site.address}/esbuild/index.html`, { esbuild: inPage, 'esbuild-worker': inWorker });
  site.close();
  await play(`${home}/file/index.html`, { file: inPage });
} finally {
  rmSync(home, { recursive: true });
}
process.stdout.write(JSON.stringify(problems));
