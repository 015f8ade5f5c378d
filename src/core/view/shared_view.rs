//! A shared view: one line of text that reproduces a view in another window or in a rendered picture.

use crate::view::{
    CameraDirection, Layers, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE, ViewMode, difference_gain_range,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A camera: target, direction and distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CameraPlace {
    /// Direction, degrees.
    #[serde(flatten)]
    pub direction: CameraDirection,
    /// Target, metres.
    pub target_m: [f32; 3],
    /// Distance from the target to the eye, metres.
    pub distance_m: f32,
}

/// A view of a clip: clip, time, cameras, and how both sides are drawn. It names files without folders, since paths differ between
/// machines, and recipes by the letter of their slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharedView {
    /// Name of the file; `None` for the bundled sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Name of the clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Time, seconds.
    pub time_secs: f32,
    /// Letter of the recipe on the compressed side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The reference: the letter of a slot, `decided` for the approved result, or `clip NAME of FILE`; `None` for the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// True if the sides are swapped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub swapped: bool,
    /// The selected joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// View mode.
    #[serde(with = "mode_key")]
    pub mode: ViewMode,
    /// Visible layers.
    #[serde(with = "layer_keys")]
    pub layers: Layers,
    /// Position of the wipe line, 0 to 1.
    pub wipe: f32,
    /// Opacity of the compressed mesh over the original, 0 to 1.
    pub onion_mix: f32,
    /// Factor on the error.
    pub difference: f32,
    /// Camera of both sides, or of the original; `None` frames the whole character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraPlace>,
    /// Camera of the compressed side, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compressed_camera: Option<CameraPlace>,
}

impl Default for SharedView {
    fn default() -> Self {
        Self {
            file: None,
            clip: None,
            time_secs: 0.0,
            recipe: None,
            reference: None,
            swapped: false,
            joint: None,
            mode: ViewMode::default(),
            layers: Layers::default(),
            wipe: USUAL_WIPE,
            onion_mix: USUAL_ONION_MIX,
            difference: USUAL_DIFFERENCE_GAIN,
            camera: None,
            compressed_camera: None,
        }
    }
}

/// Start of every view. The version and a TOML table in one line follow.
const SIGN: &str = "posepress-view:";
/// Version of the text; it changes when older readers would misread a view.
const VERSION: u32 = 1;

/// An error in the text of a view.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharedViewError {
    /// The text has another start.
    #[error("expected a text that begins with '{SIGN}{VERSION}', as 'Copy view' makes it; found '{0}'")]
    NoView(String),
    /// The text has another version.
    #[error("expected '{SIGN}{VERSION}', found version '{0}': another version of Posepress wrote it")]
    Version(String),
    /// The TOML does not parse.
    #[error("the view cannot be read: {0}")]
    Text(String),
    /// A number is out of range.
    #[error("the view cannot be shown: expected {expected} as {field}, found {found}")]
    Number {
        /// Name of the field.
        field: &'static str,
        /// Allowed values.
        expected: String,
        /// Value found.
        found: f32,
    },
}

impl SharedView {
    /// True if the text starts like a view of any version.
    pub fn is_one(text: &str) -> bool {
        text.trim_start().starts_with(SIGN)
    }

    fn check(self) -> Result<Self, SharedViewError> {
        let number = |field, found: f32, range: std::ops::RangeInclusive<f32>| match range.contains(&found) {
            true => Ok(()),
            false => Err(SharedViewError::Number {
                field,
                expected: format!("a number from {} to {}", range.start(), range.end()),
                found,
            }),
        };
        number("time_secs", self.time_secs, 0.0..=MOST)?;
        number("wipe", self.wipe, 0.0..=1.0)?;
        number("onion_mix", self.onion_mix, 0.0..=1.0)?;
        number("difference", self.difference, difference_gain_range())?;
        for place in [self.camera, self.compressed_camera].into_iter().flatten() {
            number("distance_m", place.distance_m, 1e-3..=MOST)?;
            number("yaw_deg", place.direction.yaw_deg, -360.0..=360.0)?;
            number("pitch_deg", place.direction.pitch_deg, -89.0..=89.0)?;
            place.target_m.iter().try_for_each(|metre| number("target_m", *metre, -MOST..=MOST))?;
        }
        Ok(self)
    }
}

/// Largest distance and time: metres, seconds.
const MOST: f32 = 1e6;

/// Writes one line that [`SharedView::from_str`] reads.
impl fmt::Display for SharedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = String::new();
        self.serialize(toml::ser::ValueSerializer::new(&mut table)).map_err(|_| fmt::Error)?;
        write!(f, "{SIGN}{VERSION} {table}")
    }
}

/// Reads a view, even if a chat program has broken its line or changed its quotes.
impl FromStr for SharedView {
    type Err = SharedViewError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let behind = line.strip_prefix(SIGN).ok_or_else(|| SharedViewError::NoView(line.chars().take(40).collect()))?;
        let (version, table) = behind.split_once(' ').unwrap_or((behind, ""));
        if version != VERSION.to_string() {
            return Err(SharedViewError::Version(version.to_owned()));
        }
        let straight = || table.replace(['\u{201C}', '\u{201D}', '\u{201E}'], "\"");
        parse(table).or_else(|error| parse(&straight()).map_err(|_| error))?.check()
    }
}

fn parse(table: &str) -> Result<SharedView, SharedViewError> {
    let unreadable = |error: toml::de::Error| SharedViewError::Text(error.message().to_owned());
    let value = toml::de::ValueDeserializer::parse(table).map_err(unreadable)?;
    SharedView::deserialize(value).map_err(unreadable)
}

/// Serialises view modes as their keys.
mod mode_key {
    use crate::view::ViewMode;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(mode: &ViewMode, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(mode.info().key)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<ViewMode, D::Error> {
        let key = String::deserialize(from)?;
        ViewMode::ALL.into_iter().find(|mode| mode.info().key == key).ok_or_else(|| {
            let known = ViewMode::ALL.map(|mode| mode.info().key).join(", ");
            D::Error::custom(format!("unknown mode '{key}', expected one of {known}"))
        })
    }
}

/// Serialises visible layers as their keys.
mod layer_keys {
    use crate::view::Layer;
    use crate::view::Layers;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(layers: &Layers, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(Layer::ALL.into_iter().filter(|layer| layers.is_on(*layer)).map(|layer| layer.info().key))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Layers, D::Error> {
        let drawn = Vec::<String>::deserialize(from)?;
        let mut layers = Layers::default();
        Layer::ALL.into_iter().for_each(|layer| layers.set(layer, false));
        for key in drawn {
            let layer = Layer::ALL.into_iter().find(|layer| layer.info().key == key).ok_or_else(|| {
                let known = Layer::ALL.map(|layer| layer.info().key).join(", ");
                D::Error::custom(format!("unknown layer '{key}', expected some of {known}"))
            })?;
            layers.set(layer, true);
        }
        Ok(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Layer;
    use proptest::prelude::*;

    fn view() -> SharedView {
        let mut layers = Layers::default();
        layers.set(Layer::Trails, true);
        layers.set(Layer::Heat, false);
        SharedView {
            file: Some("Kn\u{EF}ght \"v2\".glb".into()),
            clip: Some("1H|Walk {A}".into()),
            time_secs: 1.2333,
            recipe: Some("B".into()),
            joint: Some("foot.l".into()),
            mode: ViewMode::Wipe,
            layers,
            wipe: 0.3,
            camera: Some(CameraPlace {
                direction: CameraDirection { yaw_deg: -38.5, pitch_deg: 13.0 },
                target_m: [0.1, 0.9, -2.5],
                distance_m: 4.25,
            }),
            ..SharedView::default()
        }
    }

    #[test]
    fn a_view_is_one_readable_line_and_the_same_again() {
        let text = view().to_string();
        assert!(text.starts_with("posepress-view:1 {") && !text.contains('\n'), "{text}");
        for part in
            ["clip = \"1H|Walk {A}\"", "time_secs = 1.2333", "recipe = \"B\"", "mode = \"wipe\"", "yaw_deg = -38.5"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.parse(), Ok(view()));
        let all_usual = SharedView::default();
        assert_eq!(all_usual.to_string().parse(), Ok(all_usual));
    }

    #[test]
    fn a_chat_may_break_the_line_and_bend_its_quotes() {
        let plain = SharedView { file: Some("Knight.glb".into()), ..view() };
        let text = plain.to_string();
        assert_eq!(format!("\n  {}\n", text.replace(", ", ",\n")).parse(), Ok(plain.clone()));
        let mut open = false;
        let bend = |c: char| match c {
            '"' => {
                open ^= true;
                if open { '\u{201C}' } else { '\u{201D}' }
            }
            c => c,
        };
        assert_eq!(text.chars().map(bend).collect::<String>().parse(), Ok(plain));
    }

    #[test]
    fn what_is_no_view_says_what_was_expected() {
        for (text, words) in [
            ("", "begins with 'posepress-view:1'"),
            ("codec = \"press\"", "found 'codec = \"press\"'"),
            ("posepress-view:2 {}", "version '2'"),
            ("posepress-view:1", "cannot be read"),
            ("posepress-view:1 { clip = 3 }", "string"),
            ("posepress-view:1 { mode = \"up\" }", "expected one of side, wipe, onion, blink"),
            ("posepress-view:1 { layers = [\"fog\"] }", "expected some of heat, "),
            ("posepress-view:1 { shadow = 1 }", "expected one of `file`"),
            ("posepress-view:1 { time_secs = nan }", "time_secs"),
            ("posepress-view:1 { wipe = 7.0 }", "from 0 to 1"),
            ("posepress-view:1 { camera = { yaw_deg = 0.0 } }", "missing field `target_m`"),
            (
                "posepress-view:1 { camera = { yaw_deg = 0.0, pitch_deg = 0.0, target_m = [0.0, inf, 0.0], distance_m = 1.0 } }",
                "target_m",
            ),
        ] {
            let said = text.parse::<SharedView>().unwrap_err().to_string();
            assert!(said.contains(words), "{text}: {said}");
        }
    }

    proptest! {
        #[test]
        fn whatever_names_and_numbers_are_the_text_is_read_again(
            clip in "\\PC{0,20}", joint in "\\PC{0,12}", time_secs in 0f32..1e4, yaw_deg in -360f32..360.0, distance_m in 0.01f32..1e5,
        ) {
            // Runs of spaces are one space in a chat.
            let name = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let direction = CameraDirection { yaw_deg, pitch_deg: 1.0 };
            let camera = Some(CameraPlace { direction, target_m: [yaw_deg; 3], distance_m });
            let view = SharedView { clip: Some(name(clip)), joint: Some(name(joint)), time_secs, camera, ..view() };
            prop_assert_eq!(view.to_string().parse(), Ok(view));
        }

        #[test]
        fn no_text_brings_it_down(text in "posepress-view:1 \\PC*") {
            let _ = text.parse::<SharedView>();
        }
    }
}
