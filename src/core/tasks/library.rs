mod rigs;
mod undecided;

pub(crate) use rigs::Settled;
pub use undecided::Undecided;

use crate::codecs::Progress;
use crate::import::{Finding, ImportOptions, Origin};
use crate::model::{Clip, ClipData, ClipId, ClipKey, Rig, SourceDigest};
use crate::project::{Project, ProjectSource};
use crate::tasks::{ImportTask, ImportedSource, SourceFile, TaskError};
use rigs::{How, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that was read.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    /// Never reused.
    pub id: u32,
    /// Where it came from; `None` for the bundled sample.
    pub path: Option<PathBuf>,
    /// What the user said about it.
    pub options: ImportOptions,
    /// The same when it was opened.
    pub(crate) opened_as: ImportOptions,
    /// Of its bytes.
    pub digest: SourceDigest,
    /// It has no clip: the one that stands here is its default pose, to be looked at.
    pub is_rig: bool,
    /// Joints and meshes; another file's where these clips move that.
    pub rig: Arc<Rig>,
    /// In the order of the file, mended and marked as the user says or as found.
    pub clips: Vec<Arc<Clip>>,
    /// The same before they were put on what they are added to.
    plain: Vec<Arc<Clip>>,
    /// Whether each clip loops by what was found in its samples.
    pub found_loops: Vec<bool>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
    /// Files beside it that belong to it.
    pub beside: Vec<PathBuf>,
    /// As the file has it.
    read: Read,
    /// How the clips are made of those.
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
            clips: read.clips.clone(),
            plain: read.clips.clone(),
            findings: read.findings.clone(),
            beside: imported.beside,
            how: How::as_read(&read.clips),
            read,
        }
    }

    /// The file on the disk, to be found again.
    pub fn origin(&self) -> Option<Origin> {
        Some(Origin { path: self.path.clone()?, digest: self.digest.clone(), options: self.options })
    }

    /// The file in a project; what is bundled is no part of one.
    pub fn project_source(&self) -> Option<ProjectSource> {
        let path = self.path.clone()?;
        let path = std::path::absolute(&path).unwrap_or(path);
        path.to_str()?; // TOML is text, and so is every path in it
        Some(ProjectSource { path, digest: self.digest.to_string(), import: self.options })
    }

    /// Where the file is, in words; the rig's name where there is none.
    pub fn place(&self) -> std::borrow::Cow<'_, str> {
        self.path.as_ref().map_or(self.rig.name.as_str().into(), |path| path.to_string_lossy())
    }

    /// The file's name without its folder, as people see it.
    pub fn name(&self) -> &str {
        let file = self.path.as_ref().and_then(|path| path.file_name()?.to_str());
        file.unwrap_or(&self.rig.name)
    }
}

/// Everything that is open. Not part of undo: opening a file loses nothing.
#[derive(Debug, Clone, Default)]
pub struct Library {
    sources: Vec<LoadedSource>,
    next_id: u32,
    /// What was said of the files when they were settled; nothing before.
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

    /// The files of a project that are there with the bytes that it knows, with loops as it marks them; and why of these some
    /// cannot be read.
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
        errors.extend(library.settle(&project.document).faults);
        (library, errors)
    }

    /// Puts what was read again in the place of an open file, which keeps its id, and returns the keys that its clips had and
    /// those that they have now, by name. Keys that another open file has too are not in it.
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

    /// Every file on the disk that is open, and those that belong to them.
    pub fn files(&self) -> Vec<PathBuf> {
        self.sources.iter().flat_map(|s| s.path.iter().chain(&s.beside)).cloned().collect()
    }

    /// The file of that id.
    pub fn source(&self, id: u32) -> Option<&LoadedSource> {
        // Ids grow from file to file.
        self.sources.binary_search_by_key(&id, |s| s.id).ok().map(|at| &self.sources[at])
    }

    /// A clip and its rig.
    pub fn clip(&self, id: ClipId) -> Option<(&Arc<Rig>, &Arc<Clip>)> {
        let source = self.source(id.source)?;
        Some((&source.rig, source.clips.get(id.clip as usize)?))
    }

    /// A clip before it was put on what it is added to.
    pub fn plain_clip(&self, id: ClipId) -> Option<&Arc<Clip>> {
        self.source(id.source)?.plain.get(id.clip as usize)
    }

    /// Whether a clip loops by what was found in its samples, whatever it is marked as.
    pub fn found_loop(&self, id: ClipId) -> Option<bool> {
        self.source(id.source)?.found_loops.get(id.clip as usize).copied()
    }

    /// The clip of that name across restarts, and its rig.
    pub fn clip_of(&self, key: &ClipKey) -> Option<(&Arc<Rig>, &Arc<Clip>)> {
        let of_file = self.sources.iter().find(|source| key.is_of(&source.digest.to_string()))?;
        let clip = of_file.clips.iter().find(|clip| clip.name() == key.clip_name())?;
        Some((&of_file.rig, clip))
    }

    /// Names a clip across restarts.
    pub fn clip_key(&self, id: ClipId) -> Option<ClipKey> {
        let source = self.source(id.source)?;
        let clip = source.clips.get(id.clip as usize)?;
        Some(ClipKey::new(&source.digest, clip.name()))
    }

    /// Every clip, in the order of the list; rigs have none.
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

    /// True for what stands for a file without clips.
    pub fn is_rig(&self, id: ClipId) -> bool {
        self.source(id.source).is_some_and(|source| source.is_rig)
    }

    /// Clips whose name holds a text, in upper or lower case, in the order of the list.
    pub fn clips_named(&self, part: &str) -> Vec<ClipId> {
        let wanted = part.to_lowercase();
        let is_wanted = |id: &ClipId| self.clip(*id).is_some_and(|(_, c)| c.name().to_lowercase().contains(&wanted));
        self.clip_ids().filter(is_wanted).collect()
    }
}

/// A clip of one sample: the rig as its file has it.
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
