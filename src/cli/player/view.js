/** Where each side is drawn: side, left and width as parts of the canvas, and the part that is cut out of it. */
function panes() {
  const { mode, heldBlink, heldOriginal } = state;
  const second = heldOriginal ? 0 : 1;
  const blinks = Math.floor(performance.now() / 400) % 2;
  if (mode === "side") {
    const right = heldBlink ? blinks : second;
    return [{ side: 0, at: 0, width: 0.5 }, { side: right, at: 0.5, width: 0.5 }];
  }
  const whole = { at: 0, width: 1 };
  if (mode === "wipe") {
    return [{ ...whole, side: 0, cut: [0, state.wipe] }, { ...whole, side: heldBlink ? blinks : second, cut: [state.wipe, 1] }];
  }
  if (mode === "onion" && !heldOriginal) return [{ ...whole, side: 0, also: 1 }];
  return [{ ...whole, side: mode === "blink" || heldBlink ? (heldOriginal ? 0 : blinks) : second }];
}

const aspectOf = () => {
  const { clientWidth, clientHeight } = $("canvas");
  return (clientWidth * (state.mode === "side" ? 0.5 : 1)) / Math.max(clientHeight, 1);
};

function fitCanvas() {
  const canvas = $("canvas");
  const dense = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [Math.round(canvas.clientWidth * dense), Math.round(canvas.clientHeight * dense)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  return dense;
}

/** Draws the current place of the shown clip. */
function draw() {
  const dense = fitCanvas();
  const { width, height } = $("canvas");
  if (!gl) return;
  gl.disable(gl.SCISSOR_TEST);
  gl.viewport(0, 0, width, height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  if (!shown) return;
  if (shown.mesh) uploadPose(shown.mesh, shown.pose);
  gl.enable(gl.SCISSOR_TEST);
  for (const pane of panes()) {
    const [left, wide] = [Math.round(pane.at * width), Math.round(pane.width * width)];
    const cut = pane.cut ?? [0, 1];
    gl.viewport(left, 0, wide, height);
    gl.scissor(left + Math.round(cut[0] * wide), 0, Math.round((cut[1] - cut[0]) * wide), height);
    drawPane(pane, [wide, height], dense);
  }
}

function drawPane(pane, size, dense) {
  const view = projection(size[0] / Math.max(size[1], 1));
  drawGround(view);
  const compressed = rgb("--compressed");
  const plain = { tint: [0, 0, 0, 0], alpha: 1, heat: false };
  const grey = { ...plain, tint: [0.68, 0.7, 0.72, 1] };
  const look = (side) => (state.heat ? (side ? { ...plain, heat: true } : grey) : plain);
  const meshes = state.mesh && shown.mesh;
  if (meshes) drawMesh(view, pane.side, look(pane.side));
  if (meshes && pane.also !== undefined) {
    const over = state.heat ? { ...plain, heat: true } : { ...plain, tint: [...compressed, 0.75] };
    gl.clear(gl.DEPTH_BUFFER_BIT);
    drawMesh(view, pane.also, { ...over, alpha: 0.5 });
  }
  const sides = pane.also === undefined ? [pane.side] : [pane.side, pane.also];
  const lines = sides.flatMap((side) => [...(state.contacts ? contactLines(side, dense) : []), ...boneLines(side, dense, !meshes)]);
  if (lines.length) drawLines(view, size, lines);
}

/** A pose of a side, enlarged if differences are. */
function drawn(side) {
  const { sides } = shown.pose;
  if (side === 0 || !state.difference) return (joint) => origin(sides[side], joint);
  return (joint) => {
    const from = origin(sides[0], joint);
    return origin(sides[1], joint).map((value, axis) => from[axis] + (value - from[axis]) * state.factor);
  };
}

/** Bones of a side, and the selected joint. */
function boneLines(side, dense, thick) {
  const place = drawn(side);
  const lines = [];
  const base = side ? rgb("--compressed") : rgb("--original");
  const hue = (joint) => (state.heat && side ? heat(shown.pose.errors[joint] / shown.tolerance_m) : base);
  const wide = (thick ? 3 : 1) * dense;
  if (state.bones || thick) {
    shown.rig.parents.forEach((parent, joint) => {
      if (parent >= 0 && shown.body[parent]) lines.push([place(parent), place(joint), [wide], [...hue(joint), thick ? 1 : 0.6]]);
    });
    shown.rig.tips.forEach(([joint, offset]) => {
      const at = 12 * joint;
      const matrix = shown.pose.sides[side];
      const end = [0, 4, 8].map((row) => offset.reduce((sum, part, axis) => sum + matrix[at + row + axis] * part, matrix[at + row + 3]));
      lines.push([place(joint), end, [wide], [...hue(joint), thick ? 1 : 0.6]]);
    });
  }
  if (state.joint >= 0) {
    const at = place(state.joint);
    lines.push([at, at, [5 * dense], [...rgb("--accent"), 1]]);
  }
  return lines;
}

/** Names and figures over the picture. */
function label() {
  const { mode, difference, factor, heldOriginal } = state;
  const clip = shown ?? scene.clips[state.clip];
  $("views").className = mode === "side" ? "" : "one";
  const beside = mode === "side" || mode === "wipe" || mode === "onion";
  const alone = beside ? 0 : panes()[0].side;
  $("chip-a").dataset.side = alone;
  $("chip-a").textContent = alone ? `compressed, ${clip.codec}` : "original";
  $("chip-b").hidden = !beside;
  $("chip-b").textContent = heldOriginal && mode !== "onion" ? "original" : `compressed, ${clip.codec}`;
  $("factor-chip").hidden = !difference;
  $("factor-chip").textContent = `difference drawn \u00d7${factor}`;
  $("factor").textContent = `\u00d7${factor}`;
  $("wipe").hidden = mode !== "wipe";
  $("wipe").style.left = `${state.wipe * 100}%`;
  $("legend").hidden = !state.heat;
  $("legend-mid").textContent = length(clip.tolerance_m);
  $("legend-end").textContent = length(clip.tolerance_m * 10);
  labelFoot(clip);
}

/** The contact of this moment that slides most. */
function labelFoot(clip) {
  const worst = contactsNow(clip).sort((a, b) => b.slide_m - a.slide_m)[0];
  const chip = $("foot-chip");
  chip.hidden = !worst;
  if (!worst) return;
  const words = `${jointName(worst.joint)} slides ${length(worst.slide_m)}`;
  if (chip.dataset.words === words) return;
  chip.dataset.words = words;
  chip.replaceChildren(sign(worst.verdict), words);
}

function paintRamp() {
  const context = $("ramp").getContext("2d");
  for (let x = 0; x < 200; x += 1) {
    const times = x < 80 ? x / 80 : 10 ** ((x - 80) / 120);
    context.fillStyle = `rgb(${heat(times).map((part) => Math.round(part * 255))})`;
    context.fillRect(x, 0, 1, 1);
  }
}
