use super::Candidate;
use crate::codecs::Progress;
use serde::{Deserialize, Serialize};

/// The state of one candidate during and after a search.
#[expect(missing_docs, reason = "the type says it")]
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRow {
    pub candidate: Candidate,
    pub state: CandidateState,
    /// True for the smallest result within the tolerance, which is kept.
    pub is_winner: bool,
}

/// The progress of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CandidateState {
    /// Not started.
    Waiting,
    /// Being encoded or measured.
    Running,
    /// Failed, with the reason.
    Failed(String),
    /// Given up before measuring: it takes at least this many bytes, and a result of this size or less is known.
    Larger(usize),
    /// Encoded, decoded and measured.
    Measured(CandidateFigures),
}

/// The measurements of a candidate.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct CandidateFigures {
    /// Size of the whole clip with this codec, bytes.
    pub bytes: usize,
    /// Largest shell error at the samples of the decoded clip.
    pub max_error_m: f32,
    /// True if the error is within the tolerance.
    pub within: bool,
    /// Largest slide of a contact. `None` without contacts, or if contacts were not measured.
    pub slide_m: Option<f32>,
    /// True if no contact slides too far.
    pub holds_feet: bool,
    /// Time of the encoder.
    pub encode_secs: Option<f32>,
}

/// Compares everything but times, which differ from run to run.
impl PartialEq for CandidateFigures {
    fn eq(&self, other: &Self) -> bool {
        let all = |f: &Self| (f.bytes, f.max_error_m, f.within, f.slide_m, f.holds_feet);
        all(self) == all(other)
    }
}

/// A [`CandidateRow`] as plain data: the line, state and victory of the candidate.
pub type CandidateRecord = (String, CandidateState, bool);

impl CandidateRow {
    /// The row as plain data.
    pub fn record(&self) -> CandidateRecord {
        (self.candidate.line.clone(), self.state.clone(), self.is_winner)
    }

    /// The row of a record. `None` if it is of another version of the program.
    pub fn of_record((line, state, is_winner): CandidateRecord) -> Option<Self> {
        Some(Self { candidate: Candidate::parse(&line).ok()?, state, is_winner })
    }

    /// A candidate that has not started.
    pub fn waiting(candidate: Candidate) -> Self {
        Self { candidate, state: CandidateState::Waiting, is_winner: false }
    }

    /// True once the candidate succeeded, failed or was given up.
    pub fn is_tried(&self) -> bool {
        !matches!(self.state, CandidateState::Waiting | CandidateState::Running)
    }

    /// The measurements, once there are any.
    pub fn figures(&self) -> Option<&CandidateFigures> {
        match &self.state {
            CandidateState::Measured(figures) => Some(figures),
            _ => None,
        }
    }
}

/// A search reports its table while it runs.
impl Progress {
    /// Reports the list of candidates, in place of an earlier list.
    pub fn set_candidates(&self, rows: Vec<CandidateRow>) {
        self.with_details(|told| *told = rows);
    }

    /// Reports the state of one candidate. An index outside the list is ignored.
    pub fn set_candidate(&self, index: usize, row: CandidateRow) {
        self.with_details(|told: &mut Vec<CandidateRow>| {
            if let Some(known) = told.get_mut(index) {
                *known = row;
            }
        });
    }

    /// The candidates and their states so far. Empty for other codecs.
    pub fn candidates(&self) -> Vec<CandidateRow> {
        self.with_details(|told: &mut Vec<CandidateRow>| told.clone())
    }
}
