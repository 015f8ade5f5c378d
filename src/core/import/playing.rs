//! Files that were just written, played as their players do.

use super::FileSpace;
use super::motion::Motion;
use super::rest::snap_secs;
use crate::math::Transform;
use crate::model::{Base, Clip, Pose, Rig, Sampler, TimeGrid};
use std::sync::Arc;

/// What a file was written from, and the space of its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written<'a> {
    pub rig: &'a Rig,
    pub clip: &'a Clip,
    pub space: FileSpace,
}

/// Plays a motion of a file at the places of the clip that it was written from, on that one's rig and base.
///
/// Float tracks are left as they are. Rotations are made unit length, as readers do.
pub(crate) struct FilePlayer {
    motion: Box<dyn Motion + Send>,
    /// Of each joint of the rig, in the file.
    places: Vec<usize>,
    /// Where nothing moves.
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
    /// `places`: of each joint of the rig among the joints of the file, of which `rest` has one transform each.
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

    /// A clip that starts later in its file, which has so many float tracks.
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
