//! Where the cameras go when something is to be seen whole.

use crate::App;
use crate::render::{Bounds, FigurePose};
use glam::Vec3;
use posepress_core::model::{Pose, Rig};
use std::sync::Arc;

/// Places of a clip's way at which its figure is measured.
const PLACES: u32 = 24;
impl App {
    /// Fits the whole figure.
    pub(crate) fn frame_all(&mut self) {
        let Some((rig, figure)) = self.figure() else { return };
        let bounds = figure.bounds(&rig);
        self.view.cameras.ground_scale = bounds.ground_scale();
        self.frame(bounds);
    }

    /// Fits the selected joint, or everything.
    pub(crate) fn frame_selection(&mut self) {
        let Some((rig, figure)) = self.figure() else { return };
        match self.view.selection.joint.and_then(|joint| figure.joints.get(joint)) {
            Some(joint) => self.frame(Bounds::close_up(joint.translation.into(), figure.bounds(&rig))),
            None => self.frame_all(),
        }
    }

    /// Fits a vertex (mesh of the rig, vertex of the mesh) and turns to the side that it is on.
    pub(crate) fn frame_vertex(&mut self, (mesh, vertex): (usize, usize)) {
        let Some((rig, figure)) = self.figure() else { return };
        let Some(skin) = rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len()) else { return };
        let at = skin.skin_vertex(vertex, &figure.joints, &figure.floats);
        let outward = skin.skin_normal(vertex, &figure.joints);
        self.view.cameras.each_mut().for_each(|camera| camera.face(outward));
        self.frame(Bounds::close_up(at, figure.bounds(&rig)));
    }

    fn frame(&mut self, bounds: Bounds) {
        let figure_m = self.figure_m();
        self.view.cameras.stand_by(figure_m);
        self.view.cameras.frame(bounds);
    }

    /// Fits the figure at every place of its way; the cameras stand still then.
    pub(crate) fn frame_path(&mut self) {
        let Some((rig, clip)) = self.workspace.selected().and_then(|id| self.workspace.library().clip(id)) else {
            return;
        };
        let at = |step: u32| {
            let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
            clip.sample((clip.samples() - 1) as f64 * f64::from(step) / f64::from(PLACES), &mut pose);
            FigurePose::from_pose(rig, &pose).bounds(rig)
        };
        let whole = (0..=PLACES).map(at).reduce(Bounds::union);
        self.view.settings.follow = false;
        whole.into_iter().for_each(|bounds| self.frame(bounds));
    }

    /// Cameras go along with the figure, if somebody wants it.
    pub(crate) fn follow(&mut self) {
        let Some(figure_m) = self.figure_m() else { return };
        match self.view.settings.follow {
            true => self.view.cameras.follow(figure_m),
            false => self.view.cameras.stand_by(Some(figure_m)),
        }
    }

    fn figure_m(&self) -> Option<Vec3> {
        Some(self.workspace.travel()?.at(self.view.transport.time_secs))
    }

    /// The raw figure at the playhead.
    fn figure(&self) -> Option<(Arc<Rig>, FigurePose)> {
        let (rig, clip) = self.workspace.selected().and_then(|id| self.workspace.library().clip(id))?;
        let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
        clip.sample(clip.grid().sample_at(self.view.transport.time_secs), &mut pose);
        Some((rig.clone(), FigurePose::from_pose(rig, &pose)))
    }
}
