//! Exports in readers of other projects: the Khronos glTF validator and three.js.
//!
//! They run in node: `npm ci --prefix tests/readers`, then `cargo test -p posepress-core --test core -- --ignored readers`.

use crate::project::{corpus, project, sample};
use crate::written;
use glam::{Affine3A, Mat4, Vec3};
use posepress_core::export::{ExportBody, ExportKeys, ExportOptions, ExportPacking, ExportTarget, RotationFormat};
use posepress_core::import::{GltfDocument, ImportOptions, Imported, LengthUnit, Origin, import_file};
use posepress_core::metrics::shell_error_m;
use posepress_core::model::{Clip, ModelPose, Rig, SourceDigest};
use posepress_core::recipe::Recipe;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Number of times of a clip at which players are compared.
const MOMENTS: usize = 10;
/// Allowed difference of three.js from our reader, relative to the rig's size.
const FLOAT_PART: f32 = 1e-5;
/// Shell of a joint, relative to the rig's size.
const SHELL_PART: f32 = 0.03;

/// Output of `read.mjs`.
#[derive(Deserialize)]
struct Answer {
    validator: Validator,
    /// World matrices by animation, time and node.
    animations: Vec<Vec<Vec<Option<[f32; 16]>>>>,
}

#[derive(Deserialize)]
struct Validator {
    count: usize,
    errors: serde_json::Value,
}

/// The clips of a source to write, and their codec.
struct Case {
    path: PathBuf,
    unit: Option<LengthUnit>,
    /// Names of the clips; all if empty.
    clips: &'static [&'static str],
    codec: &'static str,
    /// Metres per length unit of the export. An export back into a source has the source's unit.
    metres: f32,
}

fn cases() -> Vec<Case> {
    let cm = Some(LengthUnit::Centimetre);
    let from_corpus: [(_, _, &[&str], _, _); 4] = [
        ("kaykit/Knight.glb", None, &["Idle", "Walking_A", "1H_Melee_Attack_Chop"], "catmull-rom", 1.0),
        ("fox/Fox.glb", cm, &[], "linear-keys", 0.01),
        ("bandai/ds1_walk_normal_001.bvh", cm, &[], "linear-keys", 1.0),
        ("pab/walk.fbx", None, &[], "variable-rate", 1.0),
    ];
    let from_corpus = from_corpus.into_iter().filter_map(|(path, unit, clips, codec, metres)| {
        Some(Case { path: corpus(path)?, unit, clips, codec, metres })
    });
    let sample = Case { path: sample(), unit: None, clips: &[], codec: "press", metres: 1.0 };
    from_corpus.chain([sample]).collect()
}

/// Largest errors of three.js.
#[derive(Debug, Default)]
pub struct Worst {
    /// Distance from our reader, relative to the rig's size.
    pub part: f32,
    /// Distance from the source.
    pub error_m: f32,
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_find_no_error_and_play_what_we_play() {
    for case in cases() {
        let options = ImportOptions { unit: case.unit, ..Default::default() };
        let Imported { rig, clips, .. } = import_file(&case.path, &options).unwrap();
        let is_wanted = |clip: &Clip| case.clips.is_empty() || case.clips.contains(&clip.name());
        let clips: Vec<Arc<Clip>> = clips.into_iter().filter(is_wanted).map(Arc::new).collect();
        let digest = SourceDigest::of(&std::fs::read(&case.path).unwrap());
        let (rig, recipe) = (Arc::new(rig), Recipe::chosen(case.codec).unwrap());
        let ways = [
            (RotationFormat::Floats, ExportKeys::Smallest, ExportPacking::Khr),
            (RotationFormat::Shorts, ExportKeys::Smallest, ExportPacking::Ext),
            (RotationFormat::Floats, ExportKeys::Editable, ExportPacking::None),
        ];
        for (rotations, keys, packing) in ways {
            let target = ExportTarget {
                options: ExportOptions { rotations, keys, packing, body: ExportBody::Capsules, ..Default::default() },
                origin: Some(Origin { path: case.path.clone(), digest: digest.clone(), options }),
            };
            let bytes = written::export(&rig, &clips, &recipe, "glb", &target).unwrap();
            let worst = compared(&bytes, &rig, &clips, case.metres);
            eprintln!(
                "{}, {} bytes, {rotations:?}, {keys:?}, {packing:?}: {worst:?}",
                case.path.display(),
                bytes.len()
            );
            // three.js does not normalise 16-bit rotations.
            assert!(rotations == RotationFormat::Shorts || worst.part <= FLOAT_PART, "{worst:?}");
            assert!(worst.error_m <= 1.001 * recipe.tolerance_m, "{worst:?}");
        }
    }
}

/// Compares the animation in three.js with our reader and with the source.
pub fn compared(bytes: &[u8], rig: &Rig, clips: &[Arc<Clip>], metres: f32) -> Worst {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.glb");
    std::fs::write(&path, bytes).unwrap();
    let options = ImportOptions::default();
    let back = import_file(&path, &options).unwrap();
    let document = GltfDocument::read(&Origin { path: path.clone(), digest: SourceDigest::of(bytes), options });
    let document = document.unwrap().unwrap();
    let starts = document.clips.iter().map(|clip| clip.start_secs);
    let times = clips.iter().zip(starts).map(|(clip, start_secs)| {
        moments(clip).iter().map(|&place| start_secs + clip.grid().time_secs(place)).collect()
    });
    let answer = ask(&path, &times.collect::<Vec<Vec<f32>>>());
    assert_eq!(answer.validator.count, 0, "{}", answer.validator.errors);
    let (size, shells_m) = (size(&back.rig), vec![Recipe::default().shell_m; rig.skeleton.len()]);
    let mut worst = Worst::default();
    for ((clip, ours), poses) in clips.iter().zip(&back.clips).zip(&answer.animations) {
        for (&place, theirs) in moments(clip).iter().zip(poses) {
            let at = ours.grid().sample_at(clip.grid().time_secs(place));
            assert_eq!(at.fract(), 0.0, "{}: between samples players differ", clip.name());
            let read = ModelPose::new(&back.rig.skeleton, ours.pose(at as usize));
            let source = ModelPose::new(&rig.skeleton, clip.pose(place as usize));
            for (joint, (&node, read)) in document.nodes.iter().zip(&read.joints).enumerate() {
                let theirs = theirs[node].unwrap_or_else(|| panic!("three.js has no node {node}"));
                let mut theirs = Affine3A::from_mat4(Mat4::from_cols_array(&theirs));
                worst.part = worst.part.max(shell_error_m(read, &theirs, SHELL_PART * size) / size);
                theirs.translation *= metres;
                let of_source = rig.skeleton.find(back.rig.skeleton.name(joint)).expect("the same joints");
                let error_m = shell_error_m(&source.joints[of_source], &theirs, shells_m[of_source]);
                worst.error_m = worst.error_m.max(error_m);
            }
        }
    }
    worst
}

/// Samples from the first to the last.
fn moments(clip: &Clip) -> Vec<f64> {
    let last = clip.samples() - 1;
    (0..MOMENTS).map(|moment| (moment * last / (MOMENTS - 1)) as f64).collect()
}

/// Diagonal of the box around all joints.
pub fn size(rig: &Rig) -> f32 {
    let bind = ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(0).joints);
    let origins = || (0..rig.skeleton.len()).map(|joint| bind.origin(joint));
    (origins().fold(Vec3::MIN, Vec3::max) - origins().fold(Vec3::MAX, Vec3::min)).length()
}

fn ask(path: &Path, times: &[Vec<f32>]) -> Answer {
    let mut node = Command::new("node");
    node.arg(project("tests/readers/read.mjs")).arg(path).arg(serde_json::to_string(times).unwrap());
    let output = node.output().expect("node is needed to run the readers");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "after `npm ci --prefix tests/readers`: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}
