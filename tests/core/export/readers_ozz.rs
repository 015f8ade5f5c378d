//! Archives in a port of ozz-animation: `scripts/test.sh --ozz`. That builds the port with a compiler from rustup, so it is
//! not part of `--readers`, which needs only package registries.

use crate::engine_files::{Case, Off, SMALLEST_THREE_RAD};
use crate::project::project;
use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::model::Rig;
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Command;

/// Output of the reader.
#[derive(Deserialize)]
pub struct Answer {
    names: Vec<String>,
    parents: Vec<i16>,
    rest: Vec<[f32; 10]>,
    name: String,
    duration_secs: f32,
    /// Poses of one player that plays the times in order.
    pub played: Vec<Vec<[f32; 10]>>,
    /// Poses of a new player per time.
    found: Vec<Vec<[f32; 10]>>,
}

/// Writes the archives of a case and plays them.
fn ask(case: &Case, tolerance_m: f32, places: &[f64]) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["rig.ozz", "clip.ozz"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], case.export("ozz-skeleton", tolerance_m)).unwrap();
    std::fs::write(&paths[1], case.export("ozz", tolerance_m)).unwrap();
    let last = (case.clip.samples() - 1) as f64;
    play(&paths, &places.iter().map(|place| (place / last) as f32).collect::<Vec<f32>>())
}

/// Plays a skeleton's clip at fractions of its duration with the reader, which is built at the first call.
pub fn play(skeleton_and_clip: &[PathBuf; 2], parts: &[f32]) -> Answer {
    // The reader's folder selects its compiler. Without this, rustup would use the compiler of this test.
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project("tests/readers/ozz")).env_remove("RUSTUP_TOOLCHAIN").env("RUSTC_BOOTSTRAP", "1");
    cargo.args(["run", "--quiet", "--locked", "--"]).args(skeleton_and_clip).arg(serde_json::to_string(parts).unwrap());
    let output = cargo.output().expect("rustup and cargo are needed to run the reader");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn transform([tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]: [f32; 10]) -> Transform {
    Transform {
        rotation: Quat::from_xyzw(rx, ry, rz, rw),
        translation: Vec3::new(tx, ty, tz),
        scale: Vec3::new(sx, sy, sz),
    }
}

/// A pose in the order of our joints.
pub fn pose(rig: &Rig, answer: &Answer, numbers: &[[f32; 10]]) -> Vec<Transform> {
    let place = |name: &str| answer.names.iter().position(|found| found == name).expect("the same joints");
    rig.skeleton.joints().iter().map(|joint| transform(numbers[place(&joint.name)])).collect()
}

fn compare(case: &Case, tolerance_m: f32, places: &[f64]) -> (Vec<Off>, Answer) {
    let answer = ask(case, tolerance_m, places);
    let mut poses = answer.played.iter();
    let off = case.compare(places, |_| pose(&case.rig, &answer, poses.next().unwrap()));
    (off, answer)
}

#[test]
#[ignore = "needs rustup, which fetches the compiler of the reader"]
fn ozz_plays_what_was_decoded_within_its_own_bits() {
    for case in Case::all("linear-keys") {
        let (samples, halves): (_, Vec<f64>) = (case.samples(), case.clip.grid().steps(2).collect());
        let (exact, answer) = compare(&case, 0.0, &samples);
        check_skeleton(&case, &answer);
        let worst = Off::worst(&exact);
        let size_m = case.clip.pose(0).iter().map(|local| local.translation.length()).fold(0.0, f32::max);
        assert!(worst.local_rad <= SMALLEST_THREE_RAD, "{}: {worst:?}", case.name);
        let tolerance_m = case.outcome.recipe.tolerance_m;
        let (sparse, answer) = compare(&case, tolerance_m, &halves);
        eprintln!("{}, {size_m} m: every sample {worst:?}, few keys {:?}", case.name, Off::worst(&sparse));
        eprintln!("  {} of {} bytes", case.export("ozz", tolerance_m).len(), case.export("ozz", 0.0).len());
        for (exact, sparse) in exact.iter().zip(&sparse) {
            assert!(sparse.beyond_m <= 1.01 * exact.decoded_m + 1e-6, "{}: {exact:?} {sparse:?}", case.name);
        }
        assert_eq!(answer.played, answer.found, "{}: from any earlier position of a player", case.name);
    }
}

fn check_skeleton(case: &Case, answer: &Answer) {
    let skeleton = &case.rig.skeleton;
    assert_eq!((answer.name.as_str(), answer.duration_secs), (case.clip.name(), case.clip.duration_secs()));
    assert_eq!(answer.names.len(), skeleton.len());
    for (place, name) in answer.names.iter().enumerate() {
        let joint = skeleton.find(name).unwrap();
        let parent = skeleton.parent(joint).map(|parent| skeleton.name(parent));
        let found = usize::try_from(answer.parents[place]).ok();
        assert_eq!(found.map(|parent| answer.names[parent].as_str()), parent, "{name}");
        assert!(found.is_none_or(|parent| parent < place), "{name}");
        assert_eq!(transform(answer.rest[place]), skeleton.bind(joint), "{name}");
    }
}
