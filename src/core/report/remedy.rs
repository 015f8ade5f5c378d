use crate::codecs::Progress;
use crate::metrics::{Aspect, Judged, Verdict};
use crate::pipeline::{CompressError, compress_shell};
use crate::recipe::{JointOverride, Recipe};
use crate::report::Sides;
use crate::report::tighter::{AIM, tolerance_for};
use crate::text;
use serde::{Deserialize, Serialize};

/// A change of a recipe that may fix a clip's warning, or that shows the cost of a part of the recipe. A
/// [`TrialTask`](crate::tasks::TrialTask) measures its effect and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Remedy {
    /// Spends more bits on feet during contact and on marked pins.
    ContactLock,
    /// Measures every joint at the distance of the mesh that it moves.
    ShellFromMesh,
    /// Measures one joint at the distance of the mesh that it moves.
    JointShell {
        /// Name of the joint.
        joint: String,
        /// The shell distance.
        shell_m: f32,
    },
    /// Lowers the tolerance.
    Tolerance {
        /// The new tolerance.
        tolerance_m: f32,
    },
    /// Drops an override. It only measures the cost of the override and is never proposed.
    WithoutOverride(JointOverride),
}

impl Remedy {
    /// Remedies for a compressed clip, each with the aspect that it is meant for.
    ///
    /// Proposals are for warnings on the skin, of contacts, of pins, of the seam and of the root's drift, and if there are none, for jitter. They need a
    /// codec that searches under the tolerance. After them comes one [`Self::WithoutOverride`] per override that affects the clip. An external result has no remedies.
    pub fn of(sides: &Sides) -> Vec<(Aspect, Self)> {
        let mut all = Self::helpful(sides);
        all.extend(Self::leaving_out(sides).map(|remedy| (Aspect::Shell, remedy)));
        all
    }

    /// One remedy per override that affects the clip: the recipe without it.
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
        judged.retain(|j| {
            use Aspect::{Jitter, Pin, Root, Seam, Skin, Slide};
            j.verdict > Verdict::Good && matches!(j.aspect, Skin | Slide | Pin | Seam | Root | Jitter)
        });
        if judged.iter().any(|j| j.aspect != Aspect::Jitter) {
            judged.retain(|j| j.aspect != Aspect::Jitter);
        }
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
        let is_contact = matches!(judged.aspect, Aspect::Slide | Aspect::Pin);
        if is_contact && !recipe.contacts.lock {
            all.push(Self::ContactLock);
        }
        let is_of_shell = !matches!(judged.aspect, Aspect::Jitter | Aspect::Seam);
        if is_of_shell && reach_m[joint] > outcome.shells_m[joint] {
            if !recipe.shell_from_mesh {
                all.push(Self::ShellFromMesh);
            }
            let shell_m = whole_millimetres_up(reach_m[joint]);
            all.push(Self::JointShell { joint: rig.skeleton.name(joint).into(), shell_m });
        }
        if !all.iter().any(Self::is_shell) || is_contact || judged.aspect == Aspect::Root {
            let remedy = Self::Tolerance { tolerance_m: tolerance_for(judged, recipe) };
            all.extend((remedy.changed(recipe) != *recipe).then_some(remedy));
        }
        all
    }

    fn is_shell(&self) -> bool {
        matches!(self, Self::ShellFromMesh | Self::JointShell { .. })
    }

    /// The recipe with the remedy.
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

    /// A title of a few words.
    pub fn title(&self) -> String {
        match self {
            Self::ContactLock => "Lock contacts".into(),
            Self::ShellFromMesh => "Shell from mesh".into(),
            Self::JointShell { joint, shell_m } => format!("{} shell for {joint}", text::length(*shell_m)),
            Self::Tolerance { tolerance_m } => format!("Tolerance {}", text::length(*tolerance_m)),
            Self::WithoutOverride(gone) => format!("Without override of {}", gone.joint),
        }
    }

    /// A sentence on why it may help.
    pub fn help(&self) -> &'static str {
        match self {
            Self::ContactLock => {
                "Spends more bits on contacts and marked pins, until none slides. The rest stays the same."
            }
            Self::ShellFromMesh => "Measures every joint at the distance of the mesh that it moves.",
            Self::JointShell { .. } => {
                "Measures this joint at the distance of the mesh that it moves. Other joints stay the same."
            }
            Self::Tolerance { .. } => "Lowers the tolerance of all joints.",
            Self::WithoutOverride(_) => "Gives these joints the same tolerance as the others.",
        }
    }
}

/// A clip with a remedy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remedied {
    /// Its judged errors, metres.
    errors_m: Vec<(Aspect, f32)>,
    /// Its size.
    bytes: usize,
    verdict: Verdict,
}

impl Remedied {
    /// The numbers of an outcome.
    pub fn of(outcome: &crate::pipeline::Outcome) -> Self {
        let errors_m = outcome.report.judged().iter().map(|judged| (judged.aspect, judged.error_m)).collect();
        Self { errors_m, bytes: outcome.bytes(), verdict: outcome.report.verdict() }
    }

    fn error_m(&self, aspect: Aspect) -> f32 {
        self.errors_m.iter().find(|(of, _)| *of == aspect).map_or(0.0, |(_, error_m)| *error_m)
    }
}

/// The measured effect and cost of a remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The remedy that was tried.
    pub remedy: Remedy,
    /// The aspect that it is meant to help.
    pub aspect: Aspect,
    /// The error before, metres.
    pub before_m: f32,
    /// The error with the remedy, metres.
    pub after_m: f32,
    /// Change of the size. Negative if the clip becomes smaller.
    pub extra_bytes: i64,
    /// The clip's verdict with the remedy.
    pub verdict: Verdict,
}

impl Trial {
    /// Compares a clip before and after the remedy.
    pub(crate) fn new(remedy: Remedy, aspect: Aspect, before: &Sides, after: &Remedied) -> Self {
        let before = Remedied::of(&before.outcome);
        Self {
            remedy,
            aspect,
            before_m: before.error_m(aspect),
            after_m: after.error_m(aspect),
            extra_bytes: after.bytes as i64 - before.bytes as i64,
            verdict: after.verdict,
        }
    }

    /// True if it lowers the error by more than a tenth. Always false for [`Remedy::WithoutOverride`].
    pub fn helps(&self) -> bool {
        !matches!(self.remedy, Remedy::WithoutOverride(_)) && self.after_m < self.before_m * AIM
    }

    /// Effect and cost: `28.9 cm to 3.4 mm, +0.3 KB`.
    pub fn words(&self) -> String {
        let [before, after] = [self.before_m, self.after_m].map(text::length);
        format!("{before} to {after}, {}", text::signed_bytes(self.extra_bytes))
    }
}

/// The cost of each override of a recipe: how many bytes a compressed clip would save without it. Overrides without effect on the clip are
/// skipped. The clip is compressed once per override.
///
/// # Errors
/// Returns a [`CompressError`] if the clip cannot be compressed.
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
