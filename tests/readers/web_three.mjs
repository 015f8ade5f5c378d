// Plays a container on a GLB with the example for three.js. Arguments: the npm package's folder, the example's folder, a GLB, a container, and
// times in seconds as JSON. Prints the world matrices of the joints: by clip, time and joint.

import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MeshBasicMaterial } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const [, , folder, example, model, file, times] = process.argv;
const home = pathToFileURL(`${folder}/posepress.js`).href;
// As the import map of the example's page.
const hook = `export const resolve = (name, context, next) =>
  name === 'posepress' ? { url: ${JSON.stringify(home)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { load } = await import('posepress');
const { PosepressPlayer } = await import(pathToFileURL(`${example}/posepress-three.js`));

const loader = new GLTFLoader();
// Pictures need a browser, and move nothing.
loader.register(() => ({ name: 'PLAIN', loadMaterial: async () => new MeshBasicMaterial() }));
const { scene } = await loader.parseAsync(new Uint8Array(readFileSync(model)).buffer, '');
const container = (await load()).open(readFileSync(file));
const byName = new Map();
scene.traverse((node) => byName.set(node.userData.name ?? node.name, node));
const poses = container.clips.map((_, index) => {
  const player = new PosepressPlayer(scene, container, container.openClip(index));
  const missing = player.missing(container);
  if (missing.length > 0) throw new Error(`the model lacks ${missing.join(', ')}`);
  return JSON.parse(times).map((time) => {
    player.setTime(time);
    scene.updateMatrixWorld(true);
    return container.joints.map(({ name }) => byName.get(name).matrixWorld.elements.slice());
  });
});
process.stdout.write(JSON.stringify(poses));
