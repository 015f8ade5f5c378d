use crate::codecs::Progress;
use crate::metrics::{Aspect, ErrorLimits, Judged, LoopReport, Verdict};
use crate::pipeline::{CompressError, compress_shell};
use crate::recipe::{JointOverride, Recipe};
use crate::report::Sides;
use crate::report::tighter::{AIM, tolerance_for, tolerance_of_part};
use crate::text;
use serde::{Deserialize, Serialize};

/// A change of a recipe that may help a clip that does not pass, or that shows what a part of the recipe costs. What it
/// brings, and what it costs, a [`TrialTask`](crate::tasks::TrialTask) finds out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Remedy {
    /// Codecs spend more on the feet while they stand.
    ContactLock,
    /// Every joint is measured as far out as the mesh that it moves.
    ShellFromMesh,
    /// One joint is.
    JointShell {
        /// Its name.
        joint: String,
        /// How far out.
        shell_m: f32,
    },
    /// Less error is allowed.
    Tolerance {
        /// How much.
        tolerance_m: f32,
    },
    /// An override is left out: proposed to nobody, it shows what that one costs.
    WithoutOverride(JointOverride),
}

impl Remedy {
    /// What may help a compressed clip, and what of its verdict it is meant for: nothing where it passes, and for codecs
    /// that do not look at shells and tolerance.
    pub fn of(sides: &Sides) -> Vec<(Aspect, Self)> {
        let mut all = Self::helpful(sides);
        all.extend(Self::leaving_out(sides).map(|remedy| (Aspect::Shell, remedy)));
        all
    }

    /// Each override that has an effect on the clip, left out.
    fn leaving_out(sides: &Sides) -> impl Iterator<Item = Self> {
        let (rig, clip) = (&sides.source.rig, &sides.source.clip);
        let is_ours = sides.outcome.encoding().is_some();
        let overrides = sides.outcome.recipe.overrides.iter().filter(move |_| is_ours);
        let acts = |one: &&JointOverride| {
            one.is_of_clip(clip.name()) && one.joints(&rig.skeleton).next().is_some() && one.asks_for_something()
        };
        overrides.filter(acts).cloned().map(Self::WithoutOverride)
    }

    fn helpful(sides: &Sides) -> Vec<(Aspect, Self)> {
        let recipe = &sides.outcome.recipe;
        let mut judged = sides.outcome.report.judged();
        judged.retain(|j| j.verdict > Verdict::Good && matches!(j.aspect, Aspect::Skin | Aspect::Slide));
        let is_ours = sides.outcome.encoding().is_some();
        if !is_ours || !recipe.codec.promises_with(&recipe.values) || judged.is_empty() {
            return Vec::new();
        }
        judged.sort_by_key(|j| std::cmp::Reverse(j.verdict));
        let reach_m = sides.source.rig.reach_m();
        let mut all: Vec<(Aspect, Self)> = Vec::new();
        for one in &judged {
            for remedy in Self::of_one(sides, &reach_m, one) {
                if all.iter().all(|(_, known)| *known != remedy) {
                    all.push((one.aspect, remedy));
                }
            }
        }
        all
    }

    fn of_one(sides: &Sides, reach_m: &[f32], judged: &Judged) -> Vec<Self> {
        let (outcome, rig) = (&sides.outcome, &sides.source.rig);
        let (joint, recipe) = (judged.joint, &outcome.recipe);
        let mut all = Vec::new();
        if judged.aspect == Aspect::Slide && !recipe.contacts.lock {
            all.push(Self::ContactLock);
        }
        if reach_m[joint] > outcome.shells_m[joint] {
            if !recipe.shell_from_mesh {
                all.push(Self::ShellFromMesh);
            }
            let shell_m = whole_millimetres_up(reach_m[joint]);
            all.push(Self::JointShell { joint: rig.skeleton.name(joint).into(), shell_m });
        }
        if !all.iter().any(Self::is_shell) || judged.aspect == Aspect::Slide {
            let remedy = Self::Tolerance { tolerance_m: tolerance_for(judged, recipe) };
            all.extend((remedy.changed(recipe) != *recipe).then_some(remedy));
        }
        all
    }

    /// What may help a loop whose seam warns: nothing where it does not, and for codecs that look at no tolerance.
    pub fn of_seam(motion: &LoopReport, limits: &ErrorLimits, sample_secs: f32, recipe: &Recipe) -> Option<Self> {
        let part = motion.seam_part(limits, sample_secs);
        let can_help = part > 1.0 && recipe.codec.promises_with(&recipe.values);
        can_help.then(|| Self::Tolerance { tolerance_m: tolerance_of_part(part, recipe) })
    }

    fn is_shell(&self) -> bool {
        matches!(self, Self::ShellFromMesh | Self::JointShell { .. })
    }

    /// The recipe with it.
    pub fn changed(&self, recipe: &Recipe) -> Recipe {
        let mut recipe = recipe.clone();
        match self {
            Self::ContactLock => recipe.contacts.lock = true,
            Self::ShellFromMesh => recipe.shell_from_mesh = true,
            Self::JointShell { joint, shell_m } => recipe.set_override(joint, *shell_m),
            Self::Tolerance { tolerance_m } => recipe.tolerance_m = *tolerance_m,
            Self::WithoutOverride(gone) => recipe.overrides.retain(|one| one != gone),
        }
        recipe
    }

    /// What it is, in a few words.
    pub fn title(&self) -> String {
        match self {
            Self::ContactLock => "Lock contacts".into(),
            Self::ShellFromMesh => "Shell from mesh".into(),
            Self::JointShell { joint, shell_m } => format!("{} shell for {joint}", text::length(*shell_m)),
            Self::Tolerance { tolerance_m } => format!("Tolerance {}", text::length(*tolerance_m)),
            Self::WithoutOverride(gone) => format!("No override of {}", gone.joint),
        }
    }

    /// Why it may help, as a sentence.
    pub fn help(&self) -> &'static str {
        match self {
            Self::ContactLock => "Spends more on the feet while they stand, until none slides; all else stays.",
            Self::ShellFromMesh => "Measures every joint as far out as the mesh that it moves.",
            Self::JointShell { .. } => "Measures this joint as far out as the mesh that it moves; all others stay.",
            Self::Tolerance { .. } => "Allows less error everywhere.",
            Self::WithoutOverride(_) => "Holds these joints to what the rest is held to.",
        }
    }
}

/// What a remedy brings, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub remedy: Remedy,
    /// What it was meant to help.
    pub aspect: Aspect,
    /// That error as it is, metres.
    pub before_m: f32,
    /// And with it.
    pub after_m: f32,
    /// Bytes more, or fewer.
    pub extra_bytes: i64,
    /// The clip's verdict with it.
    pub verdict: Verdict,
}

impl Trial {
    /// Compares a clip as it is with the clip as it would be.
    pub(crate) fn new(remedy: Remedy, aspect: Aspect, before: &Sides, after: &crate::pipeline::Outcome) -> Self {
        let error_m = |report: &crate::metrics::ErrorReport| {
            let judged = report.judged();
            judged.iter().find(|j| j.aspect == aspect).map_or(0.0, |j| j.error_m)
        };
        Self {
            remedy,
            aspect,
            before_m: error_m(&before.outcome.report),
            after_m: error_m(&after.report),
            extra_bytes: after.bytes() as i64 - before.outcome.bytes() as i64,
            verdict: after.report.verdict(),
        }
    }

    /// True when it takes off so much that a person would choose it.
    pub fn helps(&self) -> bool {
        !matches!(self.remedy, Remedy::WithoutOverride(_)) && self.after_m < self.before_m * AIM
    }

    /// Gain and price: `28.9 cm to 3.4 mm, +0.3 KB`.
    pub fn words(&self) -> String {
        let [before, after] = [self.before_m, self.after_m].map(text::length);
        format!("{before} to {after}, {}", text::signed_bytes(self.extra_bytes))
    }
}

/// What each override of a recipe costs a compressed clip: how many bytes fewer it would take without that one, and all others
/// as they are. Those that have no effect on the clip are left out. The clip is compressed once for each.
///
/// # Errors
/// [`CompressError`].
pub fn override_costs(sides: &Sides, progress: &Progress) -> Result<Vec<(JointOverride, i64)>, CompressError> {
    let cost = |remedy: Remedy| {
        let without = compress_shell(&sides.source, &remedy.changed(&sides.outcome.recipe), progress)?;
        let Remedy::WithoutOverride(one) = remedy else { unreachable!("only overrides are left out") };
        Ok((one, sides.outcome.bytes() as i64 - without.bytes() as i64))
    };
    Remedy::leaving_out(sides).map(cost).collect()
}

fn whole_millimetres_up(metres: f32) -> f32 {
    ((f64::from(metres) * 1000.0).ceil() / 1000.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seam_that_warns_has_a_tolerance_that_helps_and_a_good_one_has_none() {
        let recipe = Recipe { tolerance_m: 0.0005, ..Recipe::default() };
        let limits = ErrorLimits { tolerance_m: recipe.tolerance_m, ..ErrorLimits::default() };
        let seam = |seam_pop_m: f32, seam_velocity_m_s: f32, recipe: &Recipe| {
            let motion = LoopReport { looping: true, seam_pop_m, seam_velocity_m_s, ..LoopReport::default() };
            Remedy::of_seam(&motion, &limits, 0.1, recipe)
        };
        assert_eq!(seam(0.0009, 0.009, &recipe), None);
        for (pop_m, velocity_m_s) in [(0.004, 0.0), (0.0, 0.04)] {
            let Some(Remedy::Tolerance { tolerance_m }) = seam(pop_m, velocity_m_s, &recipe) else {
                panic!("it warns")
            };
            assert!(
                (0.0001..0.000_112_5).contains(&tolerance_m),
                "a quarter of the tolerance, and a little less: {tolerance_m}"
            );
        }
        let without_search = Recipe { tolerance_m: 0.0005, ..Recipe::chosen("quantize").unwrap() };
        assert_eq!(seam(0.004, 0.0, &without_search), None);
    }
}
