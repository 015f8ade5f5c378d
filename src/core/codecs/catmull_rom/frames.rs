//! Writes fitted tracks as one block of frames, as Riot published it. A frame holds one key.

use super::decode::{CurveHeader, FRAME_HEAD_BYTES, JOINT_BITS, WINDOW, ticks_of};
use super::header::write_header;
use crate::codecs::encode::keys::{JointKeys, StoredTrack, by_time_needed, stored_tracks};
use crate::codecs::encode::write::{write_jump_table, write_range, write_track_table};
use crate::codecs::runtime::{JumpTable, RangeSource, TrackTable};
use crate::codecs::{Encoded, Ledger, Section};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::Channel;

/// A section also needs the key after its end: two keys ahead of the current one.
const KEYS_AHEAD: usize = 2;

/// The inputs of [`pack_frames`] besides the keys.
#[derive(Debug, Clone, Copy)]
pub struct FrameSettings<'a> {
    pub header: CurveHeader,
    pub samples: usize,
    /// Samples between jumps, if the header has jumps.
    pub jump_every: usize,
    /// One range per channel, for formats in which the tracks of a clip share one.
    pub clip_ranges: &'a [Range3; 3],
}

/// Writes the payload that [`super::decode`] reads.
pub fn pack_frames(joints: &[JointKeys], table: &TrackTable, settings: FrameSettings<'_>) -> Encoded {
    let (mut out, mut ledger) = (BitWriter::new(), Ledger::default());
    write_header(settings.header, &mut out);
    ledger.clip(Section::Header, out.bit_len() as u64);
    write_track_table(table, &mut out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
    ledger.clip(Section::Tables, table.head_bits());
    let tracks = stored_tracks(joints);
    write_formats(&tracks, settings.clip_ranges, &mut out, &mut ledger);
    let order = by_time_needed(&tracks, KEYS_AHEAD);
    if settings.header.has_jumps {
        let before = out.bit_len();
        let jumps = jumps(&tracks, &order, settings.jump_every, settings.samples);
        write_jump_table(settings.jump_every, &jumps, &mut out);
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

/// Size of a frame's value: whole 16-bit words.
fn value_bits(track: &StoredTrack<'_>) -> u32 {
    track.keys.bits().next_multiple_of(16)
}

fn frame_bytes(track: &StoredTrack<'_>) -> usize {
    FRAME_HEAD_BYTES + value_bits(track) as usize / 8
}

/// Writes `u16 keyTime`, `u16 jointIndex` with the channel in its top two bits, and `u16 v[3]`.
fn write_frame(track: &StoredTrack<'_>, key: usize, samples: usize, out: &mut BitWriter) {
    let place = track.joint as u64 | (track.channel as u64) << JOINT_BITS;
    out.push(u64::from(ticks_of(track.keys.times()[key], samples)) | place << 16, 32);
    track.keys.write_key(key, out);
    out.push(0, value_bits(track) - track.keys.bits());
}

/// The state of a scan at every jump, in words of 16 bits: the latest frames of each track, and the next frame. A track's first frame
/// stands in for frames that do not exist.
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
