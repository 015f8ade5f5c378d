use super::layers::Layers;
use super::prims::{Prims, damaged};
use super::scene::Scene;
use super::{Budget, Fault, Finding, readable};
use openusd::usd::Stage;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;

/// Stack of the thread that reads a stage: layers and prims nest.
const STACK_BYTES: usize = 128 << 20;
/// Errors of a stage that are listed.
const LISTED: usize = 8;

/// A stage as plain data.
#[derive(Debug)]
pub(super) struct Opened {
    pub scene: Scene,
    pub budget: Budget,
    pub beside: Vec<PathBuf>,
    pub findings: Vec<Finding>,
}

/// Reads a stage on a thread of its own, so that a panic of the crate is an error of the file.
pub(super) fn open(path: &Path, bytes: Vec<u8>) -> Result<Opened, Fault> {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("USD reader".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || read(path, bytes));
        let thread = thread.map_err(|error| {
            Fault::new(format!("no thread could be started to read it: {error}")).advise("Close other programs")
        })?;
        thread.join().unwrap_or_else(|_| {
            let what = "it is damaged, or holds something that the reader of USD does not know";
            Err(Fault::new(what).advise("Export the file again, or convert it to .usda"))
        })
    })
}

fn read(path: &Path, bytes: Vec<u8>) -> Result<Opened, Fault> {
    let budget = Rc::new(Budget::new(bytes.len()));
    let layers = Layers::new(path, bytes, budget.clone());
    let stage = Stage::builder().resolver(layers.clone()).open(layers.root());
    let stage = stage.map_err(|error| {
        let fault = layers.root_fault().unwrap_or_else(|| damaged(error));
        layers.place_of_error().into_iter().fold(fault, Fault::at)
    })?;
    let mut findings = Vec::new();
    let scene = Scene::read(&stage, &Prims { stage: &stage, budget: &budget }, &mut findings)?;
    let missing = layers.missing();
    if scene.skeletons.is_empty() {
        return Err(no_skeleton(missing));
    }
    findings.extend(missing.iter().map(|(name, fault)| {
        let what = format!("the layer '{}' cannot be used: {fault}", readable(name));
        Finding::warning("file", what, "What it holds is missing.")
    }));
    findings.extend(errors(&stage, &missing));
    let beside = layers.places();
    drop((stage, layers));
    let budget = Rc::try_unwrap(budget).unwrap_or_else(|_| Budget::new(0));
    Ok(Opened { scene, budget, beside, findings })
}

fn no_skeleton(missing: Vec<(String, Fault)>) -> Fault {
    match missing.into_iter().next() {
        Some((_, fault)) => fault.of("the file has no skeleton, and a layer of it cannot be used"),
        None => Fault::new("the file has no skeleton: no prim of type Skeleton is active")
            .advise("Export it with its skeleton"),
    }
}

/// Errors of the composition, without those about layers that are missing.
fn errors(stage: &Stage, missing: &[(String, Fault)]) -> Vec<Finding> {
    let errors = stage.composition_errors().into_iter().map(|error| readable(&error.to_string()));
    let is_new = |error: &String| missing.iter().all(|(name, _)| !error.contains(name.as_str()));
    let finding = |error| {
        let what = format!("a part of the stage is not as its layers say: {error}");
        Finding::warning("file", what, "It was left out. Check the file in its editor.")
    };
    errors.filter(is_new).take(LISTED).map(finding).collect()
}
