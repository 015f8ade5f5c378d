//! Where the cameras go when something is to be seen whole.

use super::App;
use super::render::{Bounds, FigurePose};
use glam::Vec3;
use posepress_core::model::{Pose, Rig};
use std::sync::Arc;

/// Around a framed joint or vertex, metres for a person.
const CLOSE_UP_M: f32 = 0.28;

impl App {
    /// Fits the whole figure.
    pub(super) fn frame_all(&mut self) {
        let Some((rig, figure)) = self.figure() else { return };
        let bounds = figure.bounds(&rig);
        self.view.cameras.ground_scale = bounds.ground_scale();
        self.frame(bounds);
    }

    /// Fits the selected joint, or everything.
    pub(super) fn frame_selection(&mut self) {
        let Some((rig, figure)) = self.figure() else { return };
        match self.view.selection.joint.and_then(|joint| figure.joints.get(joint)) {
            Some(joint) => self.close_up(joint.translation.into(), figure.bounds(&rig)),
            None => self.frame_all(),
        }
    }

    /// Fits a vertex (mesh of the rig, vertex of the mesh) and turns to the side that it is on.
    pub(super) fn frame_vertex(&mut self, (mesh, vertex): (usize, usize)) {
        let Some((rig, figure)) = self.figure() else { return };
        let Some(skin) = rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len()) else { return };
        let at = skin.skin_vertex(vertex, &figure.joints, &figure.floats);
        let outward = skin.skin_normal(vertex, &figure.joints);
        self.view.cameras.each_mut().for_each(|camera| camera.face(outward));
        self.close_up(at, figure.bounds(&rig));
    }

    fn close_up(&mut self, at: Vec3, figure: Bounds) {
        const PERSON_RADIUS_M: f32 = 0.9;
        let reach = Vec3::splat(CLOSE_UP_M * (figure.radius_m() / PERSON_RADIUS_M).max(0.05));
        self.frame(Bounds { min: at - reach, max: at + reach });
    }

    fn frame(&mut self, bounds: Bounds) {
        self.view.cameras.frame(bounds);
    }

    /// The raw figure at the playhead.
    fn figure(&self) -> Option<(Arc<Rig>, FigurePose)> {
        let (rig, clip) = self.workspace.selected().and_then(|id| self.workspace.library().clip(id))?;
        let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
        clip.sample(clip.grid().sample_at(self.view.transport.time_secs), &mut pose);
        Some((rig.clone(), FigurePose::from_pose(rig, &pose)))
    }
}
