use crate::metrics::SlideLimits;
use crate::settings::{Field, JOINT_NAMES, Range, Setting, Settings, Unit, at};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How contacts are found and judged. Distances are those of a person: they scale with hip height / 0.9 m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// A heel is down below this height above ground. Default 0.05.
    pub heel_height_m: f32,
    /// A toe is down below this height above ground. Default 0.04.
    pub toe_height_m: f32,
    /// A foot stands while slower than this over ground. Default 0.15.
    pub speed_m_s: f32,
    /// Leaving takes this many times the limits (hysteresis). Default 1.5.
    pub release_factor: f32,
    /// Length of the median filter over contact flags. Default 0.1.
    pub median_secs: f32,
    /// Shorter plants are dropped. Default 3.
    pub min_samples: usize,
    /// A plant that slides this far warns. Default 0.002.
    pub warn_slide_m: f32,
    /// A plant that drifts this fast warns. Default 0.02.
    pub warn_rate_m_s: f32,
    /// A plant that slides this far fails. Default 0.005.
    pub fail_slide_m: f32,
    /// Codecs that search are asked again, for the feet, until every plant slides less than `lock_slide_m`. Default: no.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lock: bool,
    /// How far a plant may slide when contacts are locked. Default 0.001.
    #[serde(skip_serializing_if = "is_usual_lock")]
    pub lock_slide_m: f32,
    /// What errors of feet count while they stand, for codecs that search under the tolerance: so many times. Default 1.
    #[serde(skip_serializing_if = "is_usual_weight")]
    pub weight: f32,
    /// Height of the ground in object space; `None` finds where the lowest foot lingers.
    pub ground_m: Option<f32>,
    /// Velocity of the ground in object space for in-place clips; `None` estimates it.
    pub ground_velocity_m_s: Option<Vec3>,
    /// Names of joints to be treated as feet besides those found, whatever their names.
    pub extra_joints: Vec<String>,
    /// Plants that the user drew for a clip, foot by foot: they replace those that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<FootPlants>,
}

/// Every plant of one foot, as the user drew them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FootPlants {
    /// Name of the joint, which must be a contact by itself or by [`ContactSettings::extra_joints`].
    pub joint: String,
    /// Touch-down and lift-off of each, seconds from the clip's start. In a looping clip the lift-off may lie beyond the
    /// clip's end.
    pub spans_secs: Vec<[f32; 2]>,
}

/// What a plant may slide when contacts are locked.
const USUAL_LOCK_M: f32 = 0.001;

/// Files of recipes that lock as usual need not say so.
fn is_usual_lock(slide_m: &f32) -> bool {
    *slide_m == USUAL_LOCK_M
}

/// See [`is_usual_lock`].
fn is_usual_weight(weight: &f32) -> bool {
    *weight == 1.0
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            heel_height_m: 0.05,
            toe_height_m: 0.04,
            speed_m_s: 0.15,
            release_factor: 1.5,
            median_secs: 0.1,
            min_samples: 3,
            warn_slide_m: 0.002,
            warn_rate_m_s: 0.02,
            fail_slide_m: 0.005,
            lock: false,
            lock_slide_m: USUAL_LOCK_M,
            weight: 1.0,
            ground_m: None,
            ground_velocity_m_s: None,
            extra_joints: Vec::new(),
            by_hand: Vec::new(),
        }
    }
}

/// A limit in SI, from never to never reached.
const LIMIT: Range = Range { min: 0.0, max: 1000.0, unit: Unit::None, decimals: (2, 2), slider: None };

/// The ground's velocity and plants drawn by hand are no numbers of a form: they are measured and drawn.
impl Settings for ContactSettings {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "lock",
            option: "lock-contacts",
            label: "Lock contacts",
            help: "Encodes again, with more bits for the feet, until no plant slides farther than it may, or at a rate \
                   that warns. Costs bytes and time; codecs that do not search take no notice.",
            field: Field::Switch(at!(lock)),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "lock_slide_m",
            option: "lock-slide-mm",
            label: "Slide at most",
            help: "How far a plant may slide when contacts are locked.",
            field: Field::Number(at!(lock_slide_m), Range { min: 0.000_01, unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: Some(("lock", &["true"])),
        },
        Setting {
            key: "weight",
            option: "contact-weight",
            label: "Contact weight",
            help: "What errors of feet count while they stand: so many times, for codecs that search under the tolerance. \
                   Lock contacts finds how much each plant needs.",
            field: Field::Number(
                at!(weight),
                Range { min: 1.0, max: 1000.0, unit: Unit::Times, decimals: (0, 1), slider: None },
            ),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "heel_height_m",
            option: "heel-height-mm",
            label: "Heel below",
            help: "A heel is down below this height over the ground.",
            field: Field::Number(at!(heel_height_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "toe_height_m",
            option: "toe-height-mm",
            label: "Toe below",
            help: "A toe is down below this height over the ground.",
            field: Field::Number(at!(toe_height_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "speed_m_s",
            option: "contact-speed-cm-s",
            label: "Slower than",
            help: "A foot stands while slower than this over the ground.",
            field: Field::Number(at!(speed_m_s), Range { unit: Unit::MetresPerSecond, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "warn_slide_m",
            option: "warn-slide-mm",
            label: "Warn at",
            help: "A plant that slides this far warns.",
            field: Field::Number(at!(warn_slide_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "warn_rate_m_s",
            option: "warn-rate-cm-s",
            label: "Warn at rate",
            help: "A plant that drifts this fast warns.",
            field: Field::Number(at!(warn_rate_m_s), Range { unit: Unit::MetresPerSecond, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "fail_slide_m",
            option: "fail-slide-mm",
            label: "Fail at",
            help: "A plant that slides this far fails.",
            field: Field::Number(at!(fail_slide_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "release_factor",
            option: "release-factor",
            label: "Leave at",
            help: "A foot leaves the ground at this many times the heights and the speed, so that it does not flicker.",
            field: Field::Number(
                at!(release_factor),
                Range { unit: Unit::Times, ..Range { min: 1.0, max: 100.0, ..LIMIT } },
            ),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "median_secs",
            option: "contact-median-secs",
            label: "Median over",
            help: "Contact flags are smoothed by the median over this time.",
            field: Field::Number(at!(median_secs), Range { unit: Unit::Seconds, ..Range { max: 60.0, ..LIMIT } }),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "min_samples",
            option: "min-plant-samples",
            label: "Shortest plant",
            help: "Plants of fewer samples are dropped.",
            field: Field::Count(at!(min_samples), 0, 1 << 20),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "ground_m",
            option: "ground-mm",
            label: "Ground",
            help: "Height of the ground in object space.",
            field: Field::OptionalNumber(
                at!(ground_m),
                Range { unit: Unit::Metres, ..Range { min: -1000.0, ..LIMIT } },
            ),
            unset: Some("where the lowest foot lingers"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "extra_joints",
            option: "contact-joint",
            label: "More contacts",
            help: "Joints that are judged as feet besides those that are found, whatever their names.",
            field: Field::Lines(at!(extra_joints), &JOINT_NAMES),
            unset: None,
            in_form: false,
            only_if: None,
        },
    ];
}

impl ContactSettings {
    /// True when both find the same plants: they may differ in how they judge them.
    pub fn same_plan(&self, other: &Self) -> bool {
        let judged_alike = Self {
            warn_slide_m: other.warn_slide_m,
            warn_rate_m_s: other.warn_rate_m_s,
            fail_slide_m: other.fail_slide_m,
            lock: other.lock,
            lock_slide_m: other.lock_slide_m,
            weight: other.weight,
            ..self.clone()
        };
        judged_alike == *other
    }

    /// What plants of a rig of another size are judged by: see [`Self::scaled`].
    pub(in crate::metrics) fn slide_limits(&self, scale: f32) -> SlideLimits {
        let Self { warn_slide_m, warn_rate_m_s, fail_slide_m, .. } = self.scaled(scale);
        SlideLimits { warn_slide_m, warn_rate_m_s, fail_slide_m }
    }

    /// The same settings for a rig of another size: every distance and speed times [`ContactPlan::scale`].
    ///
    /// The ground's height and velocity are left alone: the user gives them for the clip at hand.
    ///
    /// [`ContactPlan::scale`]: super::ContactPlan::scale
    pub fn scaled(&self, scale: f32) -> Self {
        Self {
            lock_slide_m: self.lock_slide_m * scale,
            heel_height_m: self.heel_height_m * scale,
            toe_height_m: self.toe_height_m * scale,
            speed_m_s: self.speed_m_s * scale,
            warn_slide_m: self.warn_slide_m * scale,
            warn_rate_m_s: self.warn_rate_m_s * scale,
            fail_slide_m: self.fail_slide_m * scale,
            ..self.clone()
        }
    }
}
