//! Makes the clips of open files: with fixes and marks, and on the rig that they move. They depend only on the files and the document, so
//! undo and closing a file revert them. Fixes take long, so tasks apply them.

use super::{ClipKey, Library, LoadedSource};
use crate::import::{ChosenFixes, Finding, Fix, NEEDS_RIG, lacks_rig};
use crate::metrics::FootContacts;
use crate::model::{Additive, Clip, Rig};
use crate::pipeline::{OwnFault, RigMatch, guard};
use crate::project::{Document, RigChoice};
use crate::tasks::{Bases, TaskError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file as it was read.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) rig: Arc<Rig>,
    pub(super) clips: Arc<[Arc<Clip>]>,
    pub(super) findings: Vec<Finding>,
}

/// The document's choices that affect clips.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    rigs: BTreeMap<String, RigChoice>,
    fixes: BTreeMap<ClipKey, BTreeSet<Fix>>,
    contacts: BTreeMap<ClipKey, Vec<FootContacts>>,
    loops: BTreeMap<ClipKey, bool>,
    additive: BTreeMap<ClipKey, Additive>,
}

impl Said {
    fn by(document: &Document) -> Self {
        let Document { rigs, fixes, contacts, loops, additive, .. } = document;
        let (rigs, fixes, contacts) = (rigs.clone(), fixes.clone(), contacts.clone());
        Self { rigs, fixes, contacts, loops: loops.clone(), additive: additive.clone() }
    }

    fn is_by(&self, document: &Document) -> bool {
        let Self { rigs, fixes, contacts, loops, additive } = self;
        (rigs, fixes, contacts) == (&document.rigs, &document.fixes, &document.contacts)
            && (loops, additive) == (&document.loops, &document.additive)
    }
}

/// The choices from which a file's clips were made.
#[derive(Debug, Clone)]
pub(super) struct How {
    /// The rig of another file that they move. `None` for their own rig.
    onto: Option<Arc<Rig>>,
    /// Fixes of each clip.
    fixes: Vec<ChosenFixes>,
    /// The additive mark of each clip.
    additive: Vec<Option<Additive>>,
    /// Findings about the fixes of each clip.
    said: Vec<Vec<Finding>>,
    /// For each clip that was put on a base, the inputs of that.
    added: Vec<Option<Added>>,
}

/// The result of [`Library::settle`].
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// True if a clip changed.
    pub(crate) is_changed: bool,
    /// Faults of clips, which stay as in their files.
    pub(crate) faults: Vec<TaskError>,
}

/// A clip before it was put on its base, and the base's clip if it has one.
type Added = (Arc<Clip>, Option<Arc<Clip>>);

impl How {
    /// These clips on their own rig, without fixes.
    pub(super) fn as_read(clips: &[Arc<Clip>]) -> Self {
        let additive = clips.iter().map(|clip| clip.additive().cloned()).collect();
        let count = clips.len();
        Self {
            onto: None,
            fixes: vec![ChosenFixes::default(); count],
            additive,
            said: vec![Vec::new(); count],
            added: vec![None; count],
        }
    }
}

impl Settled {
    fn add(&mut self, other: Self) {
        self.is_changed |= other.is_changed;
        self.faults.extend(other.faults);
    }
}

impl LoadedSource {
    /// The rig in the file.
    pub fn own_rig(&self) -> &Arc<Rig> {
        &self.read.rig
    }

    /// Matches the joints of this file's clips with the rig of another file.
    pub fn matched_with<'a>(&'a self, onto: &'a Self) -> RigMatch<'a> {
        RigMatch::new(&onto.read.rig, &self.read.rig)
    }

    /// True if both files have joints of the same names in the same order. Lengths may differ, as between takes of one capture.
    pub fn has_joints_of(&self, other: &Self) -> bool {
        let (a, b) = (&self.read.rig.skeleton, &other.read.rig.skeleton);
        let is_same = |joint: usize| a.name(joint) == b.name(joint) && a.parent(joint) == b.parent(joint);
        a.len() == b.len() && (0..a.len()).all(is_same)
    }

    /// The chosen fixes of a clip, also while they are applied.
    pub fn fixes(&self, clip: usize) -> Option<&BTreeSet<Fix>> {
        self.fixed.unfixed(clip).or(self.how.fixes.get(clip)).map(|chosen| &chosen.fixes)
    }

    /// Makes the clips whose rig, fixes or additive mark changed. A clip whose fixes are not applied yet stays as it is.
    fn make(&mut self, onto: Option<Arc<Rig>>, document: &Document) -> Settled {
        let key = |clip: &Arc<Clip>| ClipKey::new(&self.digest, clip.name());
        let wanted: Vec<_> = self.read.clips.iter().map(|clip| document.chosen_fixes(&key(clip))).collect();
        let fixes = self.fixed.ready(wanted, &self.how.fixes);
        let additive = |clip: &Arc<Clip>| document.additive.get(&key(clip)).or(clip.additive()).cloned();
        let additive: Vec<_> = self.read.clips.iter().map(additive).collect();
        let is_on_same = self.how.onto.as_ref().map(Arc::as_ptr) == onto.as_ref().map(Arc::as_ptr);
        let (said, added) = (std::mem::take(&mut self.how.said), std::mem::take(&mut self.how.added));
        let was = std::mem::replace(&mut self.how, How { onto, fixes, additive, said, added });
        let is_as_it_was =
            |at: usize| is_on_same && was.fixes[at] == self.how.fixes[at] && was.additive[at] == self.how.additive[at];
        let others: Vec<usize> = (0..self.read.clips.len()).filter(|&at| !is_as_it_was(at)).collect();
        if others.is_empty() {
            return Settled::default();
        }
        let matched = self.how.onto.as_deref().map(|rig| RigMatch::new(rig, &self.read.rig));
        let mut faults = Vec::new();
        let mut made = Vec::with_capacity(others.len());
        for &at in &others {
            let read = &self.read.clips[at];
            let (fixed, said) = guard(|| Ok(self.fixed(at))).unwrap_or_else(|fault| {
                let said = vec![not_applied(read, &fault)];
                faults.push((at, fault));
                (read.clone(), said)
            });
            self.how.said[at] = said;
            match guard(|| Ok(matched.as_ref().map_or(Ok(fixed.clone()), |rig| rig.put_on(&fixed).map(Arc::new)))) {
                Ok(Ok(clip)) => made.push(clip),
                // Values overflow on that rig.
                Ok(Err(_)) => return self.make(None, document),
                Err(fault) => {
                    let mut settled = self.make(None, document);
                    settled.faults.push(self.unmade(at, fault));
                    return settled;
                }
            }
        }
        let findings = matched.iter().map(RigMatch::finding).chain(self.how.said.iter().flatten().cloned());
        let is_settled = |finding: &&Finding| matched.is_some() && finding.meaning == NEEDS_RIG;
        let said = self.read.findings.iter().filter(|finding| !is_settled(finding));
        self.findings = said.cloned().chain(findings).collect();
        self.rig = self.how.onto.as_ref().unwrap_or(&self.read.rig).clone();
        for (at, clip) in others.into_iter().zip(made) {
            self.plain[at] = clip.clone();
            self.clips[at] = clip;
            self.how.added[at] = None;
        }
        let faults = faults.into_iter().map(|(at, fault)| self.unmade(at, fault)).collect();
        Settled { is_changed: true, faults }
    }

    /// A clip with its fixes and its additive mark, and the findings about the fixes.
    fn fixed(&self, at: usize) -> (Arc<Clip>, Vec<Finding>) {
        let known = self.fixed.with(at, &self.how.fixes[at]);
        let (fixed, said) = known.cloned().unwrap_or_else(|| (self.read.clips[at].clone(), Vec::new()));
        match fixed.additive() == self.how.additive[at].as_ref() {
            true => (fixed, said),
            false => (Arc::new(Clip::clone(&fixed).said_to_be(self.how.additive[at].clone())), said),
        }
    }

    /// The error of a clip that stays as in its file.
    fn unmade(&self, at: usize, fault: OwnFault) -> TaskError {
        TaskError::unmade(self.path.clone(), self.read.clips[at].name(), &self.how.fixes[at].fixes, fault)
    }

    /// Puts additive clips on their bases. `find` returns the clip of a name that fits this file's rig.
    fn add(&mut self, find: impl Fn(&str) -> Option<Arc<Clip>>) -> Settled {
        let mut settled = Settled::default();
        for at in 0..self.clips.len() {
            let plain = &self.plain[at];
            let named = plain.additive().and_then(|additive| find(additive.base.clip()?));
            let is_it = |(clip, base): &Added| {
                Arc::ptr_eq(clip, plain) && base.as_ref().map(Arc::as_ptr) == named.as_ref().map(Arc::as_ptr)
            };
            if plain.additive().is_none() || self.how.added[at].as_ref().is_some_and(is_it) {
                continue;
            }
            let on_base = guard(|| Ok(plain.on_base(&self.rig.skeleton, |_| named.clone()).ok().flatten()));
            self.clips[at] = match on_base {
                Ok(on_base) => on_base.map_or(plain.clone(), Arc::new),
                Err(fault) => {
                    self.findings.push(not_applied(plain, &fault));
                    settled.faults.push(self.unmade(at, fault));
                    plain.clone()
                }
            };
            self.how.added[at] = Some((self.plain[at].clone(), named));
            settled.is_changed = true;
        }
        settled
    }

    /// Marks the clips as looping or not. Clips without a mark are as found. Returns true if a clip changed.
    fn mark_loops(&mut self, marks: &BTreeMap<ClipKey, bool>) -> bool {
        let mut changed = false;
        for (clip, found) in self.clips.iter_mut().zip(&self.found_loops) {
            let mark = marks.get(&ClipKey::new(&self.digest, clip.name())).copied();
            let loops = mark.filter(|_| clip.can_loop()).unwrap_or(*found);
            if clip.is_looping() != loops {
                *clip = Arc::new(Clip::clone(clip).with_looping(loops));
                changed = true;
            }
        }
        changed
    }
}

/// The finding about a clip that is shown as in its file, because its fixes or marks cannot be applied.
pub(super) fn not_applied(clip: &Clip, why: &impl std::fmt::Display) -> Finding {
    let what = format!("its fixes and marks are not applied: {why}");
    Finding::warning(clip.name(), what, "The clip is shown as in its file. Undo its last fix or mark.")
}

impl Library {
    /// Applies a document's rigs, fixes and marks to all files. A changed clip becomes a new object, so that its old results are out of
    /// date. Fixes that were not applied before are left to [`Self::unfixed`].
    pub(crate) fn settle(&mut self, document: &Document) -> Settled {
        if self.settled.as_ref().is_some_and(|known| known.is_by(document)) {
            return Settled::default();
        }
        // The rigs of files are found again only if the choices or the files changed.
        let rigs_stay = self.settled.as_ref().is_some_and(|known| known.rigs == document.rigs);
        let onto: Vec<Option<Arc<Rig>>> = match rigs_stay {
            true => self.sources.iter().map(|source| source.how.onto.clone()).collect(),
            false => self.rigs_for(&document.rigs),
        };
        self.settled = Some(Said::by(document));
        let mut settled = Settled::default();
        for (source, onto) in self.sources.iter_mut().zip(onto) {
            settled.add(source.make(onto, document));
        }
        let mut bases = Bases::default();
        self.sources.iter().for_each(|source| bases.add(&source.digest, &source.rig, &source.plain));
        for (at, source) in self.sources.iter_mut().enumerate() {
            settled.add(source.add(|name| bases.find(at, name)));
            settled.is_changed |= source.mark_loops(&document.loops);
        }
        settled
    }

    /// For each file, the rig of another file that its clips move.
    ///
    /// The user's choice comes first. Otherwise the clips of a file without a mesh go to the first rig for which [`RigMatch::is_sure`] is
    /// true. Rigs with a mesh are tried first, then the rigs of earlier files. For a file that stores no rig, the rigs of later files are
    /// tried too. The bundled sample is never used.
    fn rigs_for(&self, choices: &BTreeMap<String, RigChoice>) -> Vec<Option<Arc<Rig>>> {
        let sources = &self.sources;
        let choice = |at: usize| choices.get(&sources[at].digest.to_string());
        let mut onto: Vec<Option<usize>> = (0..sources.len())
            .map(|at| {
                let Some(RigChoice::Of(digest)) = choice(at) else { return None };
                let of = sources.iter().position(|source| source.digest.to_string() == *digest)?;
                (of != at && sources[at].matched_with(&sources[of]).check().is_ok()).then_some(of)
            })
            .collect();
        let lacks = |at: usize| lacks_rig(&sources[at].read.rig);
        let unasked = (0..sources.len()).filter(|&at| sources[at].path.is_some() && onto[at].is_none());
        let (shown, bare): (Vec<usize>, Vec<usize>) = unasked.partition(|&at| !sources[at].read.rig.meshes.is_empty());
        for (before, &moved) in bare.iter().enumerate().filter(|(_, moved)| choice(**moved).is_none()) {
            let others = if lacks(moved) { &bare[..] } else { &bare[..before] };
            let earlier = others.iter().filter(|&&at| onto[at].is_none() && !lacks(at));
            let rig = shown.iter().chain(earlier).find(|&&rig| sources[moved].matched_with(&sources[rig]).is_sure());
            onto[moved] = rig.copied();
        }
        onto.into_iter().map(|of| of.map(|of| sources[of].read.rig.clone())).collect()
    }
}
