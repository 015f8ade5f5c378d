//! The runtime by itself: poses have the same bits for every way of computing. It needs no encoder, so an emulator of another
//! processor can run it.

use posepress_runtime::internal::math;
use posepress_runtime::{BindPose, CodecId, Container, Cursor, Opened, Transform};
use std::sync::Mutex;

/// The way of computing is set for the whole process.
static WAY: Mutex<()> = Mutex::new(());

/// The golden containers: every codec with most of its layouts.
fn containers() -> Vec<(String, Container)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "posepress")).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        (
            path.file_stem().unwrap().to_string_lossy().into_owned(),
            Container::read(&std::fs::read(path).unwrap()).unwrap(),
        )
    };
    paths.iter().map(read).collect()
}

fn bind_of(container: &Container) -> BindPose {
    container.rig.as_ref().unwrap().bind_pose().unwrap()
}

/// Whole poses, every second joint, and single joints, as bits: at samples and between them, forward and backward.
fn bits_of(clip: &Opened<&[u8]>) -> Vec<u32> {
    let (mut cursor, mut out) = (clip.cursor().unwrap(), Vec::new());
    let steps: Vec<f64> = clip.header().grid.steps(3).collect();
    for at_sample in steps.iter().chain(steps.iter().rev().step_by(5)) {
        put_bits(clip, &mut cursor, *at_sample, &mut out);
    }
    out
}

fn put_bits(clip: &Opened<&[u8]>, cursor: &mut Cursor<'_>, at_sample: f64, out: &mut Vec<u32>) {
    let joints = clip.header().joints;
    let mut pose = vec![Transform::IDENTITY; joints];
    let mut push = |joint: &Transform| out.extend(joint.numbers().map(f32::to_bits));
    clip.sample_range(cursor, at_sample, 0..joints, &mut pose);
    pose.iter().for_each(&mut push);
    let masked = &mut vec![Transform::IDENTITY; joints][..];
    clip.sample_mask(cursor, at_sample, &vec![0x5555_5555_5555_5555; joints.div_ceil(64)], masked);
    masked.iter().for_each(&mut push);
    push(&clip.sample_joint(cursor, at_sample, joints - 1));
    for (joint, (masked, whole)) in masked.iter().zip(&pose).enumerate() {
        assert_eq!(*masked, if joint % 2 == 0 { *whole } else { Transform::IDENTITY }, "joint {joint} at {at_sample}");
    }
}

fn assert_ways_agree(clip: &Opened<&[u8]>, what: &str) {
    let _kept = WAY.lock();
    math::run_portably(true);
    let portable = bits_of(clip);
    math::run_portably(false);
    assert!(portable == bits_of(clip), "{what}: other bits than portably");
}

#[test]
fn golden_clips_have_the_same_bits_however_they_are_computed() {
    let mut clips = 0;
    for (name, container) in containers() {
        let bind = bind_of(&container);
        for entry in &container.clips {
            let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind).unwrap();
            assert_ways_agree(&clip, &format!("{name}, {}", entry.name));
            clips += 1;
        }
    }
    assert!(clips > 60, "only {clips} clips");
}

/// Bytes that no encoder writes: other bit rates, large integers, rows beyond the end.
#[test]
fn damaged_clips_that_open_have_the_same_bits_however_they_are_computed() {
    let (mut opened, mut random) = (0, 1u64);
    for (name, container) in containers().into_iter().filter(|(name, _)| name == "press" || name == "variable-rate") {
        let bind = bind_of(&container);
        for (entry, _) in container.clips.iter().flat_map(|entry| (0..60).map(move |round| (entry, round))) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut bytes = entry.bytes.clone();
            let at = 20 + (random >> 33) as usize % (bytes.len() - 20);
            bytes[at] ^= 1 << (random >> 60 & 7);
            if let Ok(clip) = Opened::new(CodecId(entry.codec), &bytes[..], &bind) {
                assert_ways_agree(&clip, &format!("{name}, {} with another byte {at}", entry.name));
                opened += 1;
            }
        }
    }
    assert!(opened > 100, "only {opened} clips opened");
}

fn whole_poses_of(clip: &Opened<Vec<u8>>) -> Vec<u32> {
    let (mut cursor, mut out) = (clip.cursor().unwrap(), Vec::new());
    let mut pose = vec![Transform::IDENTITY; clip.header().joints];
    let steps: Vec<f64> = clip.header().grid.steps(3).collect();
    for at_sample in steps.iter().chain(steps.iter().rev().step_by(5)) {
        clip.sample_range(&mut cursor, *at_sample, 0..pose.len(), &mut pose);
        out.extend(pose.iter().flat_map(|joint| joint.numbers()).map(f32::to_bits));
    }
    out
}

/// The method of `posepress bench` to find the bytes that a pose depends on.
#[test]
fn bytes_can_be_changed_under_an_opened_clip() {
    let (mut clips, mut changed, mut random) = (0, 0, 1u64);
    for (name, container) in containers() {
        let bind = bind_of(&container);
        for entry in container.clips {
            let mut clip = Opened::new(CodecId(entry.codec), entry.bytes.clone(), &bind).unwrap();
            let expected = whole_poses_of(&clip);
            for _ in 0..60 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let mut other = clip.bytes().to_vec();
                let start = (random >> 33) as usize % other.len();
                let end = (start + 1 + (random >> 20) as usize % 64).min(other.len());
                let fill = if random >> 63 == 0 { 0xff } else { (random >> 40) as u8 };
                other[start..end].iter_mut().for_each(|byte| *byte ^= fill);
                clip.replace_bytes(other);
                changed += usize::from(whole_poses_of(&clip) != expected);
            }
            clip.replace_bytes(entry.bytes);
            assert!(whole_poses_of(&clip) == expected, "{name}, {}: something of other bytes is left", entry.name);
            clips += 1;
        }
    }
    assert!(clips > 60 && changed > 30 * clips, "{changed} of {clips} clips");
}
