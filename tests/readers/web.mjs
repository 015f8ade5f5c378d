// Plays every clip of a container in modules of the npm package, under node or Deno. Arguments: the package's folder, the container, a path, places per sample
// interval, and names of modules. Writes the poses of each module to the path with the module's name as extension.

import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { poses } from './bundle/poses.js';

const [, , folder, file, out, steps, ...modules] = process.argv;
const { load } = await import(pathToFileURL(`${folder}/posepress.js`));

for (const module of modules) {
  const [codecs, simd] = module.split('-');
  const posepress = await load({ codecs, simd: simd !== undefined });
  writeFileSync(`${out}.${module}`, poses(posepress, readFileSync(file), Number(steps)));
}
