use crate::format::DecodeError;
use crate::math::Transform;
use crate::parts::ClipHeader;
use crate::{Pose, Sampler, TimeGrid};
use glam::{Quat, Vec3};

/// Bytes of ten float32.
const TRANSFORM_BYTES: usize = 40;

/// Reads float32 samples in place.
pub struct RawSampler<'a> {
    grid: TimeGrid,
    joints: usize,
    transforms: &'a [[u8; TRANSFORM_BYTES]],
}

impl<'a> RawSampler<'a> {
    pub fn new(header: &ClipHeader, payload: &'a [u8]) -> Result<Self, DecodeError> {
        let expected = header.joints * header.grid.samples() * TRANSFORM_BYTES;
        if payload.len() != expected {
            return Err(DecodeError::invalid("raw payload", 0, format!("{} bytes", payload.len()), expected));
        }
        if let Some(bad) = payload.as_chunks::<4>().0.iter().position(|b| !f32::from_le_bytes(*b).is_finite()) {
            return Err(DecodeError::invalid("raw sample", 4 * bad, "not finite", "a number"));
        }
        let sampler = Self { grid: header.grid, joints: header.joints, transforms: payload.as_chunks().0 };
        if let Some(bad) = sampler.transforms.iter().position(|t| !is_blendable(rotation(t))) {
            let at = TRANSFORM_BYTES * bad;
            return Err(DecodeError::invalid("raw rotation", at, "no rotation", "a quaternion of length one"));
        }
        Ok(sampler)
    }

    fn at(&self, sample: usize, joint: usize) -> Transform {
        let bytes = self.transforms[sample * self.joints + joint].as_chunks::<4>().0;
        let n = |i: usize| f32::from_le_bytes(bytes[i]);
        Transform {
            rotation: rotation(&self.transforms[sample * self.joints + joint]),
            translation: Vec3::new(n(4), n(5), n(6)),
            scale: Vec3::new(n(7), n(8), n(9)),
        }
    }
}

fn rotation(transform: &[u8; TRANSFORM_BYTES]) -> Quat {
    let (numbers, _) = transform.as_chunks::<4>();
    Quat::from_array(std::array::from_fn(|i| f32::from_le_bytes(numbers[i])))
}

/// About of length one: a blend of two such has a direction, whichever they are.
fn is_blendable(rotation: Quat) -> bool {
    (0.25..4.0).contains(&rotation.length_squared())
}

impl Sampler for RawSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (index, alpha) = self.grid.locate(time_secs);
        for (joint, out) in out.joints.iter_mut().enumerate().take(self.joints) {
            let a = self.at(index, joint);
            *out = if alpha == 0.0 { a } else { a.lerp(self.at(index + 1, joint), alpha) };
        }
    }
}
