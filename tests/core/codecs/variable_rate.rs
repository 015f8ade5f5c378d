//! Claims of Advanced Quantization, tested on `variable-rate`, and the gain of whole steps and of aiming at decoded parents.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, arm, chain, clip_of, fixtures, noisy_chain, values_of};
use crate::codecs::long_takes::take;
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, Codec, EncodedClip, ParamValues, Section};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip};

fn codec() -> &'static dyn Codec {
    codecs::by_name("variable-rate").unwrap()
}

/// The article's settings with some changes.
fn values(changes: &[(&str, &str)]) -> ParamValues {
    values_of(codec(), &[&[("range", "clip-segment")], changes].concat())
}

fn encode(fixture: &Fixture, changes: &[(&str, &str)]) -> EncodedClip {
    fixture.encode(codec(), &values(changes))
}

/// Bits of a track in a section.
fn track_bits(encoded: &EncodedClip, joint: u16, channel: Channel, section: Section) -> u64 {
    let of_track = encoded.ledger.rows().iter().filter(|r| r.track == Some((joint, channel)) && r.section == section);
    of_track.map(|r| r.bits).sum()
}

/// A joint that rests in the first of two segments of 16 samples and moves in the second.
fn rests_then_moves() -> Fixture {
    let rig = chain(1);
    let data = clip_of(&rig, 32, |s, _| {
        let t = s.saturating_sub(15) as f32;
        Transform::from_translation(Vec3::new(0.01 * t * t, 0.5, 0.02 * t))
    });
    Fixture { name: "rests then moves", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn a_track_that_rests_in_a_segment_takes_48_bits_in_the_place_of_its_range() {
    let encoded = encode(&rests_then_moves(), &[]);
    let bits = |section| track_bits(&encoded, 0, Channel::Translation, section);
    assert_eq!(bits(Section::Constant), 48);
    // The range of the clip, and the range of the segment in which the joint moves.
    assert_eq!(bits(Section::Range), 3 * 48 + 48);
    assert_eq!(bits(Section::Tables), 2 * 4);
    assert_eq!(bits(Section::Animated) % (3 * 16), 0);
    assert_eq!(encoded.ledger.bit_rates()[&0], 1);
    assert_eq!(encoded.ledger.bit_rates().values().sum::<u64>(), 2);
}

#[test]
fn finer_granularity_is_smaller() {
    let fixture = noisy_chain();
    let bytes = |granularity| encode(&fixture, &[("granularity", granularity)]).bytes.len();
    let (clip, channel, track) = (bytes("clip"), bytes("channel"), bytes("track"));
    assert!(track < channel && channel <= clip, "track {track}, channel {channel}, clip {clip} bytes");
}

#[test]
fn one_rate_a_clip_is_one_rate() {
    for fixture in [arm(), noisy_chain()] {
        let encoded = encode(&fixture, &[("granularity", "clip")]);
        assert_eq!(encoded.ledger.bit_rates().len(), 1, "'{}': {:?}", fixture.name, encoded.ledger.bit_rates());
    }
}

#[test]
fn leaves_first_gives_leaves_fewer_bits_than_root_first() {
    let fixture = noisy_chain();
    let leaf = fixture.skeleton.len() as u16 - 1;
    let animated =
        |order, joint| track_bits(&encode(&fixture, &[("order", order)]), joint, Channel::Rotation, Section::Animated);
    assert!(animated("leaves", leaf) < animated("root", leaf), "the leaf");
    assert!(animated("leaves", 0) > animated("root", 0), "the root");
}

/// A world-space clip: the root needs far more bits than its child.
#[test]
fn the_root_does_not_bias_the_rates_of_the_rest() {
    let rig = chain(2);
    let data = clip_of(&rig, 32, |s, j| {
        let t = s as f32 / 31.0;
        let mut local = rig.bind(j);
        if j == 0 {
            local.translation = Vec3::new(80.0 * (5.0 * t).sin(), 60.0 * (9.0 * t).cos(), 70.0 * (3.0 * t).sin());
        } else {
            local.rotation = Quat::from_rotation_x(0.3 * (7.0 * t).sin()) * Quat::from_rotation_z(0.2 * t);
        }
        local
    });
    let fixture = Fixture { name: "world space", clip: Clip::new(data).unwrap(), skeleton: rig };
    let encoded = encode(&fixture, &[("order", "root"), ("segment_samples", "32")]);
    let bits_a_number = |joint, channel| track_bits(&encoded, joint, channel, Section::Animated) / (32 * 3);
    let (root, child) = (bits_a_number(0, Channel::Translation), bits_a_number(1, Channel::Rotation));
    // 160 m in steps of a tenth of a millimetre are 21 bits. The child's 3 cm shell needs 10.
    assert!(root > 16 && child <= 12, "root {root}, child {child} bits");
}

#[test]
fn float32_steps_in_where_the_highest_rate_is_too_coarse() {
    let far = fixtures().into_iter().find(|f| f.name == "far away").unwrap();
    let encoded = encode(&far, &[]);
    assert!(encoded.ledger.bit_rates().contains_key(&32), "{:?}", encoded.ledger.bit_rates());
    let error_m = far.error_m(codec(), &encoded, 1);
    assert!(error_m <= f64::from(TOLERANCE_M) + far.float_slack_m(), "{error_m}");
}

#[test]
fn half_turns_need_another_component_than_w_dropped() {
    let rig = chain(1);
    let half_turn = Quat::from_rotation_y(std::f32::consts::PI);
    let data = clip_of(&rig, 40, |s, _| Transform {
        rotation: half_turn * Quat::from_rotation_x(0.4 * (s as f32 * 0.2).sin()),
        ..Transform::IDENTITY
    });
    let fixture = Fixture { name: "half turn", clip: Clip::new(data).unwrap(), skeleton: rig };
    let bytes = |dropped| encode(&fixture, &[("dropped", dropped)]).bytes.len();
    assert!(3 * bytes("farthest") < 2 * bytes("w"), "{} and {} bytes", bytes("farthest"), bytes("w"));
}

#[test]
fn range_reduction_pays_in_the_clip_and_again_in_the_segment() {
    // One slow swing over 400 samples: each segment has a small part of its range.
    let rig = chain(2);
    let data = clip_of(&rig, 400, |s, j| Transform {
        rotation: Quat::from_rotation_x(0.5 * (s as f32 * 0.02 + j as f32).sin()),
        ..rig.bind(j)
    });
    let fixture = Fixture { name: "swing", clip: Clip::new(data).unwrap(), skeleton: rig };
    let animated = |range| {
        let encoded = encode(&fixture, &[("range", range)]);
        encoded.ledger.section_bits(Section::Animated)
    };
    let (none, clip, segment) = (animated("none"), animated("clip"), animated("clip-segment"));
    assert!(segment < clip && clip < none, "none {none}, clip {clip}, segment {segment} bits");
}

#[test]
fn bytes_are_the_same_with_1_2_and_7_threads() {
    let article =
        ["track", "channel", "clip"].map(|granularity| [("granularity", granularity), ("segment_samples", "4")]);
    let steps = ["fast", "full"].map(|level| [("range", "steps"), ("level", level)]);
    for choice in article.iter().chain(&steps) {
        let [one, two, seven] = [1, 2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| encode(&noisy_chain(), choice))
        });
        assert!(one == two && two == seven, "{choice:?}");
    }
}

#[test]
fn blends_across_the_border_of_segments_are_those_of_its_neighbours() {
    let fixture = arm();
    for segment_samples in ["4", "16", "61"] {
        let encoded = encode(&fixture, &[("segment_samples", segment_samples)]);
        let between_m = fixture.error_m(codec(), &encoded, 4);
        assert!(between_m <= 1.01 * f64::from(TOLERANCE_M), "{segment_samples}: {between_m} m between samples");
    }
}

/// A clip with whole steps, the default.
fn in_steps(fixture: &Fixture, changes: &[(&str, &str)]) -> EncodedClip {
    fixture.encode(codec(), &values_of(codec(), changes))
}

#[test]
fn whole_steps_take_less_than_three_quarters_of_fractions_of_ranges() {
    for fixture in [arm(), noisy_chain()] {
        let (steps, article) = (in_steps(&fixture, &[]).bytes.len(), encode(&fixture, &[]).bytes.len());
        assert!(4 * steps < 3 * article, "'{}': {steps} and {article} bytes", fixture.name);
    }
}

#[test]
fn a_full_search_for_steps_is_never_larger_and_mostly_smaller() {
    let mut smaller = 0;
    for fixture in fixtures() {
        let [fast, full] = ["fast", "full"].map(|level| in_steps(&fixture, &[("level", level)]).bytes.len());
        assert!(full <= fast, "'{}': {full} instead of {fast} bytes", fixture.name);
        smaller += usize::from(full < fast);
    }
    assert!(smaller >= 3, "only {smaller} clips are smaller");
}

/// A hinge turns about one axis: the other two numbers take almost no bits.
#[test]
fn each_number_of_a_track_has_a_rate_of_its_own() {
    let rig = chain(2);
    let data = clip_of(&rig, 64, |s, j| {
        let turn = if j == 1 { Quat::from_rotation_x(0.8 * (s as f32 * 0.3).sin()) } else { Quat::IDENTITY };
        Transform { rotation: turn, ..rig.bind(j) }
    });
    let fixture = Fixture { name: "hinge", clip: Clip::new(data).unwrap(), skeleton: rig };
    let bits = |encoded| track_bits(&encoded, 1, Channel::Rotation, Section::Animated) / 64;
    let (steps, article) = (bits(in_steps(&fixture, &[])), bits(encode(&fixture, &[])));
    assert!((6..=12).contains(&steps) && article >= 2 * steps, "{steps} and {article} bits per sample");
}

/// The error of a chain is no larger at its end than in its middle, so a joint takes the same number of bits at any depth.
#[test]
fn joints_are_aimed_at_what_their_parents_decode_to() {
    let swinging = |joints: usize| {
        let rig = chain(joints);
        let data = clip_of(&rig, 64, |s, j| {
            let (t, j_f) = (s as f32 * 0.1, j as f32);
            let turn =
                Quat::from_rotation_x(0.3 * (t + j_f).sin()) * Quat::from_rotation_z(0.2 * (1.7 * t - j_f).cos());
            Transform { rotation: turn, ..rig.bind(j) }
        });
        Fixture { name: "swinging", clip: Clip::new(data).unwrap(), skeleton: rig }
    };
    let (short, long) = (swinging(4), swinging(16));
    let bits = |encoded: EncodedClip| encoded.ledger.section_bits(Section::Animated) as f64;
    let growth = |encode: &dyn Fn(&Fixture) -> EncodedClip| bits(encode(&long)) / bits(encode(&short)) / 4.0;
    let (steps, article) = (growth(&|f| in_steps(f, &[])), growth(&|f| encode(f, &[])));
    assert!(steps < 1.1 && article > steps + 0.1, "{steps} and {article} times the bits per joint");
}

#[test]
fn whole_steps_keep_the_tolerance_between_samples_too() {
    for fixture in [arm(), noisy_chain()] {
        for level in ["fast", "full"] {
            let between_m = fixture.error_m(codec(), &in_steps(&fixture, &[("level", level)]), 4);
            let limit_m = 1.02 * f64::from(TOLERANCE_M) + fixture.float_slack_m();
            assert!(between_m <= limit_m, "'{}', {level}: {between_m} m", fixture.name);
        }
    }
}

#[test]
fn only_tracks_that_no_steps_hold_are_float32() {
    let far = fixtures().into_iter().find(|f| f.name == "far away").unwrap();
    let encoded = in_steps(&far, &[]);
    assert!(encoded.ledger.bit_rates().contains_key(&32), "{:?}", encoded.ledger.bit_rates());
    let error_m = far.error_m(codec(), &encoded, 1);
    assert!(error_m <= f64::from(TOLERANCE_M) + far.float_slack_m(), "{error_m}");
}

/// Long takes in whole steps are cut into segments. Takes in the article's form are not.
#[test]
fn long_takes_are_read_whether_they_are_cut_or_not() {
    let fixture = take(9000);
    for encoded in [in_steps(&fixture, &[]), encode(&fixture, &[])] {
        let error_m = fixture.error_m(codec(), &encoded, 1);
        assert!(error_m <= f64::from(TOLERANCE_M) + fixture.float_slack_m(), "{error_m} m");
    }
}
