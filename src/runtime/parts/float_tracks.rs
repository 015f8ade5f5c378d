use super::ClipHeader;
use crate::format::{ByteReader, DecodeError, f32_at};
use crate::{Channel, Hold};
use alloc::vec::Vec;

/// Float tracks as stored: one value for a constant track, one f32 a sample else.
#[derive(Debug, Clone, Default)]
pub struct FloatTracks {
    tracks: Vec<FloatTrack>,
}

#[derive(Debug, Clone, Copy)]
enum FloatTrack {
    Constant(f32),
    /// Byte of the clip at which its samples begin.
    Samples(usize),
}

impl FloatTracks {
    /// Reads the tracks of a clip; `input` began at the clip's first byte.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<Self, DecodeError> {
        let read_track = |input: &mut ByteReader<'_>| {
            let at = input.position();
            match input.u8("kind of a float track")? {
                0 => Ok(FloatTrack::Constant(input.f32("constant float track")?)),
                1 => {
                    let bytes = input.bytes("float track", 4 * header.grid.samples())?;
                    let values = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
                    match values.into_iter().position(|v| !v.is_finite()) {
                        None => Ok(FloatTrack::Samples(at + 1)),
                        Some(i) => Err(DecodeError::invalid("float track", at + 1 + 4 * i, "not finite", "a number")),
                    }
                }
                kind => Err(DecodeError::invalid("kind of a float track", at, kind, "0 or 1")),
            }
        };
        let tracks = (0..header.float_tracks).map(|_| read_track(input)).collect::<Result<_, _>>()?;
        Ok(Self { tracks })
    }

    /// The values `alpha` of the way from a sample to the next; `bytes` are the clip's.
    pub fn sample(&self, bytes: &[u8], index: usize, alpha: f32, out: &mut [f32]) {
        for (out, track) in out.iter_mut().zip(&self.tracks) {
            *out = match *track {
                FloatTrack::Constant(value) => value,
                FloatTrack::Samples(start) => {
                    let value = |sample: usize| f32_at(bytes, 8 * (start + 4 * sample));
                    if alpha == 0.0 { value(index) } else { blend(value(index), value(index + 1), alpha) }
                }
            };
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

/// Reads the held intervals of a clip, which are ordered by sample, joint and channel.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_holds(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<Vec<Hold>, DecodeError> {
    let count = input.u32("count of held intervals")? as usize;
    if count > input.left() / 6 {
        let (at, left) = (input.position(), input.left());
        return Err(DecodeError::Truncated { what: "held intervals", at, needed: count.saturating_mul(6), left });
    }
    let mut holds: Vec<Hold> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = input.position();
        let sample = input.u32("held interval")?;
        let packed = input.u16("held interval")?;
        let joint = packed & 0x3fff;
        let channel = Channel::ALL.get(usize::from(packed >> 14)).copied();
        let hold = channel.map(|channel| Hold { sample, joint, channel });
        match hold {
            Some(hold)
                if (sample as usize) + 1 < header.grid.samples()
                    && usize::from(joint) < header.joints
                    && holds.last().is_none_or(|last| *last < hold) =>
            {
                holds.push(hold);
            }
            _ => {
                return Err(DecodeError::invalid(
                    "held interval",
                    at,
                    packed,
                    "ordered samples and joints of the clip",
                ));
            }
        }
    }
    Ok(holds)
}

/// Between two numbers, however large: their difference may be no number where they are.
fn blend(a: f32, b: f32, alpha: f32) -> f32 {
    let blended = a + (b - a) * alpha;
    if blended.is_finite() { blended } else { a * (1.0 - alpha) + b * alpha }
}
