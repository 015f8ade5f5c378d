use crate::settings::{Choice, Field, Setting, Settings, choices};
use serde::{Deserialize, Serialize};

/// The destination of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportInto {
    /// The source file.
    #[default]
    Source,
    /// A new file.
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

/// The number format of rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RotationFormat {
    /// Normalized 16-bit integers if the tolerance allows them, else float32.
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

/// The purpose of the keys of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportKeys {
    /// Playback: the fewest bytes.
    #[default]
    Smallest,
    /// Editing.
    Editable,
    /// Editing in programs that read no tangents.
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

/// The body of a rig without a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportBody {
    /// Joints only.
    #[default]
    None,
    /// Capsules along the bones.
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

/// The compression of keys in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportPacking {
    /// None.
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

/// The recipes in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportRecipes {
    /// The recipe of each clip.
    #[default]
    Kept,
    /// Only its tolerance.
    None,
}

choices!(ExportRecipes {
    Kept => ("kept", "kept", "How each clip was made: verify judges it by that. Clips that were made alike share it."),
    None => ("none", "left out, for shipping", "Codecs and tolerances alone: engines read no more."),
});

impl ExportRecipes {
    /// True if the container stores them.
    pub fn are_kept(self) -> bool {
        self == Self::Kept
    }
}

/// Options of an export. A format ignores options that it does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportOptions {
    /// Destination.
    pub into: ExportInto,
    /// Purpose of its keys.
    pub keys: ExportKeys,
    /// Number format of rotations.
    pub rotations: RotationFormat,
    /// Body of a rig without a mesh.
    pub body: ExportBody,
    /// Compression of its keys.
    pub packing: ExportPacking,
    /// The recipes in a container.
    pub recipes: ExportRecipes,
}

/// A setting for a field, with its choices.
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
    /// True if all options are defaults.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// True for a setting of containers. The others are settings of exporters.
    pub fn is_of_containers(setting: &Setting<Self>) -> bool {
        setting.key == "recipes"
    }

    /// Key of the chosen value of a setting.
    pub fn chosen(&self, setting: &str) -> Option<&'static str> {
        match Self::ALL.iter().find(|known| known.key == setting)?.field {
            Field::Choice { get, .. } => get(self),
            _ => None,
        }
    }

    /// Sets a value by the keys of setting and choice. Unknown keys change nothing.
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
