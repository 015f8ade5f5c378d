//! Joints that are held to something else than the rest of a clip.

use crate::codecs::{self, Codec, JointGroup, Kept, ParamChanges, ParamValues, Source};
use crate::metrics::ErrorWeights;
use crate::model::{Clip, Skeleton, TimeGrid};
use crate::recipe::{LENGTH, RecipeError};
use crate::settings::{Field, ParamError, Range, Setting, Settings, at};
use serde::{Deserialize, Serialize};
use std::ops::Range as Span;
use std::sync::Arc;
use wildmatch::WildMatch;

/// What some joints want differently.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointOverride {
    /// Name of the joint, or a pattern of names: `*_twist*`.
    pub joint: String,
    /// Name of the clip, or a pattern of names; empty: every clip.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clip: String,
    /// From when to when, seconds from the clip's start; `None`: throughout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_secs: Option<[f32; 2]>,
    /// Distance at which the error is measured: 1 m for a weapon or camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_m: Option<f32>,
    /// Largest shell error allowed, in place of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_m: Option<f32>,
    /// Never touched: kept as float32, to the bit, throughout or at the samples of the span.
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
            help: "Largest error allowed here. Smaller than the recipe's protects, larger saves bytes.",
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
            help: "Distance at which the error is measured here. 1000 mm for a weapon or a camera.",
            field: Field::OptionalNumber(at!(shell_m), LENGTH),
            unset: Some("the recipe's"),
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "exact",
            option: "override-exact",
            label: "Never touch",
            help: "Keeps these joints as they are in the source, as float32, whatever it costs: throughout, or in the part.",
            field: Field::Switch(at!(exact)),
            unset: None,
            in_form: true,
            only_if: None,
        },
    ];
}

impl JointOverride {
    /// One of a joint, or of a pattern of names, that changes nothing yet.
    pub fn of(joint: &str) -> Self {
        Self { joint: joint.into(), ..Self::default() }
    }

    /// True when it holds in every clip, throughout.
    pub fn is_everywhere(&self) -> bool {
        self.clip.is_empty() && self.span_secs.is_none()
    }

    /// True when it holds in a clip of that name.
    pub fn is_of_clip(&self, name: &str) -> bool {
        self.clip.is_empty() || WildMatch::new(&self.clip).matches(name)
    }

    /// True when it changes something.
    pub fn asks_for_something(&self) -> bool {
        self.shell_m.is_some() || self.tolerance_m.is_some() || self.exact || !self.set.is_empty()
    }

    /// How it wants joints to be kept throughout, where not as the rest of the clip is.
    pub fn kept(&self) -> Option<Kept> {
        match (self.exact && self.span_secs.is_none(), self.set.is_empty()) {
            (true, _) => Some(Kept::Exactly),
            (false, false) => Some(Kept::With(self.set.clone())),
            (false, true) => None,
        }
    }

    /// The joints that it names.
    pub fn joints<'a>(&self, skeleton: &'a Skeleton) -> impl Iterator<Item = usize> + use<'a> {
        let pattern = WildMatch::new(&self.joint);
        (0..skeleton.len()).filter(move |&joint| pattern.matches(skeleton.name(joint)))
    }

    /// The samples that it is about: those within its span, and the two beside it, between which the clip is blended.
    pub fn samples(&self, grid: TimeGrid) -> Span<usize> {
        let Some([start_secs, end_secs]) = self.span_secs else { return 0..grid.samples() };
        samples_of(grid, start_secs, end_secs)
    }

    /// Checks what comes from a file or a form, for a recipe of that codec.
    ///
    /// # Errors
    /// [`RecipeError::Setting`], [`RecipeError::Override`].
    pub fn check_all(&self, codec: &dyn Codec) -> Result<(), RecipeError> {
        let wrong = |why: &str| Err(RecipeError::Override { joint: self.joint.clone(), why: why.into() });
        if codec.encoder().is_none() && !self.set.is_empty() {
            return wrong(&format!(
                "{} has no parameters for single joints; take another codec, or leave out set",
                codec.name()
            ));
        }
        if let Err(error) = codecs::with_changes(codec, &ParamValues::new(), &self.set) {
            return wrong(&error.to_string());
        }
        Settings::check(self).map_err(|e: ParamError| RecipeError::from(e))?;
        match self.span_secs {
            _ if self.joint.is_empty() => wrong("name a joint, or a pattern such as *_twist*"),
            Some([start, end]) if !(start.is_finite() && end.is_finite() && start <= end) => {
                wrong("its span ends before it begins; give span_secs as [start, end]")
            }
            Some(_) if self.shell_m.is_some() => {
                wrong("a shell holds throughout a clip; leave out span_secs or shell_m")
            }
            Some(_) if !self.set.is_empty() => wrong("parameters hold throughout a clip; leave out span_secs or set"),
            _ => Ok(()),
        }
    }
}

/// The samples within a span, and the two beside it.
pub(crate) fn samples_of(grid: TimeGrid, start_secs: f32, end_secs: f32) -> Span<usize> {
    let last = grid.samples() - 1;
    let at = |secs: f32| grid.sample_at(secs).clamp(0.0, last as f64);
    at(start_secs).floor() as usize..at(end_secs).ceil() as usize + 1
}

/// What a clip is held to, joint by joint and float track by float track.
#[derive(Debug, Clone, PartialEq)]
pub struct JointLimits {
    /// Distance from each joint at which its error is measured, metres.
    pub shells_m: Vec<f32>,
    /// How much the error of each counts, and when.
    pub weights: Arc<ErrorWeights>,
    /// How far each float track may be off, in its own units.
    pub floats: Vec<f32>,
    /// Joints that are kept in another way than the rest.
    pub groups: Vec<JointGroup>,
}

impl JointLimits {
    /// What an encoder gets.
    pub fn source<'a>(&'a self, skeleton: &'a Skeleton, clip: &'a Clip, tolerance_m: f32) -> Source<'a> {
        let source = Source::new(skeleton, clip, tolerance_m, &self.shells_m);
        Source { weights: self.weights.at_samples(), float_limits: &self.floats, groups: &self.groups, ..source }
    }

    /// Joints that are never touched, and at which samples of the clip.
    pub fn exact_joints(&self, samples: usize) -> Vec<(usize, Span<usize>)> {
        let of = |group: &JointGroup| match &group.kept {
            Kept::Exactly => Some(0..samples),
            Kept::ExactlyWithin(span) => Some(span.clone()),
            Kept::With(_) => None,
        };
        let exact = self.groups.iter().filter_map(|group| Some((group, of(group)?)));
        exact.flat_map(|(group, span)| group.joints.iter().map(move |joint| (*joint, span.clone()))).collect()
    }
}

/// Joints that are kept alike, together; the joints of the rest are `None`.
pub(super) fn groups_of(kept: Vec<Option<Kept>>) -> Vec<JointGroup> {
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
