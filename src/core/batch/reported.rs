//! Results in either of the two files that have them: a manifest of `batch`, or the JSON of `report`.

use super::{ClipNumbers, Manifest, ManifestError, ManifestRow};
use crate::metrics::{Aspect, Verdict};
use crate::report::{DecidedFigures, REPORT_SCHEMA};
use serde::Deserialize;
use std::collections::HashMap;

/// The keys of `report --json` that a comparison needs.
#[derive(Debug, Deserialize)]
struct Reported {
    schema: u32,
    clips: Vec<ReportedClip>,
}

#[derive(Debug, Deserialize)]
struct ReportedClip {
    source: String,
    clip: String,
    codec: String,
    joints: usize,
    samples: usize,
    duration_secs: f32,
    raw_bytes: u64,
    bytes: u64,
    error: ReportedError,
    sub_frame_error: Largest,
    verdict: Verdict,
    source_verdict: Verdict,
    judged: Vec<ReportedAspect>,
}

#[derive(Debug, Deserialize)]
struct ReportedError {
    tolerance_mm: f64,
    max_mm: f64,
    within: bool,
}

#[derive(Debug, Deserialize)]
struct Largest {
    max_mm: f64,
}

#[derive(Debug, Deserialize)]
struct ReportedAspect {
    by: Aspect,
    error_mm: f64,
}

impl Manifest {
    /// Reads a manifest, or the output of `posepress report --json` as one without keys and outputs.
    ///
    /// # Errors
    /// See [`ManifestError`].
    pub fn read_results(text: &str) -> Result<Self, ManifestError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| ManifestError::Results(error.to_string()))?;
        match (value.get("rows"), value.get("clips")) {
            (Some(_), _) => Self::read(text),
            (None, Some(_)) => Self::of_report(value),
            (None, None) => Err(ManifestError::Results("it has neither 'rows' nor 'clips'".into())),
        }
    }

    fn of_report(value: serde_json::Value) -> Result<Self, ManifestError> {
        let Reported { schema, clips } =
            serde_json::from_value(value).map_err(|error| ManifestError::Results(error.to_string()))?;
        if schema != REPORT_SCHEMA {
            return Err(ManifestError::Schema(schema));
        }
        let mut uses: HashMap<(String, String), usize> = HashMap::new();
        clips.iter().for_each(|clip| *uses.entry((clip.source.clone(), clip.clip.clone())).or_default() += 1);
        let row = |reported: ReportedClip| {
            let place = (reported.source.clone(), reported.clip.clone());
            // A clip with several recipes has a row for each.
            let clip = if uses[&place] > 1 { format!("{}, {}", place.1, reported.codec) } else { place.1 };
            ManifestRow { source: place.0, clip, numbers: Some(reported.numbers()), ..ManifestRow::default() }
        };
        Ok(Self::of(clips.into_iter().map(row).collect()))
    }
}

impl ReportedClip {
    fn numbers(self) -> ClipNumbers {
        let of = |aspect: Aspect| self.judged.iter().find(|row| row.by == aspect).map(|row| row.error_mm);
        let figures = DecidedFigures {
            bytes: self.bytes,
            error_mm: self.error.max_mm,
            skin_mm: of(Aspect::Skin),
            slide_mm: of(Aspect::Slide),
        };
        ClipNumbers {
            jitter_mm: of(Aspect::Jitter),
            codec: self.codec,
            joints: self.joints,
            samples: self.samples,
            duration_secs: self.duration_secs,
            raw_bytes: self.raw_bytes,
            figures,
            tolerance_mm: self.error.tolerance_mm,
            between_mm: self.sub_frame_error.max_mm,
            verdict: self.verdict,
            source_verdict: self.source_verdict,
            passes: self.error.within && self.verdict.max(self.source_verdict) < Verdict::Fail,
            words: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::row;
    use super::super::{MANIFEST_SCHEMA, ManifestDiff};
    use super::*;
    use crate::report::ClipReport;
    use serde_json::json;

    #[test]
    fn a_report_has_the_numbers_of_its_manifest() {
        let report = ClipReport { source: "a".into(), clip: "walk".into(), bytes: 7, ..ClipReport::default() };
        let text = json!({ "schema": REPORT_SCHEMA, "clips": [report] }).to_string();
        let read = Manifest::read_results(&text).unwrap();
        let of_batch = ManifestRow { source: "a".into(), clip: "walk".into(), ..row("a", "walk", 7, 0.0) };
        let of_batch = ManifestRow { numbers: Some(ClipNumbers::of(&report)), ..of_batch };
        let manifest = Manifest::of(vec![of_batch]);
        assert_eq!(ManifestDiff::between(&read, &manifest).changes, []);
        assert_eq!(Manifest::read_results(&manifest.to_text()), Ok(manifest));
        let twice = json!({ "schema": REPORT_SCHEMA, "clips": [report, report] }).to_string();
        assert_eq!(Manifest::read_results(&twice).unwrap().rows[0].clip, "walk, ");
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["{", "[]", "{}", "{\"clips\":[{}],\"schema\":1}"] {
            assert!(matches!(Manifest::read_results(text), Err(ManifestError::Results(_))), "{text}");
        }
        let newer = format!("{{\"rows\":[],\"schema\":{}}}", MANIFEST_SCHEMA + 1);
        assert!(matches!(Manifest::read_results(&newer), Err(ManifestError::Schema(_))));
    }
}
