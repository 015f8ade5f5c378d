/// Set where a run of `keep` holds at least one `start`. In a loop, the end continues at the start.
pub(super) fn hysteresis(start: &[bool], keep: &[bool], looping: bool) -> Vec<bool> {
    let mut on = vec![false; keep.len()];
    for (first, length) in runs(keep, looping) {
        let run = || (first..first + length).map(|i| i % keep.len());
        if run().any(|i| start[i]) {
            run().for_each(|i| on[i] = true);
        }
    }
    on
}

/// Sets gaps of at most `longest` between runs.
pub(super) fn close_gaps(flags: &mut [bool], longest: usize, looping: bool) {
    let count = flags.len();
    let gaps = flags.iter().map(|f| !f).collect::<Vec<_>>();
    let inside = |first: usize, length: usize| looping || (first > 0 && first + length < count);
    for (first, length) in runs(&gaps, looping) {
        if length <= longest && length < count && inside(first, length) {
            (first..first + length).for_each(|i| flags[i % count] = true);
        }
    }
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

    #[test]
    fn a_run_needs_one_start_and_lasts_as_long_as_it_is_kept() {
        let held = |start, keep, looping| text(&hysteresis(&flags(start), &flags(keep), looping));
        assert_eq!(held("...#.....", ".###.###.", false), ".###.....");
        assert_eq!(held(".......#.", "##.....##", false), ".......##");
        assert_eq!(held(".......#.", "##.....##", true), "##.....##");
        assert_eq!(hysteresis(&[], &[], true), Vec::<bool>::new());
    }

    #[test]
    fn short_gaps_are_closed() {
        let closed = |text_of, looping| {
            let mut flags = flags(text_of);
            close_gaps(&mut flags, 2, looping);
            text(&flags)
        };
        assert_eq!(closed(".#..#...#.", false), ".####...#.");
        assert_eq!(closed(".#..#...#.", true), "#####...##");
        assert_eq!(closed("..", true), "..");
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
