//! The poses of a segment under changing rates.

use crate::codecs::Source;
use crate::codecs::encode::RawModel;
use crate::math::Transform;
use glam::Affine3A;
use std::ops::Range;

/// Every joint with its descendants, in the order in which matrices are multiplied.
#[derive(Debug)]
pub struct Hierarchy {
    subtrees: Vec<Vec<Branch>>,
}

/// A joint of a subtree.
#[derive(Debug, Clone, Copy)]
struct Branch {
    joint: usize,
    /// Index of the parent in the subtree. Unused for the first.
    parent: usize,
}

impl Hierarchy {
    pub fn new(source: &Source<'_>) -> Self {
        let skeleton = source.skeleton;
        let subtree = |root: usize| {
            let joints = skeleton.subtree(root);
            let place = |joint: usize| {
                let parent = skeleton.parent(joint).filter(|_| joint != root);
                parent.and_then(|p| joints.binary_search(&p).ok()).unwrap_or(0)
            };
            joints.iter().map(|&joint| Branch { joint, parent: place(joint) }).collect()
        };
        Self { subtrees: (0..skeleton.len()).map(subtree).collect() }
    }
}

/// Decoded poses of one segment, changed one joint at a time.
///
/// Matrices are multiplied in the order of [`crate::model::ModelPose`]. A result within the limit here is therefore within it for every
/// measurement.
#[derive(Debug)]
pub struct Trial<'a> {
    source: &'a Source<'a>,
    hierarchy: &'a Hierarchy,
    raw: RawModel,
    samples: Range<usize>,
    limit_sq: f32,
    /// Local transforms and matrices, `joints x samples`.
    locals: Vec<Transform>,
    matrices: Vec<Affine3A>,
    /// `model_from_joint`, `joints x samples`.
    models: Vec<Affine3A>,
    /// The sample at which the last trial failed. The next one is likely to fail there too.
    hardest: usize,
    /// `model_from_joint` of a subtree in the current trial.
    scratch: Vec<Affine3A>,
    scratch_matrices: Vec<Affine3A>,
}

impl<'a> Trial<'a> {
    /// The poses of a segment with all tracks as in `still` or in the clip, until they are set.
    pub fn new(
        source: &'a Source<'a>,
        hierarchy: &'a Hierarchy,
        samples: Range<usize>,
        limit_m: f32,
        still: &[Transform],
    ) -> Self {
        let count = samples.len();
        let locals: Vec<Transform> = still.iter().flat_map(|t| std::iter::repeat_n(*t, count)).collect();
        let matrices = vec![Affine3A::IDENTITY; locals.len()];
        let models = matrices.clone();
        let (scratch, scratch_matrices) = (Vec::new(), Vec::new());
        let limit_sq = limit_m * limit_m;
        Self {
            source,
            hierarchy,
            raw: RawModel::new(source, samples.clone()),
            samples,
            limit_sq,
            locals,
            matrices,
            models,
            hardest: 0,
            scratch,
            scratch_matrices,
        }
    }

    /// Decoded local transforms of a joint, one per sample.
    pub fn locals(&self, joint: usize) -> &[Transform] {
        &self.locals[joint * self.samples.len()..][..self.samples.len()]
    }

    /// The same, to be replaced without a check. Call [`Trial::update`] afterwards.
    pub fn locals_mut(&mut self, joint: usize) -> &mut [Transform] {
        let count = self.samples.len();
        &mut self.locals[joint * count..][..count]
    }

    /// Computes every matrix again. Returns the first joint beyond the limit, parents first.
    pub fn update(&mut self) -> Option<usize> {
        let count = self.samples.len();
        let mut failing = None;
        for joint in 0..self.source.skeleton.len() {
            let parent = self.source.skeleton.parent(joint);
            for sample in 0..count {
                let at = joint * count + sample;
                self.matrices[at] = self.locals[at].to_affine();
                self.models[at] = match parent {
                    Some(parent) => self.models[parent * count + sample] * self.matrices[at],
                    None => self.matrices[at],
                };
                if failing.is_none() && !self.is_within(sample, joint, &self.models[at]) {
                    (failing, self.hardest) = (Some(joint), sample);
                }
            }
        }
        failing
    }

    /// Replaces the local transforms of a joint, if the joint and its descendants then stay within the limit.
    pub fn try_joint(&mut self, joint: usize, locals: &[Transform]) -> bool {
        let mut matrices = std::mem::take(&mut self.scratch_matrices);
        matrices.clear();
        matrices.extend(locals.iter().map(|t| t.to_affine()));
        let mut models = std::mem::take(&mut self.scratch);
        let fits = self.subtree_models(joint, &matrices, &mut models);
        if fits {
            let count = self.samples.len();
            self.locals_mut(joint).copy_from_slice(locals);
            self.matrices[joint * count..][..count].copy_from_slice(&matrices);
            let subtree = &self.hierarchy.subtrees[joint];
            for (place, branch) in subtree.iter().enumerate() {
                for sample in 0..count {
                    self.models[branch.joint * count + sample] = models[sample * subtree.len() + place];
                }
            }
        }
        (self.scratch_matrices, self.scratch) = (matrices, models);
        fits
    }

    /// Fills `models`, `samples x subtree`. Returns false, with some of them missing, as soon as one is beyond the limit.
    fn subtree_models(&mut self, joint: usize, matrices: &[Affine3A], models: &mut Vec<Affine3A>) -> bool {
        let count = self.samples.len();
        let subtree = &self.hierarchy.subtrees[joint];
        models.resize(count * subtree.len(), Affine3A::IDENTITY);
        let above = self.source.skeleton.parent(joint);
        for step in 0..count {
            let sample = (self.hardest + step) % count;
            let row = &mut models[sample * subtree.len()..][..subtree.len()];
            for (place, branch) in subtree.iter().enumerate() {
                row[place] = match (place, above) {
                    (0, Some(parent)) => self.models[parent * count + sample] * matrices[sample],
                    (0, None) => matrices[sample],
                    _ => row[branch.parent] * self.matrices[branch.joint * count + sample],
                };
                if !self.is_within(sample, branch.joint, &row[place]) {
                    self.hardest = sample;
                    return false;
                }
            }
        }
        true
    }

    #[inline]
    fn is_within(&self, sample: usize, joint: usize, model: &Affine3A) -> bool {
        let raw = self.raw.at(self.samples.start + sample, joint);
        self.source.error_sq(self.samples.start + sample, joint, &raw, model) <= self.limit_sq
    }
}
