//! Fixes of clips, applied by tasks and kept until others are chosen.

use super::rigs::not_applied;
use super::{Library, LoadedSource};
use crate::import::{ChosenFixes, Finding, Fixed};
use crate::model::{Clip, ClipId};
use crate::project::Document;
use crate::tasks::{FixTask, TaskError, TaskFault};
use std::sync::Arc;

/// A clip with fixes, and the findings about them.
pub(super) type FixedClip = (Arc<Clip>, Vec<Finding>);

/// The fixed clips of a file.
#[derive(Debug, Clone)]
pub(super) struct FixedClips {
    /// For each clip, its last fixes with the result.
    known: Vec<Option<(ChosenFixes, FixedClip)>>,
    /// For each clip, the chosen fixes that are not applied yet.
    unfixed: Vec<Option<ChosenFixes>>,
}

impl FixedClips {
    /// No clip is fixed.
    pub(super) fn none(clips: usize) -> Self {
        Self { known: vec![None; clips], unfixed: vec![None; clips] }
    }

    /// A clip with these fixes, if they were applied.
    pub(super) fn with(&self, at: usize, chosen: &ChosenFixes) -> Option<&FixedClip> {
        self.known[at].as_ref().filter(|(known, _)| known == chosen).map(|(_, fixed)| fixed)
    }

    /// The chosen fixes of a clip that are not applied yet.
    pub(super) fn unfixed(&self, at: usize) -> Option<&ChosenFixes> {
        self.unfixed.get(at)?.as_ref()
    }

    /// For each clip, the wanted fixes where they are applied, and the fixes before where they are not.
    pub(super) fn ready(&mut self, wanted: Vec<ChosenFixes>, before: &[ChosenFixes]) -> Vec<ChosenFixes> {
        let mut ready = wanted;
        for (at, chosen) in ready.iter_mut().enumerate() {
            let is_ready = chosen.is_none() || self.with(at, chosen).is_some();
            self.unfixed[at] = (!is_ready).then(|| std::mem::replace(chosen, before[at].clone()));
        }
        ready
    }
}

impl LoadedSource {
    /// The task that applies the chosen fixes to a clip. `None` if they are applied.
    fn fix_task(&self, at: usize) -> Option<FixTask> {
        let chosen = self.fixed.unfixed(at)?.clone();
        let id = ClipId { source: self.id, clip: at as u32 };
        Some(FixTask {
            id,
            file: self.path.clone(),
            rig: self.read.rig.clone(),
            clips: self.read.clips.clone(),
            chosen,
        })
    }
}

impl Library {
    /// Tasks that apply the chosen fixes to clips that do not have them yet.
    pub(crate) fn unfixed(&self) -> impl Iterator<Item = FixTask> + '_ {
        self.sources.iter().flat_map(|source| (0..source.read.clips.len()).filter_map(|at| source.fix_task(at)))
    }

    /// True if the chosen fixes of a clip are not applied yet. The clip is then as it was before they were chosen.
    pub fn is_unfixed(&self, id: ClipId) -> bool {
        self.source(id.source).is_some_and(|source| source.fixed.unfixed(id.clip as usize).is_some())
    }

    /// Takes the result of a task of [`Self::unfixed`]. The next [`Self::settle`] applies it. A clip that cannot be fixed stays as in its
    /// file, and the error is returned. The result of a task that is not wanted any more is dropped.
    pub(crate) fn take_in_fixed(&mut self, task: &FixTask, result: Result<Fixed, TaskError>) -> Option<TaskError> {
        let at = task.id.clip as usize;
        let source = self.sources.iter_mut().find(|source| source.id == task.id.source)?;
        source.fix_task(at).filter(|wanted| wanted.is_same(task))?;
        let (fixed, error) = match result {
            Ok(Fixed { clip, findings }) => ((Arc::new(clip), findings), None),
            Err(error) => {
                let read = &source.read.clips[at];
                let finding = match &*error.fault {
                    TaskFault::Unmade { fault, .. } => not_applied(read, fault),
                    fault => not_applied(read, fault),
                };
                ((read.clone(), vec![finding]), Some(error))
            }
        };
        source.fixed.known[at] = Some((task.chosen.clone(), fixed));
        self.settled = None;
        error
    }

    /// [`Self::settle`], with all fixes applied. Returns the errors of clips, which stay as in their files.
    pub(super) fn settle_all(&mut self, document: &Document) -> Vec<TaskError> {
        let mut faults = self.settle(document).faults;
        for task in self.unfixed().collect::<Vec<_>>() {
            let result = task.run();
            faults.extend(self.take_in_fixed(&task, result));
        }
        faults.extend(self.settle(document).faults);
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::Progress;
    use crate::import::Fix;
    use crate::pipeline::OwnFault;
    use crate::tasks::{ImportTask, SourceFile};
    use std::collections::BTreeSet;

    /// The bundled sample, with two clips to fix.
    fn opened() -> (Library, Document, [ClipId; 2]) {
        let file = SourceFile::Path(concat!(env!("CARGO_MANIFEST_DIR"), "/../app/assets/sample.glb").into());
        let task = ImportTask { file, options: Default::default(), containers: false };
        let mut library = Library::default();
        let source = library.add(task.run(&Progress::new()).unwrap());
        let clips = [0, 1].map(|clip| ClipId { source, clip });
        let mut document = Document::default();
        for id in clips {
            document.fixes.insert(library.clip_key(id).unwrap(), BTreeSet::from([Fix::Jumps]));
        }
        library.settle(&document);
        (library, document, clips)
    }

    fn moved(clip: &Clip) -> Fixed {
        Fixed::from(clip.edited(|data| data.transforms[0].translation.x += 0.1).unwrap())
    }

    #[test]
    fn a_fix_that_panics_leaves_its_clip_as_the_file_has_it_names_it_and_spares_the_others() {
        let (mut library, document, [walk, other]) = opened();
        let before = [walk, other].map(|id| library.clip(id).unwrap().1.clone());
        let tasks: Vec<FixTask> = library.unfixed().collect();
        assert!(tasks.len() == 2 && library.is_unfixed(walk) && library.is_unfixed(other));
        let fault = OwnFault { what: "as it is".into() };
        let error = TaskError::unmade(None, before[0].name(), &tasks[0].chosen.fixes, fault);
        let error = library.take_in_fixed(&tasks[0], Err(error)).expect("the fault is reported");
        assert_eq!(error.place.clip.as_deref(), Some(before[0].name()));
        let words = error.to_string();
        assert!(words.contains(Fix::Jumps.option().label) && words.contains("as it is"), "{words}");
        assert!(library.take_in_fixed(&tasks[1], Ok(moved(&before[1]))).is_none());
        assert!(library.settle(&document).is_changed);
        assert!(Arc::ptr_eq(library.clip(walk).unwrap().1, &before[0]));
        assert!(!Arc::ptr_eq(library.clip(other).unwrap().1, &before[1]));
        assert!(library.sources()[0].findings.iter().any(|finding| finding.subject == before[0].name()));
        assert!(library.unfixed().next().is_none(), "the fault is reported once");
    }

    #[test]
    fn an_answer_that_is_not_wanted_any_more_is_dropped_and_one_that_is_wanted_again_is_known() {
        let (mut library, mut document, [walk, _]) = opened();
        let key = library.clip_key(walk).unwrap();
        let read = library.clip(walk).unwrap().1.clone();
        let task = library.unfixed().next().unwrap();
        document.set_fix(&key, Fix::Jumps, false);
        library.settle(&document);
        assert!(!library.is_unfixed(walk) && library.take_in_fixed(&task, Ok(moved(&read))).is_none());
        library.settle(&document);
        assert!(Arc::ptr_eq(library.clip(walk).unwrap().1, &read));

        document.set_fix(&key, Fix::Jumps, true);
        library.settle(&document);
        library.take_in_fixed(&task, Ok(moved(&read)));
        library.settle(&document);
        let fixed = library.clip(walk).unwrap().1.clone();
        assert!(!Arc::ptr_eq(&fixed, &read));
        for is_on in [false, true] {
            document.set_fix(&key, Fix::Jumps, is_on);
            library.settle(&document);
            assert!(!library.is_unfixed(walk), "undo and redo wait for nothing");
        }
        assert!(Arc::ptr_eq(library.clip(walk).unwrap().1, &fixed));
    }
}
