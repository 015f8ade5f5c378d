//! The loop of every encoder that promises a tolerance: search, decode, measure, and search again under a smaller limit.

use crate::codecs::encode::decoded_error_m;
use crate::codecs::{EncodeError, Encoded, Encoder, Progress, Source};

/// A search aims this much below the tolerance: f32 rounding along a chain of matrices must not tip it over.
pub const AIM: f32 = 0.995;
/// The same for a search that multiplies the very matrices of a decoder in their order, so that next to nothing is left to
/// tip over.
pub const CLOSE_AIM: f32 = 0.999;
/// Searches before a clip is stored exactly. One is usual, two are rare; where six do not help, f32 cannot tell such large
/// or flat matrices apart.
const ATTEMPTS: usize = 6;
/// The next limit is at least this part of the one before: a single outlier must not ask for far too much.
const FASTEST: f32 = 0.1;
/// And at most this part, so that every search differs from the one before.
const SLOWEST: f32 = 0.95;

/// One encoder's promise to keep the tolerance of a source.
#[derive(Clone, Copy)]
pub struct ToleranceLoop<'a> {
    /// Whose decoder has the last word.
    pub codec: &'a dyn Encoder,
    pub source: &'a Source<'a>,
    /// The same with a sample at every step.
    pub dense: &'a Source<'a>,
    /// Steps per sample at which the error counts.
    pub stride: usize,
    /// Part of the tolerance that the first search may err: [`AIM`] or [`CLOSE_AIM`].
    pub aim: f32,
}

impl ToleranceLoop<'_> {
    /// Searches under smaller and smaller limits, in metres, until the decoded bytes are within the tolerance; `None` where
    /// they never are, or where a search finds nothing. What one search has no room for, none under a smaller limit has.
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
