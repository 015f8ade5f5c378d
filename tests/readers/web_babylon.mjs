// The example for Babylon.js, in a scene with its usual, left-handed axes. World matrices are relative to the model's root, which mirrors it.

import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Logger } from '@babylonjs/core/Misc/logger.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/2.0/index.js';
import { play } from './web_example.mjs';

Logger.LogLevels = Logger.NoneLogLevel;

await play('posepress-babylon.js', async (glb) => {
  const scene = new Scene(new NullEngine());
  const { meshes, animationGroups } = await ImportMeshAsync(new Uint8Array(glb), scene, { pluginExtension: '.glb' });
  animationGroups.forEach((group) => group.stop());
  const [root] = meshes;
  const worlds = (names) => {
    const back = root.computeWorldMatrix(true).clone().invert();
    const nodes = root.getDescendants(false);
    nodes.forEach((node) => node.computeWorldMatrix(true));
    return names.map((name) => [...nodes.find((node) => node.name === name).getWorldMatrix().multiply(back).m]);
  };
  return { root, worlds };
});
