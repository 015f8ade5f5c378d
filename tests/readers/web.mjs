// Plays every clip of a container in modules of the npm package. Arguments: the package's folder, the container, a path, places per sample
// interval, and names of modules. Writes the poses of each module to the path with the module's name as extension.

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , folder, file, out, steps, ...modules] = process.argv;
const { load } = await import(pathToFileURL(`${folder}/posepress.js`));

for (const module of modules) {
  const [codecs, simd] = module.split('-');
  const posepress = await load({ codecs, simd: simd !== undefined });
  const container = posepress.open(readFileSync(file));
  const poses = container.clips.map((_, index) => {
    const clip = container.openClip(index);
    const player = clip.player();
    const places = Array.from({ length: (clip.samples - 1) * steps + 1 }, (_, place) => place / steps);
    return Buffer.concat(places.map((place) => Buffer.from(player.sampleAt(place).slice().buffer)));
  });
  writeFileSync(`${out}.${module}`, Buffer.concat(poses));
}
