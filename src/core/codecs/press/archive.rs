//! Archives: entropy-coded payloads, for clips in storage or transfer.

use super::decode::{ARCHIVE_ZEROS, Contents, Learned, Part, Record, is_in_proportion};
use super::pack::{count_part, lattice_tracks, rate_exact};
use crate::codecs::encode::lattice::{LatticeTrack, Lattices};
use crate::codecs::runtime::{ClipHeader, RangeEncoder};
use crate::codecs::{Encoded, Ledger};
use crate::math::Transform;
use crate::model::{Channel, Clip, Skeleton};
use posepress_runtime::NoMemory;

/// Writes an archive of the payload that [`super::pack::pack`] wrote. Returns the payload itself if that is as small, or if a reader would
/// reject such a short archive as out of proportion.
pub fn pack_archive(found: Lattices<'_>, whole: Encoded, skeleton: &Skeleton) -> Encoded {
    let (clip, tracks) = (found.clip, found.tracks);
    let lattice: Vec<&LatticeTrack> = lattice_tracks(tracks).map(|(_, track)| track).collect();
    let contents = contents(clip, &whole.payload, skeleton);
    let Some(mut contents) = contents else { return whole };
    let bind = skeleton.bind_pose(0).joints;
    let guided = Stream::of(&mut contents, &bind);
    contents.guides = None;
    let plain = Stream::of(&mut contents, &bind);
    let stream = if plain.bytes.len() < guided.bytes.len() { plain } else { guided };
    let bytes = stream.bytes.len();
    if bytes >= whole.payload.len() || !is_in_proportion(bytes, 3 * lattice.len(), clip.samples()) {
        return whole;
    }
    let mut ledger = stream.ledger(&lattice);
    rate_exact(tracks, &mut ledger);
    Encoded { payload: stream.bytes, ledger, kept: whole.kept }
}

/// The contents of a payload, with guides. `None` if an archive cannot hold them.
pub fn contents(clip: &Clip, payload: &[u8], skeleton: &Skeleton) -> Option<Contents> {
    let (joints, grid) = (clip.joints(), clip.grid());
    let header = ClipHeader { joints, grid, float_tracks: 0, looping: false, additive: false };
    let contents = Contents::read(&header, payload, &skeleton.bind_pose(0).joints, usize::MAX).ok();
    let mut contents = contents.filter(Contents::is_of_a_clip)?;
    let tracks = &contents.head.tracks;
    contents.guides = Some((0..tracks.len()).map(|track| guide_of(tracks, track, skeleton)).collect());
    Some(contents)
}

/// The guide of a track: the joint's own rotation for a vector, else the nearest animated rotation among its ancestors.
fn guide_of(tracks: &[Record], track: usize, skeleton: &Skeleton) -> Option<usize> {
    let Record { joint, channel, .. } = tracks[track];
    let own = if channel == Channel::Rotation { skeleton.parent(joint) } else { Some(joint) };
    std::iter::successors(own, |joint| skeleton.parent(*joint))
        .find_map(|joint| tracks[..track].iter().position(|track| track.is_rotation() && track.joint == joint))
}

/// The coded archive.
struct Stream {
    bytes: Vec<u8>,
    /// The parts in order, with the bits of each.
    parts: Vec<(Part, u64)>,
}

impl Stream {
    fn of(contents: &mut Contents, bind: &[Transform]) -> Self {
        let (mut coder, mut parts, mut before) = (RangeEncoder::default(), Vec::new(), 0);
        let coded = contents.code(bind, &mut Learned::trained(), &mut coder, |coder, part| {
            let after = coder.bit_position();
            parts.push((part, after - before));
            before = after;
            Ok::<(), NoMemory>(())
        });
        coded.expect("memory");
        let mut bytes = coder.finish().expect("memory");
        bytes.truncate(bytes.len() - ARCHIVE_ZEROS);
        Self { bytes, parts }
    }

    /// The use of the bits. `lattice`: the tracks on lattices.
    fn ledger(&self, lattice: &[&LatticeTrack]) -> Ledger {
        let mut counted = Ledger::default();
        self.parts.iter().for_each(|(part, bits)| count_part(*part, *bits, lattice, &mut counted));
        counted.fitted(8 * self.bytes.len() as u64)
    }
}
