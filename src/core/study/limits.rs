//! What recipes may come to, and which of those that keep to it is the best.

use crate::metrics::{Aspect, Verdict};
use crate::settings::Unit;
use crate::study::StudyPoint;
use crate::text;
use serde::{Deserialize, Serialize};

/// What a recipe comes to on all clips, where it may be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyLimit {
    /// Largest shell error at the samples, metres.
    Shell,
    /// Slide of the worst plant, metres.
    Slide,
    /// How far the worst clip that loops jumps more than the original does, metres.
    Seam,
    /// Time to decode a joint of a pose played forward, mean of all clips, seconds.
    Decode,
}

impl StudyLimit {
    /// All, in the order in which people see them.
    pub const ALL: [Self; 4] = [Self::Shell, Self::Slide, Self::Seam, Self::Decode];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Shell => "Shell error",
            Self::Slide => "Worst slide",
            Self::Seam => "Seam pop",
            Self::Decode => "Decode, a joint",
        }
    }

    /// What it is, in a sentence or two.
    pub fn help(self) -> &'static str {
        match self {
            Self::Shell => "Largest shell error of all clips, at the samples.",
            Self::Slide => "How far the worst plant of all clips slides.",
            Self::Seam => "How far clips that loop jump more at their seam than the originals do.",
            Self::Decode => {
                "Time to decode a joint, played forward, on this machine and with all that goes on beside it: good to compare \
                 recipes with each other. posepress bench measures it alone."
            }
        }
    }

    /// What its numbers are.
    pub fn unit(self) -> Unit {
        match self {
            Self::Shell | Self::Slide | Self::Seam => Unit::Metres,
            Self::Decode => Unit::Nanoseconds,
        }
    }

    /// The limit that is offered first: what people see, or what an engine has.
    pub fn usual(self) -> f64 {
        match self {
            Self::Shell => 0.001,
            Self::Slide => 0.002,
            Self::Seam => 0.0005,
            Self::Decode => 50e-9,
        }
    }

    /// True for what another run, or another machine, has otherwise.
    pub fn is_time(self) -> bool {
        self == Self::Decode
    }

    /// What a recipe comes to; `None` where no clip has it: no foot stands, nothing loops.
    pub fn figure(self, point: &StudyPoint) -> Option<f64> {
        let worst = |aspect| point.totals.worst(aspect).map(|worst| worst.error_mm / 1000.0);
        match self {
            Self::Shell => worst(Aspect::Shell),
            Self::Slide => worst(Aspect::Slide),
            Self::Seam => point.seam_pop_m.map(f64::from),
            Self::Decode => Some(point.decode_secs_per_joint),
        }
    }

    /// A number of its, as people read it.
    pub fn words(self, figure: f64) -> String {
        match self.unit() {
            Unit::Nanoseconds => format!("{:.0} ns", figure * 1e9),
            _ => text::length(figure as f32),
        }
    }
}

/// Limits that somebody has set. Default: none, with the usual numbers for those that will be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StudyLimits {
    /// What the files of all clips may take, bytes; `None`: no limit.
    pub bytes: Option<usize>,
    rows: [(bool, f64); StudyLimit::ALL.len()],
}

impl Default for StudyLimits {
    fn default() -> Self {
        Self { bytes: None, rows: StudyLimit::ALL.map(|limit| (false, limit.usual())) }
    }
}

impl StudyLimits {
    /// With another limit of size.
    pub fn with_bytes(self, bytes: Option<usize>) -> Self {
        Self { bytes, ..self }
    }

    /// Whether a limit holds, and its number.
    pub fn row(&self, of: StudyLimit) -> (bool, f64) {
        self.rows[of as usize]
    }

    /// Sets whether a limit holds, and its number.
    pub fn set(&mut self, of: StudyLimit, is_on: bool, most: f64) {
        self.rows[of as usize] = (is_on, most);
    }

    /// How many hold.
    pub fn count(&self) -> usize {
        usize::from(self.bytes.is_some()) + self.rows.iter().filter(|(is_on, _)| *is_on).count()
    }

    /// True when a point is over a limit that holds.
    pub fn is_over(&self, of: StudyLimit, point: &StudyPoint) -> bool {
        let (is_on, most) = self.row(of);
        is_on && of.figure(point).is_some_and(|figure| figure > most)
    }

    /// True when the clips take more than they may.
    pub fn is_over_size(&self, point: &StudyPoint) -> bool {
        self.bytes.is_some_and(|most| point.totals.file_size().bytes > most)
    }

    /// What a point is over, in words; empty where it keeps to every limit.
    pub fn over(&self, point: &StudyPoint) -> Vec<&'static str> {
        let size = self.is_over_size(point).then_some("Size");
        let rows = StudyLimit::ALL.into_iter().filter(|limit| self.is_over(*limit, point)).map(StudyLimit::label);
        size.into_iter().chain(rows).collect()
    }

    /// True when no clip fails and every limit is kept to.
    pub fn fits(&self, point: &StudyPoint) -> bool {
        point.totals.verdict() != Verdict::Fail && self.over(point).is_empty()
    }

    /// The best of those that fit; the first of equals.
    pub fn best<'a>(&self, points: &'a [StudyPoint], goal: StudyGoal) -> Option<&'a StudyPoint> {
        let fitting = points.iter().filter(|point| self.fits(point));
        fitting.min_by(|a, b| goal.cost(a).total_cmp(&goal.cost(b)))
    }
}

/// What is best.
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
    /// All, with what they are called and what they are.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Smallest, "Smallest", "The fewest bytes of those that fit."),
        (Self::MostAccurate, "Most accurate", "The smallest shell error of those that fit."),
        (Self::Fastest, "Fastest", "The shortest time to decode of those that fit."),
    ];

    fn cost(self, point: &StudyPoint) -> f64 {
        match self {
            Self::Smallest => point.totals.bytes as f64,
            Self::MostAccurate => StudyLimit::Shell.figure(point).unwrap_or(f64::INFINITY),
            Self::Fastest => point.decode_secs_per_joint,
        }
    }
}
