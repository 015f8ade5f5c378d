//! `posepress measure`: tables of a folder with the same numbers as `report`, and the project's pages that quote them.

use crate::project::project;
use crate::support::Bench;
use serde_json::Value;

/// A corpus of two sets, one of them in centimetres, and a reference of one of its three clips.
fn corpus() -> Bench {
    let bench = Bench::with_sources();
    for folder in ["corpus/legs", "corpus/chains", "reference"] {
        std::fs::create_dir_all(bench.path(folder)).unwrap();
    }
    for (from, to) in [("biped.gltf", "legs"), ("biped.bin", "legs"), ("chain.bvh", "chains")] {
        bench.write(&format!("corpus/{to}/{from}"), &bench.read(from));
    }
    let heads = "clip,acl_bindpose_bytes_0.1mm,acl_bindpose_max_error_mm,acl_bindpose_bytes_1mm";
    bench.write("reference/acl_baseline.csv", format!("{heads}\nlegs/biped.gltf#Walk,1000,0.2,500\n").as_bytes());
    let heads = "clip,bytes_0.1mm,mean_0.1mm,worst_joint_mean_0.1mm";
    bench.write("reference/acl_mean_errors.csv", format!("{heads}\nlegs/biped.gltf#Walk,1000,0.02,0.05\n").as_bytes());
    bench
}

fn text(bench: &Bench, file: &str) -> String {
    String::from_utf8(bench.read(file)).unwrap()
}

/// The cells of a codec's row in the section of a tolerance.
fn cells(page: &str, tolerance: &str, codec: &str) -> Vec<String> {
    let is_part = |part: &&str| {
        tolerance.is_empty()
            || part.lines().next().is_some_and(|head| head == tolerance || head == format!("{tolerance} mm"))
    };
    let part = page.split("\n## ").skip(1).find(is_part);
    let part = part.unwrap_or_else(|| panic!("no {tolerance} mm in {page}"));
    let row = part.lines().find(|line| line.starts_with(&format!("| `{codec}` |")));
    let row = row.unwrap_or_else(|| panic!("no {codec} in {part}"));
    row.trim_matches(['|', ' ']).split(" | ").map(str::to_owned).collect()
}

/// A number with grouped digits.
fn number(cell: &str) -> u64 {
    let digits: String = cell.chars().take_while(|c| *c != ' ').filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number: {cell}"))
}

#[test]
fn tables_of_any_folder_have_the_figures_of_report() {
    let bench = corpus();
    let line =
        "measure corpus -o out/tables --set-unit chains=cm --codec quantize --codec linear-keys --tolerances-mm 0.1,1";
    bench.ok(&format!("{line} --reference reference"));
    let (sizes, legs, chains) = (
        text(&bench, "out/tables/sizes.md"),
        text(&bench, "out/tables/set-legs.md"),
        text(&bench, "out/tables/set-chains.md"),
    );
    for page in [&sizes, &legs, &chains] {
        assert!(page.contains(&format!("\nposepress {line} --reference reference\n")), "{page}");
    }
    for (tolerance, acl) in [("0.1", 1000.0), ("1", 500.0)] {
        for codec in ["quantize", "linear-keys"] {
            let report = |file: &str, more: &str| -> Vec<Value> {
                let run = bench.run(&format!("report {file} --codec {codec} --tolerance-mm {tolerance} --json {more}"));
                serde_json::from_str::<Value>(&run.out).unwrap()["clips"].as_array().unwrap().clone()
            };
            let bytes = |clips: &[Value]| clips.iter().map(|clip| clip["bytes"].as_u64().unwrap()).sum::<u64>();
            let (biped, chain) = (report("biped.gltf", ""), report("chain.bvh", "--unit cm"));
            let row = cells(&sizes, tolerance, codec);
            assert_eq!((number(&row[1]), number(&row[2])), (bytes(&chain), bytes(&biped)), "sets by name: {row:?}");
            let walk = biped.iter().find(|clip| clip["clip"] == "Walk").unwrap()["bytes"].as_f64().unwrap();
            assert!(row[2].ends_with(&format!(" ({:.2} of 1 clip)", walk / acl)), "{row:?}");
            assert!(!row[1].contains('('), "chains have no reference: {row:?}");
            let detail = cells(&legs, tolerance, codec);
            let over = biped.iter().filter(|clip| clip["error"]["within"] == false).count() as u64;
            assert_eq!((number(&detail[1]), number(&detail[6])), (bytes(&biped), over));
            let memory: u64 = biped.iter().map(|clip| clip["resident_bytes"].as_u64().unwrap()).sum();
            assert_eq!(number(&detail[3]), memory);
            let of = |verdict: &str| biped.iter().filter(|clip| clip["verdict"] == verdict).count();
            assert_eq!(detail[9], format!("{} / {} / {}", of("good"), of("warn"), of("fail")));
            let worst = biped.iter().map(|clip| clip["error"]["max_mm"].as_f64().unwrap()).fold(0.0, f64::max);
            let said: f64 = detail[4].trim_end_matches(" mm").parse().unwrap();
            assert!((said - worst).abs() <= 0.01 * worst, "{said} and {worst}");
        }
    }
    assert!(!chains.contains("ACL |"), "no column without figures: {chains}");
    other_tables(&bench, &sizes);
    equal_errors(&bench);
    equal_means(&bench);
}

/// Checks the page of equal errors: the walk at the reference's error, asked for 0.1 mm.
fn equal_errors(bench: &Bench) {
    let page = text(bench, "out/tables/equal-error.md");
    let report: Value = serde_json::from_str(
        &bench.run("report biped.gltf --codec linear-keys --tolerance-mm 0.2 --clip Walk --json").out,
    )
    .unwrap();
    let walk = &report["clips"][0];
    let bytes = walk["bytes"].as_u64().unwrap();
    let row = cells(&page, "legs, 1 clip, 0.1 mm asked of ACL", "linear-keys");
    assert_eq!((number(&row[1]), &row[3]), (bytes, &"0".into()), "{row:?}");
    assert!(row[1].ends_with(&format!("({:.2})", bytes as f64 / 1000.0)), "{row:?}");
    let (said, mean): (f64, f64) =
        (row[2].trim_end_matches(" mm").parse().unwrap(), walk["error"]["mean_mm"].as_f64().unwrap());
    assert!((said - mean).abs() <= 0.01 * mean, "{said} and {mean}");
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), 1, "codecs that promise: {page}");
}

/// Checks the page of equal means: the walk as large as the means allow.
fn equal_means(bench: &Bench) {
    let page = text(bench, "out/tables/equal-mean.md");
    let row = cells(&page, "legs, 1 clip, 0.1 mm asked of ACL", "linear-keys");
    let mean: f64 = row[2].trim_end_matches(" mm").parse().unwrap();
    assert!(mean > 0.005 && mean <= 0.02 && row[3] == "0", "{row:?}");
    let at = |tolerance: f64| -> Value {
        let line = format!("report biped.gltf --codec linear-keys --tolerance-mm {tolerance} --clip Walk --json");
        serde_json::from_str::<Value>(&bench.run(&line).out).unwrap()["clips"][0].clone()
    };
    let (finer, coarser) = (at(0.02), at(0.5));
    let bytes = |clip: &Value| clip["bytes"].as_u64().unwrap();
    assert!(coarser["error"]["mean_mm"].as_f64().unwrap() > 0.02, "{coarser}");
    assert!(bytes(&coarser) < number(&row[1]) && number(&row[1]) < bytes(&finer), "{row:?}");
}

/// Checks the pages of the middle tolerance: bytes with other shells, and speed on the longest clips.
fn other_tables(bench: &Bench, sizes: &str) {
    let (shells, speed) = (text(bench, "out/tables/shells.md"), text(bench, "out/tables/speed.md"));
    let rows = |page: &str| page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!((rows(&shells), rows(&speed)), (2, 4), "codecs that promise; all: {shells} {speed}");
    let row = cells(&shells, "legs, 2 clips, 1", "linear-keys");
    assert_eq!(number(&row[1]), number(&cells(sizes, "1", "linear-keys")[2]));
    assert!(number(&row[7]) > number(&row[1]), "a shell of a metre costs bytes: {row:?}");
    assert_eq!([&row[2], &row[3], &row[5], &row[6], &row[8], &row[9]], ["0"; 6], "{row:?}");
    let walk = cells(&speed, "", "quantize");
    // A busy machine may encode too slowly for a digit.
    assert!(walk[1..].iter().all(|cell| cell.parse::<f64>().is_ok_and(|n| n >= 0.0)), "{walk:?}");
}

#[test]
fn a_folder_without_subfolders_is_one_set_and_codecs_can_be_added() {
    let bench = corpus();
    let line = "measure corpus/legs -o out --codec quantize --also linear-keys:riot-order --tolerances-mm 0.5";
    let run = bench.run(line);
    assert!(run.status == 0 && run.out.is_empty() && run.messages.contains("measured 2/2"), "{}", run.messages);
    let page = text(&bench, "out/set-legs.md");
    assert_eq!(cells(&page, "0.5", "linear-keys:riot-order").len(), 10);
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), 2);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let bench = corpus();
    std::fs::create_dir(bench.path("empty")).unwrap();
    for (line, status, word) in [
        ("measure corpus -o out --sets arms", 2, "there are: chains, legs"),
        ("measure corpus -o out --set-unit arms=cm", 2, "there are: chains, legs"),
        ("measure corpus -o out --codec nothing", 2, "nothing"),
        ("measure corpus -o out --tolerances-mm 0", 2, "tolerance"),
        ("measure empty -o out", 1, "holds no file"),
        ("measure nowhere -o out", 1, "nowhere"),
        ("measure corpus -o out --reference corpus", 1, "acl_baseline.csv"),
    ] {
        let run = bench.run(line);
        assert!(run.status == status && run.messages.contains(word), "{line}: {} {}", run.status, run.messages);
        assert!(!bench.path("out").exists(), "{line}");
    }
    bench.write("corpus/legs/broken.bvh", b"HIERARCHY");
    let run = bench.run("measure corpus -o out --codec raw --tolerances-mm 1");
    assert!(run.status == 1 && run.messages.contains("broken.bvh"), "{}", run.messages);
    assert!(text(&bench, "out/sizes.md").contains("legs, 2 clips"), "the others are measured");
}

/// The book quotes the measured pages.
#[test]
fn the_book_has_the_figures_of_the_measured_table() {
    let read = |file: &str| std::fs::read_to_string(project(file)).unwrap();
    let (book, sizes) = (read("docs/book/src/reference/sizes.md"), read("docs/measured/sizes.md"));
    let rows: Vec<Vec<&str>> = book
        .lines()
        .filter(|line| line.starts_with("| `") && line.split(" | ").count() == 6)
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert!(rows.len() >= 10, "{} rows", rows.len());
    for row in rows {
        let codec = row[0].replace("`, `", " ").replace('`', "");
        if codec == "automatic" {
            continue; // it tries all others for minutes, and is tested elsewhere
        }
        let measured = cells(&sizes, "0.1", &codec);
        for (quoted, cell) in row[2..5].iter().zip(&measured[1..4]) {
            let ratio = |cell: &str| cell.split(' ').nth(1).map(str::to_owned);
            assert_eq!((number(quoted), ratio(quoted)), (number(cell), ratio(cell)), "{codec}");
        }
        assert_eq!(row[5], measured[4], "{codec}: clips over");
    }
}
