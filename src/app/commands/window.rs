//! Pictures, plots, and the window itself.

use crate::render::Side;
use crate::state::{CurveKind, LeftTab, MainTab, Palette, Panel, RightTab, TimelineTab};
use posepress_core::view::{CameraPreset, Layer, ViewMode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How pictures are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DrawCommand {
    /// How both sides share the space.
    SetMode(ViewMode),
    /// Draw the meshes of these names, or not.
    ShowMeshes(Vec<String>, bool),
    /// Set the position of the wipe line.
    SetWipe(f32),
    /// Opacity of the compressed figure over the original.
    SetOnionMix(f32),
    /// Set the blinks per second.
    SetBlinkHz(f32),
    /// Set the factor on the error.
    SetDifferenceGain(f32),
    /// Draw the difference with the next larger factor, or the next smaller one.
    StepDifference(bool),
    /// Show or hide.
    ToggleLayer(Layer),
}

/// Cameras.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CameraCommand {
    /// Look from a side.
    LookFrom(CameraPreset),
    /// Turn the camera.
    Orbit {
        /// Position of the pointer.
        side: Side,
        /// Around the up axis.
        yaw_rad: f32,
        /// Up and down.
        pitch_rad: f32,
    },
    /// Move the camera across the picture.
    Pan {
        /// Position of the pointer.
        side: Side,
        /// Points that the pointer moved.
        delta: [f32; 2],
        /// Points that the viewport measures.
        size: [f32; 2],
    },
    /// Nearer or farther.
    Dolly {
        /// Position of the pointer.
        side: Side,
        /// Factor on the distance.
        factor: f32,
        /// Pointer, points from the viewport's upper left.
        at: [f32; 2],
        /// Points that the viewport measures.
        size: [f32; 2],
    },
    /// One camera for both sides, or one for each.
    ToggleLock,
    /// Fit the selected joint.
    FrameSelection,
    /// Fit the whole figure.
    FrameAll,
    /// Fit the figure at every place of its path.
    FramePath,
    /// Cameras go along with clips that travel, or stand still.
    ToggleFollow,
}

/// Options of the curve plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CurveCommand {
    /// Options of the curve plot.
    SetCurve(CurveKind),
    /// Show or hide X, Y or Z.
    ToggleCurveAxis(usize),
    /// Values that the curve plot shows; all that there are without any.
    ZoomCurves(Option<[f64; 2]>),
    /// First float track of the curve plot.
    SetFirstFloat(usize),
    /// Keys of the fit that the curve plot shows; all of them without a number.
    SetReplay(Option<usize>),
    /// Decoded minus raw, or both.
    ToggleResidual,
    /// The curve before the last change too, or not.
    ToggleGhost,
}

/// How the window is arranged, and what is open over it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum WindowCommand {
    /// Arrange the window for something else.
    ShowMainTab(MainTab),
    /// Bring a panel into sight.
    ShowPanel(Panel),
    /// Confirms that the panel is visible.
    PanelShown,
    /// Tab of a narrow window.
    ShowLeft(LeftTab),
    /// Tab of a narrow window.
    ShowRight(RightTab),
    /// Tab of a narrow window.
    ShowTimeline(TimelineTab),
    /// A panel was dragged to another width or height, points.
    SizePanel(Cow<'static, str>, f32),
    /// Dark panels, or light ones.
    SetDark(bool),
    /// Everything larger, or smaller.
    StepZoom(bool),
    /// Everything at 100 %.
    ActualSize,
    /// Open, change or close the command palette.
    SetPalette(Option<Palette>),
    /// Show how long frames take, or no longer.
    ToggleFrameTimes,
    /// Open or close the key sheet.
    ToggleKeys,
    /// Open or close the licences.
    ToggleNotices,
    /// Close a message.
    Dismiss(usize),
    /// The three steps were read.
    DismissHint,
    /// Close what is open on top.
    Escape,
    /// Close the window.
    Quit,
}

/// The clipboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ShareCommand {
    /// Put what is seen on the clipboard.
    CopyView,
    /// Ask the system for what is on the clipboard.
    AskPaste,
    /// Text from the clipboard becomes what is seen, or the active recipe.
    Paste(String),
}
