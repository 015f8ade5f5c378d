//! The imported files of a budget: as many as there is memory for. The others are read again when one of their clips is needed.

use super::guarded::guarded;
use super::job::{import, without_images};
use super::memory;
use super::planner::{PlannedFile, Planner};
use crate::cli::load::NamedClip;
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{BudgetRig, ClipSource};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The clips of a file, once it was imported. The error is the reason why there are none.
type Slot = Arc<OnceLock<Result<Vec<NamedClip>, String>>>;

/// The parts of a file that a search has to know.
#[derive(Debug)]
pub struct FileFacts {
    /// Its rig in a container.
    pub rig: BudgetRig,
    /// Memory of compressing each clip, bytes.
    work_bytes: HashMap<String, u64>,
}

impl FileFacts {
    /// Memory of compressing a clip, bytes.
    pub fn work_bytes(&self, clip: &str) -> u64 {
        self.work_bytes.get(clip).copied().unwrap_or_default()
    }
}

/// Imports files, and keeps those that were used last.
pub struct Imports<'a> {
    planner: &'a Planner,
    files: &'a [PlannedFile],
    most_bytes: u64,
    /// Files and their clips, the one that was used last first.
    held: Mutex<VecDeque<(usize, Slot)>>,
}

impl<'a> Imports<'a> {
    /// No file yet. Imported files take at most this memory, or that of the largest.
    pub fn new(planner: &'a Planner, files: &'a [PlannedFile], most_bytes: u64) -> Self {
        Self { planner, files, most_bytes, held: Mutex::default() }
    }

    /// Imports a file for its facts.
    pub fn facts(&self, file: usize) -> Result<FileFacts, String> {
        let slot = self.slot(file);
        let clips = clips_of(&slot)?;
        let first = clips.first().ok_or("it has no clip any more. Run again")?;
        let work_bytes = clips.iter().map(|clip| (clip.name.clone(), memory::of_clip(clip))).collect();
        Ok(FileFacts { rig: BudgetRig::of(&first.rig), work_bytes })
    }

    fn clip(&self, file: usize, name: &str) -> Result<(Arc<Rig>, Arc<Clip>), String> {
        let slot = self.slot(file);
        let clip = clips_of(&slot)?.iter().find(|clip| clip.name == name);
        let clip = clip.ok_or("it is not in the file any more. Run again")?;
        Ok((clip.rig.clone(), clip.clip.clone()))
    }

    /// The clips of a file. Several threads wait for one import.
    fn slot(&self, file: usize) -> Slot {
        let slot = {
            let mut held = self.held();
            let known = held.iter().position(|(of, _)| *of == file).and_then(|at| held.remove(at));
            let slot = known.map_or_else(Slot::default, |(_, slot)| slot);
            held.push_front((file, slot.clone()));
            slot
        };
        let clips = || import(self.planner, &self.files[file].input).map(|of| without_images(of.clips));
        slot.get_or_init(|| guarded(|| clips().map_err(|error| error.to_string())));
        self.let_go();
        slot
    }

    /// Drops the files that were not used for longest.
    fn let_go(&self) {
        let mut sum = 0;
        self.held().retain(|(file, slot)| {
            let is_first = sum == 0;
            let clips = slot.get().and_then(|clips| clips.as_ref().ok());
            sum += clips.map_or(1, |clips| memory::of_imported(self.files[*file].input.bytes(), clips));
            is_first || sum <= self.most_bytes
        });
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<(usize, Slot)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn clips_of(slot: &Slot) -> Result<&[NamedClip], String> {
    slot.get().expect("it was imported").as_deref().map_err(String::clone)
}

/// The clips that share a budget: the index of each one's file, and its name there.
pub struct Sharing<'a> {
    /// The files.
    pub imports: &'a Imports<'a>,
    /// The clips.
    pub clips: Vec<(usize, &'a str)>,
}

impl ClipSource for Sharing<'_> {
    fn clip(&self, at: usize) -> Result<(Arc<Rig>, Arc<Clip>), String> {
        let (file, name) = self.clips[at];
        self.imports.clip(file, name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::find;
    use super::super::tests::{BVH, args};
    use super::*;

    #[test]
    fn a_file_that_was_dropped_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        for name in ["a", "b", "c"] {
            std::fs::write(folder.path().join(format!("lib/{name}.bvh")), BVH).unwrap();
        }
        let args = args(folder.path());
        let found = find(&args.inputs, &[]).unwrap();
        let planner = Planner::new(&args, args.output.as_deref().unwrap(), &found).unwrap();
        let library = planner.plan(found);
        let held = |imports: &Imports<'_>| imports.held().iter().map(|(file, _)| *file).collect::<Vec<_>>();
        let (all, one) = (Imports::new(&planner, &library.files, u64::MAX), Imports::new(&planner, &library.files, 0));
        for (at, name) in [(0, "a"), (1, "b"), (2, "c"), (0, "a")] {
            let clip = |imports: &Imports<'_>| imports.clip(at, name).unwrap().1;
            assert_eq!(clip(&one), clip(&all), "{name}");
            assert_eq!(held(&one), [at]);
        }
        assert_eq!(held(&all), [0, 2, 1]);
        assert!(all.facts(1).unwrap().work_bytes("b") > 0);
        let gone = all.clip(0, "b").unwrap_err();
        assert!(gone.contains("Run again"), "{gone}");
        std::fs::write(folder.path().join("lib/a.bvh"), "HIERARCHY").unwrap();
        assert!(one.clip(1, "b").is_ok() && one.clip(0, "a").is_err() && all.clip(0, "a").is_ok());
    }
}
