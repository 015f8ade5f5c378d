//! `posepress batch`: tags from files beside the clips, and budgets that clips share.

use crate::batch::{RECIPE, batch, library, long_library, manifest, worked};
use crate::support::Bench;
use posepress_core::project::{Document, Project};
use serde_json::Value;

const RULES: &str = "[[rule]]\ntag = \"combat\"\nrecipe.tolerance_m = 0.002\n";

fn numbers(bench: &Bench, key: &str) -> Vec<f64> {
    let manifest = manifest(bench, "out");
    let rows = manifest["rows"].as_array().unwrap();
    rows.iter().map(|row| row["numbers"][key].as_f64().unwrap()).collect()
}

fn counts(bench: &Bench) -> Value {
    bench.json(&format!("batch lib -o out --plan --json {RECIPE}"))["counts"].clone()
}

#[test]
fn rules_match_by_the_tags_beside_a_file_and_a_changed_tag_changes_its_clips() {
    let bench = library();
    bench.write("lib/posepress.toml", RULES.as_bytes());
    bench.write("lib/a/biped.posepress.toml", b"tags = [\"hero\"]\n[clips]\n\"W*e\" = [\"combat\"]\n");
    let run = batch(&bench, "lib -o out");
    assert!(matches!(run.status, 0 | 3) && worked(&run) == 3, "{}", run.messages);
    assert_eq!(numbers(&bench, "tolerance_mm"), [50.0, 2.0, 50.0]);
    let why = bench.ok(&format!("batch --why lib/a/biped.gltf#Wave {RECIPE}"));
    assert!(why.contains("biped.posepress.toml: combat, hero\n") && why.contains("tag = \"combat\""), "{why}");
    assert!(!bench.ok(&format!("batch --why lib/a/biped.gltf#Walk {RECIPE}")).contains("tag = \"combat\""));
    bench.write("lib/a/biped.posepress.toml", b"tags = [\"combat\"]\n");
    assert_eq!((&counts(&bench)["changed"], &counts(&bench)["done"]), (&1.into(), &2.into()));
    assert!(matches!(batch(&bench, "lib -o out").status, 0 | 3));
    assert_eq!(numbers(&bench, "tolerance_mm"), [2.0, 2.0, 50.0]);
    // A file with unknown keys costs its clips, and no others.
    bench.write("lib/a/biped.posepress.toml", b"tag = [\"combat\"]\n");
    let wrong = batch(&bench, "lib -o out");
    let rows = manifest(&bench, "out")["rows"].clone();
    assert!(wrong.status == 1 && wrong.messages.contains("lib/a/biped.gltf"), "{}", wrong.messages);
    assert!(rows[0]["error"].as_str().unwrap().contains("did you mean 'tags'?"), "{rows}");
    assert_eq!((rows.as_array().unwrap().len(), &rows[1]["clip"]), (2, &"chain".into()));
    // A project that is saved beside the file under its name has no tags.
    let project = Project { sources: Vec::new(), document: Document::default() };
    bench.write("lib/a/biped.posepress.toml", project.to_toml(&bench.path("lib/a")).as_bytes());
    assert!(matches!(batch(&bench, "lib -o out").status, 0 | 3));
    assert_eq!(numbers(&bench, "tolerance_mm"), [50.0, 50.0, 50.0]);
}

#[test]
fn rules_match_by_the_tags_that_a_file_gives_its_clips_in_later_runs_too() {
    let bench = library();
    bench.write("lib/posepress.toml", RULES.as_bytes());
    let mut gltf: Value = serde_json::from_slice(&bench.read("lib/a/biped.gltf")).unwrap();
    let wave = gltf["animations"].as_array_mut().unwrap().iter_mut().find(|clip| clip["name"] == "Wave").unwrap();
    wave["extras"] = serde_json::json!({ "tags": "combat, hero" });
    bench.write("lib/a/biped.gltf", gltf.to_string().as_bytes());
    let run = batch(&bench, "lib -o out");
    assert!(matches!(run.status, 0 | 3) && worked(&run) == 3, "{}", run.messages);
    assert_eq!(numbers(&bench, "tolerance_mm"), [50.0, 2.0, 50.0]);
    assert_eq!(counts(&bench)["done"], 3, "the listing of the file has the tags");
    let why = bench.ok(&format!("batch --why lib/a/biped.gltf#Wave {RECIPE}"));
    assert!(why.contains("biped.gltf: combat, hero\n") && why.contains("tag = \"combat\""), "{why}");
    let unknown = bench.run(&format!("batch --why lib/a/biped.gltf#Wade {RECIPE}"));
    assert!(unknown.status == 2 && unknown.messages.contains("did you mean 'Wave'?"), "{}", unknown.messages);
}

/// Tolerances are searched, so that sizes follow them.
const SEARCH: &str = "--codec linear-keys --tolerance-mm 1 --fail-sampling-mm 1000";

#[test]
fn clips_share_a_budget_and_an_earlier_one_comes_first() {
    let bench = Bench::new();
    long_library(&bench, 3);
    let run = |rest: &str| bench.run(&format!("batch long {rest} {SEARCH}"));
    assert!(matches!(run("-o out").status, 0 | 3));
    let free = manifest(&bench, "out");
    let size = |take: usize| bench.read(&format!("out/take{take}.posepress")).len();
    // Little for the first take, and a whole that leaves more to the others than they had.
    let (little, all) = (size(0) * 7 / 10, size(0) * 7 / 10 + (size(1) + size(2)) * 12 / 10);
    let budgets = format!("[[budget]]\nmatch = \"take0.*\"\nmost = \"{little}B\"\n[[budget]]\nmost = \"{all}B\"\n");
    bench.write("long/posepress.toml", budgets.as_bytes());
    let fitted = run("-o out");
    assert!(matches!(fitted.status, 0 | 3), "{}", fitted.messages);
    let now = manifest(&bench, "out");
    let tolerance = |of: &Value, at: usize| of["rows"][at]["numbers"]["tolerance_mm"].as_f64().unwrap();
    assert!(tolerance(&now, 0) > tolerance(&free, 0) && tolerance(&now, 1) < tolerance(&free, 1), "{now}");
    let [first, second] = &now["budgets"].as_array().unwrap()[..] else { panic!("{now}") };
    assert_eq!((&first["clips"], &second["clips"]), (&1.into(), &3.into()));
    assert_eq!(first["bytes"], size(0));
    assert_eq!(second["bytes"], size(0) + size(1) + size(2));
    assert!(size(0) <= little && size(0) + size(1) + size(2) <= all, "{now}");
    assert!(fitted.out.contains("budget 1, match = \"take0.*\": at most"), "{}", fitted.out);
    let again = run("-o out");
    assert_eq!((worked(&again), again.messages.contains("choosing tolerances")), (0, false), "{}", again.messages);
    assert_eq!(manifest(&bench, "out"), now);
    assert!(matches!(run("-o other --jobs 1").status, 0 | 3));
    assert!(bench.read("other/posepress-batch.json") == bench.read("out/posepress-batch.json"));
    // Too little memory for these clips leaves them out, and is no reason for a later run.
    let poor = run("-o poor --memory 41MiB");
    assert!(poor.status == 1 && poor.messages.contains("budget 2: without long/take1.bvh#take1: it needs about"));
    assert_eq!(manifest(&bench, "poor")["budgets"], Value::Null);
    assert!(matches!(run("-o poor --memory 4GiB").status, 0 | 3));
    assert_eq!(manifest(&bench, "poor")["budgets"], now["budgets"]);
    let why = bench.ok(&format!("batch --why long/take1.bvh#take1 {SEARCH}"));
    assert!(why.contains("budget 2 chooses the tolerance") && !why.contains("budget 1"), "{why}");
    // Another size begins with the tolerances that were tried.
    let tried = || bench.ok("store list --store out/.posepress-store").matches(" numbers ").count();
    let before = tried();
    bench.write("long/posepress.toml", budgets.replace(&format!("{all}B"), &format!("{}B", all - 40)).as_bytes());
    let other = run("-o out");
    assert!(other.messages.contains("budget 2: choosing tolerances"), "{}", other.messages);
    assert!(before > 20 && tried() - before < before / 2, "{before} tolerances, then {}", tried());
}

#[test]
fn a_budget_that_is_too_small_costs_its_clips_and_names_the_least_size() {
    let bench = library();
    bench.write("lib/posepress.toml", b"[[budget]]\nmatch = \"a/**\"\nmost = \"150B\"\n");
    let run = bench.run(&format!("batch lib -o out {SEARCH}"));
    assert_eq!(run.status, 1, "{}", run.messages);
    let rows = manifest(&bench, "out")["rows"].clone();
    let error = rows[0]["error"].as_str().unwrap();
    assert!(error.contains("budget 1: the clips take") && error.contains("but the budget is 150 B"), "{error}");
    assert!(rows[2]["error"].is_null() && bench.path("out/chain.posepress").exists());
    assert!(run.messages.contains("choosing tolerances"), "{}", run.messages);
    let again = bench.run(&format!("batch lib -o out {SEARCH}"));
    assert!(again.status == 1 && !again.messages.contains("choosing tolerances"), "{}", again.messages);
    assert_eq!(manifest(&bench, "out")["rows"], rows, "the reason is kept");
    bench.write("lib/posepress.toml", b"[[budget]]\nmost = \"9KB\"\n[[rule]]\nrecipe.codec = \"quantize\"\n");
    let fixed = bench.run(&format!("batch lib -o out {SEARCH}"));
    assert!(fixed.status == 1 && fixed.messages.contains("3 rows"), "{}", fixed.messages);
    let rows = manifest(&bench, "out")["rows"].clone();
    assert!(rows[0]["error"].as_str().unwrap().contains("quantize ignores the tolerance"), "{rows}");
}

#[test]
fn a_clip_that_cannot_be_compressed_leaves_the_budget_to_the_others() {
    let bench = library();
    let text = String::from_utf8(bench.read("lib/chain.bvh")).unwrap();
    bench.write("lib/b.bvh", text.replace("0 91 2 0 10", "3e35 91 2 0 10").as_bytes());
    // A clip of that name before it stays.
    bench.write("lib/a/b.bvh", text.as_bytes());
    bench.write("lib/posepress.toml", b"[[budget]]\nmatch = \"**/*.bvh\"\nmost = \"4KB\"\n");
    let run = || bench.run(&format!("batch lib -o out {SEARCH}"));
    let first = run();
    assert!(first.status == 1 && first.messages.contains("budget 1: without lib/b.bvh#b: "), "{}", first.messages);
    let now = manifest(&bench, "out");
    assert_eq!(now["budgets"][0]["clips"], 2);
    let lost = |row: &Value| row["error"].as_str().is_some_and(|error| error.contains("check the unit"));
    let lost: Vec<bool> = now["rows"].as_array().unwrap().iter().map(lost).collect();
    assert_eq!(lost, [false, false, false, true, false], "{now}");
    let again = run();
    assert!(!again.messages.contains("choosing tolerances"), "{}", again.messages);
    assert_eq!(manifest(&bench, "out"), now);
}

#[test]
fn rules_are_about_files_below_their_folder_and_unknown_keys_have_the_nearest_name() {
    let bench = library();
    std::fs::create_dir(bench.path("other")).unwrap();
    bench.write("other/rope.bvh", &bench.read("chain.bvh"));
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.1\n");
    assert_eq!(batch(&bench, "lib other -o out").status, 0);
    let manifest = manifest(&bench, "out");
    let rows = manifest["rows"].as_array().unwrap();
    let tolerances = |source: &str| {
        let of = rows.iter().filter(|row| row["source"].as_str().unwrap().starts_with(source));
        of.map(|row| row["numbers"]["tolerance_mm"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((tolerances("lib/"), tolerances("other/")), (vec![100.0; 3], vec![50.0]));
    let wrong = [
        ("recipe = { codec = \"press\", values.storag = \"archive\" }", "did you mean 'storage'?"),
        ("recipe.contacts.sensitivty = 1.0", "did you mean 'sensitivity'?"),
        ("recipe.overrides = [{ joint = \"hip\", tolerence_m = 1.0 }]", "did you mean 'tolerance_m'?"),
    ];
    for (line, nearest) in wrong {
        bench.write("lib/posepress.toml", format!("[[rule]]\n{line}\n").as_bytes());
        let refused = batch(&bench, "lib -o out");
        assert!(refused.status == 1 && refused.messages.contains(nearest), "{line}: {}", refused.messages);
    }
}
