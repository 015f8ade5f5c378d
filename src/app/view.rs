use super::blink::Blink;
use super::commands::Command;
use super::frame_times::FrameTimes;
use super::render::{Bounds, Camera, Side};
use super::view_state::{Settings, Transport};
use posepress_core::metrics::Complaint;
use posepress_core::session::{Layer, ViewMode};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// A message that stays until it is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What is wrong, in a few words.
    pub title: String,
    /// Where, what was expected, what to do.
    pub detail: String,
    /// A question instead of an error: the button's words, and what it does.
    pub offer: Option<(String, Command)>,
}

impl Problem {
    /// Something that went wrong.
    pub fn error(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: detail.into(), offer: None }
    }
}

/// The list of all commands, open to be searched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Palette {
    /// What was typed.
    pub query: String,
    /// Chosen entry of those found.
    pub at: usize,
}

/// What the window shows of the workspace.
#[derive(Debug)]
pub struct View {
    /// What survives a restart.
    pub settings: Settings,
    /// The clock of both sides.
    pub transport: Transport,
    /// The camera of both sides, or of the original while they are unlocked.
    pub camera: Camera,
    /// The compressed side's own camera, while the two are unlocked.
    pub second_camera: Option<Camera>,
    /// Size of the ground's grid: grows with the figure.
    pub ground_scale: f32,
    /// Picked in tree, curves or viewport.
    pub selected_joint: Option<usize>,
    /// Joints whose curves are drawn besides those of the selected one.
    pub compared: Vec<usize>,
    /// Keys of the fit that the curve plot shows; all of them without a number.
    pub replay_keys: Option<usize>,
    /// What is to be explained; nothing means whatever is worst.
    pub complaint: Option<Complaint>,
    /// Joints whose trail stays when another one is selected.
    pub trail_joints: BTreeSet<usize>,
    /// A vertex that is pointed at: mesh of the rig, vertex of the mesh.
    pub marked_vertex: Option<(usize, usize)>,
    /// Part of a name.
    pub clip_filter: String,
    /// Part of a name.
    pub joint_filter: String,
    /// Joints whose children are hidden.
    pub folded: HashSet<usize>,
    /// Part of the clip that the timeline shows, as shares of its length.
    pub range: (f32, f32),
    /// The original on both sides, as long as the key is held.
    pub hold_original: bool,
    /// Original and compressed in turns.
    pub blink: Blink,
    /// The wipe's line follows the pointer, as long as the key is held.
    pub hold_divider: bool,
    /// The key sheet is open.
    pub keys_open: bool,
    /// The command palette, while it is open.
    pub palette: Option<Palette>,
    /// Frame times are shown.
    pub frame_times_open: bool,
    /// How long frames took.
    pub frame_times: FrameTimes,
    /// Messages.
    pub problems: Vec<Problem>,
    /// Files that are being read.
    pub loading: Vec<PathBuf>,
    /// What is being written.
    pub exporting: Option<String>,
    /// What happened last.
    pub status: String,
    /// Times of this machine are shown.
    pub timings: bool,
}

impl View {
    /// A view with settings from the last session.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            transport: Transport::default(),
            camera: Camera::framing(Bounds::PERSON, 1.0),
            second_camera: None,
            ground_scale: 1.0,
            selected_joint: None,
            compared: Vec::new(),
            replay_keys: None,
            complaint: None,
            trail_joints: BTreeSet::new(),
            marked_vertex: None,
            clip_filter: String::new(),
            joint_filter: String::new(),
            folded: HashSet::new(),
            range: (0.0, 1.0),
            hold_original: false,
            blink: Blink::default(),
            hold_divider: false,
            keys_open: false,
            palette: None,
            frame_times_open: false,
            frame_times: FrameTimes::default(),
            problems: Vec::new(),
            loading: Vec::new(),
            exporting: None,
            status: String::new(),
            timings: true,
        }
    }

    /// True when the compressed side shows the original: a key is held, or it is the original's turn.
    pub fn original_on_both(&self) -> bool {
        let turn = self.settings.mode != ViewMode::Blink && self.blink.side() == Some(Side::Original);
        self.hold_original || turn
    }

    /// The camera that a side is seen with.
    pub fn camera_of(&self, side: Side) -> &Camera {
        match (side, &self.second_camera) {
            (Side::Compressed, Some(camera)) => camera,
            _ => &self.camera,
        }
    }

    /// The camera that a drag in a side's viewport moves.
    pub fn camera_mut(&mut self, side: Side) -> &mut Camera {
        match (side, &mut self.second_camera) {
            (Side::Compressed, Some(camera)) => camera,
            _ => &mut self.camera,
        }
    }

    /// One camera for both sides, or one for each.
    pub fn toggle_camera_lock(&mut self) {
        self.second_camera = if self.second_camera.is_some() { None } else { Some(self.camera) };
    }

    /// Every camera in use.
    pub fn cameras_mut(&mut self) -> impl Iterator<Item = &mut Camera> {
        std::iter::once(&mut self.camera).chain(&mut self.second_camera)
    }

    /// The factor by which the compressed side's offset is drawn larger; 1 = as it is.
    pub fn offset_gain(&self) -> f32 {
        if self.settings.layers.is_on(Layer::Difference) { self.settings.difference_gain } else { 1.0 }
    }

    /// Joints whose paths are drawn: the selected one and those that were kept.
    pub fn trails(&self) -> BTreeSet<usize> {
        self.trail_joints.iter().copied().chain(self.selected_joint).collect()
    }
}
