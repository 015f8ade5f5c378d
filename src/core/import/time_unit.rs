//! The unit of key times. Some exporters write milliseconds where the format means seconds.

use super::key_clip::KeyClip;
use super::motion::Motion;
use super::{Finding, ImportOptions, Reading, ReadingPart, TimeUnit};
use crate::text;

/// Mean distance above which keys are sparse. As milliseconds they would have 250 Hz or less ...
const APART_SECS: f32 = 4.0;
/// ... and least duration of such a clip: a tenth of a second as milliseconds.
const LASTS_SECS: f32 = 100.0;

/// Asks for the unit if the keys of a clip are sparse over a long time. Reports a unit from the options.
pub(super) fn sparse_keys(clips: &[KeyClip], options: &ImportOptions) -> Option<Finding> {
    let first = clips.first()?;
    if let Some(unit) = options.time_unit {
        let what = format!("its times are read as {}, as you chose", unit.option().label);
        let is_second = |other: &TimeUnit| *other != unit;
        let readings = TimeUnit::ALL.into_iter().filter(is_second).map(reading);
        return Some(
            Finding::note(&first.name, what, "This applies to all clips of the file.").with_readings(readings),
        );
    }
    let sparse: Vec<(&KeyClip, usize, f32)> = clips.iter().filter_map(apart).collect();
    let (clip, keys, secs) = *sparse.first()?;
    let others = match sparse.len() {
        1 => String::new(),
        count => format!(", as in {}", text::count(count - 1, "other clip")),
    };
    let what = format!(
        "its {keys} key times lie {:.1} s apart on average, over {secs:.0} s{others}",
        secs / (keys - 1) as f32
    );
    let meaning = format!(
        "Read them as milliseconds? Then it lasts {:.2} s (--time-unit ms).",
        secs * TimeUnit::Millisecond.secs()
    );
    Some(Finding::decide(&clip.name, what, meaning).with_readings([reading(TimeUnit::Millisecond)]))
}

fn reading(unit: TimeUnit) -> Reading {
    Reading { label: format!("times as {}", unit.option().label), part: ReadingPart::Times(unit) }
}

/// A clip with sparse keys, its number of key times, and its duration, seconds.
fn apart(clip: &KeyClip) -> Option<(&KeyClip, usize, f32)> {
    let times = clip.times_secs();
    let secs = times.last()? - times.first()?;
    (secs >= LASTS_SECS && secs >= APART_SECS * (times.len() - 1) as f32).then_some((clip, times.len(), secs))
}
