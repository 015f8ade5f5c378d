use glam::Vec4;

/// Least squares with few unknowns per row: `sum of w_i x_i = value` over neighbouring unknowns with four components.
///
/// The unknowns of a row lie within [`Self::WIDTH`] of each other. The normal equations are then a band matrix, which the Cholesky
/// decomposition keeps, and the cost is linear in the number of unknowns.
#[derive(Debug, Clone)]
pub struct BandedLeastSquares {
    /// Lower half of the band: `rows[i][k]` stands at `(i, i - k)`.
    rows: Vec<[f64; BandedLeastSquares::WIDTH]>,
    right: Vec<[f64; 4]>,
}

/// Added to the diagonal, relative to it, so that underdetermined unknowns stay finite.
const RIDGE: f64 = 1e-9;

impl BandedLeastSquares {
    /// Largest number of neighbouring unknowns in a row.
    pub const WIDTH: usize = 4;

    /// A system without rows.
    pub fn new(unknowns: usize) -> Self {
        Self { rows: vec![[0.0; Self::WIDTH]; unknowns], right: vec![[0.0; 4]; unknowns] }
    }

    /// Adds a row with weights of the unknowns from `first`. Weights beyond the last unknown must be zero.
    pub fn add(&mut self, first: usize, weights: &[f32], value: Vec4) {
        for (i, &a) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            for (j, &b) in weights[..=i].iter().enumerate() {
                self.rows[first + i][i - j] += f64::from(a) * f64::from(b);
            }
            for (sum, v) in self.right[first + i].iter_mut().zip(value.to_array()) {
                *sum += f64::from(a) * f64::from(v);
            }
        }
    }

    /// Returns the unknowns with the smallest sum of squared residuals.
    pub fn solve(mut self) -> Vec<Vec4> {
        self.decompose();
        for i in 0..self.right.len() {
            for k in 1..Self::WIDTH.min(i + 1) {
                self.subtract(i, i - k, self.rows[i][k]);
            }
            self.divide(i);
        }
        for i in (0..self.right.len()).rev() {
            for k in 1..Self::WIDTH.min(self.right.len() - i) {
                self.subtract(i, i + k, self.rows[i + k][k]);
            }
            self.divide(i);
        }
        self.right.iter().map(|r| Vec4::from_array(r.map(|x| x as f32))).collect()
    }

    /// Cholesky decomposition within the band.
    fn decompose(&mut self) {
        for i in 0..self.rows.len() {
            for k in (0..Self::WIDTH.min(i + 1)).rev() {
                let j = i - k;
                let mut sum = self.rows[i][k];
                for m in 1..Self::WIDTH - k {
                    if m <= j {
                        sum -= self.rows[i][k + m] * self.rows[j][m];
                    }
                }
                self.rows[i][k] = if k > 0 {
                    sum / self.rows[j][0]
                } else {
                    (sum.max(0.0) + RIDGE * self.rows[i][0].abs() + f64::MIN_POSITIVE).sqrt()
                };
            }
        }
    }

    fn subtract(&mut self, from: usize, other: usize, factor: f64) {
        let other = self.right[other];
        self.right[from].iter_mut().zip(other).for_each(|(x, o)| *x -= factor * o);
    }

    fn divide(&mut self, at: usize) {
        let root = self.rows[at][0];
        self.right[at].iter_mut().for_each(|x| *x /= root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_gradient_vanishes_at_the_solution(
            rows in prop::collection::vec((0usize..9, prop::array::uniform4(-1.0f32..1.0), -5.0f32..5.0), 40..80),
        ) {
            // Each unknown also has a row of its own, so that the answer is well defined.
            let own = (0..12).map(|i| (i, [0.5, 0.0, 0.0, 0.0], i as f32));
            let rows: Vec<_> = rows.into_iter().chain(own).collect();
            let mut system = BandedLeastSquares::new(12);
            for (first, weights, value) in &rows {
                let inside = &weights[..(12 - first).min(4)];
                system.add(*first, inside, Vec4::new(*value, -*value, 0.0, 1.0));
            }
            let x = system.solve();
            for unknown in 0..12usize {
                let gradient: f32 = rows.iter().map(|(first, weights, value)| {
                    let inside = &weights[..(12 - first).min(4)];
                    let sum: f32 = inside.iter().enumerate().map(|(i, w)| w * x[first + i].x).sum();
                    let own = unknown.checked_sub(*first).and_then(|i| inside.get(i)).copied().unwrap_or(0.0);
                    own * (sum - value)
                }).sum();
                prop_assert!(gradient.abs() < 2e-3, "{gradient} at {unknown}");
            }
        }
    }

    #[test]
    fn unknowns_without_rows_are_finite() {
        let mut system = BandedLeastSquares::new(3);
        system.add(0, &[1.0], Vec4::splat(2.0));
        let x = system.solve();
        assert!((x[0].x - 2.0).abs() < 1e-6 && x.iter().all(|v| v.is_finite()));
    }
}
