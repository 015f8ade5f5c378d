//! Tangents of cubic rotations from samples of length one.

use crate::math::hermite_weights;
use glam::{DVec4, Vec4};

/// Two tangents of four numbers.
const UNKNOWNS: usize = 8;
/// Least number of samples: each gives three equations.
const LEAST_SAMPLES: usize = 3;
/// Weight of the first guess, as a part of the largest weight. It decides what the samples do not.
const GUESS_WEIGHT: f64 = 1e-12;

/// Equations with their right sides.
type System = [[f64; UNKNOWNS + 1]; UNKNOWNS];

/// Returns the tangents of the cubic between two rotations that passes the samples between, per interval. Players normalise the cubic, so
/// only its direction must agree with a sample, not its length. `None` if there are too few samples.
pub(super) fn turned_tangents(
    [from, to]: [Vec4; 2],
    guess: [Vec4; 2],
    between: impl Iterator<Item = (f32, Vec4)>,
) -> Option<[Vec4; 2]> {
    let mut system: System = Default::default();
    let mut samples = 0;
    for (t, sample) in between {
        samples += 1;
        let [wa, out, wb, into] = hermite_weights(t).map(f64::from);
        let ends = from.as_dvec4() * wa + to.as_dvec4() * wb;
        let guessed = ends + guess[0].as_dvec4() * out + guess[1].as_dvec4() * into;
        add(&mut system, [out, into], guessed, sample.as_dvec4().normalize());
    }
    if samples < LEAST_SAMPLES {
        return None;
    }
    let most = (0..UNKNOWNS).map(|at| system[at][at]).fold(0.0, f64::max);
    (0..UNKNOWNS).for_each(|at| system[at][at] += GUESS_WEIGHT * most);
    let change = solved(system)?;
    let tangent = |at: usize| DVec4::from_slice(&change[4 * at..][..4]).as_vec4();
    Some([guess[0] + tangent(0), guess[1] + tangent(1)])
}

/// Adds the squares of what the guess is off, across the direction of a sample.
fn add(system: &mut System, weights: [f64; 2], guessed: DVec4, sample: DVec4) {
    let off = guessed - sample * sample.dot(guessed);
    for (row, equation) in system.iter_mut().enumerate() {
        let weight = weights[row / 4];
        for (column, number) in equation[..UNKNOWNS].iter_mut().enumerate() {
            let same = if row % 4 == column % 4 { 1.0 } else { 0.0 };
            *number += weight * weights[column / 4] * (same - sample[row % 4] * sample[column % 4]);
        }
        equation[UNKNOWNS] -= weight * off[row % 4];
    }
}

/// Solves the equations by elimination with pivots. `None` if they do not decide every unknown.
fn solved(mut system: System) -> Option<[f64; UNKNOWNS]> {
    for column in 0..UNKNOWNS {
        let pivot = (column..UNKNOWNS).max_by(|a, b| system[*a][column].abs().total_cmp(&system[*b][column].abs()))?;
        system.swap(column, pivot);
        let own = system[column];
        if own[column] == 0.0 {
            return None;
        }
        for row in (0..UNKNOWNS).filter(|row| *row != column) {
            let factor = system[row][column] / own[column];
            system[row].iter_mut().zip(own).for_each(|(number, of)| *number -= factor * of);
        }
    }
    Some(std::array::from_fn(|at| system[at][UNKNOWNS] / system[at][at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::hermite;

    #[test]
    fn tangents_of_any_length_are_found_from_directions() {
        let [from, to] = [Vec4::new(0.1, 0.3, -0.2, 0.9), Vec4::new(-0.2, 0.5, 0.3, 0.8)].map(Vec4::normalize);
        let [out, into] = [Vec4::new(0.6, -0.3, 0.2, 0.4), Vec4::new(-0.5, 0.1, 0.7, -0.3)];
        for intervals in [4, 7, 30] {
            let at = |sample: usize| sample as f32 / intervals as f32;
            let exact = |sample: usize| hermite([from, out, to, into], at(sample), true);
            let between = (1..intervals).map(|sample| (at(sample), exact(sample)));
            let found = turned_tangents([from, to], [Vec4::ZERO; 2], between).unwrap();
            let worst = (0..=4 * intervals).map(|quarter| {
                let t = quarter as f32 / (4 * intervals) as f32;
                hermite([from, found[0], to, found[1]], t, true).distance(hermite([from, out, to, into], t, true))
            });
            assert!(worst.fold(0.0, f32::max) < 2e-6, "{intervals} intervals: {found:?}");
        }
        assert_eq!(turned_tangents([from, to], [Vec4::ZERO; 2], [(0.5, from)].into_iter()), None, "one sample");
    }
}
