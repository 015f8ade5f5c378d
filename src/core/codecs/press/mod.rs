//! Our own codec: integers on lattices of rotations, predicted from the samples around them. Each joint is encoded relative to the decoded
//! pose of its parent.

use posepress_runtime::internal::codecs::press as decode;

mod archive;
mod pack;
mod params;
mod planes;
mod rows;
mod tier_search;
mod tiers;

pub use archive::contents;
use planes::{MOST_PLANES, bits_without, planes_within, take_out};
pub use tiers::{TakenOut, TierError, check_tierable, take_out_planes, take_out_tier};

use super::encode::lattice::{Coarsest, LEVEL, Lattices, Packing};
use super::encode::{TrivialSettings, check_usable, encode_stretches};
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::metrics::Promise;
use crate::model::Skeleton;
use params::{PARAMS, PROMISE, STORAGE, Storage};

/// The smallest clips at a measured error, read in place.
#[derive(Debug)]
pub struct Press;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"PRS1"),
    name: "press",
    summary: "Best size for most clips. Rounds each frame as far as the tolerance allows.",
    source: "our own",
    promises_tolerance: true,
    params: PARAMS,
    presets: &[],
};

impl Codec for Press {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn promise_with(&self, values: &ParamValues) -> Promise {
        values.get(&PROMISE)
    }

    fn has_one_knob(&self) -> bool {
        true
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for Press {
    fn in_place(&self, values: &ParamValues) -> Option<ParamValues> {
        let mut values = values.clone();
        values.set_text(PARAMS, STORAGE.param.key, "runtime").ok()?;
        Some(values)
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let trivial = TrivialSettings { remove_bind: true, remove_constants: true, limit_m: 0.0 };
        let (level, storage) = (values.get(&LEVEL), values.get(&STORAGE));
        encode_stretches(source, progress, |source, progress| {
            let packing = PressPacking { storage, skeleton: source.skeleton };
            Coarsest { codec: self, trivial, level, packing }.encode(source, progress)
        })
    }
}

/// The way in which the integers become bytes.
struct PressPacking<'a> {
    storage: Storage,
    skeleton: &'a Skeleton,
}

impl Packing for PressPacking<'_> {
    fn pack(&self, found: Lattices<'_>) -> Encoded {
        pack::pack(&found, &self.skeleton.bind_pose(0).joints)
    }

    /// An archive holds the same data as runtime storage.
    fn store(&self, found: Lattices<'_>, packed: Encoded) -> Encoded {
        match self.storage {
            Storage::Runtime => packed,
            Storage::Archive => archive::pack_archive(found, packed, self.skeleton),
        }
    }
}
