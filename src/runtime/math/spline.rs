use glam::Vec4;

/// A cubic curve of four numbers over `0..=1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic {
    /// Coefficients, constant first.
    coefficients: [Vec4; 4],
}

impl Cubic {
    /// The curve from `a` to `b` that leaves and arrives with those derivatives.
    pub fn hermite(a: Vec4, b: Vec4, leaving: Vec4, arriving: Vec4) -> Self {
        let chord = b - a;
        Self { coefficients: [a, leaving, 3.0 * chord - 2.0 * leaving - arriving, leaving + arriving - 2.0 * chord] }
    }

    /// The section of a Catmull-Rom spline between the middle two of four points.
    pub fn catmull_rom(points: [Vec4; 4], knots: KnotSteps) -> Self {
        let [before, a, b, after] = points;
        let chord = b - a;
        let leaving = tangent(a - before, chord, knots.before, knots.own);
        let arriving = tangent(after - b, chord, knots.after, knots.own);
        Self::hermite(a, b, leaving, arriving)
    }

    /// The value at a part of the way; exactly the start at 0.
    #[inline]
    pub fn at(&self, alpha: f32) -> Vec4 {
        let [a, b, c, d] = self.coefficients;
        a + (b + (c + d * alpha) * alpha) * alpha
    }
}

/// Distances of the knots of four points, from each to the next; zero or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnotSteps {
    /// From the first point to the second.
    pub before: f32,
    /// Of the section itself.
    pub own: f32,
    /// From the third point to the last.
    pub after: f32,
}

/// Steps below this are none: their squares would not be normal numbers.
const SMALLEST_STEP: f32 = 1e-15;

/// Parts of the outer chord and of the section's own that make the derivative at their common point, for a section of
/// length one: the slope of the parabola through the three points. A point that lies on its neighbour pulls at nothing:
/// there the curve stands still.
fn tangent_parts(outer: f32, own: f32) -> (f32, f32) {
    if outer < SMALLEST_STEP {
        return (0.0, 0.0);
    }
    (own / outer * (own / (outer + own)), outer / (outer + own))
}

fn tangent(outer_chord: Vec4, chord: Vec4, outer: f32, own: f32) -> Vec4 {
    let (of_outer, of_own) = tangent_parts(outer, own);
    outer_chord * of_outer + chord * of_own
}

/// How much each of the four points counts in [`Cubic::catmull_rom`] at a part of the way; they add up to one.
pub fn catmull_rom_weights(knots: KnotSteps, alpha: f32) -> [f32; 4] {
    let (out_outer, out_own) = tangent_parts(knots.before, knots.own);
    let (in_outer, in_own) = tangent_parts(knots.after, knots.own);
    let (square, cube) = (alpha * alpha, alpha * alpha * alpha);
    let leaving = cube - 2.0 * square + alpha;
    let arriving = cube - square;
    // Chords: from the first point, of the section, to the last.
    let before = leaving * out_outer;
    let own = 3.0 * square - 2.0 * cube + leaving * out_own + arriving * in_own;
    let after = arriving * in_outer;
    [-before, 1.0 + before - own, own - after, after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNIFORM: KnotSteps = KnotSteps { before: 1.0, own: 1.0, after: 1.0 };

    /// Barry and Goldman's pyramid, the definition of a Catmull-Rom spline with any knots.
    fn pyramid(points: [Vec4; 4], knots: KnotSteps, alpha: f32) -> Vec4 {
        let t = [0.0, knots.before, knots.before + knots.own, knots.before + knots.own + knots.after];
        let at = t[1] + alpha * knots.own;
        let mix =
            |a: Vec4, b: Vec4, from: f32, to: f32| a * ((to - at) / (to - from)) + b * ((at - from) / (to - from));
        let [p0, p1, p2, p3] = points;
        let (a1, a2, a3) = (mix(p0, p1, t[0], t[1]), mix(p1, p2, t[1], t[2]), mix(p2, p3, t[2], t[3]));
        let (b1, b2) = (mix(a1, a2, t[0], t[2]), mix(a2, a3, t[1], t[3]));
        mix(b1, b2, t[1], t[2])
    }

    fn point() -> impl Strategy<Value = Vec4> {
        prop::array::uniform4(-1.0f32..1.0).prop_map(Vec4::from_array)
    }

    proptest! {
        #[test]
        fn the_cubic_is_the_pyramid_and_the_weighted_sum(
            points in prop::array::uniform4(point()), steps in prop::array::uniform3(0.2f32..4.0), alpha in 0.0f32..1.0,
        ) {
            let knots = KnotSteps { before: steps[0], own: steps[1], after: steps[2] };
            let value = Cubic::catmull_rom(points, knots).at(alpha);
            let scale = 1e-4 * (1.0 + steps[1] / steps[0] + steps[1] / steps[2]);
            prop_assert!(value.distance(pyramid(points, knots, alpha)) < scale);
            let weights = catmull_rom_weights(knots, alpha);
            let sum = points.iter().zip(weights).map(|(p, w)| *p * w).sum::<Vec4>();
            prop_assert!(value.distance(sum) < scale);
            prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < scale);
        }
    }

    #[test]
    fn even_knots_give_the_textbook_matrix() {
        // 0.5 * (-p0 + 9 p1 + 9 p2 - p3) / 8 at the middle.
        let weights = catmull_rom_weights(UNIFORM, 0.5);
        for (found, expected) in weights.into_iter().zip([-0.0625, 0.5625, 0.5625, -0.0625]) {
            assert!((found - expected).abs() < 1e-6, "{weights:?}");
        }
    }

    #[test]
    fn points_that_coincide_leave_nothing_undefined() {
        let p = Vec4::splat(3.0);
        let none = KnotSteps { before: 0.0, own: 0.0, after: 0.0 };
        assert_eq!(Cubic::catmull_rom([p; 4], none).at(0.3), p);
        let tiny = KnotSteps { before: 1e-30, own: 1.0, after: f32::MIN_POSITIVE };
        assert!(Cubic::catmull_rom([p, p, -p, -p], tiny).at(0.7).is_finite());
        assert_eq!(Cubic::catmull_rom([p, p, -p, -p], tiny).at(0.0), p);
    }
}
