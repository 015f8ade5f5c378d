use super::pin_mark::PIN_MARKS;
use crate::metrics::SlideLimits;
use crate::settings::{Field, JOINT_NAMES, Range, Setting, Settings, Unit, at};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Settings that find and judge contacts of feet.
///
/// Distances are those of a person. They are scaled by hip height / 0.9 m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Scales the limits of height and speed: higher finds more contacts, lower fewer. Default 1.
    pub sensitivity: f32,
    /// A point of the sole stands up to this height above the surface under it. Default 0.02.
    pub height_m: f32,
    /// A point of the sole stands while it moves slower than this over the ground. Default 0.38.
    pub speed_m_s: f32,
    /// A point stands until it is this many times faster than the speed limit (hysteresis). Default 1.15.
    pub release_factor: f32,
    /// Shorter contacts are dropped. Default 0.03.
    pub min_secs: f32,
    /// A contact that slides this far warns. Default 0.002.
    pub warn_slide_m: f32,
    /// A contact that drifts this fast over 0.1 s warns, if its slide is at least half of `warn_slide_m`. Default 0.02.
    pub warn_rate_m_s: f32,
    /// A contact that slides this far fails. Default 0.005.
    pub fail_slide_m: f32,
    /// Encodes again, with more bits for the feet, until no contact slides farther than `lock_slide_m` or drifts fast enough to warn. Only
    /// for codecs that search. Default: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lock: bool,
    /// The largest slide when contacts are locked. Default 0.001.
    #[serde(skip_serializing_if = "is_usual_lock")]
    pub lock_slide_m: f32,
    /// Weight of a foot's errors during contact, for codecs that search under the tolerance. Default 1.
    #[serde(skip_serializing_if = "is_usual_weight")]
    pub weight: f32,
    /// Height of the ground in object space. `None` uses the height of the soles in the bind pose if the feet are often there, else the
    /// height at which the lowest foot stays longest.
    pub ground_m: Option<f32>,
    /// Velocity of the ground in object space, for in-place clips. `None` estimates it.
    pub ground_velocity_m_s: Option<Vec3>,
    /// Names of more joints to treat as feet.
    pub extra_joints: Vec<String>,
    /// Pins that are judged: `hand.l on sword` each, see [`PinMark`](super::PinMark). Other pins are only offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<String>,
    /// A joint is pinned while it stays within this distance of one place. Default 0.01.
    #[serde(skip_serializing_if = "is_usual_pin")]
    pub pin_m: f32,
    /// Contacts that the user drew, per foot. They replace the contacts that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<FootContacts>,
}

/// All contacts of one foot, as the user drew them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FootContacts {
    /// Name of the joint. It must be a foot, either found or listed in [`ContactSettings::extra_joints`].
    pub joint: String,
    /// Touch-down and lift-off of each contact, seconds from the clip's start. In a looping clip the lift-off may lie beyond the clip's
    /// end.
    pub spans_secs: Vec<[f32; 2]>,
}

/// The default of [`ContactSettings::lock_slide_m`].
const USUAL_LOCK_M: f32 = 0.001;

/// True for the default, which recipe files leave out.
fn is_usual_lock(slide_m: &f32) -> bool {
    *slide_m == USUAL_LOCK_M
}

/// The default of [`ContactSettings::pin_m`].
const USUAL_PIN_M: f32 = 0.01;

/// True for the default, which recipe files leave out.
fn is_usual_pin(pin_m: &f32) -> bool {
    *pin_m == USUAL_PIN_M
}

/// True for the default, which recipe files leave out.
fn is_usual_weight(weight: &f32) -> bool {
    *weight == 1.0
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            sensitivity: 1.0,
            height_m: 0.02,
            speed_m_s: 0.38,
            release_factor: 1.15,
            min_secs: 0.03,
            warn_slide_m: 0.002,
            warn_rate_m_s: 0.02,
            fail_slide_m: 0.005,
            lock: false,
            lock_slide_m: USUAL_LOCK_M,
            weight: 1.0,
            ground_m: None,
            ground_velocity_m_s: None,
            extra_joints: Vec::new(),
            pins: Vec::new(),
            pin_m: USUAL_PIN_M,
            by_hand: Vec::new(),
        }
    }
}

/// The range of a limit in SI units. Every value reaches a limit of 0, and none reaches a limit of 1000.
const LIMIT: Range = Range { min: 0.0, max: 1000.0, unit: Unit::None, decimals: (2, 2), slider: None };

/// The table has no entry for the ground's velocity and for contacts drawn by hand: they are not set in a form.
impl Settings for ContactSettings {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "lock",
            option: "lock-contacts",
            label: "Lock contacts",
            help: "Encodes again with more bits for the feet, until no contact slides farther than its limit or drifts fast \
                    enough to warn, and no marked pin drifts. Costs bytes and time. Codecs that do not search ignore it.",
            field: Field::Switch(at!(lock)),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "lock_slide_m",
            option: "lock-slide-mm",
            label: "Slide at most",
            help: "The largest slide of a contact when contacts are locked.",
            field: Field::Number(at!(lock_slide_m), Range { min: 0.000_01, unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: Some(("lock", &["true"])),
        },
        Setting {
            key: "weight",
            option: "contact-weight",
            label: "Contact weight",
            help: "Weight of a foot's errors during contact, for codecs that search under the tolerance. Lock contacts finds \
                    the weight that each contact needs.",
            field: Field::Number(
                at!(weight),
                Range { min: 1.0, max: 1000.0, unit: Unit::Times, decimals: (0, 1), slider: None },
            ),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "sensitivity",
            option: "contact-sensitivity",
            label: "Find contacts",
            help: "Scales the limits of height and speed that find contacts. Higher finds more and longer contacts.",
            field: Field::Number(
                at!(sensitivity),
                Range { min: 0.25, max: 4.0, unit: Unit::Times, decimals: (2, 2), slider: Some((0.25, 4.0)) },
            ),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "warn_slide_m",
            option: "warn-slide-mm",
            label: "Warn at",
            help: "A contact that slides this far warns.",
            field: Field::Number(at!(warn_slide_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "warn_rate_m_s",
            option: "warn-rate-cm-s",
            label: "Warn at rate",
            help: "A contact that drifts this fast over 0.1 s warns, if it slides at least half as far as warns.",
            field: Field::Number(at!(warn_rate_m_s), Range { unit: Unit::MetresPerSecond, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "fail_slide_m",
            option: "fail-slide-mm",
            label: "Fail at",
            help: "A contact that slides this far fails.",
            field: Field::Number(at!(fail_slide_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "height_m",
            option: "contact-height-mm",
            label: "Lower than",
            help: "A point of the sole stands up to this height above the surface under it.",
            field: Field::Number(at!(height_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "speed_m_s",
            option: "contact-speed-cm-s",
            label: "Slower than",
            help: "A point of the sole stands while it moves slower than this over the ground.",
            field: Field::Number(at!(speed_m_s), Range { unit: Unit::MetresPerSecond, ..LIMIT }),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "release_factor",
            option: "release-factor",
            label: "Contact ends at",
            help: "A point stands until it is this many times faster than the limit. Higher: less flicker.",
            field: Field::Number(
                at!(release_factor),
                Range { unit: Unit::Times, ..Range { min: 1.0, max: 100.0, ..LIMIT } },
            ),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "min_secs",
            option: "min-contact-secs",
            label: "Shortest contact",
            help: "Shorter contacts are dropped.",
            field: Field::Number(at!(min_secs), Range { unit: Unit::Seconds, ..Range { max: 60.0, ..LIMIT } }),
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
            unset: Some("the height at which the lowest foot stays longest"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "extra_joints",
            option: "contact-joint",
            label: "More feet",
            help: "More joints to judge as feet, besides those found by name and shape.",
            field: Field::Lines(at!(extra_joints), &JOINT_NAMES),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "pin_m",
            option: "pin-mm",
            label: "Pinned within",
            help: "A joint is pinned while it stays within this distance of one place on another joint or in the world.",
            field: Field::Number(at!(pin_m), Range { unit: Unit::Metres, ..LIMIT }),
            unset: None,
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "pins",
            option: "pin",
            label: "Pins",
            help: "Pins to judge: JOINT on SPACE, such as 'hand.l on sword' or 'hips on world'. Names may be patterns; '*' \
                    judges all pins that are found.",
            field: Field::Lines(at!(pins), &PIN_MARKS),
            unset: None,
            in_form: false,
            only_if: None,
        },
    ];
}

impl ContactSettings {
    /// True if both find the same contacts. They may still judge them differently.
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

    /// The slide limits for a rig of another size. See [`Self::scaled`].
    pub(crate) fn slide_limits(&self, scale: f32) -> SlideLimits {
        let Self { warn_slide_m, warn_rate_m_s, fail_slide_m, .. } = self.scaled(scale);
        SlideLimits { warn_slide_m, warn_rate_m_s, fail_slide_m }
    }

    /// The same settings for a rig of another size: every distance and speed times [`ContactPlan::scale`].
    ///
    /// The ground's height and velocity stay as they are, since the user enters them for this clip.
    ///
    /// [`ContactPlan::scale`]: super::ContactPlan::scale
    pub fn scaled(&self, scale: f32) -> Self {
        Self {
            lock_slide_m: self.lock_slide_m * scale,
            height_m: self.height_m * scale,
            pin_m: self.pin_m * scale,
            speed_m_s: self.speed_m_s * scale,
            warn_slide_m: self.warn_slide_m * scale,
            warn_rate_m_s: self.warn_rate_m_s * scale,
            fail_slide_m: self.fail_slide_m * scale,
            ..self.clone()
        }
    }
}
