//! Blind tests: start, answers, and the result.

use super::review::reviewer;
use crate::commands::BlindCommand;
use crate::state::{BlindTesting, Transport, View, Waiting};
use posepress_core::project::BLIND_TEST_LENGTHS;
use posepress_core::workspace::{ClipSlot, Workspace};

/// Carries out commands about blind tests.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, ctx: &egui::Context, command: BlindCommand) {
    let now_secs = ctx.input(|input| input.time);
    match (command, &mut view.blind) {
        (BlindCommand::Ask(is_open), _) => view.sheets.blind = is_open,
        (BlindCommand::Start { trials, seed }, None) => start(workspace, view, (trials, seed), now_secs),
        (BlindCommand::Show(shown), Some(testing)) => testing.show(shown),
        (BlindCommand::Answer(letter, secs), Some(testing)) => testing.answer(letter, secs, now_secs),
        (BlindCommand::Keep, Some(testing)) if testing.is_over() => keep(workspace, view),
        (BlindCommand::End, Some(_)) => end(view),
        _ => {} // it came too late: the test has ended
    }
}

/// Starts a test. The clip plays in a loop until its end.
fn start(workspace: &Workspace, view: &mut View, (trials, seed): (usize, u64), now_secs: f64) {
    view.sheets.blind = false;
    let (Some(clip), Ok(sides)) = (workspace.selected(), workspace.blind_sides()) else {
        return view.messages.say("The clip changed. Start the blind test again when it is compressed.");
    };
    if !BLIND_TEST_LENGTHS.contains(&trials) {
        return;
    }
    let of = ClipSlot { clip, slot: workspace.active_slot() };
    view.blind = Some(BlindTesting::new(of, sides, (trials, seed), view.transport, now_secs));
    view.transport = Transport { playing: true, looped: true, seam: false, ..view.transport };
}

/// Adds the result to the project. Without the name of the person, asks for it first.
fn keep(workspace: &mut Workspace, view: &mut View) {
    let Some(by) = reviewer(view, Waiting::KeepBlindTest) else { return };
    let Some(testing) = &view.blind else { return };
    let (of, score) = (testing.of, testing.score());
    if workspace.add_blind_test(of, testing.answered.clone(), &by) {
        view.messages.say(format!("Blind test kept: {}, {}", score.words(), score.meaning()));
    }
    end(view);
}

/// Ends the test, and restores the clock.
fn end(view: &mut View) {
    view.transport = view.blind.take().map_or(view.transport, |testing| testing.before);
}

/// Ends a test whose clip or result was replaced, for example because the file changed on disk.
pub fn keep_to_sides(workspace: &Workspace, view: &mut View) {
    let is_gone = |testing: &BlindTesting| {
        let is_selected = workspace.selected() == Some(testing.of.clip) && workspace.active_slot() == testing.of.slot;
        !is_selected || !workspace.blind_sides().is_ok_and(|sides| testing.is_of(sides))
    };
    if view.blind.as_ref().is_some_and(is_gone) {
        end(view);
        view.messages.say("The clip or its recipe changed: the blind test ended without a result.");
    }
}
