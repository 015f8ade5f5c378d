use crate::settings::{Choice, Field, Setting, Settings, choices};
use serde::{Deserialize, Serialize};

/// What an export goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    New => ("new", "a new file", "A new file with rig, skin, meshes, materials and clips."),
});

/// How an export stores rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RotationFormat {
    /// Normalized 16-bit integers where the tolerance allows them, float32 elsewhere.
    #[default]
    #[serde(rename = "i16")]
    Shorts,
    /// Always float32.
    #[serde(rename = "f32")]
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

/// What the keys of an export are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportKeys {
    /// Playing: whatever takes the fewest bytes.
    #[default]
    Smallest,
    /// Being edited again.
    Editable,
    /// The same where the editor reads no tangents.
    #[serde(rename = "editable-lines")]
    EditableLines,
}

choices!(ExportKeys {
    Smallest => ("smallest", "fewest bytes", "Steps, lines or cubics, whatever takes the fewest bytes. For players."),
    Editable => (
        "editable",
        "few, to be edited",
        "Where somebody has set keys in the source file there are keys again, and few others, of the source within the recipe's \
         tolerance: smooth curves whose tangents do not break, steps and lines where those do. For Maya and other editors that read tangents.",
    ),
    EditableLines => (
        "editable-lines",
        "few, without tangents",
        "As editable, with lines and steps alone. For Blender, which puts tangents of its own in place of a file's.",
    ),
});

/// What stands in an export for a figure without a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportBody {
    /// Nothing: its joints.
    #[default]
    None,
    /// A body of capsules.
    Capsules,
}

choices!(ExportBody {
    None => ("none", "joints alone", "What the source has: clips without a mesh move another file's."),
    Capsules => (
        "capsules",
        "a body of capsules",
        "Where the source has no mesh, as motion capture has none, a capsule for every bone that follows its joint: for viewers \
         and engines that show meshes alone. Never in a glTF that the clips go back into.",
    ),
});

/// How the keys of an export are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportPacking {
    /// They are not.
    #[default]
    None,
    /// EXT_meshopt_compression.
    Ext,
    /// KHR_meshopt_compression.
    Khr,
}

choices!(ExportPacking {
    None => ("none", "not packed", "As every reader of glTF knows them."),
    Ext => (
        "ext",
        "EXT_meshopt_compression",
        "Packed by meshoptimizer without loss, where that takes fewer bytes: for players that know the extension, as three.js, \
         Babylon.js and gltfpack do.",
    ),
    Khr => (
        "khr",
        "KHR_meshopt_compression",
        "As the one before, in the encoding of its successor: fewer bytes, for players of today.",
    ),
});

/// What a container says of how its clips were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportRecipes {
    /// The recipe of each clip.
    #[default]
    Kept,
    /// Its tolerance alone.
    None,
}

choices!(ExportRecipes {
    Kept => ("kept", "kept", "How each clip was made: verify judges it by that. Clips that were made alike share it."),
    None => ("none", "left out, for shipping", "Codecs and tolerances alone: engines read no more."),
});

impl ExportRecipes {
    /// They stand in the container.
    pub fn are_kept(self) -> bool {
        self == Self::Kept
    }
}

/// What people choose about an export. What a format knows nothing of has no effect on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportOptions {
    /// What it goes into.
    pub into: ExportInto,
    /// What its keys are for.
    pub keys: ExportKeys,
    /// How rotations are stored.
    pub rotations: RotationFormat,
    /// What stands for a figure without a mesh.
    pub body: ExportBody,
    /// How its keys are packed.
    pub packing: ExportPacking,
    /// What a container says of how its clips were made.
    pub recipes: ExportRecipes,
}

/// A list of values to choose from, at a field of the same name.
macro_rules! choice {
    ($field:ident: $type:ty, $label:expr, $help:expr) => {
        Setting {
            key: stringify!($field),
            option: stringify!($field),
            label: $label,
            help: $help,
            field: Field::Choice {
                options: <$type>::OPTIONS,
                get: |options| Some(options.$field.option().key),
                set: |options, key| options.$field = <$type>::by_key(key).unwrap_or_default(),
            },
            unset: None,
            in_form: true,
            only_if: None,
        }
    };
}

impl ExportOptions {
    /// True for what nobody has chosen.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// True for a setting of containers: the others are of what exporters write.
    pub fn is_of_containers(setting: &Setting<Self>) -> bool {
        setting.key == "recipes"
    }

    /// Key of what is chosen for a setting, by that one's key.
    pub fn chosen(&self, setting: &str) -> Option<&'static str> {
        match Self::ALL.iter().find(|known| known.key == setting)?.field {
            Field::Choice { get, .. } => get(self),
            _ => None,
        }
    }

    /// Chooses a value of a setting, both by their keys; what there is not changes nothing.
    pub fn choose(&mut self, setting: &str, choice: &str) {
        let known = Self::ALL.iter().find(|known| known.key == setting);
        if let Some(Field::Choice { set, options, .. }) = known.map(|known| &known.field)
            && options.iter().any(|option| option.key == choice)
        {
            set(self, choice);
        }
    }
}

impl Settings for ExportOptions {
    const ALL: &'static [Setting<Self>] = &[
        choice!(into: ExportInto, "Write into", "What a GLB goes into."),
        choice!(keys: ExportKeys, "Keys", "What the keys of a GLB are for."),
        choice!(rotations: RotationFormat, "Rotations", "How a GLB stores the keys of rotations."),
        choice!(body: ExportBody, "Without a mesh", "What a new GLB shows of a figure without a mesh."),
        choice!(packing: ExportPacking, "Packing", "How the keys of a GLB are packed."),
        choice!(recipes: ExportRecipes, "Recipes", "What a container says of how its clips were made."),
    ];
}
