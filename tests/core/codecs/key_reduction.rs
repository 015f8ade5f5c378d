//! Key reduction and Unreal's set beyond the common contract: combinations of choices, and the errors that each metric measures.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, arm, chain, clip_of, fixtures, noisy_chain, values_of};
use glam::Quat;
use posepress_core::codecs::{Codec, EncodedClip, ParamValues, Section, Source, by_name, encode_clip, open_clip};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, Pose, Sampler, Skeleton};

fn codec(name: &str) -> &'static dyn Codec {
    by_name(name).unwrap()
}

#[test]
fn layouts_and_searches_decode_to_the_same_bits() {
    let linear = codec("linear-keys");
    for fixture in fixtures() {
        let of = |choices: &[(&str, &str)]| {
            let encoded = fixture.encode(linear, &values_of(linear, choices));
            (fixture.poses(linear, &encoded.bytes), encoded.kept)
        };
        let plain = of(&[]);
        for choices in [[("search", "binary")], [("search", "linear")], [("layout", "time-needed")]] {
            assert_eq!(of(&choices), plain, "{choices:?} on '{}'", fixture.name);
        }
        let frames = of(&[("removal", "key-frames")]);
        for search in ["binary", "linear"] {
            let other = of(&[("removal", "key-frames"), ("search", search)]);
            assert_eq!(other, frames, "key frames by {search} search on '{}'", fixture.name);
        }
    }
}

#[test]
fn blocks_change_sizes_and_searches_and_not_the_motion() {
    let mut cut = 0;
    for fixture in fixtures() {
        for (name, search) in
            [("linear-keys", "cursor"), ("linear-keys", "binary"), ("linear-keys", "linear"), ("per-track", "")]
        {
            let codec = codec(name);
            let of = |block_samples: &str| {
                let mut choices = vec![("block_samples", block_samples)];
                choices.extend((!search.is_empty()).then_some(("search", search)));
                fixture.encode(codec, &values_of(codec, &choices))
            };
            let whole = of("0");
            for block_samples in ["1", "8", "13", "56"] {
                let blocks = of(block_samples);
                let are_same = fixture.poses(codec, &blocks.bytes) == fixture.poses(codec, &whole.bytes);
                assert!(are_same, "{name} {search} in blocks of {block_samples} on '{}'", fixture.name);
                assert_eq!(blocks.kept, whole.kept);
                cut += usize::from(blocks.bytes != whole.bytes);
            }
        }
    }
    assert!(cut > 40, "only {cut} clips were cut");
}

/// A clip near one position, then near another: in blocks its keys need fewer bits.
#[test]
fn keys_of_a_block_take_as_many_bits_as_its_range() {
    let rig = chain(1);
    let data = clip_of(&rig, 128, |s, j| {
        let mut local = rig.bind(j);
        local.translation.x = if s < 64 { 0.0 } else { 50.0 } + 0.002 * ((s * 7919) % 13) as f32;
        local
    });
    let fixture = Fixture { name: "two places", clip: Clip::new(data).unwrap(), skeleton: rig };
    for codec in ["linear-keys", "per-track"].map(codec) {
        let bits = |block_samples: &str| {
            let encoded = fixture.encode(codec, &values_of(codec, &[("block_samples", block_samples)]));
            encoded.ledger.section_bits(Section::Animated)
        };
        let (whole, blocks) = (bits("0"), bits("32"));
        assert!(2 * blocks < whole, "{}: {blocks} bits of keys in blocks, {whole} without", codec.name());
    }
}

#[test]
fn a_jump_table_changes_the_speed_of_seeking_only() {
    let linear = codec("linear-keys");
    let mut jumps = 0;
    for fixture in fixtures() {
        let plain = fixture.encode(linear, &values_of(linear, &[("layout", "time-needed")]));
        for every in ["1", "3", "7", "1000"] {
            let encoded =
                fixture.encode(linear, &values_of(linear, &[("layout", "time-needed"), ("jump_every", every)]));
            let bytes = &encoded.bytes;
            assert_eq!(
                fixture.poses(linear, bytes),
                fixture.poses(linear, &plain.bytes),
                "every {every} on '{}'",
                fixture.name
            );
            // The ledger has the size of the table. Nothing else grows, except the padding of the last byte.
            let table_bits = encoded.ledger.section_bits(Section::Jumps);
            let padding = |of: &EncodedClip| of.ledger.section_bits(Section::Padding);
            let grown = 8 * (bytes.len() - plain.bytes.len()) as u64 + padding(&plain) - padding(&encoded);
            assert_eq!(grown, table_bits, "every {every} on '{}'", fixture.name);
            jumps += usize::from(table_bits > 22);
        }
    }
    assert!(jumps > 20, "only {jumps} clips have jumps");
}

#[test]
fn a_jump_that_leads_elsewhere_is_rejected() {
    let linear = codec("linear-keys");
    let fixture = arm();
    let bind = fixture.bind();
    let encoded = fixture.encode(linear, &values_of(linear, &[("layout", "time-needed"), ("jump_every", "7")]));
    assert!(open_clip(linear, &encoded.bytes, &bind).is_ok());
    // Jumps are after the formats of the tracks, which are in the ledger with everything before them.
    let head: u64 = [Section::Header, Section::Tables, Section::Constant, Section::Range]
        .map(|s| encoded.ledger.section_bits(s))
        .iter()
        .sum();
    let (from, bits) = (head + 22, encoded.ledger.section_bits(Section::Jumps) - 22);
    for bit in (from..from + bits).map(|bit| bit as usize) {
        let mut bytes = encoded.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(open_clip(linear, &bytes, &bind).is_err(), "bit {bit} of the jump table flipped unnoticed");
    }
}

#[test]
fn whole_key_frames_keep_the_same_samples_of_every_track_and_the_tolerance() {
    let linear = codec("linear-keys");
    for order in ["forward", "smallest-error", "random"] {
        for between in ["false", "true"] {
            let values = values_of(linear, &[("removal", "key-frames"), ("order", order), ("between", between)]);
            for fixture in fixtures() {
                let encoded = fixture.encode(linear, &values);
                assert!(encoded.kept.windows(2).all(|w| w[0].samples == w[1].samples), "'{}'", fixture.name);
                let error_m = fixture.error_m(linear, &encoded, 1);
                let limit_m = f64::from(TOLERANCE_M) + fixture.float_slack_m();
                assert!(error_m <= limit_m, "'{}' {order}: {error_m} m", fixture.name);
            }
            let kept = &slow_swing().encode(linear, &values).kept[0].samples;
            assert!(kept.len() < 31, "{order}: {} of 61 key frames of a slow swing are kept", kept.len());
        }
    }
}

#[test]
fn sub_sampling_leaves_keys_where_it_holds_and_the_tolerance_everywhere() {
    for codec in ["linear-keys", "per-track"].map(codec) {
        for order in ["forward", "smallest-error"] {
            let of = |every| values_of(codec, &[("order", order), ("keep_every", every)]);
            let mut differ = 0;
            for fixture in fixtures() {
                let encoded = fixture.encode(codec, &of("3"));
                let (error_m, limit_m) =
                    (fixture.error_m(codec, &encoded, 1), f64::from(TOLERANCE_M) + fixture.float_slack_m());
                assert!(error_m <= limit_m, "{codec:?} {order} on '{}': {error_m} m", fixture.name);
                differ += usize::from(encoded.bytes != fixture.encode(codec, &of("1")).bytes);
            }
            assert!(differ > 3, "{codec:?} {order}: {differ} clips");
            // A blend of three samples is enough for the whole swing: its keys are every third sample and the last.
            let swing = slow_swing().encode(codec, &of("3"));
            let keys: Vec<u32> = swing.kept.iter().flat_map(|kept| kept.samples.iter().copied()).collect();
            assert!(keys.len() > 9 && keys.iter().all(|sample| sample % 3 == 0), "{codec:?} {order}: {keys:?}");
        }
    }
}

/// Three joints that turn by a degree over seconds.
fn slow_swing() -> Fixture {
    let rig = chain(3);
    let data = clip_of(&rig, 61, |s, j| Transform {
        rotation: Quat::from_rotation_z((s as f32 / 30.0 + j as f32).sin() * 0.02),
        ..rig.bind(j)
    });
    Fixture { name: "slow swing", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn single_keys_are_fewer_than_those_of_whole_key_frames() {
    let linear = codec("linear-keys");
    let count = |choices: &[(&str, &str)]| -> usize {
        arm().encode(linear, &values_of(linear, choices)).kept.iter().map(|k| k.samples.len()).sum()
    };
    let (single, frames) = (count(&[]), count(&[("removal", "key-frames")]));
    assert!(single < frames, "{single} single keys, {frames} keys in key frames");
}

#[test]
fn the_tolerance_holds_halfway_between_samples_where_that_is_asked_for() {
    for name in ["linear-keys", "per-track"] {
        let codec = codec(name);
        for fixture in [swerve(), arm(), noisy_chain()] {
            let error_m = |between: &str| {
                let values = values_of(codec, &[("between", between)]);
                fixture.error_m(codec, &fixture.encode(codec, &values), 2)
            };
            let (off_m, on_m) = (error_m("false"), error_m("true"));
            assert!(on_m <= f64::from(TOLERANCE_M) + 1e-6, "{name} on '{}': {on_m} m", fixture.name);
            let is_swerve = fixture.name == "swerve";
            assert!(!is_swerve || off_m > 2e-4, "{name}: {off_m} m between samples: nothing is left to fix");
        }
    }
}

/// Turns by equal steps: a sample between two keys is exactly their blend. But halfway to it the blend is wrong, because a
/// blend of distant rotations is slower at its ends.
fn swerve() -> Fixture {
    let rig = chain(2);
    let data = clip_of(&rig, 31, |s, j| Transform {
        rotation: Quat::from_rotation_z(if j == 0 { 0.6 * s as f32 } else { 0.0 }),
        ..rig.bind(j)
    });
    Fixture { name: "swerve", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn a_seed_decides_a_random_order() {
    let linear = codec("linear-keys");
    let bytes = |seed: &str| {
        noisy_chain()
            .encode(linear, &values_of(linear, &[("order", "random"), ("seed", seed), ("key_format", "full")]))
            .bytes
    };
    assert_eq!(bytes("4"), bytes("4"));
    assert_ne!(bytes("4"), bytes("5"));
}

#[test]
fn local_thresholds_hold_for_each_track_and_add_up_along_a_chain() {
    let linear = codec("linear-keys");
    let (fixture, limit_rad) = (noisy_chain(), 0.004);
    let choices = [("metric", "local"), ("rotation_threshold", "0.004"), ("position_threshold", "0.001")];
    for removal in ["single-keys", "key-frames"] {
        let values = values_of(linear, &[choices.as_slice(), &[("removal", removal)]].concat());
        assert!(!linear.promises_with(&values) && linear.promises_with(&ParamValues::new()));
        let encoded = fixture.encode(linear, &values);
        let bind = fixture.bind();
        let (header, mut sampler) = open_clip(linear, &encoded.bytes, &bind).unwrap();
        let mut pose = Pose::with_size(header.joints, 0);
        // In f64 and normalised: float32 quaternions are off by more than the angles that must be distinguished.
        let unit = |q: Quat| q.as_dquat().normalize();
        let angle_rad = |a: Quat, b: Quat| 2.0 * unit(a).dot(unit(b)).abs().min(1.0).acos();
        let mut worst_rad = 0.0f64;
        for sample in 0..fixture.clip.samples() {
            sampler.sample(sample as f64, &mut pose);
            let pairs = fixture.clip.pose(sample).iter().zip(&pose.joints);
            worst_rad = pairs.map(|(a, b)| angle_rad(a.rotation, b.rotation)).fold(worst_rad, f64::max);
        }
        assert!(worst_rad <= limit_rad + 1e-5, "{removal}: {worst_rad} rad");
        let error_m = fixture.error_m(linear, &encoded, 1);
        // Twenty joints: 4 mrad on each are more than a millimetre at the end.
        assert!(removal == "key-frames" || error_m > 1e-3, "{removal}: {error_m} m");
    }
}

#[test]
fn end_effectors_do_not_see_a_twist_about_the_line_to_their_vertex() {
    let rig = chain(2);
    // The vertex of the leaf is 3 cm along its x axis.
    let to_vertex = glam::Vec3::new(0.03, 0.3, 0.0).normalize();
    let data = clip_of(&rig, 41, |s, j| {
        let twist = if j == 0 { 0.02 * (s as f32 * 1.7).sin() } else { 0.0 };
        Transform { rotation: Quat::from_axis_angle(to_vertex, twist), ..rig.bind(j) }
    });
    let fixture = Fixture { name: "twist", clip: Clip::new(data).unwrap(), skeleton: rig };
    let linear = codec("linear-keys");
    for removal in ["single-keys", "key-frames"] {
        let found = |metric: &str| {
            let choices = [("metric", metric), ("removal", removal), ("rotation_threshold", "0.5")];
            let encoded = fixture.encode(linear, &values_of(linear, &choices));
            (fixture.error_m(linear, &encoded, 1), encoded.kept.iter().map(|k| k.samples.len()).sum::<usize>())
        };
        let (blind_m, few) = found("end-effectors");
        let (seen_m, many) = found("object-space");
        assert!(blind_m > 2e-4 && few < many, "{removal}: {blind_m} m with {few} keys, {many} by object space");
        assert!(seen_m <= f64::from(TOLERANCE_M) + 1e-6, "{removal}: {seen_m} m");
    }
}

/// A chain in which all joints turn, and a joint in the middle has the name of a socket.
fn chain_with_a_socket() -> Fixture {
    let mut joints = chain(6).joints().to_vec();
    joints[3].name = "weapon_r".into();
    let rig = Skeleton::new(joints).unwrap();
    let data = clip_of(&rig, 60, |s, j| Transform {
        rotation: Quat::from_rotation_z((0.2 * s as f32 + j as f32).sin() * 0.3),
        ..rig.bind(j)
    });
    Fixture { name: "chain with a socket", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn each_threshold_of_end_effectors_keeps_keys_of_its_own() {
    let linear = codec("linear-keys");
    let fixture = chain_with_a_socket();
    // Local thresholds that no error reaches. A centimetre for all others.
    let wide = [
        ("metric", "end-effectors"),
        ("position_threshold", "1"),
        ("rotation_threshold", "1"),
        ("effector_threshold", "0.01"),
        ("last_threshold", "0.01"),
        ("socket_threshold", "0.01"),
    ];
    for removal in ["single-keys", "key-frames"] {
        let keys = |narrowed: &str| {
            let mut choices = [&wide[..], &[("removal", removal)]].concat();
            choices.iter_mut().filter(|(key, _)| *key == narrowed).for_each(|(_, value)| *value = "0.0001");
            let encoded = fixture.encode(linear, &values_of(linear, &choices));
            (0..6u16).map(|j| encoded.kept.iter().filter(|k| k.joint == j).map(|k| k.samples.len()).sum()).collect()
        };
        let none: Vec<usize> = keys("");
        let [most, last, socket] = ["effector_threshold", "last_threshold", "socket_threshold"].map(keys);
        let grown = |now: &[usize], joint: usize| now[joint] > none[joint];
        assert!(grown(&most, 0), "{removal}: {most:?} and {none:?}");
        assert!(grown(&socket, 0) && grown(&socket, 3), "{removal}: {socket:?} and {none:?}");
        if removal == "single-keys" {
            // The end, its parent, the socket and its parent.
            let changed: Vec<usize> = (0..6).filter(|joint| last[*joint] > none[*joint]).collect();
            assert!(changed.contains(&5) && !changed.contains(&0), "{last:?} and {none:?}");
        }
    }
}

#[test]
fn a_larger_shell_marks_a_socket() {
    let linear = codec("linear-keys");
    let fixture = noisy_chain();
    let bytes = |shell_m: f32| {
        let mut shells_m = vec![0.03; fixture.skeleton.len()];
        shells_m[4] = shell_m;
        let source = Source::new(&fixture.skeleton, &fixture.clip, TOLERANCE_M, &shells_m);
        let choices = [("metric", "end-effectors"), ("rotation_threshold", "1"), ("effector_threshold", "0.01")];
        let encoder = linear.encoder().unwrap();
        encode_clip(encoder, &source, &values_of(linear, &choices), &Default::default()).unwrap().bytes.len()
    };
    assert!(bytes(0.04) > bytes(0.03), "a socket is held more narrowly than leaves");
}

#[test]
fn retargeted_tracks_make_up_for_what_their_parents_lost() {
    let linear = codec("linear-keys");
    let fixture = noisy_chain();
    let end_m = |retarget: &str| {
        let choices = [
            ("metric", "end-effectors"),
            ("position_threshold", "0.001"),
            ("rotation_threshold", "0.01"),
            ("effector_threshold", "0.05"),
            ("last_threshold", "0.05"),
            ("retarget", retarget),
        ];
        fixture.error_m(linear, &fixture.encode(linear, &values_of(linear, &choices)), 1)
    };
    let (off_m, on_m) = (end_m("false"), end_m("true"));
    assert!(on_m < 0.7 * off_m, "{on_m} m retargeted, {off_m} m without");
}

#[test]
fn children_rather_keep_the_keys_of_their_parents() {
    let linear = codec("linear-keys");
    let fixture = arm();
    let shared_part = |scale: &str| {
        let encoded = fixture.encode(linear, &values_of(linear, &[("parent_key_scale", scale)]));
        let error_m = fixture.error_m(linear, &encoded, 1);
        assert!(error_m <= f64::from(TOLERANCE_M) + 1e-6, "{error_m} m");
        let of = |joint: u16| {
            let is_it = |k: &&posepress_core::codecs::KeptKeys| k.joint == joint && k.channel == Channel::Rotation;
            encoded.kept.iter().find(is_it).unwrap().samples.clone()
        };
        let (parent, child) = (of(0), of(1));
        parent.iter().filter(|t| child.contains(t)).count() as f64 / parent.len() as f64
    };
    let (without, with) = (shared_part("1"), shared_part("10"));
    assert!(with > without, "{with} of the parent's keys are shared with the bias, {without} without");
}

#[test]
fn per_track_is_smaller_than_one_choice_of_formats() {
    let (linear, per_track) = (codec("linear-keys"), codec("per-track"));
    for fixture in [arm(), noisy_chain()] {
        let bytes = |codec, choices| fixture.encode(codec, &values_of(codec, choices)).bytes.len();
        let (one, best) = (bytes(linear, &[("key_format", "largest48")]), bytes(per_track, &[]));
        assert!(best < one, "'{}': {best} bytes, {one} by linear-keys", fixture.name);
    }
}

#[test]
fn every_second_key_is_quantize_at_the_samples_that_it_keeps() {
    let (every, quantize) = (codec("every-second-key"), codec("quantize"));
    for fixture in fixtures().into_iter().filter(|f| f.clip.holds().is_empty()) {
        let bind = fixture.bind();
        let all = fixture.encode(quantize, &values_of(quantize, &[("in_place", "false")]));
        for (keep_every, phase) in [(1usize, 0usize), (2, 0), (2, 1), (3, 2), (30, 7)] {
            let (n, p) = (keep_every.to_string(), phase.to_string());
            let some = fixture
                .encode(every, &values_of(every, &[("keep_every", &n), ("search_phase", "false"), ("phase", &p)]));
            let (header, mut a) = open_clip(quantize, &all.bytes, &bind).unwrap();
            let (_, mut b) = open_clip(every, &some.bytes, &bind).unwrap();
            let last = header.grid.samples() - 1;
            let is_key = |s: &usize| *s == 0 || *s == last || (*s >= phase && (s - phase).is_multiple_of(keep_every));
            let keys: Vec<usize> = (0..=last).filter(is_key).collect();
            for kept in &some.kept {
                assert!(kept.samples.iter().map(|s| *s as usize).eq(keys.iter().copied()), "'{}'", fixture.name);
            }
            for sample in keys {
                let pose = |sampler: &mut dyn Sampler| {
                    let mut pose = Pose::with_size(header.joints, header.float_tracks);
                    sampler.sample(sample as f64, &mut pose);
                    pose.joints
                };
                assert_eq!(pose(&mut a), pose(&mut b), "'{}' 1 in {n} from {p}, sample {sample}", fixture.name);
            }
        }
    }
}

/// A blow that lasts one sample: keys that miss it lose it.
#[test]
fn the_phase_is_the_one_whose_keys_err_least() {
    let every = codec("every-second-key");
    let rig = chain(1);
    for (blow, keep_every) in [(7, 2), (8, 2), (11, 4), (13, 3)] {
        let data = clip_of(&rig, 24, |sample, _| {
            let mut local = rig.bind(0);
            local.translation.y = if sample == blow { 0.5 } else { 0.001 * sample as f32 };
            local
        });
        let fixture = Fixture { name: "blow", clip: Clip::new(data).unwrap(), skeleton: rig.clone() };
        let number = keep_every.to_string();
        let error_m = |more: &[(&str, &str)]| {
            let encoded =
                fixture.encode(every, &values_of(every, &[&[("keep_every", number.as_str())], more].concat()));
            (fixture.error_m(every, &encoded, 1), encoded)
        };
        let (found_m, encoded) = error_m(&[]);
        assert!(encoded.kept[0].samples.contains(&(blow as u32)), "the blow at {blow} is no key of one in {number}");
        let phases =
            (0..keep_every).map(|phase| error_m(&[("search_phase", "false"), ("phase", &phase.to_string())]).0);
        assert_eq!(phases.fold(f64::INFINITY, f64::min), found_m);
        assert!(found_m < 0.4, "half of the blow is lost beside it, all of it where it is no key: {found_m} m");
    }
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads_with_any_choice() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pools = [pool(1), pool(2), pool(7)];
    let fixture = noisy_chain();
    for codec in ["linear-keys", "per-track", "every-second-key"].map(codec) {
        for values in crate::codec_fixtures::variants(codec) {
            let bytes = pools.each_ref().map(|p| p.install(|| fixture.encode(codec, &values)));
            assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2], "{} {values:?}", codec.name());
        }
    }
}

#[test]
fn the_tech_intros_clip_round_trips_within_its_own_precision() {
    let linear = codec("linear-keys");
    let values = values_of(linear, &[("layout", "curve-block")]);
    assert!(!linear.promises_with(&values), "0.3 mm of rounding cannot be promised away");
    let fixture = arm();
    let encoded = fixture.encode(linear, &values);
    // 16 bits over +-20 m round by 0.31 mm per axis and joint, the harmonic map by 0.00005 rad.
    let error_m = fixture.error_m(linear, &encoded, 1);
    assert!(error_m <= 2e-3, "{error_m} m");
    let keys: usize = encoded.kept.iter().map(|k| k.samples.len()).sum();
    let animated = encoded.kept.len();
    assert_eq!(animated, 3, "three rotations move");
    // Two counts of 32 bits and six bits of header, three curves of 48 bits, keys of 64 bits.
    assert_eq!(encoded.ledger.section_bits(posepress_core::codecs::Section::Animated), 48 * keys as u64);
    let bits = encoded.ledger.section_bits(posepress_core::codecs::Section::Tables);
    assert_eq!(bits, 3 * 48);
    for search in ["binary", "linear"] {
        let other = fixture.encode(linear, &self::values_of(linear, &[("layout", "curve-block"), ("search", search)]));
        assert_eq!(fixture.poses(linear, &other.bytes), fixture.poses(linear, &encoded.bytes), "{search}");
    }
}
