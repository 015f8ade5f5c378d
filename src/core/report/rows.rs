//! The parts of a report, named by their JSON keys.

use crate::codecs::{CandidateRow, CandidateState, LatticeRow, ParamChanges};
use crate::metrics::{
    Aspect, ErrorReport, FloatError, FootPart, Judged, RootDrift, SlideReport, Verdict, VertexReport, Worst,
};
use crate::model::{Clip, Rig, Skeleton};
use crate::pipeline::{ContactLock, ExternalClip};
use crate::recipe::{JointOverride, Recipe};
use crate::report::{Reason, WhySlide, WorstRow};
use crate::settings::{Choice, Settings};
use crate::text::{millimetres, shifted};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The external result that was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ExternalRow {
    /// Its file.
    pub file: String,
    /// Name of the clip in that file.
    pub clip: String,
    /// Number of samples of the clip in that file.
    pub samples: usize,
    /// Sample rate of the clip in that file, samples per second.
    pub rate_hz: f64,
    /// Time in that clip at which the source begins, seconds.
    pub offset_secs: f64,
    /// Size of the clip's keys and times in its file.
    pub bytes: u64,
}

impl ExternalRow {
    pub(super) fn of(external: &ExternalClip) -> Self {
        Self {
            file: external.file.to_string(),
            clip: external.clip.name().to_owned(),
            samples: external.clip.samples(),
            rate_hz: external.clip.grid().rate_hz(),
            offset_secs: external.offset_secs,
            bytes: external.bytes,
        }
    }
}

/// One of the errors that decide a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct JudgedRow {
    pub by: Aspect,
    pub verdict: Verdict,
    pub error_mm: f64,
    pub warn_mm: f64,
    /// `None` for an error that never fails.
    pub fail_mm: Option<f64>,
    #[serde(flatten)]
    pub worst: WorstRow,
    /// The reason, if it is not good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// One candidate of a search: its figures, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct TriedRow {
    /// The candidate's line in a list of candidates.
    pub candidate: String,
    pub winner: bool,
    #[serde(flatten)]
    pub result: TriedResult,
}

/// The result of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)] // named by its keys
pub enum TriedResult {
    Measured { bytes: usize, ratio: f32, max_mm: f64, within: bool, slide_mm: Option<f64>, encode_ms: Option<f64> },
    Larger { bytes_at_least: usize },
    Failed { error: String },
}

/// The settings of a recipe that differ from its codec's defaults. It serialises to a map with the keys of a recipe file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangedRecipe(pub(super) Recipe);

impl Serialize for ChangedRecipe {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (recipe, default) = (&self.0, Recipe::of(self.0.codec));
        let mut map = to.serialize_map(None)?;
        if recipe.values != default.values {
            map.serialize_entry("values", &recipe.values)?;
        }
        for setting in Recipe::ALL.iter().filter(|s| s.is_changed(recipe)) {
            map.serialize_entry(setting.key, &setting.get(recipe))?;
        }
        if !recipe.overrides.is_empty() {
            map.serialize_entry("overrides", &recipe.overrides)?;
        }
        if recipe.contacts != default.contacts {
            map.serialize_entry("contacts", &recipe.contacts)?;
        }
        if recipe.compensation != default.compensation {
            map.serialize_entry("compensation", &recipe.compensation)?;
        }
        map.end()
    }
}

/// Number of moving tracks, and of moving tracks that decode to exactly the values of the source.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct ExactRow {
    pub animated: usize,
    pub exact: usize,
    /// Time in which something moves and nothing is lost, in runs of at least 16 samples.
    pub exact_secs: f64,
    /// True if a lossy codec lost nothing.
    pub stored_exactly: bool,
}

/// A step of a lattice, and the bits that its component costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Name of the joint.
    pub joint: String,
    /// Its channel, such as `rotation`.
    pub channel: &'static str,
    /// Axis of the joint.
    pub axis: char,
    /// The step: radians for rotations, metres for translations, relative for scales.
    pub step: f32,
    /// Bits of every fourth sample.
    pub anchor_bits: u64,
    /// Bits of the samples halfway between those.
    pub middle_bits: u64,
    /// Bits of all other samples.
    pub other_bits: u64,
}

impl StepRow {
    pub(super) fn new(row: &LatticeRow, skeleton: &Skeleton) -> Self {
        let [anchor_bits, middle_bits, other_bits] = row.bits;
        let axis = ['x', 'y', 'z'][usize::from(row.component).min(2)];
        let joint = skeleton.name(row.joint.into()).to_owned();
        Self { joint, channel: row.channel.name(), axis, step: row.step, anchor_bits, middle_bits, other_bits }
    }
}

/// Largest error of morph weights and other float tracks, in their own units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct FloatRow {
    pub max: f32,
    pub track: String,
    pub time_secs: f32,
    /// True if every track is within its limit.
    pub same: bool,
    /// The reason, if one is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Shell error at the samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct ErrorRow {
    pub tolerance_mm: f64,
    pub shell_mm: f64,
    pub shell_from_mesh: bool,
    pub max_mm: f64,
    pub p99_mm: f64,
    pub rms_mm: f64,
    pub mean_mm: f64,
    /// The largest mean of a joint.
    pub joint_mean_mm: f64,
    pub worst: WorstRow,
    /// The error that the codec bounds: `largest` or `mean`.
    pub promise: &'static str,
    pub within: bool,
}

/// Shell error at the steps between samples, where a curve can overshoot. Zero with one step per sample.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct SubFrameRow {
    /// Measured steps per sample.
    pub per_sample: usize,
    pub max_mm: f64,
    pub worst: WorstRow,
}

/// The largest error of a kind, with its joint and time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LargestRow {
    pub max_mm: f64,
    pub worst: WorstRow,
}

/// Drift of the root of a loop with root motion, after 100 rounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct RootRow {
    pub joint: String,
    pub way_m: f64,
    pub drift_mm: f64,
    pub turn_degrees: f64,
    pub speed_mm_s: f64,
}

/// Error on the skin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct VertexRow {
    pub max_mm: f64,
    pub p99_mm: f64,
    pub worst: VertexWorstRow,
}

/// The vertex with the largest error, and the joint that contributes most to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct VertexWorstRow {
    pub mesh: String,
    pub vertex: usize,
    pub joint: String,
    pub time_secs: f32,
}

/// The contacts of a clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct SlideRow {
    pub contacts: Vec<ContactRow>,
    /// `None` without contacts.
    pub worst_slide_mm: Option<f64>,
    /// The causes of the worst contact's slide. Filled on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WhySlide>,
    /// The result of locking contacts. `None` if they were not locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockRow>,
}

/// The cost of an override of the recipe for a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct OverrideRow {
    /// Name of the joint, or a pattern of names.
    pub joint: String,
    /// Seconds. `None` for an override of the whole clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_secs: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_mm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_mm: Option<f64>,
    /// True for joints that are stored exactly.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Codec parameters that apply only to these joints.
    #[serde(skip_serializing_if = "ParamChanges::is_empty")]
    pub set: ParamChanges,
    /// Bytes that the override adds. Negative if it makes the clip smaller, as a larger tolerance does.
    pub extra_bytes: i64,
}

impl OverrideRow {
    /// The row of an override and its cost.
    pub fn new((one, extra_bytes): (JointOverride, i64)) -> Self {
        Self {
            joint: one.joint,
            span_secs: one.span_secs,
            tolerance_mm: one.tolerance_m.map(millimetres),
            shell_mm: one.shell_m.map(millimetres),
            exact: one.exact,
            set: one.set,
            extra_bytes,
        }
    }
}

/// The result of locking a clip's contacts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LockRow {
    pub contacts: usize,
    /// Marked pins.
    pub pins: usize,
    /// Contacts and pins that exceed the limit before locking.
    pub tightened: usize,
    /// Contacts and pins that still exceed it.
    pub left: usize,
    pub limit_mm: f64,
    /// Largest slide or drift before locking.
    pub before_mm: f64,
    /// Bytes that locking added.
    pub extra_bytes: i64,
}

/// One contact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct ContactRow {
    pub joint: String,
    pub start_secs: f32,
    pub end_secs: f32,
    /// Touch-down and lift-off of the heel. `None` if it does not stand, or if the foot has no heel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heel_secs: Option<[f32; 2]>,
    /// Touch-down and lift-off of the toes, and of a paw or hoof. `None` if they do not stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toe_secs: Option<[f32; 2]>,
    pub slide_mm: f64,
    pub source_slide_mm: f64,
    /// The largest error of the foot between samples, against the curves of the file. `None` if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_mm: Option<f64>,
    pub rate_mm_s: f64,
    pub shimmer_mm: f64,
    pub float_mm: f64,
    pub sink_mm: f64,
    pub verdict: Verdict,
}

/// Seam and bone lengths, compared with the raw clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LoopRow {
    pub looping: bool,
    pub seam_pop_mm: f64,
    pub seam_velocity_mm_s: f64,
    pub bone_length_mm: f64,
}

impl JudgedRow {
    /// The row of an error, for a clip of that sample rate.
    pub(super) fn new(rig: &Rig, judged: &Judged, recipe: &Recipe, rate_hz: f64) -> Self {
        Self {
            by: judged.aspect,
            verdict: judged.verdict,
            error_mm: millimetres(judged.error_m),
            warn_mm: millimetres(judged.warn_m),
            fail_mm: judged.fail_m.map(millimetres),
            worst: WorstRow { joint: rig.skeleton.name(judged.joint).into(), time_secs: judged.time_secs },
            reason: Reason::of(judged, recipe, rate_hz),
        }
    }
}

impl TriedRow {
    pub(super) fn new(row: &CandidateRow, raw_bytes: usize) -> Self {
        let result = match &row.state {
            CandidateState::Measured(figures) => TriedResult::Measured {
                bytes: figures.bytes,
                ratio: raw_bytes as f32 / figures.bytes as f32,
                max_mm: millimetres(figures.max_error_m),
                within: figures.within,
                slide_mm: figures.slide_m.map(millimetres),
                encode_ms: figures.encode_secs.map(|secs| shifted(secs, 3)),
            },
            CandidateState::Larger(bytes_at_least) => TriedResult::Larger { bytes_at_least: *bytes_at_least },
            CandidateState::Failed(reason) => TriedResult::Failed { error: reason.clone() },
            CandidateState::Waiting | CandidateState::Running => TriedResult::Failed { error: "not finished".into() },
        };
        Self { candidate: row.candidate.line.clone(), winner: row.is_winner, result }
    }
}

impl LargestRow {
    pub(super) fn new(rig: &Rig, Worst { joint, time_secs, error_m }: Worst) -> Self {
        Self { max_mm: millimetres(error_m), worst: WorstRow { joint: rig.skeleton.name(joint).into(), time_secs } }
    }
}

impl RootRow {
    pub(super) fn new(rig: &Rig, root: &RootDrift) -> Self {
        Self {
            joint: rig.skeleton.name(root.joint).into(),
            way_m: shifted(root.way_m, 0),
            drift_mm: millimetres(root.drift_m),
            turn_degrees: shifted(root.turn_rad.to_degrees(), 0),
            speed_mm_s: millimetres(root.speed_m_s),
        }
    }
}

impl ErrorRow {
    pub(super) fn new(rig: &Rig, report: &ErrorReport, recipe: &Recipe) -> Self {
        let stats = &report.samples.stats;
        Self {
            tolerance_mm: millimetres(report.tolerance_m),
            shell_mm: millimetres(recipe.shell_m),
            shell_from_mesh: recipe.shell_from_mesh,
            max_mm: millimetres(stats.max_m),
            p99_mm: millimetres(stats.p99_m),
            rms_mm: millimetres(stats.rms_m),
            mean_mm: millimetres(stats.mean_m),
            joint_mean_mm: millimetres(report.samples.largest_mean_m()),
            worst: WorstRow::new(rig, &report.samples),
            promise: recipe.promise().option().key,
            within: report.within(),
        }
    }
}

impl FloatRow {
    pub(super) fn new(rig: &Rig, clip: &Clip, report: &ErrorReport) -> Option<Self> {
        let FloatError { max, track, time_secs, .. } = report.floats;
        let track = rig.float_names.get(track).cloned().unwrap_or_default();
        let reason = Reason::of_weights(&report.floats, &rig.float_names);
        (clip.float_tracks() > 0).then(|| Self { max, track, time_secs, same: report.floats.is_same(), reason })
    }
}

impl VertexRow {
    pub(super) fn new(rig: &Rig, report: &VertexReport) -> Self {
        let worst = &report.worst;
        Self {
            max_mm: millimetres(report.stats.max_m),
            p99_mm: millimetres(report.stats.p99_m),
            worst: VertexWorstRow {
                mesh: rig.meshes.get(worst.mesh).map(|m| m.name.clone()).unwrap_or_default(),
                vertex: worst.vertex,
                joint: rig.skeleton.name(worst.joint).into(),
                time_secs: worst.time_secs,
            },
        }
    }
}

impl LockRow {
    pub(super) fn new(lock: &ContactLock) -> Self {
        let ContactLock { contacts, pins, tightened, left, limit_m, before_m, extra_bytes, .. } = *lock;
        Self {
            contacts,
            pins,
            tightened,
            left,
            limit_mm: millimetres(limit_m),
            before_mm: millimetres(before_m),
            extra_bytes,
        }
    }
}

impl SlideRow {
    pub(super) fn new(rig: &Rig, slide: &SlideReport) -> Self {
        let part = |index: usize, part: FootPart| {
            let contact = slide.plan.contacts.get(index)?;
            contact
                .part_span(slide.plan.feet.get(contact.foot)?, part)
                .map(|(start_secs, end_secs)| [start_secs, end_secs])
        };
        let contacts = slide.contacts.iter().enumerate().map(|(index, p)| ContactRow {
            heel_secs: part(index, FootPart::Heel),
            toe_secs: part(index, FootPart::Toe),
            joint: rig.skeleton.name(p.joint).into(),
            start_secs: p.start_secs,
            end_secs: p.end_secs,
            slide_mm: millimetres(p.slide_m),
            source_slide_mm: millimetres(p.source_m),
            sampling_mm: p.sampling_m.map(millimetres),
            rate_mm_s: millimetres(p.rate_m_s),
            shimmer_mm: millimetres(p.shimmer_m),
            float_mm: millimetres(p.float_m),
            sink_mm: millimetres(p.sink_m),
            verdict: p.verdict,
        });
        let worst_slide_mm = slide.worst_slide_m().map(millimetres);
        Self { contacts: contacts.collect(), worst_slide_mm, why: None, lock: None }
    }
}

impl LoopRow {
    pub(super) fn new(report: &ErrorReport) -> Self {
        let motion = &report.motion;
        Self {
            looping: motion.looping,
            seam_pop_mm: millimetres(motion.seam_pop_m),
            seam_velocity_mm_s: millimetres(motion.seam_velocity_m_s),
            bone_length_mm: millimetres(motion.bone_length_m),
        }
    }
}
