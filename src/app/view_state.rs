//! What the window shows of the workspace: where the playhead stands, what is selected, what is drawn. No part of undo.

use super::blink::BLINK_RANGE_HZ;
use posepress_core::session::JointSort;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the two sides are laid over each other; heat and difference are overlays on any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum ViewMode {
    /// Two viewports, one camera.
    #[default]
    SideBySide,
    /// One viewport, original left of a line.
    Wipe,
    /// One viewport, both over each other, each in its colour.
    Onion,
    /// One viewport, both in turns.
    Blink,
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
    /// The compressed side drawn further from the original than it is.
    pub difference: bool,
    /// Paths of the selected joints around the playhead.
    pub trails: bool,
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
            difference: false,
            trails: false,
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
    /// Exaggerated difference.
    Difference,
    /// Paths of joints.
    Trails,
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
            Layer::Difference => &mut self.difference,
            Layer::Trails => &mut self.trails,
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
    /// It goes round over the seam of a loop only: the last moments and the first.
    pub seam: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self { time_secs: 0.0, playing: false, speed: 1.0, looped: true, seam: false }
    }
}

/// What is played before and after the seam of a loop, at most half of the loop.
const AROUND_SEAM_SECS: f32 = 0.5;

impl Transport {
    /// Moves the playhead by real time. Round a loop's end it goes on at the start with what is left of the step, as a
    /// runtime does: last and first sample are one moment, and nothing is blended over what a codec made of them.
    pub fn advance(&mut self, elapsed_secs: f32, duration_secs: f32) {
        if !self.playing {
            return;
        }
        if duration_secs <= 0.0 {
            self.time_secs = 0.0;
            return;
        }
        if self.seam {
            self.time_secs = around_seam(self.time_secs, elapsed_secs * self.speed, duration_secs);
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

/// The playhead one step on, inside the stretch around the seam.
fn around_seam(time_secs: f32, step_secs: f32, duration_secs: f32) -> f32 {
    let reach_secs = AROUND_SEAM_SECS.min(duration_secs * 0.5);
    let start_secs = duration_secs - reach_secs;
    let since_start = (time_secs - start_secs).rem_euclid(duration_secs);
    let inside = if since_start > 2.0 * reach_secs { 0.0 } else { since_start + step_secs };
    (start_secs + inside.rem_euclid(2.0 * reach_secs)).rem_euclid(duration_secs)
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
            wipe: 0.5,
            onion_mix: 0.5,
            blink_hz: *BLINK_RANGE_HZ.start(),
            difference_gain: 20.0,
            timeline_tab: TimelineTab::default(),
            left_tab: LeftTab::default(),
            right_tab: RightTab::default(),
            hint_seen: false,
            zoom: 1.0,
        }
    }
}

/// Factors that the keys of the difference step through; the field takes any between the ends.
pub const DIFFERENCE_GAINS: [f32; 8] = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];

/// The next factor above or below.
pub fn next_gain(gain: f32, larger: bool) -> f32 {
    let [first, .., last] = DIFFERENCE_GAINS;
    if larger {
        DIFFERENCE_GAINS.into_iter().find(|g| *g > gain + 1e-3).unwrap_or(last)
    } else {
        DIFFERENCE_GAINS.into_iter().rev().find(|g| *g < gain - 1e-3).unwrap_or(first)
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
    fn a_loop_is_played_across_its_seam_without_losing_time() {
        let mut clock = Transport { time_secs: 2.99, playing: true, ..Transport::default() };
        clock.advance(0.05, 3.0);
        assert!((clock.time_secs - 0.04).abs() < 1e-5, "{}", clock.time_secs);
    }

    #[test]
    fn playing_the_seam_stays_around_it_and_crosses_it_again_and_again() {
        let duration_secs = 3.0;
        let mut clock = Transport { time_secs: 1.2, playing: true, seam: true, ..Transport::default() };
        clock.advance(0.01, duration_secs);
        assert!((clock.time_secs - 2.5).abs() < 1e-5, "from afar it starts half a second before: {}", clock.time_secs);
        let (mut crossings, mut before) = (0, clock.time_secs);
        for _ in 0..300 {
            clock.advance(0.01, duration_secs);
            let from_seam = clock.time_secs.min(duration_secs - clock.time_secs);
            assert!(from_seam < 0.5 + 1e-4, "{}", clock.time_secs);
            crossings += usize::from(before - clock.time_secs > 1.5);
            before = clock.time_secs;
        }
        assert_eq!(crossings, 3, "3 s at one second a round");
        let mut short = Transport { time_secs: 0.0, playing: true, seam: true, ..Transport::default() };
        short.advance(0.05, 0.4);
        assert!((0.0..0.4).contains(&short.time_secs), "a loop shorter than the stretch is played whole");
    }

    #[test]
    fn gains_step_up_and_down_and_stop_at_the_ends() {
        assert_eq!([next_gain(20.0, true), next_gain(20.0, false), next_gain(33.0, false)], [50.0, 10.0, 20.0]);
        assert_eq!([next_gain(500.0, true), next_gain(2.0, false)], [500.0, 2.0]);
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
