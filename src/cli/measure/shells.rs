//! The part of `posepress measure` about shells: codecs that hold a tolerance, on joints with distant vertices.

use super::equal::promising;
use super::{Console, NamedClip, Verdicts, compress_all};
use crate::cli::work::Worked;
use posepress_core::model::Skeleton;
use posepress_core::recipe::{JointOverride, Recipe};

/// Shell of one joint in the middle of the rig.
pub const FAR_SHELL_M: f32 = 1.0;

/// The result of one codec on one set with other shells.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellRow {
    /// Its name as given.
    pub codec: String,
    /// Result with the same shell for all joints.
    pub plain: ShellFigures,
    pub from_mesh: ShellFigures,
    pub far_joint: ShellFigures,
}

/// Result over the clips of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShellFigures {
    pub bytes: usize,
    /// Clips over their tolerance.
    pub over: usize,
    /// Lossless clips: every sample is float32.
    pub exact: usize,
    pub verdicts: Verdicts,
}

impl ShellFigures {
    /// The sum of two results.
    fn with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            over: self.over + other.over,
            exact: self.exact + other.exact,
            verdicts: self.verdicts.with(other.verdicts),
        }
    }
}

/// The rows of one set.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellRows {
    pub set: String,
    pub clips: usize,
    pub tolerance_mm: f32,
    /// Name of the joint with [`FAR_SHELL_M`] in the first clip's rig.
    pub joint: String,
    pub rows: Vec<ShellRow>,
}

/// Compresses the clips of a set with every recipe that promises its tolerance, with three kinds of shells. Also returns the
/// clips that failed.
pub fn measure(
    (set, clips): (&str, &[NamedClip]),
    recipes: &[(String, Recipe)],
    tolerance_mm: f32,
    console: &mut Console<'_>,
) -> (ShellRows, Vec<String>) {
    let joint = clips.first().map(|clip| inner_joint(&clip.rig.skeleton)).unwrap_or_default();
    let named = promising(recipes);
    let asked: Vec<Recipe> = named.iter().flat_map(|(_, recipe)| with_shells(recipe, &joint)).collect();
    let keep = |_: &NamedClip, worked: Worked| {
        let (outcome, report) = (&worked.sides.outcome, &worked.report);
        let mut figures = ShellFigures {
            bytes: report.bytes,
            over: usize::from(!report.error.within),
            exact: usize::from(outcome.is_stored_exactly()),
            ..ShellFigures::default()
        };
        figures.verdicts.add(report.verdict);
        (outcome.recipe.clone(), figures)
    };
    let (points, failed) = compress_all("measured with other shells", clips, |_| &asked, console, keep);
    let held = |recipe: &Recipe| {
        let own = points.iter().filter(|(of, _)| of == recipe).map(|(_, figures)| *figures);
        own.fold(ShellFigures::default(), ShellFigures::with)
    };
    let rows = named.iter().zip(asked.chunks(3)).map(|((codec, _), recipes)| ShellRow {
        codec: codec.clone(),
        plain: held(&recipes[0]),
        from_mesh: held(&recipes[1]),
        far_joint: held(&recipes[2]),
    });
    (
        ShellRows { set: set.to_owned(), clips: clips.len(), tolerance_mm, joint: joint.clone(), rows: rows.collect() },
        failed,
    )
}

/// A recipe with one shell for all joints, with shells from the mesh, and with a distant shell on one joint.
fn with_shells(recipe: &Recipe, joint: &str) -> [Recipe; 3] {
    let plain = Recipe { shell_from_mesh: false, ..recipe.clone() };
    let far = JointOverride { shell_m: Some(FAR_SHELL_M), ..JointOverride::of(joint) };
    let far = Recipe { overrides: vec![far], ..plain.clone() };
    [plain, Recipe { shell_from_mesh: true, ..recipe.clone() }, far]
}

/// Name of the joint with most descendants among those at half the depth of the skeleton.
fn inner_joint(skeleton: &Skeleton) -> String {
    let depths = skeleton.depths();
    let half = depths.iter().copied().max().unwrap_or(0) / 2;
    let below =
        |joint: usize| (0..skeleton.len()).filter(|other| skeleton.ancestors(*other).any(|a| a == joint)).count();
    let found = (0..skeleton.len())
        .filter(|joint| depths[*joint] == half)
        .max_by_key(|joint| (below(*joint), skeleton.len() - joint));
    found.map(|joint| skeleton.name(joint).to_owned()).unwrap_or_default()
}
