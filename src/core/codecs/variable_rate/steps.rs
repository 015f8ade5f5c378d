//! Steps of one size per clip: finds how coarse they can be, with each joint aimed at the decoded pose of its parents.

use super::decode::CUT_MARK;
use super::params::Settings;
use super::{VariableRate, steps_pack::pack};
use crate::codecs::encode::encode_stretches;
use crate::codecs::encode::lattice::{Coarsest, Lattices, Packing};
use crate::codecs::runtime::Stretches;
use crate::codecs::{EncodeError, Encoded, Progress, Section, Source};

/// Encodes a clip. A long take is encoded in blocks.
pub fn encode(
    codec: &VariableRate,
    source: &Source<'_>,
    settings: &Settings,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let coarsest = Coarsest { codec, trivial: settings.trivial, level: settings.level, packing: Rates };
    let stretch = |source: &Source<'_>, progress: &Progress| coarsest.encode(source, progress);
    let mut encoded = encode_stretches(source, progress, stretch)?;
    if Stretches::of(source.clip.joints(), source.clip.samples()).count() > 1 {
        encoded.payload.insert(0, CUT_MARK);
        encoded.ledger.clip(Section::Header, u64::from(u8::BITS));
    }
    Ok(encoded)
}

/// Packs one width per number and segment.
struct Rates;

impl Packing for Rates {
    fn pack(&self, found: Lattices<'_>) -> Encoded {
        pack(found)
    }
}
