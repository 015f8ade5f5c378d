use crate::import::{Finding, ImportOptions, Imported};
use crate::model::{Clip, Rig};
use std::path::PathBuf;
use std::sync::Arc;

/// Names a clip for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipId {
    /// Id of the source, never reused.
    pub source: u32,
    /// Index within the source.
    pub clip: u32,
}

/// A file that was read.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    /// Never reused.
    pub id: u32,
    /// Where it came from; `None` for the bundled sample.
    pub path: Option<PathBuf>,
    /// What the user said about it.
    pub options: ImportOptions,
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// In the order of the file.
    pub clips: Vec<Arc<Clip>>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
}

/// Everything that is open. Not part of undo: opening a file loses nothing.
#[derive(Debug, Clone, Default)]
pub struct Library {
    sources: Vec<LoadedSource>,
    next_id: u32,
}

impl Library {
    /// Adds a file and returns its id.
    pub fn add(&mut self, path: Option<PathBuf>, options: ImportOptions, imported: Imported) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        self.sources.push(LoadedSource {
            id,
            path,
            options,
            rig: Arc::new(imported.rig),
            clips: imported.clips.into_iter().map(Arc::new).collect(),
            findings: imported.findings,
        });
        id
    }

    /// Closes a file.
    pub fn remove(&mut self, source: u32) {
        self.sources.retain(|s| s.id != source);
    }

    /// Open files, in the order in which they were opened.
    pub fn sources(&self) -> &[LoadedSource] {
        &self.sources
    }

    /// The file of that id.
    pub fn source(&self, id: u32) -> Option<&LoadedSource> {
        self.sources.iter().find(|s| s.id == id)
    }

    /// A clip and its rig.
    pub fn clip(&self, id: ClipId) -> Option<(&Arc<Rig>, &Arc<Clip>)> {
        let source = self.source(id.source)?;
        Some((&source.rig, source.clips.get(id.clip as usize)?))
    }

    /// Names a clip across restarts: its file and its own name.
    pub fn clip_key(&self, id: ClipId) -> Option<String> {
        let source = self.source(id.source)?;
        let clip = source.clips.get(id.clip as usize)?;
        let file = source.path.as_ref().and_then(|p| p.file_name());
        let file = file.map_or("sample".into(), |name| name.to_string_lossy());
        Some(format!("{file} / {}", clip.name()))
    }

    /// Every clip, in the order of the list.
    pub fn clip_ids(&self) -> impl Iterator<Item = ClipId> + '_ {
        self.sources.iter().flat_map(|s| (0..s.clips.len() as u32).map(|clip| ClipId { source: s.id, clip }))
    }
}
