//! Third-party notices list every crate that the program, the npm package and the Python package are built from.

use crate::project::project;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// A crate of `Cargo.lock`.
struct Locked {
    version: String,
    is_own: bool,
    dependencies: Vec<String>,
}

fn table(path: &str) -> Table {
    std::fs::read_to_string(project(path)).unwrap().parse().unwrap()
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap()
}

/// The crates of a lock file by name, each with its versions.
fn locked(lock: &str) -> BTreeMap<String, Vec<Locked>> {
    let mut all: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
    for package in table(lock)["package"].as_array().unwrap() {
        let listed = package.get("dependencies").and_then(Value::as_array);
        let dependencies = listed.into_iter().flatten().map(|line| line.as_str().unwrap().to_owned()).collect();
        let (version, is_own) = (text(package, "version").to_owned(), package.get("source").is_none());
        let locked = Locked { version, is_own, dependencies };
        all.entry(text(package, "name").to_owned()).or_default().push(locked);
    }
    all
}

/// Dependencies of a package of the workspace, without those of its tests.
fn normal_dependencies(name: &str) -> BTreeSet<String> {
    let manifest = match name.strip_prefix("posepress-") {
        Some(folder) => format!("src/{folder}/Cargo.toml"),
        None => "Cargo.toml".to_owned(),
    };
    let manifest = table(&manifest);
    let of_systems = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(|systems| systems.values());
    let lists = std::iter::once(manifest.get("dependencies")).chain(of_systems.map(|of| of.get("dependencies")));
    lists.flatten().filter_map(Value::as_table).flat_map(|list| list.keys().cloned()).collect()
}

/// `name version` of every third-party crate that these packages are built from.
fn shipped(lock: &str, built_from: &[&str]) -> BTreeSet<String> {
    let all = locked(lock);
    let (mut found, mut waiting) =
        (BTreeSet::new(), built_from.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let mut crates = BTreeSet::new();
    while let Some(line) = waiting.pop() {
        let (name, version) = line.split_once(' ').map_or((&*line, None), |(name, version)| (name, Some(version)));
        let versions = &all[name];
        let one = versions.iter().find(|one| version.is_none_or(|version| one.version == version)).unwrap();
        if !found.insert((name.to_owned(), one.version.clone())) {
            continue;
        }
        let normal = one.is_own.then(|| normal_dependencies(name));
        if !one.is_own {
            crates.insert(format!("{name} {}", one.version));
        }
        let is_needed = |line: &&String| {
            normal.as_ref().is_none_or(|normal| normal.contains(line.split(' ').next().unwrap_or_default()))
        };
        waiting.extend(one.dependencies.iter().filter(is_needed).cloned());
    }
    crates
}

/// Checks the crates of some notices, and returns the lines before the texts.
fn checked(notices: &str, shipped: &BTreeSet<String>) -> String {
    let text = std::fs::read_to_string(project(notices)).unwrap();
    let head = text.split("\n====").next().unwrap();
    let listed: BTreeSet<String> = head
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(crate_and_version, _)| crate_and_version.to_owned())
        .collect();
    let missing: Vec<&String> = shipped.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(shipped).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "{notices}: missing {missing:?}, gone {gone:?}: run scripts/notices.py"
    );
    head.to_owned()
}

#[test]
fn every_crate_of_the_program_its_page_and_its_module_stands_in_the_notices() {
    let notices = "src/app/assets/third-party-notices.txt";
    let shipped = shipped("Cargo.lock", &["posepress", "posepress-page", "posepress-web"]);
    assert!(shipped.len() > 100, "{} crates", shipped.len());
    let head = checked(notices, &shipped);
    let of_dirs = head.lines().find(|line| line.starts_with("option-ext ")).unwrap();
    let text = std::fs::read_to_string(project(notices)).unwrap();
    assert!(of_dirs.contains("MPL-2.0") && text.contains("Mozilla Public License Version 2.0"), "{of_dirs}");
}

#[test]
fn packages_of_npm_and_python_have_notices_of_their_own() {
    let module = shipped("Cargo.lock", &["posepress-web"]);
    assert!(module.len() > 5 && module.iter().any(|name| name.starts_with("talc ")), "{module:?}");
    checked("src/web/npm/third-party-notices.txt", &module);
    let python = shipped("src/python/Cargo.lock", &["posepress-python"]);
    assert!(python.iter().any(|name| name.starts_with("pyo3 ")), "{python:?}");
    checked("src/python/third-party-notices.txt", &python);
}
