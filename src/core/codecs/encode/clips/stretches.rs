//! Encodes long takes in blocks of samples.

use crate::codecs::runtime::Stretches;
use crate::codecs::{EncodeError, Encoded, KeptKeys, Ledger, Progress, Section, Source};
use crate::format::{ByteWriter, surrounded};
use crate::model::Channel;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Encodes a short clip as a whole, and a longer one in blocks: the payload that [`posepress_runtime::internal::codecs::Stretched`] reads.
///
/// The blocks are encoded one after another, each on all cores. So the encoder's extra memory is that of a single block.
pub fn encode_stretches(
    source: &Source<'_>,
    progress: &Progress,
    encode: impl Fn(&Source<'_>, &Progress) -> Result<Encoded, EncodeError>,
) -> Result<Encoded, EncodeError> {
    let stretches = Stretches::of(source.clip.joints(), source.clip.samples());
    let count = stretches.count();
    if count == 1 {
        return encode(source, progress);
    }
    let mut take = Take::default();
    for stretch in 0..count {
        let samples = stretches.samples_of(stretch);
        let clip = source.clip.stretch(samples.clone());
        let share = |done: usize| done as f32 / count as f32;
        let part = progress.share(share(stretch)..share(stretch + 1));
        let weights = source.weights.stretch(samples.start);
        take.push(samples, encode(&Source { clip: &clip, weights, ..*source }, &part)?);
    }
    Ok(take.finish())
}

/// The blocks that are encoded so far.
#[derive(Default)]
struct Take {
    lengths: ByteWriter,
    payloads: Vec<u8>,
    ledger: Ledger,
    stretches: Vec<Stretch>,
}

/// The kept samples of a block.
struct Stretch {
    samples: Range<usize>,
    /// By channel and joint, for animated tracks.
    kept: BTreeMap<(Channel, u16), Vec<u32>>,
}

impl Take {
    fn push(&mut self, samples: Range<usize>, encoded: Encoded) {
        let first = samples.start as u32;
        self.lengths.u32(encoded.payload.len() as u32);
        self.payloads.extend_from_slice(&encoded.payload);
        self.ledger.add_stretch(first, &encoded.ledger);
        let of_clip = |mut track: KeptKeys| {
            track.samples.iter_mut().for_each(|sample| *sample += first);
            ((track.channel, track.joint), track.samples)
        };
        self.stretches.push(Stretch { samples, kept: encoded.kept.into_iter().map(of_clip).collect() });
    }

    fn finish(mut self) -> Encoded {
        self.ledger.clip(Section::Tables, 8 * self.lengths.len() as u64);
        let tracks: BTreeSet<(Channel, u16)> = self.stretches.iter().flat_map(|s| s.kept.keys().copied()).collect();
        let kept: Vec<KeptKeys> = tracks.into_iter().map(|track| self.kept(track)).collect();
        Encoded { payload: surrounded(&self.lengths.finish(), self.payloads, &[]), ledger: self.ledger, kept }
    }

    /// The samples that a track keeps. In a block without motion these are its two ends. The blocks were fitted separately, so there is no
    /// common order of insertion.
    fn kept(&self, (channel, joint): (Channel, u16)) -> KeptKeys {
        let mut samples: Vec<u32> = Vec::new();
        for stretch in &self.stretches {
            match stretch.kept.get(&(channel, joint)) {
                Some(kept) => samples.extend(kept),
                None => samples.extend([stretch.samples.start as u32, stretch.samples.end as u32 - 1]),
            }
        }
        samples.dedup();
        KeptKeys { joint, channel, samples, inserted: Vec::new() }
    }
}
