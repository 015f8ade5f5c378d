use super::parse::{Document, FrameTime};
use super::{COMMON_RATES_HZ, DEFAULT_RATE_HZ, Fault, Finding, ImportOptions, Reading, ReadingPart, nearest_common_hz};
use std::ops::RangeInclusive;

/// Valid frame times.
const FRAME_SECS: RangeInclusive<f64> = 0.001..=1.0;
/// Relative distance at which a rate counts as a whole number.
const WHOLE: f64 = 2e-4;
/// NTSC rates are whole rates divided by this.
const NTSC: f64 = 1.001;
/// Relative distance at which an odd rate probably means a common rate.
const PROBABLE: f64 = 0.05;
/// Most decimals at which the frame time of a whole or NTSC rate may be a rounded one.
const FEW_DECIMALS: usize = 3;
/// Rates to choose from for a take without a frame time.
const USUAL_RATES_HZ: [f64; 5] = [24.0, 25.0, 30.0, 60.0, 120.0];

/// The rate of a take by its frame time. Adds a question if the frame time is odd, zero or missing. Returns a fault if it is out of
/// range.
pub(super) fn rate_hz(
    document: &Document,
    name: &str,
    options: &ImportOptions,
    findings: &mut Vec<Finding>,
) -> Result<f64, Fault> {
    let is_decided = options.frames_are_hz.is_some() || document.frames() < 2;
    match &document.frame_time {
        Some(time) if FRAME_SECS.contains(&time.secs) => {
            let (rate_hz, probable_hz) = (own_hz(time.secs), probable_hz(time));
            findings.extend(probable_hz.filter(|_| !is_decided).map(|hz| odd(name, time, hz)));
            Ok(rate_hz)
        }
        _ if is_decided => Ok(DEFAULT_RATE_HZ),
        Some(time) if time.secs != 0.0 => {
            let what = format!("a frame time of {} s; expected 0.001 to 1 s", time.secs);
            let advice = "Set its frame rate, such as --frames-are 30, or export the take again";
            Err(Fault::new(what).at(time.place.clone()).advise(advice))
        }
        time => {
            findings.push(none(name, if time.is_some() { "its frame time is zero" } else { "it has no frame time" }));
            Ok(DEFAULT_RATE_HZ)
        }
    }
}

fn own_hz(secs: f64) -> f64 {
    let rate_hz = nearest_common_hz(1.0 / secs);
    if is_whole(rate_hz) { rate_hz.round() } else { rate_hz }
}

fn is_whole(rate_hz: f64) -> bool {
    (rate_hz.round() / rate_hz - 1.0).abs() < WHOLE
}

/// The rate that an odd frame time probably means: a common rate whose frame time rounds to the same digits, or is truncated to them.
/// Otherwise a nearby common rate, or else a whole number. `None` if the frame time is not odd.
fn probable_hz(time: &FrameTime) -> Option<f64> {
    let rate_hz = nearest_common_hz(1.0 / time.secs);
    if COMMON_RATES_HZ.contains(&rate_hz) {
        return None;
    }
    let unit_secs = time.decimals.map(|decimals| 0.1f64.powi(decimals as i32));
    let within = |units: f64| {
        let reach_secs = unit_secs? * units;
        COMMON_RATES_HZ.into_iter().find(|common| (common.recip() - time.secs).abs() <= reach_secs)
    };
    let rounded = within(0.5);
    if is_whole(rate_hz) || is_whole(rate_hz * NTSC) {
        return rounded.filter(|_| time.decimals.is_some_and(|decimals| decimals <= FEW_DECIMALS));
    }
    let near = || COMMON_RATES_HZ.into_iter().find(|common| (rate_hz / common - 1.0).abs() < PROBABLE);
    Some(rounded.or_else(|| within(1.0)).or_else(near).unwrap_or_else(|| rate_hz.round().max(1.0)))
}

fn odd(name: &str, time: &FrameTime, probable_hz: f64) -> Finding {
    let (rate_hz, probable_hz) = (shown(1.0 / time.secs), shown(probable_hz));
    let what = format!("its frame time of {} s is {rate_hz} Hz", time.secs);
    let meaning = format!(
        "That rate is unusual. If it is {probable_hz} Hz with rounded digits, --frames-are {probable_hz} keeps every frame and plays it at that rate."
    );
    Finding::decide(name, what, meaning).with_readings([reading(probable_hz)])
}

fn none(name: &str, what: &str) -> Finding {
    let meaning = format!(
        "{DEFAULT_RATE_HZ} Hz is assumed. --frames-are 60 plays the same frames at 60 Hz, or at any other rate."
    );
    Finding::decide(name, what, meaning).with_readings(USUAL_RATES_HZ.map(reading))
}

fn reading(rate_hz: f64) -> Reading {
    Reading { label: format!("The same frames at {rate_hz} Hz"), part: ReadingPart::FrameRate(rate_hz as f32) }
}

/// Rounds a rate to 0.001 Hz.
fn shown(rate_hz: f64) -> f64 {
    (rate_hz * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_frame_times_stand_for_common_rates_and_others_for_themselves() {
        let probable = |text: &str| {
            let decimals = text.split_once('.').map(|(_, decimals)| decimals.len());
            probable_hz(&FrameTime { secs: text.parse().unwrap(), decimals, place: String::new() })
        };
        let odd = [
            ("0.033", 30.0),
            ("0.03", 30.0),
            ("0.034", 30.0),
            ("0.0333", 30.0),
            ("0.0345", 30.0),
            ("0.017", 60.0),
            ("0.016", 60.0),
            ("0.0083", 120.0),
            ("0.008", 120.0),
            ("0.042", 24.0),
            ("0.07", 14.0),
        ];
        for (text, expected) in odd {
            let found = probable(text).map(f64::round);
            assert_eq!(found, Some(expected), "{text}");
        }
        let own = [
            "0.0333333",
            "0.033333",
            "0.03333",
            "0.033367",
            "0.04",
            "0.01",
            "0.05",
            "0.1",
            "0.02",
            "0.005",
            "0.0138889",
        ];
        for text in
            own.into_iter().chain(["0.0166667", "0.016667", "0.00833333", "0.0083333", "0.00694444", "0.00834168", "1"])
        {
            assert_eq!(probable(text), None, "{text}");
        }
        assert_eq!([0.0138889, 1.0 / 18.0, 0.0333333, 0.033].map(own_hz)[..3], [72.0, 18.0, 30.0]);
    }
}
