// Plays a clip of a .posepress container on the nodes of a model in Babylon.js, which are found by the names of the rig's joints.

import { NodePlayer } from './posepress-nodes.js';

export class PosepressPlayer extends NodePlayer {
  /** `container` and `clip` are those of the package posepress; `root` is the first mesh of a loaded GLB, which turns it to the scene's axes. */
  constructor(root, container, clip) {
    super(new Map(root.getDescendants(false).map((node) => [node.name, node])), container, clip);
  }

  move(node, pose, at) {
    node.rotationQuaternion.fromArray(pose, at);
    node.position.fromArray(pose, at + 4);
    node.scaling.fromArray(pose, at + 7);
  }
}
