use super::leg::{Leg, outer};
use crate::model::{Clip, ModelPose};
use glam::{Mat3, Vec3};

/// Half of the time over which a shift of the hips is spread.
const SPREAD_SECS: f32 = 0.15;
/// Rounds in which all legs pull, and in which what the spreading took away is given back.
const ROUNDS: usize = 8;
/// Weight of hips that do not move. A leg at 95 % of its length pulls about as much, one at 70 % a sixteenth of it.
const REST: f32 = 60.0;
/// Bounds the weight of a straight leg.
const LEAST_SQUARE: f32 = 0.02;

/// The shift of the hips at every sample.
///
/// A leg that is nearly straight keeps its length, because its knee would turn far for a short way. A leg that is too short pulls the hips
/// until its foot reaches. Shifts are spread over time, because hips that move for one sample are a jolt.
pub(super) fn hip_shifts(clip: &Clip, legs: &[Leg], models: &[ModelPose], targets: &[Vec<Vec3>]) -> Vec<Vec3> {
    let sample_secs = clip.grid().time_secs(1.0);
    let reach = (SPREAD_SECS / sample_secs).round().min(clip.samples() as f32) as isize;
    let kept: Vec<_> = (0..clip.samples()).map(|at| keeping_lengths(legs, &models[at], &targets[at])).collect();
    let mut shifts = smoothed(&kept, reach / 2, clip.is_looping());
    for _ in 0..ROUNDS {
        let missing = |at: usize| missing(legs, &models[at], &targets[at], shifts[at]);
        let missing: Vec<_> = (0..clip.samples()).map(missing).collect();
        if missing.iter().all(|missing| *missing == Vec3::ZERO) {
            break;
        }
        let spread = spread(&missing, reach, clip.is_looping());
        shifts.iter_mut().zip(spread).for_each(|(shift, more)| *shift += more);
    }
    shifts
}

/// The shift that keeps the lengths of straight legs: least squares over the legs, against no shift.
fn keeping_lengths(legs: &[Leg], model: &ModelPose, targets: &[Vec3]) -> Vec3 {
    let mut square = Mat3::IDENTITY * REST;
    let mut pull = Vec3::ZERO;
    for (leg, target) in legs.iter().zip(targets) {
        let (before, after) = (model.origin(leg.joint) - model.origin(leg.top()), *target - model.origin(leg.top()));
        let share = before.length() / leg.bones_m(model).max(f32::MIN_POSITIVE);
        let weight = (1.0 - share * share + LEAST_SQUARE).recip().powi(2);
        let along = after.normalize_or_zero();
        square += outer(along) * weight;
        pull += along * (weight * (after.length() - before.length()));
    }
    square.inverse() * pull
}

/// The shortest further shift, to first order, with which all legs reach.
fn missing(legs: &[Leg], model: &ModelPose, targets: &[Vec3], shift: Vec3) -> Vec3 {
    let mut more = Vec3::ZERO;
    for _ in 0..ROUNDS {
        for (leg, target) in legs.iter().zip(targets) {
            let way = *target - (model.origin(leg.top()) + shift + more);
            let beyond_m = way.length() - leg.length_m(model);
            if beyond_m > 0.0 {
                more += way.normalize_or_zero() * beyond_m;
            }
        }
    }
    more
}

/// Spreads values with a raised cosine of that half width, in samples, that keeps the peak of a lone value.
fn spread(values: &[Vec3], reach: isize, looping: bool) -> Vec<Vec3> {
    windows(values, reach, looping, |near| {
        let near = near.iter().filter(|(value, _)| *value != Vec3::ZERO);
        let (sum, weights, most) = near
            .fold((Vec3::ZERO, 0.0, 0.0f32), |(sum, weights, most), (v, w)| (sum + *v * *w, weights + w, most.max(*w)));
        if weights > 0.0 { sum / weights * most } else { Vec3::ZERO }
    })
}

/// The mean with a raised cosine of that half width, in samples.
fn smoothed(values: &[Vec3], reach: isize, looping: bool) -> Vec<Vec3> {
    windows(values, reach, looping, |near| {
        let weights: f32 = near.iter().map(|near| near.1).sum();
        near.iter().map(|(value, weight)| *value * *weight).sum::<Vec3>() / weights
    })
}

/// Applies a function to the values around every sample, with the weights of a raised cosine.
fn windows(values: &[Vec3], reach: isize, looping: bool, of: impl Fn(&[(Vec3, f32)]) -> Vec3) -> Vec<Vec3> {
    let period = if looping { values.len() as isize - 1 } else { values.len() as isize };
    let at = |sample: isize| match looping {
        true => Some(values[sample.rem_euclid(period) as usize]),
        false => usize::try_from(sample).ok().and_then(|sample| values.get(sample)).copied(),
    };
    let weight = |away: isize| 0.5 + 0.5 * (std::f32::consts::PI * away as f32 / (reach + 1) as f32).cos();
    let near = |sample: isize| (-reach..=reach).filter_map(move |away| Some((at(sample + away)?, weight(away))));
    (0..values.len() as isize).map(|sample| of(&near(sample).collect::<Vec<_>>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_spread_and_keeps_its_peak() {
        let mut values = vec![Vec3::ZERO; 9];
        values[4] = Vec3::NEG_Y;
        let once = spread(&values, 2, false);
        assert_eq!(once[4], Vec3::NEG_Y);
        assert!(once[3].y < once[2].y && once[2].y < 0.0 && once[1] == Vec3::ZERO, "{once:?}");
        values[4] = Vec3::ZERO;
        values[0] = Vec3::NEG_Y;
        values[8] = Vec3::NEG_Y;
        let looped = spread(&values, 2, true);
        assert_eq!((looped[0], looped[8]), (Vec3::NEG_Y, Vec3::NEG_Y));
        assert_eq!(looped[1], looped[7]);
    }
}
