//! View modes and layers.

use super::framing::frame_all;
use crate::commands::DrawCommand;
use crate::render::CROWD_RANGE;
use crate::state::{BLINK_RANGE_HZ, ONION_RANGE, View, WIPE_RANGE, within};
use posepress_core::view::difference_gain_range;
use posepress_core::workspace::Workspace;

/// Number of characters of a crowd at first.
const USUAL_CROWD: u32 = 100;

/// Carries out commands about view modes and layers.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: DrawCommand) {
    let settings = &mut view.settings;
    match command {
        DrawCommand::SetMode(mode) => settings.mode = mode,
        DrawCommand::ShowMeshes(names, shown) => settings.show_meshes(names, shown),
        DrawCommand::SetWipe(at) => settings.wipe = within(at, WIPE_RANGE),
        DrawCommand::SetOnionMix(mix) => settings.onion_mix = within(mix, ONION_RANGE),
        DrawCommand::SetBlinkHz(rate_hz) => settings.blink_hz = within(rate_hz, BLINK_RANGE_HZ),
        DrawCommand::SetDifferenceGain(gain) => settings.difference_gain = within(gain, difference_gain_range()),
        DrawCommand::StepDifference(larger) => settings.step_difference(larger),
        DrawCommand::ToggleLayer(layer) => settings.layers.toggle(layer),
        DrawCommand::SetCrowd(characters) => set_crowd(workspace, view, characters),
        DrawCommand::ToggleCrowd => set_crowd(workspace, view, if view.crowd > 1 { 1 } else { USUAL_CROWD }),
    }
}

/// Sets the size of the crowd, and fits it.
fn set_crowd(workspace: &Workspace, view: &mut View, characters: u32) {
    let before = std::mem::replace(&mut view.crowd, within(characters, CROWD_RANGE));
    if before != view.crowd {
        frame_all(workspace, view);
    }
}
