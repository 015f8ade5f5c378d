use crate::settings::{Choice, Field, Setting, Settings, choices};

/// What an export goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportInto {
    /// The file that the clips came from.
    #[default]
    Source,
    /// A file of its own.
    New,
}

choices!(ExportInto {
    Source => (
        "source",
        "the source file",
        "Of a glTF source everything stays as it is (nodes, meshes, materials, images, cameras, extras, extensions), and only \
         its animations are replaced; those that are not exported are left out, and what lies in files beside it comes in. From \
         other sources, from containers and for clips on another file's rig it is a new file.",
    ),
    New => ("new", "a new file", "A new file with rig, skin, meshes, base colours and clips."),
});

/// How an export stores rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RotationFormat {
    /// Normalized 16-bit integers where the tolerance allows them, float32 elsewhere.
    #[default]
    Shorts,
    /// Always float32.
    Floats,
}

choices!(RotationFormat {
    Shorts => (
        "i16",
        "16 bits where they do",
        "Normalized 16-bit integers where the tolerance allows them, float32 elsewhere: half the bytes.",
    ),
    Floats => ("f32", "float32", "Always float32, for readers that know nothing else."),
});

/// What people choose about an export. What a format knows nothing of has no effect on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportOptions {
    /// What it goes into.
    pub into: ExportInto,
    /// How rotations are stored.
    pub rotations: RotationFormat,
}

impl Settings for ExportOptions {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "into",
            option: "into",
            label: "Write into",
            help: "What a GLB goes into.",
            field: Field::Choice {
                options: ExportInto::OPTIONS,
                get: |o| Some(o.into.option().key),
                set: |o, key| o.into = ExportInto::by_key(key).unwrap_or_default(),
            },
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "rotations",
            option: "rotations",
            label: "Rotations",
            help: "How a GLB stores the keys of rotations.",
            field: Field::Choice {
                options: RotationFormat::OPTIONS,
                get: |o| Some(o.rotations.option().key),
                set: |o, key| o.rotations = RotationFormat::by_key(key).unwrap_or_default(),
            },
            unset: None,
            in_form: true,
            only_if: None,
        },
    ];
}
