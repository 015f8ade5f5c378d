//! Everything a person can do, as data, and which of it a key asks for.

pub use super::command_list::{COMMANDS, HELD_KEYS, MENUS, Spec, shortcut_text};

use super::focus;
use super::render::{CameraPreset, Side};
use super::view::Palette;
use super::view_state::{CurveKind, Layer, LeftTab, RightTab, TimelineTab, ViewMode};
use egui::{Key, KeyboardShortcut, Modifiers};
use posepress_core::import::{LengthUnit, UpAxis};
use posepress_core::metrics::Complaint;
use posepress_core::session::{ClipId, JointSort, Recipe};
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
    /// Stops what is being written.
    CancelExport,
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
    /// Mark the selected clip as looping or not; nothing means as found.
    MarkLoop(Option<bool>),
    /// Give up the compression that runs.
    StopJob,
    /// Do again what was given up.
    ResumeJob,
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

/// Commands whose keys were pressed and belong to nothing that has the focus; `had_focus` says whether Escape took
/// it away, or closed a menu.
pub fn pressed(ctx: &egui::Context, had_focus: bool) -> Vec<Command> {
    let mut specs: Vec<(&KeyboardShortcut, &Spec)> =
        COMMANDS.iter().flat_map(|spec| spec.keys.iter().map(move |key| (key, spec))).collect();
    // Shortcuts with more modifiers first: consume_shortcut ignores extra Shift.
    specs.sort_by_key(|(shortcut, _)| std::cmp::Reverse(modifier_count(shortcut.modifiers)));
    specs.retain(|(shortcut, _)| focus::is_free(ctx, shortcut));
    let mut out: Vec<Command> = ctx.input_mut(|input| {
        let mut commands = Vec::new();
        for (shortcut, spec) in specs {
            // A slow frame may see a key more than once: no press is lost.
            let presses = input.count_and_consume_key(shortcut.modifiers, shortcut.logical_key);
            commands.extend((0..presses).map(|_| (spec.command)()));
        }
        commands
    });
    if !had_focus && ctx.input(|i| i.key_pressed(Key::Escape)) {
        out.push(Command::Escape);
    }
    out
}

fn modifier_count(modifiers: Modifiers) -> usize {
    usize::from(modifiers.command) + usize::from(modifiers.shift) + usize::from(modifiers.alt)
}
