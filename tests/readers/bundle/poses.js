// Poses of all clips of a container, at places per sample interval, as bytes. It runs in every engine.

export function poses(posepress, bytes, steps) {
  const container = posepress.open(bytes);
  const all = container.clips.flatMap((_, index) => {
    const clip = container.openClip(index);
    const player = clip.player();
    const places = Array.from({ length: (clip.samples - 1) * steps + 1 }, (_, place) => place / steps);
    return places.map((place) => player.sampleAt(place).slice());
  });
  const whole = new Float32Array(all.reduce((length, pose) => length + pose.length, 0));
  all.reduce((at, pose) => (whole.set(pose, at), at + pose.length), 0);
  return new Uint8Array(whole.buffer);
}
