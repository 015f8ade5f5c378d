//! Writes finished tracks as bytes.

use super::decode::{KeyHeader, KeyLayout};
use super::header::write_header;
use crate::codecs::encode::keys::{JointKeys, StoredTrack, TrackPacker, by_time_needed, pack_by_track, stored_tracks};
use crate::codecs::encode::write::write_jump_table;
use crate::codecs::runtime::{JumpTable, RotationFormat, time_bits, track_bits};
use crate::codecs::{Encoded, Section};
use crate::format::BitWriter;

/// Writes the payload that [`super::decode`] reads. `jump_every`: samples between jumps, if the header has jumps.
pub fn pack(
    joints: &[JointKeys],
    constant_format: RotationFormat,
    samples: usize,
    header: KeyHeader,
    jump_every: usize,
) -> Encoded {
    let mut head = BitWriter::new();
    write_header(header, &mut head);
    if header.layout != KeyLayout::TimeNeeded {
        return pack_by_track(head, joints, constant_format, (samples, header.blocks));
    }
    let mut packer = TrackPacker::new(head, samples);
    packer.table(joints, constant_format);
    let tracks = stored_tracks(joints);
    stream(&mut packer, &tracks, jump_every);
    packer.finish(&tracks)
}

/// Writes all tracks as [`crate::codecs::runtime::KeyStream`] reads them.
fn stream(packer: &mut TrackPacker, tracks: &[StoredTrack<'_>], jump_every: usize) {
    for track in tracks {
        packer.put(track, Section::Tables, |out| track.keys.write_format(out));
        packer.put(track, Section::Range, |out| track.keys.write_range(out));
    }
    let (track_bits, time_bits) = (track_bits(tracks.len()), time_bits(packer.samples));
    let order = by_time_needed(tracks, 1);
    if jump_every > 0 {
        let before = packer.out.bit_len();
        let jumps = jumps(tracks, &order, (track_bits + time_bits) as usize, (jump_every, packer.samples));
        write_jump_table(jump_every, &jumps, &mut packer.out);
        packer.ledger.clip(Section::Jumps, (packer.out.bit_len() - before) as u64);
    }
    for (_, number, key) in order {
        let track = &tracks[number];
        packer.put(track, Section::KeyTimes, |out| {
            out.push(number as u64, track_bits);
            out.push(u64::from(track.keys.times()[key]), time_bits);
        });
        packer.put(track, Section::Animated, |out| track.keys.write_key(key, out));
    }
}

/// The state of a scan at every jump: the bits at which the last two keys of each track begin, and the bit of the next key. The scan reads
/// the keys in `order`; each has `head_bits` before its value.
fn jumps(
    tracks: &[StoredTrack<'_>],
    order: &[(u32, usize, usize)],
    head_bits: usize,
    (every, samples): (usize, usize),
) -> Vec<Vec<usize>> {
    let mut latest = vec![[0; 2]; tracks.len()];
    let (mut bit, mut keys) = (0, order.iter().peekable());
    let mut jump = |sample: u32| {
        while let Some((_, number, key)) = keys.next_if(|(needed, ..)| *needed <= sample) {
            latest[*number] = [if *key == 0 { bit } else { latest[*number][1] }, bit];
            bit += head_bits + tracks[*number].keys.bits() as usize;
        }
        latest.iter().flatten().copied().chain([bit]).collect()
    };
    JumpTable::samples(every, samples).map(&mut jump).collect()
}
