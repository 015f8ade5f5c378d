use super::contacts::measure_slide;
use super::exact::ExactTracks;
use super::jitter::measure_jitter;
use super::late::Late;
use super::motion::measure_motion;
use super::root::RootDrift;
use super::shell::ShellErrors;
use super::track::assert_same_shape;
use super::vertex::SkinComparison;
use super::weights::FloatError;
use super::{
    ContactPlan, ContactSettings, ErrorLimits, ErrorReport, Farthest, ModelTrack, PinReport, SlideReport, StepTimes,
    VertexReport,
};
use crate::model::{Clip, Rig, Sampler, Skeleton};
use std::sync::Arc;

/// Compares a decoded clip with the raw clip at every step of their tracks.
///
/// `shells_m` has one distance per joint. The error on the skin is not measured, because it takes longest: see [`measure_vertices`]. Float
/// tracks are measured by [`FloatError::measure`], pins by [`measure_pins`](super::measure_pins).
///
/// # Panics
/// Panics if the tracks differ in joints or steps, or if `shells_m` does not have one distance per joint.
#[allow(clippy::too_many_arguments)] // the inputs of a comparison; a struct would only be unpacked again
pub fn measure(
    rig: &Rig,
    clip: &Clip,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    plan: &Arc<ContactPlan>,
    shells_m: &[f32],
    tolerance_m: f32,
    settings: &ContactSettings,
) -> ErrorReport {
    assert_same_shape(raw, lossy);
    assert_eq!(shells_m.len(), raw.joints(), "one shell per joint");
    let farthest = Farthest::of(raw);
    let shell = shell_of(rig, (raw, lossy), shells_m, farthest.resolves(tolerance_m));
    let ((samples, between), (per_step, per_step_p99)) = rayon::join(
        || rayon::join(|| shell.at_samples(raw.times()), || shell.between_samples(raw.times())),
        || (shell.per_step(), shell.p99_per_step()),
    );
    let contacts = || measure_contacts(rig, clip, raw, lossy, plan, settings);
    let motion = || measure_motion(&rig.skeleton, clip.is_looping(), raw, lossy);
    let jitter = || measure_jitter(raw, lossy, shells_m);
    let others = || (RootDrift::measure(clip, raw, lossy), ExactTracks::count(raw, lossy));
    let ((slide, motion), (jitter, (root, exact))) =
        rayon::join(|| rayon::join(contacts, motion), || rayon::join(jitter, others));
    ErrorReport {
        tolerance_m,
        limits: ErrorLimits::default(),
        sub_frames: raw.sub_frames(),
        samples,
        between,
        farthest,
        weighed: None,
        mean: None,
        per_step,
        per_step_p99,
        shell: shell.into(),
        vertex: None,
        slide,
        pins: PinReport::default(),
        motion,
        jitter,
        root,
        exact,
        floats: FloatError::default(),
        sampling: clip.sampling_error(),
    }
}

fn shell_of(rig: &Rig, (raw, lossy): (&ModelTrack, &ModelTrack), shells_m: &[f32], is_near: bool) -> ShellErrors {
    match is_near {
        true => ShellErrors::measure(raw, lossy, shells_m),
        false => ShellErrors::measure_far(&rig.skeleton, raw, lossy, shells_m),
    }
}

impl ErrorReport {
    /// The report without the shell errors of every joint and step.
    pub(crate) fn without_shell(self) -> Self {
        Self { shell: Late::default(), ..self }
    }

    /// The report with those shell errors, which are measured again at their first use unless it has them.
    pub(crate) fn with_shell(self, rig: &Arc<Rig>, tracks: [&Arc<ModelTrack>; 2], shells_m: &Arc<[f32]>) -> Self {
        if !self.shell.is_empty() {
            return self;
        }
        let (rig, [raw, lossy], shells_m) = (rig.clone(), tracks.map(Arc::clone), shells_m.clone());
        let is_near = self.farthest.resolves(self.tolerance_m);
        Self { shell: Late::new(move || shell_of(&rig, (&raw, &lossy), &shells_m, is_near)), ..self }
    }
}

/// Measures only the shell error, between two players of one rig. For files that another program plays.
///
/// # Panics
/// Panics if `shells_m` does not have one distance per joint.
pub fn measure_played(
    skeleton: &Skeleton,
    raw_and_played: [&mut dyn Sampler; 2],
    times: StepTimes,
    float_tracks: usize,
    shells_m: &[f32],
    tolerance_m: f32,
) -> ErrorReport {
    assert_eq!(shells_m.len(), skeleton.len(), "one shell per joint");
    let shell = ShellErrors::played(skeleton, raw_and_played, times, float_tracks, shells_m);
    ErrorReport {
        tolerance_m,
        sub_frames: times.sub_frames,
        samples: shell.at_samples(times),
        between: shell.between_samples(times),
        per_step: shell.per_step(),
        per_step_p99: shell.p99_per_step(),
        shell: shell.into(),
        ..ErrorReport::default()
    }
}

/// Measures only the contacts of feet, as [`measure`] does.
///
/// # Panics
/// Panics if the tracks differ in joints or steps.
pub fn measure_contacts(
    rig: &Rig,
    clip: &Clip,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    plan: &Arc<ContactPlan>,
    settings: &ContactSettings,
) -> SlideReport {
    assert_same_shape(raw, lossy);
    let limits = settings.slide_limits(plan.scale);
    let contacts = measure_slide(rig, clip, raw, lossy, plan, &limits);
    SlideReport { plan: plan.clone(), contacts, limits }
}

/// Measures the error of every skinned vertex at every `stride`-th step. Returns `None` for a rig without a mesh.
///
/// The percentile comes from a histogram and is at most 1/128 above the exact one. Everything else is exact.
///
/// # Panics
/// Panics if the tracks differ in joints or steps.
pub fn measure_vertices(rig: &Rig, raw: &ModelTrack, lossy: &ModelTrack, stride: usize) -> Option<VertexReport> {
    assert_same_shape(raw, lossy);
    (rig.vertex_count() > 0).then(|| SkinComparison::new(rig, raw, lossy).report(stride.max(1)))
}
