//! The loop of every encoder that guarantees a tolerance: search, decode, measure, and search again with a smaller limit.

use crate::codecs::encode::decoded_error_m;
use crate::codecs::{EncodeError, Encoded, Encoder, Progress, Source};

/// A search aims at this part of the tolerance, so that f32 rounding along a chain of matrices does not exceed it.
pub const AIM: f32 = 0.995;
/// The same for a search that multiplies the decoder's matrices in the decoder's order, which leaves almost no difference.
pub const CLOSE_AIM: f32 = 0.999;
/// Searches before a clip is stored exactly. One is usual, two are rare. If six fail, the precision of f32 is too low for matrices so large
/// or flat.
const ATTEMPTS: usize = 6;
/// The smallest factor from one limit to the next: a single outlier must not demand far too much.
const FASTEST: f32 = 0.1;
/// The largest factor from one limit to the next, so that every search differs from the one before.
const SLOWEST: f32 = 0.95;

/// The result of a search: bytes that are written when they are needed.
pub struct Attempt<'a> {
    /// The error of the decoded bytes in metres, bit for bit, if the search knows it.
    error_m: Option<f32>,
    pack: Box<dyn FnOnce() -> Encoded + 'a>,
}

impl<'a> Attempt<'a> {
    /// An attempt whose bytes are written by `pack`.
    pub fn new(error_m: Option<f32>, pack: impl FnOnce() -> Encoded + 'a) -> Self {
        Self { error_m, pack: Box::new(pack) }
    }

    /// Its bytes.
    pub fn into_encoded(self) -> Encoded {
        (self.pack)()
    }
}

/// An encoder's search for bytes within the tolerance of a source.
#[derive(Clone, Copy)]
pub struct ToleranceLoop<'a> {
    /// The codec whose decoder decides.
    pub codec: &'a dyn Encoder,
    pub source: &'a Source<'a>,
    /// The same source with a sample at every step.
    pub dense: &'a Source<'a>,
    /// Steps per sample at which the error is measured.
    pub stride: usize,
    /// Part of the tolerance that the first search may use: [`AIM`] or [`CLOSE_AIM`].
    pub aim: f32,
}

impl ToleranceLoop<'_> {
    /// Searches with smaller and smaller limits, in metres, until the decoded bytes are within the tolerance. `None` if they never are, or
    /// if a search finds nothing. A search that runs out of room ends the loop, since smaller limits need more.
    pub fn run(
        &self,
        progress: &Progress,
        mut search: impl FnMut(f32) -> Result<Option<Encoded>, EncodeError>,
    ) -> Result<Option<Encoded>, EncodeError> {
        self.run_attempts(progress, |limit_m| Ok(search(limit_m)?.map(|encoded| Attempt::new(None, || encoded))))
    }

    /// The same for a search that may know the error without the bytes. Those of an attempt that is known to fail are not written.
    pub fn run_attempts<'s>(
        &self,
        progress: &Progress,
        mut search: impl FnMut(f32) -> Result<Option<Attempt<'s>>, EncodeError>,
    ) -> Result<Option<Encoded>, EncodeError> {
        let Self { source, aim, .. } = *self;
        let tolerance_m = source.tolerance_m;
        let mut limit_m = tolerance_m * aim;
        for _ in 0..ATTEMPTS {
            let Some(attempt) = search(limit_m)? else { return Ok(None) };
            let error_m = match attempt.error_m.filter(|error_m| *error_m > tolerance_m) {
                Some(error_m) => {
                    debug_assert_eq!(self.decoded_error_m(&(attempt.pack)())?.to_bits(), error_m.to_bits());
                    error_m
                }
                None => {
                    let encoded = (attempt.pack)();
                    progress.check_room(encoded.payload.len())?;
                    let error_m = self.decoded_error_m(&encoded)?;
                    debug_assert!(attempt.error_m.is_none_or(|known_m| known_m.to_bits() == error_m.to_bits()));
                    if error_m <= tolerance_m {
                        return Ok(Some(encoded));
                    }
                    error_m
                }
            };
            limit_m *= (aim * tolerance_m / error_m).clamp(FASTEST, SLOWEST);
        }
        Ok(None)
    }

    fn decoded_error_m(&self, encoded: &Encoded) -> Result<f32, EncodeError> {
        decoded_error_m(self.codec, self.source, self.dense, self.stride, (&encoded.payload, None))
    }
}
