//! The sample rate of each clip of a file.

use super::budget::clip_samples;
use super::motion::Motion;
use super::rate::{COMMON_RATES_HZ, DEFAULT_RATE_HZ, KEY_RATES_HZ, KeyTime, fits, rates_hz, sample_count, uniform_hz};
use super::retime::sampled_hz;
use super::{Fault, Finding, ImportOptions, Reading, ReadingPart};
use crate::model::SamplingError;
use crate::text;

/// Sampling error below which no faster rate is tried: half of the smallest common tolerance.
pub(super) const NEXT_TO_NOTHING_M: f32 = 5e-5;
/// Joint samples that trying rates may cost per file.
const TRIED_SAMPLES: f64 = 4e6;
/// Faster rates that are offered if keys fit none, as multiples of the chosen one.
const FASTER: [f64; 2] = [2.0, 4.0];
/// Fastest meaningful frame rate of an editor. Above it the rate only counts time.
const FASTEST_FRAME_RATE_HZ: f64 = 240.0;

/// The sampling of one clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    pub samples: usize,
    pub duration_secs: f32,
    /// True if its keys fit no rate.
    pub misses_keys: bool,
    /// True if its keys fit several rates, and the file states none.
    pub is_guess: bool,
}

impl Plan {
    /// # Errors
    /// Too many samples for the number of keys.
    pub fn new(clip: &impl Motion, times: &[f32], rate_hz: f64) -> Result<Self, Fault> {
        let pose = Self { samples: 1, duration_secs: 0.0, misses_keys: false, is_guess: false };
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Ok(pose) };
        if last <= first || last <= 0.0 {
            return Ok(pose);
        }
        let samples = sample_count(last, rate_hz);
        if samples > clip_samples(times.len()) as f64 {
            let (name, keys) = (clip.name(), times.len());
            let what = format!("clip '{name}' lasts {last} s, which is {samples} samples for {keys} key times");
            return Err(Fault::new(what)
                .advise("Check the unit of its key times (--time-unit ms), or choose a lower sample rate"));
        }
        Ok(Self { samples: samples as usize, duration_secs: last, ..pose })
    }
}

/// The data for choosing a rate.
struct Candidate<'a, M> {
    clip: &'a M,
    times: Vec<KeyTime>,
    rates_hz: Vec<f64>,
}

/// Plans each clip, or returns the reason why it cannot be sampled. The rate is that of the options, of the file, or of the keys. `loss_m`
/// returns the sampling error of a clip at a rate.
///
/// # Errors
/// A rate out of range.
pub(super) fn plan_all<M: Motion>(
    clips: &[M],
    joints: usize,
    options: &ImportOptions,
    loss_m: impl Fn(&M, Plan) -> f32,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Result<Plan, Fault>>, Fault> {
    let (slowest, fastest) = (*KEY_RATES_HZ.start(), *KEY_RATES_HZ.end());
    if let Some(rate) = options.rate_hz
        && !KEY_RATES_HZ.contains(&rate.into())
    {
        let what = format!("the sample rate is set to {rate} Hz; expected {slowest} to {fastest} Hz");
        return Err(Fault::new(what).advise("Leave the rate out to have it detected"));
    }
    let candidates: Vec<Candidate<'_, M>> = clips.iter().map(Candidate::new).collect();
    let of_file = file_rate_hz(&candidates, joints, &loss_m);
    let plan = |candidate: &Candidate<'_, M>| {
        let mut misses_keys = false;
        let rate_hz = sampled_hz(options, || {
            let (rate_hz, misses) = candidate.choose(of_file, joints, &loss_m, findings);
            misses_keys = misses;
            rate_hz
        });
        let is_guess = options.rate_hz.is_none() && candidate.clip.rate_hz().is_none() && candidate.rates_hz.len() > 1;
        Ok(Plan { misses_keys, is_guess, ..Plan::new(candidate.clip, &candidate.clip.times_secs(), rate_hz)? })
    };
    Ok(candidates.iter().map(plan).collect())
}

impl<'a, M: Motion> Candidate<'a, M> {
    fn new(clip: &'a M) -> Self {
        let times = clip.key_times();
        // The sample before a jump is held, so a slow rate would lose the motion before the jump.
        let is_straight = clip.is_straight() && clip.jumps().is_empty();
        // A few keys between the frames of an editor do not change the rate. Only uniform keys do.
        let rates_hz = match clip.rate_hz() {
            None => rates_hz(&times, is_straight),
            Some(_) if Self::follows_file(clip, &times) => Vec::new(),
            Some(_) => uniform_hz(&times).into_iter().collect(),
        };
        Self { clip, times, rates_hz }
    }

    /// True if the file states a rate, and its keys agree.
    fn follows_file(clip: &M, times: &[KeyTime]) -> bool {
        let Some(rate_hz) = clip.rate_hz() else { return false };
        !clip.keys_say_more() || (rate_hz <= FASTEST_FRAME_RATE_HZ && (times.len() < 2 || fits(times, rate_hz)))
    }

    /// The rate of the clip, and true if its keys do not fit it.
    fn choose(
        &self,
        of_file: Option<f64>,
        joints: usize,
        loss_m: &impl Fn(&M, Plan) -> f32,
        findings: &mut Vec<Finding>,
    ) -> (f64, bool) {
        let said = self.clip.rate_hz();
        let name = self.clip.name();
        if let Some(rate_hz) = said
            && Self::follows_file(self.clip, &self.times)
        {
            return (rate_hz, false);
        }
        if self.times.len() < 2 {
            return (said.unwrap_or(DEFAULT_RATE_HZ), false);
        }
        if let (None, Some(rate_hz)) = (said, of_file.filter(|&rate| fits(&self.times, rate))) {
            return (rate_hz, false);
        }
        let alone = std::slice::from_ref(self);
        let Some(rate_hz) = least_loss_hz(&self.rates_hz, alone, joints, loss_m) else {
            let said = said.filter(|rate| *rate <= FASTEST_FRAME_RATE_HZ);
            return (said.unwrap_or(DEFAULT_RATE_HZ), true);
        };
        match (said, of_file) {
            (Some(said), _) => findings.push(other_than_file_says(name, rate_hz, said)),
            (None, Some(of_file)) => findings.push(Finding::note(
                name,
                format!("its keys fit {}, while the file's rate is {}", show_hz(rate_hz), show_hz(of_file)),
                "It was sampled at its own rate, so that no key falls between samples. Choose a sample rate to make all alike.",
            )),
            (None, None) => {}
        }
        (rate_hz, false)
    }
}

fn other_than_file_says(clip: &str, rate_hz: f64, said_hz: f64) -> Finding {
    let what = format!("its keys lie on {}, while the file's frame rate is {}", show_hz(rate_hz), show_hz(said_hz));
    let meaning = format!(
        "It was sampled at {}, so that no key falls between samples. Read it at {} to have the file's frames (--rate {}).",
        show_hz(rate_hz),
        show_hz(said_hz),
        rounded(said_hz)
    );
    Finding::note(clip, what, meaning).with_readings([Reading::at_rate(said_hz)])
}

/// Reports the sampling error of a clip whose keys fit no rate.
pub(super) fn missed_keys(clip: &str, rate_hz: f64, lost: SamplingError, joint: &str) -> Finding {
    let at = |factor: f64| (factor * rate_hz).round().min(*KEY_RATES_HZ.end());
    let meaning = format!(
        "It was sampled at {}, with a sampling error of up to {} at {joint}. Read it at {} for a smaller error (--rate {}).",
        show_hz(rate_hz),
        text::length(lost.error_m),
        show_hz(at(FASTER[0])),
        at(FASTER[0])
    );
    let readings = FASTER.map(|factor| Reading::at_rate(at(factor)));
    Finding::warning(clip, "its keys lie on no common sample rate", meaning).with_readings(readings)
}

/// Reports the sampling error of a clip whose keys fit several rates.
pub(super) fn guessed(clip: &str, rate_hz: f64, lost: SamplingError, joint: &str) -> Finding {
    let faster = (FASTER[0] * rate_hz).round().min(*KEY_RATES_HZ.end());
    let meaning = format!(
        "It was sampled at {}, which loses least: up to {} at {joint}. Read it at the rate of its scene, or at {} for a smaller error \
         (--rate {faster}).",
        show_hz(rate_hz),
        text::length(lost.error_m),
        show_hz(faster),
    );
    Finding::note(clip, "its keys fit several sample rates", meaning).with_readings([Reading::at_rate(faster)])
}

/// The rate that fits the clips with most of the keys.
///
/// A file usually has one rate. A clip with few keys alone would fit a slower one, and a single odd clip must not make the others faster.
fn file_rate_hz<M: Motion>(all: &[Candidate<'_, M>], joints: usize, loss_m: &impl Fn(&M, Plan) -> f32) -> Option<f64> {
    let moving = || all.iter().filter(|candidate| candidate.clip.rate_hz().is_none() && candidate.times.len() > 1);
    let keys = moving().map(|candidate| candidate.times.len()).sum::<usize>();
    // Whole rates come before NTSC rates that fit the same keys.
    let mut rates: Vec<f64> = moving().flat_map(|candidate| &candidate.rates_hz).copied().collect();
    rates.sort_by_key(|rate| (rate.round() as u64, COMMON_RATES_HZ.iter().position(|common| common == rate)));
    rates.dedup();
    rates.retain(|&rate| {
        let suited = moving().filter(|candidate| fits(&candidate.times, rate));
        2 * suited.map(|candidate| candidate.times.len()).sum::<usize>() > keys
    });
    let first = *rates.first()?;
    let certain = moving().filter(|candidate| candidate.rates_hz == [first]);
    if 2 * certain.map(|candidate| candidate.times.len()).sum::<usize>() > keys {
        return Some(first);
    }
    least_loss_hz(&rates, all, joints, loss_m)
}

/// The first rate with a negligible sampling error over the clips that it fits, else the rate with the smallest one. The first, if trying
/// them takes too long.
fn least_loss_hz<M: Motion>(
    rates_hz: &[f64],
    of: &[Candidate<'_, M>],
    joints: usize,
    loss_m: &impl Fn(&M, Plan) -> f32,
) -> Option<f64> {
    let [first, _, ..] = rates_hz else { return rates_hz.first().copied() };
    let all: f64 =
        of.iter().map(|candidate| f64::from(candidate.clip.times_secs().last().copied().unwrap_or(0.0))).sum();
    if all * rates_hz.iter().sum::<f64>() * joints as f64 * of.iter().map(|c| c.clip.work() as f64).fold(1.0, f64::max)
        > TRIED_SAMPLES
    {
        return Some(*first);
    }
    let mut least = (f32::INFINITY, *first);
    for &rate_hz in rates_hz {
        let held = of.iter().filter(|candidate| fits(&candidate.times, rate_hz));
        let losses_m = held.filter_map(|candidate| {
            let plan = Plan::new(candidate.clip, &candidate.clip.times_secs(), rate_hz).ok()?;
            Some(loss_m(candidate.clip, plan))
        });
        let lost_m = losses_m.fold(0.0, f32::max);
        if lost_m <= NEXT_TO_NOTHING_M {
            return Some(rate_hz);
        }
        if lost_m < least.0 {
            least = (lost_m, rate_hz);
        }
    }
    Some(least.1)
}

fn rounded(rate_hz: f64) -> f64 {
    (rate_hz * 1000.0).round() / 1000.0
}

/// A rate as text: `29.97 Hz`.
pub(super) fn show_hz(rate_hz: f64) -> String {
    format!("{} Hz", rounded(rate_hz))
}

impl Reading {
    fn at_rate(rate_hz: f64) -> Self {
        let rate = (rate_hz * 1000.0).round() as u32;
        Self { label: format!("at {}", show_hz(rate_hz)), part: ReadingPart::Rate { millihertz: rate } }
    }
}
