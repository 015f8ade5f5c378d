use crate::import::{Finding, LengthUnit};
use crate::tasks::{Library, LoadedSource};

/// Open files with the same joints whose lengths are probably in the same other unit. The user answers once for all of them.
#[derive(Debug, Clone)]
pub struct UnitQuestion<'a> {
    /// The unit in which their lengths are plausible.
    pub unit: LengthUnit,
    /// The files with their findings, in the order in which they were opened.
    pub files: Vec<(&'a LoadedSource, &'a Finding)>,
}

impl UnitQuestion<'_> {
    /// Ids of the files.
    pub fn sources(&self) -> Vec<u32> {
        self.files.iter().map(|(source, _)| source.id).collect()
    }

    /// The factor for all lengths.
    pub fn factor(&self) -> f32 {
        self.unit.metres()
    }
}

/// The open questions about units. Files for which `is_decided` returns true are left out.
pub fn unit_questions(library: &Library, is_decided: impl Fn(u32) -> bool) -> Vec<UnitQuestion<'_>> {
    let mut questions: Vec<UnitQuestion<'_>> = Vec::new();
    for source in library.sources().iter().filter(|source| !is_decided(source.id)) {
        let found = source.findings.iter().find_map(|finding| Some((finding, finding.suggested_unit?)));
        let Some((finding, unit)) = found else {
            continue;
        };
        let same =
            |question: &&mut UnitQuestion<'_>| question.unit == unit && question.files[0].0.has_joints_of(source);
        match questions.iter_mut().find(same) {
            Some(question) => question.files.push((source, finding)),
            None => questions.push(UnitQuestion { unit, files: vec![(source, finding)] }),
        }
    }
    questions
}
