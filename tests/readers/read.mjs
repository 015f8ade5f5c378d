// Reads a GLB with two readers of other projects. Arguments: the file, and for each of its animations a list of times, as JSON.
// Prints the errors of the Khronos validator, and the world matrices that three.js plays: by animation, time and node.

import { readFileSync } from 'node:fs';
import { validateBytes } from 'gltf-validator';
import { AnimationMixer, LoopOnce, MeshBasicMaterial } from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const [, , file, times] = process.argv;
const bytes = new Uint8Array(readFileSync(file));
const ERROR = 0;

async function validated() {
  const report = await validateBytes(bytes, { maxIssues: 0 });
  const errors = report.issues.messages.filter((message) => message.severity === ERROR);
  return { count: report.issues.numErrors, errors: errors.slice(0, 20) };
}

async function loaded() {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  // Pictures need a browser, and move nothing.
  loader.register(() => ({ name: 'PLAIN', loadMaterial: async () => new MeshBasicMaterial() }));
  return loader.parseAsync(bytes.buffer, '');
}

function played(gltf, animation, at) {
  const nodes = [];
  gltf.scene.traverse((object) => {
    const node = gltf.parser.associations.get(object)?.nodes;
    if (node !== undefined) nodes[node] = object;
  });
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[animation]);
  action.setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const poses = at.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    return Array.from(nodes, (object) => object?.matrixWorld.elements.slice() ?? null);
  });
  mixer.stopAllAction();
  return poses;
}

const validator = await validated();
const gltf = await loaded();
const animations = JSON.parse(times).map((at, animation) => played(gltf, animation, at));
process.stdout.write(JSON.stringify({ validator, animations }));
