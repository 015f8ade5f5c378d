//! Riot's compressed animations, `r3d2canm`. They have keys and hashes of joint names, but no rig. Such a clip moves any rig with joints of
//! these names.

mod clip;
mod hash;
mod head;

pub(crate) use hash::joint_hash;
pub use hash::{lacks_rig, named_hash};
pub(crate) use head::{
    FOLLOWS_TIMES as RIOT_FOLLOWS_TIMES, JOINT_BITS as RIOT_JOINT_BITS, JUMP_KEYS as RIOT_JUMP_KEYS,
    MAGIC as RIOT_MAGIC, PLACES_START as RIOT_PLACES_START, SHORT_FRAMES as RIOT_SHORT_FRAMES,
};

use super::motion::Motion;
use super::playing::{FilePlayer, Written};
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::{Budget, Fault, Finding, ImportError, ImportOptions, Imported, Importer, UpAxis, stem};
use crate::math::Transform;
use crate::model::{Joint, Rig, Skeleton};
use crate::text;
use clip::RiotClip;
use head::Head;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// Reads `.anm`.
#[derive(Debug)]
pub(super) struct Riot;

impl Importer for Riot {
    fn name(&self) -> &'static str {
        "Riot .anm"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["anm"]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, &bytes, options).map_err(|fault| fault.advise("Copy or export it again").in_file(path))
    }
}

/// The player of a written clip, for the joints of a rig.
pub(crate) fn play(bytes: &[u8], of: Written<'_>) -> Result<FilePlayer, ImportError> {
    let path = Path::new("the .anm file");
    let open = || {
        let head = Head::read(bytes)?;
        let clip = RiotClip::read(bytes, &head, String::new(), 1.0, &Budget::new(bytes.len()))?;
        let hashes = head.hashes(bytes)?;
        let place = |joint: &Joint| hashes.iter().position(|hash| *hash == joint_hash(&joint.name));
        let places = of.rig.skeleton.joints().iter().map(place).collect::<Option<Vec<usize>>>();
        let places = places.ok_or_else(|| Fault::new("it lacks joints of the rig"))?;
        Ok(FilePlayer::new(Box::new(clip), places, vec![Transform::IDENTITY; head.joints], of))
    };
    open().map_err(|fault: Fault| fault.in_file(path))
}

/// Imports a clip with a placeholder rig. All joints are roots with local transforms, since their parents are unknown. Positions have no
/// meaning then, so the usual checks are skipped.
fn import(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, Fault> {
    let head = Head::read(bytes)?;
    let budget = Budget::new(bytes.len());
    let mut clip = RiotClip::read(bytes, &head, stem(path), options.metres(), &budget)?;
    let (joints, doubled) = named_once(&head.hashes(bytes)?);
    clip.keep(&joints.iter().map(|joint| joint.number).collect::<Vec<_>>());
    let joint = |(joint, NumberedHash { hash, .. }): (usize, &NumberedHash)| Joint {
        name: hash::name_of(*hash),
        parent: None,
        bind: clip.first_local(joint),
    };
    let skeleton = Skeleton::new(joints.iter().enumerate().map(joint).collect());
    let rig = Rig::from_skeleton(stem(path), skeleton?);
    let shells_m = sampling::shells_m(&rig);
    let locals = vec![Transform::IDENTITY; joints.len()];
    let rest = Rest { rig: &rig, joints: &locals, floats: &[], up: UpAxis::Y, shells_m: &shells_m };
    let mut findings = findings(&rig, &clip, options);
    findings.extend(doubled);
    let Sampled { clips, clip_bytes } =
        resample_all(std::slice::from_ref(&clip), rest, options, &budget, &mut findings)?;
    Ok(Imported { rig, clips, clip_bytes, findings, beside: Vec::new() })
}

/// A joint of the file: its index, and the hash of its name.
struct NumberedHash {
    number: usize,
    hash: u32,
}

/// The joints whose hash no earlier joint has, and warnings about the others.
fn named_once(hashes: &[u32]) -> (Vec<NumberedHash>, Vec<Finding>) {
    let mut first_of = HashMap::with_capacity(hashes.len());
    let (mut joints, mut doubled) = (Vec::new(), Vec::new());
    for (number, &hash) in hashes.iter().enumerate() {
        match first_of.entry(hash) {
            Entry::Vacant(free) => {
                free.insert(number);
                joints.push(NumberedHash { number, hash });
            }
            Entry::Occupied(first) => doubled.push(twice(hash, *first.get(), number)),
        }
    }
    (joints, doubled)
}

fn twice(hash: u32, first: usize, second: usize) -> Finding {
    let what = format!("joints {first} and {second} of the file have the same hash");
    let meaning = format!("Joint {first} has that name; joint {second} was skipped.");
    Finding::warning(hash::name_of(hash), what, meaning)
}

fn findings(rig: &Rig, clip: &RiotClip, options: &ImportOptions) -> Vec<Finding> {
    let joints = text::count(rig.skeleton.len(), "joint");
    let mut findings = vec![Finding::warning(
        &rig.name,
        format!("it is a Riot animation of {joints}, with hashes instead of joint names"),
        NEEDS_RIG,
    )];
    if clip.joints_with_gaps() > 0 {
        let what = format!("some channels have no keys, in {}", text::count(clip.joints_with_gaps(), "joint"));
        findings.push(Finding::warning(
            clip.name(),
            what,
            "Such a channel is the identity: the rest pose of a rig is not used.",
        ));
    }
    if options.up() != UpAxis::Y {
        let meaning = "The file does not say which joints are roots. The up axis applies to the file of the rig.";
        findings.push(Finding::warning(&rig.name, "the up axis was ignored", meaning));
    }
    findings
}

/// Advice for clips whose joints have no names.
pub const NEEDS_RIG: &str =
    "Its clip needs the rig of a file with these joint names: open that file, too, or give it with --rig.";
