use posepress_runtime::internal::math::{KnotSteps, tangent_parts};

/// Weights of the four points of [`Cubic::catmull_rom`](posepress_runtime::internal::math::Cubic::catmull_rom) at `alpha`, with sum 1.
pub fn catmull_rom_weights(knots: KnotSteps, alpha: f32) -> [f32; 4] {
    let (out_outer, out_own) = tangent_parts(knots.before, knots.own);
    let (in_outer, in_own) = tangent_parts(knots.after, knots.own);
    let (square, cube) = (alpha * alpha, alpha * alpha * alpha);
    let leaving = cube - 2.0 * square + alpha;
    let arriving = cube - square;
    // Weights of the three chords: from the first point to the second, of the section, and from the third to the last.
    let before = leaving * out_outer;
    let own = 3.0 * square - 2.0 * cube + leaving * out_own + arriving * in_own;
    let after = arriving * in_outer;
    [-before, 1.0 + before - own, own - after, after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec4;
    use posepress_runtime::internal::math::Cubic;
    use proptest::prelude::*;

    const UNIFORM: KnotSteps = KnotSteps { before: 1.0, own: 1.0, after: 1.0 };

    /// Barry and Goldman's pyramid, which defines a Catmull-Rom spline for any knots.
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
}
