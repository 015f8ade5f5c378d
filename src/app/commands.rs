//! Everything a person can do, as data: menus, keys and the key sheet come from one list.

use super::render::{CameraPreset, Side};
use super::view::Palette;
use super::view_state::{CurveKind, JointSort, Layer, LeftTab, RightTab, TimelineTab, ViewMode};
use crate::import::{LengthUnit, UpAxis};
use crate::metrics::Complaint;
use crate::session::{ClipId, Recipe};
use egui::{Key, KeyboardShortcut, Modifiers};
use std::path::PathBuf;

/// A change that a panel or a key asks for. The app carries it out after drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Ask for files to open.
    OpenDialog,
    /// Open these files.
    Open(Vec<PathBuf>),
    /// Give up the files that are being read.
    CancelLoading,
    /// Open the bundled sample.
    OpenSample,
    /// Read an open file again in another unit.
    ReadAs {
        /// Id of the file.
        source: u32,
        /// Unit of its lengths.
        unit: LengthUnit,
    },
    /// Read the selected clip's file again with another axis upwards.
    SetUpAxis(UpAxis),
    /// Close the file of the selected clip.
    CloseFile,
    /// Ask where to write clips with an exporter.
    ExportDialog {
        /// Key of the exporter.
        exporter: &'static str,
        /// The selected clip only, or all.
        selected_only: bool,
    },
    /// Leave.
    Quit,
    /// Take back.
    Undo,
    /// Bring back.
    Redo,
    /// Change the active recipe while an interaction is under way.
    PreviewRecipe(Box<Recipe>),
    /// End the interaction; the label says what it was.
    CommitRecipe(String),
    /// Change the active recipe in one step.
    EditRecipe(String, Box<Recipe>),
    /// Plants of a foot of the selected clip while they are dragged: joint, then touch-down and lift-off of each.
    PreviewPlants(String, Vec<[f32; 2]>),
    /// End the drag; the label says what it was.
    CommitPlants(String),
    /// Plants of a foot of the selected clip in one step; nothing means those that are found.
    EditPlants(String, String, Option<Vec<[f32; 2]>>),
    /// Tune another recipe.
    ActivateSlot(usize),
    /// Look at another clip.
    SelectClip(ClipId),
    /// Look at the clip so many places further down the list.
    SelectClipBy(i32),
    /// Pick a joint.
    SelectJoint(Option<usize>),
    /// Show only clips whose name holds this.
    FilterClips(String),
    /// Show only joints whose name holds this.
    FilterJoints(String),
    /// Order of the joint list.
    SortJoints(JointSort),
    /// Fold or unfold the joints below one.
    ToggleJoint(usize),
    /// Start or stop.
    TogglePlay,
    /// Put the playhead.
    Seek(f32),
    /// Move the playhead by samples.
    Step(f64),
    /// First sample.
    GoStart,
    /// Last sample.
    GoEnd,
    /// Error peak before the playhead.
    PreviousPeak,
    /// Error peak after the playhead.
    NextPeak,
    /// Largest error of the clip, its vertex framed.
    GoWorst,
    /// A peak of the error, and who is to blame for it.
    ShowPeak(f32),
    /// Worst moment of a plant, its foot framed from the side, and who is to blame.
    ShowPlant(usize),
    /// The plant that slides most.
    GoWorstPlant,
    /// The plant whose worst moment comes next.
    NextPlant,
    /// The plant whose worst moment came before.
    PreviousPlant,
    /// Which joint causes this.
    Explain(Complaint),
    /// Select the joint that is to blame.
    SelectBlamed,
    /// Factor on real time.
    SetSpeed(f32),
    /// Go round at the end.
    ToggleLoop,
    /// Go round over a loop's seam only, or no more.
    ToggleSeam,
    /// Part of the clip that the timeline shows, as shares of its length.
    ZoomTimeline(f32, f32),
    /// How both sides share the space.
    SetMode(ViewMode),
    /// Where the wipe's line stands.
    SetWipe(f32),
    /// Opacity of the compressed figure over the original.
    SetOnionMix(f32),
    /// How often a second a blinking picture goes there and back.
    SetBlinkHz(f32),
    /// How many times larger the difference is drawn.
    SetDifferenceGain(f32),
    /// The next larger or smaller factor; switches the difference on.
    StepDifferenceGain {
        /// Larger or smaller.
        larger: bool,
    },
    /// Keep the selected joint's trail, or keep it no more.
    KeepTrail,
    /// One camera for both sides, or one for each.
    ToggleCameraLock,
    /// Show or hide.
    ToggleLayer(Layer),
    /// Frame what is selected.
    FrameSelection,
    /// Frame everything.
    FrameAll,
    /// Look from a side.
    LookFrom(CameraPreset),
    /// Turn the camera.
    Orbit {
        /// Where the pointer is.
        side: Side,
        /// Around the up axis.
        yaw_rad: f32,
        /// Up and down.
        pitch_rad: f32,
    },
    /// Move the camera across the picture.
    Pan {
        /// Where the pointer is.
        side: Side,
        /// Points that the pointer moved.
        delta: egui::Vec2,
        /// Points that the viewport measures.
        size: egui::Vec2,
    },
    /// Nearer or farther.
    Dolly {
        /// Where the pointer is.
        side: Side,
        /// Factor on the distance.
        factor: f32,
        /// Pointer, points from the viewport's upper left.
        at: egui::Vec2,
        /// Points that the viewport measures.
        size: egui::Vec2,
    },
    /// Dark or light.
    SetDark(bool),
    /// Size of everything.
    Zoom(f32),
    /// What the curve plot shows.
    SetCurve(CurveKind),
    /// Show or hide X, Y or Z.
    ToggleCurveAxis(usize),
    /// Curves of decoded minus raw.
    ToggleResidual,
    /// First float track of the curve plot.
    SetFirstFloat(usize),
    /// Keys of the fit that the curve plot shows; all of them without a number.
    SetReplay(Option<usize>),
    /// Draw a joint's curves besides those of the selected one, or no longer.
    CompareJoint(usize),
    /// Error between samples counts in the plot.
    ToggleBetween,
    /// Tab of a narrow window.
    ShowLeft(LeftTab),
    /// Tab of a narrow window.
    ShowRight(RightTab),
    /// Tab of a narrow window.
    ShowTimeline(TimelineTab),
    /// The sheet of all keys.
    ToggleKeys,
    /// Open, change or close the command palette.
    SetPalette(Option<Palette>),
    /// Show or hide frame times.
    ToggleFrameTimes,
    /// Close a message.
    Dismiss(usize),
    /// The three steps were read.
    DismissHint,
    /// Close what is open on top.
    Escape,
}

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
        "View",
        "Side by side",
        "Original and compressed in two viewports with one camera.",
        [key(Key::Num1)],
        Command::SetMode(ViewMode::SideBySide)
    ),
    spec!(
        "View",
        "Wipe",
        "One viewport: original left of a line, compressed right of it.",
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
        "One viewport: original and compressed in turns, in the same place.",
        [key(Key::Num4)],
        Command::SetMode(ViewMode::Blink)
    ),
    spec!(
        "View",
        "Heat map",
        "Colour the compressed side by its error.",
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
        "Draw the compressed side many times further from the original than it is.",
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
pub const HELD_KEYS: [(&str, &str); 9] = [
    ("R", "Hold: the original on both sides."),
    ("B", "Hold: the compressed side blinks, original and compressed in turns."),
    ("V", "Hold in wipe: the line follows the pointer."),
    ("Alt-drag, middle-drag", "Orbit. With Shift: pan."),
    ("Wheel", "Dolly in a viewport, zoom in the timeline. Shift-wheel pans the timeline."),
    ("Ctrl-click a joint", "Draw its curves besides those of the selected joint."),
    ("Right-drag the timeline", "Zoom to that part. Double-click: back to the whole clip."),
    ("Double-click", "Frame a joint or a plant."),
    ("Esc", "Close a message or a sheet; else clear the selection."),
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

/// Commands whose keys were pressed. Single letters do nothing while a text field has the focus.
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    let typing = ctx.text_edit_focused();
    let mut specs: Vec<(&KeyboardShortcut, &Spec)> =
        COMMANDS.iter().flat_map(|spec| spec.keys.iter().map(move |key| (key, spec))).collect();
    // Shortcuts with more modifiers first: consume_shortcut ignores extra Shift.
    specs.sort_by_key(|(shortcut, _)| std::cmp::Reverse(modifier_count(shortcut.modifiers)));
    let mut out: Vec<Command> = ctx.input_mut(|input| {
        let usable = specs.iter().filter(|(shortcut, _)| !typing || shortcut.modifiers.command);
        usable.filter(|(shortcut, _)| input.consume_shortcut(shortcut)).map(|(_, spec)| (spec.command)()).collect()
    });
    if ctx.input(|i| i.key_pressed(Key::Escape)) {
        out.push(Command::Escape);
    }
    out
}

fn modifier_count(modifiers: Modifiers) -> usize {
    usize::from(modifiers.command) + usize::from(modifiers.shift) + usize::from(modifiers.alt)
}

#[cfg(test)]
mod tests {
    use super::*;

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
