//! View modes and layers.

use crate::commands::DrawCommand;
use crate::state::{BLINK_RANGE_HZ, ONION_RANGE, Settings, WIPE_RANGE, within};
use posepress_core::view::difference_gain_range;

/// Carries out commands about view modes and layers.
pub fn carry_out(settings: &mut Settings, command: DrawCommand) {
    match command {
        DrawCommand::SetMode(mode) => settings.mode = mode,
        DrawCommand::ShowMeshes(names, shown) => settings.show_meshes(names, shown),
        DrawCommand::SetWipe(at) => settings.wipe = within(at, WIPE_RANGE),
        DrawCommand::SetOnionMix(mix) => settings.onion_mix = within(mix, ONION_RANGE),
        DrawCommand::SetBlinkHz(rate_hz) => settings.blink_hz = within(rate_hz, BLINK_RANGE_HZ),
        DrawCommand::SetDifferenceGain(gain) => settings.difference_gain = within(gain, difference_gain_range()),
        DrawCommand::StepDifference(larger) => settings.step_difference(larger),
        DrawCommand::ToggleLayer(layer) => settings.layers.toggle(layer),
    }
}
