use super::Fault;
use super::jumps::{self, Jump, angle_rad};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Interpolation between keys: the three modes of glTF 2.0 (section 3.11 and appendix C).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// Holds a key until the next one.
    Step,
    /// Linear, with slerp for rotations.
    Linear,
    /// Cubic Hermite with an in- and an out-tangent per key.
    CubicSpline,
}

/// The value of a key.
pub(super) trait KeyValue: Copy {
    /// Blends from `a` at 0 to `b` at 1.
    fn linear(a: Self, b: Self, t: f32) -> Self;
    /// Weighted sum of value, tangent, value, tangent.
    fn blend(terms: [(Self, f32); 4]) -> Self;
    /// True if every number is finite and a rotation is not zero.
    fn is_valid(&self) -> bool;
    /// True for a valid tangent: finite, possibly zero.
    fn is_finite(&self) -> bool;
    /// Distance to another value; radians for rotations.
    fn distance(&self, other: Self) -> f32;
}

impl KeyValue for f32 {
    fn distance(&self, other: Self) -> f32 {
        (self - other).abs()
    }

    fn linear(a: Self, b: Self, t: f32) -> Self {
        a + (b - a) * t
    }

    fn blend(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| value * weight).sum()
    }

    fn is_valid(&self) -> bool {
        f32::is_finite(*self)
    }

    fn is_finite(&self) -> bool {
        f32::is_finite(*self)
    }
}

impl KeyValue for Vec3 {
    fn distance(&self, other: Self) -> f32 {
        Vec3::distance(*self, other)
    }

    fn linear(a: Self, b: Self, t: f32) -> Self {
        a + (b - a) * t
    }

    fn blend(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| *value * *weight).sum()
    }

    fn is_valid(&self) -> bool {
        Vec3::is_finite(*self)
    }

    fn is_finite(&self) -> bool {
        Vec3::is_finite(*self)
    }
}

impl KeyValue for Quat {
    fn distance(&self, other: Self) -> f32 {
        angle_rad(*self, other)
    }

    /// Slerp along the shorter arc, in f64, since its arc cosine loses half the digits of f32 at small angles.
    fn linear(a: Self, b: Self, t: f32) -> Self {
        let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
        a.slerp(b, f64::from(t)).as_quat()
    }

    /// Normalises the sum, as the specification requires.
    fn blend(terms: [(Self, f32); 4]) -> Self {
        let sum = terms.iter().fold(Quat::from_array([0.0; 4]), |sum, (value, weight)| sum + *value * *weight);
        sum.normalize()
    }

    fn is_valid(&self) -> bool {
        Quat::is_finite(*self) && self.length_squared() > 1e-12
    }

    fn is_finite(&self) -> bool {
        Quat::is_finite(*self)
    }
}

/// Keys of one channel: at least one, in order of time, all numbers finite.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Keys<T> {
    /// Times, shared by tracks with common keys.
    times_secs: Arc<[f32]>,
    values: Vec<T>,
    /// In- and out-tangent of each key, per second; empty unless the interpolation is cubic.
    tangents: Vec<[T; 2]>,
    interpolation: Interpolation,
    /// Jumps of linear keys.
    jumps: Vec<Jump>,
}

impl<T: KeyValue> Keys<T> {
    /// Checks the keys. `outputs` has one value per key, or for cubic splines in-tangent, value and out-tangent per key.
    ///
    /// Linear keys at equal or nearly equal times are a jump: the first value ends, and the last one starts, at the time of the first key.
    pub fn new(times_secs: impl Into<Arc<[f32]>>, outputs: &[T], interpolation: Interpolation) -> Result<Self, Fault> {
        let times_secs = times_secs.into();
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        if times_secs.is_empty() {
            return Err(Fault::new("a track has no keys; expected at least one"));
        }
        if times_secs.len().checked_mul(per_key) != Some(outputs.len()) {
            let (found, keys) = (outputs.len(), times_secs.len());
            return Err(Fault::new(format!("{found} values for {keys} keys; expected {per_key} per key")));
        }
        if let Some(bad) = times_secs.iter().position(|t| !f32::is_finite(*t)) {
            return Err(Fault::new(format!("the time of key {bad} is not a finite number (NaN or infinity)")));
        }
        if let Some(bad) = times_secs.windows(2).position(|w| w[1] < w[0]) {
            let (a, b) = (times_secs[bad], times_secs[bad + 1]);
            return Err(Fault::new(format!("key times run backwards: {b} s follows {a} s at key {}", bad + 1)));
        }
        let (values, tangents) = match interpolation {
            Interpolation::CubicSpline => {
                outputs.as_chunks::<3>().0.iter().map(|&[into, value, out]| (value, [into, out])).unzip()
            }
            _ => (outputs.to_vec(), Vec::new()),
        };
        let keys = Self { times_secs, values, tangents, interpolation, jumps: Vec::new() };
        match keys.first_invalid() {
            Some(bad) => Err(Fault::new(format!("key {bad} holds NaN, an infinity or a rotation of length zero"))),
            None if interpolation == Interpolation::Linear => Ok(keys.with_jumps()),
            None => Ok(keys),
        }
    }

    /// The same keys, with two keys per jump.
    fn with_jumps(self) -> Self {
        if !jumps::has_close(&self.times_secs) {
            return self; // keeps the times shared with other tracks
        }
        let (mut times_secs, mut values) = (self.times_secs.to_vec(), self.values);
        let jumps = jumps::join(&mut times_secs, &mut values, |a, b| a.distance(b));
        let times_secs = if jumps.is_empty() { self.times_secs } else { times_secs.into() };
        Self { times_secs, values, jumps, ..self }
    }

    /// Jumps of keys that are not stepped.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// True if no curve bends between keys.
    pub fn is_straight(&self) -> bool {
        self.interpolation != Interpolation::CubicSpline || self.values.len() < 2
    }

    fn first_invalid(&self) -> Option<usize> {
        let value = self.values.iter().position(|v| !v.is_valid());
        let tangent = self.tangents.iter().position(|t| t.iter().any(|t| !t.is_finite()));
        value.into_iter().chain(tangent).min()
    }

    /// Times of the keys, seconds.
    pub fn times_secs(&self) -> &[f32] {
        &self.times_secs
    }

    /// True for stepped keys.
    pub fn is_stepped(&self) -> bool {
        self.interpolation == Interpolation::Step
    }

    /// Bytes of the keys after the first, if all are equal; `None` if they differ.
    pub fn idle_bytes(&self) -> Option<usize>
    where
        T: PartialEq,
    {
        let first = self.values.first()?;
        let is_idle = self.tangents.is_empty() && self.values.len() > 2 && self.values.iter().all(|v| v == first);
        is_idle.then(|| (self.values.len() - 1) * size_of::<T>())
    }

    /// The value at a time, clamped to the first and last key. Within `snap_secs` of a key it is exactly the key's value, so that
    /// rounding of times neither blurs keys nor delays a step by a sample.
    pub fn at(&self, time_secs: f32, snap_secs: f32) -> T {
        let next = self.times_secs.partition_point(|&t| t <= time_secs + snap_secs);
        let Some(key) = next.checked_sub(1) else {
            return self.values[0];
        };
        if next == self.times_secs.len() || time_secs - self.times_secs[key] <= snap_secs || self.is_stepped() {
            return self.values[key];
        }
        self.between(key, time_secs)
    }

    fn between(&self, key: usize, time_secs: f32) -> T {
        let (start, end) = (self.times_secs[key], self.times_secs[key + 1]);
        let span_secs = end - start;
        let t = (time_secs - start) / span_secs;
        let (a, b) = (self.values[key], self.values[key + 1]);
        if self.interpolation == Interpolation::Linear {
            return T::linear(a, b, t);
        }
        // The Hermite basis of glTF 2.0, appendix C.5. Tangents are per second, so they are scaled by the interval.
        let (t2, t3) = (t * t, t * t * t);
        let [_, out] = self.tangents[key];
        let [into, _] = self.tangents[key + 1];
        T::blend([
            (a, 2.0 * t3 - 3.0 * t2 + 1.0),
            (out, span_secs * (t3 - 2.0 * t2 + t)),
            (b, -2.0 * t3 + 3.0 * t2),
            (into, span_secs * (t3 - t2)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(interpolation: Interpolation, outputs: &[f32]) -> Keys<f32> {
        Keys::new(vec![1.0, 2.0, 4.0], outputs, interpolation).unwrap()
    }

    #[test]
    fn outside_the_keys_the_nearest_one_holds() {
        let k = keys(Interpolation::Linear, &[5.0, 6.0, 8.0]);
        assert_eq!([k.at(0.0, 0.0), k.at(1.0, 0.0), k.at(4.0, 0.0), k.at(9.0, 0.0)], [5.0, 5.0, 8.0, 8.0]);
        assert_eq!(k.at(3.0, 0.0), 7.0);
    }

    #[test]
    fn a_step_jumps_at_the_key_and_snapping_forgives_rounding() {
        let k = keys(Interpolation::Step, &[5.0, 6.0, 8.0]);
        assert_eq!([k.at(1.999, 0.0), k.at(2.0, 0.0), k.at(3.999, 0.0)], [5.0, 6.0, 6.0]);
        assert_eq!(k.at(1.999, 0.002), 6.0);
    }

    #[test]
    fn keys_of_lines_at_one_time_or_nearly_so_jump() {
        for apart in [0.0, 1e-7, 1e-4, 1e-3] {
            let k = Keys::new(vec![0.0, 1.0 - apart, 1.0, 2.0], &[0.0, 1.0, 5.0, 5.0], Interpolation::Linear).unwrap();
            let before = k.at(0.99, 0.0);
            assert!((before - 0.99).abs() < 2e-3, "{apart} s: {before}");
            assert_eq!([k.at(1.0, 0.0), k.at(1.5, 0.0)], [5.0, 5.0], "{apart} s");
            assert_eq!((k.times_secs().len(), k.jumps().len()), (4, 1), "{apart} s");
        }
        let k = Keys::new(vec![0.0, 1.0, 1.0, 1.0], &[0.0, 1.0, 3.0, 5.0], Interpolation::Linear).unwrap();
        assert_eq!((k.at(0.5, 0.0), k.at(1.0, 0.0), k.times_secs()), (0.5, 5.0, [0.0, 1.0, 1.0].as_slice()));
    }

    #[test]
    fn a_cubic_with_the_slopes_of_a_parabola_is_that_parabola() {
        // v = t^2, slope 2t: Hermite interpolation reproduces cubics exactly, on intervals of different length.
        let k = keys(Interpolation::CubicSpline, &[2.0, 1.0, 2.0, 4.0, 4.0, 4.0, 8.0, 16.0, 8.0]);
        for t in [1.0f32, 1.3, 1.9, 2.0, 2.5, 3.7, 4.0] {
            assert!((k.at(t, 0.0) - t * t).abs() < 1e-5, "at {t}: {}", k.at(t, 0.0));
        }
    }

    #[test]
    fn rotations_turn_at_constant_speed_along_the_shorter_arc() {
        let (a, b) = (Quat::from_rotation_y(0.2), -Quat::from_rotation_y(1.8));
        for t in [0.1f32, 0.25, 0.5, 0.9] {
            let expected = Quat::from_rotation_y(0.2 + 1.6 * t);
            assert!(Quat::linear(a, b, t).dot(expected).abs() > 1.0 - 1e-6, "at {t}");
        }
    }

    #[test]
    fn bad_keys_are_refused_with_the_reason() {
        let refuse = |times: Vec<f32>, outputs: &[f32]| {
            Keys::new(times, outputs, Interpolation::Linear).unwrap_err().to_string()
        };
        assert!(refuse(vec![], &[]).contains("no keys"));
        assert!(refuse(vec![0.0, 1.0], &[1.0]).contains("1 values for 2 keys"));
        assert!(refuse(vec![0.0, f32::NAN], &[1.0, 2.0]).contains("time of key 1"));
        assert!(refuse(vec![1.0, 0.5], &[1.0, 2.0]).contains("backwards"));
        assert!(refuse(vec![0.0, 1.0], &[1.0, f32::NAN]).contains("key 1 holds NaN"));
        let zero = Keys::new(vec![0.0], &[Quat::from_array([0.0; 4])], Interpolation::Linear).unwrap_err();
        assert!(zero.to_string().contains("length zero"));
    }
}
