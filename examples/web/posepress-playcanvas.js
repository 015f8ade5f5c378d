// Plays a clip of a .posepress container on the nodes of a model in PlayCanvas, which are found by the names of the rig's joints.

import { NodePlayer } from './posepress-nodes.js';

export class PosepressPlayer extends NodePlayer {
  /** `container` and `clip` are those of the package posepress; `root` is the entity of a loaded GLB. */
  constructor(root, container, clip) {
    const byName = new Map();
    root.forEach((node) => byName.set(node.name, node));
    super(byName, container, clip);
  }

  move(node, pose, at) {
    node.setLocalRotation(pose[at], pose[at + 1], pose[at + 2], pose[at + 3]);
    node.setLocalPosition(pose[at + 4], pose[at + 5], pose[at + 6]);
    node.setLocalScale(pose[at + 7], pose[at + 8], pose[at + 9]);
  }
}
