// Draws the mesh of a page in a browser. Arguments: the page, a clip, and times in seconds as JSON. Prints the vertices of both sides at each
// time, the parts of the mesh that are red, green and between, and the part of the picture that changes at the last time if morph targets
// move nothing.

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
const { colors, changed } = await page.evaluate(() => {
  const { draw, seek, state, clip } = window.posepress;
  const canvas = window.document.getElementById('canvas');
  const gl = canvas.getContext('webgl2');
  Object.assign(state, { bones: false, contacts: false });
  const pixels = () => {
    draw();
    const out = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return new Uint32Array(out.buffer);
  };
  const before = pixels();
  // The ground lets the page through.
  const mesh = before.filter((pixel) => pixel >>> 24 === 255);
  const part = (test) => mesh.filter((pixel) => test(pixel & 255, (pixel >> 8) & 255)).length / mesh.length;
  const colors = {
    red: part((red, green) => red > 2 * green),
    green: part((red, green) => green > 2 * red),
    mixed: part((red, green) => red <= 2 * green && green <= 2 * red),
  };
  for (const { offsets } of clip().mesh.targets) offsets.fill(0);
  seek(state.place);
  const after = pixels();
  return { colors, changed: after.filter((pixel, at) => pixel !== before[at]).length / after.length };
});
await browser.close();
process.stdout.write(JSON.stringify({ vertices, colors, changed, requests, problems }));
