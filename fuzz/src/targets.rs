//! The fuzz targets. Any bytes must give an error or finite poses, never a panic and never a flood of memory.
//!
//! The fuzzers call this. The test `fuzz_corpus` replays the kept corpus through it, so every crash that was found stays a
//! test.

#[path = "pipeline.rs"]
pub mod pipeline;

use posepress_core::codecs::{BindPose, Codec, CodecId, by_id, by_name, join_tier, open_clip};
use posepress_core::format::{Container, ContainerFile, DecodeError, TierFile};
use posepress_core::import::{ImportOptions, import_bytes};
use posepress_core::math::Transform;
use posepress_core::model::Pose;
use std::path::Path;

/// Runs the target of that name: a codec's name, `compensation`, `container`, `tier`, `pipeline`, or the extension of an
/// importer.
///
/// # Panics
/// If the program panics or gives a wrong result.
pub fn run(target: &str, data: &[u8]) {
    match (by_name(target), target) {
        (Some(codec), _) => clip(codec, data),
        (None, "container") => container(data),
        (None, "tier") => tier(data),
        (None, "compensation") => compensation(data),
        (None, "pipeline") => pipeline::run(data),
        (None, extension) => import(extension, data),
    }
}

/// Reads the bytes of a clip. Their first two bytes give the number of joints of the rig.
fn clip(codec: &dyn Codec, data: &[u8]) {
    let Some(joints) = data.first_chunk::<2>() else { return };
    let bind = vec![Transform::IDENTITY; usize::from(u16::from_le_bytes(*joints))];
    sample(codec, data, &bind);
}

/// Reads a compensated clip of a codec without state, for a chain of bones with lengths, so that legs can be solved.
fn compensation(data: &[u8]) {
    let Some(joints) = data.first_chunk::<2>() else { return };
    let bone = Transform::from_translation(glam::Vec3::new(0.0, -0.4, 0.02));
    let bind = vec![bone; usize::from(u16::from_le_bytes(*joints))];
    sample(by_name("quantize").expect("a codec of the list"), data, &bind);
}

/// Opens a clip and reads poses forwards, backwards, at samples and between them.
fn sample(codec: &dyn Codec, bytes: &[u8], bind: &[Transform]) {
    let Ok((header, mut sampler)) = open_clip(codec, bytes, bind) else { return };
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let last = (header.grid.samples() - 1) as f64;
    for at in [0.0, 0.25, 1.0, last / 2.0 + 0.7, last, last - 0.5, last / 3.0, 0.6, last + 9.0] {
        sampler.sample(at, &mut pose);
        assert!(pose.joints.iter().all(Transform::is_finite), "{} at sample {at}: no number", codec.name());
        assert!(pose.floats.iter().all(|x| x.is_finite()), "{} at sample {at}: no float", codec.name());
    }
}

/// Reads a container as it is, and with the checksum of its directory repaired. Otherwise damage would rarely pass the checksum.
fn container(data: &[u8]) {
    read_container(data);
    if let Some(repaired) = with_checksum(data) {
        read_container(&repaired);
    }
}

fn read_container(data: &[u8]) {
    let Ok(container) = Container::read(data) else { return };
    assert_eq!(Container::read(&container.write()).as_ref(), Ok(&container), "what was written reads otherwise");
    let Some(rig) = &container.rig else { return };
    let bind: Vec<Transform> = rig.joints.iter().map(|joint| transform(&joint.bind)).collect();
    for entry in &container.clips {
        if let Some(codec) = by_id(CodecId(entry.codec)) {
            sample(codec, &entry.bytes, &bind);
        }
    }
}

/// Reads a tier file as it is and with its checksum repaired. Then reads the data as a u32 length, a clip of that length and
/// its tier, and repairs first the checksum of the tier's clip and then that of the joined clip.
fn tier(data: &[u8]) {
    let _ = TierFile::read(data);
    let _ = with_checksum(data).map(|repaired| TierFile::read(&repaired));
    let Some((length, rest)) = data.split_first_chunk::<4>() else { return };
    let Some((clip, tier)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { return };
    let press = by_name("press").expect("a codec of the list");
    let Some(joints) = clip.first_chunk::<2>() else { return };
    let bind = vec![Transform::IDENTITY; usize::from(u16::from_le_bytes(*joints))];
    let Ok(bind) = BindPose::new(bind) else { return };
    let mut tier = tier.to_vec();
    let Some(without) = tier.get_mut(1..5) else { return };
    without.copy_from_slice(&crc32fast::hash(clip).to_le_bytes());
    let Err(DecodeError::Checksum { found, .. }) = join_tier(press.id(), clip, &tier, &bind) else { return };
    tier[5..9].copy_from_slice(&found.to_le_bytes());
    let joined = join_tier(press.id(), clip, &tier, &bind).expect("a clip with that checksum");
    self::clip(press, &joined);
}

fn with_checksum(data: &[u8]) -> Option<Vec<u8>> {
    let directory_len = u32::from_le_bytes(*data.get(12..)?.first_chunk::<4>()?) as usize;
    let directory = data.get(20..)?.get(..directory_len)?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&data[..16]);
    checksum.update(directory);
    let mut repaired = data.to_vec();
    repaired[16..20].copy_from_slice(&checksum.finalize().to_le_bytes());
    Some(repaired)
}

fn transform(n: &[f32; 10]) -> Transform {
    Transform {
        rotation: glam::Quat::from_slice(&n[..4]),
        translation: glam::Vec3::from_slice(&n[4..7]),
        scale: glam::Vec3::from_slice(&n[7..]),
    }
}

/// Imports a file of that kind, without the other files that it may refer to.
fn import(extension: &str, data: &[u8]) {
    let path = Path::new("no-such-folder").join("fuzz").with_extension(extension);
    if let Ok(imported) = import_bytes(&path, data, &ImportOptions::default()) {
        for clip in &imported.clips {
            assert_eq!(clip.joints(), imported.rig.skeleton.len(), "clip '{}' does not fit its rig", clip.name());
        }
    }
}
