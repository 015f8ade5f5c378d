//! Archives of ozz-animation: skeletons, and clips without joint names. A clip is read with the skeleton in its folder that has the same
//! number of joints.

mod archive;
mod clip;
mod skeleton;

pub(crate) use archive::{ANIMATION, Kind, LITTLE_ENDIAN, SKELETON};

use super::beside::FilesBeside;
use super::playing::{FilePlayer, Written};
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::{Budget, Fault, ImportError, ImportOptions, Imported, Importer, checks, readable, stem};
use crate::files;
use crate::math::Transform;
use crate::model::{Rig, Skeleton};
use archive::head;
use clip::OzzClip;
use std::borrow::Cow;
use std::path::Path;

const EXTENSION: &str = "ozz";

/// Reads `.ozz`.
#[derive(Debug)]
pub(super) struct Ozz;

impl Importer for Ozz {
    fn name(&self) -> &'static str {
        "ozz"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[EXTENSION]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, &bytes, options).map_err(|fault| fault.advise("Build the archive again").in_file(path))
    }
}

fn import(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, Fault> {
    let (kind, content) = head(bytes)?;
    let budget = Budget::new(bytes.len());
    let beside = FilesBeside::new(path);
    let (skeleton, clips) = match kind {
        Kind::Skeleton => (skeleton::read(content)?, Vec::new()),
        Kind::Animation => {
            let clip = OzzClip::read(content, stem(path))?;
            (skeleton_for(path, &clip, &beside, &budget)?, vec![clip])
        }
    };
    let metres = options.metres();
    let locals: Vec<Transform> = skeleton.joints().iter().map(|joint| scaled(joint.bind, metres)).collect();
    let raised = |(joint, &local): (usize, &Transform)| match skeleton.parent(joint) {
        None => options.up().raise(local),
        Some(_) => local,
    };
    let binds: Vec<Transform> = locals.iter().enumerate().map(raised).collect();
    let joints = skeleton.joints().iter().zip(binds).map(|(joint, bind)| crate::model::Joint { bind, ..joint.clone() });
    let skeleton = Skeleton::new(joints.collect())?;
    let rig = Rig::from_skeleton(stem(path), skeleton);
    let clips: Vec<OzzClip> = clips.into_iter().map(|clip| clip.scaled(metres)).collect();
    let shells_m = sampling::shells_m(&rig);
    let rest = Rest { rig: &rig, joints: &locals, floats: &[], up: options.up(), shells_m: &shells_m };
    let mut findings = Vec::new();
    let Sampled { clips: sampled, clip_bytes } = resample_all(&clips, rest, options, &budget, &mut findings)?;
    checks::check(&rig, &sampled, options, metres, &mut findings);
    Ok(Imported { rig, clips: sampled, clip_bytes, findings, beside: beside.places() })
}

/// The player of a written animation. `places` has the track index per joint of the rig.
pub(crate) fn play(bytes: &[u8], places: Vec<usize>, of: Written<'_>) -> Result<FilePlayer, ImportError> {
    let open = || match head(bytes)? {
        (Kind::Animation, content) => {
            let clip = OzzClip::read(content, String::new())?;
            if places.iter().any(|place| *place >= clip.tracks()) {
                return Err(Fault::new(format!("it moves {} joints; the rig has {}", clip.tracks(), places.len())));
            }
            let rest = vec![Transform::IDENTITY; clip.tracks()];
            Ok(FilePlayer::new(Box::new(clip), places, rest, of))
        }
        _ => Err(Fault::new("it is not an animation")),
    };
    open().map_err(|fault| fault.in_file(Path::new("the ozz animation")))
}

fn scaled(local: Transform, metres: f32) -> Transform {
    Transform { translation: local.translation * metres, ..local }
}

/// The skeleton in the clip's folder with the clip's number of joints. Among several different ones, the first whose name is a prefix of
/// the clip's name.
fn skeleton_for(path: &Path, clip: &OzzClip, beside: &FilesBeside, budget: &Budget) -> Result<Skeleton, Fault> {
    let mut fitting: Vec<(String, Skeleton)> = Vec::new();
    for name in skeletons_beside(path) {
        let bytes = beside.load_name(&name, |bytes| budget.bring(bytes))?;
        let read = head(&bytes).and_then(|(_, content)| skeleton::read(content));
        let skeleton = read.map_err(|fault| fault.at(format!("the skeleton '{}' beside it", readable(&name))))?;
        if skeleton.len() == clip.tracks() && fitting.iter().all(|(_, known)| *known != skeleton) {
            fitting.push((name, skeleton));
        }
    }
    let own = stem(path).to_lowercase();
    let is_named = |(name, _): &&(String, Skeleton)| own.starts_with(&stem(Path::new(name)).to_lowercase());
    let tracks = clip.tracks();
    match fitting.as_slice() {
        [(_, only)] => Ok(only.clone()),
        [] => {
            let what = format!(
                "it moves {tracks} joints without names, and no ozz skeleton of {tracks} joints is in its folder"
            );
            Err(Fault::new(what).advise("Copy the skeleton that it was built for into its folder"))
        }
        several => several.iter().find(is_named).map(|(_, skeleton)| skeleton.clone()).ok_or_else(|| {
            let names: Vec<String> = several.iter().map(|(name, _)| readable(name)).collect();
            let what = format!("it moves {tracks} joints without names; its folder has {}", names.join(", "));
            Fault::new(what).advise("Leave only the skeleton that it was built for in its folder")
        }),
    }
}

/// Sorted names of the skeletons in a clip's folder. Reads only the first bytes of each `.ozz` file.
fn skeletons_beside(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_skeleton = |file: &Path| {
        let start = files::read_start(file, 32);
        start.is_ok_and(|start| matches!(head(&start), Ok((Kind::Skeleton, _))))
    };
    let is_ozz = |file: &Path| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(EXTENSION));
    let skeletons = files.filter(|file| is_ozz(file) && file.is_file() && is_skeleton(file));
    let mut names: Vec<String> = skeletons.filter_map(|file| Some(file.file_name()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}
