use crate::math::Transform;
use crate::settings::{ChoiceOption, Field, Range, Setting, Settings, Unit, at};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::f32::consts::FRAC_PI_2;

/// Metres in an inch.
const INCH_M: f32 = 0.0254;

/// Length unit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Metres.
    Metre,
    /// Centimetres.
    Centimetre,
    /// Millimetres.
    Millimetre,
    /// Inches.
    Inch,
    /// 5.644 cm, the unit of CMU's motion capture: an inch divided by 0.45.
    #[serde(rename = "5.644cm")]
    Cmu,
}

impl LengthUnit {
    /// From the largest to the smallest.
    pub const ALL: [Self; 5] = [Self::Metre, Self::Cmu, Self::Inch, Self::Centimetre, Self::Millimetre];

    /// Length of the unit, metres.
    pub fn metres(self) -> f32 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => INCH_M,
            Self::Cmu => INCH_M / 0.45,
        }
    }

    /// Key, label (plural) and help.
    pub const fn option(self) -> ChoiceOption {
        let (key, label) = match self {
            Self::Metre => ("m", "metres"),
            Self::Centimetre => ("cm", "centimetres"),
            Self::Millimetre => ("mm", "millimetres"),
            Self::Inch => ("in", "inches"),
            Self::Cmu => ("5.644cm", "units of 5.644 cm (CMU)"),
        };
        ChoiceOption { key, label, help: "" }
    }

    /// Plural name for people.
    pub fn name(self) -> &'static str {
        self.option().label
    }

    /// From the most to the least common unit.
    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [
        Self::Metre.option(),
        Self::Centimetre.option(),
        Self::Millimetre.option(),
        Self::Inch.option(),
        Self::Cmu.option(),
    ];
}

/// Axis that points up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// Y, as in this program.
    Y,
    /// Z. Imports rotate by -90 degrees about X.
    Z,
}

impl UpAxis {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Y, Self::Z];

    /// Key, label and help.
    pub const fn option(self) -> ChoiceOption {
        match self {
            Self::Y => ChoiceOption { key: "y", label: "Y is up", help: "" },
            Self::Z => ChoiceOption { key: "z", label: "Z is up", help: "" },
        }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [Self::Y.option(), Self::Z.option()];

    /// Converts a root's local transform to Y up. Exact for translations, whose components only change places.
    pub(super) fn raise(self, root: Transform) -> Transform {
        match self {
            Self::Y => root,
            Self::Z => Transform {
                rotation: Quat::from_rotation_x(-FRAC_PI_2) * root.rotation,
                translation: Vec3::new(root.translation.x, root.translation.z, -root.translation.y),
                scale: root.scale,
            },
        }
    }

    /// Inverse of [`Self::raise`].
    pub(super) fn lower(self, root: Transform) -> Transform {
        match self {
            Self::Y => root,
            Self::Z => Transform {
                rotation: Quat::from_rotation_x(FRAC_PI_2) * root.rotation,
                translation: Vec3::new(root.translation.x, -root.translation.z, root.translation.y),
                scale: root.scale,
            },
        }
    }
}

/// Unit of key times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Second,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millisecond,
}

impl TimeUnit {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Second, Self::Millisecond];

    /// Length of the unit, seconds.
    pub fn secs(self) -> f32 {
        match self {
            Self::Second => 1.0,
            Self::Millisecond => 0.001,
        }
    }

    /// Key, label (plural) and help.
    pub const fn option(self) -> ChoiceOption {
        match self {
            Self::Second => ChoiceOption { key: "s", label: "seconds", help: "" },
            Self::Millisecond => ChoiceOption { key: "ms", label: "milliseconds", help: "" },
        }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [Self::Second.option(), Self::Millisecond.option()];
}

/// The treatment of constraints in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConstraintReading {
    /// Constraints move joints, in addition to their keys.
    #[default]
    Evaluated,
    /// Only keys move joints.
    Keys,
}

impl ConstraintReading {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Evaluated, Self::Keys];

    /// Key, label and help.
    pub const fn option(self) -> ChoiceOption {
        match self {
            Self::Evaluated => ChoiceOption {
                key: "evaluated",
                label: "evaluated",
                help: "Constraints move joints, in addition to their keys.",
            },
            Self::Keys => ChoiceOption { key: "keys", label: "keys alone", help: "Only keys move joints." },
        }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [Self::Evaluated.option(), Self::Keys.option()];
}

/// Import options of a file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Samples per second; `None` detects it from the keys.
    pub rate_hz: Option<f32>,
    /// Frame rate that replaces the file's, without resampling.
    pub frames_are_hz: Option<f32>,
    /// Unit of lengths; `None` for the file's own.
    pub unit: Option<LengthUnit>,
    /// Factor on all lengths, in addition to the unit.
    pub scale: Option<f32>,
    /// Up axis; `None` for the file's own.
    pub up: Option<UpAxis>,
    /// Number of the character to read from a glTF or USD, from 1; `None` reads all as one rig.
    pub figure: Option<f32>,
    /// Number of the scene to read from a glTF, from 1; `None` for the file's default.
    pub scene: Option<f32>,
    /// Treatment of constraints of an FBX or VRM; `None` evaluates them.
    pub constraints: Option<ConstraintReading>,
    /// Unit of key times of a glTF; `None` for seconds, as in its specification.
    pub time_unit: Option<TimeUnit>,
}

impl Settings for ImportOptions {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "rate_hz",
            option: "rate",
            label: "Rate",
            help: "Samples per second.",
            field: Field::OptionalNumber(
                at!(rate_hz),
                Range { min: 0.01, max: 100_000.0, unit: Unit::Hertz, decimals: (0, 3), slider: None },
            ),
            unset: Some("detected from the keys"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "frames_are_hz",
            option: "frames-are",
            label: "Frames are",
            help: "Frame rate of the file, if it states a wrong one or none. Nothing is resampled: the same frames play at that rate.",
            field: Field::OptionalNumber(
                at!(frames_are_hz),
                Range { min: 1.0, max: 1000.0, unit: Unit::Hertz, decimals: (0, 3), slider: None },
            ),
            unset: Some("as the file says"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "unit",
            option: "unit",
            label: "Unit",
            help: "Unit of lengths.",
            field: Field::Choice {
                options: &LengthUnit::OPTIONS,
                get: |o| o.unit.map(|unit| unit.option().key),
                set: |o, key| o.unit = LengthUnit::ALL.into_iter().find(|unit| unit.option().key == key),
            },
            unset: Some("the file's own"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "scale",
            option: "scale",
            label: "Scale",
            help: "Factor on all lengths of the file, in addition to the unit.",
            field: Field::OptionalNumber(
                at!(scale),
                Range { min: 1e-6, max: 1e6, unit: Unit::None, decimals: (0, 6), slider: None },
            ),
            unset: Some("1"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "up",
            option: "up",
            label: "Up axis",
            help: "Axis that points up.",
            field: Field::Choice {
                options: &UpAxis::OPTIONS,
                get: |o| o.up.map(|up| up.option().key),
                set: |o, key| o.up = UpAxis::ALL.into_iter().find(|up| up.option().key == key),
            },
            unset: Some("the file's own"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "figure",
            option: "figure",
            label: "Figure",
            help: "Number of the character to read from a glTF or USD with several. Skins without common joints, and skeletons of USD, are separate characters.",
            field: Field::OptionalNumber(at!(figure), NUMBERS),
            unset: Some("all, as one rig"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "scene",
            option: "scene",
            label: "Scene",
            help: "Number of the scene to read from a glTF with several.",
            field: Field::OptionalNumber(at!(scene), NUMBERS),
            unset: Some("the file's own"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "constraints",
            option: "constraints",
            label: "Constraints",
            help: "Constraints of an FBX or VRM: evaluate them, or use keys only.",
            field: Field::Choice {
                options: &ConstraintReading::OPTIONS,
                get: |o| o.constraints.map(|reading| reading.option().key),
                set: |o, key| {
                    o.constraints = ConstraintReading::ALL.into_iter().find(|reading| reading.option().key == key);
                },
            },
            unset: Some("evaluated"),
            in_form: false,
            only_if: None,
        },
        Setting {
            key: "time_unit",
            option: "time-unit",
            label: "Time unit",
            help: "Unit of key times in a glTF.",
            field: Field::Choice {
                options: &TimeUnit::OPTIONS,
                get: |o| o.time_unit.map(|unit| unit.option().key),
                set: |o, key| o.time_unit = TimeUnit::ALL.into_iter().find(|unit| unit.option().key == key),
            },
            unset: Some("seconds, as glTF says"),
            in_form: false,
            only_if: None,
        },
    ];
}

/// Range of part numbers.
const NUMBERS: Range = Range { min: 1.0, max: 9999.0, unit: Unit::None, decimals: (0, 0), slider: None };

impl ImportOptions {
    /// Length of the file's unit, metres. The default is metres.
    pub(super) fn metres(&self) -> f32 {
        self.unit.unwrap_or(LengthUnit::Metre).metres() * self.factor()
    }

    /// Length of the file's time unit, seconds.
    pub(super) fn secs(&self) -> f32 {
        self.time_unit.map_or(1.0, TimeUnit::secs)
    }

    /// Factor on all lengths.
    pub(super) fn factor(&self) -> f32 {
        self.scale.unwrap_or(1.0)
    }

    /// Number of the chosen character, from 1.
    pub(super) fn figure(&self) -> Option<usize> {
        self.figure.map(|number| number.round() as usize)
    }

    /// Number of the chosen scene, from 1.
    pub(crate) fn scene(&self) -> Option<usize> {
        self.scene.map(|number| number.round() as usize)
    }

    /// The axis that points up.
    pub(super) fn up(&self) -> UpAxis {
        self.up.unwrap_or(UpAxis::Y)
    }
}
