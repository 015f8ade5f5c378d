// How three-vrm moves a human by the clip of another. Arguments: a VRM, a VRMA, and a list of times, as JSON.
// Prints the world matrices of the model's bones: by time and bone.

import { readFileSync } from 'node:fs';
import { VRMLoaderPlugin } from '@pixiv/three-vrm';
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from '@pixiv/three-vrm-animation';
import { AnimationMixer, LoopOnce, MeshBasicMaterial } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const [, , model, animation, times] = process.argv;

async function loaded(file) {
  const loader = new GLTFLoader();
  loader.register(() => ({ name: 'PLAIN', loadMaterial: async () => new MeshBasicMaterial() }));
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const gltf = await loader.parseAsync(new Uint8Array(readFileSync(file)).buffer, '');
  return gltf.userData;
}

const { vrm } = await loaded(model);
const clip = createVRMAnimationClip((await loaded(animation)).vrmAnimations[0], vrm);
const mixer = new AnimationMixer(vrm.scene);
const action = mixer.clipAction(clip);
action.setLoop(LoopOnce);
action.clampWhenFinished = true;
action.play();
const bones = Object.keys(vrm.humanoid.humanBones);
const poses = JSON.parse(times).map((time) => {
  mixer.setTime(time);
  vrm.update(0);
  vrm.scene.updateMatrixWorld(true);
  return Object.fromEntries(bones.map((bone) => [bone, vrm.humanoid.getRawBoneNode(bone).matrixWorld.elements.slice()]));
});
process.stdout.write(JSON.stringify(poses));
