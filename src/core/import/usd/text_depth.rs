//! The nesting of a layer in text. Its parser calls itself once per level, so that endless nesting would end the program.

use super::{Ask, Budget, Fault};
use logos::Logos;
use openusd::usda::parser::Parser;
use openusd::usda::token::Token;

/// Deepest nesting. Scenes have some tens of levels.
const MAX_DEPTH: usize = 256;

/// Memory for a text, per byte: short prims take most.
const BYTES_A_BYTE: u64 = 64;

/// Checks a layer in text before it is parsed. Long names of prims count for every
/// property below them, since its paths are stored whole. Returns the text.
pub(super) fn check<'a>(bytes: &'a [u8], budget: &Budget) -> Result<&'a str, Fault> {
    budget.claim(Ask::Parsed, BYTES_A_BYTE * bytes.len() as u64)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::new("it is not text in UTF-8, and no binary layer").at(format!("byte {}", error.valid_up_to()))
    })?;
    let (mut depth, mut paths) = (0usize, Paths::default());
    for (token, at) in Token::lexer(text).spanned() {
        let token =
            token.map_err(|()| Fault::new("it has characters that are no part of USD").at(line(text, at.start)))?;
        paths.pass(&token);
        match token {
            Token::Punctuation('{' | '[' | '(') => depth += 1,
            Token::Punctuation('}' | ']' | ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let what = format!("its brackets are nested more than {MAX_DEPTH} deep");
            return Err(Fault::new(what).at(line(text, at.start)));
        }
    }
    budget.claim(Ask::Parsed, paths.bytes)?;
    Ok(text)
}

/// The place of the first error that the parser finds in a text.
pub(super) fn place_of_error(text: &str) -> Option<String> {
    let mut parser = Parser::new(text);
    parser.parse().err()?;
    parser.last_error_highlight().map(|error| format!("line {}, column {}", error.line, error.column))
}

fn line(text: &str, at: usize) -> String {
    format!("line {}", text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1)
}

/// Lengths of the paths in a text.
#[derive(Default)]
struct Paths {
    /// Bytes of all paths.
    bytes: u64,
    /// Length of the path of the open prim, and the lengths of the names in it.
    length: u64,
    names: Vec<u64>,
    /// True between the start of a prim and its name.
    is_named_next: bool,
    name: u64,
}

impl Paths {
    fn pass(&mut self, token: &Token<'_>) {
        match token {
            Token::Def | Token::Over | Token::Class => self.is_named_next = true,
            Token::String(name) if self.is_named_next => (self.name, self.is_named_next) = (name.len() as u64, false),
            Token::Punctuation('{') => {
                self.length += self.name;
                self.names.push(std::mem::take(&mut self.name));
            }
            Token::Punctuation('}') => self.length -= self.names.pop().unwrap_or_default(),
            _ => {}
        }
        if matches!(token, Token::Punctuation('{' | '=')) {
            self.bytes = self.bytes.saturating_add(self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sound(text: &str) -> bool {
        check(text.as_bytes(), &Budget::new(text.len())).is_ok()
    }

    #[test]
    fn only_brackets_outside_of_strings_and_comments_nest() {
        let deep = "[".repeat(MAX_DEPTH + 1);
        assert!(!is_sound(&deep) && is_sound(&deep[1..]));
        for text in [format!("# {deep}"), format!("\"{deep}\""), format!("'''\n{deep}'''"), format!("@{deep}@")] {
            assert!(is_sound(&text), "{text}");
        }
        assert!(!is_sound(&format!("# \n\"a\" {deep}")), "after them");
        assert!(!is_sound(&"(\")\" ".repeat(MAX_DEPTH + 1)), "an end in a string closes nothing");
    }

    #[test]
    fn a_long_name_counts_for_all_that_stands_below_it() {
        let prims = |name: usize| format!("def \"{}\" {{ {} }}", "a".repeat(name), "int x = 1 ".repeat(40_000));
        assert!(is_sound(&prims(10)) && !is_sound(&prims(1_000_000)));
    }
}
