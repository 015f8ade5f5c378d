const lastPlace = () => Math.max(scene.clips[state.clip].samples - 1, 0);
const part = (secs) => Math.min(Math.max((secs * scene.clips[state.clip].rate_hz) / (lastPlace() || 1), 0), 1);

/** Draws errors, limit, peaks and contacts of the selected clip. */
function drawTimeline() {
  const clip = scene.clips[state.clip];
  drawErrors(clip);
  const worst = Math.max(...clip.peaks.map((peak) => peak.error_m));
  const marks = clip.peaks.map((peak) => {
    const mark = make("button", "\u25bc", peak.error_m === worst ? "most" : "");
    mark.style.left = `${100 * part(peak.secs)}%`;
    mark.title = `${clock(peak.secs)}: ${jointName(peak.joint)}, ${length(peak.error_m)}`;
    mark.tabIndex = -1;
    mark.onclick = () => goTo(peak.secs, peak.joint);
    return mark;
  });
  $("peaks").replaceChildren(...marks);
  $("lanes").replaceChildren(...contactLanes(clip), ...pinLanes(clip));
}

const jointName = (joint) => scene.rigs[scene.clips[state.clip].rig].joints[joint];

function drawErrors(clip) {
  const { shell, skin } = shown ?? { shell: new Float32Array(), skin: new Float32Array() };
  const most = Math.max(clip.tolerance_m, largest(shell), largest(skin)) * 1.15;
  const y = (error) => 100 - (error / most) * 100;
  const line = (values) => {
    const last = Math.max(values.length - 1, 1);
    return Array.from(values, (value, at) => `${at ? "L" : "M"}${((at / last) * 1000).toFixed(2)},${y(value).toFixed(2)}`).join("");
  };
  const limit = y(clip.tolerance_m).toFixed(2);
  const over = Float32Array.from(shell, (value) => Math.max(value, clip.tolerance_m));
  $("shell").setAttribute("d", line(shell));
  $("skin").setAttribute("d", line(skin));
  $("limit").setAttribute("d", `M0,${limit}H1000`);
  $("over").setAttribute("d", shell.length ? `${line(over)}L1000,${limit}L0,${limit}Z` : "");
  $("plot-skin").textContent = skin.length ? `skin ${length(largest(skin))}` : "";
  $("plot-shell").textContent = shown ? `shell ${length(largest(shell))}` : "not in the page";
  $("plot-limit").textContent = `limit ${length(clip.tolerance_m)}`;
}

const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0);

/** One lane per foot with its contacts. */
function contactLanes(clip) {
  const feet = [...new Set(clip.contacts.map((contact) => contact.joint))];
  return feet.map((foot) => {
    const spans = clip.contacts.filter((contact) => contact.joint === foot);
    return lane(jointName(foot), spans.map((span) => ({ ...span, size_m: span.slide_m, what: "slides" })), clip);
  });
}

/** One lane per pinned joint. */
function pinLanes(clip) {
  const joints = [...new Set(clip.pins.map((pin) => pin.joint))];
  return joints.map((joint) => {
    const spans = clip.pins.filter((pin) => pin.joint === joint);
    const rows = spans.map((span) => ({ ...span, size_m: span.drift_m, what: `drifts on ${span.on}` }));
    return lane(`pin ${jointName(joint)}`, rows, clip);
  });
}

function lane(name, spans, clip) {
  const row = make("div", undefined, "lane");
  const head = make("span", name);
  head.title = name;
  const bars = make("div");
  row.append(head, bars);
  for (const span of spans) {
    const words = `${name}, ${clock(span.start_secs)} to ${clock(span.end_secs)}: ${span.what} ${length(span.size_m)}; in the original ${length(span.source_m)}`;
    const ends = [[span.start_secs, span.end_secs]];
    if (span.end_secs > clip.duration_secs) ends.push([0, span.end_secs - clip.duration_secs]);
    for (const [from, to] of ends) {
      const bar = make("button", undefined, span.verdict);
      bar.append(sign(span.verdict), make("span", length(span.size_m)));
      bar.style.left = `${100 * part(from)}%`;
      bar.style.width = `${100 * Math.max(part(to) - part(from), 0.004)}%`;
      bar.title = words;
      bar.setAttribute("aria-label", words);
      bar.tabIndex = -1;
      bar.onclick = () => goTo(span.worst_secs, span.joint);
      bars.append(bar);
    }
  }
  return row;
}

/** Goes to a time and selects the joint. */
function goTo(secs, joint) {
  state.speed = 0;
  if (joint !== undefined) selectJoint(joint);
  seek(secs * scene.clips[state.clip].rate_hz);
}

function goToPeak(step) {
  const now = state.place / scene.clips[state.clip].rate_hz;
  const peaks = scene.clips[state.clip].peaks.filter((peak) => (peak.secs - now) * step > 0.0005);
  const next = step > 0 ? peaks[0] : peaks.at(-1);
  if (next) goTo(next.secs, next.joint);
}

function goToContact(step) {
  const now = state.place / scene.clips[state.clip].rate_hz;
  const all = scene.clips[state.clip].contacts.toSorted((a, b) => a.start_secs - b.start_secs);
  const near = all.filter((contact) => (contact.start_secs - now) * step > 0.0005);
  const next = (step > 0 ? near[0] : near.at(-1)) ?? (step > 0 ? all[0] : all.at(-1));
  if (next) goTo(next.start_secs, next.joint);
}

function goToWorst() {
  const { worst, rig } = scene.clips[state.clip];
  if (worst) goTo(worst[1], scene.rigs[rig].joints.indexOf(worst[0]));
}

function goToWorstContact() {
  const worst = scene.clips[state.clip].contacts.toSorted((a, b) => b.slide_m - a.slide_m)[0];
  if (worst) goTo(worst.worst_secs, worst.joint);
}

/** Shows a place of the clip, in samples. */
function seek(place) {
  const sample = Math.round(place);
  state.place = Math.min(Math.max(Math.abs(place - sample) < 1e-3 ? sample : place, 0), lastPlace());
  if (shown) shown.pose = poseAt(state.place);
  showTime();
  showErrors();
}

function showTime() {
  const clip = scene.clips[state.clip];
  const secs = state.place / clip.rate_hz;
  const frame = Math.round(state.place * 100) / 100;
  $("cursor").style.left = `${100 * part(secs)}%`;
  $("clock").textContent = clock(secs);
  $("frame").textContent = `f ${frame} / ${lastPlace()}`;
  $("now").textContent = shown ? `now ${length(Math.max(...shown.pose.errors))}` : "";
  $("cursor-area").setAttribute("aria-valuemax", lastPlace());
  $("cursor-area").setAttribute("aria-valuenow", frame);
  $("cursor-area").setAttribute("aria-valuetext", `${clock(secs)}, frame ${frame}`);
  $("play").textContent = state.speed ? "Pause" : "Play";
  describeNote();
}

/** Click and drag set the time. */
function startTimeline() {
  const line = $("timeline");
  const scrub = (event) => {
    const area = $("cursor-area").getBoundingClientRect();
    state.speed = 0;
    seek(Math.round(((event.clientX - area.left) / area.width) * lastPlace()));
  };
  line.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) return;
    line.setPointerCapture(event.pointerId);
    scrub(event);
  });
  line.addEventListener("pointermove", (event) => {
    if (line.hasPointerCapture(event.pointerId)) scrub(event);
  });
}
