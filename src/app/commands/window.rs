//! Viewports, plots and the window.

use crate::render::Side;
use crate::state::{
    CurveKind, GhostOf, KeymapChoice, LeftTab, Level, MainTab, Manual, Palette, Panel, RightTab, TimelineTab,
};
use posepress_core::view::{CameraPreset, Layer, ViewMode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// View modes and layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DrawCommand {
    /// Set the view mode.
    SetMode(ViewMode),
    /// Show or hide the meshes of these names.
    ShowMeshes(Vec<String>, bool),
    /// Set the position of the wipe line.
    SetWipe(f32),
    /// Set the opacity of the compressed character over the original.
    SetOnionMix(f32),
    /// Set the blinks per second.
    SetBlinkHz(f32),
    /// Set the factor on the drawn error.
    SetDifferenceGain(f32),
    /// Turn on the difference with the next larger factor if true, else the next smaller one.
    StepDifference(bool),
    /// Show or hide a layer.
    ToggleLayer(Layer),
    /// Show a crowd of this many characters; 1 is no crowd.
    SetCrowd(u32),
    /// Show a crowd, or one character.
    ToggleCrowd,
}

/// Cameras.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CameraCommand {
    /// Look from a preset direction.
    LookFrom(CameraPreset),
    /// Turn the camera.
    Orbit {
        /// Side of the viewport under the pointer.
        side: Side,
        /// Angle around the up axis.
        yaw_rad: f32,
        /// Angle up or down.
        pitch_rad: f32,
    },
    /// Move the camera across the view.
    Pan {
        /// Side of the viewport under the pointer.
        side: Side,
        /// Motion of the pointer, points.
        delta: [f32; 2],
        /// Size of the viewport, points.
        size: [f32; 2],
    },
    /// Move the camera nearer or farther.
    Dolly {
        /// Side of the viewport under the pointer.
        side: Side,
        /// Factor on the distance.
        factor: f32,
        /// Position of the pointer, points from the viewport's upper left.
        at: [f32; 2],
        /// Size of the viewport, points.
        size: [f32; 2],
    },
    /// Toggle between one camera for both sides and one per side.
    ToggleLock,
    /// Fit the selected joint.
    FrameSelection,
    /// Fit the whole character.
    FrameAll,
    /// Fit the whole path of the character.
    FramePath,
    /// Toggle whether cameras follow clips that travel.
    ToggleFollow,
}

/// Options of the curve plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CurveCommand {
    /// Set the quantity of the curve plot.
    SetCurve(CurveKind),
    /// Show or hide X, Y or Z.
    ToggleCurveAxis(usize),
    /// Set the value range of the curve plot; `None` for all values.
    ZoomCurves(Option<[f64; 2]>),
    /// Set the first float track of the curve plot.
    SetFirstFloat(usize),
    /// Set the number of keys in the replayed fit; `None` for all.
    SetReplay(Option<usize>),
    /// Toggle between decoded minus raw and both curves.
    ToggleResidual,
    /// Show these faint curves; hide them if they are shown.
    ShowGhost(GhostOf),
}

/// Tabs, panels and sheets of the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum WindowCommand {
    /// Show a main tab.
    ShowMainTab(MainTab),
    /// Bring a panel into view.
    ShowPanel(Panel),
    /// Confirms that the panel is visible.
    PanelShown,
    /// Show a left tab where there are tabs.
    ShowLeft(LeftTab),
    /// Show a right tab where there are tabs.
    ShowRight(RightTab),
    /// Show a tab below the viewports where there are tabs.
    ShowTimeline(TimelineTab),
    /// Save the width or height of a panel that was dragged, as a share of the window.
    SizePanel(Cow<'static, str>, f32),
    /// Show the essentials, or all settings.
    SetLevel(Level),
    /// Use the dark theme, or the light one.
    SetDark(bool),
    /// Zoom the whole window in if true, else out.
    StepZoom(bool),
    /// Zoom the whole window to 100 %.
    ActualSize,
    /// Open, change or close the command palette.
    SetPalette(Option<Palette>),
    /// Show or hide frame times.
    ToggleFrameTimes,
    /// Open or close the key sheet.
    ToggleKeys,
    /// Open the manual at the page about the open sheet or the main tab, or close it.
    ToggleManual,
    /// Open the manual at the list of changes.
    ShowChanges,
    /// Turn the manual to a page, or close it.
    SetManual(Option<Manual>),
    /// Use a set of keys.
    UseKeys(KeymapChoice),
    /// Open or close the licences.
    ToggleNotices,
    /// Close a message.
    Dismiss(usize),
    /// Close all messages.
    DismissAll,
    /// Close the guide of the first start.
    DismissHint,
    /// Start a tour.
    StartTour(usize),
    /// End the tour.
    StopTour,
    /// Close the topmost sheet or message, or clear the selection.
    Escape,
    /// Close the window.
    Quit,
}

/// The clipboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ShareCommand {
    /// Copy the view to the clipboard as text.
    CopyView,
    /// Request the contents of the clipboard from the system.
    AskPaste,
    /// Apply text from the clipboard: a view or a recipe.
    Paste(String),
}
