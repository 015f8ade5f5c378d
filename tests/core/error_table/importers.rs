//! The table of importer errors: the smallest input for each place in their code that refuses something.

use super::sites::{Site, sites};
use super::{bvh, fbx, files, gltf, ozz, riot};
use posepress_core::export::{ExportClip, ExportTarget, by_key};
use posepress_core::import::{ImportError, Imported};
use posepress_core::model::{Clip, Rig};

/// Places that no input reaches: their file, the start of their words, and their reason.
const UNREACHED: &[(&str, &str, &str)] = &[
    (
        "fbx/open.rs",
        "memory does not suffice",
        "needs a file as large as the memory; the command line is tested with little memory",
    ),
    ("fbx/mesh.rs", "its skin names a bone that", "ufbx leaves out clusters without a bone"),
    ("fbx/mesh.rs", "it has no face", "ufbx checks the faces of the parts that it makes"),
    ("fbx/mesh.rs", "it has {} joints", "needs 65,536 clusters: tens of megabytes of text"),
    ("gltf/mesh.rs", "its joint, node", "a skin whose joints are not all read shows no mesh"),
    #[cfg(feature = "usd")]
    ("usd/open.rs", "no thread could be started", "needs a system without threads"),
    #[cfg(feature = "usd")]
    (
        "usd/crate_file.rs",
        "its paths are no tree",
        "the unit tests of the file reach it; the writer of the crate writes trees",
    ),
    #[cfg(feature = "usd")]
    ("usd/crate_values.rs", "its values share each other", "the unit tests of the file reach it"),
    #[cfg(not(unix))]
    ("beside.rs", "'{name}' is a link", "links need more rights than tests have"),
    ("gltf/accessor.rs", "{count} elements do not fit", "the budget refuses so many first where a size has 64 bits"),
];

/// Messages of the importers for the inputs of a table.
#[derive(Debug, Default)]
pub struct Said {
    /// Messages that match their rows.
    messages: Vec<String>,
    /// Messages that do not match.
    wrong: Vec<String>,
}

impl Said {
    /// An input that is refused with its place in the file and a remedy.
    pub fn refused<T>(&mut self, read: Result<T, ImportError>, parts: &[&str]) {
        let has_place = read.as_ref().err().is_none_or(|error| error.at.is_some() || error.what.contains(" at byte "));
        self.expect(has_place, "a place in the file", &read);
        self.refused_whole(read, parts);
    }

    /// An input that is wrong as a whole, so that it has a remedy but no place.
    pub fn refused_whole<T>(&mut self, read: Result<T, ImportError>, parts: &[&str]) {
        let has_advice = read.as_ref().err().is_none_or(|error| error.advice.is_some());
        self.expect(has_advice, "what to do", &read);
        self.claim(read.err().iter().map(ToString::to_string).collect(), parts);
    }

    /// An input that is read except for a part.
    pub fn left_out(&mut self, read: Result<Imported, ImportError>, parts: &[&str]) {
        let findings = match &read {
            Ok(read) => read.findings.as_slice(),
            Err(_) => &[],
        };
        self.expect(read.is_ok(), "to be read but for that part", &read);
        let said = findings.iter().map(|found| format!("{}: {}. {}", found.subject, found.what, found.meaning));
        self.claim(said.collect(), parts);
    }

    /// Plays an exported file with another rig or other clips than it was written from. Only this program can do that.
    pub fn unplayable(&mut self, format: &str, bytes: &[u8], rig: &Rig, clips: &[&Clip], parts: &[&str]) {
        let clips: Vec<ExportClip<'_>> = clips.iter().map(|clip| ExportClip::raw(clip)).collect();
        let played = by_key(format).unwrap().play(bytes, rig, &clips, &ExportTarget::default());
        self.claim(played.err().iter().map(ToString::to_string).collect(), parts);
    }

    fn expect<T>(&mut self, is_so: bool, what: &str, read: &Result<T, ImportError>) {
        if let (false, Err(error)) = (is_so, read) {
            self.wrong.push(format!("expected {what}: {error}"));
        }
    }

    fn claim(&mut self, messages: Vec<String>, parts: &[&str]) {
        let says = |message: &&String| parts.iter().all(|part| message.contains(part));
        match messages.iter().find(says) {
            Some(message) => self.messages.push(message.clone()),
            None => self.wrong.push(format!("expected {parts:?}: {messages:#?}")),
        }
    }

    fn reaches(&self, site: &Site) -> bool {
        self.messages.iter().any(|message| site.can_say(message))
    }
}

/// The tables, by folder of the importer.
fn tables() -> Vec<(&'static str, Said)> {
    vec![
        ("", files::table()),
        ("bvh/", bvh::table()),
        ("fbx/", fbx::table()),
        ("gltf/", gltf::table()),
        ("ozz/", ozz::table()),
        ("riot/", riot::table()),
        #[cfg(feature = "usd")]
        ("usd/", super::usd::table()),
    ]
}

#[test]
fn every_refusal_of_the_importers_has_an_input_that_reaches_it() {
    let (tables, sites) = (tables(), built(sites()));
    let wrong: Vec<&str> = tables.iter().flat_map(|(_, said)| &said.wrong).map(String::as_str).collect();
    // A message of one importer's code does not count for another importer. A message of shared code counts for all.
    let is_own = |site: &Site, folder: &str| {
        site.file.starts_with(folder) || !tables.iter().skip(1).any(|(of, _)| site.file.starts_with(of))
    };
    let is_reached = |site: &&Site| tables.iter().any(|(folder, said)| is_own(site, folder) && said.reaches(site));
    let (reached, missing): (Vec<&Site>, Vec<&Site>) = sites.iter().partition(is_reached);
    let is_argued = |site: &Site| UNREACHED.iter().any(|(file, start, _)| site.is(file, start));
    let missing: Vec<String> = missing.into_iter().filter(|site| !is_argued(site)).map(Site::to_string).collect();
    assert!(
        wrong.is_empty(),
        "{} rows say something else\n{}\nno input reaches\n{}",
        wrong.len(),
        wrong.join("\n"),
        missing.join("\n")
    );
    assert!(missing.is_empty(), "no input reaches these: add one to the table\n{}", missing.join("\n"));
    for (file, start, _) in UNREACHED {
        assert!(sites.iter().any(|site| site.is(file, start)), "there is no {file}: {start}");
        assert!(!reached.iter().any(|site| site.is(file, start)), "{file}: {start} is reached after all");
    }
}

/// Sites of the importers that are built.
fn built(sites: Vec<Site>) -> Vec<Site> {
    sites.into_iter().filter(|site| cfg!(feature = "usd") || !site.file.starts_with("usd/")).collect()
}

#[test]
fn every_fault_has_words_of_its_own() {
    let passed_on: Vec<String> = sites().iter().filter(|site| site.words.is_none()).map(Site::to_string).collect();
    assert!(passed_on.is_empty(), "make it a From, and its enum a part of the table\n{}", passed_on.join("\n"));
}
