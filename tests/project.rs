//! Paths of the project and the corpus, for tests of any package.
#![allow(dead_code)] // each test binary uses a part

use std::path::{Path, PathBuf};

/// A file or folder of the project.
pub fn project(path: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|folder| folder.join("CHANGELOG.md").exists()).expect("the project's folder").join(path)
}

/// The bundled sample.
pub fn sample() -> PathBuf {
    project("src/app/assets/sample.glb")
}

/// A file or folder of the corpus. `None` only with `POSEPRESS_CORPUS=none`, for machines without it.
///
/// # Panics
/// If it is missing without that variable: a test that silently tests nothing is worse than none.
pub fn corpus(path: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("POSEPRESS_CORPUS") {
        Some(none) if none == "none" => return None,
        Some(root) => PathBuf::from(root),
        None => project("../shared/corpus"),
    };
    let found = root.join(path);
    assert!(
        found.exists(),
        "{} is missing: set POSEPRESS_CORPUS to the corpus, or to 'none' to leave its tests out",
        found.display()
    );
    Some(found)
}
