mod fixes;
mod rigs;
mod undecided;

pub(crate) use rigs::Settled;
pub use undecided::Undecided;

use crate::codecs::Progress;
use crate::import::{Finding, ImportOptions, Origin};
use crate::model::{Clip, ClipData, ClipId, ClipKey, Rig, SourceDigest};
use crate::project::{Project, ProjectSource};
use crate::tasks::{ImportTask, ImportedSource, SourceFile, TaskError};
use fixes::FixedClips;
use rigs::{How, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open file.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    /// Its id. It is not reused after the file is closed.
    pub id: u32,
    /// Path of the file. `None` for the bundled sample.
    pub path: Option<PathBuf>,
    /// The user's import options.
    pub options: ImportOptions,
    /// The import options when it was opened.
    pub(crate) opened_as: ImportOptions,
    /// Digest of its bytes.
    pub digest: SourceDigest,
    /// True if the file has no clip. Then its only clip is its default pose, for display.
    pub is_rig: bool,
    /// The rig that the clips move: its own, or the rig of another file.
    pub rig: Arc<Rig>,
    /// Clips in the order of the file, with fixes and marks.
    pub clips: Vec<Arc<Clip>>,
    /// The same clips before they were put on their bases.
    plain: Vec<Arc<Clip>>,
    /// For each clip, true if its samples loop.
    pub found_loops: Vec<bool>,
    /// Findings of the import checks.
    pub findings: Vec<Finding>,
    /// Other files that belong to it.
    pub beside: Vec<PathBuf>,
    /// Contents of the file.
    read: Read,
    /// Clips with fixes.
    fixed: FixedClips,
    /// The choices from which the clips were made.
    how: How,
}

impl LoadedSource {
    fn new(id: u32, source: ImportedSource) -> Self {
        let ImportedSource { path, options, digest, mut imported } = source;
        let is_rig = imported.clips.is_empty();
        if is_rig {
            imported.clips.extend(default_pose(&imported.rig));
        }
        let read = Read {
            rig: Arc::new(imported.rig),
            clips: imported.clips.into_iter().map(Arc::new).collect(),
            findings: imported.findings,
        };
        Self {
            id,
            path,
            options,
            opened_as: options,
            digest,
            is_rig,
            rig: read.rig.clone(),
            found_loops: read.clips.iter().map(|clip| clip.is_looping()).collect(),
            clips: read.clips.to_vec(),
            plain: read.clips.to_vec(),
            findings: read.findings.clone(),
            beside: imported.beside,
            how: How::as_read(&read.clips),
            fixed: FixedClips::none(read.clips.len()),
            read,
        }
    }

    /// The file on the disk, to find it again.
    pub fn origin(&self) -> Option<Origin> {
        Some(Origin { path: self.path.clone()?, digest: self.digest.clone(), options: self.options })
    }

    /// True if its clips are as the file has them: on its own rig, without fixes and marks.
    pub(crate) fn is_as_read(&self) -> bool {
        let are_same = self.clips.iter().zip(self.read.clips.iter()).all(|(now, read)| Arc::ptr_eq(now, read));
        Arc::ptr_eq(&self.rig, &self.read.rig) && are_same
    }

    /// The file as part of a project. `None` for bundled bytes.
    pub fn project_source(&self) -> Option<ProjectSource> {
        let path = self.path.clone()?;
        let path = std::path::absolute(&path).unwrap_or(path);
        path.to_str()?; // a path in TOML must be text
        Some(ProjectSource { path, digest: self.digest.to_string(), import: self.options })
    }

    /// Path of the file as text, or the rig's name if it has none.
    pub fn place(&self) -> std::borrow::Cow<'_, str> {
        self.path.as_ref().map_or(self.rig.name.as_str().into(), |path| path.to_string_lossy())
    }

    /// Name of the file without its folder.
    pub fn name(&self) -> &str {
        let file = self.path.as_ref().and_then(|path| path.file_name()?.to_str());
        file.unwrap_or(&self.rig.name)
    }
}

/// All open files. They are not part of undo, because opening a file loses nothing.
#[derive(Debug, Clone, Default)]
pub struct Library {
    sources: Vec<LoadedSource>,
    next_id: u32,
    /// The document's choices when the clips were made. `None` before.
    settled: Option<rigs::Said>,
}

impl Library {
    /// Adds a file and returns its id.
    pub(crate) fn add(&mut self, source: ImportedSource) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        self.sources.push(LoadedSource::new(id, source));
        self.settled = None;
        id
    }

    /// Opens a project's files that still have the same bytes, and applies the project's marks. Also returns the errors of files that
    /// cannot be read, and of fixes and marks that cannot be applied.
    pub fn of_project(project: &Project, folder: &Path) -> (Self, Vec<TaskError>) {
        let (mut library, mut errors) = (Self::default(), Vec::new());
        for source in &project.sources {
            let Some(found) = source.found(folder).filter(|found| found.is_same) else { continue };
            let task = ImportTask { file: SourceFile::Path(found.path), options: source.import, containers: false };
            match task.run(&Progress::new()) {
                Ok(read) => _ = library.add(read),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(library.settle_all(&project.document));
        (library, errors)
    }

    /// Replaces an open file by its contents that were read again. The id stays. Returns the old and new key of each clip whose name is in
    /// both. Returns none if another open file has the old bytes too.
    pub(crate) fn renew(&mut self, id: u32, source: ImportedSource) -> Vec<(ClipKey, ClipKey)> {
        let Some(at) = self.sources.iter().position(|s| s.id == id) else { return Vec::new() };
        let new = LoadedSource { opened_as: self.sources[at].opened_as, ..LoadedSource::new(id, source) };
        let old = std::mem::replace(&mut self.sources[at], new);
        self.settled = None;
        let is_shared = self.sources.iter().any(|s| s.id != id && s.digest == old.digest);
        let is_kept = |name: &str| self.sources[at].clips.iter().any(|clip| clip.name() == name);
        let names = old.clips.iter().map(|clip| clip.name()).filter(|name| !is_shared && is_kept(name));
        let new = &self.sources[at].digest;
        names.map(|name| (ClipKey::new(&old.digest, name), ClipKey::new(new, name))).collect()
    }

    /// Closes a file.
    pub(crate) fn remove(&mut self, source: u32) {
        self.sources.retain(|s| s.id != source);
        self.settled = None;
    }

    /// Open files, in the order in which they were opened.
    pub fn sources(&self) -> &[LoadedSource] {
        &self.sources
    }

    /// Paths of all open files, and of the files that belong to them.
    pub fn files(&self) -> Vec<PathBuf> {
        self.sources.iter().flat_map(|s| s.path.iter().chain(&s.beside)).cloned().collect()
    }

    /// The file with that id.
    pub fn source(&self, id: u32) -> Option<&LoadedSource> {
        // Ids increase from file to file.
        self.sources.binary_search_by_key(&id, |s| s.id).ok().map(|at| &self.sources[at])
    }

    /// A clip and its rig.
    pub fn clip(&self, id: ClipId) -> Option<(&Arc<Rig>, &Arc<Clip>)> {
        let source = self.source(id.source)?;
        Some((&source.rig, source.clips.get(id.clip as usize)?))
    }

    /// A clip before it was put on its base.
    pub fn plain_clip(&self, id: ClipId) -> Option<&Arc<Clip>> {
        self.source(id.source)?.plain.get(id.clip as usize)
    }

    /// True if a clip's samples loop. Marks do not change it.
    pub fn found_loop(&self, id: ClipId) -> Option<bool> {
        self.source(id.source)?.found_loops.get(id.clip as usize).copied()
    }

    /// The clip with that key, and its rig.
    pub fn clip_of(&self, key: &ClipKey) -> Option<(&Arc<Rig>, &Arc<Clip>)> {
        let of_file = self.sources.iter().find(|source| key.is_of(&source.digest.to_string()))?;
        let clip = of_file.clips.iter().find(|clip| clip.name() == key.clip_name())?;
        Some((&of_file.rig, clip))
    }

    /// Key of a clip, which stays the same across restarts.
    pub fn clip_key(&self, id: ClipId) -> Option<ClipKey> {
        let source = self.source(id.source)?;
        let clip = source.clips.get(id.clip as usize)?;
        Some(ClipKey::new(&source.digest, clip.name()))
    }

    /// All clips, in the order of the list. Files without clips have none.
    pub fn clip_ids(&self) -> impl Iterator<Item = ClipId> + '_ {
        let ids = |s: &LoadedSource| {
            (0..s.clips.len() as u32).map({
                let source = s.id;
                move |clip| ClipId { source, clip }
            })
        };
        self.sources.iter().filter(|s| !s.is_rig).flat_map(ids)
    }

    /// The default poses of files without clips, in the order of the files.
    pub fn rig_ids(&self) -> impl Iterator<Item = ClipId> + '_ {
        let rigs = self.sources.iter().filter(|s| s.is_rig && !s.clips.is_empty());
        rigs.map(|s| ClipId { source: s.id, clip: 0 })
    }

    /// True for the default pose of a file without clips.
    pub fn is_rig(&self, id: ClipId) -> bool {
        self.source(id.source).is_some_and(|source| source.is_rig)
    }

    /// Clips whose name contains a text, ignoring case, in the order of the list.
    pub fn clips_named(&self, part: &str) -> Vec<ClipId> {
        let wanted = part.to_lowercase();
        let is_wanted = |id: &ClipId| self.clip(*id).is_some_and(|(_, c)| c.name().to_lowercase().contains(&wanted));
        self.clip_ids().filter(is_wanted).collect()
    }
}

/// A clip with one sample: the rig's pose in its file.
fn default_pose(rig: &Rig) -> Option<Clip> {
    let pose = rig.skeleton.bind_pose(rig.float_names.len());
    let data = ClipData {
        name: "default pose".into(),
        joints: rig.skeleton.len(),
        duration_secs: 0.0,
        transforms: pose.joints,
        float_tracks: pose.floats.len(),
        floats: pose.floats,
        holds: vec![],
        looping: None,
    };
    Clip::new(data).ok()
}
