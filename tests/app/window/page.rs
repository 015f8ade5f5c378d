//! The window as a web page has it: without threads, folders and dialogs of the system.

use super::*;
use egui::{Key, Modifiers};
use posepress_app::FetchedSample;

fn in_page(saved: Option<String>) -> Window {
    let options = Options { timings: false, ..Options::in_page(Box::new(TestPicker::default()), saved) };
    open_with([1280.0, 800.0], options)
}

fn bytes_of(window: &Window) -> Vec<usize> {
    let workspace = window.state().workspace();
    let answers = workspace.library().clip_ids().map(|clip| workspace.answer(clip, 0).unwrap());
    answers.map(|answer| answer.report.as_ref().unwrap().bytes).collect()
}

#[test]
fn it_compresses_between_frames_what_threads_compress() {
    let mut page = in_page(None);
    settle(&mut page);
    let mut desktop = open_window([1280.0, 800.0], vec![], TestPicker::default());
    settle(&mut desktop);
    assert!(bytes_of(&page).len() > 5);
    assert_eq!(bytes_of(&page), bytes_of(&desktop));
}

#[test]
fn the_page_keeps_the_work_and_another_start_goes_on_with_it() {
    let mut page = in_page(None);
    settle(&mut page);
    let before = page.state().workspace().document().clone();
    press(&mut page, Modifiers::NONE, Key::ArrowDown);
    press(&mut page, Modifiers::COMMAND | Modifiers::SHIFT, Key::L);
    settle(&mut page);
    let work = page.state().work().unwrap();
    let document = page.state().workspace().document().clone();
    assert_ne!(document, before, "the clip was marked");
    let mut again = in_page(Some(work));
    settle(&mut again);
    assert_eq!(*again.state().workspace().document(), document);
}

#[test]
fn work_that_cannot_be_read_is_said_and_the_window_opens() {
    let mut page = in_page(Some("settings = 3".into()));
    settle(&mut page);
    assert_eq!(page.state().view().messages.problems[0].title, "The settings of the last session cannot be read");
}

#[test]
fn what_a_page_cannot_do_says_so_and_the_rest_can_be_done() {
    let mut page = in_page(None);
    settle(&mut page);
    press(&mut page, Modifiers::COMMAND | Modifiers::SHIFT, Key::O);
    assert!(page.state().view().sheets.path.is_none(), "no sheet of paths opens");
    assert_eq!(page.state().view().messages.status, "A web page cannot do this. Use the program.");
    press(&mut page, Modifiers::NONE, Key::Space);
    assert!(page.state().view().transport.playing);
}

const SAMPLE: &[u8] = include_bytes!("../../../src/app/assets/sample.glb");

type Fetched = Box<dyn FnOnce(FetchedSample) + Send>;

/// A page whose sample comes over the network.
#[derive(Clone, Default)]
struct FetchingPicker {
    dialogs: TestPicker,
    answers: Arc<Mutex<Vec<Fetched>>>,
}

impl Picker for FetchingPicker {
    fn sample(&self) -> Option<&'static [u8]> {
        None
    }

    fn fetch_sample(&self, answer: Fetched) {
        self.answers.lock().unwrap().push(answer);
    }

    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        self.dialogs.open(extensions, answer);
    }

    fn save(&self, name: &str, extension: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        self.dialogs.save(name, extension, answer);
    }
}

#[test]
fn the_sample_is_fetched_when_it_is_wanted_and_a_network_that_fails_is_said() {
    let picker = FetchingPicker::default();
    let mut page = open_with([1280.0, 800.0], Options::in_page(Box::new(picker.clone()), None));
    page.run_steps(8);
    assert!(!page.state().is_settled() && page.state().workspace().library().sources().is_empty());
    let answer = |fetched| {
        let mut asked: Vec<Fetched> = std::mem::take(&mut *picker.answers.lock().unwrap());
        assert_eq!(asked.len(), 1);
        asked.remove(0)(fetched);
    };
    answer(Err("The server answers 404.".into()));
    page.run_steps(8);
    let problems = &page.state().view().messages.problems;
    assert_eq!(problems[0].title, "The sample cannot be fetched");
    assert!(problems[0].detail.starts_with("The server answers 404."), "{}", problems[0].detail);
    for _ in 0..2 {
        page.get_by_label("Open the sample").click();
        page.run_steps(2);
    }
    answer(Ok(SAMPLE)); // it was asked for once
    settle(&mut page);
    assert!(bytes_of(&page).len() > 5);
    assert_eq!(page.state().workspace().library().sources().len(), 1);
}

#[test]
fn a_file_that_is_opened_before_the_sample_arrives_takes_its_place() {
    let (picker, folder) = (FetchingPicker::default(), tempfile::tempdir().unwrap());
    let file = folder.path().join("own.glb");
    std::fs::write(&file, SAMPLE).unwrap();
    let mut page = open_with([1280.0, 800.0], Options::in_page(Box::new(picker.clone()), None));
    page.run_steps(4);
    picker.dialogs.open.lock().unwrap().push(file);
    page.key_press_modifiers(Modifiers::COMMAND, Key::O);
    page.run_steps(20);
    let asked = picker.answers.lock().unwrap().remove(0);
    asked(Ok(SAMPLE));
    settle(&mut page);
    let paths: Vec<_> = page.state().workspace().library().sources().iter().map(|source| source.path.clone()).collect();
    assert!(paths.len() == 1 && paths[0].is_some(), "{paths:?}");
}
