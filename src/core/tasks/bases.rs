//! Bases of additive clips: finds the clip to which an additive clip is added.

use crate::model::{BaseOf, Clip, ClipKey, Rig, Skeleton, SourceDigest};
use std::sync::Arc;
use thiserror::Error;

/// Clips that can be bases, per file. They are not yet put on bases themselves.
#[derive(Debug, Default)]
pub struct Bases(Vec<(Arc<Rig>, Keyed)>);

/// Clips of a file.
type Keyed = Vec<(ClipKey, Arc<Clip>)>;

/// An additive clip plays without its base.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("its base {0} is not among the clips read, or has other joints. The clip is used without a base")]
pub struct NoBase(String);

impl Bases {
    /// Adds a file after the others.
    pub fn add(&mut self, digest: &SourceDigest, rig: &Arc<Rig>, clips: &[Arc<Clip>]) {
        let key = |clip: &Arc<Clip>| (ClipKey::new(digest, clip.name()), clip.clone());
        self.0.push((rig.clone(), clips.iter().map(key).collect()));
    }

    /// The clip of that name in the same file. If there is none, files whose joints have the same names are searched: first for the clip
    /// with that key, then for a clip of that name.
    pub fn find(&self, file: usize, name: &str) -> Option<Arc<Clip>> {
        let (own_rig, own) = self.0.get(file)?;
        let fits = |rig: &Arc<Rig>| Arc::ptr_eq(rig, own_rig) || has_joints_of(rig, own_rig);
        let is_named = |(key, _): &&(ClipKey, Arc<Clip>)| key.clip_name() == name;
        let others = || self.0.iter().filter(|(rig, _)| fits(rig)).flat_map(|(_, clips)| clips);
        let of_key = || others().find(|(key, _)| key.to_string() == name);
        let found = own.iter().find(is_named).or_else(of_key).or_else(|| others().find(is_named));
        found.map(|(_, clip)| clip.clone())
    }

    /// The clip of a file on its base. A clip that is not additive stays as it is.
    ///
    /// # Errors
    /// Returns [`NoBase`] if the base is not found or does not fit.
    pub fn put_on_base(&self, file: usize, skeleton: &Skeleton, clip: &Arc<Clip>) -> Result<Arc<Clip>, NoBase> {
        let additive = clip.additive().filter(|additive| additive.base != BaseOf::Nothing);
        let Some(additive) = additive else { return Ok(clip.clone()) };
        match clip.on_base(skeleton, |name| self.find(file, name)) {
            Ok(Some(on_base)) => Ok(Arc::new(on_base)),
            _ => Err(NoBase(additive.base.to_string())),
        }
    }
}

fn has_joints_of(rig: &Rig, other: &Rig) -> bool {
    let names = |rig: &Rig| rig.skeleton.joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    names(rig) == names(other)
}
