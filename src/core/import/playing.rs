//! Plays written files as their players do.

use super::FileSpace;
use super::motion::Motion;
use super::rest::snap_secs;
use crate::math::Transform;
use crate::model::{Base, Clip, Pose, Rig, Sampler, TimeGrid};
use std::sync::Arc;

/// The source of a written file, and the space of its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written<'a> {
    pub rig: &'a Rig,
    pub clip: &'a Clip,
    pub space: FileSpace,
}

/// Plays a motion of a file at places of its source clip, on the rig and base of that clip.
///
/// Float tracks do not change. Rotations are normalised, as readers do.
pub(crate) struct FilePlayer {
    motion: Box<dyn Motion + Send>,
    /// Index in the file of each joint of the rig.
    places: Vec<usize>,
    /// The rest pose.
    rest: Vec<Transform>,
    space: FileSpace,
    is_root: Vec<bool>,
    base: Option<Arc<Base>>,
    grid: TimeGrid,
    start_secs: f32,
    pose: Vec<Transform>,
    floats: Vec<f32>,
}

impl FilePlayer {
    /// `places` has the file index of each joint of the rig; `rest` has one transform per joint of the file.
    pub(super) fn new(
        motion: Box<dyn Motion + Send>,
        places: Vec<usize>,
        rest: Vec<Transform>,
        Written { rig, clip, space }: Written<'_>,
    ) -> Self {
        let is_root = (0..rig.skeleton.len()).map(|joint| rig.skeleton.parent(joint).is_none()).collect();
        let (base, grid, pose) = (clip.base().cloned(), clip.grid(), rest.clone());
        Self { motion, places, rest, space, is_root, base, grid, start_secs: 0.0, pose, floats: Vec::new() }
    }

    /// The player of a file that holds whole poses, not differences from the clip's base.
    #[cfg(feature = "usd")]
    pub(super) fn whole(self) -> Self {
        Self { base: None, ..self }
    }

    /// The player of a clip that starts later in its file, with `floats` float tracks.
    pub(super) fn starting_at(self, start_secs: f32, floats: usize) -> Self {
        Self { start_secs, floats: vec![0.0; floats], ..self }
    }
}

impl Sampler for FilePlayer {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.pose.copy_from_slice(&self.rest);
        let time_secs = self.grid.time_secs(at_sample) + self.start_secs;
        self.motion.pose(time_secs, snap_secs(self.grid), &mut self.pose, &mut self.floats);
        let base = self.base.as_ref().map(|base| base.at(self.grid.split(at_sample)).collect::<Vec<_>>());
        for (joint, (local, place)) in out.joints.iter_mut().zip(&self.places).enumerate() {
            let (own, is_root) = (self.pose[*place], self.is_root[joint]);
            let own = Transform { rotation: own.rotation.normalize(), ..own };
            let on = base.as_ref().map(|base| self.space.from_inside(base[joint], is_root));
            *local = self.space.to_inside(on.map_or(own, |base| base.plus(own)), is_root);
        }
    }
}
