//! Joint overrides: joints with other limits than the rest of a clip.

use crate::codecs::{self, Codec, GroupStorage, JointGroup, ParamChanges, ParamValues, Source};
use crate::metrics::ErrorWeights;
use crate::model::{Clip, Skeleton, TimeGrid};
use crate::recipe::{LENGTH, RecipeError};
use crate::settings::{Field, ParamError, Range, Setting, Settings, at};
use serde::{Deserialize, Serialize};
use std::ops::Range as Span;
use std::sync::Arc;
use wildmatch::WildMatch;

/// Settings for some joints that differ from the recipe's.
///
/// ```
/// use posepress_core::recipe::{FAR_SHELL_M, Recipe};
///
/// let recipe = Recipe::from_toml("codec = \"press\"\n[[overrides]]\njoint = \"*weapon*\"\nshell_m = 1.0\n")?;
/// assert_eq!(recipe.overrides[0].shell_m, Some(FAR_SHELL_M));
/// assert!(recipe.overrides[0].is_everywhere());
/// # Ok::<(), posepress_core::recipe::RecipeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointOverride {
    /// Name of the joint, or a pattern of names: `*_twist*`.
    pub joint: String,
    /// Name of the clip, or a pattern of names. Empty: every clip.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clip: String,
    /// Start and end, seconds from the clip's start. `None`: the whole clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_secs: Option<[f32; 2]>,
    /// Distance at which the error is measured: 1 m for a weapon or camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_m: Option<f32>,
    /// Largest shell error, in place of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_m: Option<f32>,
    /// Stores the joints exactly as float32, over the whole clip or at the samples of the span.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Values of some of the codec's parameters, in place of the recipe's.
    #[serde(default, skip_serializing_if = "ParamChanges::is_empty")]
    pub set: ParamChanges,
}

/// The shell of a weapon or a camera.
pub const FAR_SHELL_M: f32 = 1.0;

impl Settings for JointOverride {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "tolerance_m",
            option: "override-tolerance-mm",
            label: "Own tolerance",
            help: "Largest error of these joints. A smaller one protects them, a larger one saves bytes.",
            field: Field::OptionalNumber(
                at!(tolerance_m),
                Range { decimals: (2, 2), slider: Some((0.000_01, 0.01)), ..LENGTH },
            ),
            unset: Some("the recipe's"),
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "shell_m",
            option: "override-shell-mm",
            label: "Own shell",
            help: "Distance at which the error of these joints is measured. 1000 mm for a weapon or a camera.",
            field: Field::OptionalNumber(at!(shell_m), LENGTH),
            unset: Some("the recipe's"),
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "exact",
            option: "override-exact",
            label: "Lossless",
            help: "Stores these joints without loss, as float32, over the whole clip or in the span. Costs bytes.",
            field: Field::Switch(at!(exact)),
            unset: None,
            in_form: true,
            only_if: None,
        },
    ];
}

impl JointOverride {
    /// An override of a joint or a pattern of names that changes nothing yet.
    pub fn of(joint: &str) -> Self {
        Self { joint: joint.into(), ..Self::default() }
    }

    /// True if it applies to the whole of every clip.
    pub fn is_everywhere(&self) -> bool {
        self.clip.is_empty() && self.span_secs.is_none()
    }

    /// True if it applies to a clip of that name.
    pub fn is_of_clip(&self, name: &str) -> bool {
        self.clip.is_empty() || WildMatch::new(&self.clip).matches(name)
    }

    /// True if it changes something.
    pub fn asks_for_something(&self) -> bool {
        self.shell_m.is_some() || self.tolerance_m.is_some() || self.exact || !self.set.is_empty()
    }

    /// The storage of its joints over the whole clip. `None` if they are stored like the others.
    pub fn kept(&self) -> Option<GroupStorage> {
        match (self.exact && self.span_secs.is_none(), self.set.is_empty()) {
            (true, _) => Some(GroupStorage::Exactly),
            (false, false) => Some(GroupStorage::With(self.set.clone())),
            (false, true) => None,
        }
    }

    /// The joints that it names.
    pub fn joints<'a>(&self, skeleton: &'a Skeleton) -> impl Iterator<Item = usize> + use<'a> {
        let pattern = WildMatch::new(&self.joint);
        (0..skeleton.len()).filter(move |&joint| pattern.matches(skeleton.name(joint)))
    }

    /// The samples to which it applies: those within its span and the two around it, since players blend between samples.
    pub fn samples(&self, grid: TimeGrid) -> Span<usize> {
        let Some([start_secs, end_secs]) = self.span_secs else { return 0..grid.samples() };
        samples_of(grid, start_secs, end_secs)
    }

    /// Checks values from a file or a form, for a recipe of that codec.
    ///
    /// # Errors
    /// Returns [`RecipeError::Setting`] or [`RecipeError::Override`].
    pub fn check_all(&self, codec: &dyn Codec) -> Result<(), RecipeError> {
        let wrong = |why: &str| Err(RecipeError::Override { joint: self.joint.clone(), why: why.into() });
        if codec.encoder().is_none() && !self.set.is_empty() {
            return wrong(&format!(
                "{} has no parameters for single joints; use another codec, or leave out set",
                codec.name()
            ));
        }
        if let Err(error) = codecs::with_changes(codec, &ParamValues::new(), &self.set) {
            return wrong(&error.to_string());
        }
        Settings::check(self).map_err(|e: ParamError| RecipeError::from(e))?;
        match self.span_secs {
            _ if self.joint.is_empty() => wrong("the joint is missing; enter its name, or a pattern such as *_twist*"),
            Some([start, end]) if !(start.is_finite() && end.is_finite() && start <= end) => {
                wrong("its span ends before it begins; write span_secs as [start, end]")
            }
            Some(_) if self.shell_m.is_some() => {
                wrong("a shell applies to the whole clip; leave out span_secs or shell_m")
            }
            Some(_) if !self.set.is_empty() => wrong("parameters apply to the whole clip; leave out span_secs or set"),
            _ => Ok(()),
        }
    }
}

/// The samples within a span, and the two around it.
pub(crate) fn samples_of(grid: TimeGrid, start_secs: f32, end_secs: f32) -> Span<usize> {
    let last = grid.samples() - 1;
    let at = |secs: f32| grid.sample_at(secs).clamp(0.0, last as f64);
    at(start_secs).floor() as usize..at(end_secs).ceil() as usize + 1
}

/// The limits of a clip, per joint and float track.
#[derive(Debug, Clone, PartialEq)]
pub struct JointLimits {
    /// Distance from each joint at which its error is measured, metres.
    pub shells_m: Vec<f32>,
    /// Weight of each joint's error over time.
    pub weights: Arc<ErrorWeights>,
    /// Largest error per float track, in its own units.
    pub floats: Vec<f32>,
    /// Joints that are stored in another way than the rest.
    pub groups: Vec<JointGroup>,
}

impl JointLimits {
    /// The source for an encoder.
    pub fn source<'a>(&'a self, skeleton: &'a Skeleton, clip: &'a Clip, tolerance_m: f32) -> Source<'a> {
        let source = Source::new(skeleton, clip, tolerance_m, &self.shells_m);
        Source { weights: self.weights.at_samples(), float_limits: &self.floats, groups: &self.groups, ..source }
    }

    /// Joints that are stored exactly, each with the samples at which it is.
    pub fn exact_joints(&self, samples: usize) -> Vec<(usize, Span<usize>)> {
        let of = |group: &JointGroup| match &group.kept {
            GroupStorage::Exactly => Some(0..samples),
            GroupStorage::ExactlyWithin(span) => Some(span.clone()),
            GroupStorage::With(_) => None,
        };
        let exact = self.groups.iter().filter_map(|group| Some((group, of(group)?)));
        exact.flat_map(|(group, span)| group.joints.iter().map(move |joint| (*joint, span.clone()))).collect()
    }
}

/// Groups the joints that are stored in the same way. `None` marks joints without a group.
pub(super) fn groups_of(kept: Vec<Option<GroupStorage>>) -> Vec<JointGroup> {
    let mut out: Vec<JointGroup> = Vec::new();
    for (joint, kept) in kept.into_iter().enumerate() {
        let Some(kept) = kept else { continue };
        match out.iter_mut().find(|group| group.kept == kept) {
            Some(group) => group.joints.push(joint),
            None => out.push(JointGroup { joints: vec![joint], kept }),
        }
    }
    out
}
