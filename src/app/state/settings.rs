//! Settings, saved between sessions. Not part of undo.

use super::{BLINK_RANGE_HZ, GhostOf, KeymapChoice, Level, Panel};
use posepress_core::report::JointSort;
use posepress_core::view::{
    Layer, Layers, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE, ViewMode, difference_gain_range,
    next_difference_gain,
};
use posepress_core::workspace::ClipSort;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The quantity of a curve plot.
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

/// Tabs below the viewports where lists and plots are tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum TimelineTab {
    /// Error and contacts.
    #[default]
    Error,
    /// Curves of the selected joint.
    Curves,
}

impl TimelineTab {
    /// In display order.
    pub const ALL: [Self; 2] = [Self::Error, Self::Curves];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::Curves => "Curves",
        }
    }
}

/// Tabs of the left panel where lists and plots are tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum LeftTab {
    /// Clips.
    #[default]
    Clips,
    /// Joints.
    Joints,
}

impl LeftTab {
    /// In display order.
    pub const ALL: [Self; 2] = [Self::Clips, Self::Joints];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clips => "Clips",
            Self::Joints => "Joints",
        }
    }
}

/// Tabs of the right panel where lists and plots are tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum RightTab {
    /// Codec and its parameters.
    #[default]
    Codec,
    /// Contacts and causes of errors.
    Contacts,
    /// Sizes and errors.
    Report,
}

impl RightTab {
    /// In display order.
    pub const ALL: [Self; 3] = [Self::Codec, Self::Contacts, Self::Report];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codec => "Codec",
            Self::Contacts => "Contacts",
            Self::Report => "Report",
        }
    }
}

/// A main tab of the window: Clip, Review or Budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum MainTab {
    /// Views and tunes one clip.
    #[default]
    Clip,
    /// Approves or rejects many clips, one after the other.
    Review,
    /// Compares recipes on all clips, and fits clips into a budget.
    Budget,
}

impl MainTab {
    /// In display order.
    pub const ALL: [Self; 3] = [Self::Clip, Self::Review, Self::Budget];

    /// Label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clip => "Clip",
            Self::Review => "Review",
            Self::Budget => "Budget",
        }
    }

    /// Its purpose.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Clip => "Inspect one clip and edit its recipe.",
            Self::Review => "Approve or reject clips, worst first.",
            Self::Budget => "Compare sizes and errors of recipes on all clips, and fit clips into a budget.",
        }
    }
}

/// Settings, saved between sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Version of the program that ran last; empty before the first start.
    pub version: String,
    /// True for the dark theme.
    pub dark: bool,
    /// Recent files, latest first.
    pub recent: Vec<PathBuf>,
    /// Projects that were opened or saved, latest first.
    pub recent_projects: Vec<PathBuf>,
    /// Name of the reviewer; empty until it was entered.
    pub author: String,
    /// The visible main tab.
    pub main_tab: MainTab,
    /// View mode.
    pub mode: ViewMode,
    /// Visible layers.
    pub layers: Layers,
    /// Quantity of the curve plot.
    pub curve: CurveKind,
    /// X, Y, Z shown in the curve plot.
    pub curve_axes: [bool; 3],
    /// True if the curve plot shows decoded minus raw.
    pub curve_residual: bool,
    /// Faint curves of the curve plot.
    pub ghost: GhostOf,
    /// First float track of the curve plot.
    pub first_float: usize,
    /// True if the ruler shows seconds instead of frames.
    pub ruler_seconds: bool,
    /// Frame number of the first sample.
    pub first_frame: i32,
    /// True if the error plot includes errors between samples.
    pub between_samples: bool,
    /// Order of the joint list.
    pub joint_sort: JointSort,
    /// Order of the list of clips; `None` for the order of the files.
    pub clip_sort: Option<ClipSort>,
    /// True if cameras follow clips that travel.
    pub follow: bool,
    /// True if the list groups clips by file.
    pub clips_by_file: bool,
    /// Position of the wipe line, 0 to 1.
    pub wipe: f32,
    /// Opacity of the compressed side over the original, 0 to 1.
    pub onion_mix: f32,
    /// Blinks per second.
    pub blink_hz: f32,
    /// The difference is drawn this many times larger.
    pub difference_gain: f32,
    /// Tab below the viewports where there are tabs.
    pub timeline_tab: TimelineTab,
    /// Left tab where there are tabs.
    pub left_tab: LeftTab,
    /// Right tab where there are tabs.
    pub right_tab: RightTab,
    /// Names of hidden meshes, in all files.
    pub hidden_meshes: BTreeSet<String>,
    /// True if open files are read again when they change on disk.
    pub watch: bool,
    /// True if results are kept on disk.
    pub keep_results: bool,
    /// True if the guide of the first start was followed or closed.
    pub hint_seen: bool,
    /// The set of keys.
    pub keymap: KeymapChoice,
    /// Amount of controls and numbers.
    pub level: Level,
    /// Panels that were asked for and are shown at every level.
    pub asked_panels: BTreeSet<Panel>,
    /// Keys of the columns of numbers in lists of clips.
    pub clip_columns: BTreeSet<String>,
    /// Zoom of the whole window, 1 = 100 %.
    pub zoom: f32,
    /// Sizes of the window and its panels, folded sections.
    pub layout: Layout,
}

/// Sizes of the window and its panels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
pub struct Layout {
    /// Inner size of the window in points at 100 % zoom.
    pub window_points: Option<[f32; 2]>,
    /// True if the window is maximized.
    pub maximized: bool,
    /// Width or height of the panels that were dragged, as shares of the window.
    pub panel_shares: BTreeMap<String, f32>,
    /// Titles of sections that are closed.
    pub folded: BTreeSet<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: String::new(),
            dark: true,
            recent: Vec::new(),
            recent_projects: Vec::new(),
            author: String::new(),
            main_tab: MainTab::default(),
            mode: ViewMode::default(),
            layers: Layers::default(),
            curve: CurveKind::default(),
            curve_axes: [true; 3],
            curve_residual: false,
            ghost: GhostOf::LastChange,
            first_float: 0,
            ruler_seconds: false,
            first_frame: 0,
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
            hidden_meshes: BTreeSet::new(),
            watch: true,
            keep_results: true,
            hint_seen: false,
            keymap: KeymapChoice::default(),
            level: Level::default(),
            asked_panels: BTreeSet::new(),
            clip_columns: USUAL_COLUMNS.map(str::to_owned).into(),
            zoom: 1.0,
            layout: Layout::default(),
        }
    }
}

/// Keys of the columns of numbers that lists of clips show at first.
const USUAL_COLUMNS: [&str; 2] = ["worst_slide_mm", "bytes"];

/// Number of recent files that are kept.
const MAX_RECENT: usize = 10;

/// Allowed zoom. Smaller is unreadable, larger leaves no room.
const ZOOM_RANGE: RangeInclusive<f32> = 0.6..=2.5;
/// Step in which the largest zoom follows the size of the window.
const ROOM_STEP: f32 = 0.05;
/// Frame numbers that the first sample may have.
pub const FIRST_FRAME_RANGE: RangeInclusive<i32> = -100_000..=100_000;
/// Positions of the wipe line at which it can be dragged.
pub const WIPE_RANGE: RangeInclusive<f32> = 0.02..=0.98;
/// Opacity from hidden to opaque.
pub const ONION_RANGE: RangeInclusive<f32> = 0.0..=1.0;
/// Least width and height of the window, points.
pub const MIN_WINDOW_POINTS: [f32; 2] = [960.0, 600.0];
/// Size of the window at the first start, points.
const USUAL_WINDOW_POINTS: [f32; 2] = [1600.0, 960.0];
/// Largest saved size; wider than any screen.
const MAX_POINTS: f32 = 16_384.0;

/// A saved number, clamped to its range; the default if it is not finite.
fn kept(value: f32, range: RangeInclusive<f32>, usual: f32) -> f32 {
    if value.is_finite() { value.clamp(*range.start(), *range.end()) } else { usual }
}

/// A number, clamped to its range.
pub fn within<T: PartialOrd + Copy>(value: T, range: RangeInclusive<T>) -> T {
    match value {
        low if low < *range.start() => *range.start(),
        high if high > *range.end() => *range.end(),
        value => value,
    }
}

impl Layout {
    /// Size at which the window opens.
    pub fn window_size(&self) -> [f32; 2] {
        self.window_points.unwrap_or(USUAL_WINDOW_POINTS)
    }

    /// Share of the window that a panel takes, if it was ever dragged.
    pub fn panel_share(&self, panel: &str) -> Option<f32> {
        self.panel_shares.get(panel).copied()
    }

    fn clamped(mut self) -> Self {
        let [width, height] = MIN_WINDOW_POINTS.map(|least| least..=MAX_POINTS);
        let usual = USUAL_WINDOW_POINTS;
        self.window_points = self.window_points.map(|[w, h]| [kept(w, width, usual[0]), kept(h, height, usual[1])]);
        self.panel_shares.retain(|_, share| (0.01..=1.0).contains(share));
        self
    }
}

impl Settings {
    /// Notes that a version runs. Returns true if another version ran before it.
    pub fn note_version(&mut self, version: &str) -> bool {
        let before = std::mem::replace(&mut self.version, version.to_owned());
        !before.is_empty() && before != version
    }

    /// Shows or hides the meshes of these names.
    pub fn show_meshes(&mut self, names: Vec<String>, shown: bool) {
        for name in names {
            let _ = if shown { self.hidden_meshes.remove(&name) } else { self.hidden_meshes.insert(name) };
        }
    }

    /// Clamps every number to its range.
    pub fn clamped(mut self) -> Self {
        let usual = Self::default();
        self.recent.truncate(MAX_RECENT);
        self.recent_projects.truncate(MAX_RECENT);
        self.zoom = kept(self.zoom, ZOOM_RANGE, usual.zoom);
        self.wipe = kept(self.wipe, WIPE_RANGE, usual.wipe);
        self.onion_mix = kept(self.onion_mix, ONION_RANGE, usual.onion_mix);
        self.first_frame = self.first_frame.clamp(*FIRST_FRAME_RANGE.start(), *FIRST_FRAME_RANGE.end());
        self.blink_hz = kept(self.blink_hz, BLINK_RANGE_HZ, usual.blink_hz);
        self.difference_gain = kept(self.difference_gain, difference_gain_range(), usual.difference_gain);
        self.layout = self.layout.clamped();
        self
    }

    /// Changes the level. Panels that were asked for are hidden again.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
        self.asked_panels.clear();
    }

    /// Shows or hides a column of numbers in lists of clips.
    pub fn toggle_clip_column(&mut self, key: String) {
        if !self.clip_columns.remove(&key) {
            self.clip_columns.insert(key);
        }
    }

    /// Sets the zoom, clamped to its range; 1 = 100 %.
    pub fn set_zoom(&mut self, zoom: f32) {
        self.zoom = zoom.clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
    }

    /// The chosen zoom, reduced until the panels have room, but not below 100 %. `room` is the window's size in points
    /// at 100 %.
    pub fn zoom_within(&self, room: [f32; 2]) -> f32 {
        let [wide, high] = [room[0] / MIN_WINDOW_POINTS[0], room[1] / MIN_WINDOW_POINTS[1]];
        // Steps and a margin keep the zoom stable when the size of the window is rounded.
        let most = ((wide.min(high) + 0.001) / ROOM_STEP).floor() * ROOM_STEP;
        self.zoom.min(most.max(1.0))
    }

    /// Turns on the difference, with the next larger or smaller factor.
    pub fn step_difference(&mut self, larger: bool) {
        self.layers.set(Layer::Difference, true);
        self.difference_gain = next_difference_gain(self.difference_gain, larger);
    }

    /// Puts a file on top of the recent ones.
    pub fn remember(&mut self, path: PathBuf) {
        put_on_top(&mut self.recent, path);
    }

    /// Puts a project on top of the recent ones.
    pub fn remember_project(&mut self, path: PathBuf) {
        put_on_top(&mut self.recent_projects, path);
    }
}

/// Moves a path to the front. Skips paths that are not valid UTF-8, because settings are saved as text.
fn put_on_top(recent: &mut Vec<PathBuf>, path: PathBuf) {
    if path.to_str().is_none() {
        return;
    }
    recent.retain(|p| *p != path);
    recent.insert(0, path);
    recent.truncate(MAX_RECENT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_file_says_every_number_is_one_that_can_be_shown() {
        for bad in ["nan", "-inf", "inf", "1e30", "-1e30", "0.0"] {
            let text = format!(
                "zoom = {bad}\nwipe = {bad}\nonion_mix = {bad}\nblink_hz = {bad}\ndifference_gain = {bad}\n[layout]\n\
                 window_points = [{bad}, {bad}]\npanel_shares = {{ left = {bad} }}\n"
            );
            let settings = toml::from_str::<Settings>(&text).unwrap().clamped();
            assert!(ZOOM_RANGE.contains(&settings.zoom) && WIPE_RANGE.contains(&settings.wipe), "{settings:?}");
            assert!(ONION_RANGE.contains(&settings.onion_mix) && BLINK_RANGE_HZ.contains(&settings.blink_hz));
            assert!(difference_gain_range().contains(&settings.difference_gain), "{settings:?}");
            let size = settings.layout.window_size();
            assert!(size.iter().zip(MIN_WINDOW_POINTS).all(|(s, least)| (least..=MAX_POINTS).contains(s)), "{size:?}");
            assert_eq!(settings.layout.panel_share("left"), None);
        }
    }

    #[test]
    fn another_version_is_noticed_once_and_not_at_the_first_start() {
        let mut settings = Settings::default();
        assert_eq!(
            ["1.0.0", "1.0.0", "1.1.0", "1.1.0"].map(|now| settings.note_version(now)),
            [false, false, true, false]
        );
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
