use crate::format::{ByteReader, DecodeError};
use crate::math::Transform;
use crate::memory::TryList;
use crate::parts::{ClipHeader, PoseSlice, VectorFormat, is_usable};
use crate::{Channel, TimeGrid};
use alloc::vec::Vec;
use core::ops::Range;
use glam::{Quat, Vec3};

/// Joints stored without loss as float32, at all samples or a range of samples. They are read in place.
///
/// On disk, per joint: a byte whose bits 0, 1, 2 are set if rotation, translation, scale move; then per channel its numbers
/// (x, y, z, and w for rotations), once, or once per sample if it moves.
#[derive(Debug)]
pub struct ExactTracks {
    grid: TimeGrid,
    samples: Range<usize>,
    tracks: Vec<ExactTrack>,
}

#[derive(Debug)]
struct ExactTrack {
    joint: usize,
    rotation: Numbers,
    translation: Numbers,
    scale: Numbers,
}

/// Place of a channel's numbers.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    /// Byte of the first.
    start: usize,
    /// Bytes from a sample to the next; 0 for a constant.
    stride: usize,
}

impl Numbers {
    fn at<const N: usize>(self, bytes: &[u8], sample: usize) -> [f32; N] {
        let from = bytes.get(self.start + self.stride * sample..).unwrap_or_default();
        let numbers = from.as_chunks::<4>().0;
        core::array::from_fn(|i| numbers.get(i).map_or(0.0, |number| f32::from_le_bytes(*number)))
    }
}

/// True if the length is near one, so that a blend of any two such rotations has a direction.
pub fn is_blendable(rotation: Quat) -> bool {
    (0.25..4.0).contains(&rotation.length_squared())
}

impl ExactTracks {
    /// Number of floats of a channel.
    pub fn width(channel: Channel) -> usize {
        if channel == Channel::Rotation { 4 } else { 3 }
    }

    /// Reads and checks the tracks of some joints at some samples, at least one.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        input: &mut ByteReader<'_>,
        header: &ClipHeader,
        joints: &[usize],
        samples: Range<usize>,
    ) -> Result<Self, DecodeError> {
        let count = samples.len();
        let read = |joint: &usize| {
            let at = input.position();
            let moves = input.u8("exact track")?;
            if moves >> Channel::ALL.len() != 0 {
                return Err(DecodeError::invalid("exact track", at, moves, "0 to 7"));
            }
            let mut numbers = |channel: Channel| read_numbers(input, count, channel, moves >> channel as u8 & 1 == 1);
            let rotation = numbers(Channel::Rotation)?;
            let translation = numbers(Channel::Translation)?;
            Ok(ExactTrack { joint: *joint, rotation, translation, scale: numbers(Channel::Scale)? })
        };
        let tracks = joints.iter().map(read).try_list_of()?;
        Ok(Self { grid: header.grid, samples, tracks })
    }

    /// Overwrites the wanted joints; `out` holds their poses from the codec. Between a stored sample and one that is not stored, the
    /// two poses are blended. `bytes` are the bytes that the tracks were read from.
    pub fn sample(&self, bytes: &[u8], at_sample: f64, out: &mut PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        let own = |sample: usize| self.samples.contains(&sample).then(|| sample - self.samples.start);
        let (before, after) = (own(index), own(index + 1).filter(|_| alpha > 0.0));
        if before.or(after).is_none() {
            return;
        }
        for track in &self.tracks[out.of(&self.tracks, |track| track.joint)] {
            if let Some(out) = out.joint(track.joint) {
                let at = |sample| track.at(bytes, sample);
                *out = match (before, after) {
                    (Some(before), _) if alpha == 0.0 => at(before),
                    (Some(before), Some(after)) => at(before).lerp(at(after), alpha),
                    (Some(before), None) => at(before).lerp(*out, alpha),
                    (None, Some(after)) => out.lerp(at(after), alpha),
                    (None, None) => *out,
                };
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

impl ExactTrack {
    fn at(&self, bytes: &[u8], sample: usize) -> Transform {
        Transform {
            rotation: Quat::from_array(self.rotation.at(bytes, sample)),
            translation: Vec3::from_array(self.translation.at(bytes, sample)),
            scale: Vec3::from_array(self.scale.at(bytes, sample)),
        }
    }
}

fn read_numbers(
    input: &mut ByteReader<'_>,
    count: usize,
    channel: Channel,
    moves: bool,
) -> Result<Numbers, DecodeError> {
    let (start, sample_bytes) = (input.position(), 4 * ExactTracks::width(channel));
    let samples = if moves { count } else { 1 };
    let bytes = input.bytes("numbers of an exact track", sample_bytes * samples)?;
    let numbers = Numbers { start: 0, stride: sample_bytes };
    let is_bad = |sample: &usize| match channel {
        Channel::Rotation => !is_blendable(Quat::from_array(numbers.at(bytes, *sample))),
        _ => !is_usable(Vec3::from_array(numbers.at(bytes, *sample))),
    };
    if let Some(bad) = (0..samples).find(is_bad) {
        let expected = format_args!("quaternions of length one, numbers up to {:e}", VectorFormat::LARGEST);
        return Err(DecodeError::invalid("exact track", start + bad * sample_bytes, "unusable", expected));
    }
    Ok(Numbers { start, stride: if moves { sample_bytes } else { 0 } })
}
