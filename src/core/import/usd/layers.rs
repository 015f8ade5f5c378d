//! The layers of a stage: the file, files beside it, and the entries of packages. Layers are checked before they are parsed.

use super::prims::damaged;
use super::{Ask, Budget, Fault, arcs, crate_file, readable, text_depth};
use crate::import::beside::FilesBeside;
use openusd::ar::{self, Asset, ResolvedPath, Resolver};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, copy};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Extension of packages.
const PACKAGE: &str = ".usdz";

/// Words of layers with references inside.
const REFERRING: [&str; 4] = ["references", "payload", "inherits", "specializes"];

/// Finds layers by name, relative to the folder of the file.
#[derive(Debug, Clone)]
pub(super) struct Layers(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    root: String,
    bytes: Rc<Vec<u8>>,
    beside: FilesBeside,
    budget: Rc<Budget>,
    /// Layers that cannot be used, with the reason.
    faults: RefCell<BTreeMap<String, Fault>>,
}

impl Layers {
    /// The layers of a file.
    pub fn new(path: &Path, bytes: Vec<u8>, budget: Rc<Budget>) -> Self {
        let root = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (bytes, beside) = (Rc::new(bytes), FilesBeside::new(path));
        Self(Rc::new(Inner { root, bytes, beside, budget, faults: RefCell::default() }))
    }

    /// Name of the file.
    pub fn root(&self) -> &str {
        &self.0.root
    }

    /// The reason that the file itself cannot be used.
    pub fn root_fault(&self) -> Option<Fault> {
        let faults = self.0.faults.borrow();
        faults.iter().find(|(name, _)| name.starts_with(&self.0.root)).map(|(_, fault)| fault.clone())
    }

    /// The place in the file of the error that ended its parsing, if it is text.
    pub fn place_of_error(&self) -> Option<String> {
        text_depth::check(&self.0.bytes, &self.0.budget).ok().and_then(text_depth::place_of_error)
    }

    /// Other layers that cannot be used, with the reasons.
    pub fn missing(&self) -> Vec<(String, Fault)> {
        self.0.faults.borrow().iter().map(|(name, fault)| (name.clone(), fault.clone())).collect()
    }

    /// External files that were read.
    pub fn places(&self) -> Vec<PathBuf> {
        self.0.beside.places()
    }

    fn note(&self, name: &str, fault: Fault) {
        self.0.faults.borrow_mut().entry(name.to_owned()).or_insert(fault);
    }

    fn bytes(&self, name: &str) -> Result<Rc<Vec<u8>>, Fault> {
        if let Some((package, entry)) = ar::split_package_relative_path_outer(name) {
            return self.unpack(&package, &entry).map(Rc::new);
        }
        if name == self.0.root {
            return Ok(self.0.bytes.clone());
        }
        self.0.beside.load_name(name, |bytes| self.0.budget.bring(bytes))
    }

    fn unpack(&self, package: &str, entry: &str) -> Result<Vec<u8>, Fault> {
        let broken = |error: &dyn std::fmt::Display| Fault::new(format!("the package is damaged: {error}"));
        let bytes = self.bytes(package)?;
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|e| broken(&e))?;
        let mut file = archive.by_name(entry).map_err(|error| broken(&error).at(readable(entry)))?;
        // Entries of packages are not compressed, so none is larger than the package.
        let mut out = Vec::new();
        copy(&mut file.by_ref().take(bytes.len() as u64), &mut out).map_err(|error| broken(&error))?;
        if file.read(&mut [0]).map_err(|error| broken(&error))? > 0 {
            return Err(
                Fault::new("an entry of the package is compressed; expected entries as they are").at(readable(entry))
            );
        }
        self.0.budget.claim(Ask::Named, out.len() as u64)?;
        Ok(out)
    }

    /// The bytes of a layer that is safe to parse. Packages are only searched.
    fn checked(&self, name: &str) -> Result<Rc<Vec<u8>>, Fault> {
        let bytes = self.bytes(name)?;
        match () {
            () if name.to_lowercase().ends_with(PACKAGE) => {}
            () if bytes.starts_with(openusd::usdc::MAGIC) => {
                crate_file::check(&bytes, &self.0.budget)?;
                let layer = openusd::usdc::CrateData::open(Cursor::new(bytes.as_slice()), true).map_err(damaged)?;
                arcs::check(&layer, &self.0.budget)?;
            }
            () => {
                let text = text_depth::check(&bytes, &self.0.budget)?;
                if REFERRING.iter().any(|word| text.contains(word)) {
                    arcs::check(&openusd::usda::parse(text).map_err(damaged)?, &self.0.budget)?;
                }
            }
        }
        Ok(bytes)
    }
}

impl Resolver for Layers {
    fn create_identifier(&self, asset: &str, anchor: Option<&ResolvedPath>) -> String {
        let anchor = anchor.map(ToString::to_string).unwrap_or_default();
        match ar::split_package_relative_path_outer(&anchor) {
            _ if asset.is_empty() => String::new(),
            Some((package, entry)) => ar::join_package_relative_path(&package, &beneath(&entry, asset)),
            None if anchor.to_lowercase().ends_with(PACKAGE) => ar::join_package_relative_path(&anchor, asset),
            None => beneath(&anchor, asset),
        }
    }

    fn resolve(&self, name: &str) -> Option<ResolvedPath> {
        self.bytes(name).map_err(|fault| self.note(name, fault)).ok().map(|_| ResolvedPath::new(name))
    }

    fn resolve_for_new_asset(&self, _: &str) -> Option<ResolvedPath> {
        None
    }

    fn open_asset(&self, place: &ResolvedPath) -> io::Result<Box<dyn Asset>> {
        let name = place.to_string();
        let bytes = self.checked(&name).map_err(|fault| {
            let error = io::Error::other(fault.to_string());
            self.note(&name, fault);
            error
        })?;
        Ok(Box::new(Cursor::new(bytes.to_vec())))
    }

    fn get_modification_timestamp(&self, _: &str, _: &ResolvedPath) -> Option<std::time::SystemTime> {
        None
    }
}

/// An asset that a layer names, relative to the folder of the first layer.
fn beneath(layer: &str, asset: &str) -> String {
    if asset.starts_with(['/', '\\']) || asset.contains(':') {
        return asset.to_owned(); // refused as lying elsewhere
    }
    let mut parts: Vec<&str> = layer.split('/').collect();
    parts.pop();
    for part in asset.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, parts.last()) {
            ("..", Some(above)) if *above != ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_lie_beneath_the_layer_that_names_them() {
        for (layer, asset, name) in [
            ("a.usda", "./b.usda", "b.usda"),
            ("sub/a.usda", "b.usda", "sub/b.usda"),
            ("sub/a.usda", "../b.usda", "b.usda"),
            ("a.usda", "../b.usda", "../b.usda"),
            ("a.usda", "/b.usda", "/b.usda"),
        ] {
            assert_eq!(beneath(layer, asset), name, "{asset} of {layer}");
        }
    }
}
