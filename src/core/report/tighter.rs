//! Smaller tolerances that are proposed for an error that warns.

use crate::metrics::{Aspect, Judged, RATE_COUNTS_FROM};
use crate::recipe::Recipe;

/// The share of a limit at which a proposed tolerance aims. An error exactly at the limit still warns.
pub(super) const AIM: f32 = 0.9;

/// A tolerance that should bring an error below its warning.
pub(super) fn tolerance_for(judged: &Judged, recipe: &Recipe) -> f32 {
    let part = match judged.rate_m_s {
        // The rate is below its limit, or the slide is too small for it to count.
        Some(rate_m_s) => (judged.warn_rate_m_s / rate_m_s).max(judged.warn_m * RATE_COUNTS_FROM / judged.error_m),
        None => judged.warn_m / judged.error_m,
    };
    let tolerance_m = recipe.tolerance_m * (AIM * part).min(AIM);
    // Jitter is not in proportion to the tolerance, but always less than it.
    let most_m = if judged.aspect == Aspect::Jitter { judged.warn_m } else { f32::INFINITY };
    two_digits_down(tolerance_m.min(most_m))
}

/// Rounds a number down to two digits, as people type them.
fn two_digits_down(number: f32) -> f32 {
    let digit = 10f64.powf(f64::from(number).log10().floor() - 1.0);
    ((f64::from(number) / digit).floor() * digit) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposed_tolerances_have_two_digits_and_are_not_above() {
        for (number, wanted) in [(0.001_234, 0.0012), (0.000_99, 0.000_99), (0.0057, 0.0057), (0.5, 0.5)] {
            let found = two_digits_down(number);
            assert!((found - wanted).abs() <= wanted * 0.02 && found <= number, "{number} {found}");
        }
    }
}
