//! The second implementation of the measures finds the same in motion with known contacts.

use super::true_gaits::all;
use super::true_motion::{Motion, body};
use crate::numpy::measures_agree;
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb, csv_table};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::model::{ClipSampler, Sampler};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use std::path::Path;
use std::sync::Arc;

const RATE_HZ: f32 = 30.0;

/// Writes the rig, original and decoded poses between the samples, and the report.
fn write(folder: &Path, motion: &Motion, recipe: &Recipe) {
    let made = body(motion.legs, 1.0, true);
    let clip = motion.clip(&made, RATE_HZ, 1.0, 0.0);
    let exact = ExportClip { tolerance_m: 0.0, ..ExportClip::raw(&clip) };
    let glb = Glb.export(&made, &mut [exact], &ExportTarget::default()).unwrap();
    std::fs::write(folder.join("rig.glb"), glb).unwrap();
    let read = import_file(&folder.join("rig.glb"), &ImportOptions::default()).unwrap();
    let [clip] = <[_; 1]>::try_from(read.clips).unwrap();
    let measured = MeasuredClip::new(Arc::new(read.rig), Arc::new(clip), recipe);
    let outcome = compress(&measured, recipe, &Default::default()).unwrap();
    let poses = |name: &str, sampler: &mut dyn Sampler| {
        let grid = measured.clip.grid();
        let table = csv_table(&measured.rig.skeleton, &[], sampler, (grid, grid.steps(4)));
        std::fs::write(folder.join(name), table).unwrap();
    };
    poses("original.csv", &mut ClipSampler::new(&*measured.clip));
    poses("decoded.csv", outcome.sampler().as_mut());
    let report = ClipReport::new("rig.glb", measured.clip.name(), &measured, &outcome);
    std::fs::write(folder.join("report.json"), serde_json::json!({ "clips": [report] }).to_string()).unwrap();
}

#[test]
#[ignore = "needs Python with numpy"]
fn readers_of_the_book_measure_motion_with_known_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("press").unwrap() };
    for motion in all() {
        write(folder.path(), &motion, &recipe);
        measures_agree(folder.path(), motion.name, &["rig.glb", "original.csv", "decoded.csv", "report.json"]);
    }
}
