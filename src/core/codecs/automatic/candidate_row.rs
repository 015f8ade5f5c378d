use super::Candidate;
use crate::codecs::Progress;

/// What is known of one candidate, while it is tried and after.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRow {
    /// What is tried.
    pub candidate: Candidate,
    /// How far it is.
    pub state: CandidateState,
    /// The smallest within the tolerance: its bytes are what is kept.
    pub is_winner: bool,
}

/// How far a candidate is.
#[derive(Debug, Clone, PartialEq)]
pub enum CandidateState {
    /// Not begun.
    Waiting,
    /// Being encoded or measured.
    Running,
    /// Gave no bytes, and why.
    Failed(String),
    /// Given up unmeasured: the best by then is no larger than these bytes, and this would take no fewer.
    Larger(usize),
    /// Encoded, decoded and measured.
    Measured(CandidateFigures),
}

/// Figures of a candidate's bytes.
#[derive(Debug, Clone, Copy)]
pub struct CandidateFigures {
    /// All that the clip would take with this codec alone.
    pub bytes: usize,
    /// Largest shell error at the samples, of what the bytes decode to.
    pub max_error_m: f32,
    /// Within the tolerance.
    pub within: bool,
    /// Largest slide of a planted foot; `None` without plants, and where nobody measures them.
    pub slide_m: Option<f32>,
    /// No planted foot warns.
    pub holds_feet: bool,
    /// Time of its encoder.
    pub encode_secs: f32,
}

/// Times differ from run to run and are not compared.
impl PartialEq for CandidateFigures {
    fn eq(&self, other: &Self) -> bool {
        let all = |f: &Self| (f.bytes, f.max_error_m, f.within, f.slide_m, f.holds_feet);
        all(self) == all(other)
    }
}

impl CandidateRow {
    /// A candidate that has not begun.
    pub fn waiting(candidate: Candidate) -> Self {
        Self { candidate, state: CandidateState::Waiting, is_winner: false }
    }

    /// Whether it had its turn.
    pub fn is_tried(&self) -> bool {
        !matches!(self.state, CandidateState::Waiting | CandidateState::Running)
    }

    /// Its figures, once it has been measured.
    pub fn figures(&self) -> Option<&CandidateFigures> {
        match &self.state {
            CandidateState::Measured(figures) => Some(figures),
            _ => None,
        }
    }
}

/// A search tells its table while it goes on.
impl Progress {
    /// Tells what will be tried, in place of what was told before.
    pub fn set_candidates(&self, rows: Vec<CandidateRow>) {
        self.with_told(|told| *told = rows);
    }

    /// Tells what is known of one candidate by now; an index that was not announced is ignored.
    pub fn set_candidate(&self, index: usize, row: CandidateRow) {
        self.with_told(|told: &mut Vec<CandidateRow>| {
            if let Some(known) = told.get_mut(index) {
                *known = row;
            }
        });
    }

    /// What is tried and known by now; empty for codecs that try nothing.
    pub fn candidates(&self) -> Vec<CandidateRow> {
        self.with_told(|told: &mut Vec<CandidateRow>| told.clone())
    }
}
