use super::lists::{FALLBACKS, OTHERS, SMALLEST};
use crate::codecs::{ChoiceError, Encoder, LineRules, ParamError, ParamValues, by_name_and_preset, encoders, is_on};
use thiserror::Error;

/// A codec with the values to try.
#[expect(missing_docs, reason = "the type says it")]
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The line: `CODEC[:PRESET] [KEY=VALUE]...`, with one space between words.
    pub line: String,
    pub codec: &'static dyn Encoder,
    pub values: ParamValues,
}

/// The errors of a candidate's line.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum CandidateError {
    /// An unknown codec or preset.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A value that does not fit its setting.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A word that is not `KEY=VALUE`.
    #[error("'{0}' is not a KEY=VALUE setting")]
    Pair(String),
    /// `automatic` itself as a candidate.
    #[error("'{0}' tries candidates and cannot be one itself; name another codec")]
    Recursive(&'static str),
}

/// The rules for lines of a list of candidates.
pub static CANDIDATE_LINES: LineRules = LineRules {
    name: "candidates",
    expected: "a list of CODEC[:PRESET] [KEY=VALUE]...",
    default: default_candidates,
    check: |lines| Candidate::parse_list(lines.iter().map(String::as_str)).map(drop),
};

/// The same for the candidates that are tried if none of those may win.
pub static FALLBACK_LINES: LineRules = LineRules {
    name: "fallbacks",
    expected: "a list of CODEC[:PRESET] [KEY=VALUE]...",
    default: || lines(FALLBACKS).map(str::to_owned).collect(),
    check: |lines| Candidate::parse_list(lines.iter().map(String::as_str)).map(drop),
};

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl Candidate {
    /// Reads `CODEC[:PRESET] [KEY=VALUE]...` with values in SI units, as on the command line.
    ///
    /// # Errors
    /// See [`CandidateError`].
    pub fn parse(line: &str) -> Result<Self, CandidateError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (codec, mut values) = by_name_and_preset(words.first().copied().unwrap_or_default())?;
        let codec = codec.encoder().ok_or(CandidateError::Recursive(codec.name()))?;
        for word in words.iter().skip(1) {
            let (key, value) = word.split_once('=').ok_or_else(|| CandidateError::Pair((*word).into()))?;
            values.set_text(codec.params(), key, value)?;
        }
        Ok(Self { line: words.join(" "), codec, values })
    }

    /// The candidate for a codec and values. Its line omits values at their defaults.
    pub fn of(codec: &'static dyn Encoder, values: &ParamValues) -> Self {
        let pairs = values.changed().map(|(key, value)| format!(" {key}={value}"));
        Self { line: pairs.fold(codec.name().to_owned(), |line, pair| line + &pair), codec, values: values.clone() }
    }

    /// The candidate with values that play in place. `None` if its codec has none.
    pub fn in_place(self) -> Option<Self> {
        let values = self.codec.in_place(&self.values)?;
        if values == self.values { Some(self) } else { Some(Self::of(self.codec, &values)) }
    }

    /// The candidates of a list. Empty lines and those that begin with [`OFF`](crate::settings::OFF) are skipped.
    ///
    /// # Errors
    /// [`ParamError::Line`] with the line's number.
    pub fn parse_list<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, ParamError> {
        let numbered = lines.into_iter().enumerate().filter(|(_, line)| is_on(line));
        let parse = |(index, line): (usize, &str)| {
            Self::parse(line).map_err(|e| ParamError::Line { line: index + 1, reason: e.to_string() })
        };
        numbered.map(parse).collect()
    }
}

/// The default list of candidates. It begins with the codecs that are usually smallest, so that the search can give up others early. Then
/// come the other lines of the lists, and every codec that no line names, with its defaults and each preset. A new codec therefore takes
/// part without an entry.
pub fn default_candidates() -> Vec<String> {
    let named: Vec<String> = lines(SMALLEST).chain(lines(OTHERS)).map(str::to_owned).collect();
    let is_new = |codec: &&'static dyn Encoder| {
        let name = |line: &String| line.split([' ', ':']).next() == Some(codec.name());
        !named.iter().any(name)
    };
    let new = encoders().filter(is_new).flat_map(|codec| {
        let presets = codec.info().presets.iter().map(|p| format!("{}:{}", codec.name(), p.name));
        std::iter::once(codec.name().to_owned()).chain(presets)
    });
    named.iter().cloned().chain(new).collect()
}

/// The candidates that are tried if nothing in the list is within the tolerance: codecs that search for the tolerance, and one without
/// loss.
pub fn fallbacks() -> Vec<Candidate> {
    Candidate::parse_list(lines(FALLBACKS)).expect("these lines are right")
}

fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().map(str::trim).filter(|line| is_on(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_what_it_says() {
        let candidate = Candidate::parse(" linear-keys:riot-order   order=smallest-error ").unwrap();
        assert_eq!(candidate.line, "linear-keys:riot-order order=smallest-error");
        let plain = Candidate::of(candidate.codec, &candidate.values);
        assert_eq!(plain.line, "linear-keys layout=time-needed order=smallest-error");
        assert_eq!(Candidate::parse(&plain.line).unwrap().values, candidate.values);
    }

    #[test]
    fn wrong_lines_are_named_by_number_and_reason() {
        let text = "# two formats\n\nquantize\n#quantize speed=9\nquantize rotation_format=fixed99\n";
        let error = Candidate::parse_list(text.lines()).unwrap_err().to_string();
        assert!(error.starts_with("line 5: ") && error.contains("fixed99") && error.contains("fixed48"), "{error}");
        let list = Candidate::parse_list(text.lines().take(4)).unwrap();
        assert_eq!(list.iter().map(|c| c.line.as_str()).collect::<Vec<_>>(), ["quantize"]);
        for (line, word) in [
            ("quantise", "'quantise'"),
            ("quantize fixed48", "KEY=VALUE"),
            ("quantize:fast", "'fast'"),
            ("quantize speed=9", "'speed'"),
            ("automatic", "cannot be one"),
        ] {
            let error = Candidate::parse(line).unwrap_err().to_string();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
