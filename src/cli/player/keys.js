const step = (by) => () => {
  state.speed = 0;
  seek(by % 1 ? state.place + by : Math.round(state.place) + by);
};

/** Plays in a direction; again: twice as fast, up to four times. */
function shuttle(direction) {
  const faster = Math.sign(state.speed) === direction ? state.speed * 2 : direction;
  state.speed = Math.max(-4, Math.min(4, faster));
}

function togglePlay() {
  if (!state.speed && state.place >= lastPlace() && !state.looped) seek(0);
  state.speed = state.speed ? 0 : 1;
}

function stepFactor(by) {
  const at = FACTORS.indexOf(state.factor) + by;
  state.factor = FACTORS[Math.min(Math.max(at, 0), FACTORS.length - 1)];
  state.difference = true;
}

const setMode = (mode) => () => (state.mode = mode);
const toggle = (layer) => () => (state[layer] = !state[layer]);

/** The keys of the program's window that act here: key, help, what it does. */
const KEYS = [
  ["Space", "Play and pause.", togglePlay],
  ["J", "Play backward. Again: twice as fast, up to four times.", () => shuttle(-1)],
  ["K", "Pause.", () => (state.speed = 0)],
  ["L", "Play forward. Again: twice as fast, up to four times.", () => shuttle(1)],
  ["Right", "Next sample. Also the full stop.", step(1)],
  ["Left", "Previous sample. Also the comma.", step(-1)],
  ["Shift+Right", "Ten samples on.", step(10)],
  ["Shift+Left", "Ten samples back.", step(-10)],
  ["Home", "First sample.", () => seek(0)],
  ["End", "Last sample.", () => seek(lastPlace())],
  ["U", "Repeat playback.", toggle("looped")],
  ["Down", "Next clip.", () => selectBy(1)],
  ["Up", "Previous clip.", () => selectBy(-1)],
  ["Shift+Down", "Next clip over a limit.", () => selectBy(1, true)],
  ["Shift+Up", "Previous clip over a limit.", () => selectBy(-1, true)],
  ["1", "Side by side.", setMode("side")],
  ["2", "Wipe: drag the line, or hold V and move the pointer.", setMode("wipe")],
  ["3", "Onion: both sides in one place.", setMode("onion")],
  ["4", "Blink: original and compressed by turns.", setMode("blink")],
  ["5", "Heat map: the error of each vertex against the tolerance.", toggle("heat")],
  ["6", "Difference: the error drawn larger.", toggle("difference")],
  ["+", "Larger difference.", () => stepFactor(1)],
  ["-", "Smaller difference.", () => stepFactor(-1)],
  ["F", "Frame the selected joint.", () => frameJoint(aspectOf())],
  ["A", "Frame the whole character.", () => frameAll(aspectOf())],
  ["Shift+F", "The camera moves with clips that travel.", toggle("follow")],
  ["[", "Previous error peak.", () => goToPeak(-1)],
  ["]", "Next error peak.", () => goToPeak(1)],
  ["W", "Worst frame.", goToWorst],
  ["P", "Worst contact.", goToWorstContact],
  ["N", "Next contact.", () => goToContact(1)],
  ["Shift+N", "Previous contact.", () => goToContact(-1)],
  ["M", "Write a note about this frame and joint.", () => $("note-text").focus()],
  ["R", "Hold: the original on both sides.", () => (state.heldOriginal = true)],
  ["B", "Hold: the compressed side alternates between original and compressed.", () => (state.heldBlink = true)],
  ["Esc", "Leave a field; else clear the selected joint.", () => selectJoint(-1)],
  ["?", "All keys.", () => $("keys").showModal()],
];

const RUNS = {
  first: "Home", back: "Left", play: "Space", on: "Right", last: "End", worst: "W", "worst-contact": "P",
  "frame-joint": "F", "frame-all": "A", keys: "?",
};

const ALIASES = { ".": "Right", ",": "Left", "=": "+", Escape: "Esc", " ": "Space" };

/** The name of a key press, as the list has it. */
function keyName({ key, shiftKey }) {
  const plain = key.replace("Arrow", "");
  const name = ALIASES[plain] ?? (plain.length === 1 ? plain.toUpperCase() : plain);
  return shiftKey && /^([A-Z]|Right|Left|Up|Down)$/.test(name) ? `Shift+${name}` : name;
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const writes = event.target.matches("input, textarea");
  if (writes) {
    if (event.key === "Escape") $("canvas").focus();
    return;
  }
  const name = keyName(event);
  if (event.target.matches("button, summary, a") && (name === "Space" || name === "Enter")) return;
  const found = KEYS.find(([key]) => key === name);
  if (!found || !isNear(event.target)) return;
  event.preventDefault();
  found[2]();
  refresh();
}

/** True for keys that are pressed in the player, or while nothing has the focus and the player is in sight. */
function isNear(target) {
  if ($("player").contains(target)) return true;
  const { bottom } = $("player").getBoundingClientRect();
  return target === document.body && bottom > 100;
}

function release(event) {
  const name = event.key.toUpperCase();
  if (name === "R") state.heldOriginal = false;
  if (name === "B") state.heldBlink = false;
  if (name === "V") state.heldWipe = false;
  refresh();
}

/** Writes the key into its button. */
function labelKey(button) {
  const key = button.dataset.key;
  if (key && !button.querySelector("kbd") && !button.hasAttribute("aria-label")) button.prepend(make("kbd", key));
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.key.toUpperCase() === "V" && !event.target.matches("input, textarea")) state.heldWipe = true;
    press(event);
  });
  document.addEventListener("keyup", release);
  const rows = KEYS.flatMap(([key, help]) => [make("dt", key), make("dd", help)]);
  rows.push(make("dt", "Drag"), make("dd", "Orbit. With Shift or two fingers: pan. Wheel or pinch: dolly."));
  $("keys").querySelector("dl").append(...rows);
  for (const button of $("player").querySelectorAll("button")) {
    labelKey(button);
    const help = KEYS.find(([key]) => key === button.dataset.key);
    if (help) button.title = `${help[1]} (${help[0]})`;
    const { mode, layer, run } = button.dataset;
    if (mode) button.onclick = () => refresh(setMode(mode)());
    if (layer) button.onclick = () => refresh(toggle(layer)());
    if (RUNS[run]) button.onclick = () => refresh(KEYS.find(([key]) => key === RUNS[run])[2]());
  }
  $("order").onclick = () => {
    state.worstFirst = !state.worstFirst;
    listJoints();
    showErrors();
  };
}
