use crate::settings::{LineRules, ParamError};
use std::fmt;
use wildmatch::WildMatch;

/// The name of the world in marks and reports.
pub(in crate::metrics) const WORLD: &str = "world";
/// Stands between the two names of a mark.
const ON: &str = " on ";
/// Rules for [`ContactSettings::pins`](super::ContactSettings::pins).
pub(super) static PIN_MARKS: LineRules = LineRules {
    name: "pin",
    expected: "JOINT on SPACE, such as 'hand.l on sword'",
    default: Vec::new,
    check: check_marks,
};

/// A mark: pins of these joints on these spaces are judged.
///
/// ```
/// use posepress_core::metrics::PinMark;
///
/// let mark = PinMark::parse("hand.? on *sword*").unwrap();
/// assert!(mark.matches("hand.l", "2h_sword") && !mark.matches("hand.l", "world"));
/// assert!(PinMark::parse("*").unwrap().matches("hips", "world"));
/// assert_eq!(PinMark::parse(" on sword"), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PinMark {
    /// Name of the joint that keeps still, or a pattern of names.
    pub joint: String,
    /// Name of the joint on which it keeps still, `world`, or a pattern of names.
    pub on: String,
}

impl PinMark {
    /// Reads `JOINT on SPACE`. A joint alone means its pins on everything. `None` if a name is missing.
    pub fn parse(line: &str) -> Option<Self> {
        let (joint, on) = line.split_once(ON).unwrap_or((line, "*"));
        let [joint, on] = [joint, on].map(|name| name.trim().to_owned());
        (!joint.is_empty() && !on.is_empty()).then_some(Self { joint, on })
    }

    /// True if a pin of that joint on that space is marked.
    pub fn matches(&self, joint: &str, on: &str) -> bool {
        WildMatch::new(&self.joint).matches(joint) && WildMatch::new(&self.on).matches(on)
    }

    /// True if a line marks the same pins, at least.
    fn is_in(&self, line: &str) -> bool {
        Self::parse(line).is_some_and(|mark| mark.matches(&self.joint, &self.on))
    }

    /// Adds the mark to lines of marks, unless a line has it already.
    pub fn mark(&self, lines: &mut Vec<String>) {
        if !lines.iter().any(|line| self.is_in(line)) {
            lines.push(self.to_string());
        }
    }

    /// Removes the mark from lines of marks. Other marks of `known` that a pattern of those lines had are kept, each by its names.
    pub fn unmark(&self, lines: &mut Vec<String>, known: &[Self]) {
        let (gone, mut kept): (Vec<_>, Vec<_>) = lines.drain(..).partition(|line| self.is_in(line));
        let others = known.iter().filter(|mark| *mark != self && gone.iter().any(|line| mark.is_in(line)));
        others.for_each(|mark| mark.mark(&mut kept));
        *lines = kept;
    }
}

/// The line of the mark: `hand.l on sword`.
impl fmt::Display for PinMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{ON}{}", self.joint, self.on)
    }
}

fn check_marks(lines: &[String]) -> Result<(), ParamError> {
    let wrong = lines.iter().position(|line| PinMark::parse(line).is_none());
    let reason = || format!("expected {}", PIN_MARKS.expected);
    wrong.map_or(Ok(()), |index| Err(ParamError::Line { line: index + 1, reason: reason() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_added_once_and_taken_out_of_patterns() {
        let known = ["hand.l on sword", "hand.r on sword", "hips on world"].map(|line| PinMark::parse(line).unwrap());
        let mut lines = Vec::new();
        known[0].mark(&mut lines);
        known[0].mark(&mut lines);
        assert_eq!(lines, ["hand.l on sword"]);
        let mut lines = vec!["*".to_owned()];
        known[1].mark(&mut lines);
        assert_eq!(lines, ["*"]);
        known[1].unmark(&mut lines, &known);
        assert_eq!(lines, ["hand.l on sword", "hips on world"]);
        known[2].unmark(&mut lines, &known);
        assert_eq!(lines, ["hand.l on sword"]);
    }

    #[test]
    fn a_line_without_a_name_is_refused_with_its_number() {
        let lines = ["hips".to_owned(), "hips on ".to_owned()];
        assert!(matches!(check_marks(&lines), Err(ParamError::Line { line: 2, .. })));
        assert_eq!(check_marks(&lines[..1]), Ok(()));
    }
}
