//! Files with several skeletons.

use super::error::Fault;
use super::{Finding, Reading, ReadingPart};
use crate::text;

/// Checks the number of a wanted skeleton, from 1.
pub(super) fn check(wanted: Option<usize>, count: usize) -> Result<(), Fault> {
    match wanted.filter(|wanted| !(1..=count).contains(wanted)) {
        Some(wanted) => {
            let what = format!("skeleton {wanted} is asked for; the file has {}", text::count(count, "skeleton"));
            Err(Fault::new(what).advise("Read all skeletons, or one that the file has"))
        }
        None => Ok(()),
    }
}

/// A note that lists the skeletons, by name and number of joints. `None` unless there are several.
pub(super) fn finding<'a>(
    figures: impl Iterator<Item = (&'a str, usize)>,
    subject: &str,
    wanted: Option<usize>,
) -> Option<Finding> {
    let names: Vec<String> =
        figures.map(|(name, joints)| format!("{name} ({})", text::count(joints, "joint"))).collect();
    (names.len() > 1).then(|| {
        let what = match wanted {
            Some(wanted) => format!("skeleton {wanted} of {} is read, {}", names.len(), names[wanted - 1]),
            None => format!("{} skeletons are read as one rig: {}", names.len(), text::listed(&names)),
        };
        let meaning = "To read only one, with the clips that move it, give its number to --figure.";
        let all = wanted.map(|_| Reading { label: "all skeletons".into(), part: ReadingPart::Figure(None) });
        let each = names.iter().enumerate().filter(|(index, _)| wanted != Some(index + 1));
        let each = each
            .map(|(index, name)| Reading { label: name.clone(), part: ReadingPart::Figure(Some(index as u32 + 1)) });
        Finding::note(subject, what, meaning).with_readings(all.into_iter().chain(each))
    })
}
