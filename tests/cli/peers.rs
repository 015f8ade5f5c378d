//! The checked rows of `docs/compare.md`: other tools compress the bundled sample, and Posepress measures the result.

use crate::project::{project, sample};
use crate::support::Bench;
use serde_json::Value;
use std::process::Command;

/// A row: tool, command, bytes, largest error in mm.
struct Row {
    command: String,
    bytes: u64,
    error_mm: f64,
}

fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(project("docs/compare.md")).unwrap();
    let section = page.split("\n## ").find(|section| section.starts_with("Checked on the sample")).unwrap();
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = section.lines().filter(|line| line.starts_with('|') && line.contains('`')).map(|row| {
        let cells = cells(row);
        Row {
            command: cells[1].trim_matches('`').to_owned(),
            bytes: cells[2].replace(',', "").parse().unwrap(),
            error_mm: cells[3].strip_suffix(" mm").unwrap().parse().unwrap(),
        }
    });
    rows.collect()
}

/// Runs the command of a row, and returns bytes and error of the clip.
fn measured(bench: &Bench, command: &str) -> (u64, f64) {
    let readers = project("tests/readers");
    let (tool, line) = command.split_once(' ').unwrap();
    let script = match tool {
        "posepress" => {
            let run = bench.run(&format!("{line} --json"));
            assert_eq!(run.status, 0, "{command}: {}", run.messages);
            return figures(&run.out);
        }
        "gltfpack" => readers.join("node_modules/gltfpack/cli.js"),
        "gltf-transform" => readers.join("resample.mjs"),
        other => panic!("{other}: how is it run?"),
    };
    let words = line.split_whitespace().filter(|word| *word != "resample");
    let output = Command::new("node").arg(script).args(words).current_dir(bench.path("")).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    figures(&bench.run("compare sample.glb packed.glb --clip walk --json").out)
}

fn figures(json: &str) -> (u64, f64) {
    let json: Value = serde_json::from_str(json).unwrap();
    let clip = &json["clips"][0];
    (clip["bytes"].as_u64().unwrap(), clip["error"]["max_mm"].as_f64().unwrap())
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_of_the_comparison_find_the_figures_of_its_checked_rows() {
    let bench = Bench::new();
    bench.write("sample.glb", &std::fs::read(sample()).unwrap());
    let rows = rows();
    assert!(rows.len() >= 6, "{} rows", rows.len());
    for row in rows {
        let (bytes, error_mm) = measured(&bench, &row.command);
        assert_eq!(bytes, row.bytes, "{}", row.command);
        assert!((error_mm - row.error_mm).abs() < 0.0006, "{}: {error_mm} mm", row.command);
    }
}
