//! JUnit XML of a library.

use super::annotations::{Fault, FaultKind, Judged};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The faults of each test of a suite, by its name.
type Suite<'a> = BTreeMap<&'a str, Vec<&'a Fault>>;

/// JUnit XML: a suite per file with a test per clip, and one for the library with a test per limit. Limits are failures, rows without a
/// result are errors.
pub fn junit(judged: &Judged<'_>) -> String {
    let mut suites: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
    let tests = judged.manifest.rows.iter().map(|row| (&*row.source, &*row.clip));
    for (source, name) in tests.chain(judged.limits.iter().map(|limit| ("", *limit))) {
        suites.entry(source).or_default().entry(name).or_default();
    }
    for fault in &judged.faults {
        suites.entry(&fault.source).or_default().entry(&fault.name).or_default().push(fault);
    }
    let tests = suites.values().map(Suite::len).sum();
    let counts = counts(tests, judged.faults.iter());
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"posepress batch\" {counts}>\n");
    suites.iter().for_each(|(source, tests)| suite(&mut out, source, tests));
    out + "</testsuites>\n"
}

fn counts<'a>(tests: usize, faults: impl Iterator<Item = &'a Fault>) -> String {
    let (errors, failures): (Vec<_>, Vec<_>) = faults.partition(|fault| fault.kind == FaultKind::NoResult);
    format!("tests=\"{tests}\" failures=\"{}\" errors=\"{}\"", failures.len(), errors.len())
}

fn suite(out: &mut String, source: &str, tests: &Suite<'_>) {
    let name = if source.is_empty() { "library".into() } else { xml(source) };
    let counts = counts(tests.len(), tests.values().flatten().copied());
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
    for (test, faults) in tests {
        let test = if test.is_empty() { "(file)".into() } else { xml(test) };
        let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"{test}\">");
        for fault in faults {
            let tag = if fault.kind == FaultKind::NoResult { "error" } else { "failure" };
            let (kind, words) = (fault.kind.words().0, xml(&fault.words));
            let _ = writeln!(out, "      <{tag} type=\"{kind}\" message=\"{words}\"/>");
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n");
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

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::batch::{Gate, Manifest, ManifestRow, Unmet};

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
        let unmet = |row| Unmet { place: place(row), key: "slide", words: "too far".into(), ratio: 2.0 };
        let judged = Judged::new(&manifest, &Gate::default(), sound.map(unmet).collect());
        assert_eq!(judged.faults.len(), ROWS);
        let junit = junit(&judged);
        assert!(junit.contains("tests=\"60000\" failures=\"30000\" errors=\"30000\""));
        assert!(junit.contains("name=\"lib/599.glb\" tests=\"100\" failures=\"50\" errors=\"50\""));
        let test = "name=\"clip00001\">\n      <failure type=\"gate\" message=\"too far\"/>\n    </testcase>";
        assert!(junit.contains(test));
    }

    #[test]
    fn a_limit_of_the_library_is_a_test_also_if_it_is_kept() {
        let manifest = Manifest::of(Vec::new());
        let unmet = Unmet { place: None, key: "total", words: "too large".into(), ratio: 2.0 };
        let gate = Gate::parse("total=1KB,growth=5%").unwrap();
        let junit = junit(&Judged::new(&manifest, &gate, vec![unmet]));
        for words in [
            "<testsuite name=\"library\" tests=\"2\" failures=\"1\" errors=\"0\">",
            "<testcase classname=\"library\" name=\"growth\">\n    </testcase>",
            "name=\"total\">\n      <failure type=\"gate\" message=\"too large\"/>\n    </testcase>",
        ] {
            assert!(junit.contains(words), "{words}: {junit}");
        }
    }

    #[test]
    fn two_errors_of_a_file_are_one_test() {
        let row = |why: &str| ManifestRow { source: "a.glb".into(), error: Some(why.into()), ..ManifestRow::default() };
        let manifest = Manifest::of(vec![row("one clip is lost"), row("another one too")]);
        let junit = junit(&Judged::new(&manifest, &Gate::default(), Vec::new()));
        assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"2\"") && junit.matches("<error ").count() == 2);
    }
}
