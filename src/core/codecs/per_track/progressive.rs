//! Unreal's progressive search for the coarsest settings of a clip.

use super::params::Coarseness;
use crate::codecs::{EncodeError, Encoded};

/// Rates that are tried, lowest first.
const RATES_HZ: [f64; 5] = [5.0, 6.0, 10.0, 15.0, 20.0];
/// Factor of the first thresholds for keys. Key removal is given up if they do not hold.
const FINEST_REMOVAL: f32 = 1.0 / 18.0;
/// Factor of the first limits for rounding.
const COARSEST_ROUNDING: f32 = 100.0;
/// Most halvings of thresholds.
const HALVINGS: i32 = 16;

/// The smallest result within the tolerance: first at the lowest rate that holds it, then with the coarsest thresholds for keys, then with the
/// coarsest rounding. `encode` returns a result with its error in metres. If the settings at the start do not hold, theirs is the result.
pub fn search(
    start: Coarseness,
    tolerance_m: f32,
    mut encode: impl FnMut(&Coarseness) -> Result<(Encoded, f32), EncodeError>,
) -> Result<Encoded, EncodeError> {
    let (mut best, error_m) = encode(&start)?;
    if error_m > tolerance_m {
        return Ok(best);
    }
    let mut holds = |coarseness: &Coarseness| {
        let (encoded, error_m) = encode(coarseness)?;
        let is_held = error_m <= tolerance_m;
        if is_held && encoded.payload.len() < best.payload.len() {
            best = encoded;
        }
        Ok::<bool, EncodeError>(is_held)
    };
    let mut chosen = start;
    for rate in RATES_HZ {
        let slower = Coarseness { resample_hz: Some(rate), ..chosen };
        if holds(&slower)? {
            chosen = slower;
            break;
        }
    }
    let halved = |halvings: i32| 0.5f32.powi(halvings);
    let removing = move |removal: f32| Coarseness { removes_keys: true, removal, ..chosen };
    if holds(&removing(FINEST_REMOVAL))? {
        chosen = removing(FINEST_REMOVAL);
        for halvings in 0..=HALVINGS {
            let coarser = removing(halved(halvings));
            if holds(&coarser)? {
                chosen = coarser;
                break;
            }
        }
    }
    for halvings in 0..=HALVINGS {
        if holds(&Coarseness { rounding: COARSEST_ROUNDING * halved(halvings), ..chosen })? {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::Ledger;

    /// Settings whose result has that many bytes and that error in millimetres.
    fn made(bytes: usize, error_mm: f32) -> Result<(Encoded, f32), EncodeError> {
        Ok((Encoded { payload: vec![0; bytes], ledger: Ledger::default(), kept: Vec::new() }, 0.001 * error_mm))
    }

    const START: Coarseness = Coarseness { resample_hz: None, removes_keys: false, removal: 1.0, rounding: 1.0 };

    #[test]
    fn each_stage_keeps_the_coarsest_settings_that_hold() {
        let mut tried = Vec::new();
        let found = search(START, 0.001, |at| {
            tried.push(*at);
            let rate = at.resample_hz.unwrap_or(30.0);
            let error_mm = 5.0 / rate as f32 + if at.removes_keys { at.removal } else { 0.0 } + 0.01 * at.rounding;
            let keys = if at.removes_keys { 1.0 / (1.0 + at.removal) } else { 1.0 };
            made((1000.0 * rate as f32 * keys / (1.0 + at.rounding)) as usize, error_mm)
        });
        // 6 Hz leaves 0.16 mm: 0.125 for keys, the rest for rounding.
        let last = *tried.last().unwrap();
        assert_eq!((last.resample_hz, last.removal, last.rounding), (Some(6.0), 0.125, 3.125), "{tried:?}");
        let smallest = 1000.0 * 6.0 / 1.125 / 4.125;
        assert_eq!(found.unwrap().payload.len(), smallest as usize);
    }

    #[test]
    fn settings_that_do_not_hold_at_the_start_are_all_that_is_tried() {
        let mut tried = 0;
        let found = search(START, 0.001, |_| {
            tried += 1;
            made(10, 2.0)
        });
        assert_eq!((found.unwrap().payload.len(), tried), (10, 1));
    }
}
