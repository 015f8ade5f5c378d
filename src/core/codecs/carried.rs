//! Clips that are encoded on top of a carrier, which the runtime subtracts again. The tolerance holds for the poses that a player shows.
//!
//! An additive clip stores differences, but its sums must keep the tolerance. In differences all joints lie at the origin, so there are no
//! bone lengths for judging angles. They are therefore encoded on top of the rig's bind pose, the carrier, as an ordinary clip with the
//! rig's bone lengths and virtual vertices. A track without a difference is a track at bind pose there and costs nothing. Codecs need no
//! code for this, and the runtime subtracts the bind pose again. Scales of zero are raised in the same way: see [`Lift`].

use super::encode::AIM;
use super::{ClipProbe, EncodeError, EncodedClip, Encoder, ParamValues, Progress, Source};
use crate::math::Transform;
use crate::metrics::Lift;
use crate::model::{Clip, ClipError};
use posepress_runtime::internal::parts::ScaleOffset;

/// Encodings at most. One is enough if the base is the bind pose; others take two or three.
const ATTEMPTS: usize = 6;
/// Encodings at most if none of the first is within the tolerance. Each later one lowers the limit by [`BEYOND`].
const MOST_ATTEMPTS: usize = 12;
/// Factor from one limit to the next after [`ATTEMPTS`].
const BEYOND: f32 = 0.4;
/// Encodings that may be spent on making bytes smaller that are already within the tolerance.
const TO_SAVE: usize = 3;
/// An error above this part of the tolerance is not worth another encoding.
const CLOSE: f32 = 0.97;
/// Bounds of the factor from one limit to the next.
const STEP: [f32; 2] = [0.1, 4.0];

/// Encodes a clip with `encode`, which gets an ordinary clip and the offsets that were added to its scales. A codec that guarantees the
/// tolerance does so on the carrier. It gets the limit under which the *shown* poses keep the tolerance.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode_carried(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    progress: &Progress,
    encode: impl Fn(&Source<'_>, &[ScaleOffset]) -> Result<EncodedClip, EncodeError>,
) -> Result<EncodedClip, EncodeError> {
    let unsupported = |e: ClipError| EncodeError::Unsupported(e.to_string());
    let bind = source.skeleton.bind_pose(0).joints;
    let on_bind = on_bind(source.clip, &bind).map_err(unsupported)?;
    let clip = on_bind.as_ref().unwrap_or(source.clip);
    let is_lossless = codec.loses_nothing();
    let lift = Lift::of(source.skeleton, clip, |joint| is_lossless || source.is_exact(joint));
    let lifted = (!lift.is_none()).then(|| lift.raised(clip)).transpose().map_err(unsupported)?;
    let clip = lifted.as_ref().unwrap_or(clip);
    let under = |tolerance_m: f32| encode(&Source { clip, tolerance_m, ..*source }, lift.offsets());
    let is_itself = on_bind.is_none() && lifted.is_none();
    if is_itself || !codec.promises_with(values) {
        return under(source.tolerance_m);
    }
    let mut limits = Limits::new(source.tolerance_m, source.clip.base().is_none_or(|base| base.is_pose(&bind)));
    let (probe, mut best) = (ClipProbe::new(source)?, None::<EncodedClip>);
    loop {
        progress.check()?;
        let encoded = match under(limits.limit_m) {
            Err(EncodeError::NoRoom(_)) if best.is_some() => break,
            encoded => encoded?,
        };
        let error_m = probe.error_m(codec, &encoded.bytes)?;
        let is_last = !limits.go_on(error_m);
        let is_within = error_m <= source.tolerance_m;
        if is_within && best.as_ref().is_none_or(|best| encoded.bytes.len() < best.bytes.len()) {
            best = Some(encoded);
        } else if is_last && best.is_none() {
            best = Some(encoded); // over, as its report will say
        }
        if is_last {
            break;
        }
    }
    Ok(best.expect("a first encoding, at least"))
}

/// The differences of an additive clip on top of the rig's bind pose. `None` for a clip that is not additive.
fn on_bind(clip: &Clip, bind: &[Transform]) -> Result<Option<Clip>, ClipError> {
    let carriers = || bind.iter().map(|bind| bind.as_carrier()).collect::<Vec<_>>();
    clip.base().map(|_| clip.carried_by(&carriers())).transpose()
}

/// The search for the limit.
struct Limits {
    tolerance_m: f32,
    /// True if errors on the carrier equal those of the sums, except for rounding.
    is_seen: bool,
    limit_m: f32,
    attempts: usize,
    /// The largest limit that kept the tolerance, and the smallest that did not.
    held_m: f32,
    failed_m: f32,
}

impl Limits {
    fn new(tolerance_m: f32, is_seen: bool) -> Self {
        Self { tolerance_m, is_seen, limit_m: tolerance_m, attempts: 0, held_m: 0.0, failed_m: f32::INFINITY }
    }

    /// Records the error of the sums under the current limit. Returns true if another encoding is worth it.
    fn go_on(&mut self, error_m: f32) -> bool {
        self.attempts += 1;
        let holds = error_m <= self.tolerance_m;
        let bound = if holds { &mut self.held_m } else { &mut self.failed_m };
        *bound = if holds { bound.max(self.limit_m) } else { bound.min(self.limit_m) };
        let is_enough = self.is_seen || error_m >= CLOSE * self.tolerance_m || self.attempts >= TO_SAVE;
        if self.attempts == MOST_ATTEMPTS
            || (self.attempts >= ATTEMPTS && self.held_m > 0.0)
            || (holds && is_enough)
            || (!holds && self.held_m > 0.0 && self.attempts >= TO_SAVE)
        {
            return false;
        }
        let [least, most] = STEP;
        if self.attempts >= ATTEMPTS {
            self.limit_m *= BEYOND;
            return true;
        }
        let mut next_m = self.limit_m * (AIM * self.tolerance_m / error_m).clamp(least, most);
        if next_m >= self.failed_m || next_m <= self.held_m {
            next_m = (self.held_m * self.failed_m).sqrt();
        }
        self.limit_m = if next_m.is_finite() { next_m } else { self.limit_m * most };
        true
    }
}
