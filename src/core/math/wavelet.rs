//! Wavelet transforms of signals whose length is a power of two, by lifting.

use posepress_runtime::internal::math::{
    CDF53_STEPS, CDF53_SUM, CDF97_STEPS, CDF97_SUM, D4_DIFFERENCE, D4_FAR, D4_NEAR, D4_SUM, Padding, SQRT_3,
    SignalValue, Wavelet, haar_step, lift_step,
};

/// Extends a non-empty signal to a length that is a power of two.
pub fn pad<V: SignalValue>(padding: Padding, signal: &mut Vec<V>) {
    let len = signal.len();
    let last = len - 1;
    for i in len..len.next_power_of_two() {
        let beyond = i - len;
        let value = match padding {
            Padding::Zero => V::default(),
            Padding::Repeat => signal[last],
            // Fewer values are added than the signal has, so the mirror does not run out.
            Padding::Mirror => signal[last.saturating_sub(beyond + 1)],
            Padding::Loop => signal[beyond],
            Padding::Line => signal[last] + (signal[last] - signal[last.saturating_sub(1)]) * (beyond + 1) as f64,
        };
        signal.push(value);
    }
}

/// Transforms a signal into its scale followed by its sub-bands, coarsest first. The wavelet must support its length. `scratch` is
/// overwritten and must have the same length.
pub fn wavelet_forward<V: SignalValue>(wavelet: Wavelet, padding: Padding, signal: &mut [V], scratch: &mut [V]) {
    let mut len = signal.len();
    while len > 1 {
        let half = len.div_ceil(2);
        let (sums, differences) = scratch[..len].split_at_mut(half);
        for ((pair, sum), difference) in
            signal[..len].as_chunks::<2>().0.iter().zip(sums.iter_mut()).zip(differences.iter_mut())
        {
            [*sum, *difference] = *pair;
        }
        if len % 2 == 1 {
            sums[half - 1] = signal[len - 1];
        }
        match wavelet {
            Wavelet::Haar => haar_step(sums, differences),
            Wavelet::D4 => d4_step(padding, sums, differences),
            Wavelet::Cdf97 => lift_steps(padding, &CDF97_STEPS, CDF97_SUM, sums, differences),
            Wavelet::Cdf53 => lift_steps(padding, &CDF53_STEPS, CDF53_SUM, sums, differences),
        }
        signal[..len].copy_from_slice(&scratch[..len]);
        len = half;
    }
}

fn lift_steps<V: SignalValue>(padding: Padding, steps: &[f64], scale: f64, even: &mut [V], odd: &mut [V]) {
    steps.iter().enumerate().for_each(|(place, step)| lift_step(padding, place, *step, even, odd));
    even.iter_mut().for_each(|s| *s = *s * scale);
    odd.iter_mut().for_each(|d| *d = *d / scale);
}

fn d4_step<V: SignalValue>(padding: Padding, even: &mut [V], odd: &mut [V]) {
    even.iter_mut().zip(odd.iter()).for_each(|(s, d)| *s = *s + *d * SQRT_3);
    let mut before = padding.before(even);
    for (s, d) in even.iter().zip(odd.iter_mut()) {
        *d = *d - (*s * D4_NEAR + before * D4_FAR);
        before = *s;
    }
    let after = padding.after(odd);
    let next = odd[1..].iter().copied().chain([after]);
    even.iter_mut().zip(next).for_each(|(s, d)| *s = (*s - d) * D4_SUM);
    odd.iter_mut().for_each(|d| *d = *d * D4_DIFFERENCE);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec4;
    use posepress_runtime::internal::math::bands;
    use proptest::prelude::*;

    fn forward(wavelet: Wavelet, padding: Padding, signal: &[f64]) -> Vec<f64> {
        let mut out = signal.to_vec();
        if !wavelet.takes_any_length() {
            pad(padding, &mut out);
        }
        let mut scratch = vec![0.0; out.len()];
        wavelet_forward(wavelet, padding, &mut out, &mut scratch);
        out
    }

    fn energy(signal: &[f64]) -> f64 {
        signal.iter().map(|x| x * x).sum()
    }

    proptest! {
        #[test]
        fn every_wavelet_padding_and_length_is_rebuilt(signal in prop::collection::vec(-100.0f64..100.0, 1..300)) {
            for wavelet in Wavelet::ALL {
                for padding in Padding::ALL {
                    let mut back = forward(wavelet, padding, &signal);
                    let mut scratch = vec![0.0; back.len()];
                    wavelet.inverse(padding, &mut back, &mut scratch);
                    for (a, b) in signal.iter().zip(&back) {
                        prop_assert!((a - b).abs() < 1e-8, "{wavelet:?} {padding:?}: {a} reads as {b}");
                    }
                }
            }
        }

        #[test]
        fn four_signals_are_transformed_as_each_alone(signals in prop::collection::vec(prop::array::uniform4(-100.0f64..100.0), 1..80)) {
            for wavelet in Wavelet::ALL {
                for padding in Padding::ALL {
                    let mut together: Vec<DVec4> = signals.iter().map(|four| DVec4::from_array(*four)).collect();
                    if !wavelet.takes_any_length() {
                        pad(padding, &mut together);
                    }
                    let mut scratch = vec![DVec4::ZERO; together.len()];
                    wavelet_forward(wavelet, padding, &mut together, &mut scratch);
                    let mut back = together.clone();
                    wavelet.inverse(padding, &mut back, &mut scratch);
                    for lane in 0..4 {
                        let signal: Vec<f64> = signals.iter().map(|four| four[lane]).collect();
                        let mut alone = forward(wavelet, padding, &signal);
                        prop_assert_eq!(together.iter().map(|four| four[lane]).collect::<Vec<_>>(), alone.clone());
                        let mut scratch = vec![0.0; alone.len()];
                        wavelet.inverse(padding, &mut alone, &mut scratch);
                        prop_assert_eq!(back.iter().map(|four| four[lane]).collect::<Vec<_>>(), alone);
                    }
                }
            }
        }

        #[test]
        fn the_basis_is_orthonormal(signal in prop::collection::vec(-1.0f64..1.0, 64), other in prop::collection::vec(-1.0f64..1.0, 64)) {
            for (wavelet, padding) in [(Wavelet::Haar, Padding::Zero), (Wavelet::Haar, Padding::Line), (Wavelet::D4, Padding::Loop)] {
                let (a, b) = (forward(wavelet, padding, &signal), forward(wavelet, padding, &other));
                let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                prop_assert!((dot(&a, &b) - dot(&signal, &other)).abs() < 1e-12, "{wavelet:?}");
            }
        }
    }

    #[test]
    fn a_constant_leaves_one_scale_and_a_line_nothing_inside_for_d4() {
        for wavelet in Wavelet::ALL {
            for padding in Padding::ALL.into_iter().filter(|p| *p != Padding::Zero) {
                let out = forward(wavelet, padding, &[3.0; 32]);
                assert!((out[0] - 3.0 * 32.0f64.sqrt()).abs() < 1e-11, "{wavelet:?} {padding:?}");
                assert!(out[1..].iter().all(|c| c.abs() < 1e-12), "{wavelet:?} {padding:?}: {out:?}");
            }
        }
        let line: Vec<f64> = (0..64).map(|i| 0.5 * f64::from(i) - 7.0).collect();
        let out = forward(Wavelet::D4, Padding::Line, &line);
        assert!(out[2..].iter().all(|c| c.abs() < 1e-10), "{out:?}");
        let haar = forward(Wavelet::Haar, Padding::Line, &line);
        assert!(haar[32..].iter().all(|c| c.abs() > 0.3), "one vanishing moment sees the slope: {haar:?}");
    }

    /// "Wavelet functions ... yield coefficients that are as close to zero as possible": the energy of a swing gathers in few
    /// numbers, in fewer with D4.
    #[test]
    fn the_energy_of_a_smooth_signal_gathers_in_few_coefficients() {
        let swing: Vec<f64> = (0..128).map(|i| (f64::from(i) * 0.1).sin()).collect();
        let needed = |wavelet| {
            let mut out = forward(wavelet, Padding::Line, &swing);
            out.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
            (1..=out.len()).find(|n| energy(&out[*n..]) < 1e-4 * energy(&swing)).unwrap_or(out.len())
        };
        let (haar, d4) = (needed(Wavelet::Haar), needed(Wavelet::D4));
        assert!(d4 <= 48 && 2 * d4 < haar, "99.99 % of the energy in {d4} of 128 (D4), {haar} (Haar)");
    }

    #[test]
    fn bands_halve_any_length_and_those_of_powers_of_two_double() {
        let of = |len: usize| bands(len).map(|b| (b.coarser, b.start, b.end, b.level)).collect::<Vec<_>>();
        assert_eq!(of(1), []);
        assert_eq!(of(8), [(0, 1, 2, 2), (1, 2, 4, 1), (2, 4, 8, 0)]);
        assert_eq!(of(11), [(0, 1, 2, 3), (1, 2, 3, 2), (2, 3, 6, 1), (3, 6, 11, 0)]);
    }

    /// A cubic curve has zero coefficients with four vanishing moments. An odd length needs no padding.
    #[test]
    fn cubics_leave_nothing_inside_for_the_nine_and_seven_taps() {
        let cubic: Vec<f64> = (0..65).map(|i| f64::from(i) * 0.1).map(|x| x * x * x - 4.0 * x * x + x).collect();
        let out = forward(Wavelet::Cdf97, Padding::Line, &cubic);
        assert_eq!(out.len(), 65);
        assert!(out[33 + 4..65 - 4].iter().all(|c| c.abs() < 1e-9), "{out:?}");
    }

    #[test]
    fn the_bands_are_where_they_are_said_to_be() {
        // A difference between neighbours lives in the finest band, one between halves in the coarsest.
        let fine: Vec<f64> = (0..16)
            .map(|i| {
                if i == 6 {
                    1.0
                } else if i == 7 {
                    -1.0
                } else {
                    0.0
                }
            })
            .collect();
        let out = forward(Wavelet::Haar, Padding::Zero, &fine);
        assert_eq!(out.iter().position(|c| c.abs() > 1e-12), Some(8 + 3));
        let coarse: Vec<f64> = (0..16).map(|i| if i < 8 { 1.0 } else { -1.0 }).collect();
        let out = forward(Wavelet::Haar, Padding::Zero, &coarse);
        assert!((out[1] - 4.0).abs() < 1e-12 && out.iter().filter(|c| c.abs() > 1e-12).count() == 1);
    }

    #[test]
    fn paddings_continue_as_their_names_say() {
        let filled = |padding: Padding| {
            let mut signal = vec![1.0, 2.0, 3.0, 5.0, 8.0];
            pad(padding, &mut signal);
            signal[5..].to_vec()
        };
        assert_eq!(filled(Padding::Zero), [0.0; 3]);
        assert_eq!(filled(Padding::Repeat), [8.0; 3]);
        assert_eq!(filled(Padding::Mirror), [5.0, 3.0, 2.0]);
        assert_eq!(filled(Padding::Loop), [1.0, 2.0, 3.0]);
        assert_eq!(filled(Padding::Line), [11.0, 14.0, 17.0]);
    }
}
