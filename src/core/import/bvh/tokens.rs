use super::numbers::{Numbers, finite};
use super::{Fault, readable};
use std::cmp::Ordering;

/// Limit below which a float64 stores every whole number exactly.
const MOST_EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// A word of the text, with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
}

impl Token<'_> {
    /// True if it is this word. Ignores case, since programs differ.
    pub fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    /// `line 3, column 7`.
    pub fn place(&self) -> String {
        format!("line {}, column {}", self.line, self.column)
    }

    /// A fault at this word.
    pub fn expected(&self, what: &str) -> Fault {
        let shown: String = self.text.chars().take(40).collect();
        Fault::new(format!("found '{shown}', expected {what}")).at(self.place())
    }
}

/// A line of the text, or the rest of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    text: &'a str,
    /// From 1.
    pub number: usize,
    /// Column of its first character, from 1, in bytes.
    column: usize,
    /// True if a line end follows, false at the end of the text.
    is_ended: bool,
}

impl<'a> Line<'a> {
    /// Words of the line, split at spaces only.
    pub fn words(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let Self { text, number, column, .. } = *self;
        text.split_ascii_whitespace().map(move |word| {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            Token { text: word, line: number, column: column + at }
        })
    }

    /// True for the last word of the text, which may be cut.
    pub fn is_cut_at(&self, word: Token<'_>) -> bool {
        !self.is_ended && word.column + word.text.len() == self.column + self.text.len()
    }
}

/// Splits text into words. Braces are separate words, even without spaces around them.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Tokens<'a> {
    /// Words of a text. Zeros and end-of-file characters at its end are ignored.
    pub fn new(text: &'a str) -> Self {
        Self { rest: text.trim_end_matches(['\0', '\u{1a}']), line: 1, column: 1 }
    }

    /// Number of bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Takes the next word. At the end of the text, returns a fault with `expected`.
    pub fn next(&mut self, expected: &str) -> Result<Token<'a>, Fault> {
        self.advance().ok_or_else(|| self.ended(expected))
    }

    /// Returns the next word without taking it.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().advance()
    }

    /// The fault of a text that is cut short.
    pub fn ended(&self, expected: &str) -> Fault {
        Fault::new(format!("the file ends, expected {expected}"))
            .at(format!("line {}, column {}", self.line, self.column))
            .advise("The file is cut short: copy or export it again")
    }

    /// Takes this word. Returns a fault for another word.
    pub fn keyword(&mut self, word: &str) -> Result<Token<'a>, Fault> {
        let token = self.next(&format!("'{word}'"))?;
        if token.is(word) { Ok(token) } else { Err(token.expected(&format!("'{word}'"))) }
    }

    /// Takes `N` finite numbers. A word may have several.
    pub fn numbers<const N: usize>(&mut self, what: &str, numbers: &mut Numbers) -> Result<[f64; N], Fault> {
        let mut all = Vec::with_capacity(N);
        loop {
            let token = self.next(what)?;
            let expected = || token.expected(&format!("{what} ({N} finite numbers)"));
            numbers.read(token.text, |number| all.push(number)).ok_or_else(expected)?;
            match all.len().cmp(&N) {
                Ordering::Less => {}
                Ordering::Equal => return all.try_into().map_err(|_| expected()),
                Ordering::Greater => return Err(expected()),
            }
        }
    }

    /// Takes a whole number that is not negative.
    pub fn count(&mut self, what: &str) -> Result<u64, Fault> {
        let token = self.next(what)?;
        let whole = |number: &f64| *number >= 0.0 && number.fract() == 0.0 && *number < MOST_EXACT;
        let written_as_float = || finite(token.text).filter(whole).map(|number| number as u64);
        let count = token.text.parse().ok().or_else(written_as_float);
        count.ok_or_else(|| token.expected(&format!("{what} (a whole number)")))
    }

    /// Returns the letters that come next, without taking them. Empty if no letters come next.
    pub fn peek_letters(&self) -> &'a str {
        let mut ahead = self.clone();
        ahead.skip_space();
        let len = ahead.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        &ahead.rest[..len]
    }

    /// Takes these letters, if they come next.
    pub fn take_letters(&mut self, word: &str) -> bool {
        let is_next = self.peek_letters().eq_ignore_ascii_case(word);
        if is_next {
            self.skip_space();
            self.skip(word.len());
        }
        is_next
    }

    /// Takes a colon or an equals sign, if it comes next.
    pub fn skip_colon(&mut self) {
        let mut ahead = self.clone();
        ahead.skip_space();
        if ahead.rest.starts_with([':', '=']) {
            ahead.skip(1);
            *self = ahead;
        }
    }

    /// Takes the rest of a line; `None` at the end of the text.
    pub fn line(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let len = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
        let (text, end) = self.rest.split_at(len);
        let line = Line { text, number: self.line, column: self.column, is_ended: !end.is_empty() };
        let end_len = if end.starts_with("\r\n") { 2 } else { end.len().min(1) };
        (self.rest, self.line, self.column) = (&end[end_len..], self.line + 1, 1);
        Some(line)
    }

    /// Takes words up to the end of the line or a brace: a joint's name may contain spaces.
    pub fn rest_of_line(&mut self) -> String {
        let line = self.line;
        let mut words = Vec::new();
        while let Some(token) = self.peek().filter(|t| t.line == line && t.text != "{" && t.text != "}") {
            words.push(token.text);
            self.advance();
        }
        readable(&words.join(" "))
    }

    fn advance(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let len = match self.rest.find(|c: char| c.is_ascii_whitespace() || c == '{' || c == '}') {
            Some(0) => 1, // a brace
            Some(len) => len,
            None => self.rest.len(),
        };
        if len == 0 {
            return None;
        }
        let token = Token { text: &self.rest[..len], line: self.line, column: self.column };
        self.skip(len);
        Some(token)
    }

    /// Advances within a line.
    fn skip(&mut self, len: usize) {
        self.rest = &self.rest[len..];
        self.column += len;
    }

    /// Advances past spaces and line ends. Lines end with LF, CR LF or CR.
    fn skip_space(&mut self) {
        let space = self.rest.bytes().take_while(u8::is_ascii_whitespace).count();
        let (skipped, rest) = self.rest.split_at(space);
        match skipped.rfind(['\n', '\r']) {
            Some(last) => {
                let pairs = skipped.matches("\r\n").count();
                self.line += skipped.matches(['\n', '\r']).count() - pairs;
                self.column = skipped.len() - last;
            }
            None => self.column += space,
        }
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_place() {
        let mut tokens = Tokens::new("ROOT Hips{\r\n\tOFFSET  1\n}");
        let mut place = || tokens.advance().map(|t| (t.text, t.line, t.column));
        assert_eq!(place(), Some(("ROOT", 1, 1)));
        assert_eq!(place(), Some(("Hips", 1, 6)));
        assert_eq!(place(), Some(("{", 1, 10)));
        assert_eq!(place(), Some(("OFFSET", 2, 2)));
        assert_eq!(place(), Some(("1", 2, 10)));
        assert_eq!(place(), Some(("}", 3, 1)));
        assert_eq!(place(), None);
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a", "", "b c"].join(end);
            let mut tokens = Tokens::new(&text);
            let places: Vec<_> = std::iter::from_fn(|| tokens.advance()).map(|t| (t.line, t.column)).collect();
            assert_eq!(places, [(1, 1), (3, 1), (3, 3)], "{end:?}");
            let mut tokens = Tokens::new(&text);
            let lines: Vec<_> = std::iter::from_fn(|| tokens.line()).map(|l| (l.number, l.words().count())).collect();
            assert_eq!(lines, [(1, 1), (2, 0), (3, 2)], "{end:?}");
        }
    }

    #[test]
    fn numbers_must_be_finite_and_as_many_as_are_asked_for() {
        for bad in ["nan", "inf", "1e999", "x", "1 2,5-3"] {
            let error = Tokens::new(bad).numbers::<2>("an angle", &mut Numbers::default()).unwrap_err().to_string();
            assert!(error.contains("expected an angle") && error.contains("line 1, column"), "{error}");
        }
        let read = |text: &str| Tokens::new(text).numbers::<2>("an angle", &mut Numbers::default()).unwrap();
        assert_eq!([read("-1.5e-3 2"), read("-1.5e-3-2")], [[-1.5e-3, 2.0], [-1.5e-3, -2.0]]);
    }

    #[test]
    fn counts_may_be_written_as_floats() {
        let count = |text: &str| Tokens::new(text).count("frames").ok();
        assert_eq!(["31", "31.0", "18446744073709551615"].map(count), [Some(31), Some(31), Some(u64::MAX)]);
        assert_eq!(["-1", "1.5", "x", "nan", "1e300"].map(count), [None; 5]);
    }
}
