use super::{contacts, trails};
use crate::render::{FigurePose, Overlay, Shading, Side, ViewScene, connectors};
use crate::state::State;
use crate::theme::Theme;
use posepress_core::metrics::ContactSlide;
use posepress_core::model::{ModelPose, Pose, Rig};
use posepress_core::report::Sides;
use posepress_core::view::{Layer, Layers};
use std::sync::Arc;

/// Poses of both sides at the playhead.
pub struct Figures {
    /// The rig.
    pub rig: Arc<Rig>,
    /// Position of the playhead.
    pub time_secs: f32,
    /// Raw pose, or that of the reference.
    pub raw: FigurePose,
    /// Decoded from the outcome's bytes; `None` until there is one.
    pub decoded: Option<FigurePose>,
    /// Shell error per joint, metres; empty without an outcome.
    pub joint_errors_m: Arc<[f32]>,
    /// Contacts at the playhead, with their index in the report.
    pub standing: Vec<(usize, ContactSlide)>,
}

impl Figures {
    /// The shown sides at the playhead; `None` without a selected clip.
    pub fn at(state: State<'_>) -> Option<Self> {
        // While R is held, the original is shown instead of another reference.
        Self::of(state, state.shown().filter(|_| !state.view.held.original))
    }

    /// Samples the clip and the decoder of these sides at the playhead; `None` without a selected clip.
    pub fn of(state: State<'_>, shown: Option<&Sides>) -> Option<Self> {
        let (rig, clip) = state.selected()?;
        let time_secs = state.view.transport.time_secs;
        let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
        let at_sample = clip.grid().sample_at(time_secs);
        match shown {
            Some(shown) => shown.source_sampler().sample(at_sample, &mut pose),
            None => clip.sample(at_sample, &mut pose),
        }
        let raw = model(rig, &pose);
        let decoded = shown.and_then(|shown| decode(rig, shown, time_secs, pose));
        let joint_errors_m = match (&decoded, shown) {
            (Some(decoded), Some(shown)) => {
                posepress_core::metrics::shell_errors(&raw.joints, &decoded.joints, &shown.outcome.shells_m).into()
            }
            _ => Arc::default(),
        };
        let standing = shown.map_or(Vec::new(), |s| standing(&s.outcome.report.slide, clip.duration_secs(), time_secs));
        Some(Self { rig: rig.clone(), time_secs, raw, decoded, joint_errors_m, standing })
    }
}

pub fn model(rig: &Rig, pose: &Pose) -> FigurePose {
    FigurePose::new(&ModelPose::new(&rig.skeleton, &pose.joints).joints, &pose.floats)
}

fn decode(rig: &Rig, shown: &Sides, time_secs: f32, mut pose: Pose) -> Option<FigurePose> {
    shown.outcome.sampler().sample(shown.source.clip.grid().sample_at(time_secs), &mut pose);
    Some(model(rig, &pose))
}

fn standing(
    report: &posepress_core::metrics::SlideReport,
    duration_secs: f32,
    time_secs: f32,
) -> Vec<(usize, ContactSlide)> {
    let contacts = report.plan.contacts.iter().zip(&report.contacts).enumerate();
    let here = contacts.filter(|(_, (contact, _))| contact.covers(time_secs, duration_secs));
    here.map(|(index, (_, report))| (index, report.clone())).collect()
}

/// One pose on the ground, without anything that depends on its side: no heat, contacts, bones, selection or trails.
pub fn alone(state: State<'_>, theme: &Theme, figures: &Figures, pose: FigurePose) -> ViewScene {
    let plan = state.report().map(|r| &r.slide.plan);
    let velocity = plan.map_or(glam::Vec3::ZERO, |p| p.ground_velocity_m_s);
    let mut layers = Layers::default();
    Layer::ALL.into_iter().for_each(|layer| layers.set(layer, matches!(layer, Layer::Mesh | Layer::Ground)));
    ViewScene {
        rig: figures.rig.clone().into(),
        raw: pose,
        lossy: None,
        crowd: Arc::default(),
        camera: state.view.cameras.main,
        theme: theme.viewport,
        shading: Shading::Material,
        layers,
        ground_m: plan.map_or(0.0, |p| p.ground_m),
        ground_offset_m: glam::vec2(velocity.x, velocity.z) * figures.time_secs,
        ground_scale: state.view.cameras.ground_scale,
        offset_gain: 1.0,
        hidden_meshes: state.view.settings.hidden_meshes.clone(),
        selected_joint: None,
        original_overlay: Overlay::default(),
        compressed_overlay: Overlay::default(),
    }
}

/// Everything that the viewports show in this frame.
pub fn build(state: State<'_>, theme: &Theme, figures: &Figures) -> ViewScene {
    let layers = state.view.settings.layers;
    let shading = if layers.is_on(Layer::Heat) { heat(state, figures) } else { Shading::Material };
    let (original_overlay, compressed_overlay) = match state.shown().filter(|_| layers.is_on(Layer::Contacts)) {
        Some(shown) => contacts::overlays(theme, figures, shown),
        None => Default::default(),
    };
    let decoded = figures.decoded.clone().filter(|_| !state.view.original_on_both());
    let mut scene = ViewScene {
        lossy: decoded,
        shading,
        layers,
        offset_gain: state.view.offset_gain(),
        selected_joint: state.view.selection.joint,
        original_overlay,
        compressed_overlay,
        ..alone(state, theme, figures, figures.raw.clone())
    };
    if layers.is_on(Layer::Trails) {
        add_trails(state, theme, figures, &mut scene);
    }
    if scene.is_exaggerated() {
        let lines = connectors(&scene.raw.joints, &scene.drawn_joints(Side::Compressed), &scene.theme);
        scene.compressed_overlay.lines.extend(lines);
    }
    scene
}

/// Colours of the heat map. The original has no error, so in its place there is none.
pub fn heat(state: State<'_>, figures: &Figures) -> Shading {
    let recipe = state.workspace.active_recipe();
    let tolerance_m = state.shown().map_or(recipe.tolerance_m, |shown| shown.outcome.recipe.tolerance_m);
    match state.view.settings.layers.is_on(Layer::HeatByJoint) {
        _ if state.view.original_on_both() => Shading::Material,
        false => Shading::Heat { tolerance_m },
        true => Shading::JointError { errors_m: figures.joint_errors_m.clone(), tolerance_m },
    }
}

/// The raw path on both sides, the decoded one over it on the compressed side.
fn add_trails(state: State<'_>, theme: &Theme, figures: &Figures, scene: &mut ViewScene) {
    let gain = if scene.is_exaggerated() { scene.offset_gain } else { 1.0 };
    let (raw, decoded) = trails::lines(state, theme, figures, gain);
    let add = |overlay: &mut Overlay, lines: &[_]| overlay.lines.extend_from_slice(lines);
    add(&mut scene.original_overlay, &raw);
    add(&mut scene.compressed_overlay, &raw);
    if scene.lossy.is_some() {
        add(&mut scene.compressed_overlay, &decoded);
    }
}
