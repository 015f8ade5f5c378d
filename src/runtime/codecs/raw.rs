//! Every sample is stored as float32, without loss.

use super::Decode;
use crate::format::{BindPose, DecodeError};
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, PoseSlice, VectorFormat, is_blendable, is_usable};
use crate::{StateMemory, TimeGrid};
use glam::{Quat, Vec3};

/// Bytes of a transform: ten float32.
const TRANSFORM_BYTES: usize = 40;

/// Reads float32 samples in place. On disk, per sample and joint: rotation (x, y, z, w), translation, scale.
#[derive(Debug)]
pub struct RawDecoder {
    grid: TimeGrid,
    joints: usize,
}

fn transforms(payload: &[u8]) -> &[[u8; TRANSFORM_BYTES]] {
    payload.as_chunks().0
}

fn transform(bytes: &[u8; TRANSFORM_BYTES]) -> Transform {
    let numbers = bytes.as_chunks::<4>().0;
    let n = |i: usize| f32::from_le_bytes(numbers[i]);
    Transform {
        rotation: rotation(bytes),
        translation: Vec3::new(n(4), n(5), n(6)),
        scale: Vec3::new(n(7), n(8), n(9)),
    }
}

fn rotation(transform: &[u8; TRANSFORM_BYTES]) -> Quat {
    let (numbers, _) = transform.as_chunks::<4>();
    Quat::from_array(core::array::from_fn(|i| f32::from_le_bytes(numbers[i])))
}

impl Decode for RawDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, payload: &[u8], _: &BindPose) -> Result<Self, DecodeError> {
        let expected = header.joints * header.grid.samples() * TRANSFORM_BYTES;
        if payload.len() != expected {
            return Err(DecodeError::invalid("raw payload", 0, format_args!("{} bytes", payload.len()), expected));
        }
        if let Some(bad) = payload.as_chunks::<4>().0.iter().position(|b| !f32::from_le_bytes(*b).is_finite()) {
            return Err(DecodeError::invalid("raw sample", 4 * bad, "not finite", "a number"));
        }
        let is_far = |t: &[u8; TRANSFORM_BYTES]| {
            let Transform { translation, scale, .. } = transform(t);
            !(is_usable(translation) && is_usable(scale))
        };
        if let Some(bad) = transforms(payload).iter().position(is_far) {
            let expected = format_args!("numbers up to {:e}", VectorFormat::LARGEST);
            return Err(DecodeError::invalid("raw sample", TRANSFORM_BYTES * bad, "a larger number", expected));
        }
        if let Some(bad) = transforms(payload).iter().position(|t| !is_blendable(rotation(t))) {
            let at = TRANSFORM_BYTES * bad;
            return Err(DecodeError::invalid("raw rotation", at, "no rotation", "a quaternion of length one"));
        }
        Ok(Self { grid: header.grid, joints: header.joints })
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, payload: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        let (range, rows) = (out.range(), transforms(payload));
        let row = |sample: usize| &rows[sample * self.joints..][range.clone()];
        let a = row(index);
        if alpha == 0.0 {
            return out.fill(a.iter(), transform);
        }
        out.fill(a.iter().zip(row(index + 1)), |(a, b)| transform(a).lerp(transform(b), alpha));
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}
