// Plays a clip of a .posepress container on the nodes of a three.js object, which are found by the names of the rig's joints.

import { NodePlayer } from './posepress-nodes.js';

export class PosepressPlayer extends NodePlayer {
  /** `container` and `clip` are those of the package posepress; `root` is the scene of a loaded GLB. */
  constructor(root, container, clip) {
    const byName = new Map();
    // GLTFLoader changes names that its animation system cannot hold, and keeps the file's own.
    root.traverse((node) => byName.set(node.userData.name ?? node.name, node));
    super(byName, container, clip);
  }

  move(node, pose, at) {
    node.quaternion.fromArray(pose, at);
    node.position.fromArray(pose, at + 4);
    node.scale.fromArray(pose, at + 7);
  }
}
