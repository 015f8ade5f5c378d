// Plays a page in a browser. Arguments: the page, a clip, what `posepress decode --json` prints of this clip at its samples, at more times,
// and at those times without compression, and a folder. Prints how far the page's joints are from those poses, what the keys do, what both
// views show, the notes that it downloads, what axe-core finds, how it fits a phone, and what it says without WebGL.

import { readFileSync, readdirSync } from 'node:fs';
import { faults } from './axe.mjs';
import { open } from './browser.mjs';

const [, , file, clip, decoded, between, original, folder] = process.argv;
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const document = read(decoded);
const { browser, page, requests, problems } = await open(file, { width: 1280, height: 800 });
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (test, ...args) => page.waitForFunction(test, { timeout: 20000 }, ...args);
const state = () => page.evaluate(() => ({ ...window.posepress.state, notes: undefined }));

/** Turns a vector by a quaternion. */
function turned([x, y, z, w], [a, b, c]) {
  const [d, e, f] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * d + y * f - z * e, b + w * e + z * d - x * f, c + w * f + x * e - y * d];
}

const product = ([x, y, z, w], [a, b, c, d]) => [
  w * a + x * d + y * c - z * b,
  w * b - x * c + y * d + z * a,
  w * c + x * b - y * a + z * d,
  w * d - x * a - y * b - z * c,
];

/** Origins of the joints of a pose in object space. Scales are uniform here. */
function origins(pose) {
  const model = [];
  document.joints.forEach(({ parent }, joint) => {
    const { translation, rotation, scale } = pose.joints[joint];
    if (parent === null) return model.push({ origin: translation, rotation, scale: scale[0] });
    const { origin, rotation: turn, scale: size } = model[parent];
    const arm = turned(turn, translation.map((value) => value * size));
    model.push({ origin: origin.map((value, axis) => value + arm[axis]), rotation: product(turn, rotation), scale: size * scale[0] });
  });
  return model.map(({ origin }) => origin);
}

/** The largest distance between joints of a side of the page and of decoded poses. */
async function joints({ poses }, of = 1) {
  const secs = poses.map(({ time_secs }) => time_secs);
  const found = await page.evaluate((all, of) => {
    const { poseAt, clip } = window.posepress;
    return all.map((time) => {
      const place = time * clip().rate_hz;
      const sample = Math.round(place);
      const side = poseAt(Math.abs(place - sample) < 1e-3 ? sample : place).sides[of];
      return Array.from({ length: side.length / 12 }, (_, joint) => [3, 7, 11].map((at) => side[12 * joint + at]));
    });
  }, secs, of);
  const distances = poses.flatMap((pose, sample) =>
    origins(pose).map((origin, joint) => Math.hypot(...origin.map((value, axis) => value - found[sample][joint][axis]))),
  );
  return Math.max(...distances);
}

/** Number of floats of the page that differ from the decoded ones at the samples. */
async function differentFloats() {
  const found = await page.evaluate((count) => {
    const { locals } = window.posepress;
    return Array.from({ length: count }, (_, place) => [...locals(1, place)]);
  }, document.poses.length);
  const floats = document.poses.map(({ joints }) => joints.flatMap(({ rotation, translation, scale }) => [...rotation, ...translation, ...scale]));
  return floats.flatMap((row, place) => row.filter((value, at) => !Object.is(Math.fround(value), found[place][at]))).length;
}

/** The largest difference between the errors that the page measures and those of the report, at the samples. */
const errors = () =>
  page.evaluate(() => {
    const { poseAt, clip } = window.posepress;
    const { samples, sub_frames, shell } = clip();
    const off = Array.from({ length: samples }, (_, at) => Math.abs(Math.max(...poseAt(at).errors) - shell[at * sub_frames]));
    return Math.max(...off);
  });

/** Colours and filled pixels of both halves of the picture. */
const halves = () =>
  page.evaluate(() => {
    const canvas = window.document.getElementById('canvas');
    const gl = canvas.getContext('webgl2');
    window.posepress.draw();
    return [0, 0.5].map((from) => {
      const [width, height] = [Math.floor(canvas.width / 2), canvas.height];
      const pixels = new Uint8Array(4 * width * height);
      gl.readPixels(from * canvas.width, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      const colors = new Set();
      let filled = 0;
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels[at + 3] > 250) filled += 1;
        colors.add(pixels[at] | (pixels[at + 1] << 8) | (pixels[at + 2] << 16));
      }
      return { colors: colors.size, share: filled / (width * height) };
    });
  });

async function keys() {
  const log = {};
  for (const key of ['2', '3', '4', '1', '5', '6', '+', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home', 'w', 'p', 'l', 'k', 'u', 'f', 'a']) {
    await page.keyboard.press(key);
    const { mode, heat, difference, factor, place, speed, looped, joint } = await state();
    (log[key] ??= []).push({ mode, heat, difference, factor, place, speed, looped, joint });
  }
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await until(() => window.posepress.state.place > 0);
  await page.keyboard.press('k');
  log.played = (await state()).place;
  await page.keyboard.press('?');
  log.help = await page.$$eval('#keys[open] dt', (all) => all.length);
  await page.keyboard.press('Escape');
  return log;
}

/** What drags, the wheel, a held key and a click in the timeline do. */
async function pointer() {
  const box = await page.$eval('#canvas', (canvas) => canvas.getBoundingClientRect().toJSON());
  const look = () => page.evaluate(() => ({ ...window.posepress.camera, target: [...window.posepress.camera.target], wipe: window.posepress.state.wipe }));
  const drag = async (x, dx) => {
    await page.mouse.move(box.x + x * box.width, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + (x + dx) * box.width, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
  };
  const start = await look();
  await drag(0.3, 0.1);
  const orbited = await look();
  await page.mouse.wheel({ deltaY: 100 });
  await wait(100);
  const dollied = await look();
  await page.keyboard.down('Shift');
  await drag(0.3, 0.1);
  await page.keyboard.up('Shift');
  const panned = await look();
  await page.keyboard.press('2');
  await drag(0.5, 0.2);
  const { wipe } = await look();
  await page.keyboard.press('1');
  await page.keyboard.down('r');
  const held = await page.$eval('#chip-b', (chip) => chip.textContent);
  await page.keyboard.up('r');
  const line = await page.$eval('#plot-well', (well) => well.getBoundingClientRect().toJSON());
  await page.mouse.click(line.x + line.width / 2, line.y + line.height / 2);
  const clicked = (await state()).place / (document.poses.length - 1);
  return {
    yaw: orbited.yaw - start.yaw,
    distance: dollied.distance / orbited.distance,
    pan: Math.hypot(...panned.target.map((value, axis) => value - dollied.target[axis])),
    wipe,
    held,
    clicked,
  };
}

/** Two fingers that move apart come closer. */
async function pinch() {
  const box = await page.$eval('#canvas', (canvas) => canvas.getBoundingClientRect().toJSON());
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const before = await page.evaluate(() => window.posepress.camera.distance);
  const [a, b] = [await page.touchscreen.touchStart(x - 20, y), await page.touchscreen.touchStart(x + 20, y)];
  for (const spread of [40, 60, 80]) {
    await a.move(x - spread, y);
    await b.move(x + spread, y);
  }
  await a.end();
  await b.end();
  return (await page.evaluate(() => window.posepress.camera.distance)) / before;
}

async function notes() {
  await page.keyboard.press('w');
  await page.keyboard.press('m');
  await page.keyboard.type('The foot pops: <b>look</b>');
  await page.type('#note-author', 'Eve');
  await page.click('#note button');
  const session = await browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
  await page.click('#download');
  for (let tries = 0; tries < 50; tries += 1) {
    const found = readdirSync(folder).find((name) => name.endsWith('.posepress.json'));
    if (found) return JSON.parse(readFileSync(`${folder}/${found}`, 'utf8'));
    await wait(100);
  }
  return null;
}

/** Selects every clip and waits until it is shown. */
async function everyClip() {
  const count = await page.$$eval('#clips li', (all) => all.length);
  for (let index = 0; index < count; index += 1) {
    await page.evaluate((at) => window.posepress.select(at), index);
    await until((at) => window.posepress.clip()?.name === window.posepress.scene.clips[at].name, index);
  }
  return count;
}

async function phone() {
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.reload();
  await page.evaluate(() => window.posepress.started);
  await page.screenshot({ path: `${folder}/phone.png` });
  const fit = await page.evaluate(() => {
    const { left, right, top, bottom } = window.document.getElementById('canvas').getBoundingClientRect();
    return { overflow: window.document.documentElement.scrollWidth - window.innerWidth, canvas: { left, right, top, bottom } };
  });
  return { ...fit, pinch: await pinch() };
}

/** What the page says in a browser that cannot draw. */
async function withoutWebGl() {
  await page.evaluateOnNewDocument(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
    };
  });
  await page.reload();
  await page.evaluate(() => window.posepress.started);
  await page.keyboard.press('w');
  return page.$eval('#message', (message) => (message.hidden ? '' : message.textContent));
}

await page.evaluate(() => window.posepress.started);
await page.evaluate((name) => window.posepress.select(window.posepress.scene.clips.findIndex((one) => one.name === name)), clip);
const decodes = await page.evaluate(() => window.posepress.clip().decodes);
const measured = {
  decodes,
  joints_m: await joints(document),
  between_m: await joints(read(between)),
  original_m: await joints(read(original), 0),
  different_floats: await differentFloats(),
  errors_m: await errors(),
};
const answer = { ...measured, halves: await halves(), keys: await keys(), pointer: await pointer(), notes: await notes() };
await page.screenshot({ path: `${folder}/desktop.png` });
answer.clips = await everyClip();
answer.inaccessible = await faults(page);
await page.emulateMediaType('print');
answer.printed = await page.$eval('#player', (player) => getComputedStyle(player).display);
await page.emulateMediaType('screen');
page.on('dialog', (dialog) => dialog.accept());
answer.phone = await phone();
answer.without_webgl = await withoutWebGl();
await browser.close();
process.stdout.write(JSON.stringify({ ...answer, requests, problems }));
