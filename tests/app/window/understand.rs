//! Tools to find causes: blame, peaks, curves, contacts drawn by hand, the palette, scaling.

use super::{
    Options, Region, TestPicker, Window, compare, corpus, drag_touch_down, open_window, open_with, press, run_action,
    sample, settle, started,
};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use posepress_core::import::ImportOptions;
use posepress_core::metrics::Complaint;
use posepress_core::report::JointSort;

const NONE: Modifiers = Modifiers::NONE;

fn joint_name(window: &Window, joint: usize) -> String {
    let workspace = window.state().workspace();
    let (rig, _) = workspace.library().clip(workspace.selected().unwrap()).unwrap();
    rig.skeleton.name(joint).to_owned()
}

#[test]
fn the_worst_contact_of_a_corpus_file_and_its_blamed_joint_are_found_by_keyboard_alone() {
    let Some(path) = corpus("kaykit/Knight.glb") else { return };
    let mut window = open_window([1920.0, 1080.0], vec![path], TestPicker::default());
    settle(&mut window);
    // Small slides have several causes. The first clip with one cause is taken.
    for _ in 0..24 {
        let report = &window.state().workspace().shown().unwrap().outcome.report;
        if report.slide.contacts.iter().any(|p| p.slide_m > 1e-4) {
            press(&mut window, NONE, Key::P);
            if window.state().workspace().blame().is_some_and(|blame| blame.joint().is_some()) {
                break;
            }
        }
        press(&mut window, NONE, Key::ArrowDown);
    }
    let (worst, index) = {
        let report = &window.state().workspace().shown().unwrap().outcome.report;
        let worst = report.slide.worst().unwrap().clone();
        let index = report.slide.contacts.iter().position(|p| p.slide_m == worst.slide_m).unwrap();
        (worst, index)
    };
    let view = window.state().view();
    assert!((view.transport.time_secs - worst.worst_secs).abs() < 1e-3, "the playhead stands at its worst moment");
    assert_eq!(view.selection.joint, Some(worst.joint));
    let blame = window.state().workspace().blame().expect("there is a blame").clone();
    assert_eq!((blame.complaint, blame.error_m), (Complaint::Contact(index), worst.slide_m));
    let blamed = joint_name(&window, blame.joint().expect("one joint causes most of it"));
    assert!(window.query_all_by_label_contains(&format!("Cause: {blamed}")).next().is_some());
    press(&mut window, NONE, Key::G);
    assert_eq!(window.state().view().selection.joint, blame.joint(), "one key selects it");
}

#[test]
fn the_palette_runs_any_command_and_escape_closes_it() {
    let mut window = started([1280.0, 800.0]);
    run_action(&mut window, "light theme");
    assert!(!window.state().view().settings.dark);
    run_action(&mut window, "recipe b");
    assert_eq!(window.state().workspace().active_slot(), 1);
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(egui::Event::Text("zzz".into()));
    window.run_steps(3);
    assert!(window.query_by_label_contains("No command is called").is_some());
    press(&mut window, NONE, Key::Escape);
    assert!(window.state().view().sheets.palette.is_none());
    press(&mut window, Modifiers::COMMAND, Key::P);
    press(&mut window, NONE, Key::ArrowDown);
    assert_eq!(window.state().view().sheets.palette.as_ref().unwrap().at, 1, "arrows choose in the list, not the clip");
}

#[test]
fn peaks_are_listed_and_lead_to_their_moment() {
    let mut window = started([1920.0, 3240.0]);
    let row = window.get_all_by_label_contains("Peak ").next().unwrap();
    row.click();
    window.run_steps(2);
    settle(&mut window);
    let blame = window.state().workspace().blame().unwrap();
    let Complaint::Moment { joint, step } = blame.complaint else { panic!("{blame:?}") };
    let report = &window.state().workspace().shown().unwrap().outcome.report;
    let vertex = report.vertex.as_ref().unwrap();
    assert_eq!(vertex.per_step_joint[step / vertex.stride], joint, "the joint whose skin is furthest off");
    assert_eq!(report.shell.step(step)[joint], blame.error_m, "blame explains what the report says");
    let time_secs = window.state().view().transport.time_secs;
    let clip = &window.state().workspace().shown().unwrap().source.clip;
    let at = clip.grid().sample_at(time_secs) * report.sub_frames as f64;
    assert_eq!(at.round() as usize, step);
}

#[test]
fn a_narrow_window_lists_the_worst_joints_below_its_clips() {
    let mut window = started([1280.0, 800.0]);
    window.get_by_label("Section Worst joints of walk");
    let report = window.state().workspace().shown().unwrap().outcome.report.clone();
    let errors: Vec<f32> = report.samples.per_joint.iter().map(|j| j.max_m).collect();
    let worst = (0..errors.len()).max_by(|a, b| errors[*a].total_cmp(&errors[*b]).then(b.cmp(a))).unwrap();
    let rows: Vec<String> = window
        .get_all_by_label_contains("Worst joint ")
        .map(|n| n.accesskit_node().label().unwrap_or_default())
        .collect();
    assert_eq!(rows[0], format!("Worst joint {}", joint_name(&window, worst)));
    assert!(rows.len() >= 4);
    window.get_by_label(&rows[0]).click();
    window.run_steps(2);
    assert_eq!(window.state().view().selection.joint, Some(worst));
    let clip_rows = window.get_by_label("pose_t").rect();
    assert!(clip_rows.bottom() < window.get_by_label(&rows[0]).rect().top(), "below the clips");
}

#[test]
fn joints_are_ordered_by_what_is_chosen_and_the_treemap_selects() {
    let mut window = started([1920.0, 3040.0]);
    window.get_by_label("Order of joints").click();
    window.run_steps(3);
    window.get_by_label("Most bytes").click();
    window.run_steps(3);
    assert_eq!(window.state().view().settings.joint_sort, JointSort::Bytes);
    let ledger = window.state().workspace().shown().unwrap().outcome.encoding().unwrap().encoded.ledger.clone();
    let most = (0..63).max_by_key(|j| (ledger.joint_bits(*j), std::cmp::Reverse(*j))).unwrap();
    let name = joint_name(&window, most);
    let first = |window: &Window, name: &str| window.get_all_by_label(name).next().unwrap().rect().top();
    let top = first(&window, &name);
    for other in (0..63).filter(|j| *j != most).map(|j| joint_name(&window, j)) {
        if let Some(row) = window.query_all_by_label(&other).next() {
            assert!(row.rect().top() > top, "{other} stands below {name}");
        }
    }
    let bytes = format!("{name}: {:.0} bytes", ledger.joint_bits(most) as f32 / 8.0);
    window.get_by_label(&bytes).click();
    window.run_steps(2);
    assert_eq!(window.state().view().selection.joint, Some(most));
}

#[test]
fn a_contact_is_changed_by_hand_and_taken_back() {
    let mut window = started([1920.0, 1080.0]);
    let contacts = |window: &Window| {
        let report = &window.state().workspace().shown().unwrap().outcome.report;
        report.slide.contacts.iter().map(|p| (p.foot, p.start_secs, p.end_secs)).collect::<Vec<_>>()
    };
    let before = contacts(&window);
    let grabbed = drag_touch_down(&mut window);
    let after = contacts(&window);
    assert_eq!(after.len(), before.len());
    let moved: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert!(moved[0].1.1 > moved[0].0.1 && moved[0].1.2 == moved[0].0.2, "touch-down came later: {moved:?}");
    let foot = &window.state().workspace().shown().unwrap().outcome.report.slide.plan.feet[moved[0].0.0];
    assert_eq!(grabbed, format!("Touch-down of {}", joint_name(&window, foot.joint)));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(contacts(&window), before, "one undo takes the drag back");
}

#[test]
fn frame_times_are_measured_and_shown_on_demand() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, NONE, Key::F12);
    let view = window.state().view();
    assert!(view.sheets.frame_times);
    let all = view.frame_times.figures(false);
    assert!(all.frames > 10 && all.median_ms > 0.0 && all.longest_ms >= all.median_ms, "{all:?}");
}

#[test]
fn everything_grows_as_far_as_the_window_has_room_and_one_step_back_is_seen() {
    let mut window = started([1280.0, 800.0]);
    for _ in 0..8 {
        press(&mut window, Modifiers::COMMAND, Key::Plus);
    }
    let largest = window.ctx.zoom_factor();
    let inside = window.ctx.content_rect();
    assert!(largest > 1.2 && inside.width() >= 960.0 && inside.height() >= 600.0, "{largest}: {inside:?}");
    assert!(inside.contains_rect(window.get_by_label("Export\u{2026}").rect()), "export is out of reach");
    press(&mut window, Modifiers::COMMAND, Key::Minus);
    assert!(window.ctx.zoom_factor() < largest - 0.1);
}

#[test]
fn pictures_of_the_whole_window_at_twice_the_size() {
    let mut window = started([2560.0, 1600.0]);
    for _ in 0..8 {
        press(&mut window, Modifiers::COMMAND, Key::Plus);
    }
    assert!(window.state().view().settings.zoom > 1.9);
    settle(&mut window);
    compare(&mut window, "window_200_percent", Region::Whole);
}

#[test]
fn a_better_recipe_is_named_with_its_price_and_a_click_shows_it() {
    let mut window = started([1920.0, 1080.0]);
    super::show_level(&mut window, "All settings");
    let link = window.query_all_by_label_contains("B passes all ").next().expect("B holds the feet of all clips");
    let workspace = window.state().workspace();
    let more = workspace.totals(1).bytes as i64 - workspace.totals(0).bytes as i64;
    let words = format!("B passes all {} for {}", workspace.totals(1).clips, posepress_core::text::signed_bytes(more));
    assert_eq!(link.accesskit_node().label(), Some(words));
    link.click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(window.state().workspace().active_slot(), 1);
    assert!(window.query_all_by_label_contains(" passes all ").next().is_none(), "nothing is better than B");
}

#[test]
fn a_clip_that_passes_but_lost_motion_when_it_was_read_says_look_at_the_source() {
    // The bundled walk is read at 20 samples per second. That loses visible motion.
    let import = ImportOptions { rate_hz: Some(20.0), ..ImportOptions::default() };
    let (picker, author) = (Box::new(TestPicker::default()), Some("Ann".into()));
    let options = Options { files: vec![sample()], import, picker, author, state_folder: None, ..Options::default() };
    let mut window = open_with([1920.0, 1080.0], options);
    settle(&mut window);
    super::show_level(&mut window, "Essentials");
    settle(&mut window);
    assert!(window.query_by_label_contains("Passes. Look at the source").is_some());
    // One click helps.
    let rate_hz = |window: &Window| {
        let workspace = window.state().workspace();
        workspace.library().clip(workspace.selected().unwrap()).unwrap().1.grid().rate_hz()
    };
    let before = rate_hz(&window);
    window.query_all_by_label_contains("Read again at ").next().expect("a button").click();
    window.run_steps(3);
    settle(&mut window);
    assert!(rate_hz(&window) > 1.4 * before, "{} {before}", rate_hz(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(rate_hz(&window), before);
}
