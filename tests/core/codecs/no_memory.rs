//! Reading files, joining tiers, opening clips and making cursors survive the failure of any allocation: they return an error
//! and leak nothing.

use crate::codec_fixtures::{Fixture, Noise, fixtures, variants};
use crate::codecs::long_takes::take;
use crate::memory::{Refused, assert_survives, with_memory_for};
use crate::project::project;
use posepress_core::codecs::{ParamValues, encoders, take_out_planes};
use posepress_core::format::{Container, DecodeError, TierFile};
use posepress_core::model::Pose;
use posepress_runtime::internal::ClipSections;
use posepress_runtime::{BindPose, BlockError, CodecId, Opened, Player, join_tier};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem::MaybeUninit;

fn golden() -> Vec<(String, Vec<u8>)> {
    let paths = std::fs::read_dir(project("tests/golden")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "posepress")).collect();
    paths.sort();
    let read =
        |path: &std::path::PathBuf| (path.file_stem().unwrap().display().to_string(), std::fs::read(path).unwrap());
    paths.iter().map(read).collect()
}

fn bind_of(container: &Container) -> BindPose {
    container.rig.as_ref().unwrap().bind_pose().unwrap()
}

/// A digest of poses at the start, in between and at the end. The caller allocates the pose.
fn played(codec: CodecId, bytes: &[u8], bind: &BindPose, pose: &RefCell<Pose>) -> Result<u64, DecodeError> {
    let clip = Opened::new(codec, bytes, bind)?;
    let (layout, mut player, pose) = (clip.cursor_layout()?, Player::new(&clip)?, &mut *pose.borrow_mut());
    let last = clip.header().grid.samples() as f64 - 1.0;
    let digest = [0.0, 0.37 * last, last].into_iter().fold(layout.size() as u64, |digest, at_sample| {
        player.sample(at_sample, pose);
        let numbers = pose.joints.iter().flat_map(|joint| joint.numbers()).chain(pose.floats.iter().copied());
        numbers.fold(digest, |digest, x| (digest ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3))
    });
    Ok(digest)
}

/// Opens and plays a clip while allocations fail. Returns the number of allocations.
fn assert_plays(what: &str, codec: CodecId, bytes: &[u8], bind: &BindPose) -> usize {
    let floats = ClipSections::read(bytes).map_or(0, |sections| sections.header.float_tracks);
    let pose = RefCell::new(Pose::with_size(bind.len(), floats));
    assert_survives(what, &Err(DecodeError::NoMemory), || played(codec, bytes, bind, &pose))
}

/// The four-byte ids in the list of decoders.
fn codecs_of_the_runtime() -> BTreeSet<String> {
    let code = std::fs::read_to_string(project("src/runtime/codecs/registry.rs")).unwrap();
    let (_, list) = code.split_once("\ndecoders! {\n").unwrap();
    list.lines().filter_map(|line| line.split('"').nth(3)).map(str::to_owned).collect()
}

#[test]
fn golden_files_are_read_and_played_or_there_is_no_memory() {
    let (mut codecs, mut allocations) = (BTreeSet::new(), 0);
    for (name, bytes) in golden() {
        allocations += assert_survives(&name, &Err(DecodeError::NoMemory), || Container::read(&bytes));
        let container = Container::read(&bytes).unwrap();
        let bind = bind_of(&container);
        for entry in &container.clips {
            allocations += assert_plays(&format!("{name}, {}", entry.name), CodecId(entry.codec), &entry.bytes, &bind);
            codecs.insert(entry.codec.escape_ascii().to_string());
        }
    }
    assert_eq!((codecs_of_the_runtime(), codecs.len()), (codecs, 9));
    assert!(allocations > 1000, "only {allocations}");
}

#[test]
fn tiers_are_put_back_or_there_is_no_memory() {
    let read = |file: &str| std::fs::read(project(&format!("tests/golden/{file}"))).unwrap();
    let (whole, medium, low) =
        (read("tiers.posepress"), read("tiers.medium.posepress-tier"), read("tiers.low.posepress-tier"));
    let before = Container::read(&whole).unwrap();
    let bind = bind_of(&before);
    let joined = |tiers: &[&[u8]]| {
        let mut container = Container::read(&whole)?;
        tiers.iter().try_for_each(|tier| container.join(&TierFile::read(tier)?, &bind))?;
        Ok(container)
    };
    assert!(joined(&[&medium, &low]).is_ok() && joined(&[&low]).is_err());
    let tier = TierFile::read(&medium).unwrap();
    assert_survives("a container that stays as it was", &Err(DecodeError::NoMemory), || {
        let mut container = Container::read(&whole)?;
        let joined = container.join(&tier, &bind);
        assert_eq!(joined.is_err(), container == before);
        joined
    });
    // In order, in wrong order, twice, and a file that is no tier: errors also allocate.
    for tiers in [&[&medium[..], &low][..], &[&low], &[&medium, &medium], &[&medium, &low, &low], &[&whole]] {
        assert_survives(&format!("{} tiers", tiers.len()), &Err(DecodeError::NoMemory), || joined(tiers));
    }
}

#[test]
fn every_choice_of_every_codec_is_played_or_there_is_no_memory() {
    for fixture in fixtures().into_iter().filter(|f| ["held", "floats", "looping"].contains(&f.name)) {
        let bind = BindPose::new(fixture.bind()).unwrap();
        for codec in encoders() {
            for values in variants(codec) {
                let bytes = fixture.encode(codec, &values).bytes;
                assert_plays(&format!("{} {values:?} on '{}'", codec.name(), fixture.name), codec.id(), &bytes, &bind);
            }
        }
    }
}

#[test]
fn long_takes_are_played_and_joined_or_there_is_no_memory() {
    let fixture: Fixture = take(17_000);
    let bind = BindPose::new(fixture.bind()).unwrap();
    let no_memory = Err(DecodeError::NoMemory);
    for codec in encoders().filter(|codec| ["linear-keys", "catmull-rom", "press"].contains(&codec.name())) {
        let bytes = fixture.encode(codec, &ParamValues::new()).bytes;
        assert!(ClipSections::read(&bytes).unwrap().version >= 0x80, "{} cuts it", codec.name());
        assert_plays(codec.name(), codec.id(), &bytes, &bind);
        if codec.name() == "press" {
            let taken = take_out_planes(codec.id(), &bytes, &bind, |_, _| 2).unwrap();
            assert_survives("a tier", &no_memory, || join_tier(codec.id(), &taken.clip, &taken.tier, &bind));
        }
    }
}

#[test]
fn damaged_bytes_are_refused_or_there_is_no_memory() {
    let (mut noise, mut refused) = (Noise(11), BTreeSet::new());
    for (name, bytes) in golden() {
        let container = Container::read(&bytes).unwrap();
        let bind = bind_of(&container);
        for (place, entry) in container.clips.iter().enumerate().flat_map(|clip| [clip; 6]) {
            let mut bytes = entry.bytes.clone();
            let at = noise.bits() as usize % bytes.len().min(120);
            bytes[at] ^= 1 << (noise.bits() % 8);
            let what = format!("{name}, clip {place}, byte {at}");
            assert_plays(&what, CodecId(entry.codec), &bytes, &bind);
            if let Err(DecodeError::Invalid { what, .. }) = Opened::new(CodecId(entry.codec), &bytes[..], &bind) {
                refused.insert(what);
            }
        }
        for at in [0, 8, 10, 16, 20, 60, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_survives(&format!("{name}, byte {at}"), &Err(DecodeError::NoMemory), || Container::read(&damaged));
        }
    }
    assert!(refused.len() > 20, "few kinds of errors: {refused:?}");
}

#[test]
fn a_block_that_is_too_small_is_said_to_be_without_memory_too() {
    for (name, bytes) in golden() {
        let container = Container::read(&bytes).unwrap();
        let bind = bind_of(&container);
        for entry in &container.clips {
            let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind).unwrap();
            let needed = clip.cursor_layout().unwrap();
            let mut block = vec![MaybeUninit::uninit(); needed.size() + needed.align()];
            let first = block.as_ptr().align_offset(needed.align());
            for found_bytes in [0, needed.size() / 2, needed.size() - 1, needed.size()] {
                let block = &mut block[first..first + found_bytes];
                let made = with_memory_for(0, Refused::Rest, || clip.cursor_in(block).map(drop));
                match made {
                    Ok(()) => assert_eq!(found_bytes, needed.size(), "{name}, {}", entry.name),
                    Err(BlockError { found_bytes: found, .. }) => {
                        assert!(found == found_bytes && found < needed.size(), "{name}, {}", entry.name);
                    }
                }
            }
        }
    }
}
