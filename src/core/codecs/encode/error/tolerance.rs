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
        let Self { codec, source, dense, stride, aim } = *self;
        let tolerance_m = source.tolerance_m;
        let mut limit_m = tolerance_m * aim;
        for _ in 0..ATTEMPTS {
            let Some(encoded) = search(limit_m)? else { return Ok(None) };
            progress.check_room(encoded.payload.len())?;
            let error_m = decoded_error_m(codec, source, dense, stride, (&encoded.payload, None))?;
            if error_m <= tolerance_m {
                return Ok(Some(encoded));
            }
            limit_m *= (aim * tolerance_m / error_m).clamp(FASTEST, SLOWEST);
        }
        Ok(None)
    }
}
