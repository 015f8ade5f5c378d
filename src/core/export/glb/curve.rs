use crate::model::TimeGrid;
use glam::{DVec4, Vec4};

/// When a key that ends a held interval comes before the sample that follows, in samples; in time it is one f32 before.
const BEFORE_STEP: f64 = 1e-6;

/// How values get from one key to the next; the three ways of glTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier key holds.
    Step,
    /// On a line, or for rotations on an arc.
    Linear,
    /// On a cubic with two tangents a key.
    Cubic,
}

/// When a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyTime {
    /// The sample whose value it holds.
    pub sample: usize,
    /// It ends the held interval after that sample: just before the next one.
    pub ends_hold: bool,
}

impl KeyTime {
    /// At a sample.
    pub fn at(sample: usize) -> Self {
        Self { sample, ends_hold: false }
    }

    /// Seconds, in a file where the clip starts at `start_secs`.
    pub fn secs(self, grid: TimeGrid, start_secs: f32) -> f32 {
        match self.ends_hold {
            false => start_secs + grid.time_secs(self.sample as f64),
            true => (start_secs + grid.time_secs((self.sample + 1) as f64)).next_down(),
        }
    }

    fn place(self) -> f64 {
        if self.ends_hold { (self.sample + 1) as f64 - BEFORE_STEP } else { self.sample as f64 }
    }
}

/// The keys of one channel of a joint, with the numbers that a reader finds: x, y, z of a vector, or x, y, z, w of a rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// From key to key.
    pub interpolation: Interpolation,
    /// In order.
    pub times: Vec<KeyTime>,
    /// One a key.
    pub values: Vec<Vec4>,
    /// In- and out-tangent of each key, per sample; empty unless the curve is cubic.
    pub tangents: Vec<[Vec4; 2]>,
    /// They are rotations.
    pub is_rotation: bool,
    /// The values are normalized 16-bit integers.
    pub is_short: bool,
}

impl Curve {
    /// The value at a place in the clip, in samples, as a player reads it.
    pub fn at(&self, place: f64) -> Vec4 {
        let next = self.times.partition_point(|time| time.place() <= place);
        let Some(key) = next.checked_sub(1) else { return self.values[0] };
        if next == self.times.len() || self.interpolation == Interpolation::Step {
            return self.values[key];
        }
        let (start, end) = (self.times[key].place(), self.times[next].place());
        let t = (place - start) / (end - start);
        let (a, b) = (self.values[key], self.values[next]);
        if self.interpolation == Interpolation::Linear {
            return blend(a, b, t, self.is_rotation);
        }
        let span = (end - start) as f32;
        let [_, out] = self.tangents[key];
        let [into, _] = self.tangents[next];
        hermite([a, out * span, b, into * span], t as f32, self.is_rotation)
    }

    /// Bytes of its values.
    pub fn value_bytes(&self) -> usize {
        let numbers = if self.is_rotation { 4 } else { 3 };
        let width = if self.is_short { 2 } else { 4 };
        numbers * width * (self.values.len() + 2 * self.tangents.len())
    }
}

/// Between two values: on a line, for rotations on the shorter arc. What is read is not normalised, as in three.js: where
/// 16-bit integers have left a rotation a little too long, that is part of the error.
pub fn blend(a: Vec4, b: Vec4, t: f64, is_rotation: bool) -> Vec4 {
    if !is_rotation {
        return a + (b - a) * t as f32;
    }
    // In f64: the arc of neighbours is so small that f32 would lose half of its digits.
    let (a, b) = (a.as_dvec4(), b.as_dvec4());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    arc(a, b, t).as_vec4()
}

fn arc(a: DVec4, b: DVec4, t: f64) -> DVec4 {
    let cos = a.dot(b);
    let sin_sq = 1.0 - cos * cos;
    if sin_sq <= f64::EPSILON {
        return a + (b - a) * t;
    }
    let sin = sin_sq.sqrt();
    let angle = sin.atan2(cos);
    (a * (angle * (1.0 - t)).sin() + b * (angle * t).sin()) / sin
}

/// Value, tangent, value, tangent on the Hermite basis of glTF 2.0, appendix C.5; tangents are of the whole interval.
pub fn hermite([a, out, b, into]: [Vec4; 4], t: f32, is_rotation: bool) -> Vec4 {
    let [wa, wout, wb, winto] = hermite_weights(t);
    let sum = a * wa + out * wout + b * wb + into * winto;
    if is_rotation { sum.normalize_or(a) } else { sum }
}

/// Weights of value, tangent, value, tangent.
pub fn hermite_weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2]
}

/// A rotation as normalized 16-bit integers.
pub fn to_shorts(rotation: Vec4) -> [i16; 4] {
    rotation.to_array().map(|v| (v.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16)
}

/// What a reader makes of [`to_shorts`].
pub fn from_shorts(shorts: [i16; 4]) -> Vec4 {
    Vec4::from(shorts.map(|v| f32::from(v) / f32::from(i16::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn curve(interpolation: Interpolation, keys: &[(KeyTime, f32)]) -> Curve {
        Curve {
            interpolation,
            times: keys.iter().map(|(time, _)| *time).collect(),
            values: keys.iter().map(|(_, value)| Vec4::splat(*value)).collect(),
            tangents: vec![],
            is_rotation: false,
            is_short: false,
        }
    }

    #[test]
    fn a_key_that_ends_a_hold_lies_just_before_the_next_sample() {
        let hold = KeyTime { sample: 1, ends_hold: true };
        let line = curve(Interpolation::Linear, &[(KeyTime::at(0), 0.0), (KeyTime::at(1), 1.0), (hold, 1.0)]);
        let line = Curve {
            times: [line.times, vec![KeyTime::at(2)]].concat(),
            values: [line.values, vec![Vec4::splat(5.0)]].concat(),
            ..line
        };
        let x = |place| line.at(place).x;
        assert_eq!([x(0.5), x(1.0), x(1.5), x(2.0), x(9.0)], [0.5, 1.0, 1.0, 5.0, 5.0]);
        let grid = TimeGrid::new(3, 2.0);
        assert_eq!(hold.secs(grid, 0.5), 2.5f32.next_down());
        assert_eq!(KeyTime::at(2).secs(grid, 0.5), 2.5);
    }

    #[test]
    fn rotations_go_along_the_shorter_arc_at_constant_speed() {
        let turn = |angle: f32| Vec4::from(Quat::from_rotation_y(angle).to_array());
        for t in [0.1, 0.5, 0.9] {
            let read = blend(turn(0.2), -turn(1.8), t, true);
            let exact = turn(0.2 + 1.6 * t as f32);
            assert!(read.dot(exact).abs() > 1.0 - 1e-6, "{t}: {read}");
        }
        let near = blend(turn(0.2), turn(0.2 + 1e-7), 0.5, true);
        assert!((near.length() - 1.0).abs() < 1e-6, "{near}");
    }

    #[test]
    fn sixteen_bits_keep_rotations_to_a_twentieth_of_a_milliradian() {
        let axis = |i: i32| Vec3::new(i as f32 * 0.37, i as f32 * 0.11, 1.0) * 0.1;
        let rotations = (0..1000).map(|i| Vec4::from(Quat::from_scaled_axis(axis(i)).to_array()));
        let worst = rotations.map(|q| 2.0 * (q - from_shorts(to_shorts(q))).length()).fold(0.0, f32::max);
        assert!(worst > 1e-6 && worst < 6.2e-5, "{worst}");
    }
}
