"use strict";
const $ = (id) => document.getElementById(id);
const scene = JSON.parse($("scene").textContent);

// A clip of one sample has no rate; any rate leaves it at zero.
for (const clip of scene.clips) clip.rate_hz ||= 1;

/** The state of the player. `place` counts samples from the start of the clip. */
const state = {
  clip: -1,
  place: 0,
  speed: 0,
  mode: "side",
  heat: false,
  difference: false,
  factor: 20,
  mesh: true,
  bones: true,
  contacts: true,
  follow: true,
  looped: true,
  wipe: 0.5,
  joint: -1,
  worstFirst: true,
  heldOriginal: false,
  heldBlink: false,
  notes: [],
};

/** The selected clip once its poses are unpacked, with the mesh of its rig. */
let shown = null;

const FACTORS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const MODES = ["side", "wipe", "onion", "blink"];
const SIGNS = { good: "\u2713", warn: "!", fail: "\u00d7" };
const VERDICTS = { good: "within limits", warn: "over a warning limit", fail: "over a failing limit" };

function make(name, text, className) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

/** The sign of a verdict: a shape and a letter, so that it does not need its colour. */
function sign(verdict) {
  const icon = make("i", SIGNS[verdict], verdict);
  icon.setAttribute("role", "img");
  icon.setAttribute("aria-label", VERDICTS[verdict]);
  return icon;
}

/** A length in metres, in the units of the tables. */
function length(metres) {
  const mm = metres * 1000;
  if (mm < 0.995) return `${mm.toFixed(2)} mm`;
  if (mm < 99.95) return `${mm.toFixed(1)} mm`;
  return mm < 999.5 ? `${(mm / 10).toFixed(1)} cm` : `${metres.toFixed(2)} m`;
}

function clock(secs) {
  const millis = Math.round(Math.max(secs, 0) * 1000);
  const pad = (number, digits) => String(number).padStart(digits, "0");
  return `${pad(Math.floor(millis / 60000), 2)}:${pad(Math.floor(millis / 1000) % 60, 2)}.${pad(millis % 1000, 3)}`;
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A colour of the page as three numbers from 0 to 1. */
function rgb(name) {
  const hex = color(name).slice(1);
  const whole = hex.length < 6 ? [...hex].map((digit) => digit + digit).join("") : hex;
  return [0, 2, 4].map((at) => parseInt(whole.slice(at, at + 2), 16) / 255);
}
