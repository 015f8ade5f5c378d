//! Opened clips and their cursors: parts of poses, several players, and the bytes that a scan reads.

use crate::codec_fixtures::{
    Fixture, Noise, clip_of, each_corrected, each_grouped, each_opened, encoder, fixtures, leg, variants,
};
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, EncodedClip, ParamValues, Progress, Source, encoders};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Joint, Pose, Skeleton};
use posepress_runtime::internal::codecs::DecoderCursor;
use posepress_runtime::internal::parts::PoseSlice;
use posepress_runtime::internal::{ClipSections, StateMemory};
use posepress_runtime::{BindPose, Cursor, Opened};
use std::sync::Arc;

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Opened<Arc<[u8]>>>();
    is_shared::<Cursor>();
};

/// Compares joints and ranges at times in random order with whole poses of another cursor.
fn assert_parts<B: AsRef<[u8]>>(clip: &Opened<B>, what: &str) {
    let (joints, places) = (clip.header().joints, clip.header().grid.steps(3).collect::<Vec<_>>());
    let (mut whole, mut part) = (clip.cursor().unwrap(), clip.cursor().unwrap());
    let mut pose = Pose::with_size(joints, clip.header().float_tracks);
    let mut noise = Noise(11);
    for step in 0..2 * places.len() {
        // Forward first, then in random order.
        let at_sample = places[if step < places.len() { step } else { noise.bits() as usize % places.len() }];
        clip.sample(&mut whole, at_sample, &mut pose);
        let joint = noise.bits() as usize % joints;
        assert_eq!(
            clip.sample_joint(&mut part, at_sample, joint),
            pose.joints[joint],
            "{what}: {joint} at {at_sample}"
        );
        let end = joint + 1 + noise.bits() as usize % (joints - joint);
        let mut range = vec![Transform::IDENTITY; end - joint];
        clip.sample_range(&mut part, at_sample, joint..end, &mut range);
        assert_eq!(range, pose.joints[joint..end], "{what}: {joint}..{end} at {at_sample}");
    }
}

#[test]
fn parts_of_a_pose_have_the_bits_of_the_whole() {
    each_opened(fixtures(), |fixture| ["scaled", "held", "looping"].contains(&fixture.name), assert_parts);
}

#[test]
fn parts_of_a_corrected_pose_have_the_bits_of_the_whole() {
    each_corrected(assert_parts);
}

#[test]
fn parts_of_a_pose_with_groups_have_the_bits_of_the_whole() {
    each_grouped(assert_parts);
}

#[test]
fn players_of_one_clip_do_not_disturb_each_other() {
    let fixture = fixtures().into_iter().find(|f| f.name == "scaled").unwrap();
    for codec in encoders() {
        let bytes: Arc<[u8]> = fixture.encode(codec, &ParamValues::new()).bytes.into();
        let clip = codecs::open(codec, bytes, &fixture.bind()).unwrap();
        let places: Vec<f64> = clip.header().grid.steps(2).collect();
        let play = |places: &mut dyn Iterator<Item = &f64>| {
            let mut cursor = clip.cursor().unwrap();
            let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
            places.map(|at| (clip.sample(&mut cursor, *at, &mut pose), pose.clone()).1).collect::<Vec<_>>()
        };
        let (forward, mut backward) = std::thread::scope(|scope| {
            let other = scope.spawn(|| play(&mut places.iter().rev()));
            (play(&mut places.iter()), other.join().unwrap())
        });
        backward.reverse();
        assert_eq!(forward, backward, "{}", codec.name());
    }
}

#[test]
#[should_panic(expected = "made by another clip")]
fn a_cursor_of_another_clip_is_refused() {
    let fixture = fixtures().remove(0);
    let codec = encoder("linear-keys");
    let bytes = fixture.encode(codec, &ParamValues::new()).bytes;
    let open = || codecs::open(codec, &bytes, &fixture.bind()).unwrap();
    let (a, b) = (open(), open());
    a.sample_joint(&mut b.cursor().unwrap(), 0.0, 0);
}

/// Most bytes in memory beside those of the clip, and of a cursor, for [`turning`].
const MEMORY: [(&str, usize, usize); 9] = [
    ("raw", 88, 144),
    ("quantize", 720, 240),
    ("every-second-key", 440, 144),
    ("linear-keys", 4_520, 2_240),
    ("per-track", 4_510, 2_160),
    ("variable-rate", 5_680, 144),
    ("catmull-rom", 5_650, 8_400),
    ("wavelet", 1_740, 39_240),
    ("press", 1_280, 144),
];

#[test]
fn no_codec_keeps_more_in_memory_than_its_budget() {
    let turning = turning();
    let bind = turning.skeleton.shared_bind().unwrap();
    let found = |codec: &dyn codecs::Encoder| {
        let bytes = turning.encode(codec, &ParamValues::new()).bytes;
        let clip = Opened::new(codec.id(), &bytes[..], &bind).unwrap();
        (codec.name(), clip.resident_bytes() - bytes.len(), clip.cursor().unwrap().resident_bytes())
    };
    let found: Vec<_> = encoders().map(found).collect();
    let is_within = |(name, clip, cursor): &(&str, usize, usize)| {
        MEMORY.iter().any(|budget| budget.0 == *name && *clip <= budget.1 && *cursor <= budget.2)
    };
    assert!(found.iter().all(is_within), "{found:?}");
}

/// Compares the poses of an owned clip with those of its bytes. Returns both sizes in memory.
fn assert_owned(codec: &dyn codecs::Encoder, bytes: &[u8], bind: &BindPose, what: &str) -> [usize; 2] {
    let opened = Opened::new(codec.id(), bytes.to_vec(), bind).unwrap();
    let owned = Opened::owned(codec.id(), bytes, bind).unwrap();
    let [mut expected, mut pose] = [(); 2].map(|()| Pose::with_size(bind.len(), opened.header().float_tracks));
    let (mut player, mut owned_player) = (opened.cursor().unwrap(), owned.cursor().unwrap());
    for at_sample in opened.header().grid.steps(3) {
        opened.sample(&mut player, at_sample, &mut expected);
        owned.sample(&mut owned_player, at_sample, &mut pose);
        assert_eq!(pose, expected, "{what} at {at_sample}");
    }
    [opened.resident_bytes(), owned.resident_bytes()]
}

#[test]
fn owned_clips_play_like_their_bytes_and_are_no_larger() {
    for fixture in fixtures() {
        let bind = fixture.skeleton.shared_bind().unwrap();
        for codec in encoders() {
            for values in variants(codec) {
                let what = format!("{} {values:?} on '{}'", codec.name(), fixture.name);
                let [opened, owned] = assert_owned(codec, &fixture.encode(codec, &values).bytes, &bind, &what);
                assert!(owned <= opened, "{what}: {owned} instead of {opened} bytes");
            }
        }
    }
}

#[test]
fn owned_clips_keep_what_follows_their_payload() {
    let leg = leg(33);
    let (press, bind) = (leg.encode(encoder("press"), &ParamValues::new()).bytes, leg.skeleton.shared_bind().unwrap());
    let payload = |bytes: &[u8]| ClipSections::read(bytes).unwrap().payload;
    let stored = &press[payload(&press).start - 1..payload(&press).end];
    each_corrected(|clip, what| {
        if clip.header().looping || ClipSections::read(clip.bytes()).unwrap().compensation.is_none() {
            return;
        }
        // The same clip, with a payload of press. Before it is its length.
        let (bytes, own) = (clip.bytes(), payload(clip.bytes()));
        let length = (stored.len() as u32).to_le_bytes();
        let bytes = [&bytes[..own.start - 5], &length, stored, &bytes[own.end..]].concat();
        assert_owned(encoder("press"), &bytes, &bind, what);
    });
}

#[test]
fn clips_keep_the_bind_pose_that_they_were_opened_with() {
    let fixture = turning();
    let bytes = fixture.encode(encoder("press"), &ParamValues::new()).bytes;
    let bind = fixture.skeleton.shared_bind().unwrap();
    let open = |bind: &BindPose| Opened::new(encoder("press").id(), &bytes[..], bind).unwrap();
    let (one, other) = (open(&bind), open(&bind.clone()));
    let pose = |clip: Opened<&[u8]>| clip.sample_joint(&mut clip.cursor().unwrap(), 7.5, 3);
    drop(bind);
    assert_eq!(pose(one), pose(other));
}

const JOINTS: usize = 30;
const SAMPLES: usize = 150;

/// Thirty joints that turn at different speeds.
fn turning() -> Fixture {
    let bind = Transform::from_translation(Vec3::new(0.0, 0.2, 0.0));
    let joint = |i: usize| Joint { name: format!("j{i}"), parent: i.checked_sub(3), bind };
    let skeleton = Skeleton::new((0..JOINTS).map(joint).collect()).unwrap();
    let data = clip_of(&skeleton, SAMPLES, |sample, joint| {
        let angle = (sample as f32 * (0.02 + 0.004 * joint as f32) + joint as f32).sin();
        Transform { rotation: Quat::from_rotation_x(0.6 * angle), ..bind }
    });
    Fixture { name: "turning", clip: Clip::new(data).unwrap(), skeleton }
}

fn curves(fixture: &Fixture, choices: &[(&str, &str)]) -> EncodedClip {
    let codec = encoder("catmull-rom");
    let mut values = ParamValues::new();
    choices.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
    let (skeleton, clip) = (&fixture.skeleton, &fixture.clip);
    // A tolerance that allows frames of ten bytes.
    let source = Source::new(skeleton, clip, 0.001, &[0.03; JOINTS]);
    codecs::encode_clip(codec, &source, &values, &Progress::new()).unwrap()
}

/// Position of a scan at each sample, played forward.
fn positions<B: AsRef<[u8]>>(clip: &Opened<B>) -> Vec<usize> {
    let mut cursor = clip.cursor().unwrap();
    let mut at = |at_sample| {
        clip.sample_joint(&mut cursor, at_sample, 0);
        cursor.position().expect("keys that are scanned")
    };
    clip.header().grid.steps(1).map(&mut at).collect()
}

/// Frames are ten bytes. The first three of each track are needed at once.
#[test]
fn playing_forward_reads_every_frame_once() {
    let turning = turning();
    for choices in [&[][..], &[("jump_every", "8")]] {
        let encoded = curves(&turning, choices);
        let clip = codecs::open(encoder("catmull-rom"), &encoded.bytes, &turning.bind()).unwrap();
        let positions = positions(&clip);
        assert!(positions.windows(2).all(|w| w[0] <= w[1] && (w[1] - w[0]) % 10 == 0), "{choices:?}: {positions:?}");
        let later: usize = encoded.kept.iter().map(|k| k.samples.len().saturating_sub(3)).sum();
        let end = ClipSections::read(&encoded.bytes).unwrap().payload.len();
        assert_eq!(*positions.last().unwrap(), end, "{choices:?}");
        assert!(later > 100 && end - positions[0] == 10 * later, "{choices:?}: {later} frames after the first");
    }
}

#[test]
fn a_seek_leads_to_where_playing_leads() {
    let turning = turning();
    let streams = [
        ("catmull-rom", &[][..]),
        ("catmull-rom", &[("jump_every", "8")]),
        ("linear-keys", &[("layout", "time-needed")]),
    ];
    for (name, choices) in streams {
        let codec = encoder(name);
        let mut values = ParamValues::new();
        choices.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
        let bytes = turning.encode(codec, &values).bytes;
        let clip = codecs::open(codec, &bytes, &turning.bind()).unwrap();
        let (forward, mut cursor) = (positions(&clip), clip.cursor().unwrap());
        for i in 0..SAMPLES {
            let sample = i * 67 % SAMPLES;
            clip.sample_joint(&mut cursor, sample as f64, 0);
            assert_eq!(cursor.position(), Some(forward[sample]), "{name} {choices:?} at sample {sample}");
        }
    }
}

/// Bytes of frames that a jump back to each sample reads, after the last frame that it could have skipped. Frames before that
/// one may name no track, and the jump must still give the same position as playback.
fn walked_bytes(turning: &Fixture, choices: &[(&str, &str)]) -> (usize, usize) {
    const FRAME_BYTES: usize = 10;
    const NAME: std::ops::Range<usize> = 2..4;
    let encoded = curves(turning, choices);
    let clip = codecs::open(encoder("catmull-rom"), &encoded.bytes, &turning.bind()).unwrap();
    let payload = &encoded.bytes[ClipSections::read(&encoded.bytes).unwrap().payload];
    let frames: usize = encoded.kept.iter().map(|k| k.samples.len()).sum();
    let (first, positions) = (payload.len() - FRAME_BYTES * frames, positions(&clip));
    let seek = |cursor: &mut DecoderCursor, payload: &[u8], sample: usize| {
        let at_sample = sample as f64;
        let mut out = [Transform::IDENTITY; JOINTS];
        clip.decoder().sample(payload, cursor, at_sample, PoseSlice::whole(&mut out));
        cursor.position()
    };
    let mut at_end = clip.decoder().cursor(payload, StateMemory::HEAP).unwrap();
    seek(&mut at_end, payload, SAMPLES - 1);
    let walked = |sample: usize| {
        let leads_there = |start: &usize| {
            let mut nameless = payload.to_vec();
            nameless[first..*start].chunks_exact_mut(FRAME_BYTES).for_each(|frame| frame[NAME].fill(0xff));
            seek(&mut at_end.clone(), &nameless, sample) == Some(positions[sample])
        };
        let starts = positions[..=sample].iter().rev().copied().chain([first]);
        positions[sample] - starts.into_iter().find(leads_there).expect("unchanged frames lead there")
    };
    let from_first = positions[..SAMPLES - 1].iter().map(|position| position - first).sum();
    ((0..SAMPLES - 1).map(walked).sum(), from_first)
}

#[test]
fn a_jump_table_keeps_seeks_short() {
    let turning = turning();
    let (stored, from_first) = walked_bytes(&turning, &[("jump_every", "8")]);
    assert!(5 * stored < from_first, "{stored} bytes instead of {from_first}");
    // A jump table that is made while opening takes little memory, so it has fewer jumps.
    let (built, from_first) = walked_bytes(&turning, &[]);
    assert!(2 * built < from_first, "{built} bytes instead of {from_first}");
}

/// Number of times at which a pose reads the payload, played in order. A payload with all bits flipped gives another pose there.
fn times_that_read(choices: &[(&str, &str)], steps: impl Iterator<Item = f64>) -> usize {
    let (turning, codec) = (turning(), encoder("wavelet"));
    let mut values = ParamValues::new();
    choices.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
    let bytes = turning.encode(codec, &values).bytes;
    let clip = codecs::open(codec, &bytes, &turning.bind()).unwrap();
    let payload = &bytes[ClipSections::read(&bytes).unwrap().payload];
    let wrong: Vec<u8> = payload.iter().map(|byte| !byte).collect();
    let pose = |payload: &[u8], cursor: &mut DecoderCursor, step: f64| {
        let mut out = [Transform::IDENTITY; JOINTS];
        let at_sample = step;
        clip.decoder().sample(payload, cursor, at_sample, PoseSlice::whole(&mut out));
        out
    };
    let mut cursor = clip.decoder().cursor(payload, StateMemory::HEAP).unwrap();
    let reads = |step: &f64| pose(&wrong, &mut cursor.clone(), *step) != pose(payload, &mut cursor, *step);
    steps.filter(reads).count()
}

/// "The idea of the cache is to perform the expensive decompression once for a block of data and re-use it."
#[test]
fn playing_forward_or_backwards_decodes_each_block_once() {
    const QUARTERS: usize = 4 * (SAMPLES - 1);
    let quarters = || (0..=QUARTERS).map(|i| i as f64 / 4.0);
    let blocks_of_16 = [("block_samples", "16")];
    let blocks = SAMPLES.div_ceil(16);
    assert_eq!(times_that_read(&blocks_of_16, quarters()), blocks);
    assert_eq!(times_that_read(&blocks_of_16, quarters().rev()), blocks);
    assert_eq!(times_that_read(&[("layout", "joined")], quarters()), 1);
    // Without a cache each pose decodes its block.
    let uncached = [("block_samples", "16"), ("cache", "false")];
    assert_eq!(times_that_read(&uncached, quarters()), QUARTERS + 1);
}

/// The purpose of the ordering: fewer cache lines per pose.
#[test]
fn frames_by_time_needed_touch_fewer_cache_lines_than_blocks_a_track() {
    const LINE_BYTES: usize = 64;
    let turning = turning();
    let encoded = curves(&turning, &[]);
    let clip = codecs::open(encoder("catmull-rom"), &encoded.bytes, &turning.bind()).unwrap();
    let moves = positions(&clip);
    let lines = |w: &[usize]| if w[0] < w[1] { (w[1] - 1) / LINE_BYTES - w[0] / LINE_BYTES + 1 } else { 0 };
    let stream_lines: usize = moves.windows(2).map(lines).sum();
    // One block per track: at least one cache line per track that needs a key.
    let by_track = curves(&turning, &[("layout", "by-track")]);
    let needs = |sample: u32| {
        let needs_key = |samples: &[u32]| samples.windows(3).any(|w| w[0] == sample);
        by_track.kept.iter().filter(|k| needs_key(&k.samples[1..])).count()
    };
    let track_lines: usize = (1..SAMPLES as u32).map(needs).sum();
    assert!(2 * stream_lines < track_lines, "{stream_lines} lines against {track_lines}");
}
