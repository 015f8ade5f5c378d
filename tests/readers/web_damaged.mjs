// Opens and plays damaged clips behind correct checksums in each module of the npm package. Arguments: the package's folder, and containers.
// A clip is refused with an error, or plays other poses. Prints their number.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , folder, ...files] = process.argv;
const { PosepressError, load } = await import(pathToFileURL(`${folder}/posepress.js`));

let [clips, refused] = [0, 0];
for (const codecs of ['codecs', 'full']) {
  for (const simd of [false, true]) {
    const posepress = await load({ codecs, simd });
    [clips, refused] = [0, 0];
    for (const file of files) {
      const container = posepress.open(readFileSync(file));
      for (let index = 0; index < container.clips.length; index++) {
        clips += 1;
        try {
          const clip = container.openClip(index);
          const player = clip.player();
          for (let place = -1; place <= clip.samples; place += 0.5) player.sampleAt(place);
          player.dispose();
          clip.dispose();
        } catch (error) {
          assert.ok(error instanceof PosepressError, error);
          assert.ok(['truncated', 'invalid', 'memory'].includes(error.kind), `${file}, clip ${index}: ${error.message}`);
          refused += 1;
        }
      }
    }
  }
}
assert.ok(refused > 0 && refused < clips);
console.log(`${clips} damaged clips, ${refused} refused`);
