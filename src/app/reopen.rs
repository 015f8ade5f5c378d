//! Where a person left off, and how the window gets there again.

use super::App;
use super::commands::Command;
use super::files::file_name;
use super::messages::Problem;
use super::render::Camera;
use posepress_core::import::ImportOptions;
use posepress_core::session::{ClipId, LoadedSource, SourceFile};
use posepress_core::settings::Settings as _;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A file, and what the user said about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenFile {
    /// Where it stands.
    pub path: PathBuf,
    /// How it is read.
    #[serde(default)]
    pub import: ImportOptions,
}

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
    /// The files were still being read: if one of them ended the program, it is not opened again unasked.
    pub opening: bool,
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
    /// In the order in which they were opened; the sample is none.
    pub files: Vec<OpenFile>,
}

impl OpenFile {
    fn of(source: &LoadedSource) -> Option<Self> {
        let path = source.path.clone()?;
        let path = std::path::absolute(&path).unwrap_or(path);
        // TOML is text, and so is every path in it.
        path.to_str()?;
        Some(Self { path, import: source.options })
    }
}

impl Session {
    /// Every number in its range.
    pub fn clamped(self) -> Self {
        let time_secs = if self.time_secs.is_finite() { self.time_secs.max(0.0) } else { 0.0 };
        let [camera, compressed_camera] = [self.camera, self.compressed_camera].map(|c| c.and_then(Camera::restored));
        let valid = |file: OpenFile| match file.import.check() {
            Ok(()) => file,
            Err(_) => OpenFile { import: ImportOptions::default(), ..file },
        };
        let files = self.files.into_iter().map(valid).collect();
        Self { time_secs, camera, compressed_camera, files, ..self }
    }
}

impl App {
    /// What is open now; while the last session is being opened, what it was.
    pub(super) fn session(&self) -> Session {
        if let Some(session) = &self.reopening {
            return session.clone();
        }
        let (library, cameras) = (self.workspace.library(), &self.view.cameras);
        let open: Vec<(u32, OpenFile)> =
            library.sources().iter().filter_map(|source| Some((source.id, OpenFile::of(source)?))).collect();
        let clip = self.workspace.selected().and_then(|id| {
            let file = open.iter().position(|(source, _)| *source == id.source)?;
            Some(OpenClip { file, name: library.clip(id)?.1.name().to_owned() })
        });
        Session {
            opening: false,
            project: self.view.project.clone().filter(|path| path.to_str().is_some()),
            slot: self.workspace.active_slot(),
            time_secs: self.view.transport.rest_secs,
            clip,
            camera: Some(cameras.main),
            compressed_camera: cameras.compressed,
            files: open.into_iter().map(|(_, file)| file).collect(),
        }
    }

    /// Goes on where the last session stopped, unless it stopped while it was doing just that: then it asks.
    pub(super) fn reopen_last(&mut self, session: Session) {
        if session.opening {
            let names: Vec<String> = session.files.iter().map(|file| file.path.display().to_string()).collect();
            let detail = format!("{}\nThey were not opened again: one of them may be the cause.", names.join("\n"));
            let offer = Some(("Open them again".to_owned(), Command::Reopen(Box::new(session))));
            let title = "The program ended while it was opening these files".to_owned();
            self.view.messages.report(Problem { title, detail, offer });
            self.open_sample();
        } else {
            self.reopen(session);
        }
    }

    /// Opens the files of a session, then goes to its clip and moment.
    pub(super) fn reopen(&mut self, session: Session) {
        for OpenFile { path, import } in &session.files {
            self.workspace.open(SourceFile::Path(path.clone()), *import);
        }
        self.workspace.activate_slot(session.slot);
        self.view.project.clone_from(&session.project);
        session.project.iter().for_each(|path| self.read_open_project(path.clone()));
        self.reopening = Some(Session { opening: true, ..session });
    }

    /// As soon as every file is there, or is known not to come: the clip, the moment and the cameras.
    pub(super) fn go_on_where_it_stopped(&mut self) {
        if self.workspace.reading().next().is_some() {
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

    /// Opens the file again that was closed last.
    pub(super) fn reopen_closed(&mut self) {
        if let Some(OpenFile { path, import }) = self.view.closed_files.pop() {
            self.workspace.open(SourceFile::Path(path), import);
        }
    }

    /// Closes the file of the selected clip; it can be opened again.
    pub(super) fn close_file(&mut self) {
        let Some(id) = self.workspace.selected() else { return };
        let closed = self.workspace.library().source(id.source).and_then(OpenFile::of);
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
