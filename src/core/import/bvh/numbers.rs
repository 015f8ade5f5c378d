/// Parser for the numbers of a word, usually one. Some programs write decimal commas, omit the space before a minus, or put commas or
/// semicolons between numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Numbers {
    /// True if a number had a decimal comma.
    pub has_commas: bool,
}

impl Numbers {
    /// Calls `take` with each number of a word. Returns `None` if the word has anything but finite numbers.
    pub fn read(&mut self, word: &str, mut take: impl FnMut(f64)) -> Option<()> {
        match finite(word) {
            Some(number) => take(number),
            None => signed_parts(word).try_for_each(|part| self.part(part, &mut take))?,
        }
        Some(())
    }

    /// Reads a part of [`signed_parts`].
    fn part(&mut self, part: &str, take: &mut impl FnMut(f64)) -> Option<()> {
        let inside = part.trim_matches(SEPARATORS);
        if inside.is_empty() {
            // A separator between spaces.
            return (!part.is_empty()).then_some(());
        }
        if inside.matches(SEPARATORS).count() == 1 && inside.contains(',') && !inside.contains('.') {
            self.has_commas = true;
            take(finite(&inside.replace(',', "."))?);
            return Some(());
        }
        inside.split(SEPARATORS).try_for_each(|number| finite(number).map(&mut *take))
    }
}

const SEPARATORS: [char; 2] = [',', ';'];

/// Parses a finite number.
pub(super) fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// True if the word can be the start of a number whose end is missing.
pub(super) fn is_cut(word: &str) -> bool {
    Numbers::default().read(&format!("{word}0"), |_| {}).is_some()
}

/// Splits a word before each sign, except at its start and in an exponent.
fn signed_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(word);
    std::iter::from_fn(move || {
        let word = rest?;
        let is_start = |&(at, c): &(usize, char)| {
            at > 0 && matches!(c, '-' | '+') && !matches!(word.as_bytes()[at - 1], b'e' | b'E')
        };
        let end = word.char_indices().find(is_start).map_or(word.len(), |(at, _)| at);
        let (part, left) = word.split_at(end);
        rest = Some(left).filter(|left| !left.is_empty());
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str) -> Option<Vec<f64>> {
        let mut all = Vec::new();
        Numbers::default().read(word, |number| all.push(number)).map(|()| all)
    }

    #[test]
    fn numbers_as_programs_write_them() {
        let cases: [(&str, &[f64]); 15] = [
            ("-1.5e-3", &[-1.5e-3]),
            ("1e+5", &[1e5]),
            (".5", &[0.5]),
            ("5.", &[5.0]),
            ("+5", &[5.0]),
            ("0.0-7.5", &[0.0, -7.5]),
            ("-1-2+3e-2-4", &[-1.0, -2.0, 0.03, -4.0]),
            ("0,5", &[0.5]),
            ("-0,5-7,25", &[-0.5, -7.25]),
            ("1,5e-3", &[1.5e-3]),
            ("1.5,", &[1.5]),
            ("1.5,2.5,3", &[1.5, 2.5, 3.0]),
            ("1;2;-3", &[1.0, 2.0, -3.0]),
            ("1,2,3", &[1.0, 2.0, 3.0]),
            (",", &[]),
        ];
        for (word, expected) in cases {
            assert_eq!(read(word).as_deref(), Some(expected), "{word}");
        }
    }

    #[test]
    fn what_is_no_finite_number_is_none() {
        for word in [
            "nan", "inf", "-inf", "1e999", "x", "1.2.3", "1-", "--1", "1e", "1.#QNAN", "1,,2", "0x10", "1.5m",
            "\u{fc}-1",
        ] {
            assert_eq!(read(word), None, "{word}");
        }
    }

    #[test]
    fn the_start_of_a_number_is_known() {
        for (word, expected) in
            [("-", true), ("1e", true), ("1e-", true), ("0.0-", true), ("x", false), ("nan", false), ("1.2.", false)]
        {
            assert_eq!(is_cut(word), expected, "{word}");
        }
    }
}
