//! Typed text goes to the sheet or field that was asked for, never to the commands behind it.

use super::*;
use egui::{Event, Key, Modifiers};
use posepress_app::MainTab;
use posepress_core::project::{DecisionKind, ReviewFilter, ReviewState};

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;

type Answer = Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>;

/// A dialog that has not answered yet.
#[derive(Clone, Default)]
struct SlowPicker {
    answer: Arc<Mutex<Option<Answer>>>,
}

impl Picker for SlowPicker {
    fn open(&self, _: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        *self.answer.lock().unwrap() = Some(answer);
    }

    fn save(&self, _: &str, _: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        answer(DialogAnswer::NoDialog);
    }
}

/// A key event as a keyboard sends it: pressed, text, released.
fn strike(window: &Window, modifiers: Modifiers, key: Key, text: &str) {
    let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    window.event(event(true));
    if !text.is_empty() && !modifiers.command {
        window.event(Event::Text(text.into()));
    }
    window.event(event(false));
}

/// All keys at once, as a slow frame gets them.
fn type_fast(window: &Window, words: &str) {
    for letter in words.chars() {
        let key = Key::from_name(&letter.to_uppercase().to_string()).unwrap_or(Key::Space);
        strike(window, NONE, key, &letter.to_string());
    }
}

fn rest(window: &mut Window) {
    window.run_steps(8);
    settle(window);
}

fn count(window: &Window, of: ReviewFilter) -> usize {
    window.state().workspace().review_count(of)
}

fn reviewing() -> Window {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F3);
    press(&mut window, CTRL, Key::Num2);
    window
}

fn selected(window: &Window) -> posepress_core::model::ClipId {
    window.state().workspace().selected().unwrap()
}

#[test]
fn enter_approves_in_review_alone_and_elsewhere_a_button_does() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, CTRL, Key::Num2);
    for main_tab in [Key::F2, Key::F4] {
        press(&mut window, NONE, main_tab);
        press(&mut window, NONE, Key::Enter);
        assert_eq!(count(&window, ReviewFilter::Approved), 0, "{main_tab:?}");
        window.get_by_label("Approve this clip");
    }
    press(&mut window, NONE, Key::F2);
    window.get_by_label("Approve this clip").click();
    rest(&mut window);
    assert_eq!(count(&window, ReviewFilter::Approved), 1);
    press(&mut window, NONE, Key::F3);
    assert!(window.query_by_label("Approve this clip").is_none(), "there the key does it, and a button of its own");
    press(&mut window, NONE, Key::Escape);
    press(&mut window, NONE, Key::ArrowDown);
    press(&mut window, NONE, Key::Enter);
    assert_eq!(count(&window, ReviewFilter::Approved), 2);
}

#[test]
fn a_reason_that_is_typed_at_once_after_x_is_the_reason_and_runs_nothing() {
    let mut window = reviewing();
    let (clip, before) = (selected(&window), window.state().view().settings.clone());
    // These letters are also keys of commands: approve, reject, frame, play, modes.
    strike(&window, NONE, Key::X, "x");
    type_fast(&window, "x swap 2 f");
    strike(&window, NONE, Key::Enter, "");
    rest(&mut window);
    let workspace = window.state().workspace();
    assert_eq!(workspace.review_state(clip), ReviewState::Decided(DecisionKind::Rejected));
    assert_eq!(workspace.decision(clip).unwrap().note, "x swap 2 f");
    assert_eq!((count(&window, ReviewFilter::Rejected), count(&window, ReviewFilter::Approved)), (1, 0));
    assert_ne!(selected(&window), clip, "the next one is looked at");
    assert!(!window.state().view().transport.playing && !window.state().workspace().is_swapped());
    assert_eq!(window.state().view().settings.mode, before.mode);
}

#[test]
fn x_asks_in_place_enter_skips_the_reason_and_escape_takes_it_back() {
    for main_tab in [Key::F3, Key::F2] {
        let mut window = reviewing();
        press(&mut window, NONE, main_tab);
        let clip = selected(&window);
        press(&mut window, NONE, Key::X);
        window.get_by_label("Reason");
        assert_eq!(count(&window, ReviewFilter::Rejected), 0, "it is asked first");
        press(&mut window, NONE, Key::Escape);
        assert!(window.query_by_label("Reason").is_none() && count(&window, ReviewFilter::Rejected) == 0);
        press(&mut window, NONE, Key::X);
        press(&mut window, NONE, Key::Enter);
        assert!(window.query_by_label("Reason").is_none());
        assert_eq!(window.state().workspace().review_state(clip), ReviewState::Decided(DecisionKind::Rejected));
        assert_eq!(window.state().workspace().decision(clip).unwrap().note, "");
    }
}

#[test]
fn keys_do_nothing_while_a_dialog_is_on_its_way_and_what_was_typed_is_in_the_sheet() {
    let picker = SlowPicker::default();
    let given = picker.clone();
    let builder = Harness::builder().with_size(egui::vec2(1280.0, 800.0)).with_max_steps(16).wgpu();
    let mut window = builder.build_eframe(move |cc| {
        App::new(cc, Options { picker: Box::new(given), state_folder: None, timings: false, ..Options::default() })
    });
    settle(&mut window);
    press(&mut window, NONE, Key::F3);
    strike(&window, CTRL, Key::O, "o");
    type_fast(&window, "x");
    window.run_steps(3);
    type_fast(&window, "a");
    strike(&window, NONE, Key::Enter, "");
    window.run_steps(3);
    assert!(window.state().view().review.reason.is_none() && count(&window, ReviewFilter::Approved) == 0);
    // The system has no dialog, so the window asks with a sheet.
    picker.answer.lock().unwrap().take().unwrap()(DialogAnswer::NoDialog);
    window.run_steps(8);
    let sheet = window.state().view().sheets.path.as_ref().expect("the sheet is there");
    assert!(sheet.text.ends_with("xa"), "{}", sheet.text);
    assert!(sheet.answer.is_some(), "and Enter was for it: there is no such file");
    press(&mut window, NONE, Key::Escape);
    assert!(window.state().view().sheets.path.is_none());
    // A dialog of the system gets the keys itself. Keys that came before it are dropped.
    strike(&window, CTRL, Key::O, "o");
    type_fast(&window, "x");
    window.run_steps(3);
    picker.answer.lock().unwrap().take().unwrap()(DialogAnswer::Cancelled);
    window.run_steps(8);
    assert!(window.state().view().review.reason.is_none());
    press(&mut window, NONE, Key::X);
    assert!(window.state().view().review.reason.is_some(), "and keys are keys again");
}

#[test]
fn a_note_and_the_palette_take_what_is_typed_at_once() {
    let mut window = reviewing();
    strike(&window, Modifiers::SHIFT, Key::Enter, "");
    type_fast(&window, "xap");
    rest(&mut window);
    let drafts: Vec<&str> = window.state().view().review.drafts.values().map(String::as_str).collect();
    assert_eq!(drafts, ["xap"]);
    press(&mut window, NONE, Key::Escape);
    strike(&window, CTRL, Key::P, "p");
    type_fast(&window, "frame");
    window.run_steps(8);
    assert_eq!(window.state().view().sheets.palette.as_ref().map(|palette| &*palette.query), Some("frame"));
    assert!(window.state().view().review.reason.is_none() && count(&window, ReviewFilter::Rejected) == 0);
    press(&mut window, NONE, Key::Escape);
    assert_eq!(window.state().view().settings.main_tab, MainTab::Review);
}

#[test]
fn the_status_line_says_what_is_so_now() {
    let mut window = reviewing();
    let status = |window: &Window| window.state().view().messages.status.clone();
    press(&mut window, NONE, Key::Enter);
    assert!(status(&window).ends_with("is approved"), "{}", status(&window));
    press(&mut window, CTRL, Key::Z);
    assert!(status(&window).starts_with("Undone: Approve"), "{}", status(&window));
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::Z);
    assert!(status(&window).starts_with("Redone: Approve"), "{}", status(&window));
    // A change without a message leaves no message.
    press(&mut window, NONE, Key::F2);
    press(&mut window, CTRL, Key::L);
    assert_eq!(status(&window), "");
    press(&mut window, NONE, Key::X);
    press(&mut window, NONE, Key::Enter);
    assert!(status(&window).ends_with("is rejected"), "{}", status(&window));
}

#[test]
fn the_filter_keeps_the_focus_while_its_list_gets_short() {
    let Some(knight) = crate::project::corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1280.0, 800.0], vec![knight], TestPicker::default());
    settle(&mut window);
    window.get_by_label("Filter clips by name").click();
    window.run_steps(3);
    for letter in "Sit_Floor_Pose".chars() {
        window.event(egui::Event::Text(letter.to_string()));
        window.run_steps(3);
    }
    assert_eq!(window.state().view().filters.clips, "Sit_Floor_Pose");
}

#[test]
fn reject_takes_the_note_that_is_written_and_a_second_click_skips_it() {
    for note in ["the feet slide", ""] {
        let mut window = reviewing();
        let clip = selected(&window);
        if !note.is_empty() {
            window.get_by_label("Note").focus();
            window.run_steps(2);
            window.get_by_label("Note").type_text(note);
            window.run_steps(3);
        }
        window.get_by_label("Reject").click();
        window.run_steps(4);
        if note.is_empty() {
            assert_eq!(count(&window, ReviewFilter::Rejected), 0, "it is asked first");
            window.get_by_label("Reject").click();
            window.run_steps(4);
        }
        assert_eq!(
            window.state().workspace().review_state(clip),
            ReviewState::Decided(DecisionKind::Rejected),
            "{note}"
        );
        assert_eq!(window.state().workspace().decision(clip).unwrap().note, note);
    }
}
