use super::ClipHeader;
use crate::format::{ByteReader, DecodeError};
use crate::{Channel, Hold, Pose, Sampler, TimeGrid};

/// A codec's sampler with the clip's float tracks and held intervals on top.
pub struct WithExtras<'a> {
    inner: Box<dyn Sampler + Send + 'a>,
    grid: TimeGrid,
    floats: FloatTracks<'a>,
    holds: Vec<Hold>,
    held: Pose,
}

impl<'a> WithExtras<'a> {
    pub fn new(
        inner: Box<dyn Sampler + Send + 'a>,
        header: &ClipHeader,
        floats: FloatTracks<'a>,
        holds: Vec<Hold>,
    ) -> Self {
        let held = if holds.is_empty() { Pose::default() } else { Pose::with_size(header.joints, header.float_tracks) };
        Self { inner, grid: header.grid, floats, holds, held }
    }
}

impl Sampler for WithExtras<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (index, alpha) = self.grid.locate(time_secs);
        let holds = if alpha > 0.0 { Hold::at(&self.holds, index) } else { &[] };
        if !holds.is_empty() {
            self.inner.sample(self.grid.time_secs(index as f64), &mut self.held);
        }
        self.inner.sample(time_secs, out);
        for hold in holds {
            hold.apply(&mut out.joints, &self.held.joints);
        }
        self.floats.sample(index, alpha, &mut out.floats);
    }
}

/// Float tracks as stored: one value for a constant track, one f32 a sample else.
#[derive(Debug, Clone, Default)]
pub struct FloatTracks<'a> {
    tracks: Vec<FloatTrack<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum FloatTrack<'a> {
    Constant(f32),
    Samples(&'a [u8]),
}

impl<'a> FloatTracks<'a> {
    /// Reads what [`write_floats`] wrote.
    pub fn read(input: &mut ByteReader<'a>, header: &ClipHeader) -> Result<Self, DecodeError> {
        let read_track = |input: &mut ByteReader<'a>| {
            let at = input.position();
            match input.u8("kind of a float track")? {
                0 => Ok(FloatTrack::Constant(input.f32("constant float track")?)),
                1 => {
                    let bytes = input.bytes("float track", 4 * header.grid.samples())?;
                    let values = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
                    match values.into_iter().position(|v| !v.is_finite()) {
                        None => Ok(FloatTrack::Samples(bytes)),
                        Some(i) => Err(DecodeError::invalid("float track", at + 1 + 4 * i, "not finite", "a number")),
                    }
                }
                kind => Err(DecodeError::invalid("kind of a float track", at, kind, "0 or 1")),
            }
        };
        let tracks = (0..header.float_tracks).map(|_| read_track(input)).collect::<Result<_, _>>()?;
        Ok(Self { tracks })
    }

    fn sample(&self, index: usize, alpha: f32, out: &mut [f32]) {
        for (out, track) in out.iter_mut().zip(&self.tracks) {
            *out = match *track {
                FloatTrack::Constant(value) => value,
                FloatTrack::Samples(bytes) => {
                    let values = bytes.as_chunks::<4>().0;
                    let a = f32::from_le_bytes(values[index]);
                    if alpha == 0.0 { a } else { blend(a, f32::from_le_bytes(values[index + 1]), alpha) }
                }
            };
        }
    }
}

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
