//! The calls of an engine: masks, layouts, cursors in the engine's memory. Each gives the same bits as a whole pose.

use crate::codec_fixtures::{
    Fixture, Noise, chain, clip_of, each_corrected, each_grouped, each_opened, encoder, fixtures,
};
use glam::Quat;
use posepress_core::codecs::{self, ParamValues, encoders};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Pose};
use posepress_runtime::internal::math;
use posepress_runtime::{BlockError, Cursor, Joints, Opened, PoseLayout};
use std::mem::MaybeUninit;

/// Value of floats that no call may write.
const UNTOUCHED: f32 = 77.0;

/// Layouts with gaps. Some have the translation first, as some engines do.
const LAYOUTS: [PoseLayout; 6] = [
    PoseLayout::TRANSFORMS,
    PoseLayout::SOA8,
    PoseLayout::MATRICES,
    PoseLayout::Transforms { stride: 17, rotation: 5, translation: 1, scale: 12 },
    PoseLayout::Soa8 { stride: 91 },
    PoseLayout::Matrices { stride: 16 },
];

/// Places and values of a joint's numbers, computed as the documentation describes.
fn expected(layout: PoseLayout, place: usize, local: &Transform) -> Vec<(usize, f32)> {
    let (q, t, s) = (local.rotation, local.translation, local.scale);
    match layout {
        PoseLayout::Transforms { stride, rotation, translation, scale } => {
            let parts = [
                (rotation, q.to_array().to_vec()),
                (translation, t.to_array().to_vec()),
                (scale, s.to_array().to_vec()),
            ];
            let numbers = |(start, numbers): (usize, Vec<f32>)| {
                numbers.into_iter().enumerate().map(move |(i, x)| (place * stride + start + i, x))
            };
            parts.into_iter().flat_map(numbers).collect()
        }
        PoseLayout::Soa8 { stride } => {
            let rows = [q.x, q.y, q.z, q.w, t.x, t.y, t.z, s.x, s.y, s.z];
            rows.into_iter().enumerate().map(|(row, x)| (place / 8 * stride + 8 * row + place % 8, x)).collect()
        }
        PoseLayout::Matrices { stride } => {
            let matrix = local.to_affine();
            let at = |row: usize, column: usize| match column {
                3 => matrix.translation[row],
                _ => matrix.matrix3.col(column)[row],
            };
            (0..12).map(|i| (place * stride + i, at(i / 4, i % 4))).collect()
        }
    }
}

/// Bits of float32, so that -0 and 0 differ.
fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Compares every layout of the wanted joints with the whole pose.
fn assert_layouts<B: AsRef<[u8]>>(
    clip: &Opened<B>,
    cursor: &mut Cursor<'_>,
    at_sample: f64,
    (joints, pose): (&Joints<'_>, &Pose),
    what: &str,
) {
    let range = if let Joints::Range(range) = joints { range.clone() } else { 0..pose.joints.len() };
    let is_wanted = |joint: &usize| match joints {
        Joints::Mask(words) => words.get(joint / 64).is_some_and(|word| word & (1 << (joint % 64)) != 0),
        _ => true,
    };
    for layout in LAYOUTS {
        let mut wanted = vec![UNTOUCHED; layout.floats(range.len())];
        for joint in range.clone().filter(is_wanted) {
            let numbers = expected(layout, joint - range.start, &pose.joints[joint]);
            numbers.into_iter().for_each(|(at, x)| wanted[at] = x);
        }
        let mut found = vec![UNTOUCHED; wanted.len()];
        clip.sample_into(cursor, at_sample, joints, layout, &mut found);
        assert_eq!(bits(&found), bits(&wanted), "{what}: {layout:?} of {joints:?} at {at_sample}");
    }
}

/// Samples parts with a cursor in every way, in random order.
fn assert_calls<B: AsRef<[u8]>>(clip: &Opened<B>, cursor: &mut Cursor<'_>, what: &str) {
    let (joints, last) = (clip.header().joints, (clip.header().grid.samples() - 1) as f64);
    let (mut whole, mut noise) = (clip.cursor().unwrap(), Noise(23));
    let (mut pose, untouched) = (Pose::with_size(joints, 0), Transform::from_numbers([UNTOUCHED; 10]));
    for round in 0..12 {
        let at_sample = if round % 3 == 0 { f64::from(round).min(last) } else { last * f64::from(noise.unit().abs()) };
        clip.sample(&mut whole, at_sample, &mut pose);
        // Masks with few joints, with half of them, and with all joints of some words. The last word may be missing.
        let mut mask: Vec<u64> = (0..joints.div_ceil(64)).map(|_| noise.bits() & noise.bits()).collect();
        match round % 4 {
            0 => mask.iter_mut().for_each(|word| *word &= noise.bits() & noise.bits()),
            1 => mask[0] = u64::MAX,
            2 => mask.truncate(mask.len() - 1),
            _ => {}
        }
        let mut masked = vec![untouched; joints];
        clip.sample_mask(cursor, at_sample, &mask, &mut masked);
        for (joint, (found, expected)) in masked.iter().zip(&pose.joints).enumerate() {
            let is_wanted = mask.get(joint / 64).is_some_and(|word| word & (1 << (joint % 64)) != 0);
            let expected = if is_wanted { expected } else { &untouched };
            assert_eq!(found, expected, "{what}: joint {joint} of {mask:x?} at {at_sample}");
        }
        let first = noise.bits() as usize % joints;
        let end = first + 1 + noise.bits() as usize % (joints - first);
        for joints in [Joints::All, Joints::Range(first..end), Joints::Mask(&mask)] {
            assert_layouts(clip, cursor, at_sample, (&joints, &pose), what);
        }
    }
}

/// Compares bits, also between samples, for every way of computing. Only this test selects the way.
#[test]
fn poses_have_the_same_bits_however_they_are_computed() {
    let is_varied = |fixture: &Fixture| ["scaled", "held", "looping"].contains(&fixture.name);
    each_opened(fixtures().into_iter().chain([crowd()]), is_varied, |clip, what| {
        let (mut cursor, mut pose) =
            (clip.cursor().unwrap(), Pose::with_size(clip.header().joints, clip.header().float_tracks));
        for at_sample in clip.header().grid.steps(3) {
            let [fast, portable] = [false, true].map(|is_portable| {
                math::run_portably(is_portable);
                clip.sample(&mut cursor, at_sample, &mut pose);
                pose.joints.iter().flat_map(|joint| joint.numbers()).map(f32::to_bits).collect::<Vec<u32>>()
            });
            assert_eq!(fast, portable, "{what} at {at_sample}");
        }
    });
    math::run_portably(false);
}

/// More joints than are decoded in one step, some of them at rest.
fn crowd() -> Fixture {
    let skeleton = chain(150);
    let data = clip_of(&skeleton, 14, |sample, joint| {
        let angle = (sample as f32 * 0.2 + joint as f32).sin() * if joint % 5 == 0 { 0.0 } else { 0.3 };
        Transform { rotation: Quat::from_rotation_x(angle), ..skeleton.bind(joint) }
    });
    Fixture { name: "crowd", clip: Clip::new(data).unwrap(), skeleton }
}

#[test]
fn every_call_has_the_bits_of_the_whole_pose() {
    let clips = fixtures().into_iter().chain([crowd()]);
    let is_varied = |fixture: &Fixture| ["scaled", "held", "looping"].contains(&fixture.name);
    each_opened(clips, is_varied, |clip, what| assert_calls(clip, &mut clip.cursor().unwrap(), what));
}

#[test]
fn every_call_of_a_corrected_clip_has_the_bits_of_the_whole_pose() {
    each_corrected(|clip, what| {
        assert_calls(clip, &mut clip.cursor().unwrap(), what);
        assert_placed(clip, what);
    });
}

#[test]
fn every_call_of_a_clip_with_groups_has_the_bits_of_the_whole_pose() {
    each_grouped(|clip, what| {
        assert_calls(clip, &mut clip.cursor().unwrap(), what);
        assert_placed(clip, what);
    });
}

/// A cursor in a given block plays as one on the heap. A smaller block is refused.
fn assert_placed<B: AsRef<[u8]>>(clip: &Opened<B>, what: &str) {
    let layout = clip.cursor_layout().unwrap();
    let mut block = vec![MaybeUninit::uninit(); layout.size() + layout.align()];
    let first = block.as_ptr().align_offset(layout.align());
    let refused = clip.cursor_in(&mut block[first..first + layout.size() - 1]).unwrap_err();
    assert_eq!(refused, BlockError { needed: layout, found_bytes: layout.size() - 1 }, "{what}");
    let mut cursor = clip.cursor_in(&mut block[first..first + layout.size()]).unwrap();
    assert_calls(clip, &mut cursor, what);
}

#[test]
fn a_cursor_in_a_block_plays_as_one_on_the_heap() {
    let clips = fixtures().into_iter().filter(|f| ["scaled", "held", "one sample", "looping"].contains(&f.name));
    each_opened(clips, |_| true, assert_placed);
}

#[test]
fn a_place_that_is_no_number_is_the_clips_start() {
    for fixture in fixtures() {
        for codec in encoders() {
            let bytes = fixture.encode(codec, &ParamValues::new()).bytes;
            let clip = codecs::open(codec, &bytes, &fixture.bind()).unwrap();
            let pose = |at_sample: f64| {
                let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
                clip.sample(&mut clip.cursor().unwrap(), at_sample, &mut pose);
                pose
            };
            assert_eq!(pose(f64::NAN), pose(0.0), "{} on '{}'", codec.name(), fixture.name);
            assert_eq!(pose(f64::INFINITY), pose(1e300), "{} on '{}'", codec.name(), fixture.name);
        }
    }
}

#[test]
#[should_panic(expected = "room for 3 joints in 29 floats")]
fn a_buffer_that_is_too_short_is_refused() {
    let fixture = crowd();
    let bytes = fixture.encode(encoder("quantize"), &ParamValues::new()).bytes;
    let clip = codecs::open(encoder("quantize"), &bytes, &fixture.bind()).unwrap();
    clip.sample_into(&mut clip.cursor().unwrap(), 0.0, &Joints::Range(4..7), PoseLayout::TRANSFORMS, &mut [0.0; 29]);
}
