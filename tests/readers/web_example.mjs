// Plays a container on a GLB with one of the examples for engines. Arguments of each script that uses it: the npm package's folder, the examples'
// folder, a GLB, a container, and times in seconds as JSON. Prints the world matrices of the joints: by clip, time and joint.

import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , folder, examples, model, file, times] = process.argv;

/** `open` makes of a GLB's bytes the root of its scene, and a function that returns its joints' world matrices by name. */
export async function play(example, open) {
  const home = pathToFileURL(`${folder}/posepress.js`).href;
  // As the import map of the example's page.
  const hook = `export const resolve = (name, context, next) =>
    name === 'posepress' ? { url: ${JSON.stringify(home)}, shortCircuit: true } : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { load } = await import('posepress');
  const { PosepressPlayer } = await import(pathToFileURL(`${examples}/${example}`));

  const { root, worlds } = await open(new Uint8Array(readFileSync(model)).buffer);
  const container = (await load()).open(readFileSync(file));
  const names = container.joints.map(({ name }) => name);
  const poses = container.clips.map((_, index) => {
    const player = new PosepressPlayer(root, container, container.openClip(index));
    const missing = player.missing(container);
    if (missing.length > 0) throw new Error(`the model lacks ${missing.join(', ')}`);
    return JSON.parse(times).map((time) => {
      player.setTime(time);
      return worlds(names);
    });
  });
  process.stdout.write(JSON.stringify(poses));
}
