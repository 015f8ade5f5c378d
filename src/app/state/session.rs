//! The last session, and its restoration.

use crate::render::Camera;
use posepress_core::import::ImportOptions;
use posepress_core::model::ClipKey;
use posepress_core::project::ProjectSource;
use posepress_core::settings::Settings as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A clip by file and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenClip {
    /// Index of its file.
    pub file: usize,
    /// Its own name.
    pub name: String,
}

/// Open files and the visible clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The file of the project that was open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The recipe that is tuned: 0 = A.
    pub slot: usize,
    /// Time of the playhead.
    pub time_secs: f32,
    /// The selected clip.
    pub clip: Option<OpenClip>,
    /// Notes on undecided clips.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub drafts: BTreeMap<ClipKey, String>,
    /// The camera of both sides, or of the original.
    pub camera: Option<Camera>,
    /// The compressed side's own.
    pub compressed_camera: Option<Camera>,
    /// Files in their order, with those that could not be opened. The sample is not listed.
    pub files: Vec<ProjectSource>,
}

impl Session {
    /// Replaces invalid times, cameras and import options.
    pub fn clamped(self) -> Self {
        let time_secs = if self.time_secs.is_finite() { self.time_secs.max(0.0) } else { 0.0 };
        let [camera, compressed_camera] = [self.camera, self.compressed_camera].map(|c| c.and_then(Camera::restored));
        let valid = |file: ProjectSource| match file.import.check() {
            Ok(()) => file,
            Err(_) => ProjectSource { import: ImportOptions::default(), ..file },
        };
        let files = self.files.into_iter().map(valid).collect();
        Self { time_secs, camera, compressed_camera, files, ..self }
    }

    /// True if it has neither files nor a project.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.project.is_none()
    }
}
