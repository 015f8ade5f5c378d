// Draws the mesh of a page in a browser. Arguments: the page, a clip, and times in seconds as JSON. Prints the vertices of both sides at each
// time, and the part of the picture that changes at the last time if morph targets move nothing.

import { open } from './browser.mjs';

const [, , file, clip, times] = process.argv;
const { browser, page, requests, problems } = await open(file, { width: 1280, height: 800 });
await page.evaluate(() => window.posepress.started);
await page.evaluate((name) => window.posepress.select(window.posepress.scene.clips.findIndex((one) => one.name === name)), clip);
const vertices = await page.evaluate((all) => {
  const { seek, clip, vertices } = window.posepress;
  return all.map((time) => {
    seek(time * clip().rate_hz);
    return [0, 1].map(vertices);
  });
}, JSON.parse(times));
const changed = await page.evaluate(() => {
  const { draw, seek, state, clip } = window.posepress;
  const canvas = window.document.getElementById('canvas');
  const gl = canvas.getContext('webgl2');
  const pixels = () => {
    draw();
    const out = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return new Uint32Array(out.buffer);
  };
  const before = pixels();
  for (const { offsets } of clip().mesh.targets) offsets.fill(0);
  seek(state.place);
  const after = pixels();
  return after.filter((pixel, at) => pixel !== before[at]).length / after.length;
});
await browser.close();
process.stdout.write(JSON.stringify({ vertices, changed, requests, problems }));
