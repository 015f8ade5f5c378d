//! Archives: entropy-coded payloads, for clips in storage or transfer.

use super::decode::{ARCHIVE_MARK, ARCHIVE_ZEROS, Contents, Learned, Part, is_in_proportion};
use super::pack::lattice_tracks;
use crate::codecs::encode::lattice::{LatticeTrack, Lattices};
use crate::codecs::encode::write::RangeEncoder;
use crate::codecs::runtime::ClipHeader;
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::math::Transform;
use crate::model::{Clip, Skeleton};
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
    let plain = Stream::of(&mut contents.with_guides(false), &bind);
    let stream = if plain.bytes.len() < guided.bytes.len() { plain } else { guided };
    let bytes = stream.bytes.len();
    if bytes >= whole.payload.len() || !is_in_proportion(bytes, 3 * lattice.len(), clip.samples()) {
        return whole;
    }
    let mut ledger = stream.ledger(&lattice);
    for track in tracks.iter().filter(|track| track.is_exact()) {
        let (joint, channel) = (track.joint as u16, track.channel);
        ledger.rate(SegmentRate { joint, channel, first_sample: 0, bits: u32::BITS });
    }
    Encoded { payload: stream.bytes, ledger, kept: whole.kept }
}

/// The contents of a payload. `None` if an archive cannot hold them.
pub fn contents(clip: &Clip, payload: &[u8], skeleton: &Skeleton) -> Option<Contents> {
    let (joints, grid) = (clip.joints(), clip.grid());
    let header = ClipHeader { joints, grid, float_tracks: 0, looping: false, additive: false };
    let parents: Vec<Option<usize>> = (0..skeleton.len()).map(|joint| skeleton.parent(joint)).collect();
    Contents::read(&header, payload, &parents).ok().filter(Contents::is_of_a_clip)
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
        let stream = coder.finish();
        let mut bytes = vec![ARCHIVE_MARK];
        bytes.extend_from_slice(&stream[..stream.len() - ARCHIVE_ZEROS]);
        Self { bytes, parts }
    }

    /// The use of the bits. `lattice`: the tracks on lattices.
    fn ledger(&self, lattice: &[&LatticeTrack]) -> Ledger {
        let mut counted = Ledger::default();
        counted.clip(Section::Header, u8::BITS.into());
        for (part, bits) in &self.parts {
            match *part {
                Part::Head => counted.clip(Section::Header, *bits),
                Part::Kinds | Part::Flags { .. } => counted.clip(Section::Tables, *bits),
                Part::Constant { joint, channel } => counted.track(joint, channel, Section::Constant, *bits),
                Part::Record { track } => {
                    counted.track(lattice[track].joint, lattice[track].channel, Section::Range, *bits);
                }
                Part::Integers { track } => {
                    counted.track(lattice[track].joint, lattice[track].channel, Section::Animated, *bits);
                }
                Part::Exact { joint, channel } => counted.track(joint, channel, Section::Animated, *bits),
            }
        }
        counted.fitted(8 * self.bytes.len() as u64)
    }
}
