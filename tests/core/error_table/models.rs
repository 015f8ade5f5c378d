//! Errors of skeletons, clips, clips on another rig, tiers, and state files.

use super::{Reached, case, golden};
use crate::archive::{clip, outcome, rig};
use crate::codec_fixtures::encoder;
use crate::engine_files::{chain, turning};
use glam::Vec3;
use posepress_core::codecs::{Progress, Source, TierError, check_tierable, take_out_tier};
use posepress_core::math::Transform;
use posepress_core::model::{ClipData, Joint, Rig, Skeleton};
use posepress_core::pipeline::RigMatch;
use posepress_core::project::{STATE_VERSION, StateFile};

pub fn skeletons() -> Vec<Reached> {
    let joint = |parent: Option<usize>, y: f32| Joint {
        name: "a".into(),
        parent,
        bind: Transform::from_translation(Vec3::Y * y),
    };
    let refused = |joints: Vec<Joint>| case("SkeletonError", Skeleton::new(joints).map(drop));
    vec![
        refused(Vec::new()),
        refused(vec![joint(None, 0.0); Skeleton::MAX_JOINTS + 1]),
        refused(vec![joint(Some(0), 0.0)]),
        refused(vec![joint(None, f32::NAN)]),
    ]
}

pub fn clips() -> Vec<Reached> {
    let refused = |change: fn(&mut ClipData)| case("ClipError", clip("swing").edited(change).map(drop));
    vec![
        refused(|data| data.transforms.clear()),
        refused(|data| data.floats.clear()),
        refused(|data| data.transforms[0].translation.x = f32::NAN),
        refused(|data| data.duration_secs = -1.0),
    ]
}

pub fn rigs() -> Vec<Reached> {
    let (to, other) = (chain(&["a", "b"]), chain(&["a", "wing", "claw"]));
    let refused = |made_on: &Rig| case("RigMismatch", RigMatch::new(&to, made_on).check());
    let large = to
        .skeleton
        .joints()
        .iter()
        .map(|joint| Joint { bind: Transform::from_translation(100.0 * joint.bind.translation), ..joint.clone() });
    let large = Rig::from_skeleton("large", Skeleton::new(large.collect()).unwrap());
    // A joint that the rig lacks, between two that it has: the lower joint gets both motions.
    let longer = chain(&["a", "between", "b"]);
    let far = turning(&longer, 2, 1.0).edited(|data| {
        data.transforms.iter_mut().for_each(|local| local.translation.y = f32::MAX);
    });
    let too_far = RigMatch::new(&to, &longer).put_on(&far.unwrap()).map(drop);
    vec![refused(&other), refused(&large), case("RigMismatch", too_far)]
}

pub fn tiers() -> Vec<Reached> {
    let refused = |of: Result<(), TierError>| case("TierError", of);
    let (press, swing) = (encoder("press"), rig("cat", 0.3));
    let check = |golden_name: &str| refused(check_tierable(press, &golden(golden_name).clips[0].bytes));
    let (measured, made) = outcome(&swing, "press");
    let stopped = Progress::new();
    stopped.cancel();
    let source = Source::new(&swing.skeleton, &measured.clip, 0.001, &made.shells_m);
    let bytes = &made.encoding().unwrap().encoded.bytes;
    vec![
        refused(check_tierable(encoder("raw"), bytes)),
        check("press-archive"),
        check("compensation"),
        refused(check_tierable(press, &bytes[..3])),
        refused(take_out_tier(&source, 1, press.id(), bytes, &stopped).map(drop)),
    ]
}

/// Errors of the files in which windows keep their state.
pub fn windows() -> Vec<Reached> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let no_folder = StateFile::claim(&file.join("posepress")).map(drop);
    // Files of a newer version are not changed.
    let newer = format!("version = {}", STATE_VERSION + 1);
    let claim = || StateFile::claim(folder.path()).map(|(file, _)| file.path());
    let full = std::iter::repeat_with(claim).find_map(|claimed| match claimed {
        Ok(path) => {
            std::fs::write(path, &newer).unwrap();
            None
        }
        Err(error) => Some(Err::<(), _>(error)),
    });
    vec![case("StateFileError", no_folder), case("StateFileError", full.unwrap())]
}
