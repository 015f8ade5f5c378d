use crate::import::ImportOptions;
use crate::model::{Clip, Rig};
use crate::pipeline::{ExternalClip, NoCounterpart, RigMatch, counterpart};
use crate::project::ExternalFile;
use crate::tasks::{ImportTask, LoadedSource, SourceFile};
use std::collections::HashMap;
use std::sync::Arc;

/// The external file.
#[derive(Debug)]
pub struct External {
    pub task: ImportTask,
    /// Its name for reports.
    pub file: Arc<str>,
    /// `None` while it is being read.
    pub read: Option<Read>,
    /// Other options to try if it fits no rig with these.
    pub other_guess: Option<ImportOptions>,
}

#[derive(Debug)]
pub struct Read {
    pub rig: Rig,
    pub clips: Vec<Clip>,
    /// Size of each clip in the file.
    pub bytes: Vec<u64>,
    /// Its clips on the rig of each open file, by the file's id.
    pub on_rigs: HashMap<u32, OnRig>,
}

#[derive(Debug)]
pub struct OnRig {
    pub rig: Arc<Rig>,
    pub clips: Result<Vec<Arc<Clip>>, NoCounterpart>,
}

impl External {
    pub fn new(file: &ExternalFile) -> Self {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into();
        let task = ImportTask { file: SourceFile::Path(file.path.clone()), options: file.options, containers: true };
        Self { task, file: name, read: None, other_guess: None }
    }

    pub fn is_of(&self, file: &ExternalFile) -> bool {
        self.task.file.path() == Some(&file.path) && self.task.options == file.options
    }

    /// Puts its clips on the rigs of open files that are still missing.
    pub fn fit(&mut self, sources: &[LoadedSource]) {
        let Some(read) = &mut self.read else { return };
        read.on_rigs.retain(|id, on| sources.iter().any(|s| s.id == *id && Arc::ptr_eq(&s.rig, &on.rig)));
        for source in sources {
            if !read.on_rigs.contains_key(&source.id) {
                let matched = RigMatch::new(&source.rig, &read.rig);
                let clips = matched.put_all_on(&read.clips);
                let clips = clips.map_err(|why| NoCounterpart::Rig { file: self.file.clone(), why: Arc::new(why) });
                read.on_rigs.insert(source.id, OnRig { rig: source.rig.clone(), clips });
            }
        }
    }

    /// True if its rig fits no open file.
    pub fn fits_nowhere(&self) -> bool {
        let mut on_rigs = self.read.iter().flat_map(|read| read.on_rigs.values()).peekable();
        on_rigs.peek().is_some() && on_rigs.all(|on| on.clips.is_err())
    }

    /// The external result for a clip. `None` before the file is read.
    pub fn beside(
        &self,
        source: &LoadedSource,
        clip: &Clip,
        offset_secs: f64,
    ) -> Option<Result<ExternalClip, NoCounterpart>> {
        let read = self.read.as_ref()?;
        let clips = match &read.on_rigs.get(&source.id)?.clips {
            Ok(clips) => clips,
            Err(why) => return Some(Err(why.clone())),
        };
        let found = counterpart(clip.name(), source.clips.len(), clips);
        let theirs = |at: usize| (self.file.clone(), clips[at].clone());
        let found = found.map(|at| ExternalClip::beside(clip, theirs(at), read.bytes[at], offset_secs));
        Some(found.ok_or_else(|| NoCounterpart::among(&self.file, clip.name(), clips)))
    }
}
