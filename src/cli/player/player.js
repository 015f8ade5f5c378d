/** Shows the state in buttons and labels. The picture is drawn in the next frame. */
function refresh() {
  for (const button of $("player").querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", button.dataset.mode === state.mode);
  for (const button of $("player").querySelectorAll("[data-layer]")) button.setAttribute("aria-pressed", state[button.dataset.layer]);
  if (state.clip < 0) return;
  showTime();
  label();
}

/** Moves on by the time since the last frame. */
function advance(secs) {
  const clip = scene.clips[state.clip];
  if (!state.speed || !shown) return;
  let place = state.place + secs * state.speed * clip.rate_hz;
  const last = lastPlace();
  const ended = place > last || place < 0;
  if (ended && state.looped && last > 0) place = ((place % last) + last) % last;
  else if (ended) state.speed = 0;
  seek(place);
}

function startPointer() {
  const canvas = $("canvas");
  const fingers = new Map();
  let spread = 0;
  const place = (event) => [event.offsetX, event.offsetY];
  const wipeAt = (x) => (state.wipe = Math.min(1, Math.max(0, x / canvas.clientWidth)));
  const nearWipe = (x) => state.mode === "wipe" && Math.abs(x - state.wipe * canvas.clientWidth) < 12;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { at: place(event), wipes: nearWipe(event.offsetX) });
    spread = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (state.heldWipe && state.mode === "wipe") refresh(wipeAt(event.offsetX));
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const [dx, dy] = place(event).map((value, axis) => value - finger.at[axis]);
    finger.at = place(event);
    if (finger.wipes) return refresh(wipeAt(event.offsetX));
    if (fingers.size === 1) return event.shiftKey ? pan(dx, dy, canvas.clientHeight) : orbit(dx, dy);
    const [a, b] = [...fingers.values()].map((one) => one.at);
    const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (spread) dolly(spread / now);
    spread = now;
    pan(dx / 2, dy / 2, canvas.clientHeight);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    dolly(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.002));
  }, { passive: false });
}

function startPlayer() {
  $("player").hidden = false;
  startGl();
  [startKeys, startPointer, startTimeline, startNotes, paintRamp, listClips].forEach((start) => start());
  $("filter").oninput = listClips;
  let before = performance.now();
  const tick = (now) => {
    advance(Math.min((now - before) / 1000, 0.1));
    before = now;
    if (state.speed || state.mode === "blink" || state.heldBlink) label();
    draw();
    requestAnimationFrame(tick);
  };
  const failing = scene.clips.findIndex(({ verdict, there }) => there && verdict === "fail");
  const first = failing >= 0 ? failing : Math.max(scene.clips.findIndex(({ there }) => there), 0);
  const started = select(first).then(refresh);
  requestAnimationFrame(tick);
  // For tests and the console of the browser.
  const locals = (side, place) => localsAt(shown, side, place);
  const vertices = (side) => someVertices(shown.mesh, shown.pose, side, shown.mesh.positions.length);
  window.posepress = { vertices, scene, state, camera, started, select, seek, poseAt, locals, draw, clip: () => shown };
}

startPlayer();
