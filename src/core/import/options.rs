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
    /// The 5.644 cm of the motion capture of CMU: an inch over 0.45.
    #[serde(rename = "5.644cm")]
    Cmu,
}

impl LengthUnit {
    /// From the largest to the smallest.
    pub const ALL: [Self; 5] = [Self::Metre, Self::Cmu, Self::Inch, Self::Centimetre, Self::Millimetre];

    /// Metres in one.
    pub fn metres(self) -> f32 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => INCH_M,
            Self::Cmu => INCH_M / 0.45,
        }
    }

    /// What the command line and the window say of it; the label is the plural.
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

    /// As people say it, in the plural.
    pub fn name(self) -> &'static str {
        self.option().label
    }

    /// From the one that files use most to the one that they use least.
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
    /// As everything inside.
    Y,
    /// Turned by -90 degrees about X on the way in.
    Z,
}

impl UpAxis {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Y, Self::Z];

    /// What the command line and the window say of it.
    pub const fn option(self) -> ChoiceOption {
        match self {
            Self::Y => ChoiceOption { key: "y", label: "Y is up", help: "" },
            Self::Z => ChoiceOption { key: "z", label: "Z is up", help: "" },
        }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [Self::Y.option(), Self::Z.option()];

    /// A root's local transform with Y up; exact for translations, which only trade places.
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

    /// The way back of [`Self::raise`].
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

/// Unit of the times of keys.
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

    /// Seconds in one.
    pub fn secs(self) -> f32 {
        match self {
            Self::Second => 1.0,
            Self::Millisecond => 0.001,
        }
    }

    /// What the command line and the window say of it; the label is the plural.
    pub const fn option(self) -> ChoiceOption {
        match self {
            Self::Second => ChoiceOption { key: "s", label: "seconds", help: "" },
            Self::Millisecond => ChoiceOption { key: "ms", label: "milliseconds", help: "" },
        }
    }

    const OPTIONS: [ChoiceOption; Self::ALL.len()] = [Self::Second.option(), Self::Millisecond.option()];
}

/// What is read of a motion whose file has constraints.
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

    /// What the command line and the window say of it.
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

/// What the user may say about a file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Samples per second; `None` detects it from the keys.
    pub rate_hz: Option<f32>,
    /// Rate of the file's frames, where it says another or none: the same samples at that rate.
    pub frames_are_hz: Option<f32>,
    /// Unit of lengths; `None` takes the file's own.
    pub unit: Option<LengthUnit>,
    /// Lengths of the file are that many times as long, in whatever unit: for files of a unit that has no name.
    pub scale: Option<f32>,
    /// Up axis; `None` takes the file's own.
    pub up: Option<UpAxis>,
    /// Which of several figures of a glTF is read, by its number from one; all of them as one rig without it.
    pub figure: Option<f32>,
    /// Which of several scenes of a glTF is shown, by its number from one; the file's own choice without it.
    pub scene: Option<f32>,
    /// Whether constraints of an FBX or a VRM move joints; `None` lets them.
    pub constraints: Option<ConstraintReading>,
    /// Unit of the times of keys of a glTF; `None` takes seconds, as its specification says.
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
            help: "Number of the character to read from a glTF with several. Skins without common joints are separate characters.",
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

/// Numbers of parts of a file.
const NUMBERS: Range = Range { min: 1.0, max: 9999.0, unit: Unit::None, decimals: (0, 0), slider: None };

impl ImportOptions {
    /// Metres in one length unit of the file; a file that does not say, and a user who does not either, means metres.
    pub(super) fn metres(&self) -> f32 {
        self.unit.unwrap_or(LengthUnit::Metre).metres() * self.factor()
    }

    /// Seconds in one time unit of the file.
    pub(super) fn secs(&self) -> f32 {
        self.time_unit.map_or(1.0, TimeUnit::secs)
    }

    /// On all lengths.
    pub(super) fn factor(&self) -> f32 {
        self.scale.unwrap_or(1.0)
    }

    /// The figure that is wanted, from one.
    pub(super) fn figure(&self) -> Option<usize> {
        self.figure.map(|number| number.round() as usize)
    }

    /// The scene that is wanted, from one.
    pub(crate) fn scene(&self) -> Option<usize> {
        self.scene.map(|number| number.round() as usize)
    }

    /// The axis that points up.
    pub(super) fn up(&self) -> UpAxis {
        self.up.unwrap_or(UpAxis::Y)
    }
}
