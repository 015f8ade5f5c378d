//! SARIF 2.1.0 of a library.

use super::annotations::{Fault, FaultKind, Judged};
use posepress_core::text;
use serde_json::{Value, json};
use std::fmt::Write;

/// Most results of a SARIF file that GitHub reads.
const MOST_RESULTS: usize = 5000;

/// The worst faults as results. A notification has the number of the others.
pub fn sarif(judged: &Judged<'_>) -> Value {
    let rule = |kind: FaultKind| {
        let (id, words) = kind.words();
        json!({ "id": id, "shortDescription": { "text": words } })
    };
    let results: Vec<Value> = judged.faults.iter().take(MOST_RESULTS).map(result).collect();
    let driver = json!({
        "name": "posepress",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": FaultKind::ALL.map(rule),
    });
    let mut run = json!({ "tool": { "driver": driver }, "results": results });
    let more = judged.faults.len() - results.len();
    if more > 0 {
        let words = format!(
            "The {} worst are here. {} left out: posepress-batch.json has all",
            results.len(),
            text::count(more, "result")
        );
        let notification = json!({ "level": "warning", "message": { "text": words } });
        run["invocations"] = json!([{ "executionSuccessful": true, "toolExecutionNotifications": [notification] }]);
    }
    json!({ "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run] })
}

fn result(fault: &Fault) -> Value {
    let level = if fault.kind == FaultKind::Limit { "warning" } else { "error" };
    let mut result = json!({
        "ruleId": fault.kind.words().0,
        "level": level,
        "message": { "text": format!("{}: {}", fault.title, fault.words) },
    });
    if !fault.source.is_empty() {
        let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&fault.source) } } });
        result["locations"] = json!([location]);
    }
    result
}

/// A path as a reference of RFC 3986. All but letters, digits and `/-._~` is escaped, also the `:` that would end a scheme.
fn uri(path: &str) -> String {
    let mut out = match path.as_bytes() {
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => format!("file:///{}:", *drive as char),
        [b'/', ..] => "file://".to_owned(),
        _ => String::new(),
    };
    let rest = if out.ends_with(':') { &path[2..] } else { path };
    for byte in rest.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(byte as char),
            byte if byte.is_ascii_alphanumeric() => out.push(byte as char),
            byte => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::batch::{Gate, Manifest, ManifestRow};

    #[test]
    fn a_path_of_any_letters_is_a_reference() {
        for (path, expected) in [
            ("lib/a-b_c.1~/walk.glb", "lib/a-b_c.1~/walk.glb"),
            ("take 1#2?|\"%.glb", "take%201%232%3F%7C%22%25.glb"),
            ("H\u{fc}fte\n\u{1b}[.glb", "H%C3%BCfte%0A%1B%5B.glb"),
            ("a:b.glb", "a%3Ab.glb"),
            ("/net/lib/a.glb", "file:///net/lib/a.glb"),
            ("C:/lib/a b.glb", "file:///C:/lib/a%20b.glb"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }

    #[test]
    fn results_that_are_left_out_are_counted() {
        let row = |at: usize| ManifestRow {
            source: format!("{at}.glb"),
            error: Some("torn".into()),
            ..ManifestRow::default()
        };
        let of = |rows: usize| {
            let manifest = Manifest::of((0..rows).map(row).collect());
            sarif(&Judged::new(&manifest, &Gate::default(), Vec::new()))["runs"][0].clone()
        };
        assert!(of(MOST_RESULTS)["invocations"].is_null());
        let run = of(MOST_RESULTS + 3);
        assert_eq!(run["results"].as_array().unwrap().len(), MOST_RESULTS);
        let words = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
        assert!(words.starts_with("The 5000 worst are here. 3 results left out"), "{words}");
    }
}
