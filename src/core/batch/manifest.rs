use super::{BudgetRow, ClipNumbers};
use crate::store::{ResultKey, Subject};
use crate::text;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Name of the manifest in the output folder.
pub const MANIFEST_NAME: &str = "posepress-batch.json";

/// Version of the manifest.
pub const MANIFEST_SCHEMA: u32 = 1;

/// The results of a run over a library. The same library, rules and program give the same bytes, in any order of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`MANIFEST_SCHEMA`].
    pub schema: u32,
    /// Sums over all rows.
    pub totals: Totals,
    /// The budgets of `posepress.toml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<BudgetRow>,
    /// One row per clip, and one per file without clips that fails, by file and clip.
    pub rows: Vec<ManifestRow>,
}

/// A clip, or a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestRow {
    /// Path of its file, as the run was given it.
    pub source: String,
    /// Name of the clip. Empty for a whole file.
    pub clip: String,
    /// Key of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ResultKey>,
    /// Digest of what the clip is. Another recipe or program does not change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Path of the container with the clip, below the output folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Paths of the files with the clip in other formats, below the output folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
    /// Errors of those files that are over a limit of the recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<String>,
    /// Numbers of the compressed clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<ClipNumbers>,
    /// Why the result of an earlier run was kept. Key, output and numbers are those of that result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Sums over the rows of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Clips with a result.
    pub clips: usize,
    /// Clips that are over a limit of their recipe, also in a file of another format.
    pub over_limits: usize,
    /// Rows without a result.
    pub failed: usize,
    /// Clips whose earlier result was kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kept: usize,
    /// Size of the clips without compression, bytes.
    pub raw_bytes: u64,
    /// Size of the clips, bytes.
    pub bytes: u64,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Why a text is not a manifest.
#[derive(Debug, Error, PartialEq)]
pub enum ManifestError {
    /// It is not the JSON of a manifest.
    #[error("not a manifest of 'posepress batch': {0}")]
    Json(String),
    /// It is neither a manifest nor a report.
    #[error("neither a manifest of 'posepress batch' nor the output of 'posepress report --json': {0}")]
    Results(String),
    /// It has another version.
    #[error("the manifest has version {0}; this program reads version {MANIFEST_SCHEMA}")]
    Schema(u32),
}

impl Manifest {
    /// A manifest of these rows. It sorts them.
    pub fn of(mut rows: Vec<ManifestRow>) -> Self {
        rows.sort_by(|a, b| a.place().cmp(&b.place()).then_with(|| a.error.cmp(&b.error)));
        let mut totals = Totals::default();
        for row in &rows {
            let Some(numbers) = &row.numbers else { continue };
            totals.clips += 1;
            totals.over_limits += usize::from(!numbers.passes || !row.played.is_empty());
            totals.raw_bytes += numbers.raw_bytes;
            totals.bytes += numbers.figures.bytes;
        }
        totals.kept = rows.iter().filter(|row| row.kept.is_some()).count();
        totals.failed = rows.iter().filter(|row| row.error.is_some()).count();
        Self { schema: MANIFEST_SCHEMA, totals, budgets: Vec::new(), rows }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// See [`ManifestError`].
    pub fn read(text: &str) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let wrong = |error: serde_json::Error| ManifestError::Json(error.to_string());
        match serde_json::from_str::<Version>(text).map_err(wrong)?.schema {
            MANIFEST_SCHEMA => serde_json::from_str(text).map_err(wrong),
            other => Err(ManifestError::Schema(other)),
        }
    }

    /// The first row of a clip.
    pub fn row(&self, source: &str, clip: &str) -> Option<&ManifestRow> {
        let at = self.rows.partition_point(|row| row.place() < (source, clip));
        self.rows.get(at).filter(|row| row.place() == (source, clip))
    }

    /// The text of the manifest, which ends with a line end.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest is plain data") + "\n"
    }
}

impl ManifestRow {
    /// File and clip, by which rows are sorted and found.
    pub fn place(&self) -> (&str, &str) {
        (&self.source, &self.clip)
    }

    /// All files with the clip, below the output folder.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.output.iter().chain(&self.exports).map(String::as_str)
    }

    /// File and clip as people read them: `walk.glb#Walk`.
    pub fn title(&self) -> String {
        let source = text::escaped(&self.source);
        if self.clip.is_empty() { source } else { format!("{source}#{}", self.clip) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metrics::Verdict;
    use crate::report::DecidedFigures;

    /// A row with a size and a largest error.
    pub(in crate::batch) fn row(source: &str, clip: &str, bytes: u64, error_mm: f64) -> ManifestRow {
        let figures = DecidedFigures { bytes, error_mm, skin_mm: None, slide_mm: None };
        let numbers = ClipNumbers {
            codec: "press".into(),
            joints: 3,
            samples: 31,
            duration_secs: 1.0,
            raw_bytes: 3720,
            figures,
            tolerance_mm: 0.1,
            between_mm: error_mm,
            jitter_mm: None,
            verdict: Verdict::Good,
            source_verdict: Verdict::Good,
            passes: true,
            words: "good".into(),
        };
        ManifestRow { source: source.into(), clip: clip.into(), numbers: Some(numbers), ..ManifestRow::default() }
    }

    #[test]
    fn rows_are_sorted_and_added_up_whatever_their_order() {
        let failed = ManifestRow { source: "b".into(), error: Some("torn".into()), ..ManifestRow::default() };
        let rows = [row("c", "x", 5, 0.1), failed, row("a", "z", 10, 0.1), row("a", "y", 20, 0.1)];
        let (mut turned, manifest) = (rows.to_vec(), Manifest::of(rows.to_vec()));
        turned.reverse();
        assert_eq!(Manifest::of(turned).to_text(), manifest.to_text());
        assert_eq!((manifest.totals.clips, manifest.totals.bytes, manifest.totals.failed), (3, 35, 1));
        let titles: Vec<_> = manifest.rows.iter().map(ManifestRow::title).collect();
        assert_eq!(titles, ["a#y", "a#z", "b", "c#x"]);
        assert_eq!(manifest.row("c", "x"), manifest.rows.last());
        assert_eq!((manifest.row("a", "x"), manifest.row("d", "")), (None, None));
        assert_eq!(Manifest::read(&manifest.to_text()), Ok(manifest));
    }

    #[test]
    fn other_files_and_other_versions_are_refused() {
        assert!(matches!(Manifest::read("{}"), Err(ManifestError::Json(_))));
        assert_eq!(Manifest::read("{\"schema\":2,\"new\":1}"), Err(ManifestError::Schema(2)));
        assert!(matches!(Manifest::read("{\"schema\":1}"), Err(ManifestError::Json(_))));
    }
}
