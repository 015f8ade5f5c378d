use crate::math::{Cubic, KnotSteps, dot4, sqrt, unit4};
use glam::Vec4;

/// The knot spacing of a spline: how far its parameter advances from key to key. It shapes the curve between the keys. The
/// discriminant is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Knots {
    /// Time between the keys. Riot found this the most natural.
    KeyTime = 0,
    /// One per key.
    Uniform = 1,
    /// Distance between the keys' values.
    Chordal = 2,
    /// Square root of that distance.
    Centripetal = 3,
}

impl Knots {
    /// All spacings, ordered by code.
    pub const ALL: [Self; 4] = [Self::KeyTime, Self::Uniform, Self::Chordal, Self::Centripetal];
}

/// Settings of all sections of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spline {
    /// Spacing of the knots.
    pub knots: Knots,
    /// True if sections of one sample interval are straight lines, as in the source clip. A curve would overshoot where motion stops
    /// abruptly, and no further key could prevent it.
    pub straight_steps: bool,
}

/// Settings of all sections of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplineShape {
    /// Settings of the clip.
    pub spline: Spline,
    /// True if values are unit quaternions: `q` and `-q` are the same rotation.
    pub is_rotation: bool,
}

/// A key of any channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplineKey {
    /// Its sample.
    pub sample: u32,
    /// A quaternion; or a translation (metres) or scale, with an unused fourth number.
    pub value: Vec4,
}

/// The curve from one key of a track to the next: a section of a Catmull-Rom spline.
///
/// It also depends on the key before and the key after its two keys. At the ends of a clip, a missing key is replaced by the mirror
/// image of the section's other key. Two keys alone thus give a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplineSection {
    start: u32,
    end: u32,
    /// Values at both ends. The signs of quaternions are aligned.
    ends: [Vec4; 2],
    cubic: Cubic,
    is_rotation: bool,
}

/// Samples from a key to the next. Keys are out of order only if the bytes changed after they were opened.
fn samples_between(a: SplineKey, b: SplineKey) -> u32 {
    b.sample.wrapping_sub(a.sample)
}

/// Smallest squared length of a quaternion that can be normalised reliably.
const SHORTEST_SQ: f32 = 1e-12;

impl SplineSection {
    /// The section from `keys[index]` to the key after it.
    pub fn of(keys: &[SplineKey], index: usize, shape: SplineShape) -> Self {
        let before = index.checked_sub(1).map(|i| keys[i]);
        Self::between(before, [keys[index], keys[index + 1]], keys.get(index + 2).copied(), shape)
    }

    /// The section between two keys, from these and their neighbours, if any.
    pub fn between(
        before: Option<SplineKey>,
        [a, b]: [SplineKey; 2],
        after: Option<SplineKey>,
        shape: SplineShape,
    ) -> Self {
        let (points, steps) = points_and_steps(before, [a, b], after, shape);
        let [_, from, to, _] = points;
        let is_line = shape.spline.straight_steps && samples_between(a, b) == 1;
        let cubic = match is_line {
            true => Cubic::hermite(from, to, to - from, to - from),
            false => Cubic::catmull_rom(points, steps),
        };
        Self { start: a.sample, end: b.sample, ends: [from, to], cubic, is_rotation: shape.is_rotation }
    }

    /// True if a fractional sample lies in the section. The section's last sample is excluded.
    #[inline]
    pub fn holds(&self, at: f64) -> bool {
        f64::from(self.start) <= at && at < f64::from(self.end)
    }

    /// The value at a fractional sample. Beyond an end, the value of that end.
    #[inline]
    pub fn value(&self, at: f64) -> Vec4 {
        let (start, end) = (f64::from(self.start), f64::from(self.end));
        if at <= start {
            return self.ends[0];
        }
        if at >= end {
            return self.ends[1];
        }
        let alpha = ((at - start) / (end - start)) as f32;
        let value = self.cubic.at(alpha);
        if !self.is_rotation {
            return value;
        }
        if dot4(value, value) > SHORTEST_SQ {
            return unit4(value);
        }
        // The ends have a dot product of zero or more, so their blend is never short.
        unit4(self.ends[0] + (self.ends[1] - self.ends[0]) * alpha)
    }
}

/// The four points of a section, and the distances of their knots. Signs are aligned and missing points mirrored.
pub fn points_and_steps(
    before: Option<SplineKey>,
    [a, b]: [SplineKey; 2],
    after: Option<SplineKey>,
    shape: SplineShape,
) -> ([Vec4; 4], KnotSteps) {
    // Without this, a turn of 90 degrees could become a turn of 270 degrees in the other direction.
    let align = |value: Vec4, to: Vec4| if shape.is_rotation && dot4(value, to) < 0.0 { -value } else { value };
    let from = a.value;
    let to = align(b.value, from);
    let first = before.map_or(2.0 * from - to, |key| align(key.value, from));
    let last = after.map_or(2.0 * to - from, |key| align(key.value, to));
    let points = [first, from, to, last];
    let distance = |a: Vec4, b: Vec4| sqrt(dot4(b - a, b - a));
    let by_distance = |step: fn(f32) -> f32| KnotSteps {
        before: step(distance(first, from)),
        own: step(distance(from, to)),
        after: step(distance(to, last)),
    };
    let samples = |a, b| samples_between(a, b) as f32;
    let own = samples(a, b);
    let steps = match shape.spline.knots {
        Knots::KeyTime => KnotSteps {
            before: before.map_or(own, |key| samples(key, a)),
            own,
            after: after.map_or(own, |key| samples(b, key)),
        },
        Knots::Uniform => KnotSteps { before: 1.0, own: 1.0, after: 1.0 },
        Knots::Chordal => by_distance(|distance| distance),
        Knots::Centripetal => by_distance(sqrt),
    };
    (points, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn key(sample: u32, value: Vec4) -> SplineKey {
        SplineKey { sample, value }
    }

    fn shape(knots: Knots, is_rotation: bool) -> SplineShape {
        SplineShape { spline: Spline { knots, straight_steps: false }, is_rotation }
    }

    /// Riot's example: a ship that heads north and turns east must not turn through 270 degrees.
    #[test]
    fn a_ship_turns_by_90_degrees_and_not_by_270() {
        let heading = |degrees: f32| Quat::from_rotation_y(-degrees.to_radians());
        for knots in Knots::ALL {
            for signs in 0..16u32 {
                let key = |i: u32, degrees: f32| {
                    let q: Vec4 = heading(degrees).into();
                    key(10 * i, if signs >> i & 1 == 1 { -q } else { q })
                };
                let keys = [key(0, 0.0), key(1, 0.0), key(2, 90.0), key(3, 90.0)];
                let section = SplineSection::of(&keys, 1, shape(knots, true));
                for step in 0..=20 {
                    let forward = Quat::from_vec4(section.value(10.0 + step as f64 / 2.0)) * Vec3::NEG_Z;
                    // North is -z and east is +x. Directions stay between them, except for the curve's overshoot at rest.
                    assert!(forward.x > -0.1 && forward.z < 0.1, "{knots:?}, signs {signs:04b}: {forward}");
                }
            }
        }
    }

    #[test]
    fn curves_go_through_their_keys_and_two_make_a_line() {
        let value = |x: f32| Vec4::new(x, -x, 2.0 * x, 0.0);
        let keys = [key(0, value(0.0)), key(3, value(5.0)), key(11, value(1.0)), key(12, value(-2.0))];
        for knots in Knots::ALL {
            let shape = shape(knots, false);
            for index in 0..3 {
                let section = SplineSection::of(&keys, index, shape);
                let (a, b) = (keys[index], keys[index + 1]);
                assert_eq!(section.value(f64::from(a.sample)), a.value);
                assert!(section.value(f64::from(b.sample) - 1e-4).distance(b.value) < 0.01, "{knots:?}");
                assert!(section.holds(f64::from(a.sample)) && !section.holds(f64::from(b.sample)));
            }
            let line = SplineSection::of(&keys[..2], 0, shape);
            assert!(line.value(1.5).distance(value(2.5)) < 1e-5, "{knots:?}");
        }
    }

    /// With knots by time, a parabola over time is reproduced exactly between inner keys, for any spacing of the keys.
    #[test]
    fn knots_by_time_rebuild_parabolas_from_uneven_keys() {
        let at = |s: f64| Vec4::splat((0.1 * s * s - 2.0 * s) as f32);
        let keys: Vec<_> = [0u32, 2, 9, 10].into_iter().map(|s| key(s, at(f64::from(s)))).collect();
        let off_by = |knots| {
            let section = SplineSection::of(&keys, 1, shape(knots, false));
            (0..=14).map(|i| 2.0 + 0.5 * f64::from(i)).map(|s| section.value(s).distance(at(s))).fold(0.0, f32::max)
        };
        assert!(off_by(Knots::KeyTime) < 1e-5);
        assert!(off_by(Knots::Uniform) > 0.1, "even knots cannot know how far the keys are apart");
    }
}
