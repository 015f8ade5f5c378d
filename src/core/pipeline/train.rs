//! What entropy coders know before they read, anew: `cargo test --release -p posepress-core --lib pipeline::train -- --ignored
//! --nocapture`.

use crate::codecs::{ArchiveTrainer, ChanceCounter};
use crate::import::{ImportOptions, LengthUnit, import_file};
use crate::model::{Clip, Skeleton};
use std::path::PathBuf;

/// Folders of the corpus and their units.
const FOLDERS: [(&str, LengthUnit); 3] =
    [("kaykit", LengthUnit::Metre), ("bandai", LengthUnit::Centimetre), ("fox", LengthUnit::Centimetre)];

/// Tolerances that archives are trained for.
const TOLERANCES_M: [f32; 2] = [1e-4, 1e-3];

#[test]
#[ignore = "prints tables for src/runtime/parts/entropy/symbols/trained.rs, from all clips of the corpus"]
fn trained_chances() {
    let mut counter = ChanceCounter::default();
    for (folder, unit) in FOLDERS {
        each_clip(folder, unit, |skeleton, clip| counter.clip(skeleton, clip));
    }
    counter.tables().iter().flatten().for_each(|row| println!("{row}"));
}

#[test]
#[ignore = "prints tables for src/runtime/codecs/press, residuals_trained.rs and records_trained.rs, from all clips of the corpus"]
fn trained_archives() {
    let mut trainer = ArchiveTrainer::default();
    for tolerance_m in TOLERANCES_M {
        for (folder, unit) in FOLDERS {
            trainer.next_set();
            each_clip(folder, unit, |skeleton, clip| trainer.clip(skeleton, clip, tolerance_m));
        }
    }
    trainer.tables().iter().flatten().for_each(|row| println!("{row}"));
}

fn each_clip(folder: &str, unit: LengthUnit, mut found: impl FnMut(&Skeleton, &Clip)) {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let corpus = std::env::var_os("POSEPRESS_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    let entries = std::fs::read_dir(corpus.join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let options = ImportOptions { unit: Some(unit), rate_hz: Some(30.0), ..ImportOptions::default() };
        let Ok(imported) = import_file(&file, &options) else { continue };
        imported.clips.iter().for_each(|clip| found(&imported.rig.skeleton, clip));
    }
}
