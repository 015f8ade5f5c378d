//! The review: the queue with the worst clip first, decisions by keys, and their consequences.

use super::*;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;
use posepress_core::project::{DecisionKind, ReviewFilter, ReviewState};

const NONE: Modifiers = Modifiers::NONE;

fn reviewing(size: [f32; 2], picker: TestPicker, folder: Option<PathBuf>) -> Window {
    let mut window = open_window_of(size, vec![], picker, folder);
    settle(&mut window);
    press(&mut window, NONE, Key::F3);
    window
}

fn state_of_selected(window: &Window) -> ReviewState {
    let workspace = window.state().workspace();
    workspace.review_state(workspace.selected().unwrap())
}

fn count(window: &Window, of: ReviewFilter) -> usize {
    window.state().workspace().review_count(of)
}

fn write_note(window: &mut Window, text: &str) {
    window.get_by_label("Note").click();
    window.run_steps(2);
    window.get_by_label("Note").type_text(text);
    window.run_steps(3);
    press(window, NONE, Key::Escape);
}

#[test]
fn clips_are_judged_by_keys_and_the_approved_ones_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let picker = TestPicker::default();
    let mut window = reviewing([1920.0, 1080.0], picker.clone(), Some(folder.path().join("state")));
    let clips = window.state().workspace().library().clip_ids().count();
    assert_eq!(count(&window, ReviewFilter::ToDo), clips);
    // The worst clip comes first. It fails, so an approval asks for a reason.
    window.get_by_role_and_label(Role::ListBoxOption, "walk").click();
    window.run_steps(2);
    settle(&mut window);
    let id = window.state().workspace().selected().unwrap();
    assert_eq!(window.state().workspace().verdict(id, 0), Some(Verdict::Fail));
    press(&mut window, NONE, Key::Enter);
    // The list has the focus after a click. Escape gives the keys back to the commands.
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::Enter);
    assert_eq!(state_of_selected(&window), ReviewState::ToDo);
    assert!(window.state().view().messages.status.contains("Write why"), "{}", window.state().view().messages.status);
    write_note(&mut window, "slides, but is only seen from afar");
    press(&mut window, NONE, Key::Enter);
    assert_eq!(count(&window, ReviewFilter::Approved), 1);
    let workspace = window.state().workspace();
    assert_eq!(workspace.decision(id).unwrap().note, "slides, but is only seen from afar");
    assert_ne!(workspace.selected(), Some(id), "the next one is looked at");
    // The next clip is rejected, with a note. Then the recipe of the first one changes.
    let rejected = workspace.selected().unwrap();
    write_note(&mut window, "arms");
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    let state = window.state().workspace().review_state(rejected);
    assert_eq!((state, count(&window, ReviewFilter::Rejected)), (ReviewState::Decided(DecisionKind::Rejected), 1));
    assert_eq!(window.state().workspace().decision(rejected).unwrap().note, "arms");
    compare(&mut window, "review", Region::Around(&["all", "Fix all", "pose_t"]));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&window, ReviewFilter::Rejected), 0);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::A);
    let approved = count(&window, ReviewFilter::Approved);
    assert!(approved > 1, "what passes with recipe B is approved at once");
    // The approved clips are written, each with its recipe.
    let path = folder.path().join("approved.posepress");
    *picker.save.lock().unwrap() = Some(path.clone());
    window.get_by_label(&format!("Export {approved} clips approved\u{2026}")).click();
    window.run_steps(3);
    window.get_by_label("Export approved as container\u{2026}").click();
    window.run_steps(3);
    settle(&mut window);
    let proposed = picker.proposed.lock().unwrap().clone();
    assert!(proposed.ends_with("-approved.posepress"), "not the name for all clips: {proposed}");
    let archive = Archive::open(&std::fs::read(&path).unwrap(), None).unwrap();
    let recipes = &window.state().workspace().document().recipes;
    let of = |recipe| archive.clips().iter().filter(|clip| clip.recipe() == recipes[recipe]).count();
    assert_eq!((archive.clips().len(), of(0), of(1)), (approved, 1, approved - 1));
    // All decisions are there after a restart.
    window.run_steps(2);
    drop(window);
    let mut window = open_window_of([1920.0, 1080.0], vec![], picker, Some(folder.path().join("state")));
    settle(&mut window);
    assert_eq!(count(&window, ReviewFilter::Approved), approved);
    assert_eq!(window.state().view().settings.main_tab, posepress_app::MainTab::Review);
    window.get_by_label("Section Decision");
}

#[test]
fn a_note_belongs_to_its_clip_whether_it_is_decided_or_not() {
    let mut window = reviewing([1280.0, 800.0], TestPicker::default(), None);
    let select = |window: &mut Window, clip: &str| {
        window.get_by_role_and_label(Role::ListBoxOption, clip).click();
        window.run_steps(2);
        settle(window);
        press(window, NONE, Key::Escape);
        window.state().workspace().selected().unwrap()
    };
    let note = |window: &Window| window.get_by_label("Note").accesskit_node().value().unwrap_or_default();
    let walk = select(&mut window, "walk");
    write_note(&mut window, "heel");
    select(&mut window, "idle");
    assert_eq!(note(&window), "");
    select(&mut window, "walk");
    assert_eq!(note(&window), "heel", "it waits for a decision");
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    let after = window.state().workspace().selected().unwrap();
    let listed: Vec<_> = window.state().workspace().queue(0, &Default::default());
    let at = |id| listed.iter().position(|(clip, _)| *clip == id).unwrap();
    assert_eq!(at(after), at(walk) + 1, "the next one below");
    select(&mut window, "walk");
    let said = |window: &Window| window.state().workspace().decision(walk).unwrap().note.clone();
    write_note(&mut window, "!");
    assert!(said(&window).len() == 5 && said(&window).contains("heel"), "{}", said(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(said(&window), "heel");
}

#[test]
fn a_decision_that_does_not_hold_any_more_says_what_got_worse() {
    let mut window = reviewing([1280.0, 800.0], TestPicker::default(), None);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::A);
    let approved = count(&window, ReviewFilter::Approved);
    assert!(approved > 0);
    // Recipe B becomes as coarse as A.
    let coarse = "codec = \"linear-keys\"\ntolerance_m = 0.006\n";
    window.event(egui::Event::Paste(coarse.into()));
    window.run_steps(3);
    settle(&mut window);
    assert_eq!((count(&window, ReviewFilter::Changed), count(&window, ReviewFilter::Approved)), (approved, 0));
    window.get_by_label(&format!("changed {approved}")).click();
    window.run_steps(3);
    let first = window.get_all_by_role(Role::ListBoxOption).next().unwrap();
    first.click();
    window.run_steps(2);
    settle(&mut window);
    assert!(matches!(state_of_selected(&window), ReviewState::Changed(DecisionKind::Approved)));
    compare(&mut window, "review_changed", Region::Around(&["Judge recipe ", "What to approve"]));
}

#[test]
fn what_still_passes_is_approved_again_in_one_step_and_what_got_worse_is_named() {
    let mut window = reviewing([1280.0, 800.0], TestPicker::default(), None);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::A);
    let approved = count(&window, ReviewFilter::Approved);
    // Recipe B becomes a little coarser.
    let tolerance_m = window.state().workspace().active_recipe().tolerance_m * 1.1;
    window.event(egui::Event::Paste(format!("codec = \"press\"\ntolerance_m = {tolerance_m}\n")));
    window.run_steps(3);
    settle(&mut window);
    let again = window.state().workspace().passing_again();
    assert!(!again.is_empty() && count(&window, ReviewFilter::Changed) == approved);
    let worse = again.iter().filter(|id| !window.state().workspace().worse_since(**id, 1).is_empty()).count();
    window.get_by_label("What to approve").click();
    window.run_steps(3);
    window.get_by_label(&format!("Again what still passes of {approved} changed\u{2026}")).click();
    window.run_steps(3);
    let named = window.query_all_by_label_contains(" +").count();
    assert!(worse > 0 && named >= worse, "{named} of {worse} are named");
    window.get_by_label(&format!("Approve {} again", again.len())).click();
    window.run_steps(3);
    assert_eq!(count(&window, ReviewFilter::Approved), again.len());
    assert!(window.query_by_label("Cancel").is_none(), "the sheet is closed");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&window, ReviewFilter::Approved), 0, "one step");
}

#[test]
fn the_button_says_how_many_clips_are_picked_and_a_note_field_leaves_f2_to_the_window() {
    let mut window = reviewing([1280.0, 800.0], TestPicker::default(), None);
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    let clips = window.state().workspace().library().clip_ids().count();
    let is_it = |words: &str| words == format!("Approve {clips}") || words == format!("Approve {clips}\u{2026}");
    let buttons = window.query_all_by_label_contains("Approve ").filter_map(|node| node.accesskit_node().label());
    assert!(buttons.collect::<Vec<_>>().iter().any(|words| is_it(words)));
    window.get_by_label("Note").click();
    window.run_steps(2);
    press(&mut window, NONE, Key::F2);
    assert_eq!(window.state().view().settings.main_tab, posepress_app::MainTab::Clip);
}

#[test]
fn the_review_is_usable_in_a_small_window() {
    let mut window = reviewing([1024.0, 700.0], TestPicker::default(), None);
    window.get_by_label("Note");
    for label in ["Approve\u{2026}", "What to approve", "Reject", "Ignore", "Decide later"] {
        let rect = window.get_by_role_and_label(Role::Button, label).rect();
        assert!(rect.right() <= 1024.0 && rect.left() > 0.0, "{label} at {rect:?}");
    }
    compare(&mut window, "review_small", Region::Whole);
    press(&mut window, NONE, Key::F2);
    assert!(window.query_by_label("Note").is_none());
}

#[test]
fn the_worst_moment_is_shown_in_three_pictures_with_errors_and_history() {
    let mut window = reviewing([1920.0, 1080.0], TestPicker::default(), None);
    window.get_by_role_and_label(Role::ListBoxOption, "walk").click();
    settle(&mut window);
    let [original, compressed, heat] =
        ["original", "compressed", "heat"].map(|name| window.get_by_label(&format!("Viewport {name}")).rect());
    assert!(original.right() < compressed.left() && compressed.right() < heat.left());
    assert!((original.width() - heat.width()).abs() < 1.0 && original.width() > 180.0, "{original} {heat}");
    assert_eq!(window.query_all_by_label("Fix all\u{2026}").count(), 1);
    let strip = window.get_by_label("Error over time").rect();
    let before = window.state().view().transport.time_secs;
    drag(&mut window, egui::pos2(strip.center().x, strip.top() + 70.0), egui::Vec2::ZERO);
    assert_ne!(window.state().view().transport.time_secs, before, "a click moves the playhead");
    press(&mut window, NONE, Key::Escape);
    assert!(window.query_by_label("Section History").is_none());
    for note in ["too soft", "still too soft"] {
        let id = window.state().workspace().selected().unwrap();
        press(&mut window, NONE, Key::X);
        window.event(egui::Event::Text(note.into()));
        window.run_steps(2);
        press(&mut window, NONE, Key::Enter);
        window.get_by_role_and_label(Role::ListBoxOption, "walk").click();
        settle(&mut window);
        press(&mut window, NONE, Key::Escape);
        assert_eq!(window.state().workspace().selected(), Some(id));
    }
    window.get_by_label("Section History");
}

#[test]
fn a_project_goes_along_with_its_folder_and_is_saved_where_it_was_opened() {
    let home = tempfile::tempdir().unwrap();
    let (here, there) = (home.path().join("here"), home.path().join("there"));
    std::fs::create_dir_all(here.join("clips")).unwrap();
    std::fs::copy(sample(), here.join("clips/hero.glb")).unwrap();
    let picker = TestPicker::default();
    let mut window = open_window([1280.0, 800.0], vec![here.join("clips/hero.glb")], picker.clone());
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::A);
    let approved = count(&window, ReviewFilter::Approved);
    assert!(approved > 0);
    *picker.save.lock().unwrap() = Some(here.join("team.posepress.toml"));
    press(&mut window, Modifiers::COMMAND, Key::S);
    let text = std::fs::read_to_string(here.join("team.posepress.toml")).unwrap();
    assert!(text.contains("path = \"clips/hero.glb\"") && text.contains("kind = \"approved\""), "{text}");
    drop(window);
    // The folder was moved, and the file inside it too. The open files make room.
    std::fs::rename(&here, &there).unwrap();
    std::fs::rename(there.join("clips"), there.join("moved")).unwrap();
    *picker.save.lock().unwrap() = None;
    let mut window = open_window([1280.0, 800.0], vec![], picker.clone());
    settle(&mut window);
    let project = there.join("team.posepress.toml");
    *picker.open.lock().unwrap() = vec![project.clone()];
    press(&mut window, Modifiers::COMMAND, Key::O);
    until(&mut window, "the project is saved", |window| window.state().view().project.is_some());
    let open = window.state().workspace().library().files();
    assert_eq!(open, [there.join("moved/hero.glb")]);
    assert_eq!(count(&window, ReviewFilter::Approved), approved);
    assert_eq!(window.state().view().project.as_ref(), Some(&project));
    // Saves again without a question.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
    window.get_by_role_and_label(Role::ListBoxOption, "pose_t").click();
    window.run_steps(2);
    settle(&mut window);
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    press(&mut window, Modifiers::COMMAND, Key::S);
    until(&mut window, "it is saved", |window| window.state().view().messages.status.starts_with("Saved"));
    let text = std::fs::read_to_string(&project).unwrap();
    assert!(text.contains("path = \"moved/hero.glb\"") && text.contains("kind = \"rejected\""), "{text}");
    // Another file has that name: the window reports it, and the decision does not hold any more.
    let digest = text.lines().find(|line| line.starts_with("digest")).unwrap();
    std::fs::write(&project, text.replace(digest, "digest = \"0000000000000000\"")).unwrap();
    press(&mut window, Modifiers::COMMAND, Key::O);
    until(&mut window, "it is said", |window| !window.state().view().messages.problems.is_empty());
    assert_eq!(app_title(&window), "1 file changed since the project was saved");
}

fn app_title(window: &Window) -> String {
    window.state().view().messages.problems[0].title.clone()
}

#[test]
fn a_key_that_is_held_decides_about_one_clip_only() {
    let mut window = reviewing([1600.0, 960.0], TestPicker::default(), None);
    // All clips but one pass with recipe B, so that none asks for a reason.
    press(&mut window, Modifiers::COMMAND, Key::Num2);
    window.get_by_role_and_label(Role::ListBoxOption, "idle").click();
    window.run_steps(2);
    press(&mut window, NONE, Key::Escape);
    let held =
        |pressed, repeat| egui::Event::Key { key: Key::Enter, physical_key: None, pressed, repeat, modifiers: NONE };
    for repeat in [false, true, true, true, true] {
        window.event(held(true, repeat));
        window.run_steps(2);
    }
    window.event(held(false, false));
    window.run_steps(2);
    assert_eq!(count(&window, ReviewFilter::Approved), 1);
}
