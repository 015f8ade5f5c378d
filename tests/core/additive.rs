//! Additive clips: the bytes hold differences, the tolerance and the measurements apply to the sums.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, chain, clip_of, encoder, leg};
use crate::session::{document, file, imported, settle};
use crate::written;
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, EncodedClip, ParamValues, encoders};
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::import::{ImportOptions, Imported, import_bytes};
use posepress_core::math::Transform;
use posepress_core::model::{Additive, Base, BaseOf, Channel, Clip, ClipId, Hold, Holds, Joint, Pose, Rig, Skeleton};
use posepress_core::pipeline::{Archive, CONTAINER, MeasuredClip, compress, measure_archived};
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::workspace::Workspace;
use posepress_runtime::{ClipHeader, DecodeError};
use std::sync::Arc;

const SAMPLES: usize = 40;

fn said(base: BaseOf) -> Additive {
    Additive { base, holds: Holds::Differences }
}

/// A clip of five joints that swing and travel, periodically.
fn base_clip(rig: &Skeleton, samples: usize) -> Clip {
    let data = clip_of(rig, samples, |s, j| {
        let phase = s as f32 / (samples - 1) as f32 * std::f32::consts::TAU;
        let bind = rig.bind(j);
        let translation = bind.translation + if j == 0 { Vec3::new(0.2 * phase.sin(), 0.05, 0.0) } else { Vec3::ZERO };
        Transform { rotation: Quat::from_rotation_x(0.9 + 0.6 * (phase + j as f32).sin()), translation, ..bind }
    });
    Clip::new(data).unwrap()
}

/// A lean: two joints turn, one grows a little, the root shifts, and the others have no difference.
fn lean(rig: &Skeleton) -> Clip {
    let data = clip_of(rig, SAMPLES, |s, j| {
        let t = s as f32 / 30.0;
        match j {
            0 => Transform::from_translation(Vec3::new(0.0, 0.0, 0.03 * (3.0 * t).sin())),
            1 => Transform { rotation: Quat::from_rotation_z(0.3 * (2.0 * t).sin()), ..Transform::IDENTITY },
            2 => Transform {
                rotation: Quat::from_rotation_y(0.2 * (5.0 * t).cos()),
                scale: Vec3::splat(1.0 + 0.02 * t.sin()),
                ..Transform::IDENTITY
            },
            _ => Transform::IDENTITY,
        }
    });
    Clip::new(data).unwrap()
}

/// The lean on each kind of base: the bind pose, another pose, a shorter clip that repeats.
fn leans() -> Vec<Fixture> {
    let rig = chain(5);
    let walk = base_clip(&rig, 26);
    let bases = [Base::bind(&rig), Base::first_pose(&walk), Base::playing(&walk, lean(&rig).grid())];
    let on = |base: Base| Fixture {
        name: "lean",
        skeleton: rig.clone(),
        clip: lean(&rig).added_to(Arc::new(base)).unwrap(),
    };
    bases.map(on).into()
}

fn header(encoded: &EncodedClip) -> u16 {
    u16::from_le_bytes(encoded.bytes[12..14].try_into().unwrap())
}

#[test]
fn every_codec_that_promises_a_tolerance_keeps_it_of_the_sum() {
    for fixture in leans() {
        for codec in encoders() {
            let encoded = fixture.encode(codec, &ParamValues::new());
            let error_m = fixture.error_m(codec, &encoded, 1);
            let what = format!("{} on {}: {error_m} m", codec.name(), fixture.clip.base().unwrap().of());
            assert_eq!(header(&encoded) & ClipHeader::ADDITIVE, ClipHeader::ADDITIVE, "{what}");
            if codec.promises_with(&ParamValues::new()) {
                assert!(error_m <= f64::from(TOLERANCE_M) + fixture.float_slack_m(), "{what}");
            }
            if codec.name() == "raw" {
                assert!(error_m < fixture.float_slack_m(), "{what}");
            }
        }
    }
}

/// Differences are far smaller than the visible motion. Limits from differences alone would allow too large errors at the
/// virtual vertices. Limits for the worst pose of all would be too strict.
#[test]
fn the_tolerance_is_made_use_of_on_a_base_that_moves() {
    let [.., playing] = &leans()[..] else { unreachable!() };
    for (name, part) in [("linear-keys", 0.8), ("press", 0.6), ("variable-rate", 0.5)] {
        let encoded = playing.encode(encoder(name), &ParamValues::new());
        let error_m = playing.error_m(encoder(name), &encoded, 1);
        assert!(error_m > part * f64::from(TOLERANCE_M), "{name}: {error_m} m");
    }
}

#[test]
fn what_is_played_are_the_differences_and_tracks_without_any_cost_nothing() {
    let rig = chain(5);
    let bind = rig.bind_pose(0).joints;
    let [on_bind, ..] = &leans()[..] else { unreachable!() };
    let plain = Fixture { clip: on_bind.clip.edited(|_| ()).unwrap(), ..leans().swap_remove(0) };
    for codec in encoders() {
        let encoded = on_bind.encode(codec, &ParamValues::new());
        // The same bytes as the clip on the bind pose, whose resting tracks no codec stores.
        let mut same = plain.encode(codec, &ParamValues::new()).bytes;
        same[12] |= ClipHeader::ADDITIVE as u8;
        assert!(encoded.bytes == same, "{}", codec.name());
        let (header, mut player) = codecs::open_clip(codec, &encoded.bytes, &bind).unwrap();
        assert!(header.additive && !player.clip().header().looping);
        let mut pose = Pose::with_size(5, 0);
        player.sample(7.5, &mut pose);
        for joint in [3, 4] {
            assert_eq!(pose.joints[joint], Transform::IDENTITY, "{}", codec.name());
        }
        let mut wanted = Pose::with_size(5, 0);
        lean(&rig).sample(7.5, &mut wanted);
        assert!(codec.name() != "raw" || pose.joints[1].rotation.angle_between(wanted.joints[1].rotation) < 1e-3);
        let alone = player.clip().sample_joint(&mut player.clip().cursor().unwrap(), 7.5, 2);
        assert_eq!(alone, pose.joints[2], "{}", codec.name());
    }
}

#[test]
fn between_samples_a_clip_on_a_moving_base_is_what_a_player_makes_of_both() {
    let rig = chain(5);
    let walk = base_clip(&rig, 26);
    let [.., playing] = &leans()[..] else { unreachable!() };
    let sums = |at: f64| {
        let [mut out, mut base, mut lean_pose] = [(); 3].map(|()| Pose::with_size(5, 0));
        playing.clip.sample(at, &mut out);
        walk.sample(at % 25.0, &mut base);
        lean(&rig).sample(at, &mut lean_pose);
        let added: Vec<Transform> = base.joints.iter().zip(&lean_pose.joints).map(|(b, d)| b.plus(*d)).collect();
        (out.joints, added)
    };
    for at in [0.0, 3.5, 24.5, 25.0, 31.25, 38.75, 39.0] {
        let (out, added) = sums(at);
        for (out, added) in out.iter().zip(&added) {
            assert!(out.rotation.angle_between(added.rotation) < 1e-3, "{at}");
            assert!((out.translation - added.translation).length() < 1e-6, "{at}");
        }
    }
    // A step in a difference stays a step, even if the base moves.
    let stepped = lean(&rig).edited(|data| data.holds = vec![Hold { sample: 3, joint: 1, channel: Channel::Rotation }]);
    let stepped = stepped.unwrap().added_to(playing.clip.base().unwrap().clone()).unwrap();
    let turn = |at: f64| {
        let [mut out, mut base] = [(); 2].map(|()| Pose::with_size(5, 0));
        stepped.sample(at, &mut out);
        walk.sample(at, &mut base);
        out.joints[1].minus(base.joints[1]).rotation
    };
    assert!(turn(3.0).angle_between(turn(3.9)) < 1e-3 && turn(3.9).angle_between(turn(4.0)) > 1e-2);
}

#[test]
fn feet_stand_where_those_of_the_sum_stand() {
    let leg = leg(60);
    let nod = leg.clip.edited(|data| {
        for (at, local) in data.transforms.iter_mut().enumerate() {
            let is_toe = at % 5 == 4;
            let turn = if is_toe { 0.05 * (at as f32 * 0.02).sin() } else { 0.0 };
            *local = Transform { rotation: Quat::from_rotation_x(turn), ..Transform::IDENTITY };
        }
        data.name = "nod".into();
    });
    let nod = nod.unwrap();
    let base = Arc::new(Base::playing(&leg.clip, nod.grid()));
    let sum = Arc::new(nod.added_to(base).unwrap());
    let rig = Arc::new(Rig::from_skeleton("leg", leg.skeleton.clone()));
    let recipe = Recipe { tolerance_m: 0.001, ..Recipe::chosen("linear-keys").unwrap() };
    let alone = Arc::new(sum.edited(|_| ()).unwrap());
    let [sum, alone] = [sum, alone].map(|clip| MeasuredClip::new(rig.clone(), clip, &recipe));
    assert!(!sum.plan.contacts.is_empty() && sum.plan.contacts == alone.plan.contacts);
    let outcome = compress(&sum, &recipe, &Default::default()).unwrap();
    let shell = &outcome.report.samples.worst;
    assert!(outcome.bytes() < compress(&alone, &recipe, &Default::default()).unwrap().bytes() / 2, "only a toe moves");
    assert!(shell.error_m <= recipe.tolerance_m, "{shell:?}");
    assert!(outcome.report.slide.contacts.len() == sum.plan.contacts.len());
    let mut pose = Pose::with_size(5, 0);
    outcome.sampler().sample(30.0, &mut pose);
    assert!((pose.joints[0].translation - leg.clip.at(30, 0).translation).length() < 1e-3, "what plays is the sum");
}

#[test]
fn a_container_says_that_a_clip_is_additive_and_gives_its_differences_back() {
    let rig = Arc::new(Rig::from_skeleton("chain", chain(5)));
    let [.., playing] = &leans()[..] else { unreachable!() };
    let sum = Arc::new(playing.clip.clone());
    let recipe = Recipe::chosen("linear-keys").unwrap();
    let bytes = written::export(&rig, std::slice::from_ref(&sum), &recipe, CONTAINER, &Default::default()).unwrap();
    let archive = Archive::open(&bytes, None).unwrap();
    let clip = &archive.clips()[0];
    assert!(clip.header.additive);
    let decoded = archive.decode(clip).unwrap();
    assert_eq!(decoded.additive(), Some(&said(BaseOf::Bind)));
    assert!((decoded.at(20, 1).rotation).angle_between(lean(&rig.skeleton).at(20, 1).rotation) < 2e-3);
    assert_eq!(decoded.at(20, 4), Transform::IDENTITY);
    let source = MeasuredClip::new(rig, sum, &recipe);
    let outcome = measure_archived(&source, clip).unwrap();
    assert!(outcome.report.samples.worst.error_m <= recipe.tolerance_m, "{:?}", outcome.report.samples.worst);
}

#[test]
fn flags_that_nobody_knows_are_refused_and_damaged_bytes_play_or_are_refused() {
    let [on_bind, ..] = &leans()[..] else { unreachable!() };
    for codec in encoders() {
        let bytes = on_bind.encode(codec, &ParamValues::new()).bytes;
        let open = |bytes: Vec<u8>| codecs::open(codec, bytes, &on_bind.bind());
        let mut unknown = bytes.clone();
        unknown[12] |= 16;
        assert!(matches!(open(unknown), Err(DecodeError::Invalid { .. })), "{}", codec.name());
        for length in (0..bytes.len()).step_by(7) {
            assert!(open(bytes[..length].to_vec()).is_err(), "{}: {length} bytes", codec.name());
        }
        // A rig without any size, and NaN.
        for scale in [0.0, f32::NAN] {
            let flat: Vec<Transform> =
                on_bind.bind().iter().map(|bind| Transform { scale: Vec3::splat(scale), ..*bind }).collect();
            let opened = codecs::open(codec, bytes.clone(), &flat).unwrap();
            let mut pose = Pose::with_size(5, 0);
            opened.sample(&mut opened.cursor().unwrap(), 3.5, &mut pose);
        }
    }
}

fn glb_of(rig: &Rig, clips: &[&Clip]) -> Imported {
    let mut clips: Vec<_> = clips.iter().map(|clip| ExportClip::raw(clip)).collect();
    let bytes = Glb.export(rig, &mut clips, &ExportTarget::default()).unwrap();
    import_bytes("lean.glb".as_ref(), bytes, &ImportOptions::default()).unwrap()
}

#[test]
fn extras_of_a_gltf_say_what_a_clip_is_added_to_and_its_keys_are_the_differences() {
    let rig = Rig::from_skeleton("chain", chain(5));
    let walk = base_clip(&rig.skeleton, 26).edited(|data| data.name = "Walk".into()).unwrap();
    let bases = [
        (BaseOf::Bind, Base::bind(&rig.skeleton)),
        (BaseOf::FirstPose("Walk".into()), Base::first_pose(&walk)),
        (BaseOf::Clip("Walk".into()), Base::playing(&walk, lean(&rig.skeleton).grid())),
    ];
    for (of, base) in bases {
        let sum = lean(&rig.skeleton).added_to(Arc::new(base)).unwrap();
        let read = glb_of(&rig, &[&walk, &sum]);
        let [_, lean_read] = &read.clips[..] else { panic!("{}", read.clips.len()) };
        assert_eq!(lean_read.additive(), Some(&said(of)));
        let again = lean_read.on_base(&read.rig.skeleton, |_| Some(Arc::new(walk.clone()))).unwrap().unwrap();
        for sample in 0..SAMPLES {
            for joint in 0..5 {
                let (raw, again) = (sum.at(sample, joint), again.at(sample, joint));
                assert!(raw.rotation.angle_between(again.rotation) < 2e-3, "{sample} {joint}");
                assert!((raw.translation - again.translation).length() < 1e-4, "{sample} {joint}");
            }
        }
    }
}

#[test]
fn channels_that_a_file_leaves_out_differ_by_nothing_and_differences_are_no_base() {
    let rig = chain(5);
    let half = lean(&rig).edited(|data| {
        data.transforms.iter_mut().enumerate().for_each(|(at, local)| {
            if at % 5 > 2 {
                *local = rig.bind(at % 5); // as importers fill it in
            }
        });
    });
    let half = half.unwrap().said_to_be(Some(Additive::TO_BIND));
    let sum = half.on_base(&rig, |_| None).unwrap().unwrap();
    assert_eq!(sum.at(7, 4), rig.bind(4));
    let own = half.clone().said_to_be(Some(said(BaseOf::FirstPose("lean".into()))));
    assert_eq!(own.on_base(&rig, |_| Some(Arc::new(half.clone()))).unwrap(), None);
    // A clip that was made additive to its own first pose comes back on the bind pose: the file has no base pose.
    let walk = base_clip(&rig, 26);
    let made = walk.clone().with_base(Arc::new(Base::first_pose(&walk)));
    let read = glb_of(&Rig::from_skeleton("chain", rig), &[&made]);
    assert_eq!(read.clips[0].additive(), Some(&Additive::TO_BIND));
}

/// A workspace with a base and a lean that is not marked as additive.
fn workspace_with_lean() -> (Workspace, [ClipId; 2]) {
    let mut read = imported(5, SAMPLES, 1);
    read.clips.push(lean(&read.rig.skeleton));
    let mut workspace = Workspace::new(document(), || {});
    workspace.add_source(file(read));
    let ids: Vec<ClipId> = workspace.library().clip_ids().collect();
    (workspace, [ids[0], ids[1]])
}

#[test]
fn a_mark_puts_a_clip_on_its_base_until_it_is_undone_and_survives_a_restart() {
    let (mut workspace, [base, lean]) = workspace_with_lean();
    settle(&mut workspace);
    let pose = |workspace: &Workspace, id: ClipId| workspace.library().clip(id).unwrap().1.at(10, 3);
    let (plain, below) = (pose(&workspace, lean), pose(&workspace, base));
    assert_eq!(plain, Transform::IDENTITY);
    workspace.mark_additive(lean, "Additive", Some(said(BaseOf::Clip("clip0".into()))));
    assert!(workspace.is_fresh(base, 0) && !workspace.is_fresh(lean, 0), "only its own clip is measured again");
    assert!(pose(&workspace, lean).rotation.angle_between(below.rotation) < 1e-3);
    workspace.select(Some(lean));
    settle(&mut workspace);
    let outcome = &workspace.shown().unwrap().outcome;
    assert!(
        outcome.report.samples.worst.error_m <= workspace.recipe(0).tolerance_m,
        "{:?}",
        outcome.report.samples.worst
    );
    let kept = workspace.document().to_toml();
    let restored = Document::from_toml(&kept).unwrap();
    assert_eq!(&restored, workspace.document());
    let mut reopened = Workspace::new(restored, || {});
    let mut read = imported(5, SAMPLES, 1);
    read.clips.push(self::lean(&read.rig.skeleton));
    reopened.add_source(file(read));
    assert_eq!(pose(&reopened, lean), pose(&workspace, lean), "the project has the mark");
    workspace.undo();
    assert_eq!(pose(&workspace, lean), plain);
    settle(&mut workspace);
    settle(&mut reopened);
}

#[test]
fn poses_are_made_additive_by_a_mark_and_look_as_they_did() {
    let (mut workspace, [base, _]) = workspace_with_lean();
    let before = workspace.library().clip(base).unwrap().1.clone();
    let made = Additive { base: BaseOf::FirstPose("clip0".into()), holds: Holds::Poses };
    workspace.mark_additive(base, "Additive", Some(made));
    let after = workspace.library().clip(base).unwrap().1.clone();
    assert_eq!(after.pose(7), before.pose(7));
    let differences = after.differences().unwrap();
    assert!(differences.pose(0).iter().all(|d| d.rotation.angle_between(Quat::IDENTITY) < 1e-3));
    workspace.select(Some(base));
    settle(&mut workspace);
    assert!(workspace.shown().unwrap().outcome.encoding().unwrap().opened.header().additive);
}

#[test]
fn a_base_that_is_not_there_leaves_the_clip_as_it_is() {
    let (mut workspace, [_, lean]) = workspace_with_lean();
    workspace.mark_additive(lean, "Additive", Some(said(BaseOf::Clip("Run".into()))));
    let clip = workspace.library().clip(lean).unwrap().1.clone();
    assert!(clip.base().is_none() && clip.additive().is_some());
    settle(&mut workspace);
}

#[test]
fn differences_are_told_from_poses_by_the_bones_or_by_the_turns_that_are_gone() {
    let rig = chain(5);
    assert!(lean(&rig).looks_like_differences(&rig), "joints lie at their parents");
    assert!(!base_clip(&rig, 26).looks_like_differences(&rig));
    let turned = |j: usize| Transform { rotation: Quat::from_rotation_x(0.8 + 0.1 * j as f32), ..rig.bind(j) };
    let joints = rig.joints().iter().enumerate().map(|(j, joint)| Joint { bind: turned(j), ..joint.clone() });
    let turned_rig = Skeleton::new(joints.collect()).unwrap();
    let nodding = |upright: bool| {
        let data = clip_of(&turned_rig, SAMPLES, |s, j| {
            let nod = Quat::from_rotation_z(0.02 * s as f32 / 30.0);
            let bind = turned_rig.bind(j);
            Transform { rotation: if upright { bind.rotation * nod } else { nod }, ..bind }
        });
        Clip::new(data).unwrap()
    };
    assert!(
        nodding(false).looks_like_differences(&turned_rig),
        "translations are those of the bind pose, as the file has none"
    );
    assert!(!nodding(true).looks_like_differences(&turned_rig));
}
