//! The page of a report: its contents, no other files needed, and sorting by its heads in a browser.

use crate::project::project;
use crate::support::Bench;
use std::process::Command;

const CLIPS: [&str; 2] = ["Walk", "Wave"];

fn page(bench: &Bench, line: &str) -> String {
    let run = bench.run(&format!("{line} --html page.html"));
    assert!([0, 3].contains(&run.status), "{}", run.messages);
    String::from_utf8(bench.read("page.html")).unwrap()
}

#[test]
fn a_page_shows_error_over_time_sizes_and_settings_of_every_row() {
    let bench = Bench::with_sources();
    let page = page(&bench, "report biped.gltf --codec quantize --tolerance-mm 0.5");
    let count = |what: &str| page.matches(what).count();
    assert_eq!(count("<section>"), 1 + CLIPS.len(), "sizes, and one per row");
    assert_eq!(count("class=\"bar\""), CLIPS.len());
    assert_eq!(count("<polyline"), CLIPS.len());
    assert_eq!(count("tolerance_m = 0.0005"), CLIPS.len(), "{page}");
    for clip in CLIPS {
        assert!(page.contains(&format!("<h2>{clip}, quantize</h2>")), "{page}");
    }
    for outside in ["http:", "https:", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}: a page must work without other files");
    }
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("@media print"));
}

#[cfg(feature = "gui")]
#[test]
fn a_page_has_the_worst_moment_as_it_was_as_it_is_and_as_heat() {
    use base64::prelude::{BASE64_STANDARD, Engine};
    let bench = Bench::with_sources();
    let page = page(&bench, "report biped.gltf --clip Walk --codec quantize:riot-32 --tolerance-mm 0.01");
    let data = page.split("src=\"data:image/png;base64,").skip(1).map(|rest| rest.split('"').next().unwrap());
    let pictures: Vec<_> = data
        .map(|data| image::load_from_memory(&BASE64_STANDARD.decode(data).unwrap()).unwrap().into_rgba8())
        .collect();
    let [original, compressed, heat] = pictures.as_slice() else { panic!("{} pictures", pictures.len()) };
    assert_eq!(original.dimensions(), (320, 240));
    assert!(original != compressed && compressed != heat);
    assert!(page.contains("Worst frame: "), "{page}");
}

#[cfg(feature = "gui")]
#[test]
fn pictures_lose_colours_then_size_and_give_way_to_the_limit_of_the_page_the_worst_last() {
    let bench = Bench::with_sources();
    let with = |limit: usize| {
        let megabytes = limit as f64 / f64::from(1 << 20);
        page(&bench, &format!("report biped.gltf --codec quantize --tolerance-mm 0.5 --html-max-mb {megabytes}"))
    };
    let pictures = |page: &str, format: &str| -> Vec<usize> {
        let head = format!("data:image/{format};base64,");
        let data = page.split(&head).skip(1);
        data.map(|rest| rest.split('"').next().unwrap().len()).collect()
    };
    let sum = |page: &str, format: &str| pictures(page, format).iter().sum::<usize>();
    let none = with(10_000);
    assert!(!none.contains("data:image/") && none.contains("the pictures of 2 of 2 worst frames"), "{none}");
    let whole = with(1 << 24);
    assert_eq!(pictures(&whole, "png").len(), 6);
    let few = with(whole.len() - 1);
    assert!(few.len() < whole.len() && few.contains("too large: most colours of pictures."), "{few}");
    assert!(pictures(&few, "gif").len() == 6 && sum(&few, "gif") < sum(&whole, "png"), "{few}");
    let room = none.len() + 2000;
    let limit = room + sum(&few, "gif") * 3 / 4;
    let small = with(limit);
    assert!(pictures(&small, "gif").len() == 6 && small.contains("too large: large pictures"), "{small}");
    assert!(small.len() <= limit && sum(&small, "gif") < sum(&few, "gif") / 2);
    let limit = room + sum(&small, "gif") * 3 / 4;
    let fewer = with(limit);
    assert!(pictures(&fewer, "gif").len() == 3 && fewer.contains("the pictures of 1 of 2 worst frames"), "{fewer}");
    assert!(fewer.len() <= limit);
}

#[cfg(not(feature = "gui"))]
#[test]
fn a_build_that_cannot_draw_says_so() {
    let bench = Bench::with_sources();
    assert!(page(&bench, "report biped.gltf --codec quantize").contains("No pictures: this build"));
}

#[test]
fn compress_verify_and_compare_write_the_same_page() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --codec quantize -o biped.posepress");
    for line in [
        "compress biped.gltf --codec quantize -o other.posepress",
        "verify biped.posepress --against biped.gltf",
        "compare biped.gltf biped.posepress",
    ] {
        assert_eq!(page(&bench, line).matches("<polyline").count(), CLIPS.len(), "{line}");
    }
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_open_the_page_and_its_heads_sort_it() {
    let bench = Bench::with_sources();
    page(&bench, "report biped.gltf --codec linear-keys --tolerance-mm 1");
    let mut node = Command::new("node");
    let output = node.arg(project("tests/readers/page.mjs")).arg(bench.path("page.html")).output();
    let output = output.expect("node is needed to run the readers");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let numbers = |key: &str| -> Vec<f64> {
        answer[key].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().parse().unwrap()).collect()
    };
    let (up, down) = (numbers("ascending"), numbers("descending"));
    assert_eq!(up.len(), CLIPS.len());
    assert!(up.is_sorted() && up[0] < up[1], "{up:?}");
    assert!(down.iter().rev().eq(&up), "{down:?}");
    assert_eq!(answer["problems"], serde_json::json!([]), "{answer}");
    assert_eq!(answer["requests"], serde_json::json!([]), "{answer}");
    assert_eq!(answer["inaccessible"], serde_json::json!([]), "{answer}");
}
