//! Answers to questions as plain data.

use crate::codecs::FittedCurve;
use crate::metrics::Blame;
use crate::pipeline::{LodFault, LodRecord, MeasuredLod, OutcomeRecord, TierLevel};
use crate::recipe::Recipe;
use crate::report::Sides;
use crate::tasks::{ExplainTask, Explanation, Question};
use serde::{Deserialize, Serialize};

/// An [`Explanation`], without what the window has.
#[derive(Serialize, Deserialize)]
pub(super) enum ExplanationRecord {
    Blame(Option<Blame>),
    Fit(Option<FittedCurve>),
    /// The levels below the whole clip.
    Tiers(Vec<LevelRecord>),
    /// The levels of detail. `None` for one without tiers.
    Lods(Vec<Option<LodRecord>>),
}

#[derive(Serialize, Deserialize)]
pub(super) struct LevelRecord {
    name: String,
    limit_m: f32,
    tolerance_m: f32,
    outcome: OutcomeRecord,
    #[serde(with = "serde_bytes")]
    tier: Vec<u8>,
}

impl ExplanationRecord {
    /// `None` for a fault.
    pub fn of(explanation: &Explanation) -> Option<Self> {
        Some(match explanation {
            Explanation::Blame(blame) => Self::Blame(blame.clone()),
            Explanation::Fit(curve) => Self::Fit(curve.clone()),
            Explanation::Tiers(Ok(levels)) => {
                Self::Tiers(levels.iter().skip(1).map(LevelRecord::of).collect::<Option<_>>()?)
            }
            Explanation::Lods(levels) => Self::Lods(levels.iter().map(lod).collect::<Option<_>>()?),
            Explanation::Tiers(Err(_)) => return None,
        })
    }

    /// The answer to a question. `None` if it is of another clip.
    pub fn explanation(self, task: &ExplainTask) -> Option<Explanation> {
        Some(match self {
            Self::Blame(blame) => Explanation::Blame(blame),
            Self::Fit(curve) => Explanation::Fit(curve),
            Self::Lods(levels) => {
                let (Sides { source, outcome, .. }, Question::Lods(platform, _)) = (&task.of, &task.question) else {
                    return None;
                };
                let level = |(record, level): (Option<LodRecord>, _)| match record {
                    Some(record) => Some(Ok(record.level(source, &outcome.recipe, (platform, level))?)),
                    None => Some(Err(LodFault::NoTiers)),
                };
                Explanation::Lods(levels.into_iter().zip(&platform.levels).map(level).collect::<Option<_>>()?)
            }
            Self::Tiers(below) => {
                let whole = TierLevel::whole(&task.of.outcome);
                let below = below.into_iter().map(|level| level.level(task));
                Explanation::Tiers(Ok(std::iter::once(Some(whole)).chain(below).collect::<Option<_>>()?))
            }
        })
    }
}

fn lod(level: &Result<MeasuredLod, LodFault>) -> Option<Option<LodRecord>> {
    match level {
        Ok(level) => LodRecord::of(level).map(Some),
        Err(LodFault::NoTiers) => Some(None),
        Err(LodFault::Tier(_) | LodFault::External) => None,
    }
}

impl LevelRecord {
    fn of(level: &TierLevel) -> Option<Self> {
        let TierLevel { name, limit_m, outcome, tier } = level;
        let record = OutcomeRecord::of(outcome)?;
        let tolerance_m = outcome.recipe.tolerance_m;
        Some(Self { name: name.clone(), limit_m: *limit_m, tolerance_m, outcome: record, tier: tier.clone() })
    }

    fn level(self, task: &ExplainTask) -> Option<TierLevel> {
        let Self { name, limit_m, tolerance_m, outcome, tier } = self;
        let recipe = Recipe { tolerance_m, ..task.of.outcome.recipe.clone() };
        Some(TierLevel { name, limit_m, outcome: outcome.outcome(&task.of.source, &recipe)?, tier })
    }
}
