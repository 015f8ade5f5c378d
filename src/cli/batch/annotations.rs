//! Faults of a library, worst first, and the annotations of GitHub.

use posepress_core::batch::{ClipNumbers, Gate, Manifest, ManifestRow, Unmet};
use posepress_core::text;
use std::fmt::Write;

/// Most annotations that GitHub shows of one step.
const MOST_ANNOTATIONS: usize = 10;

/// A clip, a file or a library that is not as it must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// File and clip, or `library`.
    pub title: String,
    /// The file. Empty for the library.
    pub source: String,
    /// The clip, or the limit of the library. Empty for a file.
    pub name: String,
    /// The kind.
    pub kind: FaultKind,
    /// The fault in words.
    pub words: String,
    /// The largest error divided by its limit, by which faults are sorted.
    ratio: f64,
}

/// Kinds of faults, from the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// There is no result.
    NoResult,
    /// A limit of the gate is not kept.
    Gate,
    /// A limit of the recipe is not kept.
    Limit,
}

impl FaultKind {
    /// Identifier and description.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NoResult => ("no-result", "A file or clip could not be compressed"),
            Self::Gate => ("gate", "A limit of the library is not kept"),
            Self::Limit => ("over-limit", "A clip is over a limit of its recipe"),
        }
    }

    /// All kinds.
    pub const ALL: [Self; 3] = [Self::NoResult, Self::Gate, Self::Limit];
}

/// A manifest and its faults, worst first.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The limits of the library as a whole.
    pub limits: Vec<&'static str>,
    /// The faults.
    pub faults: Vec<Fault>,
}

impl<'a> Judged<'a> {
    /// The faults of a manifest: rows without a result, limits of the gate, limits of recipes.
    pub fn new(manifest: &'a Manifest, gate: &Gate, unmet: Vec<Unmet>) -> Self {
        let mut faults: Vec<Fault> = manifest.rows.iter().flat_map(of_row).collect();
        faults.extend(unmet.into_iter().map(|unmet| of_gate(manifest, unmet)));
        faults.sort_by(|a, b| {
            // Limits of the whole library come before those of clips.
            let by_kind = a.kind.cmp(&b.kind).then_with(|| b.source.is_empty().cmp(&a.source.is_empty()));
            by_kind.then_with(|| b.ratio.total_cmp(&a.ratio)).then_with(|| a.title.cmp(&b.title))
        });
        Self { manifest, limits: gate.of_library().collect(), faults }
    }

    /// True if there is a fault of a kind.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.faults.iter().any(|fault| fault.kind == kind)
    }

    /// Annotations of GitHub Actions, for the worst faults.
    pub fn github(&self) -> String {
        let mut out = String::new();
        let more = self.faults.len().saturating_sub(MOST_ANNOTATIONS);
        // The last place is for the number of the others.
        let shown = if more > 0 { MOST_ANNOTATIONS - 1 } else { MOST_ANNOTATIONS };
        for fault in self.faults.iter().take(shown) {
            let level = if fault.kind == FaultKind::Limit { "warning" } else { "error" };
            let file =
                if fault.source.is_empty() { String::new() } else { format!("file={},", property(&fault.source)) };
            let _ = writeln!(out, "::{level} {file}title={}::{}", property(&fault.title), data(&fault.words));
        }
        if more > 0 {
            let others = self.faults.len() - shown;
            let _ = writeln!(out, "::error title=posepress batch::and {others} more; posepress-batch.json has all");
        }
        out
    }
}

fn of_row(row: &ManifestRow) -> Vec<Fault> {
    let ratio = |numbers: &ClipNumbers| numbers.figures.error_mm / numbers.tolerance_mm;
    let fault = |kind, words: &String| Fault {
        title: row.title(),
        source: row.source.clone(),
        name: row.clip.clone(),
        kind,
        words: words.clone(),
        ratio: row.numbers.as_ref().map_or(0.0, ratio),
    };
    let own = match (&row.error, &row.numbers) {
        (Some(error), _) => Some(fault(FaultKind::NoResult, error)),
        (None, Some(numbers)) if !numbers.passes => Some(fault(FaultKind::Limit, &numbers.words)),
        _ => None,
    };
    own.into_iter().chain(row.played.iter().map(|words| fault(FaultKind::Limit, words))).collect()
}

fn of_gate(manifest: &Manifest, unmet: Unmet) -> Fault {
    let row = unmet.place.as_ref().and_then(|(source, clip)| manifest.row(source, clip));
    let (title, source, name) = match row {
        Some(row) => (row.title(), row.source.clone(), row.clip.clone()),
        None => ("library".to_owned(), String::new(), unmet.key.to_owned()),
    };
    Fault { title, source, name, kind: FaultKind::Gate, words: unmet.words, ratio: unmet.ratio }
}

/// Text of an annotation.
fn data(text: &str) -> String {
    text::escaped_lines(&text.replace('%', "%25").replace('\r', "%0D")).replace('\n', "%0A")
}

/// Text of an annotation's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clip_that_exceeds_its_limit_most_times_is_the_worst() {
        let row = |clip: &str| ManifestRow { source: "a.glb".into(), clip: clip.into(), ..ManifestRow::default() };
        let manifest = Manifest::of(["foot", "hand", "head"].map(row).to_vec());
        let unmet = |clip: &str, key, ratio| Unmet {
            place: Some(("a.glb".into(), clip.into())),
            key,
            words: key.into(),
            ratio,
        };
        let of_library = Unmet { place: None, key: "total", words: "too large".into(), ratio: 1.1 };
        let unmet = vec![
            unmet("foot", "max-error", 2.0),
            unmet("hand", "slide", 9.0),
            of_library,
            unmet("head", "jitter", 3.0),
        ];
        let judged = Judged::new(&manifest, &Gate::parse("total=1KB,slide=1mm").unwrap(), unmet);
        let names: Vec<&str> = judged.faults.iter().map(|fault| &*fault.name).collect();
        assert_eq!((names, &*judged.limits), (vec!["total", "hand", "head", "foot"], &["total"][..]));
        assert!(judged.github().starts_with("::error title=library::too large\n::error file=a.glb,title=a.glb#hand::"));
    }

    #[test]
    fn an_annotation_is_one_line_without_controls() {
        assert_eq!(property("a:\n\u{1b}[1m,%.glb"), "a%3A%0A\\u{1b}[1m%2C%25.glb");
    }
}
