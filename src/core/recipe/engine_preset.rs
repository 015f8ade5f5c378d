//! Engine presets: recipes that come close to the compression of game engines and their libraries.

use crate::recipe::{Recipe, RecipeError};
use crate::text;

/// The default compression of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EnginePreset {
    /// Name of the engine and its codec.
    pub name: &'static str,
    /// A sentence on how close the preset comes to the engine.
    pub closeness: &'static str,
    /// The engine's own bytes beside those of the preset. `None` where the engine was not run.
    pub original: Option<Original>,
    /// Codec, with a preset after a colon.
    choice: &'static str,
    /// Parameters that differ from the preset's, as text.
    values: &'static [(&'static str, &'static str)],
    /// Default tolerance and shell of the engine, metres. `None` if it has no such settings.
    limits_m: Option<(f32, f32)>,
}

/// Bytes of an engine itself on the 76 clips of KayKit's Knight at 30 Hz, beside those of its preset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Original {
    /// Bytes that the engine takes.
    pub bytes: usize,
    /// Its largest error, millimetres.
    pub error_mm: f32,
    /// Bytes that the preset takes.
    pub preset_bytes: usize,
    /// The preset's largest error, millimetres.
    pub preset_error_mm: f32,
}

impl Original {
    /// The engine's bytes divided by those of the preset.
    pub fn times(&self) -> f64 {
        self.bytes as f64 / self.preset_bytes as f64
    }
}

/// All engine presets, in the order in which a study tries them.
pub static ENGINE_PRESETS: [EnginePreset; 8] = [
    EnginePreset {
        name: "Unreal, bitwise",
        closeness: "Unreal's bitwise compression with its default formats: Fixed 48 for rotations, float32 for the rest. The layout is Posepress's own.",
        original: None,
        choice: "quantize:unreal-fixed48",
        values: &[],
        limits_m: None,
    },
    EnginePreset {
        name: "Unreal, linear keys",
        closeness: "Unreal's key reduction with its published defaults, rounded afterwards, unchecked. The layout of the keys is Posepress's own.",
        original: None,
        choice: "linear-keys:unreal-linear",
        values: &[],
        limits_m: None,
    },
    EnginePreset {
        name: "Unreal, automatic",
        closeness: "Unreal's 35 combinations with its formats and thresholds. The smallest within the tolerance of the recipe wins, else float32.",
        original: None,
        choice: "automatic:unreal",
        values: &[],
        limits_m: None,
    },
    EnginePreset {
        name: "Riot, 48 bits",
        closeness: "As published: 48 bits per key. Riot stores keys in playing order, which takes the same bytes.",
        original: None,
        choice: "quantize:riot",
        values: &[],
        limits_m: None,
    },
    EnginePreset {
        name: "Riot, curve fitting",
        closeness: "As published: Catmull-Rom keys under thresholds, with adaptive margins. Riot's thresholds are not published; these are Posepress's.",
        original: None,
        choice: "catmull-rom:riot",
        values: &[],
        limits_m: None,
    },
    EnginePreset {
        name: "Unity, key reduction",
        closeness: "Errors of 0.5 degrees and 0.5 %, per track, float32. Unity's curves are cubic; here they are linear between \
                       keys, and 0.5 % is 5 mm.",
        original: None,
        choice: "linear-keys",
        values: &[
            ("metric", "local"),
            ("rotation_threshold", "0.0087"),
            ("position_threshold", "0.005"),
            ("scale_threshold", "0.005"),
            ("key_format", "full"),
        ],
        limits_m: None,
    },
    EnginePreset {
        name: "ozz",
        closeness: "The defaults of its optimizer: 1 mm at 10 cm from each joint, keys of 48 bits. Ozz stores translations as half \
                       floats; here they take the bits that the tolerance needs.",
        original: Some(Original { bytes: 669_893, error_mm: 1.16, preset_bytes: 322_209, preset_error_mm: 0.99 }),
        choice: "linear-keys",
        values: &[("key_format", "largest48")],
        limits_m: Some((0.001, 0.1)),
    },
    EnginePreset {
        name: "ACL",
        closeness: "ACL's defaults: bit rates per segment of 16 samples, 0.1 mm at 30 mm from each joint. The layout is Posepress's own.",
        original: Some(Original { bytes: 382_131, error_mm: 0.153, preset_bytes: 365_102, preset_error_mm: 0.1 }),
        choice: "variable-rate:advanced-quantization",
        values: &[],
        limits_m: Some((0.0001, 0.03)),
    },
];

impl EnginePreset {
    /// How close it comes, and the measured factor to the engine itself, in words.
    pub fn said(&self) -> String {
        let factor = match &self.original {
            None => "The engine itself was not measured.".to_owned(),
            Some(original) => format!(
                "On 76 clips (Knight) the engine itself takes {:.2} times the bytes of this preset, {} at {:.2} mm against {} at {:.2} mm.",
                original.times(),
                text::bytes(original.bytes as u64),
                original.error_mm,
                text::bytes(original.preset_bytes as u64),
                original.preset_error_mm
            ),
        };
        format!("{} {factor}", self.closeness)
    }

    /// The preset as a recipe, with shells, contacts and limits of another recipe.
    ///
    /// # Errors
    /// Returns a [`RecipeError`] for an invalid entry. A test checks that the list has none.
    pub fn recipe(&self, like: &Recipe) -> Result<Recipe, RecipeError> {
        let chosen = Recipe::chosen(self.choice)?;
        let (codec, mut values) = (chosen.codec, chosen.values);
        for (key, value) in self.values {
            values.set_text(codec.params(), key, value)?;
        }
        let (tolerance_m, shell_m) = self.limits_m.unwrap_or((like.tolerance_m, like.shell_m));
        Recipe { codec, values, tolerance_m, shell_m, ..like.clone() }.validated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_engine_preset_is_a_recipe_and_no_two_are_the_same() {
        let like = Recipe { tolerance_m: 0.003, ..Recipe::default() };
        let mut seen = HashSet::new();
        for preset in &ENGINE_PRESETS {
            let recipe = preset.recipe(&like).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(seen.insert(recipe.to_toml()) && preset.closeness.ends_with('.'), "{}", preset.name);
            let own = preset.limits_m.map_or(0.003, |(tolerance_m, _)| tolerance_m);
            assert_eq!(recipe.tolerance_m, own, "{}", preset.name);
        }
    }

    #[test]
    fn a_preset_says_its_factor_to_the_engine_or_that_there_is_none() {
        for preset in &ENGINE_PRESETS {
            let said = preset.said();
            match preset.original {
                None => assert!(said.ends_with("The engine itself was not measured."), "{said}"),
                Some(original) => assert!(said.contains(&format!("{:.2} times", original.times())), "{said}"),
            }
        }
        let ozz = ENGINE_PRESETS.iter().find(|preset| preset.name == "ozz").unwrap();
        assert!(ozz.said().contains("2.08 times the bytes"), "{}", ozz.said());
    }
}
