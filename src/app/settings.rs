//! What survives a restart. No part of undo.

use super::blink::BLINK_RANGE_HZ;
use posepress_core::session::{
    ClipSort, JointSort, Layer, Layers, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE, ViewMode,
    next_difference_gain,
};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What a curve plot shows of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum CurveKind {
    /// Angle from the bind pose about each axis, degrees.
    #[default]
    RotationDegrees,
    /// Local Euler angles in the order X, Y, Z, degrees.
    RotationEuler,
    /// Quaternion components.
    RotationComponents,
    /// Centimetres.
    Translation,
    /// Factors.
    Scale,
    /// Morph weights and other scalars of the clip.
    Floats,
}

/// Tabs below the viewports on a narrow window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum TimelineTab {
    /// Error and plants.
    #[default]
    Error,
    /// Curves of the selected joint.
    Curves,
}

impl TimelineTab {
    /// In the order in which they stand.
    pub const ALL: [Self; 2] = [Self::Error, Self::Curves];

    /// As people see it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::Curves => "Curves",
        }
    }
}

/// Tabs of the left panel on a narrow window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum LeftTab {
    /// Clips.
    #[default]
    Clips,
    /// Joints.
    Joints,
}

impl LeftTab {
    /// In the order in which they stand.
    pub const ALL: [Self; 2] = [Self::Clips, Self::Joints];

    /// As people see it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clips => "Clips",
            Self::Joints => "Joints",
        }
    }
}

/// Tabs of the right panel on a narrow window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum RightTab {
    /// Codec and its parameters.
    #[default]
    Codec,
    /// Feet.
    Contacts,
    /// Sizes and errors.
    Report,
}

impl RightTab {
    /// In the order in which they stand.
    pub const ALL: [Self; 3] = [Self::Codec, Self::Contacts, Self::Report];

    /// As people see it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codec => "Codec",
            Self::Contacts => "Contacts",
            Self::Report => "Report",
        }
    }
}

/// What survives a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark or light.
    pub dark: bool,
    /// Latest first.
    pub recent: Vec<PathBuf>,
    /// View mode.
    pub mode: ViewMode,
    /// What is drawn.
    pub layers: Layers,
    /// Curve plot.
    pub curve: CurveKind,
    /// X, Y, Z shown in the curve plot.
    pub curve_axes: [bool; 3],
    /// The curve plot shows decoded minus raw.
    pub curve_residual: bool,
    /// First float track of the curve plot.
    pub first_float: usize,
    /// Steps between samples count in the error plot.
    pub between_samples: bool,
    /// Order of the joint list.
    pub joint_sort: JointSort,
    /// Order of the list of clips; as in the files without one.
    pub clip_sort: Option<ClipSort>,
    /// Cameras go along with clips that travel.
    pub follow: bool,
    /// Clips of one file stand together in the list.
    pub clips_by_file: bool,
    /// Where the wipe's line stands.
    pub wipe: f32,
    /// Opacity of the compressed figure over the original, 0 to 1.
    pub onion_mix: f32,
    /// How often a second a blinking picture goes there and back.
    pub blink_hz: f32,
    /// The difference is drawn this many times larger.
    pub difference_gain: f32,
    /// Narrow window: tabs.
    pub timeline_tab: TimelineTab,
    /// Narrow window: tabs.
    pub left_tab: LeftTab,
    /// Narrow window: tabs.
    pub right_tab: RightTab,
    /// The three steps of the first start were read.
    pub hint_seen: bool,
    /// Size of everything, 1 = 100 %.
    pub zoom: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dark: true,
            recent: Vec::new(),
            mode: ViewMode::default(),
            layers: Layers::default(),
            curve: CurveKind::default(),
            curve_axes: [true; 3],
            curve_residual: false,
            first_float: 0,
            between_samples: true,
            joint_sort: JointSort::default(),
            clip_sort: None,
            follow: true,
            clips_by_file: true,
            wipe: USUAL_WIPE,
            onion_mix: USUAL_ONION_MIX,
            blink_hz: *BLINK_RANGE_HZ.start(),
            difference_gain: USUAL_DIFFERENCE_GAIN,
            timeline_tab: TimelineTab::default(),
            left_tab: LeftTab::default(),
            right_tab: RightTab::default(),
            hint_seen: false,
            zoom: 1.0,
        }
    }
}

/// Recent files that are kept.
const MAX_RECENT: usize = 10;

/// Smaller is not to be read, larger leaves no room.
const ZOOM_RANGE: RangeInclusive<f32> = 0.6..=2.5;

impl Settings {
    /// Makes everything larger or smaller.
    pub fn zoom_by(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
    }

    /// Draws the difference, with the next larger or smaller factor.
    pub fn step_difference(&mut self, larger: bool) {
        self.layers.set(Layer::Difference, true);
        self.difference_gain = next_difference_gain(self.difference_gain, larger);
    }

    /// Puts a file on top of the recent ones.
    pub fn remember(&mut self, path: PathBuf) {
        self.recent.retain(|p| *p != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_files_are_unique_and_bounded() {
        let mut settings = Settings::default();
        for i in 0..15 {
            settings.remember(PathBuf::from(format!("{}.glb", i % 12)));
        }
        assert_eq!(settings.recent.len(), 10);
        assert_eq!(settings.recent[0], PathBuf::from("2.glb"));
    }
}
