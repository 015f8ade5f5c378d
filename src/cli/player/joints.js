/** Lists the worst moments: the largest error, the worst contacts and the peaks. */
function listMoments() {
  const clip = scene.clips[state.clip];
  const worst = clip.worst && { secs: clip.worst[1], joint: scene.rigs[clip.rig].joints.indexOf(clip.worst[0]), what: clip.max };
  const contacts = clip.contacts.filter((contact) => contact.verdict !== "good").sort((a, b) => b.slide_m - a.slide_m).slice(0, 3);
  const peaks = clip.peaks.toSorted((a, b) => b.error_m - a.error_m);
  const rows = [
    ...(worst ? [worst] : []),
    ...contacts.map(({ worst_secs, joint, slide_m }) => ({ secs: worst_secs, joint, what: `slides ${length(slide_m)}` })),
    ...peaks.map(({ secs, joint, error_m }) => ({ secs, joint, what: length(error_m) })),
  ];
  const seen = new Set();
  const once = rows.filter(({ secs, joint }) => !seen.has(`${secs.toFixed(2)} ${joint}`) && seen.add(`${secs.toFixed(2)} ${joint}`));
  const items = once.slice(0, 6).map(({ secs, joint, what }) => {
    const button = make("button");
    button.append(make("span", `${jointName(joint)} ${what}`), make("small", clock(secs)));
    button.onclick = () => goTo(secs, joint);
    const item = make("li");
    item.append(button);
    return item;
  });
  $("moments").replaceChildren(...(items.length ? items : [make("li", "No error.")]));
}

/** Lists the joints, the largest error first or in the order of the rig. */
function listJoints() {
  const clip = scene.clips[state.clip];
  const order = clip.joints.map((_, joint) => joint);
  if (state.worstFirst) order.sort((a, b) => clip.joints[b][0] - clip.joints[a][0]);
  const rows = order.map((joint) => {
    const [most, secs] = clip.joints[joint];
    const row = make("tr");
    row.dataset.joint = joint;
    row.append(make("td", jointName(joint), "t"), make("td"), make("td", (most * 1000).toFixed(2), over(most, clip)));
    row.title = `${jointName(joint)}: at most ${length(most)}, at ${clock(secs)}. Double-click: go there.`;
    row.onclick = () => selectJoint(joint);
    row.ondblclick = () => {
      goTo(secs, joint);
      frameJoint(aspectOf());
    };
    return row;
  });
  $("joints").tBodies[0].replaceChildren(...rows);
  $("order").setAttribute("aria-pressed", state.worstFirst);
  markJoint();
}

const over = (error, clip) => (error > clip.tolerance_m ? "far" : "");

function markJoint() {
  for (const row of $("joints").tBodies[0].rows) row.setAttribute("aria-selected", Number(row.dataset.joint) === state.joint);
}

function selectJoint(joint) {
  state.joint = joint;
  markJoint();
  describeNote();
}

/** Writes the errors of this moment into the list, millimetres. */
function showErrors() {
  if (!shown) return;
  for (const row of $("joints").tBodies[0].rows) {
    const error = shown.pose.errors[row.dataset.joint];
    row.cells[1].textContent = (error * 1000).toFixed(2);
    row.cells[1].className = over(error, shown);
  }
}
