//! Fitted tracks as one block of frames, as Riot published it.

use super::decode::{CurveHeader, FRAME_HEAD_BYTES, JOINT_BITS, WINDOW, ticks_of};
use crate::codecs::linear_keys::{JointKeys, StoredTrack, by_time_needed, stored_tracks};
use crate::codecs::runtime::{JumpTable, RangeSource, TrackTable, write_range};
use crate::codecs::{Encoded, Ledger, Section};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::Channel;

/// A section needs the key after the one that it leads to: two ahead of the one that was reached.
const KEYS_AHEAD: usize = 2;

/// What frames need besides their keys.
#[derive(Debug, Clone, Copy)]
pub struct FrameSettings<'a> {
    pub header: CurveHeader,
    pub samples: usize,
    /// Samples from jump to jump, of a header that has jumps.
    pub jump_every: usize,
    /// One a channel, for formats whose range tracks share.
    pub clip_ranges: &'a [Range3; 3],
}

/// Writes the payload that [`super::decode`] reads.
pub fn pack_frames(joints: &[JointKeys], table: &TrackTable, settings: FrameSettings<'_>) -> Encoded {
    let (mut out, mut ledger) = (BitWriter::new(), Ledger::default());
    settings.header.write(&mut out);
    ledger.clip(Section::Header, out.bit_len() as u64);
    table.write(&mut out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
    ledger.clip(Section::Tables, table.head_bits());
    let tracks = stored_tracks(joints);
    write_formats(&tracks, settings.clip_ranges, &mut out, &mut ledger);
    let order = by_time_needed(&tracks, KEYS_AHEAD);
    if settings.header.has_jumps {
        let before = out.bit_len();
        let jumps = jumps(&tracks, &order, settings.jump_every, settings.samples);
        JumpTable::write(settings.jump_every, &jumps, &mut out);
        ledger.clip(Section::Jumps, (out.bit_len() - before) as u64);
    }
    let fill = out.bit_len().next_multiple_of(8) - out.bit_len();
    out.push(0, fill as u32);
    ledger.clip(Section::Padding, fill as u64);
    for (_, number, key) in order {
        write_frame(&tracks[number], key, settings.samples, &mut out);
    }
    for track in &tracks {
        let keys = track.keys.times().len() as u64;
        ledger.track(track.joint, track.channel, Section::KeyTimes, 8 * FRAME_HEAD_BYTES as u64 * keys);
        ledger.track(track.joint, track.channel, Section::Animated, u64::from(value_bits(track)) * keys);
    }
    let kept = tracks.iter().map(StoredTrack::kept).collect();
    Encoded { payload: out.finish(), ledger, kept }
}

fn write_formats(tracks: &[StoredTrack<'_>], clip_ranges: &[Range3; 3], out: &mut BitWriter, ledger: &mut Ledger) {
    for track in tracks {
        let before = out.bit_len();
        track.keys.write_format(out);
        ledger.track(track.joint, track.channel, Section::Tables, (out.bit_len() - before) as u64);
        if track.keys.range_source() == RangeSource::Track {
            let before = out.bit_len();
            track.keys.write_range(out);
            ledger.track(track.joint, track.channel, Section::Range, (out.bit_len() - before) as u64);
        }
    }
    for channel in [Channel::Translation, Channel::Scale] {
        if tracks.iter().any(|t| t.channel == channel && t.keys.range_source() == RangeSource::Clip) {
            let before = out.bit_len();
            write_range(&clip_ranges[channel as usize], out);
            ledger.clip(Section::Range, (out.bit_len() - before) as u64);
        }
    }
}

/// Frames are whole 16-bit words.
fn value_bits(track: &StoredTrack<'_>) -> u32 {
    track.keys.bits().next_multiple_of(16)
}

fn frame_bytes(track: &StoredTrack<'_>) -> usize {
    FRAME_HEAD_BYTES + value_bits(track) as usize / 8
}

/// `u16 keyTime`, `u16 jointIndex` with the channel in its top two bits, `u16 v[3]`.
fn write_frame(track: &StoredTrack<'_>, key: usize, samples: usize, out: &mut BitWriter) {
    out.push(u64::from(ticks_of(track.keys.times()[key], samples)), 16);
    out.push(track.joint as u64, JOINT_BITS);
    out.push(track.channel as u64, 16 - JOINT_BITS);
    track.keys.write_key(key, out);
    out.push(0, value_bits(track) - track.keys.bits());
}

/// What a scan knows at every jump: the frames of each track that it saw last, the first of a track instead of those that
/// are not there, and the next frame; in words of 16 bits.
fn jumps(tracks: &[StoredTrack<'_>], order: &[(u32, usize, usize)], every: usize, samples: usize) -> Vec<Vec<usize>> {
    let mut latest = vec![[0; WINDOW]; tracks.len()];
    let (mut word, mut frames) = (0, order.iter().peekable());
    let jump = |sample: u32| {
        while let Some((_, number, key)) = frames.next_if(|(needed, ..)| *needed <= sample) {
            let places = &mut latest[*number];
            if *key == 0 {
                places.fill(word);
            }
            places.rotate_left(1);
            places[WINDOW - 1] = word;
            word += frame_bytes(&tracks[*number]) / 2;
        }
        latest.iter().flatten().copied().chain([word]).collect()
    };
    JumpTable::samples(every, samples).map(jump).collect()
}

#[cfg(test)]
mod tests {
    use crate::codecs::catmull_rom::decode::{CurveHeader, FrameSampler};
    use crate::codecs::runtime::CurveTracksSampler;
    use crate::codecs::{ClipHeader, Encoded, ParamValues, Progress, Source, by_name};
    use crate::format::BitReader;
    use crate::math::Transform;
    use crate::model::{Clip, ClipData, Joint, Pose, Sampler, Skeleton};
    use glam::{Quat, Vec3};
    use std::collections::HashSet;

    const JOINTS: usize = 30;
    const SAMPLES: usize = 150;

    /// Thirty joints that turn at speeds of their own.
    fn rig_and_clip() -> (Skeleton, Clip) {
        let bind = Transform::from_translation(Vec3::new(0.0, 0.2, 0.0));
        let joint = |i: usize| Joint { name: format!("j{i}"), parent: i.checked_sub(3), bind };
        let skeleton = Skeleton::new((0..JOINTS).map(joint).collect()).unwrap();
        let turn = |i: usize| {
            let (sample, joint) = (i / JOINTS, i % JOINTS);
            let angle = (sample as f32 * (0.02 + 0.004 * joint as f32) + joint as f32).sin();
            Transform { rotation: Quat::from_rotation_x(0.6 * angle), ..bind }
        };
        let clip = Clip::new(ClipData {
            name: "turns".into(),
            joints: JOINTS,
            duration_secs: (SAMPLES - 1) as f32 / 30.0,
            transforms: (0..SAMPLES * JOINTS).map(turn).collect(),
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: None,
        });
        (skeleton, clip.unwrap())
    }

    fn encode(skeleton: &Skeleton, clip: &Clip, choices: &[(&str, &str)]) -> (ClipHeader, Encoded) {
        let codec = by_name("catmull-rom").unwrap();
        let mut values = ParamValues::new();
        choices.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
        let source = Source { skeleton, clip, tolerance_m: 0.001, shells_m: &[0.03; JOINTS] };
        let header = ClipHeader { joints: JOINTS, grid: clip.grid(), float_tracks: 0, looping: false };
        (header, codec.encode(&source, &values, &Progress::new()).unwrap())
    }

    fn bind(skeleton: &Skeleton) -> Vec<Transform> {
        skeleton.joints().iter().map(|j| j.bind).collect()
    }

    fn frame_sampler<'a>(header: &ClipHeader, payload: &'a [u8], bind: &[Transform]) -> FrameSampler<'a> {
        let mut input = BitReader::new(payload);
        let curves = CurveHeader::read(&mut input).unwrap();
        FrameSampler::read(header, curves, input, payload, bind).unwrap()
    }

    #[test]
    fn playing_forward_reads_every_frame_once() {
        let (skeleton, clip) = rig_and_clip();
        for choices in [&[][..], &[("jump_every", "8")]] {
            let (header, encoded) = encode(&skeleton, &clip, choices);
            let bind = bind(&skeleton);
            let mut sampler = frame_sampler(&header, &encoded.payload, &bind);
            let mut pose = Pose::with_size(JOINTS, 0);
            header.grid.times(4).into_iter().for_each(|t| sampler.sample(t, &mut pose));
            let frames: usize = encoded.kept.iter().map(|k| k.samples.len()).sum();
            assert_eq!(sampler.taken.len(), frames);
            assert!(sampler.taken.windows(2).all(|w| w[0] < w[1]), "from the first to the last");
            let reads: Vec<usize> = sampler.tracks.iter().flat_map(|t| t.reads.iter().copied()).collect();
            let once: HashSet<usize> = reads.iter().copied().collect();
            assert_eq!((reads.len(), once.len()), (frames, frames), "each value once, too");
        }
    }

    #[test]
    fn a_jump_table_keeps_seeks_short() {
        let (skeleton, clip) = rig_and_clip();
        let frames_of_seeks = |choices: &[(&str, &str)]| {
            let (header, encoded) = encode(&skeleton, &clip, choices);
            let bind = bind(&skeleton);
            let mut sampler = frame_sampler(&header, &encoded.payload, &bind);
            let mut pose = Pose::with_size(JOINTS, 0);
            for i in 0..SAMPLES {
                sampler.sample(header.grid.time_secs((i * 67 % SAMPLES) as f64), &mut pose);
            }
            sampler.taken.len()
        };
        let (without, with) = (frames_of_seeks(&[]), frames_of_seeks(&[("jump_every", "8")]));
        assert!(5 * with < without, "{with} frames instead of {without}");
    }

    /// What the ordering is for: the parts of memory that a pose makes a machine fetch.
    #[test]
    fn frames_by_time_needed_touch_fewer_cache_lines_than_blocks_a_track() {
        const LINE_BYTES: usize = 64;
        let (skeleton, clip) = rig_and_clip();
        let bind = bind(&skeleton);
        let mut pose = Pose::with_size(JOINTS, 0);
        let (header, encoded) = encode(&skeleton, &clip, &[]);
        let mut frames = frame_sampler(&header, &encoded.payload, &bind);
        let (_, by_track) = encode(&skeleton, &clip, &[("layout", "by-track")]);
        let mut input = BitReader::new(&by_track.payload);
        let curves = CurveHeader::read(&mut input).unwrap();
        let mut tracks = CurveTracksSampler::read(&header, curves.spline, input, &by_track.payload, &bind).unwrap();
        let (mut stream_lines, mut track_lines) = (0, 0);
        for time_secs in header.grid.times(1).into_iter().skip(1) {
            frames.taken.clear();
            frames.sample(time_secs, &mut pose);
            let lines = frames.taken.iter().flat_map(|at| [at / LINE_BYTES, (at + 9) / LINE_BYTES]);
            stream_lines += lines.collect::<HashSet<_>>().len();
            tracks.rotations.iter_mut().for_each(|t| t.reads.clear());
            tracks.sample(time_secs, &mut pose);
            // Each track is a block of its own, so its lines are, too: 48 bits a key, one after another.
            let of_track = |keys: &Vec<usize>| keys.iter().map(|k| 6 * k / LINE_BYTES).collect::<HashSet<_>>().len();
            track_lines += tracks.rotations.iter().map(|t| of_track(&t.reads)).sum::<usize>();
        }
        println!("cache lines touched playing forward: {stream_lines} by time needed, {track_lines} by track");
        assert!(2 * stream_lines < track_lines, "{stream_lines} lines against {track_lines}");
    }
}
