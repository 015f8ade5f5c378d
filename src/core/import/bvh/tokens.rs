use super::{Fault, readable};

/// A word of the text and where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
}

impl Token<'_> {
    /// Case does not matter: writers disagree.
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

/// Splits text into words; braces are words of their own even without space around them.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { rest: text, line: 1, column: 1 }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next word, which must be there; `expected` is said when the text ends.
    pub fn next(&mut self, expected: &str) -> Result<Token<'a>, Fault> {
        self.advance().ok_or_else(|| self.ended(expected))
    }

    /// The next word without taking it.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().advance()
    }

    /// The fault of a text that is cut short.
    pub fn ended(&self, expected: &str) -> Fault {
        Fault::new(format!("the file ends, expected {expected}"))
            .at(format!("line {}, column {}", self.line, self.column))
            .advise("The file is cut short: copy or export it again")
    }

    /// Takes a word that must be this one.
    pub fn keyword(&mut self, word: &str) -> Result<Token<'a>, Fault> {
        let token = self.next(&format!("'{word}'"))?;
        if token.is(word) { Ok(token) } else { Err(token.expected(&format!("'{word}'"))) }
    }

    /// Takes a finite number.
    pub fn number(&mut self, what: &str) -> Result<f64, Fault> {
        let token = self.next(what)?;
        let number = token.text.parse::<f64>().ok().filter(|n| n.is_finite());
        number.ok_or_else(|| token.expected(&format!("{what} (a finite number)")))
    }

    /// Takes a whole number that is not negative.
    pub fn count(&mut self, what: &str) -> Result<u64, Fault> {
        let token = self.next(what)?;
        token.text.parse().map_err(|_| token.expected(&format!("{what} (a whole number)")))
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
        let (text, rest) = self.rest.split_at(len);
        let token = Token { text, line: self.line, column: self.column };
        self.rest = rest;
        self.column += len;
        Some(token)
    }

    fn skip_space(&mut self) {
        let space = self.rest.bytes().take_while(u8::is_ascii_whitespace).count();
        let (skipped, rest) = self.rest.split_at(space);
        match skipped.rfind('\n') {
            Some(last) => {
                self.line += skipped.bytes().filter(|&b| b == b'\n').count();
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
    fn numbers_must_be_finite() {
        for bad in ["nan", "inf", "1e999", "x", "1,5"] {
            let error = Tokens::new(bad).number("an angle").unwrap_err().to_string();
            assert!(error.contains("expected an angle") && error.contains("line 1, column 1"), "{error}");
        }
        assert_eq!(Tokens::new("-1.5e-3").number("an angle").unwrap(), -1.5e-3);
    }
}
