//! Faults of a library, and the formats of tools that collect faults: JUnit, SARIF, GitHub.

use posepress_core::batch::{Manifest, ManifestRow, Unmet};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most annotations that GitHub shows of one step.
const MOST_ANNOTATIONS: usize = 10;
/// Most results of a SARIF file that GitHub reads.
const MOST_RESULTS: usize = 5000;

/// A clip, a file or a library that is not as it must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// File and clip, or `library`.
    pub title: String,
    /// The file. Empty for the library.
    pub source: String,
    /// The kind.
    pub kind: FaultKind,
    /// The fault in words.
    pub words: String,
    /// The largest error, millimetres, by which faults are sorted.
    error_mm: f64,
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
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NoResult => ("no-result", "A file or clip could not be compressed"),
            Self::Gate => ("gate", "A limit of the library is not kept"),
            Self::Limit => ("over-limit", "A clip is over a limit of its recipe"),
        }
    }

    const ALL: [Self; 3] = [Self::NoResult, Self::Gate, Self::Limit];
}

/// A manifest and its faults, worst first.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The faults.
    pub faults: Vec<Fault>,
}

impl<'a> Judged<'a> {
    /// The faults of a manifest: rows without a result, limits of the gate, limits of recipes.
    pub fn new(manifest: &'a Manifest, unmet: Vec<Unmet>) -> Self {
        let mut faults: Vec<Fault> = manifest.rows.iter().flat_map(of_row).collect();
        faults.extend(unmet.into_iter().map(|unmet| of_gate(manifest, unmet)));
        faults.sort_by(|a, b| {
            let by_error = a.kind.cmp(&b.kind).then_with(|| b.error_mm.total_cmp(&a.error_mm));
            by_error.then_with(|| a.title.cmp(&b.title))
        });
        Self { manifest, faults }
    }

    /// JUnit XML: a suite per file, a test per clip. Limits are failures, rows without a result are errors.
    pub fn junit(&self) -> String {
        let mut suites: BTreeMap<&str, Vec<&ManifestRow>> = BTreeMap::new();
        self.manifest.rows.iter().for_each(|row| suites.entry(&row.source).or_default().push(row));
        let mut by_source: BTreeMap<&str, Vec<&Fault>> = BTreeMap::new();
        self.faults.iter().for_each(|fault| by_source.entry(&fault.source).or_default().push(fault));
        let (failures, errors) = counts(self.faults.iter());
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"posepress batch\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\">\n",
            self.manifest.rows.len(),
        );
        for (source, rows) in suites {
            let faults = by_source.remove(source).unwrap_or_default();
            let (failures, errors) = counts(faults.iter().copied());
            let name = xml(source);
            let _ = writeln!(
                out,
                "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\">",
                rows.len()
            );
            let mut by_title: BTreeMap<&str, Vec<&Fault>> = BTreeMap::new();
            faults.into_iter().for_each(|fault| by_title.entry(&fault.title).or_default().push(fault));
            for row in rows {
                test(&mut out, row, by_title.get(&*row.title()).map_or(&[], Vec::as_slice));
            }
            out.push_str("  </testsuite>\n");
        }
        out + "</testsuites>\n"
    }

    /// SARIF 2.1.0.
    pub fn sarif(&self) -> Value {
        let rule = |kind: FaultKind| {
            let (id, words) = kind.words();
            json!({ "id": id, "shortDescription": { "text": words } })
        };
        let result = |fault: &Fault| {
            let level = if fault.kind == FaultKind::Limit { "warning" } else { "error" };
            let mut result = json!({
                "ruleId": fault.kind.words().0,
                "level": level,
                "message": { "text": format!("{}: {}", fault.title, fault.words) },
            });
            if !fault.source.is_empty() {
                let uri = fault.source.replace('%', "%25").replace(' ', "%20");
                result["locations"] = json!([{ "physicalLocation": { "artifactLocation": { "uri": uri } } }]);
            }
            result
        };
        let results: Vec<Value> = self.faults.iter().take(MOST_RESULTS).map(result).collect();
        let driver = json!({
            "name": "posepress",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": FaultKind::ALL.map(rule),
        });
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{ "tool": { "driver": driver }, "results": results }],
        })
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

/// Numbers of failures and of errors.
fn counts<'a>(faults: impl Iterator<Item = &'a Fault>) -> (usize, usize) {
    let (errors, failures): (Vec<_>, Vec<_>) = faults.partition(|fault| fault.kind == FaultKind::NoResult);
    (failures.len(), errors.len())
}

/// A test of JUnit XML with its faults.
fn test(out: &mut String, row: &ManifestRow, faults: &[&Fault]) {
    let name = if row.clip.is_empty() { "(file)" } else { &row.clip };
    let _ = writeln!(out, "    <testcase classname=\"{}\" name=\"{}\">", xml(&row.source), xml(name));
    for fault in faults {
        let tag = if fault.kind == FaultKind::NoResult { "error" } else { "failure" };
        let (kind, words) = (fault.kind.words().0, xml(&fault.words));
        let _ = writeln!(out, "      <{tag} type=\"{kind}\" message=\"{words}\"/>");
    }
    out.push_str("    </testcase>\n");
}

fn of_row(row: &ManifestRow) -> Vec<Fault> {
    let fault = |kind, words: &String| {
        let (title, source) = (row.title(), row.source.clone());
        Fault { title, source, kind, words: words.clone(), error_mm: error_mm(row) }
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
    let (title, source) = match row {
        Some(row) => (row.title(), row.source.clone()),
        None => ("library".to_owned(), String::new()),
    };
    // Limits of the whole library come before those of clips.
    let error_mm = row.map_or(f64::INFINITY, error_mm);
    Fault { title, source, kind: FaultKind::Gate, words: unmet.words, error_mm }
}

fn error_mm(row: &ManifestRow) -> f64 {
    row.numbers.as_ref().map_or(0.0, |numbers| numbers.figures.error_mm)
}

/// Text of an XML attribute. Control characters, which XML cannot hold, become spaces.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Text of an annotation.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text of an annotation's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Far too many rows for a search through all faults per row.
    #[test]
    fn a_large_library_with_a_fault_per_clip_is_a_table_at_once() {
        const ROWS: usize = 60_000;
        let row = |at: usize| ManifestRow {
            source: format!("lib/{:03}.glb", at / 100),
            clip: format!("clip{at:05}"),
            error: at.is_multiple_of(2).then(|| "torn".into()),
            ..ManifestRow::default()
        };
        let manifest = Manifest::of((0..ROWS).map(row).collect());
        let place = |row: &ManifestRow| Some((row.source.clone(), row.clip.clone()));
        let sound = manifest.rows.iter().filter(|row| row.error.is_none());
        let unmet = sound.map(|row| Unmet { place: place(row), key: "slide", words: "too far".into() }).collect();
        let judged = Judged::new(&manifest, unmet);
        assert_eq!(judged.faults.len(), ROWS);
        let junit = judged.junit();
        assert!(junit.contains("tests=\"60000\" failures=\"30000\" errors=\"30000\""));
        assert!(junit.contains("name=\"lib/599.glb\" tests=\"100\" failures=\"50\" errors=\"50\""));
        let test = "name=\"clip00001\">\n      <failure type=\"gate\" message=\"too far\"/>\n    </testcase>";
        assert!(junit.contains(test));
    }
}
