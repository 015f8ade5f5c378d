/** Both sides of a foot at its touch-down, by contact. */
const touchDowns = new WeakMap();

function touchDown(contact) {
  if (!touchDowns.has(contact)) {
    const { sides } = poseAt(Math.round(contact.start_secs * shown.rate_hz));
    touchDowns.set(contact, sides.map((side) => origin(side, contact.joint)));
  }
  return touchDowns.get(contact);
}

/** The contacts of this moment. One that goes on across the seam of a loop is also at the start. */
function contactsNow(clip) {
  const secs = state.place / clip.rate_hz;
  const holds = ({ start_secs, end_secs }) => (start_secs <= secs && secs <= end_secs) || secs + clip.duration_secs <= end_secs;
  return clip.contacts.filter(holds);
}

/** How far a foot of the compressed side has drifted over the ground since its touch-down, beyond the original. */
function drift(contact) {
  const start = touchDown(contact);
  const [original, compressed] = shown.pose.sides.map((side) => origin(side, contact.joint));
  return [0, 2].map((axis) => compressed[axis] - start[1][axis] - (original[axis] - start[0][axis]));
}

/** A ring under each foot in contact, and on the compressed side its drift. */
function contactLines(side, dense) {
  const colors = { good: rgb("--ok"), warn: rgb("--amber"), fail: rgb("--red") };
  const enlarged = state.difference ? state.factor : 1;
  return contactsNow(shown).flatMap((contact) => {
    const [x, , z] = origin(shown.pose.sides[0], contact.joint);
    const hue = [...colors[contact.verdict], 1];
    const spot = (angle, reach) => [x + Math.cos(angle) * reach, shown.ground_m, z + Math.sin(angle) * reach];
    const turn = (part) => (part / 24) * 2 * Math.PI;
    const radius = 0.045 * shown.size;
    const ring = Array.from({ length: 24 }, (_, at) => [spot(turn(at), radius), spot(turn(at + 1), radius), [dense], hue]);
    if (!side) return ring;
    const [dx, dz] = drift(contact).map((way) => way * enlarged);
    return [...ring, [[x, shown.ground_m, z], [x + dx, shown.ground_m, z + dz], [2.5 * dense], hue]];
  });
}
