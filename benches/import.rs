//! Time to read files: parsing, sampling, import checks, and the measured distance between the samples and the file's own
//! curves.
//!
//! Reads the bundled sample, and files of each format from the corpus next to the repository. The 24 takes of a folder are
//! read in parallel, as the window reads them.

use criterion::{Criterion, criterion_group, criterion_main};
use posepress_core::import::{ImportOptions, LengthUnit, import_file};
use rayon::prelude::*;
use std::hint::black_box;
use std::path::{Path, PathBuf};

/// File or folder of the corpus, and its unit if the file does not give one.
const OF_CORPUS: [(&str, Option<LengthUnit>); 5] = [
    ("kaykit/Knight.glb", None),
    ("fox/Fox.glb", Some(LengthUnit::Centimetre)),
    ("pab/arnaud.fbx", None),
    ("pab/walk.fbx", None),
    ("bandai", Some(LengthUnit::Centimetre)),
];

/// The clip files of a folder, or the file itself.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "bvh"));
    files.sort();
    files
}

fn import(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = root.join("../shared/corpus");
    let of_corpus = OF_CORPUS.map(|(name, unit)| (name, corpus.join(name), unit));
    let mut group = criterion.benchmark_group("import");
    group.sample_size(20);
    for (name, path, unit) in
        of_corpus.into_iter().chain([("sample.glb", root.join("src/app/assets/sample.glb"), None)])
    {
        let files = files(&path);
        if files.is_empty() {
            eprintln!("{name} is missing: skipped");
            continue;
        }
        let options = ImportOptions { unit, ..ImportOptions::default() };
        let name = if files.len() > 1 { format!("{name}, {} files", files.len()) } else { name.to_owned() };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let read = files.par_iter().map(|file| import_file(file, &options).expect("a sound file"));
                black_box(read.map(|imported| imported.clips.len()).sum::<usize>())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
