use super::{HEAT_STOPS, Rgb};

/// Share of a split scale that shows errors up to the tolerance.
pub const WITHIN: f32 = 0.4;
/// End of the legend's scale, in tolerances.
const LEGEND_END: f32 = 10.0;

/// Position of `error / tolerance` on a scale from 0 to 1 at `end`. The scale is linear up to the tolerance,
/// logarithmic above.
pub fn split_position(ratio: f32, end: f32) -> f32 {
    if ratio <= 1.0 { WITHIN * ratio.max(0.0) } else { WITHIN + (1.0 - WITHIN) * ratio.min(end).log(end) }
}

/// Position of `error / tolerance` on the legend, `0..=1`. The scale is linear up to the tolerance, logarithmic up to
/// ten times the tolerance.
pub fn heat_position(ratio: f32) -> f32 {
    split_position(ratio, LEGEND_END)
}

/// Colour of `error / tolerance`, blended in sRGB like in the shader.
pub fn heat_color(ratio: f32) -> Rgb {
    let position = heat_position(ratio);
    let above = HEAT_STOPS.iter().position(|stop| heat_position(stop.0) >= position).unwrap_or(HEAT_STOPS.len() - 1);
    let (hi, hi_color) = HEAT_STOPS[above];
    let (lo, lo_color) = HEAT_STOPS[above.saturating_sub(1)];
    let span = heat_position(hi) - heat_position(lo);
    if span <= 0.0 {
        return hi_color;
    }
    lo_color.mix(hi_color, (position - heat_position(lo)) / span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_has_its_own_colour_and_the_scale_is_absolute() {
        for (ratio, color) in HEAT_STOPS {
            assert_eq!(heat_color(ratio), color, "at {ratio} x the tolerance");
        }
        assert_eq!(heat_color(1e6), HEAT_STOPS[6].1);
        assert_eq!(heat_color(-1.0), HEAT_STOPS[0].1);
    }

    #[test]
    fn the_scale_is_linear_to_the_tolerance_and_logarithmic_beyond() {
        assert!((heat_position(0.5) - 0.2).abs() < 1e-6);
        assert!((heat_position(1.0) - 0.4).abs() < 1e-6);
        assert!((heat_position(10f32.sqrt()) - 0.7).abs() < 1e-6);
        assert!((heat_position(10.0) - 1.0).abs() < 1e-6);
    }
}
