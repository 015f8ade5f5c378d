//! Digests the code that imports, compresses and measures. Results in a store are keyed by it, so that a changed program never uses the
//! results of an older one.

use std::path::{Path, PathBuf};

/// Code that decides results, and the versions of the crates it uses. In a published package only the first exists; its dependencies are
/// then given by the package's version.
const PLACES: [&str; 3] = [".", "../runtime", "../../Cargo.lock"];

fn main() {
    let mut files = Vec::new();
    for place in PLACES.map(Path::new).into_iter().filter(|place| place.exists()) {
        println!("cargo::rerun-if-changed={}", place.display());
        collect(place, &mut files);
    }
    files.sort();
    let mut digest = blake3::Hasher::new();
    digest.update(env!("CARGO_PKG_VERSION").as_bytes());
    for file in files {
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        digest.update(file.to_string_lossy().replace('\\', "/").as_bytes());
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
    }
    println!("cargo::rustc-env=POSEPRESS_CODE_DIGEST={}", &digest.finalize().to_hex()[..32]);
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    let is_code = |path: &Path| path.extension().is_some_and(|extension| extension == "rs" || extension == "lock");
    if place.is_file() {
        files.extend(is_code(place).then(|| place.to_owned()));
        return;
    }
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}
