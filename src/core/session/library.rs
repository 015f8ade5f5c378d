use crate::import::{Finding, ImportOptions, Imported};
use crate::model::{Clip, Rig};
use std::collections::BTreeMap;
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
    /// In the order of the file, marked as the user says or as found.
    pub clips: Vec<Arc<Clip>>,
    /// Whether each clip loops by what was found in its samples.
    pub found_loops: Vec<bool>,
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
            found_loops: imported.clips.iter().map(Clip::is_looping).collect(),
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

    /// Whether a clip loops by what was found in its samples, whatever it is marked as.
    pub fn found_loop(&self, id: ClipId) -> Option<bool> {
        self.source(id.source)?.found_loops.get(id.clip as usize).copied()
    }

    /// Marks clips by [`Self::clip_key`] as looping or not; those without a mark are as found. A clip whose mark changes is
    /// another clip from then on: its old numbers are not fresh. True when one did.
    pub fn mark_loops(&mut self, marks: &BTreeMap<String, bool>) -> bool {
        let ids: Vec<ClipId> = self.clip_ids().collect();
        let mut changed = false;
        for id in ids {
            let mark = self.clip_key(id).and_then(|key| marks.get(&key).copied());
            let Some(source) = self.sources.iter_mut().find(|s| s.id == id.source) else { continue };
            let index = id.clip as usize;
            let clip = &mut source.clips[index];
            let loops = mark.filter(|_| clip.can_loop()).unwrap_or(source.found_loops[index]);
            if clip.is_looping() != loops {
                *clip = Arc::new(Clip::clone(clip).with_looping(loops));
                changed = true;
            }
        }
        changed
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
