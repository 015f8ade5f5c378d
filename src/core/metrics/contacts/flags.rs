/// Switches on at `is_down`, then stays on until `is_up`. In a loop, the state at the end carries over to the start.
pub(super) fn hysteresis(is_down: &[bool], is_up: &[bool], looping: bool) -> Vec<bool> {
    let run = |mut on: bool| {
        let next = |(&down, &up): (&bool, &bool)| {
            on = down || (on && !up);
            on
        };
        is_down.iter().zip(is_up).map(next).collect::<Vec<_>>()
    };
    let flags = run(false);
    if looping && flags.last() == Some(&true) { run(true) } else { flags }
}

/// Majority over an odd window. At the clip's ends the first and last flags are repeated; in a loop the window wraps around.
pub(super) fn median(flags: &[bool], window: usize, looping: bool) -> Vec<bool> {
    let (count, reach) = (flags.len() as isize, (window / 2) as isize);
    let at = |i: isize| flags[(if looping { i.rem_euclid(count) } else { i.clamp(0, count - 1) }) as usize];
    let majority = |i: isize| (i - reach..=i + reach).filter(|&j| at(j)).count() as isize > reach;
    (0..count).map(majority).collect()
}

/// Number of samples in a median window. It is odd, so that a majority always exists.
pub(super) fn window_samples(median_secs: f32, rate_hz: f64) -> usize {
    let samples = (f64::from(median_secs) * rate_hz).round().clamp(0.0, 1e4) as usize;
    samples + usize::from(samples.is_multiple_of(2))
}

/// Runs of set flags as (first, length), ordered by the first. In a loop, a run that reaches the end continues at the start. A run that
/// covers the whole loop starts at 0.
pub(super) fn runs(flags: &[bool], looping: bool) -> Vec<(usize, usize)> {
    let count = flags.len();
    if count > 0 && flags.iter().all(|&f| f) {
        return vec![(0, count)];
    }
    let before = |i: usize| if i > 0 { flags[i - 1] } else { looping && flags[count - 1] };
    let length = |start: usize| {
        let end = if looping { start + count } else { count };
        (start..end).take_while(|&i| flags[i % count]).count()
    };
    (0..count).filter(|&i| flags[i] && !before(i)).map(|start| (start, length(start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    fn text(flags: &[bool]) -> String {
        flags.iter().map(|&f| if f { '#' } else { '.' }).collect()
    }

    /// Down below 4 cm, up at 6 cm.
    fn switch(heights_cm: &[f32], looping: bool) -> String {
        let down: Vec<_> = heights_cm.iter().map(|&h| h < 4.0).collect();
        let up: Vec<_> = heights_cm.iter().map(|&h| h >= 6.0).collect();
        text(&hysteresis(&down, &up, looping))
    }

    #[test]
    fn a_foot_stays_down_between_the_limits_and_does_not_come_down_there() {
        assert_eq!(switch(&[9.0, 5.0, 3.0, 5.0, 5.9, 6.0, 5.0, 3.9, 5.0], false), "..###..##");
    }

    #[test]
    fn in_a_loop_the_end_carries_over() {
        assert_eq!(switch(&[5.0, 5.0, 9.0, 3.0], false), "...#");
        assert_eq!(switch(&[5.0, 5.0, 9.0, 3.0], true), "##.#");
    }

    #[test]
    fn the_median_drops_blips_and_fills_gaps() {
        assert_eq!(text(&median(&flags("#...#...##.##"), 3, false)), "#.......#####");
        assert_eq!(text(&median(&flags("#....#"), 3, true)), "#....#");
        assert_eq!(text(&median(&flags(".#...."), 1, true)), ".#....");
        assert_eq!(median(&[], 3, true), Vec::<bool>::new());
    }

    #[test]
    fn windows_are_odd() {
        assert_eq!([30.0, 60.0, 120.0, 10.0, 0.0].map(|hz| window_samples(0.1, hz)), [3, 7, 13, 1, 1]);
    }

    #[test]
    fn runs_wrap_in_loops_only() {
        assert_eq!(runs(&flags("##..###.#"), false), [(0, 2), (4, 3), (8, 1)]);
        assert_eq!(runs(&flags("##..###.#"), true), [(4, 3), (8, 3)]);
        assert_eq!(runs(&flags("###"), true), [(0, 3)]);
        assert_eq!(runs(&flags("..."), true), []);
        assert_eq!(runs(&[], true), []);
    }
}
