use glam::Vec4;

/// A cubic curve of four numbers over `0..=1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic {
    /// Coefficients, constant first.
    coefficients: [Vec4; 4],
}

impl Cubic {
    /// The curve from `a` to `b` with these derivatives at its start and end.
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

    /// The value at a fraction of the section; exactly the start at 0.
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
    /// Length of the section itself.
    pub own: f32,
    /// From the third point to the last.
    pub after: f32,
}

/// Steps below this count as zero: their squares would not be normal numbers.
const SMALLEST_STEP: f32 = 1e-15;

/// Weights of the outer chord and of the section's own chord in the derivative at their common point, for a section of length
/// one. The derivative is the slope of the parabola through the three points. It is zero where two points coincide.
pub fn tangent_parts(outer: f32, own: f32) -> (f32, f32) {
    if outer < SMALLEST_STEP {
        return (0.0, 0.0);
    }
    (own / outer * (own / (outer + own)), outer / (outer + own))
}

fn tangent(outer_chord: Vec4, chord: Vec4, outer: f32, own: f32) -> Vec4 {
    let (of_outer, of_own) = tangent_parts(outer, own);
    outer_chord * of_outer + chord * of_own
}

#[cfg(test)]
mod tests {
    use super::*;

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
