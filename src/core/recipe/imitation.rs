//! What other engines do with clips, as near as our codecs come to it.

use crate::recipe::{Recipe, RecipeError};

/// What an engine makes of clips unless somebody tells it otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Imitation {
    /// Of which engine.
    pub name: &'static str,
    /// How near ours comes to it.
    pub how_near: &'static str,
    /// Codec, with a preset behind a colon.
    choice: &'static str,
    /// Parameters that differ from the preset's, as they are typed.
    values: &'static [(&'static str, &'static str)],
    /// The tolerance and the shell that the engine itself begins with, metres; nothing for one that has no such thing.
    limits_m: Option<(f32, f32)>,
}

/// Engines' defaults, oldest first.
pub static IMITATIONS: [Imitation; 8] = [
    Imitation {
        name: "Unreal, bitwise",
        how_near: "Its bitwise compression with the usual formats: Fixed 48 for rotations, float32 for the rest.",
        choice: "quantize:unreal-fixed48",
        values: &[],
        limits_m: None,
    },
    Imitation {
        name: "Unreal, linear keys",
        how_near: "Its key reduction with its published defaults. Here keys are laid out as ours are.",
        choice: "linear-keys:unreal-linear",
        values: &[],
        limits_m: None,
    },
    Imitation {
        name: "Unreal, automatic",
        how_near: "Its automatic choice among its own formats; here under the tolerance of the recipe.",
        choice: "automatic:unreal",
        values: &[],
        limits_m: None,
    },
    Imitation {
        name: "Riot, 48 bits",
        how_near: "As published: 48 bits for every key. Theirs follow playing order, which costs no bytes.",
        choice: "quantize:riot",
        values: &[],
        limits_m: None,
    },
    Imitation {
        name: "Riot, curve fitting",
        how_near: "As published: Catmull-Rom keys under thresholds, with adaptive margins. The thresholds are ours: theirs are a studio's own.",
        choice: "catmull-rom:riot",
        values: &[],
        limits_m: None,
    },
    Imitation {
        name: "Unity, key reduction",
        how_near: "Errors of 0.5 degrees and 0.5 %, each track by itself, float32. Unity's curves are cubic, here they are straight between \
                   keys, and 0.5 % is 5 mm.",
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
    Imitation {
        name: "ozz",
        how_near: "Its optimizer's 1 mm at 10 cm from each joint, keys of 48 bits. Its translations are half floats; here they are what \
                   the tolerance needs.",
        choice: "linear-keys",
        values: &[("key_format", "largest48")],
        limits_m: Some((0.001, 0.1)),
    },
    Imitation {
        name: "ACL",
        how_near: "Bit rates by segment of 16 samples at 0.1 mm and 30 mm from each joint, as ACL begins with. ACL's own bytes differ.",
        choice: "variable-rate:advanced-quantization",
        values: &[],
        limits_m: Some((0.0001, 0.03)),
    },
];

impl Imitation {
    /// The recipe, with what another one says of shells, feet and verdicts.
    ///
    /// # Errors
    /// [`RecipeError`]; a test walks the whole list, so that an entry of it gives none.
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
    fn every_imitation_is_a_recipe_and_no_two_are_the_same() {
        let like = Recipe { tolerance_m: 0.003, ..Recipe::default() };
        let mut seen = HashSet::new();
        for imitation in &IMITATIONS {
            let recipe = imitation.recipe(&like).unwrap_or_else(|error| panic!("{}: {error}", imitation.name));
            assert!(seen.insert(recipe.to_toml()) && imitation.how_near.ends_with('.'), "{}", imitation.name);
            let own = imitation.limits_m.map_or(0.003, |(tolerance_m, _)| tolerance_m);
            assert_eq!(recipe.tolerance_m, own, "{}", imitation.name);
        }
    }
}
