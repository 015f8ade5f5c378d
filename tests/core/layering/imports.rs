//! The source files of the workspace, and the files that each of them names.

use super::source::{Path, Source};
use crate::project::project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A file under `src`.
pub struct File {
    /// Path below `src`, with forward slashes.
    pub name: String,
    /// Its crate, then its module path in the crate.
    pub module: Path,
    pub source: Source,
    pub lines: usize,
}

/// Folders of `src`, and the crates with their root there. The root of the program is next to its folder.
const CRATES: [(&str, &str); 6] = [
    ("runtime", "posepress_runtime"),
    ("core", "posepress_core"),
    ("app", "posepress_app"),
    ("capi", "posepress_capi"),
    ("web", "posepress_web"),
    ("python/native", "posepress_python"),
];
const PROGRAM: &str = "posepress_cli";

/// All files, read once.
pub struct House {
    pub files: Vec<File>,
    at: BTreeMap<Path, usize>,
}

/// The source files of this checkout.
pub fn house() -> &'static House {
    static HOUSE: LazyLock<House> = LazyLock::new(|| House::of(read()));
    &HOUSE
}

impl House {
    pub fn of(texts: Vec<(String, String)>) -> Self {
        let files: Vec<File> = texts
            .into_iter()
            .map(|(name, text)| File {
                module: module_of(&name),
                lines: text.lines().count(),
                source: Source::of(&text),
                name,
            })
            .collect();
        let at = files.iter().enumerate().map(|(at, file)| (file.module.clone(), at)).collect();
        Self { files, at }
    }

    /// Indices of the files that define the names in a file, without itself. Names that it only re-exports (`pub use`) do not count.
    pub fn named_by(&self, from: usize) -> BTreeSet<usize> {
        let File { module, source, .. } = &self.files[from];
        let imports = source.imports.values().chain(&source.globs).filter(|import| !import.is_shown);
        let paths = imports.map(|import| &import.path).chain(&source.paths);
        let found = paths.filter_map(|path| self.definer(module, path, &mut BTreeSet::new()));
        found.filter(|to| *to != from).collect()
    }

    /// The file that defines the meaning of a path in a module. `None` for paths outside the workspace.
    fn definer(&self, module: &[String], path: &[String], seen: &mut BTreeSet<(Path, Path)>) -> Option<usize> {
        if !seen.insert((module.to_vec(), path.to_vec())) {
            return None;
        }
        let (first, rest) = path.split_first()?;
        match &**first {
            "crate" | "$crate" => self.walk(&module[..1], rest, seen),
            "self" => self.walk(module, rest, seen),
            "super" => self.walk(&module[..module.len() - 1], rest, seen),
            name if self.at.contains_key(std::slice::from_ref(first)) && name != PROGRAM => {
                self.walk(std::slice::from_ref(first), rest, seen)
            }
            _ => self.named_in(module, path, seen),
        }
    }

    /// Follows a path down from a module.
    fn walk(&self, module: &[String], path: &[String], seen: &mut BTreeSet<(Path, Path)>) -> Option<usize> {
        let own = self.at.get(module).copied();
        match path.first().map(String::as_str) {
            None => own,
            Some("super") => self.walk(&module[..module.len() - 1], &path[1..], seen),
            // A name that is not found comes from a macro there.
            Some(_) => self.named_in(module, path, seen).or(own),
        }
    }

    /// The definition of a path that starts with a name in a module: a child, an item, or an import.
    fn named_in(&self, module: &[String], path: &[String], seen: &mut BTreeSet<(Path, Path)>) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let own = *self.at.get(module)?;
        let source = &self.files[own].source;
        let child = [module, std::slice::from_ref(first)].concat();
        if self.at.contains_key(&child) {
            return self.walk(&child, rest, seen);
        }
        if source.items.contains(first) || source.children.contains(first) {
            return Some(own);
        }
        if let Some(import) = source.imports.get(first) {
            return self.definer(module, &[&import.path, rest].concat(), seen);
        }
        source.globs.iter().find_map(|glob| self.through(module, &glob.path, path, seen))
    }

    /// The definition of a path in the module of a glob import. `None` if the module has no such name.
    fn through(
        &self,
        module: &[String],
        glob: &[String],
        path: &[String],
        seen: &mut BTreeSet<(Path, Path)>,
    ) -> Option<usize> {
        let to = self.definer(module, glob, seen)?;
        self.named_in(&self.files[to].module, path, seen)
    }
}

fn module_of(name: &str) -> Path {
    let path = name.trim_end_matches(".rs");
    let (root, inner) = match CRATES.iter().find_map(|(folder, root)| Some((*root, path.strip_prefix(folder)?))) {
        Some((root, inner)) => (root, inner.trim_start_matches('/')),
        None => (PROGRAM, path),
    };
    let parts = inner.split('/').filter(|part| !["lib", "mod", ""].contains(part));
    std::iter::once(root).chain(parts).map(str::to_owned).collect()
}

fn src() -> PathBuf {
    project("src")
}

fn read() -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut folders = vec![src()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(src()).unwrap().to_string_lossy().replace('\\', "/");
                out.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(out.len() > 20, "only {} files under src", out.len());
    out.sort();
    out
}
