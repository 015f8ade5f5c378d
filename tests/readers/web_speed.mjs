// Nanoseconds per joint of the npm package. Arguments: the package's folder, a container, and names of modules.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , folder, file, ...modules] = process.argv;
const { load } = await import(pathToFileURL(`${folder}/posepress.js`));
const POSES = 20000;

for (const module of modules) {
  const [codecs, simd] = module.split('-');
  const container = (await load({ codecs, simd: simd !== undefined })).open(readFileSync(file));
  for (const [index, { name }] of container.clips.entries()) {
    const clip = container.openClip(index);
    const player = clip.player();
    const turn = () => {
      const started = performance.now();
      for (let pose = 0; pose < POSES; pose++) player.sampleAt((pose + 0.5) % (clip.samples - 1 || 1));
      return (1e6 * (performance.now() - started)) / (POSES * clip.joints);
    };
    turn();
    console.log(module.padEnd(12), Math.min(turn(), turn(), turn()).toFixed(1).padStart(7), 'ns per joint,', name);
  }
}
