use crate::format::{ByteReader, DecodeError, bits_at, f32_at};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::{ClipHeader, FloatSteps, time_bits};
use crate::{Channel, FloatHold, HeldIntervals, Hold};
use alloc::vec::Vec;

/// Float tracks as stored: one value for a constant track; float32 or whole steps per sample; or whole steps at
/// some samples, with linear interpolation between them.
#[derive(Debug, Clone, Default)]
pub struct FloatTracks {
    tracks: Vec<FloatTrack>,
}

#[derive(Debug, Clone, Copy)]
enum FloatTrack {
    Constant(f32),
    /// Byte of the clip at which its samples begin.
    Samples(usize),
    /// Byte of the clip at which its codes begin.
    Steps {
        start: usize,
        steps: FloatSteps,
    },
    /// Byte at which the places of the inner keys begin. The codes of all keys follow them.
    Keys {
        start: usize,
        inner: u16,
        steps: FloatSteps,
    },
}

impl FloatTracks {
    /// One float32 per track, lossless.
    pub const CONSTANT: u8 = 0;
    /// One float32 per sample, lossless.
    pub const SAMPLES: u8 = 1;
    /// One code of [`FloatSteps`] per sample.
    pub const STEPS: u8 = 2;
    /// Codes of [`FloatSteps`] at some samples.
    pub const KEYS: u8 = 3;

    /// Reads the tracks of a clip; `input` began at the clip's first byte.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let tracks = (0..header.float_tracks).map(|_| FloatTrack::read(input, samples)).try_list_of()?;
        Ok(Self { tracks })
    }

    /// The values at a fraction `alpha` between a sample and the next. `bytes` are the bytes of the clip.
    pub fn sample(&self, bytes: &[u8], samples: usize, (index, alpha): (usize, f32), out: &mut [f32]) {
        for (out, track) in out.iter_mut().zip(&self.tracks) {
            *out = track.value(bytes, samples, (index, alpha));
        }
    }

    /// Like [`FloatTracks::sample`], for only the tracks that hold the value of that sample until the next one.
    pub fn hold(&self, bytes: &[u8], samples: usize, index: usize, holds: &[FloatHold], out: &mut [f32]) {
        for track in FloatHold::at(holds, index).iter().map(|hold| usize::from(hold.track)) {
            if let (Some(out), Some(track)) = (out.get_mut(track), self.tracks.get(track)) {
                *out = track.value(bytes, samples, (index, 0.0));
            }
        }
    }

    /// Number of tracks.
    pub fn count(&self) -> usize {
        self.tracks.len()
    }

    /// True if there is no track.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Moves all places, for bytes without their first `dropped`.
    pub fn move_back(&mut self, dropped: usize) {
        for track in &mut self.tracks {
            match track {
                FloatTrack::Constant(_) => {}
                FloatTrack::Samples(start) | FloatTrack::Steps { start, .. } | FloatTrack::Keys { start, .. } => {
                    *start -= dropped;
                }
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

impl FloatTrack {
    fn value(&self, bytes: &[u8], samples: usize, at: (usize, f32)) -> f32 {
        match *self {
            Self::Constant(value) => value,
            Self::Samples(start) => at_samples(at, |sample| f32_at(bytes, 8 * (start + 4 * sample))),
            Self::Steps { start, steps } => {
                let width = usize::from(steps.width);
                at_samples(at, |sample| steps.value(bits_at(bytes, 8 * start + width * sample, width as u32)))
            }
            Self::Keys { start, inner, steps } => {
                let inner = usize::from(inner);
                FloatKeys { bytes, samples, start: 8 * start, inner, steps }.at(at.0, at.1)
            }
        }
    }

    fn read(input: &mut ByteReader<'_>, samples: usize) -> Result<Self, DecodeError> {
        let at = input.position();
        match input.u8("kind of a float track")? {
            FloatTracks::CONSTANT => Ok(Self::Constant(input.f32("constant float track")?)),
            FloatTracks::SAMPLES => {
                let bytes = input.bytes("float track", 4 * samples)?;
                let values = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
                match values.into_iter().position(|v| !v.is_finite()) {
                    None => Ok(Self::Samples(at + 1)),
                    Some(i) => Err(DecodeError::invalid("float track", at + 1 + 4 * i, "not finite", "a number")),
                }
            }
            FloatTracks::STEPS => {
                let steps = FloatSteps::read(input)?;
                let start = input.position();
                input.bytes("float track", samples.saturating_mul(usize::from(steps.width)).div_ceil(8))?;
                Ok(Self::Steps { start, steps })
            }
            FloatTracks::KEYS => Self::read_keys(input, samples),
            kind => Err(DecodeError::invalid("kind of a float track", at, kind, "0 to 3")),
        }
    }

    fn read_keys(input: &mut ByteReader<'_>, samples: usize) -> Result<Self, DecodeError> {
        let at = input.position();
        let steps = FloatSteps::read(input)?;
        let inner = input.u16("keys of a float track")?;
        if usize::from(inner) + 2 > samples {
            let expected = format_args!("at most the clip's {samples} samples without its two ends");
            return Err(DecodeError::invalid("keys of a float track", at, inner, expected));
        }
        let start = input.position();
        let count = usize::from(inner);
        let bits = count * time_bits(samples) as usize + (count + 2) * usize::from(steps.width);
        let bytes = input.bytes("keys of a float track", bits.div_ceil(8))?;
        let keys = FloatKeys { bytes, samples, start: 0, inner: count, steps };
        match (0..=count).find(|&key| keys.place(key) >= keys.place(key + 1)) {
            None => Ok(Self::Keys { start, inner, steps }),
            Some(key) => {
                let found = keys.place(key + 1);
                Err(DecodeError::invalid("key of a float track", start, found, "keys one after another"))
            }
        }
    }
}

/// Keys of a track in some bytes.
struct FloatKeys<'a> {
    bytes: &'a [u8],
    /// Samples of the clip, at least two.
    samples: usize,
    /// Bit at which the places begin.
    start: usize,
    /// Number of keys without the first and the last sample.
    inner: usize,
    steps: FloatSteps,
}

impl FloatKeys<'_> {
    /// The sample of a key.
    fn place(&self, key: usize) -> usize {
        let bits = time_bits(self.samples);
        match key {
            0 => 0,
            key if key > self.inner => self.samples - 1,
            key => bits_at(self.bytes, self.start + (key - 1) * bits as usize, bits) as usize,
        }
    }

    fn value(&self, key: usize) -> f32 {
        let (width, codes) = (u32::from(self.steps.width), self.start + self.inner * time_bits(self.samples) as usize);
        self.steps.value(bits_at(self.bytes, codes + key * width as usize, width))
    }

    /// The value at a fraction `alpha` between a sample and the next.
    fn at(&self, index: usize, alpha: f32) -> f32 {
        let (mut before, mut after) = (0, self.inner + 1);
        while after - before > 1 {
            let middle = before.midpoint(after);
            if self.place(middle) <= index { before = middle } else { after = middle }
        }
        let (start, end) = (self.place(before), self.place(after));
        if index >= end {
            return self.value(after);
        }
        let alpha = ((index - start) as f32 + alpha) / (end - start) as f32;
        if alpha == 0.0 { self.value(before) } else { float_between(self.value(before), self.value(after), alpha) }
    }
}

/// The top two bits of a held interval that belongs to a float track; joints have their channel there.
pub const HELD_FLOAT: u16 = 3;

/// Reads the held intervals of a clip: those of joints, ordered by sample, joint and channel, then those of float tracks, ordered
/// by sample and track.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_holds(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<HeldIntervals, DecodeError> {
    let count = input.u32("count of held intervals")? as usize;
    if count > input.left() / 6 {
        let (at, left) = (input.position(), input.left());
        return Err(DecodeError::Truncated { what: "held intervals", at, needed: count.saturating_mul(6), left });
    }
    let mut holds = HeldIntervals::default();
    for _ in 0..count {
        let at = input.position();
        let sample = input.u32("held interval")?;
        let packed = input.u16("held interval")?;
        let (kind, number) = (packed >> 14, packed & (FloatHold::TRACKS - 1));
        let is_inside = (sample as usize) + 1 < header.grid.samples();
        let is_read = is_inside
            && match Channel::ALL.get(usize::from(kind)) {
                Some(&channel) => {
                    let is_joint = usize::from(number) < header.joints && holds.floats.is_empty();
                    is_joint && put_in_order(&mut holds.joints, Hold { sample, joint: number, channel })?
                }
                None => {
                    let is_track = usize::from(number) < header.float_tracks;
                    is_track && put_in_order(&mut holds.floats, FloatHold { sample, track: number })?
                }
            };
        if !is_read {
            let expected = "ordered samples, and joints and float tracks of the clip";
            return Err(DecodeError::invalid("held interval", at, packed, expected));
        }
    }
    Ok(holds)
}

/// Appends an item. Returns false if the list would not be ascending.
fn put_in_order<T: Ord>(list: &mut Vec<T>, next: T) -> Result<bool, NoMemory> {
    let follows = list.last().is_none_or(|last| *last < next);
    if follows {
        list.try_push(next)?;
    }
    Ok(follows)
}

/// The value at a fraction `alpha` between a sample and the next, for a track with a value per sample.
#[inline]
fn at_samples((index, alpha): (usize, f32), value: impl Fn(usize) -> f32) -> f32 {
    if alpha == 0.0 { value(index) } else { float_between(value(index), value(index + 1), alpha) }
}

/// Linear interpolation of two numbers of any size. It avoids their difference, which may overflow.
pub fn float_between(a: f32, b: f32, alpha: f32) -> f32 {
    let blended = a + (b - a) * alpha;
    if blended.is_finite() { blended } else { a * (1.0 - alpha) + b * alpha }
}
