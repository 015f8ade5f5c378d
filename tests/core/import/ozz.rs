//! Archives of ozz-animation that we wrote, read again; and errors of others.

use crate::engine_files::{Case, Off, SMALLEST_THREE_RAD};
use glam::Vec3;
use posepress_core::export::{ExportClip, ExportTarget, by_key};
use posepress_core::import::{ImportOptions, Imported, import_bytes, import_file};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, ClipData, ClipSampler, Hold, Joint, Pose, Rig, Sampler, Skeleton};
use posepress_core::pipeline::RigMatch;
use std::path::{Path, PathBuf};

fn write(folder: &Path, case: &Case, tolerance_m: f32) -> PathBuf {
    std::fs::write(folder.join("rig.ozz"), case.export("ozz-skeleton", 0.0)).unwrap();
    let path = folder.join("clip.ozz");
    std::fs::write(&path, case.export("ozz", tolerance_m)).unwrap();
    path
}

fn sample_case() -> Case {
    Case::all("linear-keys").into_iter().next().unwrap()
}

fn read(path: &Path) -> Imported {
    import_file(path, &ImportOptions::default()).unwrap()
}

#[test]
fn archives_come_back_as_what_their_players_play() {
    for case in Case::all("linear-keys") {
        let folder = tempfile::tempdir().unwrap();
        let back = read(&write(folder.path(), &case, 0.0));
        assert_eq!(back.beside.len(), 1, "the skeleton");
        let [clip] = back.clips.as_slice() else { panic!("one clip, not {}", back.clips.len()) };
        assert_eq!((clip.name(), clip.samples()), (case.clip.name(), case.clip.samples()), "{}", case.name);
        assert!((clip.duration_secs() - case.clip.duration_secs()).abs() < 1e-4);
        let skeleton = &back.rig.skeleton;
        for joint in case.rig.skeleton.joints() {
            let found = skeleton.find(&joint.name).unwrap_or_else(|| panic!("{} is gone", joint.name));
            let parent = |skeleton: &posepress_core::model::Skeleton, joint| {
                skeleton.parent(joint).map(|parent| skeleton.name(parent).to_owned())
            };
            let own = case.rig.skeleton.find(&joint.name).unwrap();
            assert_eq!(parent(skeleton, found), parent(&case.rig.skeleton, own));
            assert_eq!(skeleton.bind(found), joint.bind);
        }
        // Joints are in depth-first order there. They are found by their names.
        let on_rig = RigMatch::new(&case.rig, &back.rig).put_on(clip).unwrap();
        let mut player = ClipSampler::new(&on_rig);
        let mut pose = Pose::with_size(on_rig.joints(), on_rig.float_tracks());
        let off = case.compare(&case.samples(), |place| {
            player.sample(place, &mut pose);
            pose.joints.clone()
        });
        let worst = Off::worst(&off);
        assert!(worst.local_rad <= SMALLEST_THREE_RAD, "{}: {worst:?}", case.name);
        let reach = case.clip.pose(0).iter().map(|local| local.translation.length()).fold(0.0, f32::max);
        assert!(worst.local_m <= reach.max(1.0) / 1024.0, "{}: {worst:?} of {reach} m", case.name);
    }
}

#[test]
fn few_keys_are_played_on_lines_and_known_as_keys() {
    let case = sample_case();
    let folder = tempfile::tempdir().unwrap();
    let [dense, sparse] = [0.0, 10.0 * case.outcome.recipe.tolerance_m]
        .map(|tolerance_m| read(&write(folder.path(), &case, tolerance_m)));
    assert_eq!(dense.clips[0].grid(), sparse.clips[0].grid());
    assert!(sparse.clip_bytes[0] < dense.clip_bytes[0] && sparse.clip_bytes[0] > 0);
    assert!(dense.clips[0].keys().iter().all(|keys| keys.samples.len() <= 2), "every sample is a key of no one");
    let rotations = sparse.clips[0].keys().iter().filter(|keys| keys.channel == Channel::Rotation);
    assert!(rotations.clone().any(|keys| keys.samples.len() > 2) && rotations.count() > 0);
    let skeleton = read(&folder.path().join("rig.ozz"));
    assert!(skeleton.clips.is_empty() && skeleton.rig.skeleton.len() == case.rig.skeleton.len());
}

#[test]
fn an_animation_finds_the_skeleton_of_its_own_or_says_what_is_missing() {
    let case = sample_case();
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &case, 0.0);
    let skeleton = std::fs::read(folder.path().join("rig.ozz")).unwrap();
    let error = |path: &Path| import_file(path, &ImportOptions::default()).unwrap_err().to_string();
    // The same skeleton again, and one with another number of joints, are no problem.
    std::fs::write(folder.path().join("same.ozz"), &skeleton).unwrap();
    let other = Case::all("linear-keys").into_iter().find(|other| other.rig.skeleton.len() != case.rig.skeleton.len());
    other
        .iter()
        .for_each(|other| std::fs::write(folder.path().join("other.ozz"), other.export("ozz-skeleton", 0.0)).unwrap());
    assert_eq!(read(&path).clips.len(), 1);
    // A skeleton with other joint names is an error, unless the clip's file name begins with the name of a skeleton's file.
    let name = case.rig.skeleton.name(0);
    let at = skeleton.windows(name.len()).position(|word| word == name.as_bytes()).unwrap();
    let mut renamed = skeleton.clone();
    renamed[at] = b'~';
    std::fs::write(folder.path().join("hero.ozz"), &renamed).unwrap();
    let words = error(&path);
    assert!(words.contains("hero.ozz") && words.contains("rig.ozz") && words.contains("Leave only"), "{words}");
    let own = folder.path().join("hero_walk.ozz");
    std::fs::copy(&path, &own).unwrap();
    assert!(read(&own).rig.skeleton.name(0).starts_with('~'));
    // A clip without its skeleton has joints without names.
    let alone = tempfile::tempdir().unwrap();
    let path = alone.path().join("clip.ozz");
    std::fs::write(&path, case.export("ozz", 0.0)).unwrap();
    let words = error(&path);
    assert!(words.contains("joints without names") && words.contains("Copy the skeleton"), "{words}");
}

/// A joint that jumps by a metre at sample 9 of 16.
fn stepping(duration_secs: f32) -> (Rig, Clip) {
    let joint = Joint { name: "box".into(), parent: None, bind: Transform::IDENTITY };
    let at = |sample: usize| Transform::from_translation(Vec3::X * if sample < 9 { 1.0 } else { 2.0 });
    let data = ClipData {
        name: "step".into(),
        joints: 1,
        duration_secs,
        transforms: (0..17).map(at).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![Hold { sample: 8, joint: 0, channel: Channel::Translation }],
        looping: None,
    };
    (Rig::from_skeleton("box", Skeleton::new(vec![joint]).unwrap()), Clip::new(data).unwrap())
}

/// An archive with a step of two keys. Their times differ by one float32 step as fractions of the clip, but are equal as
/// float32 seconds.
fn with_one_time_for_its_step(archive: &[u8], duration_secs: f32) -> Vec<u8> {
    let head = 1 + "ozz-animation\0".len() + 4;
    let word = |at: usize| <[u8; 4]>::try_from(&archive[at..][..4]).unwrap();
    let (name, times) = (u32::from_le_bytes(word(head + 8)) as usize, u32::from_le_bytes(word(head + 12)) as usize);
    let start = head + 4 + 12 * 4 + name;
    let ratios: Vec<f32> = (0..times).map(|time| f32::from_le_bytes(word(start + 4 * time))).collect();
    let gap = |time: &usize| ratios[time + 1] - ratios[*time];
    let before = (0..times - 1).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
    let after = ratios[before + 1];
    let is_one = |secs: &f32| after.next_down() * secs == after * secs;
    let secs = (0..100_000).map(|step| duration_secs * (1.0 + 1e-6 * step as f32)).find(is_one).unwrap();
    let mut out = archive.to_vec();
    out[head..][..4].copy_from_slice(&secs.to_le_bytes());
    out[start + 4 * before..][..4].copy_from_slice(&after.next_down().to_le_bytes());
    out
}

#[test]
fn keys_of_a_step_whose_times_are_one_number_of_seconds_are_a_step() {
    for duration_secs in [1.8, 3.6, 7.2, 14.4] {
        let (rig, clip) = stepping(duration_secs);
        let folder = tempfile::tempdir().unwrap();
        let export = |key: &str, clips: &mut [ExportClip<'_>]| {
            by_key(key).unwrap().export(&rig, clips, &ExportTarget::default()).unwrap()
        };
        let archive = export("ozz", &mut [ExportClip::raw(&clip)]);
        std::fs::write(folder.path().join("rig.ozz"), export("ozz-skeleton", &mut [])).unwrap();
        let path = folder.path().join("clip.ozz");
        std::fs::write(&path, with_one_time_for_its_step(&archive, duration_secs)).unwrap();
        let options = ImportOptions { rate_hz: Some(16.0 / duration_secs), ..ImportOptions::default() };
        let back = import_file(&path, &options).unwrap_or_else(|e| panic!("{duration_secs} s: {e}"));
        assert_eq!(back.clips[0].holds(), clip.holds(), "{duration_secs} s");
        assert_eq!([8, 9].map(|sample| back.clips[0].at(sample, 0).translation.x), [1.0, 2.0], "{duration_secs} s");
    }
}

#[test]
fn damaged_archives_are_errors() {
    let case = sample_case();
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &case, 0.001);
    let import = |bytes: &[u8]| import_bytes(&path, bytes, &ImportOptions::default());
    for file in ["rig.ozz", "clip.ozz"] {
        let good = std::fs::read(folder.path().join(file)).unwrap();
        for end in (0..good.len()).step_by(good.len() / 97 + 1).chain([good.len() - 1]) {
            assert!(import(&good[..end]).is_err(), "{file}, {end} bytes of {}", good.len());
        }
        // Any bytes are read or refused.
        for at in (0..good.len()).step_by(good.len() / 499 + 1) {
            for value in [0, 0x7f, 0xff, good[at] ^ 1] {
                let mut bad = good.clone();
                bad[at] = value;
                let _ = import(&bad);
            }
        }
    }
}
