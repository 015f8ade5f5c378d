use super::decoder;
use super::pack::{differences, pack_words};
use super::side::Side;
use posepress_core::metrics::{ErrorReport, Verdict, error_peaks};
use posepress_core::model::{Clip, ClipSampler, Rig};
use posepress_core::pipeline::{MeasuredClip, Outcome};
use serde::Serialize;
use std::sync::Arc;

/// Both sides of a clip for the player, packed.
pub struct PlayedClip {
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// Local transforms and float tracks of the original, those of the compressed side if there is no container, the errors over time,
    /// then the stepped intervals of these sides.
    pub packed: Vec<u8>,
    /// The bytes of the codec in a container, for the module of the page.
    pub container: Option<Vec<u8>>,
    /// Its numbers.
    pub row: ClipRow,
}

/// The numbers of a clip, as the script reads them: metres and seconds.
#[derive(Debug, Clone, Serialize)]
pub struct ClipRow {
    /// Name of the clip in its file.
    own_name: String,
    /// True if the module of the page decodes it.
    decodes: bool,
    samples: usize,
    /// Float tracks after the joints: those of rigs with morph targets.
    tracks: usize,
    rate_hz: f64,
    duration_secs: f32,
    /// Measured steps per sample.
    sub_frames: usize,
    /// Samples between two errors of the skin, in steps; 0 without errors of the skin.
    skin_stride: usize,
    skin_steps: usize,
    /// Stepped intervals, per side with transforms.
    holds: Vec<usize>,
    tolerance_m: f32,
    ground_m: f32,
    looping: bool,
    shells_m: Arc<[f32]>,
    /// Largest shell error per joint and its time.
    joints: Vec<(f32, f32)>,
    contacts: Vec<ContactSpan>,
    pins: Vec<PinSpan>,
    peaks: Vec<PeakRow>,
}

#[derive(Debug, Clone, Serialize)]
struct ContactSpan {
    joint: usize,
    start_secs: f32,
    end_secs: f32,
    worst_secs: f32,
    slide_m: f32,
    source_m: f32,
    verdict: Verdict,
}

#[derive(Debug, Clone, Serialize)]
struct PinSpan {
    joint: usize,
    on: String,
    start_secs: f32,
    end_secs: f32,
    worst_secs: f32,
    drift_m: f32,
    source_m: f32,
    verdict: Verdict,
}

#[derive(Debug, Clone, Serialize)]
struct PeakRow {
    secs: f32,
    error_m: f32,
    joint: usize,
}

impl PlayedClip {
    /// Packs both sides.
    pub fn of(source: &MeasuredClip, outcome: &Outcome) -> Self {
        let (clip, report) = (source.clip.as_ref(), &outcome.report);
        let container = decoder::container(source, outcome);
        let is_morphed = source.rig.meshes.iter().any(|mesh| !mesh.targets.is_empty());
        let tracks = if is_morphed { clip.float_tracks() } else { 0 };
        let original = Side::of(&mut ClipSampler::new(clip), clip, tracks);
        let decoded = container.is_none().then(|| Side::of(&mut *outcome.sampler(), clip, tracks));
        let mut words: Vec<u32> = original.columns().flat_map(over_time).collect();
        if let Some(decoded) = &decoded {
            words.extend(decoded.columns().zip(original.columns()).flat_map(|(a, b)| differences(a, b)));
        }
        words.extend(over_time(report.per_step.iter().copied()));
        words.extend(over_time(report.vertex.iter().flat_map(|vertex| vertex.per_step.iter().copied())));
        let sides = || [&original].into_iter().chain(&decoded);
        words.extend(sides().flat_map(Side::holds));
        let holds = sides().map(|side| side.holds().len()).collect();
        let row = ClipRow { decodes: container.is_some(), tracks, holds, ..ClipRow::new(source, outcome) };
        Self { rig: source.rig.clone(), packed: pack_words(&words), container, row }
    }
}

/// Differences of each value from the one before.
fn over_time(values: impl Iterator<Item = f32> + Clone) -> impl Iterator<Item = u32> {
    differences(values.clone(), std::iter::once(0.0).chain(values))
}

impl ClipRow {
    fn new(source: &MeasuredClip, outcome: &Outcome) -> Self {
        let (clip, report) = (source.clip.as_ref(), &outcome.report);
        let vertex = report.vertex.as_ref();
        Self {
            own_name: clip.name().to_owned(),
            decodes: false,
            samples: clip.samples(),
            tracks: 0,
            rate_hz: clip.grid().rate_hz(),
            duration_secs: clip.duration_secs(),
            sub_frames: report.sub_frames.max(1),
            skin_stride: vertex.map_or(0, |vertex| vertex.stride),
            skin_steps: vertex.map_or(0, |vertex| vertex.per_step.len()),
            holds: Vec::new(),
            tolerance_m: report.tolerance_m,
            ground_m: source.plan.ground_m,
            looping: report.motion.looping,
            shells_m: outcome.shells_m.clone(),
            joints: joint_errors(report),
            contacts: contacts(report),
            pins: pins(source, report),
            peaks: peaks(clip, report),
        }
    }
}

/// The larger of the errors at the samples and between them, per joint.
fn joint_errors(report: &ErrorReport) -> Vec<(f32, f32)> {
    let (samples, between) = (&report.samples.per_joint, &report.between.per_joint);
    let joints = samples.iter().enumerate().map(|(joint, at)| {
        let more = between.get(joint).filter(|between| between.max_m > at.max_m).unwrap_or(at);
        (more.max_m, more.worst_secs)
    });
    joints.collect()
}

fn contacts(report: &ErrorReport) -> Vec<ContactSpan> {
    let spans = report.slide.contacts.iter().map(|contact| ContactSpan {
        joint: contact.joint,
        start_secs: contact.start_secs,
        end_secs: contact.end_secs,
        worst_secs: contact.worst_secs,
        slide_m: contact.slide_m,
        source_m: contact.source_m,
        verdict: contact.verdict,
    });
    spans.collect()
}

/// The marked pins.
fn pins(source: &MeasuredClip, report: &ErrorReport) -> Vec<PinSpan> {
    let marked = report.pins.pins.iter().filter(|pin| pin.marked).map(|pin| PinSpan {
        joint: pin.joint,
        on: pin.on.name(&source.rig.skeleton).into(),
        start_secs: pin.start_secs,
        end_secs: pin.end_secs,
        worst_secs: pin.worst_secs,
        drift_m: pin.drift_m,
        source_m: pin.source_m,
        verdict: pin.verdict,
    });
    marked.collect()
}

fn peaks(clip: &Clip, report: &ErrorReport) -> Vec<PeakRow> {
    let secs = |sample: f64| clip.grid().time_secs(sample);
    let rows = error_peaks(report).into_iter();
    rows.map(|peak| PeakRow { secs: secs(peak.sample), error_m: peak.error_m, joint: peak.joint }).collect()
}
