//! `posepress batch`: when a baseline is read and written, and the files that a run refuses to write.

use crate::batch::{RECIPE, batch, library, worked};
use crate::support::Bench;

const MADE: &str = "lib -o out --baseline base.json --update-baseline";

/// A library with a baseline, and the bytes of the baseline.
fn with_baseline() -> (Bench, Vec<u8>) {
    let bench = library();
    assert_eq!(batch(&bench, MADE).status, 0);
    let baseline = bench.read("base.json");
    (bench, baseline)
}

#[test]
fn a_run_that_fails_leaves_the_baseline_as_it_is() {
    let (bench, baseline) = with_baseline();
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.04\n");
    let unmet = batch(&bench, &format!("{MADE} --gate max-error=0.000001mm"));
    assert!(
        unmet.status == 3 && unmet.messages.contains("base.json: the baseline is not updated, because a limit"),
        "{}",
        unmet.messages
    );
    bench.write("lib/torn.glb", b"glTF\x02\0\0\0");
    let failed = batch(&bench, MADE);
    assert!(
        failed.status == 1 && failed.messages.contains("not updated, because a row has no result"),
        "{}",
        failed.messages
    );
    assert!(bench.read("base.json") == baseline);
    std::fs::remove_file(bench.path("lib/torn.glb")).unwrap();
    assert_eq!(batch(&bench, MADE).status, 0);
    assert!(bench.read("base.json") != baseline && bench.read("base.json") == bench.read("out/posepress-batch.json"));
}

#[test]
fn a_baseline_that_cannot_be_written_is_refused_before_the_work() {
    let bench = library();
    for (file, status) in [("none/base.json", 1), ("out/posepress-batch.json", 2)] {
        let run = batch(&bench, &format!("lib -o out --baseline {file} --update-baseline"));
        assert!(run.status == status && worked(&run) == 0, "{file}: {} {}", run.status, run.messages);
        assert!(run.messages.contains(file), "{}", run.messages);
    }
    let nameless = batch(&bench, "lib -o out --update-baseline");
    assert!(nameless.status == 2 && nameless.messages.contains("--baseline FILE"), "{}", nameless.messages);
}

#[test]
fn a_limit_of_growth_is_about_whole_runs_and_the_rules_can_name_its_baseline() {
    let bench = library();
    bench.write("lib/posepress.toml", b"[gate]\ngrowth = \"5%\"\n");
    let without = batch(&bench, "lib -o out");
    assert!(
        without.status == 2 && worked(&without) == 0 && without.messages.contains("'baseline' in [gate]"),
        "{}",
        without.messages
    );
    assert_eq!(batch(&bench, "lib -o out --plan").status, 0);
    let part = batch(&bench, "lib -o out --part 1/1");
    assert_eq!((part.status, worked(&part)), (0, 3), "{}", part.messages);
    assert_eq!(batch(&bench, "lib -o out --merge").status, 2);
    bench.write("lib/posepress.toml", b"[gate]\ngrowth = \"5%\"\nbaseline = \"base.json\"\n");
    let missing = batch(&bench, "lib -o out --merge");
    assert!(missing.status == 1 && missing.messages.contains("--update-baseline makes it"), "{}", missing.messages);
    assert_eq!(batch(&bench, "lib -o out --merge --update-baseline").status, 0);
    let again = batch(&bench, "lib -o out");
    assert!(again.status == 0 && again.out.contains("0 clips changed since the baseline"), "{}", again.out);
    bench.write("other.json", b"{}");
    assert_eq!(batch(&bench, "lib -o out --baseline other.json").status, 1, "the option counts before the file");
}

#[test]
fn a_page_is_no_file_of_the_run() {
    let bench = library();
    bench.write("lib/posepress.toml", b"");
    for (page, why) in [
        ("out/posepress-batch.json", "the manifest of the run"),
        ("out/a/biped.posepress", "named as an output"),
        ("out/a/../chain.GLB", "named as an output"),
        ("out/.posepress-store/page.html", "a file of the store"),
        ("base.json", "the file with the baseline"),
        ("lib/posepress.toml", "posepress.toml"),
    ] {
        let run = batch(&bench, &format!("{MADE} --html {page}"));
        assert!(run.status == 2 && worked(&run) == 0, "{page}: {} {}", run.status, run.messages);
        assert!(run.messages.contains(why), "{page}: {}", run.messages);
    }
    assert_eq!(batch(&bench, &format!("{MADE} --html out/page.html")).status, 0);
}

#[test]
fn a_plan_and_a_share_refuse_what_is_about_the_result() {
    let bench = library();
    let plan = bench.json(&format!("batch lib -o out --plan --json {RECIPE}"));
    let claim = format!("--claim {}", plan["tasks"][0]["key"].as_str().unwrap());
    for share in ["--plan", "--part 1/1", &claim] {
        for option in [
            "--html page.html",
            "--junit",
            "--csv",
            "--sarif",
            "--github",
            "--markdown",
            "--gate total=1KB",
            "--baseline base.json",
            "--update-baseline",
        ] {
            let run = batch(&bench, &format!("lib -o out {share} {option}"));
            assert!(run.status == 2 && run.messages.contains("cannot be used with"), "{option}: {}", run.messages);
        }
    }
}
