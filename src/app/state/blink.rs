use crate::render::Side;
use std::ops::RangeInclusive;

/// Allowed blink rates: cycles of original and compressed per second. Faster tires the eyes.
pub const BLINK_RANGE_HZ: RangeInclusive<f32> = 2.0..=8.0;

/// Shows original and compressed alternately in the same place, so that differences seem to move.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Blink {
    since_secs: Option<f64>,
    side: Option<Side>,
}

impl Blink {
    /// Starts, continues or stops blinking. Blinking starts with the original.
    pub fn update(&mut self, on: bool, now_secs: f64, rate_hz: f32) {
        self.since_secs = on.then(|| self.since_secs.unwrap_or(now_secs));
        self.side = self.since_secs.map(|since| side_at(now_secs - since, rate_hz));
    }

    /// The side that is shown; `None` while nothing blinks.
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// Time until the other side is shown; `None` while nothing blinks.
    pub fn next_change_secs(&self, now_secs: f64, rate_hz: f32) -> Option<f64> {
        let half_secs = half_period_secs(rate_hz);
        self.since_secs.map(|since| half_secs - (now_secs - since).max(0.0) % half_secs)
    }
}

fn half_period_secs(rate_hz: f32) -> f64 {
    0.5 / f64::from(rate_hz.clamp(*BLINK_RANGE_HZ.start(), *BLINK_RANGE_HZ.end()))
}

fn side_at(elapsed_secs: f64, rate_hz: f32) -> Side {
    let changes = (elapsed_secs.max(0.0) / half_period_secs(rate_hz)) as u64;
    if changes.is_multiple_of(2) { Side::Original } else { Side::Compressed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_shown_equally_long_as_often_a_second_as_asked_for() {
        for rate_hz in [2.0f32, 5.0, 8.0] {
            let mut blink = Blink::default();
            let steps = 4800;
            let shown: Vec<Side> = (0..steps)
                .map(|i| {
                    blink.update(true, 100.0 + (f64::from(i) + 0.5) / 2400.0, rate_hz);
                    blink.side().unwrap()
                })
                .collect();
            let original = shown.iter().filter(|s| **s == Side::Original).count();
            assert_eq!(original * 2, shown.len(), "{rate_hz} Hz");
            let changes = shown.windows(2).filter(|w| w[0] != w[1]).count();
            assert_eq!(changes + 1, (2.0 * 2.0 * rate_hz) as usize, "in two seconds at {rate_hz} Hz");
        }
    }

    #[test]
    fn the_next_change_is_when_the_side_changes() {
        let mut blink = Blink::default();
        blink.update(true, 7.0, 4.0);
        let wait_secs = blink.next_change_secs(7.03, 4.0).unwrap();
        let mut shown_at = |now_secs: f64| {
            blink.update(true, now_secs, 4.0);
            blink.side()
        };
        assert_eq!(shown_at(7.03 + wait_secs - 1e-6), Some(Side::Original));
        assert_eq!(shown_at(7.03 + wait_secs + 1e-6), Some(Side::Compressed));
        blink.update(false, 8.0, 4.0);
        assert_eq!((blink.side(), blink.next_change_secs(8.0, 4.0)), (None, None));
    }

    #[test]
    fn a_rate_out_of_range_is_brought_into_it() {
        let mut blink = Blink::default();
        blink.update(true, 0.0, 0.0);
        assert_eq!(blink.next_change_secs(0.0, 0.0), Some(0.25));
        assert_eq!(blink.next_change_secs(0.0, 1e9), Some(0.0625));
    }
}
