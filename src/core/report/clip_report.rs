use crate::codecs::{CompensationResult, LOSSLESS, Section, Stage};
use crate::export::ExportRecipes;
use crate::metrics::{Aspect, ErrorReport, Verdict};
use crate::pipeline::{Encoding, FilePart, Made, MeasuredClip, Outcome, StoredClip, archive_to_write};
use crate::recipe::Recipe;
use crate::report::rows::LargestRow;
use crate::report::{
    ChangedRecipe, ErrorRow, ExactRow, ExternalRow, FloatRow, JudgedRow, LockRow, LoopRow, OverrideRow, RootRow,
    SlideRow, StepRow, SubFrameRow, TriedRow, VertexRow, WorstRow,
};
use crate::report::{PinRow, PixelRow, Reason, TierRow, Why, worst_moment};
use crate::text::{duration, length, millimetres, ratio, shifted};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Version of the JSON that [`ClipReport`] serialises to. It rises when a key changes its meaning.
pub const REPORT_SCHEMA: u32 = 1;

/// Largest number of values in [`ClipReport::peaks_mm`]. Lists draw no finer curve.
pub const PEAKS: usize = 48;

/// Everything measured for one clip and recipe, in the form that files and programs read: lengths in millimetres, joints by name.
///
/// Numbers keep the decimal digits of the measured f32.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ClipReport {
    /// Name of the file, as the user gave it.
    pub source: String,
    /// Name of the clip.
    pub clip: String,
    /// Name of the codec. For an external result, the name of its file.
    pub codec: String,
    /// Settings that differ from the codec's defaults.
    pub recipe: ChangedRecipe,
    /// Number of joints of the rig.
    pub joints: usize,
    /// The external result, if one was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalRow>,
    /// Number of samples of the clip.
    pub samples: usize,
    /// Sample rate, samples per second.
    pub rate_hz: f64,
    /// Time of the last sample.
    pub duration_secs: f32,
    /// 40 bytes per joint and sample, plus 4 per float track and sample.
    pub raw_bytes: usize,
    /// Size of the clip.
    pub bytes: usize,
    /// Size of a container with only this clip and its rig. 0 for an external result.
    pub file_bytes: usize,
    /// Entry of the clip in a container. `None` for an external result.
    #[serde(skip)]
    pub stored: Option<StoredClip>,
    /// Memory of an opened clip: its bytes and the tables made at opening, without the cursors of players. 0 for an external result.
    pub resident_bytes: usize,
    /// `raw_bytes / bytes`.
    pub ratio: f32,
    /// `bytes` split by use. Empty if only the size is known.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub bytes_by: Vec<(Section, u64)>,
    /// For each number of bits per component (32 is float32), the number of tracks of segments that have it. Empty for codecs with one
    /// format.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bit_rates: BTreeMap<u32, u64>,
    /// Chosen lattice steps and the bits they cost. Empty for codecs without lattices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRow>,
    /// Size of the clip after each stage of the encoder, bytes. Empty for codecs with one stage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// Result of compensation. `None` if the recipe has no compensation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensation: Option<CompensationResult>,
    /// The base of an additive clip. The clip was measured as a sum with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_to: Option<String>,
    /// Moving tracks, and the number of them without loss.
    pub exact_tracks: ExactRow,
    /// Shell error at the samples.
    pub error: ErrorRow,
    /// Shell error at the steps between samples.
    pub sub_frame_error: SubFrameRow,
    /// Error of morph weights and other float tracks. `None` for clips without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float_error: Option<FloatRow>,
    /// Error on the skin. `None` without a mesh.
    pub vertex_error: Option<VertexRow>,
    /// Jitter. `None` if the sample rate is too low for it.
    pub jitter: Option<LargestRow>,
    /// Drift of the root after 100 rounds. `None` for clips that are no loops with root motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<RootRow>,
    /// Error from sampling the file's curves.
    pub sampling: Option<LargestRow>,
    /// Contacts of feet.
    pub slide: SlideRow,
    /// Pins, marked and offered. Empty if nothing is pinned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinRow>,
    /// Seam and roughness.
    #[serde(rename = "loop")]
    pub motion: LoopRow,
    /// Cost of each override of the recipe. Filled on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<OverrideRow>,
    /// The clip with and without each of its tiers. Filled on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierRow>,
    /// Encoding time. `None` if nothing was encoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encode_ms: Option<f64>,
    /// Mean time to decode one pose during sequential playback.
    pub decode_ns_per_pose: f64,
    /// The verdict on the compression.
    pub verdict: Verdict,
    /// The verdict on the source, which covers the loss before compression.
    pub source_verdict: Verdict,
    /// The errors that decide the verdict, with their limits.
    pub judged: Vec<JudgedRow>,
    /// The joint and time of the largest error: on the skin if measured, else on the shell. `None` without error.
    pub worst_moment: Option<WorstRow>,
    /// Largest shell error in each of at most [`PEAKS`] equal parts of the clip, millimetres. Lists draw it as a curve.
    #[serde(skip)]
    pub peaks_mm: Vec<f32>,
    /// The errors in pixels, if a screen was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels: Option<PixelRow>,
    /// The causes of the largest shell error. `None` without error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Candidates of a search. Empty without a search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<TriedRow>,
}

impl ClipReport {
    /// The largest error of an aspect, millimetres. If joints have their own tolerances, the error that decides the verdict may be smaller.
    pub fn largest_mm(&self, judged: &JudgedRow) -> f64 {
        let largest_mm = match judged.by {
            Aspect::Shell => self.error.max_mm,
            Aspect::Between => self.sub_frame_error.max_mm,
            _ => judged.error_mm,
        };
        largest_mm.max(judged.error_mm)
    }

    /// Builds the report of an outcome. `source` is the name of the clip's file. For an external result, the codec is the name of its file.
    pub fn new(source: &str, clip_name: &str, measured: &MeasuredClip, outcome: &Outcome) -> Self {
        let (rig, clip) = (measured.rig.as_ref(), measured.clip.as_ref());
        let report = Self {
            codec: outcome.recipe.codec.name().into(),
            recipe: ChangedRecipe(outcome.recipe.clone()),
            bytes: outcome.bytes(),
            ratio: outcome.ratio(clip),
            why: why_worst(measured, outcome),
            ..Self::measured(source, clip_name, measured, &outcome.recipe, &outcome.report)
        };
        let archive = || archive_to_write(rig, &[(clip_name, outcome)], ExportRecipes::Kept);
        match &outcome.made {
            Made::Elsewhere(external) => {
                Self { codec: external.file.to_string(), external: Some(ExternalRow::of(external)), ..report }
            }
            Made::Here(Encoding { encoded, opened, encode_secs, decode_secs_per_pose, candidates, lock, .. }) => Self {
                file_bytes: archive().len(),
                stored: StoredClip::of(outcome, archive().rig_len()),
                resident_bytes: opened.resident_bytes(),
                bytes_by: encoded.ledger.section_bytes(),
                bit_rates: encoded.ledger.bit_rates(),
                steps: encoded.ledger.lattice_rows().iter().map(|row| StepRow::new(row, &rig.skeleton)).collect(),
                stages: encoded.ledger.stages().to_vec(),
                compensation: Some(encoded.compensation).filter(|c| *c != CompensationResult::default()),
                exact_tracks: ExactRow { stored_exactly: outcome.is_stored_exactly(), ..report.exact_tracks },
                slide: SlideRow { lock: lock.as_ref().map(LockRow::new), ..report.slide },
                encode_ms: encode_secs.map(|secs| shifted(secs, 3)),
                decode_ns_per_pose: shifted(*decode_secs_per_pose, 9),
                candidates: candidates.iter().map(|row| TriedRow::new(row, clip.raw_bytes())).collect(),
                ..report
            },
        }
    }

    /// The clip as a part of containers. `None` for an external result.
    pub fn file_part<'a>(
        &'a self,
        file: usize,
        float_names: &'a [String],
        recipes: ExportRecipes,
    ) -> Option<FilePart<'a>> {
        let stored = self.stored.as_ref()?;
        let clip = stored.listed(&self.clip, self.bytes, recipes.are_kept());
        Some(FilePart { file, rig_bytes: stored.rig_bytes, float_names, clip })
    }

    /// The parts that do not depend on how the outcome was made.
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
            added_to: clip.base().map(|base| base.of().to_string()),
            exact_tracks: ExactRow {
                animated: report.exact.animated,
                exact: report.exact.exact,
                exact_secs: report.exact.exact_intervals as f64 / clip.grid().rate_hz(),
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
            jitter: report.jitter.map(|worst| LargestRow::new(rig, worst)),
            root: report.root.as_ref().map(|root| RootRow::new(rig, root)),
            sampling: report.sampling.map(|sampling| LargestRow::new(rig, sampling.into())),
            slide: SlideRow::new(rig, &report.slide),
            pins: report.pins.pins.iter().map(|pin| PinRow::new(rig, pin)).collect(),
            motion: LoopRow::new(report),
            verdict: report.verdict(),
            source_verdict: report.source_verdict(),
            judged: report.judged().iter().map(|of| JudgedRow::new(rig, of, recipe, clip.grid().rate_hz())).collect(),
            worst_moment,
            peaks_mm: peaks_mm(&report.per_step),
            ..Self::default()
        }
    }

    /// The errors that are not good.
    pub fn flags(&self) -> impl Iterator<Item = &JudgedRow> {
        self.judged.iter().filter(|judged| judged.verdict > Verdict::Good)
    }

    /// Reasons for verdicts that are not good. Morph weights come first, then the errors by verdict, worst first. Errors of the source come
    /// last.
    pub fn reasons(&self) -> Vec<&Reason> {
        let mut wrong: Vec<&JudgedRow> = self.flags().collect();
        wrong.sort_by_key(|judged| (judged.by.is_of_source(), std::cmp::Reverse(judged.verdict)));
        let weights = self.float_error.iter().filter_map(|row| row.reason.as_ref());
        weights.chain(wrong.into_iter().filter_map(|judged| judged.reason.as_ref())).collect()
    }

    /// The verdict in words: each problem with its number and limit, the worst first. "good" if there is none.
    pub fn verdict_words(&self) -> String {
        let weights = self.float_error.iter().filter_map(|row| row.reason.as_ref()).map(Reason::words);
        let errors = Some(self.words_of(|aspect| !aspect.is_of_source())).filter(|words| !words.is_empty());
        match weights.chain(errors).collect::<Vec<_>>().join("; ") {
            words if !words.is_empty() => words,
            _ if self.exact_tracks.stored_exactly => "good, lossless".into(),
            _ => Aspect::Shell.complaint(Verdict::Good).into(),
        }
    }

    /// The verdict on the source in words. Empty if it is good.
    pub fn source_words(&self) -> String {
        self.words_of(Aspect::is_of_source)
    }

    fn words_of(&self, counts: impl Fn(Aspect) -> bool) -> String {
        let mut wrong: Vec<&JudgedRow> = self.flags().filter(|judged| counts(judged.by)).collect();
        wrong.sort_by_key(|judged| std::cmp::Reverse(judged.verdict));
        let words = wrong.iter().filter_map(|judged| judged.reason.as_ref()).map(Reason::words);
        words.collect::<Vec<_>>().join("; ")
    }

    /// A warning about a codec that lost nothing, in all of the clip or in parts of it. `None` if it lost something everywhere.
    pub fn stored_exactly_words(&self) -> Option<String> {
        let ExactRow { animated, stored_exactly, .. } = self.exact_tracks;
        let which = if stored_exactly {
            format!("{} ({}) is stored without loss: all {animated} moving tracks", self.clip, self.codec)
        } else {
            let [exact, whole] = self.exact_time()?;
            format!(
                "{} ({}) is stored without loss for {exact} of {whole}: there all moving tracks",
                self.clip, self.codec
            )
        };
        Some(format!(
            "{which} are the float32 of the source, at {}. The codec may have found nothing coarser within {}. For a smaller file, raise \
              the tolerance or set the right unit of the source",
            ratio(self.ratio),
            length((self.error.tolerance_mm / 1000.0) as f32),
        ))
    }

    /// Duration without loss, and the clip's duration. `None` if there is no such time or if it is the whole clip. Also `None` for a
    /// lossless codec and for an external result.
    pub fn exact_time(&self) -> Option<[String; 2]> {
        let ExactRow { exact_secs, stored_exactly, .. } = self.exact_tracks;
        let is_part = exact_secs > 0.0 && !stored_exactly && self.external.is_none() && self.codec != LOSSLESS.name();
        is_part.then(|| [duration(exact_secs as f32), duration(self.duration_secs)])
    }

    /// True if the clip keeps its tolerance and neither compression nor source fails.
    pub fn passes(&self) -> bool {
        self.error.within && self.verdict.max(self.source_verdict) < Verdict::Fail
    }
}

fn peaks_mm(per_step_m: &[f32]) -> Vec<f32> {
    let parts = per_step_m.len().min(PEAKS);
    let from = |part: usize| part * per_step_m.len() / parts;
    let largest = |part: usize| per_step_m[from(part)..from(part + 1)].iter().copied().fold(0.0, f32::max);
    (0..parts).map(|part| largest(part) * 1000.0).collect()
}

/// The causes of the largest shell error.
fn why_worst(measured: &MeasuredClip, outcome: &Outcome) -> Option<Why> {
    let worst = outcome.report.samples.worst;
    let step = (measured.raw.grid().sample_at(worst.time_secs) * measured.raw.sub_frames() as f64).round() as usize;
    (worst.error_m > 0.0).then(|| Why::find(measured, outcome, worst.joint, step)).flatten()
}

fn as_map<S: Serializer>(sections: &[(Section, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(sections.iter().map(|(section, bytes)| (section.name(), bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_peak_is_lost_in_a_line_for_lists() {
        for steps in [0, 1, 7, 48, 49, 1000] {
            let per_step_m: Vec<f32> = (0..steps).map(|step| ((step * 37) % 101) as f32 / 1000.0).collect();
            let peaks = peaks_mm(&per_step_m);
            assert_eq!(peaks.len(), steps.min(PEAKS));
            let largest = |all: &[f32]| all.iter().copied().fold(0.0, f32::max);
            assert!((largest(&peaks) - largest(&per_step_m) * 1000.0).abs() < 1e-4, "{steps}");
            for (step, error_m) in per_step_m.iter().enumerate() {
                let part = step * peaks.len() / steps;
                let at = peaks[part].max(peaks[(part + 1).min(peaks.len() - 1)]); // parts begin at whole steps
                assert!(at >= error_m * 1000.0 - 1e-4, "{step} of {steps}");
            }
        }
    }
}
