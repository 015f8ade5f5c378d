//! Exports report their error as they play.

use crate::support::{Bench, keys};
use serde_json::Value;

/// A root 1 km from the origin, where float16 steps are half a metre, and an arm on it.
const FAR: &str = "HIERARCHY
ROOT root
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT arm
  {
    OFFSET 0 0.3 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.2 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
1000.3 0 0 0 0 0 10 0 0
1000.3 0 0 0 0 0 20 0 0
1000.3 0 0 0 0 0 30 0 0
";

fn bench() -> Bench {
    let bench = Bench::with_sources();
    bench.write("far.bvh", FAR.as_bytes());
    bench
}

#[test]
fn an_export_over_the_tolerance_is_written_named_and_has_status_3() {
    let bench = bench();
    for recipe in ["", " --codec raw", " --codec press --tolerance-mm 1"] {
        let run = bench.run(&format!("export far.bvh --to ozz -o far.ozz{recipe}"));
        assert_eq!(run.status, 3, "{recipe}: {}", run.messages);
        let error = "gate: far.ozz: clip 'far': in the file, root has an error of 20.0 cm";
        let expected = [error, "float16", "1000.30 m", "--fix origin"];
        expected.iter().for_each(|part| assert!(run.messages.contains(part), "{part}: {}", run.messages));
        assert!(!bench.read("far.ozz").is_empty(), "the file is written all the same");
    }
    assert_eq!(bench.run("export far.bvh --to ozz -o far.ozz --codec raw --tolerance-mm 300").status, 0);
    bench.ok("compress far.bvh --codec raw -o far.posepress");
    let run = bench.run("export far.posepress --to ozz -o far.ozz");
    assert_eq!(run.status, 3, "{}", run.messages);
}

#[test]
fn every_export_says_how_far_off_it_is() {
    let bench = bench();
    for format in ["glb", "csv", "ozz", "anm"] {
        let run = bench.run(&format!("export biped.gltf --clip Walk --to {format} -o out.{format} --codec press"));
        let expected = if run.messages.contains("gate: ") { 3 } else { 0 };
        assert_eq!(run.status, expected, "{format}: {}", run.messages);
        assert!(expected == 0 || ["ozz", "anm"].contains(&format), "{format}: {}", run.messages);
        assert!(run.messages.contains("in the file: ") && run.messages.contains("largest error "), "{}", run.messages);
    }
    let run = bench.run("export biped.gltf --to ozz-skeleton -o rig.ozz");
    assert!(run.status == 0 && run.messages.contains("a rig") && !run.messages.contains("plays"), "{}", run.messages);
}

#[test]
fn json_has_the_error_of_each_clip() {
    let bench = bench();
    let run = bench.run("export far.bvh --to ozz -o far.ozz --codec raw --json");
    assert_eq!(run.status, 3);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let mut found = keys(&document);
    found.sort_unstable();
    assert_eq!(found, ["bytes", "clips", "file", "missing", "schema"]);
    let clip = &document["clips"][0];
    assert_eq!((&clip["clip"], &clip["within"], &clip["joint"]), (&"far".into(), &false.into(), &"root".into()));
    assert!((clip["max_mm"].as_f64().unwrap() - 200.0).abs() < 0.1, "{clip}");
    assert!((clip["numbers_mm"].as_f64().unwrap() - 200.0).abs() < 0.1, "{clip}");
    let all: Value =
        serde_json::from_str(&bench.ok("export biped.gltf --to glb -o out.glb --codec press --json")).unwrap();
    assert_eq!(all["clips"].as_array().unwrap().len(), 2);
    assert_eq!(bench.run("export far.bvh --to csv -o - --json").status, 2);
}
