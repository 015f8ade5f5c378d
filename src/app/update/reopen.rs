//! Where a person left off, and how the window gets there again.

use crate::App;
use crate::files::file_name;
use crate::render::Camera;
use posepress_core::import::ImportOptions;
use posepress_core::session::{ClipId, ProjectSource};
use posepress_core::settings::Settings as _;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A clip, by its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenClip {
    /// Index of its file.
    pub file: usize,
    /// Its own name.
    pub name: String,
}

/// What is open, and what is looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The file of the project that was open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The recipe that is tuned: 0 = A.
    pub slot: usize,
    /// Where the playhead rests.
    pub time_secs: f32,
    /// The clip that is looked at.
    pub clip: Option<OpenClip>,
    /// The camera of both sides, or of the original.
    pub camera: Option<Camera>,
    /// The compressed side's own.
    pub compressed_camera: Option<Camera>,
    /// In the order in which they were opened, those that could not be opened among them; the sample is none.
    pub files: Vec<ProjectSource>,
}

impl Session {
    /// Every number in its range.
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

    /// Nothing was ever opened in it but the sample.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.project.is_none()
    }
}

impl App {
    /// What is open now; while the last session is being opened, what it was and what was opened besides.
    pub(crate) fn session(&self) -> Session {
        let files = self.sources();
        if let Some(session) = &self.reopening {
            let mut session = session.clone();
            let is_new = |file: &ProjectSource| session.files.iter().all(|known| known.path != file.path);
            let new: Vec<_> = files.into_iter().filter(is_new).collect();
            session.files.extend(new);
            return session;
        }
        let (library, cameras) = (self.workspace.library(), &self.view.cameras);
        let clip = self.workspace.selected().and_then(|id| {
            let path = ProjectSource::of(library.source(id.source)?)?.path;
            let file = files.iter().position(|file| file.path == path)?;
            Some(OpenClip { file, name: library.clip(id)?.1.name().to_owned() })
        });
        Session {
            project: self.view.project.clone().filter(|path| path.to_str().is_some()),
            slot: self.workspace.active_slot(),
            time_secs: self.view.transport.rest_secs,
            clip,
            camera: Some(cameras.main),
            compressed_camera: cameras.compressed,
            files,
        }
    }

    /// Opens the files of a session and its project, then goes to its clip and moment.
    pub(crate) fn reopen(&mut self, session: Session) {
        self.workspace.activate_slot(session.slot);
        self.view.project.clone_from(&session.project);
        self.expect_foreign();
        self.bring_in(session.project.clone(), Some(session.clone()));
        self.reopening = Some(session);
    }

    /// As soon as every file is there, or is known not to come: the clip, the moment and the cameras.
    pub(crate) fn go_on_where_it_stopped(&mut self) {
        if self.is_opening() {
            return;
        }
        let Some(session) = self.reopening.take() else { return };
        let clip = session.clip.and_then(|clip| {
            let path = &session.files.get(clip.file)?.path;
            let source = self.workspace.library().sources().iter().find(|s| s.path.as_ref() == Some(path))?;
            let index = source.clips.iter().position(|c| c.name() == clip.name)?;
            Some(ClipId { source: source.id, clip: index as u32 })
        });
        let Some(clip) = clip else { return };
        self.select_clip(clip);
        self.seek(session.time_secs);
        if let Some(camera) = session.camera {
            self.view.cameras.restore(camera, session.compressed_camera);
        }
    }

    /// Closes the file of the selected clip; it can be opened again.
    pub(crate) fn close_file(&mut self) {
        let Some(id) = self.workspace.selected() else { return };
        let closed = self.workspace.library().source(id.source).and_then(ProjectSource::of);
        self.workspace.close(id.source);
        match closed {
            Some(file) => {
                self.view.messages.say(format!("Closed {}", file_name(&file.path)));
                self.view.closed_files.push(file);
            }
            None => self.view.messages.status.clear(),
        }
        self.view.selection.rig_changed();
        self.clip_changed();
        self.frame_all();
    }
}
