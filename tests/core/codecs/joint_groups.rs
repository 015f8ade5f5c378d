//! Joints that are stored differently from the rest of a clip: exact, or with their own parameters.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, fixtures, leg, noisy_chain};
use crate::project::sample;
use posepress_core::codecs::{
    self, Codec, Compensation, CompensationMethod, EncodedClip, Encoder, GroupStorage, JointGroup, ParamChanges,
    ParamKind, ParamValues, Progress, Section, by_name, encoders,
};
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::import::{ImportOptions, import_bytes, import_file};
use posepress_core::model::{Channel, Clip, ClipSampler, Pose, Rig, Sampler};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::{JointOverride, Recipe, RecipeError};
use posepress_core::settings::ParamValue;
use std::sync::Arc;

fn exact(joints: &[usize]) -> JointGroup {
    JointGroup { joints: joints.to_vec(), kept: GroupStorage::Exactly }
}

fn changes(of: &[(&str, &str)]) -> ParamChanges {
    of.iter().map(|(key, value)| ((*key).to_owned(), ParamValue::Choice((*value).to_owned()))).collect()
}

fn encode(fixture: &Fixture, codec: &dyn Codec, groups: &[JointGroup], compensation: &Compensation) -> EncodedClip {
    let codec = codec.encoder().unwrap();
    fixture.with_source(|source| {
        let source = codecs::Source { groups, ..*source };
        codecs::encode_compensated_clip(codec, &source, &ParamValues::new(), compensation, &Progress::new()).unwrap()
    })
}

fn plain(fixture: &Fixture, codec: &dyn Codec, groups: &[JointGroup]) -> EncodedClip {
    encode(fixture, codec, groups, &Compensation::default())
}

/// Checks that every bit of those joints is exact, at samples and between them.
fn assert_exact(fixture: &Fixture, codec: &dyn Codec, encoded: &EncodedClip, joints: &[usize]) {
    let bind = fixture.bind();
    let (header, mut decoded) = codecs::open_clip(codec, &encoded.bytes, &bind).unwrap();
    let mut raw = ClipSampler::new(&fixture.clip);
    let mut poses = [(); 2].map(|()| Pose::with_size(header.joints, header.float_tracks));
    for at_sample in header.grid.steps(3) {
        let [a, b] = &mut poses;
        raw.sample(at_sample, a);
        decoded.sample(at_sample, b);
        for &joint in joints {
            assert_eq!(a.joints[joint], b.joints[joint], "{} '{}' at {at_sample}", codec.name(), fixture.name);
        }
    }
}

#[test]
fn joints_that_are_never_touched_keep_every_bit_and_the_clip_its_promise() {
    for fixture in fixtures() {
        let joints = [fixture.skeleton.len() / 2];
        for codec in encoders() {
            let encoded = plain(&fixture, codec, &[exact(&joints)]);
            let what = format!("{} '{}'", codec.name(), fixture.name);
            assert_exact(&fixture, codec, &encoded, &joints);
            assert_eq!(encoded.ledger.total_bits(), 8 * encoded.bytes.len() as u64, "{what}");
            if codec.promises_with(&ParamValues::new()) {
                let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
                assert!(fixture.error_m(codec, &encoded, 1) <= limit_m, "{what}");
            }
        }
    }
}

#[test]
fn joints_that_are_not_touched_in_a_part_fade_into_what_they_are_around_it() {
    let (chain, span) = (noisy_chain(), 10..15);
    let within = JointGroup { joints: vec![6, 9], kept: GroupStorage::ExactlyWithin(span.clone()) };
    for codec in encoders().filter(|codec| codec.name() != "raw") {
        let [alone, with] = [&[][..], std::slice::from_ref(&within)].map(|groups| plain(&chain, codec, groups));
        let bind = chain.bind();
        let [(_, mut alone), (_, mut with)] =
            [&alone, &with].map(|e| codecs::open_clip(codec, &e.bytes, &bind).unwrap());
        let joint_at = |sampler: &mut dyn Sampler, at_sample| {
            let mut pose = Pose::with_size(bind.len(), 0);
            sampler.sample(at_sample, &mut pose);
            pose.joints[6]
        };
        let mut raw = ClipSampler::new(&chain.clip);
        for at_sample in [10.0, 11.25, 13.0, 14.0] {
            assert_eq!(joint_at(&mut with, at_sample), joint_at(&mut raw, at_sample), "{} {at_sample}", codec.name());
        }
        let off = |a: f32, b: f32| (a - b).abs();
        for (outside, inside) in [(9.0, 10.0), (15.0, 14.0)] {
            let ends = [joint_at(&mut with, outside), joint_at(&mut with, inside)];
            let close = outside + (inside - outside) * 0.999;
            let beside = joint_at(&mut with, close);
            assert!(off(beside.rotation.dot(ends[1].rotation).abs(), 1.0) < 1e-5, "{} fades", codec.name());
            let far = outside - (inside - outside) * 1e-4;
            let away = joint_at(&mut with, far);
            assert!(off(away.rotation.dot(ends[0].rotation).abs(), 1.0) < 1e-5, "{} goes on", codec.name());
        }
        assert!(alone_differs(&mut alone, &mut raw), "{} loses something there", codec.name());
    }
}

/// True if the joint differs somewhere in the part.
fn alone_differs(alone: &mut dyn Sampler, raw: &mut dyn Sampler) -> bool {
    let mut poses = [(); 2].map(|()| Pose::with_size(20, 0));
    (10..15).any(|sample| {
        let [a, b] = &mut poses;
        alone.sample(f64::from(sample), a);
        raw.sample(f64::from(sample), b);
        a.joints[6] != b.joints[6]
    })
}

#[test]
fn what_is_kept_of_a_joint_is_counted_as_its_own() {
    let (leg, codec) = (leg(33), by_name("linear-keys").unwrap());
    let encoded = plain(&leg, codec, &[exact(&[2])]);
    // A rotation of four numbers moves. The other two channels are stored once.
    let bits = 32 * (4 * leg.clip.samples() + 3 + 3) as u64;
    // The clip's own payload keeps the joint at the bind pose.
    assert!((bits..bits + 64).contains(&encoded.ledger.joint_bits(2)), "{}", encoded.ledger.joint_bits(2));
    let kept = encoded.kept.iter().filter(|kept| kept.joint == 2).collect::<Vec<_>>();
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].channel, kept[0].samples.len()), (Channel::Rotation, leg.clip.samples()));
}

#[test]
fn parameters_of_single_joints_change_those_alone() {
    let chain = noisy_chain();
    let codec = by_name("quantize").unwrap();
    let coarse =
        JointGroup { joints: vec![4, 7], kept: GroupStorage::With(changes(&[("rotation_format", "fixed32")])) };
    let values = codecs::with_changes(codec, &ParamValues::new(), &changes(&[("in_place", "false")]));
    assert!(values.is_err(), "a switch is no choice");
    let (before, after) = (plain(&chain, codec, &[]), plain(&chain, codec, &[coarse]));
    assert!(after.ledger.joint_bits(4) < before.ledger.joint_bits(4));
    let bind = chain.bind();
    let pose = |encoded: &EncodedClip| {
        let (header, mut sampler) = codecs::open_clip(codec, &encoded.bytes, &bind).unwrap();
        let mut pose = Pose::with_size(header.joints, 0);
        sampler.sample(17.5, &mut pose);
        pose.joints
    };
    let (before, after) = (pose(&before), pose(&after));
    let differ: Vec<usize> = (0..before.len()).filter(|j| before[*j].rotation != after[*j].rotation).collect();
    // In-place compensation goes on: the descendants of a coarse joint make up for it.
    assert!(differ.contains(&4) && differ.contains(&7) && differ.iter().all(|joint| *joint >= 4), "{differ:?}");
}

#[test]
fn searches_hold_the_tolerance_with_parameters_of_single_joints() {
    let chain = noisy_chain();
    let choices = |codec: &'static dyn Encoder| {
        codec.params().iter().filter_map(|param| match param.kind {
            ParamKind::Choice { options, .. } => options.last().map(|option| (param.key, option.key)),
            _ => None,
        })
    };
    let mut tried = 0;
    for codec in encoders() {
        for own in choices(codec) {
            let own = changes(&[own]);
            let values = codecs::with_changes(codec, &ParamValues::new(), &own).unwrap();
            if !codec.promises_with(&values) {
                continue;
            }
            let what = format!("{} {own:?}", codec.name());
            let groups = [JointGroup { joints: vec![3, 11], kept: GroupStorage::With(own) }, exact(&[5])];
            let encoded = plain(&chain, codec, &groups);
            assert_exact(&chain, codec, &encoded, &[5]);
            let limit_m = f64::from(TOLERANCE_M) + chain.float_slack_m();
            assert!(chain.error_m(codec, &encoded, 1) <= limit_m, "{what}");
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn no_compensation_moves_a_joint_that_is_never_touched() {
    let (leg, codec) = (leg(33), by_name("quantize").unwrap());
    for method in CompensationMethod::ALL.into_iter().filter(|method| *method != CompensationMethod::None) {
        let compensation = Compensation { accuracy_m: Some(1e-6), ..Compensation::of(method) };
        let encoded = encode(&leg, codec, &[exact(&[2])], &compensation);
        assert_exact(&leg, codec, &encoded, &[2]);
        if method == CompensationMethod::Ik {
            assert_eq!(encoded.compensation.applied, CompensationMethod::InPlace, "a solver would turn the knee");
        }
    }
}

#[test]
fn damaged_groups_are_errors() {
    let (chain, codec) = (noisy_chain(), by_name("linear-keys").unwrap());
    let own = JointGroup { joints: vec![3, 11], kept: GroupStorage::With(changes(&[("layout", "time-needed")])) };
    let bytes = plain(&chain, codec, &[own, exact(&[5])]).bytes;
    let bind = chain.bind();
    assert!(codecs::open(codec, bytes.as_slice(), &bind).is_ok());
    for len in 0..bytes.len() {
        assert!(codecs::open(codec, &bytes[..len], &bind).is_err(), "{len} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(clip) = codecs::open(codec, bytes, &bind) else { continue };
        let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
        clip.sample(&mut clip.cursor().unwrap(), 7.25, &mut pose); // any pose will do; only a panic is wrong
    }
}

#[test]
fn a_recipe_says_which_joints_and_refuses_what_cannot_be() {
    let twist = JointOverride { exact: true, ..JointOverride::of("hand*") };
    let set = changes(&[("layout", "time-needed")]);
    let own = JointOverride { set: set.clone(), ..JointOverride::of("*") };
    let recipe = Recipe { overrides: vec![own.clone(), twist.clone()], ..Recipe::chosen("linear-keys").unwrap() };
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
    let wrong = |one: JointOverride, codec: &str| {
        let recipe = Recipe { overrides: vec![one], ..Recipe::chosen(codec).unwrap() };
        match recipe.validated().unwrap_err() {
            RecipeError::Override { why, .. } => why,
            other => panic!("{other}"),
        }
    };
    let span_secs = Some([0.0, 1.0]);
    assert!(wrong(JointOverride { span_secs, ..own.clone() }, "linear-keys").contains("whole clip"));
    assert!(Recipe { overrides: vec![JointOverride { span_secs, ..twist }], ..Recipe::default() }.validated().is_ok());
    assert!(wrong(own.clone(), "automatic").contains("another codec"));
    assert!(wrong(own.clone(), "raw").contains("layout"));
    let mut other = recipe;
    other.use_codec(by_name("press").unwrap());
    assert!(other.overrides[0].set.is_empty() && other.overrides[1].exact, "parameters are those of a codec");
}

#[test]
fn the_last_override_of_a_joint_counts_and_a_search_over_codecs_keeps_it() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let clip = Arc::new(imported.clips[0].clone());
    let rig = Arc::new(imported.rig.clone());
    let name = rig.skeleton.name(1).to_owned();
    let recipe = Recipe {
        tolerance_m: 0.001,
        overrides: vec![JointOverride { exact: true, ..JointOverride::of(&name) }],
        ..Recipe::chosen("automatic").unwrap()
    };
    let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
    let limits = recipe.limits_of(&rig, &clip);
    assert_eq!(limits.groups, [exact(&[1])]);
    let outcome = compress(&source, &recipe, &Progress::new()).unwrap();
    assert!(outcome.report.samples.stats.max_m <= recipe.tolerance_m);
    for sample in 0..clip.samples() {
        let step = sample * outcome.decoded.sub_frames();
        assert_eq!(outcome.decoded.local(step, 1), source.raw.local(step, 1));
    }
    let ledger = &outcome.encoding().unwrap().encoded.ledger;
    assert!(ledger.section_bits(Section::Tables) > 0 && ledger.joint_bits(1) > 32 * clip.samples() as u64);
}

#[test]
fn exported_keys_leave_alone_what_is_never_touched() {
    let chain = noisy_chain();
    let rig = Rig::from_skeleton("chain", chain.skeleton.clone());
    let back = |exact: Vec<(usize, std::ops::Range<usize>)>| {
        let mut clips = [ExportClip { tolerance_m: 0.05, exact, ..ExportClip::raw(&chain.clip) }];
        let bytes = Glb.export(&rig, &mut clips, &ExportTarget::default()).unwrap();
        import_bytes("chain.glb".as_ref(), &bytes, &ImportOptions::default()).unwrap().clips.remove(0)
    };
    let (loose, kept) = (back(Vec::new()), back(vec![(4, 0..chain.clip.samples()), (9, 10..15)]));
    assert_eq!(kept.grid(), chain.clip.grid());
    let differ = |clip: &Clip, joint: usize| -> Vec<usize> {
        let is_off = |sample: &usize| {
            let (a, b) = (clip.at(*sample, joint).rotation, chain.clip.at(*sample, joint).rotation);
            !a.abs_diff_eq(b, 1e-6) && !a.abs_diff_eq(-b, 1e-6)
        };
        (0..clip.samples()).filter(is_off).collect()
    };
    assert!(!differ(&loose, 4).is_empty());
    assert!(differ(&kept, 4).is_empty(), "{:?}", differ(&kept, 4));
    assert!(differ(&loose, 9).iter().any(|s| (10..15).contains(s)));
    assert!(!differ(&kept, 9).iter().any(|s| (10..15).contains(s)), "{:?}", differ(&kept, 9));
}
