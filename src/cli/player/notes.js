/** Head of the file of notes, which `posepress notes merge` reads. */
const NOTES_HEAD = { kind: "posepress-notes", schema: 1 };

function describeNote() {
  const clip = scene.clips[state.clip];
  const joint = state.joint < 0 ? "no joint" : jointName(state.joint);
  $("note-at").textContent = `${clip.name}, ${clock(state.place / clip.rate_hz)}, ${joint}`;
}

function addNote() {
  const text = $("note-text").value.trim();
  if (!text) return;
  const clip = scene.clips[state.clip];
  const note = { file: clip.file, clip: clip.own_name, at_secs: Math.round((state.place / clip.rate_hz) * 1000) / 1000 };
  if (state.joint >= 0) note.joint = jointName(state.joint);
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  state.notes.push({ ...note, text, author: $("note-author").value.trim(), time });
  state.unsaved = true;
  $("note-text").value = "";
  listNotes();
}

function listNotes() {
  const items = state.notes.map((note) => {
    const go = make("button", undefined, "go");
    go.append(make("span", note.text), make("small", `${note.clip} ${clock(note.at_secs)} ${note.joint ?? ""} ${note.author}`));
    go.onclick = () => goToNote(note);
    const remove = make("button", "\u00d7");
    remove.setAttribute("aria-label", `Remove the note: ${note.text}`);
    remove.onclick = () => {
      state.notes = state.notes.filter((other) => other !== note);
      listNotes();
    };
    const item = make("li");
    item.append(go, remove);
    return item;
  });
  $("notes").replaceChildren(...items);
  $("note-count").textContent = state.notes.length || "";
  $("download").disabled = !state.notes.length;
}

async function goToNote({ file, clip, at_secs, joint }) {
  const index = scene.clips.findIndex((other) => other.own_name === clip && other.file === file);
  if (index !== state.clip) await select(index);
  goTo(at_secs, joint === undefined ? -1 : scene.rigs[scene.clips[index].rig].joints.indexOf(joint));
}

function downloadNotes() {
  const text = `${JSON.stringify({ ...NOTES_HEAD, notes: state.notes }, null, 2)}\n`;
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "notes.posepress.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  state.unsaved = false;
}

function startNotes() {
  $("note").onsubmit = (event) => {
    event.preventDefault();
    addNote();
  };
  $("note-text").onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) addNote();
  };
  $("download").onclick = downloadNotes;
  window.addEventListener("beforeunload", (event) => {
    if (state.unsaved && state.notes.length) event.preventDefault();
  });
}
