use crate::settings::{Choice, Field, ParamError, Setting, Settings, choices};
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
        "Keeps a glTF source as it is (nodes, meshes, materials, images, cameras, extras, extensions) and replaces only its animations. \
         Drops animations of clips that are not exported. Embeds files beside the source. Other sources, containers and clips on another \
         file's rig give a new file.",
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
        "16 bits within the tolerance",
        "Normalized 16-bit integers where the tolerance allows them, float32 elsewhere. They take half the bytes.",
    ),
    Floats => ("f32", "float32", "Always float32, for readers that support nothing else."),
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
    Smallest => ("smallest", "fewest bytes", "Uses steps, lines or cubics: the choice with the fewest bytes. For playback."),
    Editable => (
        "editable",
        "few, for editing",
        "Keeps the times of the source file's keys and adds few others. Follows the source within the recipe's tolerance. Uses smooth \
         curves without breaks in their tangents, and lines or steps where those need fewer keys. For Maya and other editors that read \
         tangents.",
    ),
    EditableLines => (
        "editable-lines",
        "few, without tangents",
        "Like `editable`, with lines and steps only. For Blender, which replaces the tangents of a file.",
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
    None => ("none", "joints only", "Adds no mesh. Clips without a mesh usually move a mesh of another file."),
    Capsules => (
        "capsules",
        "a body of capsules",
        "Adds a capsule per bone if the source has no mesh, as in motion capture. For viewers and engines that show only meshes. Never \
         added to a glTF source.",
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
    None => ("none", "not packed", "Uncompressed. Every glTF reader supports this."),
    Ext => (
        "ext",
        "EXT_meshopt_compression",
        "Lossless compression by meshoptimizer, if that takes fewer bytes. For players that support the extension, such as three.js, \
         Babylon.js and gltfpack.",
    ),
    Khr => (
        "khr",
        "KHR_meshopt_compression",
        "Like EXT_meshopt_compression, in the newer encoding of its successor. Takes fewer bytes. For current players.",
    ),
});

/// The recipes in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportRecipes {
    /// The recipe of each clip.
    #[default]
    Kept,
    /// Only its codec and tolerance.
    None,
}

choices!(ExportRecipes {
    Kept => ("kept", "kept", "Stores the recipe of each clip, by which `verify` judges it. Clips with the same recipe share it."),
    None => ("none", "left out, for shipping", "Stores only codecs and tolerances. Engines need no more."),
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

    /// Sets a value by the keys of setting and choice.
    ///
    /// # Errors
    /// Returns a [`ParamError`] for an unknown setting or choice. Then nothing changes.
    pub fn choose(&mut self, setting: &str, choice: &str) -> Result<(), ParamError> {
        self.set_option(setting, choice)
    }
}

impl Settings for ExportOptions {
    const ALL: &'static [Setting<Self>] = &[
        choice!(into: ExportInto, "Write into", "Destination of a GLB."),
        choice!(keys: ExportKeys, "Keys", "Purpose of the keys in a GLB: playback or editing."),
        choice!(rotations: RotationFormat, "Rotations", "Number format of rotation keys in a GLB."),
        choice!(body: ExportBody, "Without a mesh", "Body of a rig without a mesh in a new GLB."),
        choice!(packing: ExportPacking, "Packing", "Compression of the keys in a GLB."),
        choice!(recipes: ExportRecipes, "Recipes", "Recipes stored in a container."),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_settings_and_choices_are_refused_by_name() {
        let mut options = ExportOptions::default();
        assert_eq!(options.choose("packing", "khr"), Ok(()));
        let unknown = options.choose("pack", "khr").unwrap_err().to_string();
        assert!(unknown.contains("'pack'") && unknown.contains("packing"), "{unknown}");
        let unknown = options.choose("packing", "zip").unwrap_err().to_string();
        assert!(unknown.contains("'zip'") && unknown.contains("none, ext, khr"), "{unknown}");
        assert_eq!(options.packing, ExportPacking::Khr);
    }
}
