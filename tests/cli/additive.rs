//! Additive clips: marked by options or by the extras of a glTF, and measured on their base.

use crate::support::Bench;
use serde_json::Value;

/// The row of a clip of a report.
fn row(report: &Value, clip: &str) -> Value {
    report["clips"].as_array().unwrap().iter().find(|row| row["clip"] == clip).unwrap().clone()
}

fn max_mm(row: &Value) -> f64 {
    row.pointer("/error/max_mm").and_then(Value::as_f64).unwrap()
}

#[test]
fn clips_are_made_additive_measured_on_their_base_and_found_again_in_containers_and_gltf() {
    let bench = Bench::with_sources();
    let made = "--make-additive Wave=Walk";
    let report = bench.json(&format!("report biped.gltf --codec linear-keys {made} --json"));
    let (wave, walk) = (row(&report, "Wave"), row(&report, "Walk"));
    assert_eq!((&wave["added_to"], walk.get("added_to")), (&"Walk".into(), None));
    assert!(max_mm(&wave) <= 0.1, "{wave}");

    bench.ok(&format!("compress biped.gltf --codec linear-keys {made} -o w.posepress"));
    assert!(bench.ok("info w.posepress").contains("added to a base"));
    let verified = bench.json(&format!("verify w.posepress --against biped.gltf {made} --json"));
    assert_eq!(max_mm(&row(&verified, "Wave")), max_mm(&wave));
    let run = bench.run("verify w.posepress --against biped.gltf");
    assert!(run.status != 0 && run.messages.contains("differences"), "{}", run.messages);
    let compared = bench.json(&format!("compare biped.gltf w.posepress {made} --json"));
    assert!((max_mm(&row(&compared, "Wave")) - max_mm(&wave)).abs() < 1e-3, "{compared}");

    bench.ok(&format!("export biped.gltf {made} --to glb -o made.glb"));
    let said = bench.json("report made.glb --codec linear-keys --json");
    assert_eq!((&row(&said, "Wave")["added_to"], row(&said, "Walk").get("added_to")), (&"Walk".into(), None));
    assert!(max_mm(&row(&said, "Wave")) <= 0.1);
    let taken_back = bench.run("report made.glb --codec linear-keys --additive Wave=nothing --json");
    assert!(row(&serde_json::from_str(&taken_back.out).unwrap(), "Wave").get("added_to").is_none());
    bench.ok("export w.posepress --to glb -o decoded.glb");
    assert!(bench.ok("info decoded.glb").contains("added to the bind pose"));
}

#[test]
fn a_base_that_is_not_read_is_said_and_what_is_no_rule_is_refused() {
    let bench = Bench::with_sources();
    let run = bench.run("report biped.gltf --codec linear-keys --additive Wave=first:Run --json");
    assert!(run.messages.contains("the first pose of Run"), "{}", run.messages);
    let run = bench.run("report biped.gltf --additive Wave");
    assert!(run.status == 2 && run.messages.contains("CLIP=BASE"), "{}", run.messages);
}

#[test]
fn a_clip_that_looks_like_differences_and_does_not_say_so_is_a_question_until_it_is_answered() {
    let bench = Bench::with_sources();
    bench.write("lean.bvh", LEAN.as_bytes());
    bench.ok("export lean.bvh --unit cm --additive lean=bind --to glb -o said.glb");
    let questions = |line: &str| -> Vec<Value> {
        let files = bench.json(line);
        let findings = files["files"][0]["findings"].as_array().unwrap().clone();
        findings.into_iter().filter(|finding| finding["severity"] == "decide").collect()
    };
    let asked = questions("info lean.bvh --unit cm --json");
    assert_eq!((asked.len(), &asked[0]["subject"]), (1, &"lean".into()), "{asked:?}");
    assert!(asked[0]["meaning"].as_str().unwrap().contains("--additive 'lean=bind'"), "{asked:?}");
    assert_eq!(questions("info lean.bvh --unit cm --additive lean=bind --json"), [] as [Value; 0]);
    assert_eq!(questions("info said.glb --json"), [] as [Value; 0]);
    assert_eq!(questions("info biped.gltf --json"), [] as [Value; 0], "poses are no differences");
}

/// Differences: every joint turns a little in place.
const LEAN: &str = "HIERARCHY
ROOT hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 20 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT chest
    {
      OFFSET 0 20 0
      CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
      JOINT head
      {
        OFFSET 0 30 0
        CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 0 20 0
        }
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 2 0 0 0 0 0 1 0 0
0 0 0 0 0 0 0 0 0 2 0 0 0 0 0 4 0 0 0 0 0 2 0 0
0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 2 0 0 0 0 0 1 0 0
";
