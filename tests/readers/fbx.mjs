// How Babylon.js evaluates the constraints of an FBX. Arguments: the file, and a list of times in seconds, as JSON.
// Prints the world matrices of its nodes, in the file's units and axes: by time and node.

import { readFileSync } from 'node:fs';
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { Logger } from '@babylonjs/core/Misc/logger.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Animations/animatable.js';
import { FBXConstraintSolver, FBXFileLoader } from '@babylonjs/loaders/FBX/index.js';

const [, , file, times] = process.argv;

Logger.LogLevels = Logger.NoneLogLevel;
const scene = new Scene(new NullEngine());
scene.useRightHandedSystem = true;
const loader = new FBXFileLoader({ preset: 'full', unitScale: 'preserve', rebaseAnimations: false });
const loaded = await loader.importMeshAsync(null, scene, new Uint8Array(readFileSync(file)).buffer, '');
const [group] = loaded.animationGroups;
const rate = group.targetedAnimations[0].animation.framePerSecond;
const solver = FBXConstraintSolver.Get(scene);
group.start(false, 1, group.from, group.to);
const poses = JSON.parse(times).map((time) => {
  solver.beginFrame();
  group.goToFrame(group.from + time * rate);
  solver.solve();
  return Object.fromEntries(loaded.transformNodes.map((node) => [node.name, [...node.computeWorldMatrix(true).m]]));
});
process.stdout.write(JSON.stringify(poses));
