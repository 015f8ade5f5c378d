//! The one list of commands: menus, keys, key sheet, palette and buttons are made from it.

use super::commands::Command;
use super::render::CameraPreset;
use super::view::Palette;
use egui::{Key, KeyboardShortcut, Modifiers};
use posepress_core::session::{Layer, ViewMode};

/// Menus, in the order in which they stand.
pub const MENUS: [&str; 5] = ["File", "Edit", "View", "Playback", "Help"];

/// A command with a name: in a menu, on a key, or both.
#[derive(Debug)]
pub struct Spec {
    /// Menu that holds it.
    pub menu: &'static str,
    /// As people see it.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Keys; the first is shown.
    pub keys: &'static [KeyboardShortcut],
    /// What is done.
    pub command: fn() -> Command,
}

impl Spec {
    /// The entry of the list that does this.
    pub fn of(command: &Command) -> Option<&'static Self> {
        COMMANDS.iter().find(|spec| (spec.command)() == *command)
    }

    /// What is written on its first key; empty without one.
    pub fn key_text(&self) -> String {
        self.keys.first().map(shortcut_text).unwrap_or_default()
    }

    /// What it does, then its key.
    pub fn tooltip(&self) -> String {
        format!("{} {}", self.help, self.key_text()).trim_end().to_owned()
    }
}

const fn key(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

macro_rules! spec {
    ($menu:literal, $label:literal, $help:literal, [$($keys:expr),*], $command:expr) => {
        Spec { menu: $menu, label: $label, help: $help, keys: &[$($keys),*], command: || $command }
    };
}

/// The one list.
pub static COMMANDS: &[Spec] = &[
    spec!("File", "Open\u{2026}", "Open rigs and clips.", [ctrl(Key::O)], Command::OpenDialog),
    spec!("File", "Open the sample", "Open the bundled character.", [], Command::OpenSample),
    spec!(
        "File",
        "Export all as container\u{2026}",
        "Write every clip with the active recipe to a .posepress file.",
        [ctrl(Key::E)],
        Command::ExportDialog { exporter: "container", selected_only: false }
    ),
    spec!(
        "File",
        "Export clip as container\u{2026}",
        "Write the selected clip with the active recipe to a .posepress file.",
        [],
        Command::ExportDialog { exporter: "container", selected_only: true }
    ),
    spec!(
        "File",
        "Export all as GLB\u{2026}",
        "Write the rig and every decoded clip as GLB.",
        [ctrl_shift(Key::E)],
        Command::ExportDialog { exporter: "glb", selected_only: false }
    ),
    spec!(
        "File",
        "Export clip as GLB\u{2026}",
        "Write the rig and the selected clip, decoded, as GLB.",
        [],
        Command::ExportDialog { exporter: "glb", selected_only: true }
    ),
    spec!(
        "File",
        "Export clip as CSV\u{2026}",
        "Write local transforms of the selected clip, decoded, as a table.",
        [],
        Command::ExportDialog { exporter: "csv", selected_only: true }
    ),
    spec!(
        "File",
        "Close file",
        "Close the file of the selected clip. Nothing on disk changes.",
        [ctrl(Key::W)],
        Command::CloseFile
    ),
    spec!("File", "Quit", "Close the window. Recipes are kept.", [ctrl(Key::Q)], Command::Quit),
    spec!("Edit", "Undo", "Take back the last change.", [ctrl(Key::Z)], Command::Undo),
    spec!("Edit", "Redo", "Bring back what undo took.", [ctrl_shift(Key::Z), ctrl(Key::Y)], Command::Redo),
    spec!("Edit", "Recipe A", "Tune recipe A.", [ctrl(Key::Num1)], Command::ActivateSlot(0)),
    spec!("Edit", "Recipe B", "Tune recipe B.", [ctrl(Key::Num2)], Command::ActivateSlot(1)),
    spec!("Edit", "Recipe C", "Tune recipe C.", [ctrl(Key::Num3)], Command::ActivateSlot(2)),
    spec!(
        "Edit",
        "Mark clip as looping",
        "The selected clip goes round: its seam is measured, and plants and trails go on across it.",
        [ctrl(Key::L)],
        Command::MarkLoop(Some(true))
    ),
    spec!(
        "Edit",
        "Mark clip as not looping",
        "The selected clip ends where it ends: it has no seam.",
        [ctrl_shift(Key::L)],
        Command::MarkLoop(Some(false))
    ),
    spec!(
        "Edit",
        "Clip loops as found",
        "The selected clip loops if its last sample equals its first.",
        [],
        Command::MarkLoop(None)
    ),
    spec!(
        "View",
        "Side by side",
        "Original and compressed in two viewports.",
        [key(Key::Num1)],
        Command::SetMode(ViewMode::SideBySide)
    ),
    spec!(
        "View",
        "Wipe",
        "One viewport: original left of a line, compressed right of it. Drag the line, or hold V: it follows the pointer.",
        [key(Key::Num2)],
        Command::SetMode(ViewMode::Wipe)
    ),
    spec!(
        "View",
        "Onion",
        "One viewport: both figures over each other, the original grey, the compressed one violet.",
        [key(Key::Num3)],
        Command::SetMode(ViewMode::Onion)
    ),
    spec!(
        "View",
        "Blink",
        "One viewport: original and compressed in turns, in the same place. In other modes hold B for it.",
        [key(Key::Num4)],
        Command::SetMode(ViewMode::Blink)
    ),
    spec!(
        "View",
        "Heat map",
        "Colour the compressed side by its error on the skin, in mm. The scale is tied to the tolerance.",
        [key(Key::Num5)],
        Command::ToggleLayer(Layer::Heat)
    ),
    spec!(
        "View",
        "Heat by joint",
        "Heat colours show each joint's shell error instead of the error on the skin.",
        [],
        Command::ToggleLayer(Layer::HeatByJoint)
    ),
    spec!(
        "View",
        "Difference",
        "Draw the compressed side many times further from the original than it is. + and - set how far.",
        [key(Key::Num6)],
        Command::ToggleLayer(Layer::Difference)
    ),
    spec!(
        "View",
        "Larger difference",
        "Draw the difference with the next larger factor.",
        [key(Key::Plus), key(Key::Equals)],
        Command::StepDifferenceGain { larger: true }
    ),
    spec!(
        "View",
        "Smaller difference",
        "Draw the difference with the next smaller factor.",
        [key(Key::Minus)],
        Command::StepDifferenceGain { larger: false }
    ),
    spec!(
        "View",
        "Trails",
        "Paths of the selected joint half a second back and ahead, raw and compressed.",
        [key(Key::T)],
        Command::ToggleLayer(Layer::Trails)
    ),
    spec!(
        "View",
        "Keep trail",
        "The selected joint's trail stays when another joint is selected; again: no more.",
        [shift(Key::T)],
        Command::KeepTrail
    ),
    spec!(
        "View",
        "One camera",
        "Both sides follow one camera; unlocked, each viewport is turned by itself.",
        [key(Key::K)],
        Command::ToggleCameraLock
    ),
    spec!(
        "View",
        "Look from front 3/4",
        "From the front, a little from the side and above.",
        [key(Key::Num0)],
        Command::LookFrom(CameraPreset::FrontThreeQuarter)
    ),
    spec!("View", "Look from front", "Face to face.", [key(Key::Num7)], Command::LookFrom(CameraPreset::Front)),
    spec!(
        "View",
        "Look from side",
        "From the figure's right, as it walks to the right.",
        [key(Key::Num8)],
        Command::LookFrom(CameraPreset::Side)
    ),
    spec!("View", "Look from top", "From above.", [key(Key::Num9)], Command::LookFrom(CameraPreset::Top)),
    spec!("View", "Mesh", "The skinned mesh. Off: bones only.", [], Command::ToggleLayer(Layer::Mesh)),
    spec!("View", "Skeleton", "Bones over the mesh.", [], Command::ToggleLayer(Layer::Skeleton)),
    spec!(
        "View",
        "Plants",
        "Soles of planted feet on the ground, and where they slide to.",
        [],
        Command::ToggleLayer(Layer::Plants)
    ),
    spec!("View", "Ground", "Ground with lines every 0.25 m and 1 m.", [], Command::ToggleLayer(Layer::Ground)),
    spec!(
        "View",
        "Foot lens",
        "The worst plant of the moment from above, when it is at warn or worse.",
        [],
        Command::ToggleLayer(Layer::FootLens)
    ),
    spec!("View", "Frame selection", "Fit the selected joint.", [key(Key::F)], Command::FrameSelection),
    spec!("View", "Frame all", "Fit the whole character.", [key(Key::A)], Command::FrameAll),
    spec!(
        "View",
        "Residual curves",
        "Curves show decoded minus raw, magnified to fill the plot.",
        [key(Key::D)],
        Command::ToggleResidual
    ),
    spec!("View", "Dark theme", "Dark panels.", [], Command::SetDark(true)),
    spec!("View", "Light theme", "Light panels.", [], Command::SetDark(false)),
    spec!("View", "Larger", "Everything larger.", [ctrl(Key::Plus), ctrl(Key::Equals)], Command::Zoom(1.1)),
    spec!("View", "Smaller", "Everything smaller.", [ctrl(Key::Minus)], Command::Zoom(1.0 / 1.1)),
    spec!("View", "Actual size", "Everything at 100 %.", [ctrl(Key::Num0)], Command::Zoom(0.0)),
    spec!("Playback", "Play or pause", "Start or stop both sides.", [key(Key::Space)], Command::TogglePlay),
    spec!(
        "Playback",
        "Next sample",
        "One sample forward.",
        [key(Key::ArrowRight), key(Key::Period)],
        Command::Step(1.0)
    ),
    spec!(
        "Playback",
        "Previous sample",
        "One sample back.",
        [key(Key::ArrowLeft), key(Key::Comma)],
        Command::Step(-1.0)
    ),
    spec!("Playback", "Ten samples forward", "Ten samples.", [shift(Key::ArrowRight)], Command::Step(10.0)),
    spec!("Playback", "Ten samples back", "Ten samples.", [shift(Key::ArrowLeft)], Command::Step(-10.0)),
    spec!("Playback", "Quarter sample forward", "Between samples.", [ctrl(Key::ArrowRight)], Command::Step(0.25)),
    spec!("Playback", "Quarter sample back", "Between samples.", [ctrl(Key::ArrowLeft)], Command::Step(-0.25)),
    spec!("Playback", "First sample", "Start of the clip.", [key(Key::Home)], Command::GoStart),
    spec!("Playback", "Last sample", "End of the clip.", [key(Key::End)], Command::GoEnd),
    spec!("Playback", "Loop", "Go round at the end.", [key(Key::L)], Command::ToggleLoop),
    spec!(
        "Playback",
        "Play the seam",
        "Go round half a second before and after a loop's seam.",
        [shift(Key::L)],
        Command::ToggleSeam
    ),
    spec!(
        "Playback",
        "Previous peak",
        "Error peak before the playhead.",
        [key(Key::OpenBracket)],
        Command::PreviousPeak
    ),
    spec!("Playback", "Next peak", "Error peak after the playhead.", [key(Key::CloseBracket)], Command::NextPeak),
    spec!(
        "Playback",
        "Worst moment",
        "Jump to the largest skinned error of this clip and frame its vertex.",
        [key(Key::W)],
        Command::GoWorst
    ),
    spec!(
        "Playback",
        "Worst plant",
        "Jump to the plant that slides most, seen from the side.",
        [key(Key::P)],
        Command::GoWorstPlant
    ),
    spec!("Playback", "Next plant", "Worst moment of the next plant.", [key(Key::N)], Command::NextPlant),
    spec!("Playback", "Previous plant", "Worst moment of the plant before.", [shift(Key::N)], Command::PreviousPlant),
    spec!(
        "Playback",
        "Blamed joint",
        "Select the joint whose loss causes the slide or error that is looked at.",
        [key(Key::J)],
        Command::SelectBlamed
    ),
    spec!("Playback", "Next clip", "Clip below in the list.", [key(Key::ArrowDown)], Command::SelectClipBy(1)),
    spec!("Playback", "Previous clip", "Clip above in the list.", [key(Key::ArrowUp)], Command::SelectClipBy(-1)),
    spec!(
        "Help",
        "All commands\u{2026}",
        "Find a command by its name.",
        [ctrl(Key::P)],
        Command::SetPalette(Some(Palette::default()))
    ),
    spec!(
        "Help",
        "Frame times",
        "How long this window's thread works on a frame, at rest and while a job runs.",
        [key(Key::F3)],
        Command::ToggleFrameTimes
    ),
    spec!(
        "Help",
        "All keys",
        "Every key on one sheet.",
        [shift(Key::Questionmark), key(Key::Questionmark)],
        Command::ToggleKeys
    ),
];

/// Keys that need no menu entry: they last as long as they are held, or belong to the pointer.
pub const HELD_KEYS: [(&str, &str); 10] = [
    ("R", "Hold: the original on both sides."),
    ("B", "Hold: the compressed side blinks, original and compressed in turns."),
    ("V", "Hold in wipe: the line follows the pointer."),
    ("Alt-drag, middle-drag", "Orbit. With Shift: pan."),
    ("Wheel", "Dolly in a viewport, zoom in the timeline. Shift-wheel pans the timeline."),
    ("Ctrl-click a joint", "Draw its curves besides those of the selected joint."),
    ("Right-drag the timeline", "Zoom to that part. Double-click: back to the whole clip."),
    ("Double-click", "Frame a joint or a plant."),
    ("Tab, Shift+Tab", "Next or previous control. Space and Enter press it, arrows change it or go through a list."),
    ("Esc", "Leave a control; close a message or a sheet; else clear the selection."),
];

/// How a shortcut is written.
pub fn shortcut_text(shortcut: &KeyboardShortcut) -> String {
    let name = match shortcut.logical_key {
        Key::ArrowLeft => "Left",
        Key::ArrowRight => "Right",
        Key::ArrowUp => "Up",
        Key::ArrowDown => "Down",
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        Key::Period => ".",
        Key::Comma => ",",
        Key::Plus => "+",
        Key::Equals => "=",
        Key::Minus => "-",
        Key::Questionmark => "?",
        other => other.name(),
    };
    let mut out = String::new();
    if shortcut.modifiers.command {
        out.push_str("Ctrl+");
    }
    if shortcut.modifiers.shift && shortcut.logical_key != Key::Questionmark {
        out.push_str("Shift+");
    }
    out + name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_mode_and_every_layer_is_in_the_list() {
        for mode in ViewMode::ALL {
            assert!(Spec::of(&Command::SetMode(mode)).is_some_and(|spec| !spec.keys.is_empty()), "{mode:?}");
        }
        let layers = [Layer::Mesh, Layer::Skeleton, Layer::Plants, Layer::Ground, Layer::Heat, Layer::HeatByJoint];
        for layer in layers.into_iter().chain([Layer::Difference, Layer::Trails, Layer::FootLens]) {
            assert!(Spec::of(&Command::ToggleLayer(layer)).is_some(), "{layer:?}");
        }
        assert_eq!(Spec::of(&Command::GoWorst).unwrap().tooltip().split(' ').next_back(), Some("W"));
    }

    #[test]
    fn every_key_means_one_thing_and_every_menu_is_known() {
        let mut seen = std::collections::HashSet::new();
        for spec in COMMANDS {
            assert!(MENUS.contains(&spec.menu), "{}", spec.label);
            assert!(!spec.help.is_empty());
            for key in spec.keys {
                assert!(seen.insert(shortcut_text(key)) || key.logical_key == Key::Questionmark, "{}", spec.label);
            }
        }
    }
}
