//! Numbers as text for people, the same in the window and in the terminal.
//!
//! Bytes in units of 1024, lengths in mm, cm or m, and a typographic minus sign. A missing measurement is [`NOT_MEASURED`], never 0.

use std::fmt::Display;

/// Shown for a missing measurement.
pub const NOT_MEASURED: &str = "–";

const THIN_SPACE: char = '\u{2009}';
const MINUS: char = '\u{2212}';

/// `812 B`, `5.1 KB`, `118.7 KB`, `1.9 MB` (1 KB = 1024 bytes).
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    // 1023.96 KB would be printed as 1024.0 KB.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A difference of sizes, always signed: `+20.6 KB`.
pub fn signed_bytes(difference: i64) -> String {
    let sign = if difference < 0 { MINUS } else { '+' };
    format!("{sign}{}", bytes(difference.unsigned_abs()))
}

/// Every digit, in groups of three: `3 082`.
pub fn exact(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN_SPACE);
        }
        out.push(digit);
    }
    out
}

/// The text with a capital first letter, unless its first word is a name: `walk.glb`, `linear-keys`.
pub fn capital(text: &str) -> String {
    let first_word = text.split([' ', ',', ':']).next().unwrap_or_default();
    if !first_word.chars().all(char::is_alphabetic) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A name of a file or text about it, safe to print: characters that control a terminal, end the line or reverse the reading order are
/// escaped.
pub fn escaped(text: &str) -> String {
    escaped_if(text, steers)
}

/// As [`escaped`], for text of several lines: line ends and tabs stay.
pub fn escaped_lines(text: &str) -> String {
    escaped_if(text, |letter| steers(letter) && !matches!(letter, '\n' | '\t'))
}

fn escaped_if(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_escaped(letter) { out.extend(letter.escape_default()) } else { out.push(letter) }
    }
    out
}

/// True for control characters, line ends and direction marks.
pub(crate) fn steers(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number of things: `1 clip`, `3 meshes`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun {
        _ if number == 1 => "",
        "mesh" => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}

/// A length in metres: `0.09 mm`, `3.4 mm`, `12.4 cm`, `1.70 m`.
pub fn length(metres: f32) -> String {
    let mm = f64::from(metres) * 1000.0;
    match mm.abs() {
        // The limits are where rounding would print the next unit's first number.
        size if size < 0.995 => number(mm, 2, "mm"),
        size if size < 99.95 => number(mm, 1, "mm"),
        size if size < 999.5 => number(mm / 10.0, 1, "cm"),
        _ => number(mm / 1000.0, 2, "m"),
    }
}

/// Like [`length`], with four digits below 0.01 mm: for limits, and for lengths beside them, which would read as zero.
pub fn fine_length(metres: f32) -> String {
    let mm = f64::from(metres) * 1000.0;
    if mm > 0.0 && mm < 0.009_95 { number(mm, 4, "mm") } else { length(metres) }
}

/// A speed in metres per second: `4.1 cm/s`, from 1 m/s on `1.31 m/s`.
pub fn speed(metres_per_second: f32) -> String {
    let cm = f64::from(metres_per_second) * 100.0;
    if cm.abs() < 99.95 { number(cm, 1, "cm/s") } else { number(cm / 100.0, 2, "m/s") }
}

/// A time in a clip: `00:01.233`.
pub fn clock(time_secs: f32) -> String {
    let millis = (f64::from(time_secs.max(0.0)) * 1000.0).round() as u64;
    format!("{:02}:{:02}.{:03}", millis / 60_000, millis / 1000 % 60, millis % 1000)
}

/// Samples as frame numbers. Animation programs number the first frame 0, 1 or 1001.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameNumbers {
    /// Number of the first sample.
    pub first: i32,
}

impl FrameNumbers {
    /// A place in samples as a frame number, which may be fractional.
    pub fn at(self, sample: f64) -> f64 {
        sample + f64::from(self.first)
    }

    /// A place in samples as text: `f37`, `f36.5`.
    pub fn frame(self, sample: f64) -> String {
        let tenths = (self.at(sample) * 10.0).round() / 10.0;
        if tenths.fract() == 0.0 { format!("f{tenths:.0}") } else { format!("f{tenths:.1}") }
    }

    /// A range of samples: `f35–53`.
    pub fn frames(self, first: usize, last: usize) -> String {
        let [first, last] = [first, last].map(|sample| self.at(sample as f64));
        format!("f{first}–{last}")
    }

    /// A range of samples in a loop with the last sample `end`. It may cross the seam: `f79–3 across the seam`.
    pub fn frames_round(self, first: usize, last: usize, end: usize) -> String {
        match last > end {
            true => format!("{} across the seam", self.frames(first, last - end)),
            false => self.frames(first, last),
        }
    }
}

/// Time that work took: `38 ms`, `1.4 s`; below a millisecond `7.4 ns`, `12.5 µs`.
pub fn work(secs: f32) -> String {
    let secs = f64::from(secs);
    match secs {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// A compression ratio: `18.8 : 1`.
pub fn ratio(ratio: f32) -> String {
    format!("{ratio:.1} : 1")
}

/// A share: `59.0 %`.
pub fn percent(fraction: f32) -> String {
    format!("{} %", signed(f64::from(fraction) * 100.0, 1))
}

/// A sample rate: `30 Hz`, `29.97 Hz`.
pub fn rate(hertz: f64) -> String {
    let hundredths = (hertz * 100.0).round() / 100.0;
    format!("{hundredths} Hz")
}

/// Duration of a clip: `3.07 s`.
pub fn duration(secs: f32) -> String {
    number(f64::from(secs), 2, "s")
}

/// Metres as millimetres with the same decimal digits, for files that programs read: 0.0001 m is 0.1 mm, not 0.10000000474974513.
pub fn millimetres(metres: f32) -> f64 {
    shifted(metres, 3)
}

/// Moves the decimal point of a number to the right by `digits`, and keeps its decimal digits.
pub fn shifted<T: Copy + Display + Into<f64>>(value: T, digits: i32) -> f64 {
    // A float prints as the shortest decimal that reads back to it; moving the point keeps those digits.
    format!("{value}e{digits}").parse().unwrap_or(value.into() * 10f64.powi(digits))
}

/// A distance from a camera: `0.5 m`, `12.4 m`, `120 m`.
pub fn distance(metres: f32) -> String {
    number(f64::from(metres), usize::from(metres.abs() < 100.0), "m")
}

/// A length on a screen: `0.031 px`, `0.31 px`, `3.1 px`.
pub fn pixels(pixels: f32) -> String {
    let digits = match pixels.abs() {
        small if small < 0.1 => 3,
        middle if middle < 1.0 => 2,
        _ => 1,
    };
    number(f64::from(pixels), digits, "px")
}

/// A number with a typographic minus sign and its unit.
pub fn number(value: f64, digits: usize, unit: &str) -> String {
    format!("{} {unit}", signed(value, digits))
}

/// Uses a typographic minus sign, and none before a number that rounds to zero.
fn signed(value: f64, digits: usize) -> String {
    let size = format!("{:.digits$}", value.abs());
    let is_zero = size.bytes().all(|b| b == b'0' || b == b'.');
    if value < 0.0 && !is_zero { format!("{MINUS}{size}") } else { size }
}

/// The first six names of a list, and the number of the others.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 6;
    let shown: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(MOST);
    let shown = shown.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// `; did you mean 'walk'?` for an unknown name with a similar known one. Empty if none is similar.
pub fn perhaps(found: &str, known: &[&str]) -> String {
    /// Similarity from which two names look like one with a typing mistake; 1 is equal.
    const SIMILAR: f64 = 0.7;
    let similar = known.iter().map(|name| (strsim::jaro_winkler(found, name), name));
    let nearest = similar.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(similarity, _)| *similarity >= SIMILAR);
    nearest.map_or(String::new(), |(_, name)| format!("; did you mean '{name}'?"))
}

/// A message of serde about an unknown field or variant, with the nearest known name. Other messages stay as they are.
pub fn with_nearest(message: String) -> String {
    let unknown = message.find("unknown field `").or_else(|| message.find("unknown variant `"));
    let names: Vec<&str> = unknown.map_or_else(Vec::new, |at| message[at..].split('`').skip(1).step_by(2).collect());
    let nearest = names.split_first().map_or(String::new(), |(found, known)| perhaps(found, known));
    if nearest.is_empty() { message } else { format!("{}{nearest}", message.trim_end()) }
}

/// For each name, the largest number of leading characters that it shares with another name.
pub fn shared_leads(names: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|index| names[*index]);
    let mut leads = vec![0; names.len()];
    for pair in order.windows(2) {
        let letters = names[pair[0]].chars().zip(names[pair[1]].chars());
        let shared = letters.take_while(|(a, b)| a == b).count();
        for name in pair {
            leads[*name] = leads[*name].max(shared);
        }
    }
    leads
}

/// The start that all names share, up to the end of a word, if it has at least three letters and leaves something of
/// each name. Empty names do not count.
pub fn shared_words<'a>(names: &[&'a str]) -> &'a str {
    /// A shorter start is not worth the loss.
    const LEAST: usize = 3;
    let mut names = names.iter().copied().filter(|name| !name.is_empty());
    let Some(first) = names.next() else { return "" };
    let (mut shared, mut others) = (first, 0);
    for name in names {
        let same = shared.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, letter), _)| at + letter.len_utf8());
        (shared, others) = (&shared[..end], others + 1);
    }
    let end = shared.char_indices().rev().find(|(_, letter)| !letter.is_alphanumeric());
    match end.map(|(at, letter)| &shared[..at + letter.len_utf8()]) {
        Some(start) if others > 0 && start.chars().count() >= LEAST => start,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_begins_with_a_capital_letter_and_a_name_stays_as_it_is() {
        let all = ["the clips take 3 KB", "walk.glb: cut short", "linear-keys ignores it", "at 3 s", "", "12 mm"]
            .map(capital);
        assert_eq!(
            all,
            ["The clips take 3 KB", "walk.glb: cut short", "linear-keys ignores it", "At 3 s", "", "12 mm"]
        );
    }

    #[test]
    fn sizes_read_as_the_visual_language_says() {
        let all = [812, 5_222, 121_549, 1_992_294, 1023, 1024, 1_048_575].map(bytes);
        assert_eq!(all, ["812 B", "5.1 KB", "118.7 KB", "1.9 MB", "1023 B", "1.0 KB", "1.0 MB"]);
        assert_eq!(exact(3082), "3\u{2009}082");
        assert_eq!(exact(999), "999");
        assert_eq!(exact(1_048_576), "1\u{2009}048\u{2009}576");
        assert_eq!([signed_bytes(21_094), signed_bytes(-512)], ["+20.6 KB", "\u{2212}512 B"]);
    }

    #[test]
    fn lengths_change_unit_where_the_rounded_number_would() {
        let all = [0.0, 0.000_09, 0.000_996, 0.003_4, 0.099_94, 0.099_96, 0.124, 1.7].map(length);
        assert_eq!(all, ["0.00 mm", "0.09 mm", "1.0 mm", "3.4 mm", "99.9 mm", "10.0 cm", "12.4 cm", "1.70 m"]);
        let fine = [0.0, 0.000_000_1, 0.000_009_9, 0.000_01, 0.001_2].map(fine_length);
        assert_eq!(fine, ["0.00 mm", "0.0001 mm", "0.0099 mm", "0.01 mm", "1.2 mm"]);
        assert_eq!([length(-0.003_4), length(-0.000_001)], ["\u{2212}3.4 mm", "0.00 mm"]);
        assert_eq!([speed(0.041), speed(-1.31)], ["4.1 cm/s", "\u{2212}1.31 m/s"]);
    }

    #[test]
    fn what_controls_a_terminal_is_escaped_in_lines_and_texts() {
        let text = "Hüfte\tleft\r\n\u{1b}[31m\u{202e}";
        assert_eq!(escaped(text), "Hüfte\\tleft\\r\\n\\u{1b}[31m\\u{202e}");
        assert_eq!(escaped_lines(text), "Hüfte\tleft\\r\n\\u{1b}[31m\\u{202e}");
    }

    #[test]
    fn names_share_letters_with_those_that_begin_most_like_them() {
        assert_eq!(shared_leads(&["walk_left", "idle", "walk_back", "walk_lead"]), [7, 0, 5, 7]);
        assert_eq!(shared_leads(&["M\u{fc}ller a", "M\u{fc}ller b"]), [7, 7], "letters, not bytes");
        assert_eq!(shared_leads(&["alone"]), [0]);
        assert_eq!(shared_leads(&[]), [0; 0]);
    }

    #[test]
    fn all_names_share_whole_words() {
        assert_eq!(shared_words(&["ds1_walk_left", "", "ds1_walk_back", "ds1_wait"]), "ds1_");
        assert_eq!(shared_words(&["Armature|walk", "Armature|walking"]), "Armature|", "a name stays whole");
        assert_eq!(shared_words(&["m\u{fc}d_a", "m\u{fc}d_b"]), "m\u{fc}d_");
        for alone in [&["walk_left"][..], &["walk", "walking"], &["a_x", "a_y"], &["walk_", "run_"], &[]] {
            assert_eq!(shared_words(alone), "");
        }
    }

    #[test]
    fn times_frames_and_work() {
        assert_eq!([clock(1.233), clock(61.0), clock(-1.0)], ["00:01.233", "01:01.000", "00:00.000"]);
        let from_0 = FrameNumbers::default();
        assert_eq!([37.0, 36.5, 36.999].map(|sample| from_0.frame(sample)), ["f37", "f36.5", "f37"]);
        assert_eq!(from_0.frames(35, 53), "f35–53");
        assert_eq!(from_0.frames_round(79, 95, 92), "f79–3 across the seam");
        assert_eq!(from_0.frames_round(79, 92, 92), "f79–92");
        let from_1001 = FrameNumbers { first: 1001 };
        assert_eq!([0.0, 36.5].map(|sample| from_1001.frame(sample)), ["f1001", "f1037.5"]);
        assert_eq!(from_1001.frames_round(79, 95, 92), "f1080–1004 across the seam");
        assert_eq!([work(7.4e-9), work(12.5e-6), work(0.038), work(1.4)], ["7.4 ns", "12.5 µs", "38 ms", "1.4 s"]);
        assert_eq!([ratio(18.84), percent(0.59), rate(29.97), rate(30.0)], ["18.8 : 1", "59.0 %", "29.97 Hz", "30 Hz"]);
    }

    #[test]
    fn millimetres_keep_the_digits_of_the_metres() {
        for (metres, mm) in [(0.0001, 0.1), (0.00001, 0.01), (0.0034, 3.4), (0.000_123_456, 0.123_456), (0.03, 30.0)] {
            assert_eq!(millimetres(metres), mm);
        }
        assert_eq!([shifted(0.25f32, 3), shifted(0.1f64, -3)], [250.0, 0.0001]);
    }

    #[test]
    fn a_typing_mistake_finds_the_name_and_another_word_does_not() {
        let known = ["tolerance_m", "shell_m", "codec"];
        assert_eq!(perhaps("tolerence_m", &known), "; did you mean 'tolerance_m'?");
        let of_serde = "at line 1\nunknown field `modee`, expected one of `method`, `mode`\n".to_owned();
        assert!(with_nearest(of_serde).ends_with("`mode`; did you mean 'mode'?"));
        assert_eq!(with_nearest("invalid type".into()), "invalid type");
        assert_eq!(perhaps("budget", &known), "");
        assert_eq!(perhaps("codec", &[]), "");
    }

    #[test]
    fn long_lists_of_names_end_with_how_many_more_there_are() {
        assert_eq!(listed(&["a", "b"]), "a, b");
        assert_eq!(listed(&["a", "b", "c", "d", "e", "f", "g", "h"]), "a, b, c, d, e, f and 2 more");
        assert_eq!(listed::<&str>(&[]), "");
    }
}
