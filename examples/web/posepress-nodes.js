// Plays a clip of a .posepress container on the nodes of a scene. The file for each engine finds its nodes and moves them.

import { JOINT_NUMBERS } from 'posepress';

export class NodePlayer {
  #clip;
  #nodes;
  #player;

  /** `container` and `clip` are those of the package posepress; `byName` is a Map of the scene's nodes. */
  constructor(byName, container, clip) {
    this.#nodes = container.joints.map(({ name }) => byName.get(name));
    this.#clip = clip;
    this.#player = clip.player();
  }

  /** Names of joints that the scene lacks. */
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
      if (node !== undefined) this.move(node, pose, JOINT_NUMBERS * joint);
    });
  }

  dispose() {
    this.#player.dispose();
  }
}
