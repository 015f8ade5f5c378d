//! Animated tracks on lattices: the meaning of a step, and the integers of a value.

use crate::codecs::encode::constant_value;
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::{LATTICE_EXACT, LATTICE_REFERENCE, TrackTable, lattice_step};
use crate::math::four::{Rotations, Vectors, all, cross, dot, four, opposite_where, three};
use crate::math::{
    Range3, ReduceRange, STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, dot4, log2, product, product_lanes, quat_mul,
    rodrigues_unmap, step_of_code,
};
use crate::model::{Channel, Clip};
use glam::{Quat, Vec3A, Vec4};

/// Larger integers are rejected, because their differences must fit into the format.
const LARGEST_INTEGER: f32 = (1 << 28) as f32;
/// Rotations further from the reference than this w, where the map grows without bound, use the opposite quaternion.
const LEAST_W: f32 = -0.3;

/// One animated track.
#[derive(Debug, Clone)]
pub struct LatticeTrack {
    pub joint: usize,
    pub channel: Channel,
    /// For rotations: the reference before it is rounded for storing, and as it is decoded.
    pub centre: Quat,
    reference: Quat,
    /// The sign of the clip's quaternions near the reference.
    sign: f32,
    /// True if rotations are moved to the hemisphere of the reference.
    is_halved: bool,
    /// Codes of the steps. [`LATTICE_EXACT`] for float32 samples.
    pub codes: [u8; 3],
    steps: Vec3A,
    inverse_steps: Vec3A,
}

/// All animated tracks: rotations, translations, scales.
pub fn animated_tracks(clip: &Clip, table: &TrackTable, centre: Centre) -> Vec<LatticeTrack> {
    let of = |channel| table.animated(channel).map(move |joint| LatticeTrack::new(clip, joint, channel, centre));
    Channel::ALL.into_iter().flat_map(of).collect()
}

impl LatticeTrack {
    fn new(clip: &Clip, joint: usize, channel: Channel, centre: Centre) -> Self {
        let of_rotations = (channel == Channel::Rotation).then(|| reference(clip, joint, centre));
        let (centre, sign, is_halved) = of_rotations.unwrap_or((Quat::IDENTITY, 1.0, false));
        let reference = LATTICE_REFERENCE.round_trip(centre, &Range3::UNIT);
        let (steps, inverse_steps) = (Vec3A::ONE, Vec3A::ONE);
        Self { joint, channel, centre, reference, sign, is_halved, codes: [LATTICE_EXACT; 3], steps, inverse_steps }
    }

    /// The decoded reference of rotations.
    pub fn reference(&self) -> Quat {
        self.reference
    }

    pub fn is_exact(&self) -> bool {
        self.codes[0] == LATTICE_EXACT
    }

    /// Sets the steps.
    pub fn set_codes(&mut self, codes: [u8; 3]) {
        self.codes = codes;
        self.steps = codes.map(|code| lattice_step(code, self.channel == Channel::Rotation)).into();
        self.inverse_steps = self.steps.recip();
    }

    /// The distance of two lattice points. For rotations in radians, near the reference.
    pub fn step(&self, component: usize) -> f32 {
        step_of_code(self.codes[component]) as f32
    }

    /// The rotation of three integers, as decoded.
    pub fn rotation(&self, integers: [i32; 3]) -> Quat {
        let v = self.vector(integers).to_array();
        Quat::from_array(quat_mul(self.reference.to_array(), rodrigues_unmap(v)))
    }

    /// The vector of three integers, as decoded.
    pub fn vector(&self, integers: [i32; 3]) -> Vec3A {
        Vec3A::from_array(integers.map(|i| i as f32)) * self.steps
    }

    /// A vector in steps.
    pub fn in_steps(&self, v: Vec3A) -> Vec3A {
        v * self.inverse_steps
    }

    /// The place of a vector on the lattice.
    pub fn place(&self, v: Vec3A) -> Vec3A {
        self.in_steps(v).clamp(Vec3A::splat(-LARGEST_INTEGER), Vec3A::splat(LARGEST_INTEGER))
    }

    /// One step along each axis.
    pub fn unit_steps(&self) -> [Vec3A; 3] {
        [Vec3A::X * self.steps, Vec3A::Y * self.steps, Vec3A::Z * self.steps]
    }

    /// The place of a rotation in the map of the lattice.
    pub fn parameters(&self, rotation: Quat) -> Vec3A {
        let relative = product(self.reference.conjugate(), rotation) * self.sign;
        let relative = if self.is_halved && relative.w < 0.0 { -relative } else { relative };
        Vec3A::from(relative.xyz()) / (1.0 + relative.w).max(1e-3)
    }

    /// The same for four rotations.
    pub fn parameters_of_four(&self, rotations: &Rotations) -> Vectors {
        let to_reference = self.reference.conjugate();
        let to_reference = four(|i| Vec4::splat(to_reference.to_array()[i]));
        let relative = product_lanes(to_reference, *rotations);
        let relative = four(|i| relative[i] * self.sign);
        let is_far = relative[3].cmplt(Vec4::ZERO);
        let [x, y, z, w] = if self.is_halved { opposite_where(is_far, relative) } else { relative };
        let above = (Vec4::ONE + w).max(Vec4::splat(1e-3));
        [x / above, y / above, z / above]
    }

    /// Four vectors in steps.
    pub fn four_in_steps(&self, v: &Vectors) -> Vectors {
        three(|i| v[i] * self.inverse_steps[i])
    }

    /// [`LatticeTrack::turns`] of four lattice points.
    pub fn turns_of_four(&self, v: &Vectors) -> [Vectors; 3] {
        let (one, two) = (Vec4::ONE, Vec4::splat(2.0));
        let square = dot(v, v);
        let scale = Vec4::splat(4.0) / ((one + square) * (one + square));
        three(|i| {
            let (unit, scale) = (all(Vec3A::AXES[i]), scale * self.steps[i]);
            let crossed = cross(v, &unit);
            three(|c| ((one - square) * unit[c] - two * crossed[c] + two * v[c] * v[i]) * scale)
        })
    }

    /// The rotation vectors, in radians about the rotation's own axes, from a lattice point at `v` to the next along each axis.
    pub fn turns(&self, v: Vec3A) -> [Vec3A; 3] {
        let square = v.length_squared();
        let scale = 4.0 / ((1.0 + square) * (1.0 + square));
        let steps = self.steps.to_array();
        let axis = |i: usize| {
            let unit = Vec3A::AXES[i];
            ((1.0 - square) * unit - 2.0 * v.cross(unit) + 2.0 * v * v[i]) * (scale * steps[i])
        };
        [axis(0), axis(1), axis(2)]
    }
}

/// The code of the largest step that is not larger than `eighths`, in eighths of an octave with fractions.
pub fn code_below(eighths: f32) -> u8 {
    (eighths.floor() as i32 + STEP_CODE_OF_ONE).clamp(1, 255) as u8
}

/// A step in eighths of octaves, for [`code_below`].
pub fn eighths_of(step: f32) -> f32 {
    (f64::from(STEP_CODES_AN_OCTAVE) * log2(step.into())) as f32
}

/// The reference of a track's rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Centre {
    /// The middle of their range: the smallest largest integer.
    Middle,
    /// Their mean: the smallest integers on average.
    Mean,
}

/// The reference rotation of a track, the sign of quaternions near it, and true if some are too far from it.
fn reference(clip: &Clip, joint: usize, centre: Centre) -> (Quat, f32, bool) {
    let mean = constant_value(clip.track(joint)).rotation;
    let near = clip
        .track(joint)
        .map(|t| product(mean.conjugate(), t.rotation))
        .map(|q| q.xyz() * q.w.signum() / (1.0 + q.w.abs()));
    let centred = match centre {
        Centre::Mean => mean,
        Centre::Middle => {
            let range = Range3::around(near);
            let middle = rodrigues_unmap((range.min + range.extent * 0.5).to_array());
            Quat::from_array(quat_mul(mean.to_array(), middle))
        }
    };
    let stored = LATTICE_REFERENCE.round_trip(centred, &Range3::UNIT);
    let sign = dot4(stored.into(), mean.into()).signum();
    let is_far = clip.track(joint).any(|t| sign * product(stored.conjugate(), t.rotation).w < LEAST_W);
    (centred, sign, is_far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::four::{self, vector};
    use crate::math::tests::unit_quat;
    use glam::Vec3;
    use proptest::prelude::*;

    fn track(reference: Quat) -> LatticeTrack {
        let mut track = LatticeTrack {
            joint: 0,
            channel: Channel::Rotation,
            centre: reference,
            reference,
            sign: 1.0,
            is_halved: false,
            codes: [LATTICE_EXACT; 3],
            steps: Vec3A::ONE,
            inverse_steps: Vec3A::ONE,
        };
        track.set_codes([100, 120, 110]);
        track
    }

    proptest! {
        #[test]
        fn turns_lead_from_one_lattice_point_to_the_next(
            turn in prop::array::uniform3(-1.5f32..1.5), reference in prop::array::uniform3(-2.0f32..2.0), axis in 0usize..3,
        ) {
            let track = track(Quat::from_scaled_axis(Vec3::from_array(reference)));
            let wanted = track.reference * Quat::from_scaled_axis(Vec3::from_array(turn));
            let v = track.parameters(wanted);
            let integers = track.place(v).round().to_array().map(|x| x as i32);
            let found = track.rotation(integers);
            prop_assert!((found - wanted).length() < 2e-3, "{found} for {wanted}");
            let mut next = integers;
            next[axis] += 100;
            let turned = found * Quat::from_scaled_axis(Vec3::from(track.turns(v)[axis] * 100.0));
            let way = (track.rotation(next) - found).length();
            prop_assert!((track.rotation(next) - turned).length() < 0.05 * way, "{turned} of {way}");
        }
    }

    proptest! {
        #[test]
        fn four_rotations_are_mapped_as_each_alone(
            rotations in prop::array::uniform4(unit_quat()), reference in unit_quat(), is_halved: bool, sign in 0usize..2,
        ) {
            let track = LatticeTrack { is_halved, sign: [-1.0, 1.0][sign], ..track(reference) };
            let parameters = track.parameters_of_four(&four::rotations(|lane| rotations[lane]));
            let (turns, in_steps) = (track.turns_of_four(&parameters), track.four_in_steps(&parameters));
            for (lane, rotation) in rotations.into_iter().enumerate() {
                let single = track.parameters(rotation);
                prop_assert_eq!(vector(&parameters, lane), single);
                prop_assert_eq!(turns.map(|turn| vector(&turn, lane)), track.turns(single));
                prop_assert_eq!(vector(&in_steps, lane), track.in_steps(single));
            }
        }
    }

    #[test]
    fn codes_are_the_largest_steps_that_are_not_larger() {
        for step in [1e-6f32, 3e-4, 0.7] {
            let code = code_below(eighths_of(step));
            assert!(lattice_step(code, false) <= step * 1.000_001 && lattice_step(code + 1, false) > step);
        }
    }
}
