//! Riot's compressed animations that we wrote, read again; and errors of others.

use crate::engine_files::{Case, Off, anm_pose, read_anm};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Severity, import_bytes, lacks_rig};
use posepress_core::model::{Channel, ClipSampler, Pose, Sampler};
use posepress_core::pipeline::RigMatch;
use std::path::Path;

fn import(bytes: &[u8]) -> Result<Imported, posepress_core::import::ImportError> {
    import_bytes(Path::new("walk.anm"), bytes, &ImportOptions::default())
}

fn sample_case() -> Case {
    Case::all("catmull-rom").into_iter().next().unwrap()
}

#[test]
fn animations_come_back_on_their_rig_as_another_player_plays_them() {
    for case in Case::all("catmull-rom") {
        for tolerance_m in [0.0, case.outcome.recipe.tolerance_m] {
            let bytes = case.export("anm", tolerance_m);
            let back = import(&bytes).unwrap();
            assert!(lacks_rig(&back.rig) && !lacks_rig(&case.rig));
            let [clip] = back.clips.as_slice() else { panic!("one clip, not {}", back.clips.len()) };
            assert_eq!((clip.name(), clip.samples()), ("walk", case.clip.samples()), "{}", case.name);
            let matched = RigMatch::new(&case.rig, &back.rig);
            assert_eq!(matched.check(), Ok(()), "{}", case.name);
            assert!(matched.extra().is_empty() && matched.finding().what.contains(" of "));
            assert!(matched.is_sure() || case.rig.meshes.is_empty(), "{}: unasked", case.name);
            let on_rig = matched.put_on(clip).unwrap();
            let mut player = ClipSampler::new(&on_rig);
            let mut pose = Pose::with_size(on_rig.joints(), on_rig.float_tracks());
            let theirs = read_anm(&bytes);
            let grid = case.clip.grid();
            for place in case.samples() {
                player.sample(place, &mut pose);
                let other = anm_pose(&theirs, &case.rig.skeleton, grid.time_secs(place));
                for (ours, other) in pose.joints.iter().zip(&other) {
                    let chord =
                        (ours.rotation - other.rotation).length().min((ours.rotation + other.rotation).length());
                    assert!(2.0 * chord < 1e-4, "{} at {place}: {chord}", case.name);
                    let off = ours.translation.distance(other.translation) + ours.scale.distance(other.scale);
                    assert!(off < 1e-4 * (1.0 + other.translation.length()), "{} at {place}: {off}", case.name);
                }
            }
            let off = case.compare(&case.samples(), |place| {
                player.sample(place, &mut pose);
                pose.joints.clone()
            });
            let beyond_m = Off::worst(&off).beyond_m;
            assert!(beyond_m < 1e-3, "{}: {beyond_m} m beyond the tolerance", case.name);
        }
    }
}

#[test]
fn few_keys_are_known_as_keys_and_cost_what_the_file_spends() {
    let case = sample_case();
    let [dense, sparse] = [0.0, case.outcome.recipe.tolerance_m].map(|t| import(&case.export("anm", t)).unwrap());
    assert_eq!(dense.clips[0].grid(), sparse.clips[0].grid());
    assert!(sparse.clip_bytes[0] < dense.clip_bytes[0] && sparse.clip_bytes[0] > 0);
    let rotations = sparse.clips[0].keys().iter().filter(|keys| keys.channel == Channel::Rotation);
    assert!(rotations.clone().any(|keys| (3..case.clip.samples()).contains(&keys.samples.len())));
}

#[test]
fn a_file_alone_says_what_it_is_and_what_it_needs() {
    let back = import(&sample_case().export("anm", 0.0)).unwrap();
    let said = &back.findings[0];
    assert!(said.what.contains("Riot") && said.what.contains("hashes"), "{said:?}");
    assert!(said.meaning.contains("--rig") && said.meaning.contains("open that file"), "{said:?}");
}

#[test]
fn lengths_of_another_unit_are_refused_by_the_rig() {
    let case = sample_case();
    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), ..Default::default() };
    let back = import_bytes(Path::new("walk.anm"), case.export("anm", 0.0), &options).unwrap();
    let words = RigMatch::new(&case.rig, &back.rig).check().unwrap_err().to_string();
    assert!(words.contains("Set the unit"), "{words}");
}

#[test]
fn damaged_animations_are_errors() {
    let good = sample_case().export("anm", 0.001);
    for end in (0..good.len()).step_by(good.len() / 199 + 1).chain([good.len() - 1]) {
        assert!(import(&good[..end]).is_err(), "{end} bytes of {}", good.len());
    }
    // Any bytes are read or refused. Every byte of the header is tried.
    for at in (0..256).chain((256..good.len()).step_by(good.len() / 499 + 1)) {
        for value in [0, 0x7f, 0xff, good[at] ^ 1] {
            let mut bad = good.clone();
            bad[at] = value;
            let _ = import(&bad);
        }
    }
}

/// Files from Riot have such joints.
#[test]
fn of_two_joints_of_one_hash_the_first_moves_and_the_other_is_named() {
    let good = sample_case().export("anm", 0.001);
    let mut bytes = good.clone();
    bytes.copy_within(128..132, 128 + 4);
    bytes.copy_within(128..132, 128 + 12);
    let (whole, back) = (import(&good).unwrap(), import(&bytes).unwrap());
    let kept: Vec<usize> = (0..whole.rig.skeleton.len()).filter(|joint| ![1, 3].contains(joint)).collect();
    assert_eq!(back.rig.skeleton.len(), kept.len());
    for (now, &before) in kept.iter().enumerate() {
        assert_eq!(back.rig.skeleton.name(now), whole.rig.skeleton.name(before));
        assert!(back.clips[0].track(now).eq(whole.clips[0].track(before)), "joint {before}");
    }
    let hash = whole.rig.skeleton.name(0);
    let said: Vec<_> = back.findings.iter().filter(|finding| finding.what.contains("the same hash")).collect();
    assert!(said.iter().all(|finding| finding.severity == Severity::Warning && finding.subject == hash), "{said:?}");
    assert!(said[0].what.contains("joints 0 and 1 ") && said[1].what.contains("joints 0 and 3 "), "{said:?}");
}
