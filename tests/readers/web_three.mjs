// The example for three.js.

import { MeshBasicMaterial } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { play } from './web_example.mjs';

const loader = new GLTFLoader();
// Pictures need a browser, and move nothing.
loader.register(() => ({ name: 'PLAIN', loadMaterial: async () => new MeshBasicMaterial() }));

await play('posepress-three.js', async (glb) => {
  const { scene } = await loader.parseAsync(glb, '');
  const byName = new Map();
  scene.traverse((node) => byName.set(node.userData.name ?? node.name, node));
  const worlds = (names) => {
    scene.updateMatrixWorld(true);
    return names.map((name) => byName.get(name).matrixWorld.elements.slice());
  };
  return { root: scene, worlds };
});
