//! Fixes for all clips: one click each, at the price that was said before.

use super::*;
use egui::{Key, Modifiers};
use posepress_core::project::{DecisionKind, ReviewState};
use posepress_core::workspace::{CommonFix, FixPrice};

const CTRL: Modifiers = Modifiers::COMMAND;

#[test]
fn one_click_locks_every_clip_that_slides_at_the_price_that_was_said_and_one_undo_takes_it_back() {
    let mut window = started([1280.0, 800.0]);
    // What passes is approved, and stays approved.
    press(&mut window, CTRL.plus(Modifiers::SHIFT), Key::A);
    let approved: Vec<_> = {
        let workspace = window.state().workspace();
        let is_approved = |id: &_| workspace.review_state(*id) == ReviewState::Decided(DecisionKind::Approved);
        workspace.library().clip_ids().filter(is_approved).collect()
    };
    let before = window.state().workspace().totals(0);
    assert!(!approved.is_empty() && before.failing > 1);
    window.get_by_label("Fix all\u{2026}").click();
    window.run_steps(3);
    settle(&mut window);
    let rows = window.state().workspace().common_fixes();
    let row = rows.iter().find(|row| row.fix == CommonFix::LockContacts).expect("feet slide");
    let FixPrice::Known { extra_bytes, passing, better } = row.price else { panic!("{:?}", row.price) };
    assert!(better > 0 && better <= row.clips && passing <= better, "{row:?}");
    let title = row.fix.title(row.clips, row.files);
    assert!(title.contains(&row.clips.to_string()), "{title}");
    window.get_by_label(&format!("Fix: {title}")).click();
    window.run_steps(3);
    settle(&mut window);
    let after = window.state().workspace().totals(0);
    assert_eq!(after.bytes as i64 - before.bytes as i64, extra_bytes, "the price was measured");
    assert!(after.failing < before.failing, "{} {}", after.failing, before.failing);
    for id in &approved {
        let state = window.state().workspace().review_state(*id);
        assert_eq!(state, ReviewState::Decided(DecisionKind::Approved));
    }
    assert_eq!(window.state().workspace().history().undo_label(), Some(&*title));
    let left = window.state().workspace().common_fixes();
    assert!(left.iter().all(|row| row.fix != CommonFix::LockContacts), "{left:?}");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_all_by_label_contains("Fix: ").next().is_none(), "Escape closes the sheet");
    press(&mut window, CTRL, Key::Z);
    assert_eq!(window.state().workspace().totals(0).bytes, before.bytes, "one step");
}

#[test]
fn the_palette_and_the_review_lead_to_the_same_sheet_and_without_a_fix_there_is_no_link() {
    let mut window = started([1280.0, 800.0]);
    press(&mut window, Modifiers::NONE, Key::F3);
    let in_review = window.get_all_by_label("Fix all\u{2026}").count();
    assert!(in_review >= 1);
    press(&mut window, CTRL, Key::P);
    window.event(egui::Event::Text("fix all".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.get_by_label("Fix all clips");
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::NONE, Key::F2);
    // A lossless recipe has nothing to fix.
    window.event(egui::Event::Paste("codec = \"raw\"\n".into()));
    window.run_steps(3);
    settle(&mut window);
    assert!(window.query_by_label("Fix all\u{2026}").is_none());
}
