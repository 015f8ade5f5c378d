//! What the window shows of the workspace: where the playhead stands, what is selected, what is drawn. No part of undo.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the two sides are laid over each other; heat is an overlay on any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum ViewMode {
    /// Two viewports, one camera.
    #[default]
    SideBySide,
    /// One viewport, original left of a line.
    Wipe,
}

/// What is drawn besides the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layers {
    /// Skinned mesh.
    pub mesh: bool,
    /// Bones over the mesh.
    pub skeleton: bool,
    /// Soles of planted feet and their drift.
    pub plants: bool,
    /// Ground grid.
    pub ground: bool,
    /// Heat map of the error on the compressed side.
    pub heat: bool,
    /// The heat map colours by joint error instead of vertex error.
    pub heat_by_joint: bool,
    /// The worst plant of the moment from above.
    pub foot_lens: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            mesh: true,
            skeleton: true,
            plants: true,
            ground: true,
            heat: true,
            heat_by_joint: false,
            foot_lens: true,
        }
    }
}

/// One switch of [`Layers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// Skinned mesh.
    Mesh,
    /// Bones.
    Skeleton,
    /// Planted soles.
    Plants,
    /// Ground grid.
    Ground,
    /// Heat map.
    Heat,
    /// Heat map by joint.
    HeatByJoint,
    /// Foot lens.
    FootLens,
}

impl Layers {
    /// The switch of a layer.
    pub fn get_mut(&mut self, layer: Layer) -> &mut bool {
        match layer {
            Layer::Mesh => &mut self.mesh,
            Layer::Skeleton => &mut self.skeleton,
            Layer::Plants => &mut self.plants,
            Layer::Ground => &mut self.ground,
            Layer::Heat => &mut self.heat,
            Layer::HeatByJoint => &mut self.heat_by_joint,
            Layer::FootLens => &mut self.foot_lens,
        }
    }

    /// Whether a layer is drawn.
    pub fn get(mut self, layer: Layer) -> bool {
        *self.get_mut(layer)
    }
}

/// The clock of both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transport {
    /// Where the playhead stands.
    pub time_secs: f32,
    /// It moves.
    pub playing: bool,
    /// Factor on real time.
    pub speed: f32,
    /// At the end it goes back to the start, instead of stopping.
    pub looped: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self { time_secs: 0.0, playing: false, speed: 1.0, looped: true }
    }
}

impl Transport {
    /// Moves the playhead by real time.
    pub fn advance(&mut self, elapsed_secs: f32, duration_secs: f32) {
        if !self.playing {
            return;
        }
        if duration_secs <= 0.0 {
            self.time_secs = 0.0;
            return;
        }
        let time_secs = self.time_secs + elapsed_secs * self.speed;
        if time_secs < duration_secs {
            self.time_secs = time_secs;
        } else if self.looped {
            self.time_secs = time_secs.rem_euclid(duration_secs);
        } else {
            self.time_secs = duration_secs;
            self.playing = false;
        }
    }
}

/// Order of the joint list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum JointSort {
    /// As a tree.
    #[default]
    Tree,
    /// Largest error first.
    Error,
    /// Most bytes first.
    Bytes,
    /// Most bits a sample first.
    Bits,
    /// Whose restoring takes most off the slide or error that is explained.
    Blame,
}

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

/// Tabs of the left panel on a narrow window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum LeftTab {
    /// Clips.
    #[default]
    Clips,
    /// Joints.
    Joints,
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
    /// Where the wipe's line stands.
    pub wipe: f32,
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
            wipe: 0.5,
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

impl Settings {
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
    fn the_clock_wraps_or_stops_at_the_end() {
        let mut clock = Transport { time_secs: 0.9, playing: true, ..Transport::default() };
        clock.advance(0.2, 1.0);
        assert!((clock.time_secs - 0.1).abs() < 1e-6 && clock.playing);
        clock.looped = false;
        clock.advance(5.0, 1.0);
        assert_eq!((clock.time_secs, clock.playing), (1.0, false));
        clock.playing = true;
        clock.advance(1.0, 0.0);
        assert_eq!(clock.time_secs, 0.0);
    }

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
