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
