use super::{MeasuredClip, Outcome, Recipe, archive, worst_moment};
use crate::codecs::{CandidateRow, CandidateState, CompensationMethod, CompensationResult, Section, Stage};
use crate::metrics::{Aspect, ContactReport, ErrorReport, FloatError, Judged, ShellReport, Verdict, VertexReport};
use crate::model::{Clip, Rig, SamplingError};
use crate::settings::Settings;
use crate::text::{length, millimetres, ratio, shifted};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Version of the JSON that [`ClipReport`] serialises to; raised when a key changes its meaning.
pub const REPORT_SCHEMA: u32 = 1;

/// Everything measured of one clip and recipe, as files and programs read it: lengths in millimetres, joints by name.
///
/// Numbers keep the decimal digits of the f32 that was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ClipReport {
    /// The file as it was named.
    pub source: String,
    /// Clip.
    pub clip: String,
    /// Codec.
    pub codec: String,
    /// What differs from that codec's defaults.
    pub recipe: ChangedRecipe,
    /// Joints of the rig.
    pub joints: usize,
    /// What another tool made of the clip, if that is what was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignRow>,
    /// Samples of the clip.
    pub samples: usize,
    /// Samples a second.
    pub rate_hz: f64,
    /// Time of the last sample.
    pub duration_secs: f32,
    /// 40 bytes a joint and sample.
    pub raw_bytes: usize,
    /// All that belongs to the clip.
    pub bytes: usize,
    /// Of an archive that holds this clip alone, rig included.
    pub file_bytes: usize,
    /// What stays in memory of an opened clip: its bytes and what opening worked out. A player takes its cursor besides.
    pub resident_bytes: usize,
    /// `raw_bytes / bytes`.
    pub ratio: f32,
    /// `bytes` by what they are spent on; empty where only the bytes are known.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub bytes_by: Vec<(Section, u64)>,
    /// How many tracks of segments take each number of bits a component (32 is float32); empty for codecs of fixed formats.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bit_rates: BTreeMap<u32, u64>,
    /// What each step of the encoder left of the clip, in bytes; empty for codecs of one step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// What became of the compensation, where the recipe asks for one or the bytes hold one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensation: Option<CompensationResult>,
    /// Tracks that move, and those of them that lose nothing.
    pub exact_tracks: ExactRow,
    /// Shell error at the samples.
    pub error: ErrorRow,
    /// Shell error at the steps between samples.
    pub sub_frame_error: SubFrameRow,
    /// Morph weights and other scalars; `None` for clips without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float_error: Option<FloatRow>,
    /// Error on the skin, without a mesh `None`.
    pub vertex_error: Option<VertexRow>,
    /// What the samples lost against the curves of the file.
    pub sampling: Option<SamplingRow>,
    /// Feet.
    pub contacts: ContactsRow,
    /// Seam and roughness.
    #[serde(rename = "loop")]
    pub motion: LoopRow,
    /// Time of the encoder; `None` where nothing was encoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encode_ms: Option<f64>,
    /// Time to decode one pose, mean over the clip, played forward.
    pub decode_ns_per_pose: f64,
    /// Of everything that is judged together.
    pub verdict: Verdict,
    /// What makes the verdict, with the limits.
    pub judged: Vec<JudgedRow>,
    /// The worst moment: on the skin, else at the shell; `None` without error.
    pub worst_moment: Option<WorstRow>,
    /// What was tried; empty for codecs that try nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<TriedRow>,
}

/// What another tool made of a clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ForeignRow {
    /// Its file.
    pub file: String,
    /// The clip's name there.
    pub clip: String,
    /// Samples there.
    pub samples: usize,
    /// Samples a second there.
    pub rate_hz: f64,
    /// Its time where the source begins.
    pub offset_secs: f64,
    /// What its file spends on it: keys and times.
    pub bytes: u64,
}

/// One of the errors that make a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct JudgedRow {
    pub by: Aspect,
    pub verdict: Verdict,
    pub error_mm: f64,
    pub warn_mm: f64,
    /// Nothing for what never fails.
    pub fail_mm: Option<f64>,
    #[serde(flatten)]
    pub worst: WorstRow,
}

/// One candidate that was tried: figures, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct TriedRow {
    /// As a list of candidates says it.
    pub candidate: String,
    pub winner: bool,
    #[serde(flatten)]
    pub result: TriedResult,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)] // named by its keys
pub enum TriedResult {
    Measured { bytes: usize, ratio: f32, max_mm: f64, within: bool, slide_mm: Option<f64>, encode_ms: f64 },
    Failed { error: String },
}

/// What of a recipe differs from the defaults of its codec: serialises to a map under the keys of a recipe file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangedRecipe(Recipe);

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

/// Tracks that move, and those of them that decode to the very numbers of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct ExactRow {
    pub animated: usize,
    pub exact: usize,
    /// Nothing is lost, though the codec is there to lose something.
    pub stored_exactly: bool,
}

/// How far morph weights and other scalars are off, in their own units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct FloatRow {
    pub max: f32,
    pub track: String,
    pub time_secs: f32,
    /// Nobody could see a difference.
    pub same: bool,
}

/// Where and when.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct WorstRow {
    pub joint: String,
    pub time_secs: f32,
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
    pub worst: WorstRow,
    pub within: bool,
}

/// Shell error at the steps between samples, where a curve can ring: zero with one step a sample.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct SubFrameRow {
    /// Measured steps a sample.
    pub per_sample: usize,
    pub max_mm: f64,
    pub worst: WorstRow,
}

/// What the samples lost against the curves of the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct SamplingRow {
    pub max_mm: f64,
    pub worst: WorstRow,
}

/// Error on the skin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct VertexRow {
    pub max_mm: f64,
    pub p99_mm: f64,
    pub worst: VertexWorstRow,
}

/// The vertex of the largest error and the joint that contributes most to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct VertexWorstRow {
    pub mesh: String,
    pub vertex: usize,
    pub joint: String,
    pub time_secs: f32,
}

/// All plants of a clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct ContactsRow {
    pub plants: Vec<PlantRow>,
    /// `None` without plants.
    pub worst_slide_mm: Option<f64>,
}

/// One plant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct PlantRow {
    pub joint: String,
    pub start_secs: f32,
    pub end_secs: f32,
    pub slide_mm: f64,
    pub rate_mm_s: f64,
    pub shimmer_mm: f64,
    pub float_mm: f64,
    pub sink_mm: f64,
    pub verdict: Verdict,
}

/// Seam and roughness, each beyond what the raw clip has.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LoopRow {
    pub looping: bool,
    pub seam_pop_mm: f64,
    pub seam_velocity_mm_s: f64,
    pub jitter_ratio: f32,
    pub bone_length_mm: f64,
}

impl ClipReport {
    /// The report of an outcome; `source` names the file it came from.
    pub fn new(source: &str, clip_name: &str, measured: &MeasuredClip, outcome: &Outcome) -> Self {
        let (rig, clip) = (measured.rig.as_ref(), measured.clip.as_ref());
        let report = Self::measured(source, clip_name, measured, &outcome.recipe, &outcome.report);
        Self {
            codec: outcome.recipe.codec.name().into(),
            recipe: ChangedRecipe(outcome.recipe.clone()),
            bytes: outcome.bytes(),
            file_bytes: archive::archive_bytes(rig, &[(clip_name, outcome)]),
            resident_bytes: outcome.opened.resident_bytes(),
            ratio: outcome.ratio(clip),
            bytes_by: outcome.encoded.ledger.section_bytes(),
            bit_rates: outcome.encoded.ledger.bit_rates(),
            stages: outcome.encoded.ledger.stages().to_vec(),
            compensation: Some(outcome.encoded.compensation).filter(|c| c.asked != CompensationMethod::None),
            exact_tracks: ExactRow { stored_exactly: outcome.is_stored_exactly(), ..report.exact_tracks },
            encode_ms: Some(shifted(outcome.encode_secs, 3)),
            decode_ns_per_pose: shifted(outcome.decode_secs_per_pose, 9),
            candidates: outcome.candidates.iter().map(|row| TriedRow::new(row, clip.raw_bytes())).collect(),
            ..report
        }
    }

    /// The report of what another tool made of a clip; where a codec's name would stand, stands its file's.
    pub fn of_foreign(
        source: &str,
        clip_name: &str,
        measured: &MeasuredClip,
        foreign: ForeignRow,
        recipe: &Recipe,
        report: &ErrorReport,
    ) -> Self {
        Self {
            codec: foreign.file.clone(),
            recipe: ChangedRecipe(recipe.clone()),
            bytes: foreign.bytes as usize,
            ratio: measured.clip.raw_bytes() as f32 / foreign.bytes.max(1) as f32,
            foreign: Some(foreign),
            ..Self::measured(source, clip_name, measured, recipe, report)
        }
    }

    /// All that does not depend on how it was made.
    fn measured(source: &str, clip_name: &str, measured: &MeasuredClip, recipe: &Recipe, report: &ErrorReport) -> Self {
        let (rig, clip) = (measured.rig.as_ref(), measured.clip.as_ref());
        let worst_moment = worst_moment(report).and_then(|worst| {
            let (joint, step) = worst.moment()?;
            Some(WorstRow { joint: rig.skeleton.name(joint).into(), time_secs: measured.raw.time_secs(step) })
        });
        Self {
            source: source.into(),
            clip: clip_name.into(),
            joints: clip.joints(),
            samples: clip.samples(),
            rate_hz: clip.grid().rate_hz(),
            duration_secs: clip.duration_secs(),
            raw_bytes: clip.raw_bytes(),
            exact_tracks: ExactRow {
                animated: report.exact.animated,
                exact: report.exact.exact,
                stored_exactly: false,
            },
            error: ErrorRow::new(rig, report, recipe),
            sub_frame_error: SubFrameRow {
                per_sample: report.sub_frames,
                max_mm: millimetres(report.between.stats.max_m),
                worst: WorstRow::new(rig, &report.between),
            },
            float_error: FloatRow::new(rig, clip, report),
            vertex_error: report.vertex.as_ref().map(|v| VertexRow::new(rig, v)),
            sampling: report.sampling.map(|sampling| SamplingRow::new(rig, sampling)),
            contacts: ContactsRow::new(rig, &report.contacts),
            motion: LoopRow::new(report),
            verdict: report.verdict(),
            judged: report.judged().iter().map(|judged| JudgedRow::new(rig, judged)).collect(),
            worst_moment,
            ..Self::default()
        }
    }

    /// The verdict in words that say what is wrong, the worst first.
    pub fn verdict_words(&self) -> String {
        let mut wrong: Vec<&JudgedRow> = self.judged.iter().filter(|j| j.verdict > Verdict::Good).collect();
        wrong.sort_by_key(|judged| std::cmp::Reverse(judged.verdict));
        match wrong.as_slice() {
            _ if !self.has_its_weights() => "other morph weights".into(),
            [] if self.exact_tracks.stored_exactly => "good, nothing lost".into(),
            [] => Aspect::Shell.complaint(Verdict::Good).into(),
            wrong => wrong.iter().map(|j| j.by.complaint(j.verdict)).collect::<Vec<_>>().join(", "),
        }
    }

    /// What to make of a codec that lost nothing; `None` where it lost something.
    pub fn stored_exactly_words(&self) -> Option<String> {
        let ExactRow { animated, stored_exactly, .. } = self.exact_tracks;
        stored_exactly.then(|| {
            format!(
                "nothing lost, {} of {}: all {animated} moving tracks decode to the float32 of the source, at {}. Where \
                 nothing coarser was found within {}, a larger tolerance or the right unit of the source makes it smaller",
                self.clip,
                self.codec,
                ratio(self.ratio),
                length((self.error.tolerance_mm / 1000.0) as f32),
            )
        })
    }

    /// True when morph weights and other scalars are those of the source.
    pub fn has_its_weights(&self) -> bool {
        self.float_error.as_ref().is_none_or(|row| row.same)
    }

    /// True when the clip keeps its tolerance and nothing fails.
    pub fn passes(&self) -> bool {
        self.error.within && self.verdict < Verdict::Fail
    }
}

impl JudgedRow {
    fn new(rig: &Rig, judged: &Judged) -> Self {
        Self {
            by: judged.aspect,
            verdict: judged.verdict,
            error_mm: millimetres(judged.error_m),
            warn_mm: millimetres(judged.warn_m),
            fail_mm: judged.fail_m.map(millimetres),
            worst: WorstRow { joint: rig.skeleton.name(judged.joint).into(), time_secs: judged.time_secs },
        }
    }
}

impl TriedRow {
    fn new(row: &CandidateRow, raw_bytes: usize) -> Self {
        let result = match &row.state {
            CandidateState::Measured(figures) => TriedResult::Measured {
                bytes: figures.bytes,
                ratio: raw_bytes as f32 / figures.bytes as f32,
                max_mm: millimetres(figures.max_error_m),
                within: figures.within,
                slide_mm: figures.slide_m.map(millimetres),
                encode_ms: shifted(figures.encode_secs, 3),
            },
            CandidateState::Failed(reason) => TriedResult::Failed { error: reason.clone() },
            CandidateState::Waiting | CandidateState::Running => TriedResult::Failed { error: "not finished".into() },
        };
        Self { candidate: row.candidate.line.clone(), winner: row.is_winner, result }
    }
}

impl SamplingRow {
    fn new(rig: &Rig, sampling: SamplingError) -> Self {
        let SamplingError { error_m, joint, time_secs } = sampling;
        Self { max_mm: millimetres(error_m), worst: WorstRow { joint: rig.skeleton.name(joint).into(), time_secs } }
    }
}

impl WorstRow {
    fn new(rig: &Rig, shell: &ShellReport) -> Self {
        Self { joint: rig.skeleton.name(shell.worst.joint).into(), time_secs: shell.worst.time_secs }
    }
}

impl ErrorRow {
    fn new(rig: &Rig, report: &ErrorReport, recipe: &Recipe) -> Self {
        let stats = &report.samples.stats;
        Self {
            tolerance_mm: millimetres(report.tolerance_m),
            shell_mm: millimetres(recipe.shell_m),
            shell_from_mesh: recipe.shell_from_mesh,
            max_mm: millimetres(stats.max_m),
            p99_mm: millimetres(stats.p99_m),
            rms_mm: millimetres(stats.rms_m),
            mean_mm: millimetres(stats.mean_m),
            worst: WorstRow::new(rig, &report.samples),
            within: report.within(),
        }
    }
}

impl FloatRow {
    fn new(rig: &Rig, clip: &Clip, report: &ErrorReport) -> Option<Self> {
        let FloatError { max, track, time_secs } = report.floats;
        let track = rig.float_names.get(track).cloned().unwrap_or_default();
        (clip.float_tracks() > 0).then(|| Self { max, track, time_secs, same: report.floats.is_same() })
    }
}

impl VertexRow {
    fn new(rig: &Rig, report: &VertexReport) -> Self {
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

impl ContactsRow {
    fn new(rig: &Rig, contacts: &ContactReport) -> Self {
        let plants = contacts.plants.iter().map(|p| PlantRow {
            joint: rig.skeleton.name(p.joint).into(),
            start_secs: p.start_secs,
            end_secs: p.end_secs,
            slide_mm: millimetres(p.slide_m),
            rate_mm_s: millimetres(p.rate_m_s),
            shimmer_mm: millimetres(p.shimmer_m),
            float_mm: millimetres(p.float_m),
            sink_mm: millimetres(p.sink_m),
            verdict: p.verdict,
        });
        Self { plants: plants.collect(), worst_slide_mm: contacts.worst_slide_m().map(millimetres) }
    }
}

impl LoopRow {
    fn new(report: &ErrorReport) -> Self {
        let motion = &report.motion;
        Self {
            looping: motion.looping,
            seam_pop_mm: millimetres(motion.seam_pop_m),
            seam_velocity_mm_s: millimetres(motion.seam_velocity_m_s),
            jitter_ratio: motion.jitter_ratio,
            bone_length_mm: millimetres(motion.bone_length_m),
        }
    }
}

fn as_map<S: Serializer>(sections: &[(Section, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(sections.iter().map(|(section, bytes)| (section.name(), bytes)))
}
