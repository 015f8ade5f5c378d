//! Cameras and framing.

use crate::commands::CameraCommand;
use crate::render::{Bounds, CrowdGrid, FigurePose};
use crate::state::View;
use glam::Vec3;
use posepress_core::model::{Pose, Rig};
use posepress_core::workspace::Workspace;
use std::sync::Arc;

/// Number of steps along a clip at which the character is measured.
const PLACES: u32 = 24;

/// Carries out commands about cameras.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: CameraCommand) {
    let cameras = &mut view.cameras;
    match command {
        CameraCommand::LookFrom(preset) => cameras.look_from(preset),
        CameraCommand::Orbit { side, yaw_rad, pitch_rad } => cameras.of_mut(side).orbit(yaw_rad, pitch_rad),
        CameraCommand::Pan { side, delta, size } => cameras.moved(side).pan(delta.into(), size.into()),
        CameraCommand::Dolly { side, factor, at, size } => cameras.moved(side).dolly(factor, at.into(), size.into()),
        CameraCommand::ToggleLock => cameras.toggle_lock(),
        CameraCommand::FrameSelection => frame_selection(workspace, view),
        CameraCommand::FrameAll => frame_all(workspace, view),
        CameraCommand::FramePath => frame_path(workspace, view),
        CameraCommand::ToggleFollow => view.settings.follow ^= true,
    }
}

/// Fits the whole character, or the whole crowd.
pub fn frame_all(workspace: &Workspace, view: &mut View) {
    let Some((rig, figure)) = figure(workspace, view) else { return };
    let bounds = figure.bounds(&rig);
    view.cameras.ground_scale = bounds.ground_scale();
    frame(workspace, view, CrowdGrid::new(&rig, view.crowd).bounds(bounds));
}

/// Fits the selected joint, or everything.
pub fn frame_selection(workspace: &Workspace, view: &mut View) {
    let Some((rig, figure)) = figure(workspace, view) else { return };
    match view.selection.joint.and_then(|joint| figure.joints.get(joint)) {
        Some(joint) => frame(workspace, view, Bounds::close_up(joint.translation.into(), figure.bounds(&rig))),
        None => frame_all(workspace, view),
    }
}

/// Fits a vertex (mesh of the rig, vertex of the mesh), seen along its normal.
pub fn frame_vertex(workspace: &Workspace, view: &mut View, (mesh, vertex): (usize, usize)) {
    let Some((rig, figure)) = figure(workspace, view) else { return };
    let Some(skin) = rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len()) else { return };
    let at = skin.skin_vertex(vertex, &figure.joints, &figure.floats);
    let outward = skin.skin_normal(vertex, &figure.joints);
    view.cameras.each_mut().for_each(|camera| camera.face(outward));
    frame(workspace, view, Bounds::close_up(at, figure.bounds(&rig)));
}

/// Fits a box. The cameras follow the character from there.
fn frame(workspace: &Workspace, view: &mut View, bounds: Bounds) {
    let figure_m = figure_m(workspace, view);
    view.cameras.stand_by(figure_m);
    view.cameras.frame(bounds);
}

/// Fits the whole path of the character, and stops following it.
fn frame_path(workspace: &Workspace, view: &mut View) {
    let Some((rig, clip)) = workspace.selected().and_then(|id| workspace.library().clip(id)) else {
        return;
    };
    let at = |step: u32| {
        let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
        clip.sample((clip.samples() - 1) as f64 * f64::from(step) / f64::from(PLACES), &mut pose);
        FigurePose::from_pose(rig, &pose).bounds(rig)
    };
    let whole = (0..=PLACES).map(at).reduce(Bounds::union);
    view.settings.follow = false;
    whole.into_iter().for_each(|bounds| frame(workspace, view, bounds));
}

/// Moves the cameras with the character, if the setting is on.
pub fn follow(workspace: &Workspace, view: &mut View) {
    let Some(figure_m) = figure_m(workspace, view) else { return };
    match view.settings.follow {
        true => view.cameras.follow(figure_m),
        false => view.cameras.stand_by(Some(figure_m)),
    }
}

/// Position of the character at the playhead, metres.
fn figure_m(workspace: &Workspace, view: &View) -> Option<Vec3> {
    Some(workspace.travel()?.at(view.transport.time_secs))
}

/// The original pose of the character at the playhead.
fn figure(workspace: &Workspace, view: &View) -> Option<(Arc<Rig>, FigurePose)> {
    let (rig, clip) = workspace.selected().and_then(|id| workspace.library().clip(id))?;
    let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
    clip.sample(clip.grid().sample_at(view.transport.time_secs), &mut pose);
    Some((rig.clone(), FigurePose::from_pose(rig, &pose)))
}
