/** Unpacks a clip and shows it. The latest choice wins. */
async function select(index, secs) {
  if (!scene.clips[index]) return;
  const [before, from] = [shown, scene.clips[state.clip]];
  const clip = scene.clips[index];
  // Another recipe of the same clip is shown at the same time.
  const start = secs ?? (from && from.own_name === clip.own_name && from.file === clip.file ? state.place / from.rate_hz : 0);
  Object.assign(state, { clip: index, place: 0 });
  markClip();
  say(clip.there ? "" : "The motion of this clip is not in the page. Its figures are.");
  let loaded = null;
  try {
    loaded = clip.there ? await load(index) : null;
  } catch (error) {
    say(`The motion of this clip cannot be read: ${error.message}`);
  }
  if (state.clip !== index) return;
  const sameRig = before && loaded && before.rigIndex === loaded.rigIndex;
  shown = loaded;
  if (!sameRig && loaded) {
    state.joint = -1;
    shown.pose = poseAt(0);
    frameAll(aspectOf());
  }
  if (shown) shown.pose = poseAt(0);
  if (shown) camera.anchor = wayNow();
  drawTimeline();
  listMoments();
  listJoints();
  describeNote();
  seek(start * clip.rate_hz);
  refresh();
}

const meshes = new Map();

async function load(index) {
  const clip = scene.clips[index];
  const rig = scene.rigs[clip.rig];
  const clips = await unpackClip(index);
  if (rig.mesh && !meshes.has(clip.rig)) meshes.set(clip.rig, await loadMesh(clip.rig));
  const made = { ...clip, ...clips, rig, rigIndex: clip.rig, mesh: meshes.get(clip.rig) };
  return { ...made, ...reachOf(made) };
}

async function loadMesh(index) {
  const { mesh, targets, textures } = scene.rigs[index];
  const unpacked = unpackMesh(await block(`mesh-${index}`), mesh);
  unpacked.targets = targets.length ? unpackTargets(words(await block(`morph-${index}`)), targets) : [];
  if (textures) unpacked.textures = unpackTextures(await block(`texture-${index}`), textures, mesh.vertices);
  return unpacked;
}

/** True per joint of the body. A root with one child stands apart from it: often on the ground or at the start of the way. */
function bodyOf(parents) {
  const children = (joint) => parents.filter((parent) => parent === joint).length;
  const body = parents.map((parent, joint) => parent >= 0 || children(joint) !== 1);
  return body.includes(true) ? body : body.fill(true);
}

/** The body, its size, and the first joint that travels, or -1. */
function reachOf(clip) {
  const { parents } = clip.rig;
  const body = bodyOf(parents);
  const [first, last] = [0, clip.samples - 1].map((place) => matricesOf(localsAt(clip, 0, place), parents));
  const points = parents.flatMap((_, joint) => (body[joint] ? [origin(first, joint)] : []));
  const sides = [0, 1, 2].map((axis) => {
    const values = points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  });
  const size = Math.max(Math.hypot(...sides), 0.05);
  const travels = (joint) => {
    const [a, b] = [origin(first, joint), origin(last, joint)];
    return Math.hypot(b[0] - a[0], b[2] - a[2]) > 0.3 * size;
  };
  const mover = parents.findIndex((_, joint) => travels(joint));
  return { body, size, mover };
}

/** Says words over the picture. Without words, it says why nothing is drawn. */
function say(words) {
  const shown = words || (gl ? "" : "This browser has no WebGL 2, so nothing is drawn. The figures are complete.");
  $("message").textContent = shown;
  $("message").hidden = !shown;
}

/** The clips whose names match the filter, by index. */
function listed() {
  const asked = $("filter").value.trim().toLowerCase();
  const matches = ({ name, codec, file }) => `${name} ${codec} ${file}`.toLowerCase().includes(asked);
  return scene.clips.flatMap((clip, index) => (matches(clip) ? [index] : []));
}

/** True if the page has the clip with several recipes. */
function isRepeated(index) {
  const { name, file } = scene.clips[index];
  return scene.clips.some((other, at) => at !== index && other.name === name && other.file === file);
}

function listClips() {
  const rows = listed().map((index) => {
    const { name, verdict, words, size, max, codec, there } = scene.clips[index];
    const row = make("li");
    row.id = `option-${index}`;
    row.setAttribute("role", "option");
    row.title = `${name}, ${codec}: ${words}${there ? "" : "; motion left out"}`;
    const recipe = isRepeated(index) ? [`${codec} ${length(scene.clips[index].tolerance_m)}`] : [];
    const line = [...recipe, max, there ? words : `${words}, motion left out`].join(" \u00b7 ");
    row.append(sign(verdict), make("b", name), make("small", size), make("em", line));
    row.onclick = () => select(index);
    return row;
  });
  if (!rows.length) rows.push(make("li", "No match."));
  $("clips").replaceChildren(...rows);
  $("clip-count").textContent = scene.clips.length;
  markClip();
}

function markClip() {
  for (const row of $("clips").children) row.setAttribute("aria-selected", row.id === `option-${state.clip}`);
  $("clips").setAttribute("aria-activedescendant", `option-${state.clip}`);
  const row = $(`option-${state.clip}`);
  if (row) scrollTo($("clips"), row);
  const clip = scene.clips[state.clip];
  if (!clip) return;
  $("verdict").replaceChildren(sign(clip.verdict), `${clip.name}, ${clip.codec}: ${clip.words}`);
  const form = clip.decodes ? `Decoded here from ${clip.size}.` : "Decoded when the page was written.";
  $("form").textContent = clip.there ? form : "";
}

/** Selects a clip further down or up the list; with `fails` only one over a limit. */
function selectBy(step, fails) {
  const rows = listed().filter((index) => !fails || scene.clips[index].verdict !== "good" || index === state.clip);
  const at = rows.indexOf(state.clip);
  const next = at < 0 ? 0 : fails ? (at + step + rows.length) % rows.length : at + step;
  if (rows[next] !== undefined && rows[next] !== state.clip) select(rows[next]);
}

/** Scrolls a list to a row, and nothing around it. */
function scrollTo(list, row) {
  const [outer, inner] = [list, row].map((element) => element.getBoundingClientRect());
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}
