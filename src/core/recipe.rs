//! Recipes: the settings that compress and judge a clip.

mod engine_preset;
mod joint_override;

pub use engine_preset::{ENGINE_PRESETS, EnginePreset, Original};
pub(crate) use joint_override::samples_of;
pub use joint_override::{FAR_SHELL_M, JointLimits, JointOverride};

use crate::codecs::{self, ChoiceError, Codec, Compensation, GroupStorage, JointGroup, ParamValues, Press};
use crate::metrics::{
    ContactSettings, ErrorLimits, ErrorWeights, MOST_TIMES_MEAN, Promise, USUAL_TIMES_MEAN, float_limits,
};
use crate::model::{Clip, Rig};
use crate::settings::{Field, LENGTHS_M, ParamError, Range, Setting, Settings, Unit, at};
use crate::text::with_nearest;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

/// The settings that compress and judge a clip.
///
/// ```
/// use posepress_core::recipe::Recipe;
///
/// let recipe = Recipe::from_toml("codec = \"linear-keys\"\ntolerance_m = 0.0005\n")?;
/// assert_eq!(recipe.title(), "linear-keys 0.50 mm");
/// assert!(Recipe::from_toml("codec = \"linear-keys\"\ntolerance_m = -1.0\n").is_err());
/// # Ok::<(), posepress_core::recipe::RecipeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// The codec. Files store its name. Default: `press`.
    pub codec: &'static dyn Codec,
    /// Parameters that differ from the codec's defaults.
    pub values: ParamValues,
    /// Largest shell error that the recipe accepts, metres. Default 0.0001.
    pub tolerance_m: f32,
    /// Smallest distance from each joint at which its error is measured, metres. Default 0.03.
    pub shell_m: f32,
    /// True to measure a joint at the distance of its farthest vertex, if that is larger than the shell: a sword at its tip. Default: true.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub shell_from_mesh: bool,
    /// Largest error of float tracks that move no vertex, in their own units. Default 0.0001.
    #[serde(skip_serializing_if = "is_usual_float_tolerance")]
    pub float_tolerance: f32,
    /// Measured steps per sample. Default 4.
    pub sub_frames: usize,
    /// Length from which an error on the skin or between samples warns, metres. Default 0.001.
    #[serde(skip_serializing_if = "is_usual_warning")]
    pub warn_error_m: f32,
    /// Length from which an error on the skin or between samples fails, metres. Default 0.005.
    #[serde(skip_serializing_if = "is_usual_failure")]
    pub fail_error_m: f32,
    /// Length from which an error from sampling the file's curves warns, metres. Default 0.001.
    #[serde(skip_serializing_if = "is_usual_sampling_warning")]
    pub warn_sampling_m: f32,
    /// Length from which an error from sampling the file's curves fails, metres. Default 0.01.
    #[serde(skip_serializing_if = "is_usual_sampling_failure")]
    pub fail_sampling_m: f32,
    /// Length from which jitter warns, metres. Default 0.0005.
    #[serde(skip_serializing_if = "is_usual_jitter_warning")]
    pub warn_jitter_m: f32,
    /// Length from which jitter fails, metres. A larger tolerance raises it. Default 0.002.
    #[serde(skip_serializing_if = "is_usual_jitter_failure")]
    pub fail_jitter_m: f32,
    /// Length per metre of way from which the drift of a root warns, metres. Default 0.01.
    #[serde(skip_serializing_if = "is_usual_root_warning")]
    pub warn_root_m: f32,
    /// Length per metre of way from which the drift of a root fails, metres. Default 0.05.
    #[serde(skip_serializing_if = "is_usual_root_failure")]
    pub fail_root_m: f32,
    /// Joints with their own shell or tolerance. The last override that matches a joint counts.
    pub overrides: Vec<JointOverride>,
    /// Settings that find and judge contacts.
    pub contacts: ContactSettings,
    /// Compensation of the codec's error.
    #[serde(skip_serializing_if = "Compensation::is_none")]
    pub compensation: Compensation,
}

/// Why a recipe cannot be used.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum RecipeError {
    /// The codec or preset does not exist, or a parameter does not fit the codec.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A setting is not valid.
    #[error(transparent)]
    Setting(#[from] ParamError),
    /// An override is not valid.
    #[error("override of '{joint}': {why}")]
    Override { joint: String, why: String },
    /// The text is not a recipe file.
    #[error("not a recipe: {0}")]
    Toml(String),
}

/// The range of all length settings.
pub(super) const LENGTH: Range =
    Range { min: LENGTHS_M.0, max: LENGTHS_M.1, unit: Unit::Metres, decimals: (0, 1), slider: None };

/// Limits of a recipe that sets none.
const USUAL: ErrorLimits = ErrorLimits::USUAL;

/// Default float tolerance: a ten-thousandth of a full morph weight.
const FLOAT_TOLERANCE: f32 = 0.0001;

/// True for the default, which recipe files leave out.
fn is_usual_float_tolerance(tolerance: &f32) -> bool {
    *tolerance == FLOAT_TOLERANCE
}

/// True for the default, which recipe files leave out.
fn is_usual_warning(length_m: &f32) -> bool {
    *length_m == USUAL.warn_m
}

/// True for the default, which recipe files leave out.
fn is_usual_failure(length_m: &f32) -> bool {
    *length_m == USUAL.fail_m
}

/// True for the default, which recipe files leave out.
fn is_usual_sampling_warning(length_m: &f32) -> bool {
    *length_m == USUAL.warn_sampling_m
}

/// True for the default, which recipe files leave out.
fn is_usual_sampling_failure(length_m: &f32) -> bool {
    *length_m == USUAL.fail_sampling_m
}

/// True for the default, which recipe files leave out.
fn is_usual_jitter_warning(length_m: &f32) -> bool {
    *length_m == USUAL.warn_jitter_m
}

/// True for the default, which recipe files leave out.
fn is_usual_jitter_failure(length_m: &f32) -> bool {
    *length_m == USUAL.fail_jitter_m
}

/// True for the default, which recipe files leave out.
fn is_usual_root_warning(length_m: &f32) -> bool {
    *length_m == USUAL.warn_root_m
}

/// True for the default, which recipe files leave out.
fn is_usual_root_failure(length_m: &f32) -> bool {
    *length_m == USUAL.fail_root_m
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            codec: &Press,
            values: ParamValues::new(),
            tolerance_m: 0.0001,
            shell_m: 0.03,
            shell_from_mesh: true,
            float_tolerance: FLOAT_TOLERANCE,
            sub_frames: 4,
            warn_error_m: USUAL.warn_m,
            fail_error_m: USUAL.fail_m,
            warn_sampling_m: USUAL.warn_sampling_m,
            fail_sampling_m: USUAL.fail_sampling_m,
            warn_jitter_m: USUAL.warn_jitter_m,
            fail_jitter_m: USUAL.fail_jitter_m,
            warn_root_m: USUAL.warn_root_m,
            fail_root_m: USUAL.fail_root_m,
            overrides: Vec::new(),
            contacts: ContactSettings::default(),
            compensation: Compensation::default(),
        }
    }
}

impl Settings for Recipe {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "tolerance_m",
            option: "tolerance-mm",
            label: "Tolerance",
            help: "Largest error at the shell. Smaller: more exact, larger file.",
            field: Field::Number(
                at!(tolerance_m),
                Range { decimals: (2, 2), slider: Some((0.000_01, 0.01)), ..LENGTH },
            ),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "shell_m",
            option: "shell-mm",
            label: "Shell",
            help: "Smallest distance from the joint at which its error is measured. A joint whose mesh reaches farther is measured \
                    there.",
            field: Field::Number(at!(shell_m), LENGTH),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "shell_from_mesh",
            option: "shell-from-mesh",
            label: "Shell from mesh",
            help: "Measures each joint as far out as the mesh that it moves, and at least at the shell. A weapon is then \
                    measured at its tip. Off: only the shell counts.",
            field: Field::Switch(at!(shell_from_mesh)),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "float_tolerance",
            option: "float-tolerance",
            label: "Float tolerance",
            help: "Largest error of float tracks that move no vertex. Morph weights keep the tolerance on the mesh.",
            field: Field::Number(
                at!(float_tolerance),
                Range { min: 1e-6, max: 1e3, unit: Unit::None, decimals: (1, 6), slider: None },
            ),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "sub_frames",
            option: "sub-frames",
            label: "Sub-frames",
            help: "Measured steps per sample. Curves can overshoot between samples.",
            field: Field::Count(at!(sub_frames), 1, 64),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "warn_error_m",
            option: "warn-error-mm",
            label: "Errors warn at",
            help: "An error on the skin or between samples warns from this length. A larger tolerance raises it.",
            field: Field::Number(at!(warn_error_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "fail_error_m",
            option: "fail-error-mm",
            label: "Errors fail at",
            help: "An error on the skin or between samples fails from this length. A larger tolerance raises it.",
            field: Field::Number(at!(fail_error_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "warn_sampling_m",
            option: "warn-sampling-mm",
            label: "Sampling warns at",
            help: "An error from sampling the file's curves warns from this length, at every tolerance.",
            field: Field::Number(at!(warn_sampling_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "fail_sampling_m",
            option: "fail-sampling-mm",
            label: "Sampling fails at",
            help: "An error from sampling the file's curves fails from this length, at every tolerance.",
            field: Field::Number(at!(fail_sampling_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "warn_jitter_m",
            option: "warn-jitter-mm",
            label: "Jitter warns at",
            help: "Jitter warns from this length, at every tolerance. Jitter is the error above 4 Hz, averaged over half a second.",
            field: Field::Number(at!(warn_jitter_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "fail_jitter_m",
            option: "fail-jitter-mm",
            label: "Jitter fails at",
            help: "Jitter fails from this length. A larger tolerance raises it.",
            field: Field::Number(at!(fail_jitter_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "warn_root_m",
            option: "warn-root-mm",
            label: "Root drift warns at",
            help: "Drift of the root warns from this length per metre of way. It is measured after 100 rounds of a loop with root motion.",
            field: Field::Number(at!(warn_root_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "fail_root_m",
            option: "fail-root-mm",
            label: "Root drift fails at",
            help: "Drift of the root fails from this length per metre of way.",
            field: Field::Number(at!(fail_root_m), LENGTH),
            unset: None,
            in_form: false,
            only_if: None,
        },
    ];
}

impl Recipe {
    /// Changes the codec of all joints and resets its parameters.
    pub fn use_codec(&mut self, codec: &'static dyn Codec) {
        (self.codec, self.values) = (codec, ParamValues::new());
        self.overrides.iter_mut().for_each(|one| one.set.clear());
    }

    /// A recipe of that codec, with defaults for all else.
    pub fn of(codec: &'static dyn Codec) -> Self {
        Self { codec, ..Self::default() }
    }

    /// A recipe of `CODEC` or `CODEC:PRESET`, with defaults for all else.
    ///
    /// # Errors
    /// Returns [`RecipeError::Choice`] if the codec or the preset does not exist.
    pub fn chosen(text: &str) -> Result<Self, RecipeError> {
        let (codec, values) = codecs::by_name_and_preset(text)?;
        Ok(Self { values, ..Self::of(codec) })
    }

    /// Checks every value once. A recipe that passes can compress clips.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn validated(mut self) -> Result<Self, RecipeError> {
        self.values = self.values.validated(self.codec.params()).map_err(ChoiceError::from)?;
        self.check()?;
        self.overrides.iter().try_for_each(|one| one.check_all(self.codec))?;
        self.contacts.check()?;
        self.compensation.check()?;
        Ok(self)
    }

    /// Reads a recipe file.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn from_toml(text: &str) -> Result<Self, RecipeError> {
        toml::from_str::<Self>(text).map_err(|e| RecipeError::Toml(with_nearest(e.to_string())))?.validated()
    }

    /// Writes a recipe file. Lists have one entry per line.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a recipe is plain data")
    }

    /// The limits for a clip of a rig. Overrides of other joints and clips have no effect.
    pub fn limits_of(&self, rig: &Rig, clip: &Clip) -> JointLimits {
        let skeleton = &rig.skeleton;
        let mut shells_m = vec![self.shell_m; skeleton.len()];
        if self.shell_from_mesh {
            shells_m.iter_mut().zip(rig.reach_m()).for_each(|(shell_m, reach_m)| *shell_m = shell_m.max(reach_m));
        }
        let mut weights = ErrorWeights::even(skeleton.len(), clip.samples());
        let (mut kept, mut spans) = (vec![None; skeleton.len()], Vec::new());
        for one in self.overrides.iter().filter(|one| one.is_of_clip(clip.name())) {
            let samples = one.samples(clip.grid());
            if one.exact && one.span_secs.is_some() {
                let joints: Vec<usize> = one.joints(skeleton).collect();
                spans.push(JointGroup { joints, kept: GroupStorage::ExactlyWithin(samples.clone()) });
            }
            for joint in one.joints(skeleton) {
                shells_m[joint] = one.shell_m.unwrap_or(shells_m[joint]);
                kept[joint] = one.kept().or(kept[joint].take());
                if let Some(tolerance_m) = one.tolerance_m {
                    weights.change(joint, samples.clone(), |_| self.tolerance_m / tolerance_m);
                }
            }
        }
        let spans = spans.into_iter().filter(|group| !group.joints.is_empty());
        let groups = joint_override::groups_of(kept).into_iter().chain(spans).collect();
        let floats = float_limits(rig, clip, self.tolerance_m, self.float_tolerance);
        JointLimits { shells_m, weights: Arc::new(weights), floats, groups }
    }

    /// True if both give the same result for a clip of that name. They may differ in overrides of other clips.
    pub fn is_same_for(&self, other: &Self, clip: &str) -> bool {
        if self.overrides == other.overrides {
            return self == other;
        }
        let of_clip = |one: &&JointOverride| one.is_of_clip(clip);
        let rest = |recipe: &Self| Self { overrides: Vec::new(), ..recipe.clone() };
        self.overrides.iter().filter(of_clip).eq(other.overrides.iter().filter(of_clip)) && rest(self) == rest(other)
    }

    /// Sets a joint's shell for every clip.
    pub fn set_override(&mut self, joint: &str, shell_m: f32) {
        let of_joint = |known: &&mut JointOverride| known.joint == joint && known.is_everywhere();
        match self.overrides.iter_mut().find(of_joint) {
            Some(known) => known.shell_m = Some(shell_m),
            None => self.overrides.push(JointOverride { shell_m: Some(shell_m), ..JointOverride::of(joint) }),
        }
    }

    /// The error that the codec keeps within the tolerance.
    pub fn promise(&self) -> Promise {
        self.codec.promise_with(&self.values)
    }

    /// The largest error at the samples that the recipe allows, metres.
    pub fn largest_error_m(&self) -> f32 {
        match self.promise() {
            Promise::Largest => self.tolerance_m,
            Promise::Mean => self.tolerance_m * MOST_TIMES_MEAN,
        }
    }

    /// Limits for the errors that the tolerance does not bound.
    pub fn limits(&self) -> ErrorLimits {
        ErrorLimits {
            allowed_m: match self.promise() {
                Promise::Largest => self.tolerance_m,
                Promise::Mean => self.tolerance_m * USUAL_TIMES_MEAN,
            },
            warn_m: self.warn_error_m,
            fail_m: self.fail_error_m,
            warn_sampling_m: self.warn_sampling_m,
            fail_sampling_m: self.fail_sampling_m,
            warn_jitter_m: self.warn_jitter_m,
            fail_jitter_m: self.fail_jitter_m,
            warn_root_m: self.warn_root_m,
            fail_root_m: self.fail_root_m,
        }
    }

    /// One line for people: `linear-keys 0.10 mm`, `quantize + ik`.
    pub fn title(&self) -> String {
        match self.compensation.is_none() {
            true => self.codec_title(),
            false => format!("{} + {}", self.codec_title(), self.compensation.method.option().key),
        }
    }

    fn codec_title(&self) -> String {
        let name = self.codec.name();
        if !self.codec.promises_with(&self.values) || name == "raw" {
            return name.to_owned();
        }
        let tolerance_mm = f64::from(self.tolerance_m) * 1000.0;
        let digits = match tolerance_mm {
            mm if mm < 0.01 => 4, // the smallest tolerance, 0.0001 mm, is not zero
            mm if mm < 1.0 => 2,
            _ => 1,
        };
        format!("{name} {tolerance_mm:.digits$} mm")
    }
}
