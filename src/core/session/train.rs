//! What entropy coders know before they read, anew: `cargo test --release -p posepress-core --lib session::train -- --ignored
//! --nocapture`.

use crate::codecs::ChanceCounter;
use crate::import::{ImportOptions, LengthUnit, import_file};
use std::path::PathBuf;

/// Folders of the corpus and their units.
const FOLDERS: [(&str, LengthUnit); 3] =
    [("kaykit", LengthUnit::Metre), ("bandai", LengthUnit::Centimetre), ("fox", LengthUnit::Centimetre)];

#[test]
#[ignore = "prints tables for src/runtime/parts/symbols/trained.rs, from all clips of the corpus"]
fn trained_chances() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let corpus = std::env::var_os("POSEPRESS_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    let mut counter = ChanceCounter::default();
    for (folder, unit) in FOLDERS {
        let entries = std::fs::read_dir(corpus.join(folder)).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let options = ImportOptions { unit: Some(unit), rate_hz: Some(30.0), ..ImportOptions::default() };
            let Ok(imported) = import_file(&file, &options) else { continue };
            imported.clips.iter().for_each(|clip| counter.clip(&imported.rig.skeleton, clip));
        }
    }
    counter.tables().iter().flatten().for_each(|row| println!("{row}"));
}
