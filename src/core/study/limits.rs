//! Limits for recipes in a study, and the choice of the best recipe within them.

use crate::metrics::{Aspect, Verdict};
use crate::pipeline::BudgetLimits;
use crate::settings::Unit;
use crate::study::StudyPoint;
use crate::text;
use serde::{Deserialize, Serialize};

const KILOBYTE: f64 = 1024.0;

/// A result of a recipe on all clips that can have a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyLimit {
    /// Largest shell error at the samples, metres.
    Shell,
    /// Slide of the worst contact, metres.
    Slide,
    /// Jump at the seam of the worst looping clip, beyond the original's, metres.
    Seam,
    /// Memory of all opened clips, without the bind poses that they share, kilobytes.
    Memory,
    /// Mean time to decode one joint of a pose during sequential playback, seconds.
    Decode,
}

impl StudyLimit {
    /// All limits, in the order in which people see them.
    pub const ALL: [Self; 5] = [Self::Shell, Self::Slide, Self::Seam, Self::Memory, Self::Decode];

    /// Its name in the window.
    pub fn label(self) -> &'static str {
        match self {
            Self::Shell => "Shell error",
            Self::Slide => "Worst slide",
            Self::Seam => "Seam pop",
            Self::Memory => "Memory",
            Self::Decode => "Decode per joint",
        }
    }

    /// A tooltip of one or two sentences.
    pub fn help(self) -> &'static str {
        match self {
            Self::Shell => "Largest shell error of all clips, at the samples.",
            Self::Slide => "Slide of the worst contact in all clips.",
            Self::Seam => "Jump at the seam of the worst looping clip, beyond the original's.",
            Self::Memory => {
                "Memory of all opened clips in a game, without the bind poses that they share. Fit all clips keeps to it, too."
            }
            Self::Decode => {
                "Time to decode one joint during sequential playback. It is measured here while other work runs, so use it only to \
                  compare recipes. posepress bench measures it precisely."
            }
        }
    }

    /// The unit of its numbers.
    pub fn unit(self) -> Unit {
        match self {
            Self::Shell | Self::Slide | Self::Seam => Unit::Metres,
            Self::Memory => Unit::Kilobytes,
            Self::Decode => Unit::Nanoseconds,
        }
    }

    /// The limit that is proposed first: a visible error, or a typical budget of an engine.
    pub fn usual(self) -> f64 {
        match self {
            Self::Shell => 0.001,
            Self::Slide => 0.002,
            Self::Seam => 0.0005,
            Self::Memory => 1024.0,
            Self::Decode => 50e-9,
        }
    }

    /// True for a number that differs between runs and machines.
    pub fn is_time(self) -> bool {
        self == Self::Decode
    }

    /// The result of a recipe. `None` if no clip has contacts or loops.
    pub fn figure(self, point: &StudyPoint) -> Option<f64> {
        let worst = |aspect| point.totals.worst(aspect).map(|worst| worst.error_mm / 1000.0);
        match self {
            Self::Shell => worst(Aspect::Shell),
            Self::Slide => worst(Aspect::Slide),
            Self::Seam => point.seam_pop_m.map(f64::from),
            Self::Memory => Some(point.totals.resident_bytes as f64 / KILOBYTE),
            Self::Decode => Some(point.decode_secs_per_joint),
        }
    }

    /// A number as text, with its unit.
    pub fn words(self, figure: f64) -> String {
        match self.unit() {
            Unit::Nanoseconds => format!("{:.0} ns", figure * 1e9),
            Unit::Kilobytes => text::bytes((figure * KILOBYTE) as u64),
            _ => text::length(figure as f32),
        }
    }
}

/// The user's limits. By default none is on, and each has its proposed number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StudyLimits {
    /// Limit for the files of all clips, bytes. `None`: no limit.
    pub bytes: Option<usize>,
    rows: [(bool, f64); StudyLimit::ALL.len()],
}

impl Default for StudyLimits {
    fn default() -> Self {
        Self { bytes: None, rows: StudyLimit::ALL.map(|limit| (false, limit.usual())) }
    }
}

impl StudyLimits {
    /// The same limits with another limit of the size.
    pub fn with_bytes(self, bytes: Option<usize>) -> Self {
        Self { bytes, ..self }
    }

    /// The limits that clips can be fitted into.
    pub fn of_budget(&self) -> BudgetLimits {
        let (is_on, kilobytes) = self.row(StudyLimit::Memory);
        BudgetLimits { file: self.bytes, memory: is_on.then_some((kilobytes * KILOBYTE) as usize) }
    }

    /// True if a limit is on, and its number.
    pub fn row(&self, of: StudyLimit) -> (bool, f64) {
        self.rows[of as usize]
    }

    /// Turns a limit on or off and sets its number.
    pub fn set(&mut self, of: StudyLimit, is_on: bool, most: f64) {
        self.rows[of as usize] = (is_on, most);
    }

    /// Number of limits that are on.
    pub fn count(&self) -> usize {
        usize::from(self.bytes.is_some()) + self.rows.iter().filter(|(is_on, _)| *is_on).count()
    }

    /// True if a result exceeds a limit that is on.
    pub fn is_over(&self, of: StudyLimit, point: &StudyPoint) -> bool {
        let (is_on, most) = self.row(of);
        is_on && of.figure(point).is_some_and(|figure| figure > most)
    }

    /// True if the clips exceed the limit of the size.
    pub fn is_over_size(&self, point: &StudyPoint) -> bool {
        self.bytes.is_some_and(|most| point.totals.file_size().bytes > most)
    }

    /// Names of the limits that a result exceeds. Empty if it keeps to all.
    pub fn over(&self, point: &StudyPoint) -> Vec<&'static str> {
        let size = self.is_over_size(point).then_some("Size");
        let rows = StudyLimit::ALL.into_iter().filter(|limit| self.is_over(*limit, point)).map(StudyLimit::label);
        size.into_iter().chain(rows).collect()
    }

    /// True if no clip fails and no limit is exceeded.
    pub fn fits(&self, point: &StudyPoint) -> bool {
        point.totals.verdict() != Verdict::Fail && self.over(point).is_empty()
    }

    /// The best result that fits. Ties go to the first.
    pub fn best<'a>(&self, points: &'a [StudyPoint], goal: StudyGoal) -> Option<&'a StudyPoint> {
        let fitting = points.iter().filter(|point| self.fits(point));
        fitting.min_by(|a, b| goal.cost(a).total_cmp(&goal.cost(b)))
    }
}

/// The goal of the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StudyGoal {
    /// The fewest bytes.
    #[default]
    Smallest,
    /// The smallest shell error.
    MostAccurate,
    /// The shortest time to decode.
    Fastest,
}

impl StudyGoal {
    /// All goals, each with label and tooltip.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Smallest, "Smallest", "The recipe with the fewest bytes within the limits."),
        (Self::MostAccurate, "Most accurate", "The recipe with the smallest shell error within the limits."),
        (Self::Fastest, "Fastest", "The recipe with the shortest decoding time within the limits."),
    ];

    fn cost(self, point: &StudyPoint) -> f64 {
        match self {
            Self::Smallest => point.totals.file_size().bytes as f64,
            Self::MostAccurate => StudyLimit::Shell.figure(point).unwrap_or(f64::INFINITY),
            Self::Fastest => point.decode_secs_per_joint,
        }
    }
}
