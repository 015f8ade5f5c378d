//! Archives: integers entropy-coded, for clips that are stored or sent.

use super::decode::{ARCHIVE_ZEROS, LARGEST, SeriesModel, is_in_proportion};
use super::pack::{Packer, components, lattice_tracks};
use crate::codecs::encode::lattice::{Frame, LatticeTrack, Lattices};
use crate::codecs::encode::write::RangeEncoder;
use crate::codecs::{Encoded, Ledger, Section};

/// Writes the archive that expands to what [`super::pack::pack`] writes; that itself where it is as small, or where so few
/// bytes would not be believed to hold so much.
pub fn pack_archive(found: Lattices<'_>, whole: Encoded) -> Encoded {
    let Lattices { clip, table, tracks, frames } = found;
    let lattice: Vec<(usize, &LatticeTrack)> = lattice_tracks(tracks).collect();
    let mut packer = Packer::new(clip, tracks, &components(tracks, frames));
    packer.mark();
    packer.head(table, tracks);
    packer.exact(tracks);
    lattice.iter().for_each(|(_, track)| packer.step_and_reference(track));
    let found = packer.finish();
    let Some(stream) = Stream::of(&lattice, frames) else { return whole };
    let (mut payload, mut ledger) = (found.payload, found.ledger);
    payload.extend_from_slice(&stream.bytes);
    stream.count(&lattice, &mut ledger);
    let is_small = payload.len() < whole.payload.len();
    if !is_small || clip.joints() == 0 || !is_in_proportion(payload.len(), 3 * lattice.len(), clip.samples()) {
        return whole;
    }
    Encoded { payload, ledger, kept: whole.kept }
}

/// All integers through the coder.
struct Stream {
    bytes: Vec<u8>,
    /// Bits of each track.
    track_bits: Vec<u64>,
}

impl Stream {
    /// `None` where an integer is too large.
    fn of(lattice: &[(usize, &LatticeTrack)], frames: &[Frame]) -> Option<Self> {
        let mut track_bits = vec![0; lattice.len()];
        if lattice.is_empty() {
            return Some(Self { bytes: Vec::new(), track_bits });
        }
        let mut model = SeriesModel::new(3 * lattice.len());
        let mut coder = RangeEncoder::default();
        for frame in frames {
            for ((index, _), bits) in lattice.iter().zip(&mut track_bits) {
                let before = coder.bit_position();
                for value in frame.integers[*index] {
                    if value.unsigned_abs() >= LARGEST as u32 {
                        return None;
                    }
                    model.code(value, &mut coder);
                }
                *bits += coder.bit_position() - before;
            }
        }
        let mut bytes = coder.finish();
        bytes.truncate(bytes.len() - ARCHIVE_ZEROS);
        Some(Self { bytes, track_bits })
    }

    /// Whose bits these are.
    fn count(&self, lattice: &[(usize, &LatticeTrack)], ledger: &mut Ledger) {
        let mut counted = Ledger::default();
        for ((_, track), bits) in lattice.iter().zip(&self.track_bits) {
            counted.track(track.joint, track.channel, Section::Animated, *bits);
        }
        ledger.extend(&counted.fitted(8 * self.bytes.len() as u64));
    }
}
