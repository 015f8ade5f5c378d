// Plays a clip of a .posepress container on the nodes of a three.js object, which are found by the names of the rig's joints.

import { JOINT_NUMBERS } from 'posepress';

export class PosepressPlayer {
  #clip;
  #nodes;
  #player;

  /** `container` and `clip` are those of the package posepress; `root` is the scene of a loaded GLB. */
  constructor(root, container, clip) {
    const byName = new Map();
    // GLTFLoader changes names that its animation system cannot hold, and keeps the file's own.
    root.traverse((node) => byName.set(node.userData.name ?? node.name, node));
    this.#nodes = container.joints.map(({ name }) => byName.get(name));
    this.#clip = clip;
    this.#player = clip.player();
  }

  /** Names of joints that the object lacks. */
  missing(container) {
    return container.joints.filter((_, joint) => this.#nodes[joint] === undefined).map(({ name }) => name);
  }

  get durationSecs() {
    return this.#clip.durationSecs;
  }

  /** Poses the nodes at a time in seconds. */
  setTime(timeSecs) {
    const pose = this.#player.sample(timeSecs);
    this.#nodes.forEach((node, joint) => {
      if (node === undefined) return;
      const at = JOINT_NUMBERS * joint;
      node.quaternion.fromArray(pose, at);
      node.position.fromArray(pose, at + 4);
      node.scale.fromArray(pose, at + 7);
    });
  }

  dispose() {
    this.#player.dispose();
  }
}
