//! The work on one file and on one clip.

use super::inputs::Input;
use super::planner::{Listed, PlannedClip, PlannedFile, Planner};
use crate::cli::load::{LoadedFile, NamedClip, choose_clips, put_on_bases, say_findings};
use crate::cli::work::compress_one;
use crate::cli::{ClipArgs, Console, Failure, Output, say};
use posepress_core::batch::{
    BesideFile, ClipNumbers, FileListing, FileRecord, FileStamp, ListedClip, LostClip, StoredHead, clip_entry,
};
use posepress_core::files;
use posepress_core::import::ImportOptions;
use posepress_core::model::{Rig, SourceDigest};
use posepress_core::pipeline::{guard, rig_digest};
use posepress_core::store::Subjects;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A file after its import.
pub struct FileJob {
    /// Its clips.
    pub listed: Listed,
    /// Its record for the index. `None` if the system gives no times.
    pub record: Option<FileRecord>,
    /// False if a clip was dropped after it was read. A later run may have it.
    pub is_whole: bool,
    /// The clips without a result, and what they hold.
    pub tasks: Vec<(PlannedClip, NamedClip)>,
}

/// Imports a file, and finds its clips.
pub fn load(planner: &Planner, file: &PlannedFile) -> Result<FileJob, String> {
    let mut job = guard(|| read(planner, file)).map_err(|error: Failure| error.to_string())?;
    for clip in &mut job.listed.clips {
        planner.look_up_clip(&file.input.label, clip, false).iter().for_each(say);
    }
    let is_open = |(planned, _): &(PlannedClip, NamedClip)| {
        job.listed.clips.iter().any(|clip| clip.name == planned.name && clip.is_open())
    };
    job.tasks.retain(is_open);
    Ok(job)
}

/// A file that was imported.
pub struct Imported {
    /// The file.
    pub file: LoadedFile,
    /// Its clips, on their bases.
    pub clips: Vec<NamedClip>,
    /// Messages about them, one per line.
    pub messages: String,
    /// The options with which it was read.
    pub options: ImportOptions,
}

/// Imports a file, with the marks of the project.
pub fn import(planner: &Planner, input: &Input) -> Result<Imported, Failure> {
    let known = planner.known_now(input)?;
    let options = planner.import_options(input, known);
    let mut file = planner.loader.load_as(&input.path, &options)?;
    known.iter().for_each(|known| known.mark(&mut file));
    let mut messages = Vec::new();
    let mut nowhere = Output::new(std::io::sink());
    let mut console = Console { out: &mut nowhere, messages: &mut messages, painter: None };
    say_findings(&file, &mut console);
    put_on_bases(std::slice::from_mut(&mut file), &mut console);
    known.iter().for_each(|known| known.mark_loops(&mut file));
    let clips = match file.clips.is_empty() {
        true => Vec::new(),
        false => choose_clips(std::slice::from_ref(&file), &ClipArgs::default())?,
    };
    Ok(Imported { file, clips, messages: String::from_utf8_lossy(&messages).into_owned(), options })
}

/// The clips of a file on its rig without textures. Nothing is measured of textures.
pub fn without_images(clips: Vec<NamedClip>) -> Vec<NamedClip> {
    let Some(rig) = clips.first().map(|clip| clip.rig.clone()) else { return clips };
    let light = Arc::new(Rig { images: Vec::new(), ..Rig::clone(&rig) });
    let lighten = |clip: NamedClip| match Arc::ptr_eq(&clip.rig, &rig) {
        true => NamedClip { rig: light.clone(), ..clip },
        false => clip,
    };
    clips.into_iter().map(lighten).collect()
}

fn read(planner: &Planner, file: &PlannedFile) -> Result<FileJob, Failure> {
    let (path, before, began) = (&file.input.path, stamp(&file.input.path), SystemTime::now());
    let Imported { file: loaded, clips: named, messages, .. } = import(planner, &file.input)?;
    let named = without_images(named);
    planner.say_once(&messages);
    let beside = beside_files(planner, &loaded, began)?;
    if stamp(path) != before {
        return Err(Failure::input(CHANGED));
    }
    let digest = loaded.digest.to_string();
    let rig = digest_of(&loaded.rig);
    let lost = loaded.findings.iter().filter(|finding| finding.is_left_out);
    let lost = lost.map(|finding| LostClip { name: finding.subject.clone(), reason: finding.what.clone() }).collect();
    let listing = FileListing { clips: listed(&named), lost, rig, beside };
    let key = planner.listing_key(&file.input, &digest);
    let clips = planner.clips(&file.input, &file.sidecar, &digest, &listing);
    let clips: Vec<PlannedClip> = clips.into_iter().map(|clip| as_planned(file, clip)).collect();
    let is_whole = loaded.lost.is_empty();
    if is_whole {
        let entry = StoredHead::Listing(listing.clone()).entry(Vec::new());
        planner.store.put(&key, &entry).map_err(Failure::input)?;
    }
    let tasks = clips.iter().cloned().zip(named).collect();
    let lost = listing.lost.iter().cloned().chain(loaded.lost).collect();
    let listed = Listed { clips, lost, rig: listing.rig.clone() };
    let listing = is_whole.then_some((key, listing));
    let record = before.map(|stamp| FileRecord { stamp, digest, listing });
    Ok(FileJob { listed, record, is_whole, tasks })
}

fn listed(clips: &[NamedClip]) -> Vec<ListedClip> {
    let mut subjects = Subjects::default();
    let mut listed = |named: &NamedClip| {
        let subject = subjects.of(&named.rig, &named.clip);
        ListedClip { name: named.name.clone(), subject, tags: named.clip.tags().to_vec() }
    };
    clips.iter().map(&mut listed).collect()
}

/// A clip with the recipe of the plan, for which a budget may have chosen the tolerance. A clip that changed since has its own.
fn as_planned(file: &PlannedFile, clip: PlannedClip) -> PlannedClip {
    let planned = file.clips().iter().find(|planned| planned.name == clip.name && planned.subject == clip.subject);
    planned.cloned().unwrap_or(clip)
}

/// Digest of the parts of a rig by which clips share a container.
fn digest_of(rig: &Rig) -> String {
    let floats = rig.float_names.join("\0");
    SourceDigest::of(&[&rig_digest(rig)[..], floats.as_bytes()].concat()).to_string()
}

/// The reason of a file that is not what was hashed.
const CHANGED: &str = "it, or a file beside it, changed while it was read. Run again";

fn stamp(path: &Path) -> Option<FileStamp> {
    path.metadata().ok().and_then(|about| FileStamp::of(&about))
}

/// The files that were read with a file, without those of the rig of the options.
fn beside_files(planner: &Planner, loaded: &LoadedFile, began: SystemTime) -> Result<Vec<BesideFile>, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let folder = absolute(&loaded.path).parent().map(PathBuf::from).unwrap_or_default();
    let is_of_rig = |path: &PathBuf| planner.loader.rig_files().any(|of_rig| of_rig == path);
    let one = |path: &PathBuf| {
        let bytes = files::read(path).map_err(|error| Failure::file(path, error))?;
        if stamp(path).is_some_and(|stamp| SystemTime::UNIX_EPOCH + stamp.changed > began) {
            return Err(Failure::input(CHANGED));
        }
        let path = absolute(path);
        let path = path.strip_prefix(&folder).map(Path::to_path_buf).unwrap_or(path);
        Ok(BesideFile { path, digest: SourceDigest::of(&bytes).to_string() })
    };
    loaded.beside.iter().filter(|path| !is_of_rig(path)).map(one).collect()
}

/// Compresses a clip and adds it to the store.
pub fn compress(planner: &Planner, planned: &PlannedClip, clip: &NamedClip) -> Result<ClipNumbers, String> {
    let recipe = planned.recipe.as_ref().map_err(String::clone)?;
    let made = compress_one(clip, recipe, |_, worked| clip_entry(&worked.report, &worked.sides))?;
    let (entry, numbers) = made.ok_or("it has no bytes of its own")?;
    planner.store.put(&planned.key, &entry).map_err(|error| error.to_string())?;
    Ok(numbers)
}
