//! Files that usd-core writes, played by usd-core and by our reader.
//!
//! They need Python: `tests/readers/requirements.txt` installed, then `cargo test -p posepress-core --features usd --test core -- --ignored
//! readers`.

use crate::export::readers::size;
use crate::project::project;
use glam::{Affine3A, Mat4, Vec3};
use posepress_core::import::{ImportOptions, Imported, import_file};
use posepress_core::metrics::shell_error_m;
use posepress_core::model::{Clip, ModelPose, Rig};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Allowed difference, relative to the rig's size.
const PART: f32 = 1e-6;
/// Shell of a joint, relative to the rig's size.
const SHELL_PART: f32 = 0.03;

/// A file as usd-core plays it.
#[derive(Deserialize)]
pub struct Played {
    pub file: String,
    rate_hz: f32,
    /// Joints of all skeletons.
    names: Vec<String>,
    pub samples: Vec<Sample>,
}

/// All joints and skinned points at a time.
#[derive(Deserialize)]
pub struct Sample {
    /// Maps to the world, as columns.
    pub joints: Vec<[f32; 16]>,
    /// Points of each mesh.
    points: Vec<Vec<[f32; 3]>>,
}

impl Played {
    /// Options that make a sample of each time.
    pub fn options(&self) -> ImportOptions {
        ImportOptions { rate_hz: Some(self.rate_hz), ..Default::default() }
    }
}

fn python() -> PathBuf {
    std::env::var_os("POSEPRESS_PYTHON").map_or_else(|| project("tests/readers/python/bin/python"), PathBuf::from)
}

fn usd(arguments: &[&Path]) -> String {
    let output = Command::new(python()).arg(project("tests/readers/usd.py")).args(arguments).output();
    let output = output.expect("Python is needed to run the readers");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Files as usd-core plays them.
pub fn play(files: &[PathBuf]) -> Vec<Played> {
    let arguments: Vec<&Path> = [Path::new("play")].into_iter().chain(files.iter().map(PathBuf::as_path)).collect();
    serde_json::from_str(&usd(&arguments)).unwrap()
}

#[test]
#[ignore = "needs Python and usd-core"]
fn files_of_usd_core_are_read_as_it_plays_them() {
    let folder = tempfile::tempdir().unwrap();
    usd(&[Path::new("write"), folder.path()]);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10);
    for played in play(&files) {
        let path = folder.path().join(&played.file);
        let imported = import_file(&path, &played.options()).unwrap();
        let worst = compared(&imported, &played);
        eprintln!("{}: {worst:.1e} of the rig's size", played.file);
        assert!(worst <= PART, "{}: {worst}", played.file);
    }
}

/// The largest difference of joints and skinned points, relative to the rig's size.
pub fn compared(imported: &Imported, played: &Played) -> f32 {
    let rig = &imported.rig;
    let size = size(rig);
    let unplaced: Vec<usize> =
        (0..rig.skeleton.len()).filter(|&joint| !rig.skeleton.name(joint).ends_with("Skel")).collect();
    assert_eq!(unplaced.len(), played.names.len(), "{}", played.file);
    let is_named =
        |(&joint, name): (&usize, &String)| rig.skeleton.name(joint).split('.').next() == Some(name.as_str());
    assert!(played.file == "clip.usda" || unplaced.iter().zip(&played.names).all(is_named), "{}", played.file);
    // Each clip of an instance moves its own skeleton.
    let figures = if played.file == "instanced.usda" { 2 } else { 1 };
    let joints = unplaced.len() / figures;
    let mut worst = 0.0f32;
    for (figure, clip) in imported.clips.iter().take(figures).enumerate() {
        assert!(clip.samples() > 1 || played.file == "pose.usda", "{}", played.file);
        for (step, sample) in played.samples.iter().enumerate() {
            let pose = clip.pose(step.min(clip.samples() - 1));
            let model = ModelPose::new(&rig.skeleton, pose);
            let own = unplaced.iter().zip(&sample.joints).skip(figure * joints).take(joints);
            for (&joint, theirs) in own {
                let theirs = Affine3A::from_mat4(Mat4::from_cols_array(theirs));
                worst = worst.max(scale_free(&model.joints[joint], &theirs, size));
            }
            worst = worst.max(points_off(rig, clip, &model, step, sample) / size);
        }
    }
    worst
}

/// The distance of two joints, relative to the size of the rig. A uniform scale of the place, which our reader takes out, is taken out.
fn scale_free(ours: &Affine3A, theirs: &Affine3A, size: f32) -> f32 {
    let scale = ours.matrix3.determinant().cbrt() / theirs.matrix3.determinant().cbrt();
    let is_taken = (scale - 0.5).abs() < 1e-4;
    let theirs = if is_taken { *theirs * Affine3A::from_scale(Vec3::splat(0.5)) } else { *theirs };
    shell_error_m(ours, &theirs, SHELL_PART * size) / size
}

fn points_off(rig: &Rig, clip: &Clip, model: &ModelPose, step: usize, sample: &Sample) -> f32 {
    let floats = clip.floats(step.min(clip.samples() - 1));
    let mut worst = 0.0f32;
    for (mesh, theirs) in rig.meshes.iter().zip(&sample.points) {
        assert!(!mesh.targets.is_empty() && mesh.positions.len() == theirs.len());
        for (vertex, theirs) in theirs.iter().enumerate() {
            let ours = mesh.skin_vertex(vertex, &model.joints, floats);
            worst = worst.max(ours.distance(Vec3::from(*theirs)));
        }
    }
    worst
}
