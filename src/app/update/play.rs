//! Playhead, loops, and display of time.

use super::clips::{duration_secs, selected_clip};
use crate::commands::PlayCommand;
use crate::state::{FIRST_FRAME_RANGE, View, within};
use posepress_core::workspace::Workspace;

/// Carries out commands about time.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: PlayCommand) {
    match command {
        PlayCommand::Seek(time_secs) => seek(workspace, view, time_secs),
        PlayCommand::Step(samples) => step(workspace, view, samples),
        PlayCommand::SetSpeed(speed) => view.transport.speed = speed,
        PlayCommand::TogglePlay => view.transport.toggle(),
        PlayCommand::Shuttle(is_forward) => view.transport.shuttle_to(if is_forward { 1.0 } else { -1.0 }),
        PlayCommand::Pause => view.transport.pause(),
        PlayCommand::ToggleLoop => view.transport.looped ^= true,
        PlayCommand::ToggleSeam => toggle_seam(workspace, view),
        PlayCommand::MarkIn => mark_in(workspace, view),
        PlayCommand::MarkOut => view.transport.mark_out(),
        PlayCommand::PlayWhole => view.transport.range_secs = None,
        PlayCommand::ZoomTimeline(start, end) => view.range = (start, end),
        PlayCommand::SetFirstFrame(frame) => view.settings.first_frame = within(frame, FIRST_FRAME_RANGE),
        PlayCommand::ToggleRuler => view.settings.ruler_seconds ^= true,
        PlayCommand::ToggleBetween => view.settings.between_samples ^= true,
    }
}

/// Moves the playhead, and stops.
pub fn seek(workspace: &Workspace, view: &mut View, time_secs: f32) {
    let duration_secs = duration_secs(workspace);
    view.transport.seek(time_secs, duration_secs);
}

/// Moves the playhead by samples, and stops.
fn step(workspace: &Workspace, view: &mut View, samples: f64) {
    if let Some(grid) = selected_clip(workspace).map(|clip| clip.grid()) {
        view.transport.step(samples, &grid);
    }
}

/// Starts the played range at the playhead.
fn mark_in(workspace: &Workspace, view: &mut View) {
    let duration_secs = duration_secs(workspace);
    view.transport.mark_in(duration_secs);
}

/// Toggles playback of half a second before and after a loop's seam.
fn toggle_seam(workspace: &Workspace, view: &mut View) {
    let loops = selected_clip(workspace).is_some_and(|clip| clip.is_looping());
    let transport = &mut view.transport;
    transport.seam = loops && !transport.seam;
    transport.playing |= transport.seam;
}

/// Stops playing the seam if the selected clip does not loop any more.
pub fn keep_to_seam(workspace: &Workspace, view: &mut View) {
    view.transport.seam &= selected_clip(workspace).is_some_and(|clip| clip.is_looping());
}
