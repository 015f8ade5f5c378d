//! View modes and layers of the window and of rendered pictures. Menus, keys, bars and options are built from these entries.

mod look;
mod shared_view;

pub use look::{CameraDirection, CameraPreset};
pub use shared_view::{CameraPlace, SharedView, SharedViewError};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// One of the two characters on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The raw clip.
    Original,
    /// The decoded clip.
    Compressed,
}

impl Side {
    /// Both, original first.
    pub const ALL: [Self; 2] = [Self::Original, Self::Compressed];

    /// Key in options and controls.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Compressed => "compressed",
        }
    }
}

/// Texts of a view mode or a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewInfo {
    /// Key in options and settings: lower case, words joined by underscores.
    pub key: &'static str,
    /// Label in menus.
    pub label: &'static str,
    /// Help, in sentences.
    pub help: &'static str,
    /// Name of its key in the window; empty without one.
    pub shortcut: &'static str,
}

/// The arrangement of the two sides. Heat map and enlarged error are overlays in any mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum ViewMode {
    /// Two viewports, one camera.
    #[default]
    SideBySide,
    /// One viewport, original left of a line.
    Wipe,
    /// One viewport, both on top of each other, each in its own colour.
    Onion,
    /// One viewport, both in alternation.
    Blink,
}

impl ViewMode {
    /// In display order.
    pub const ALL: [Self; 4] = [Self::SideBySide, Self::Wipe, Self::Onion, Self::Blink];

    /// Its texts.
    pub const fn info(self) -> ViewInfo {
        match self {
            Self::SideBySide => {
                ViewInfo { key: "side", label: "Side by side", help: "Original left, compressed right.", shortcut: "1" }
            }
            Self::Wipe => ViewInfo {
                key: "wipe",
                label: "Wipe",
                help: "One view: original left of a line, compressed right of it.",
                shortcut: "2",
            },
            Self::Onion => ViewInfo {
                key: "onion",
                label: "Onion",
                help: "One view: both over each other, original grey, compressed violet.",
                shortcut: "3",
            },
            Self::Blink => ViewInfo {
                key: "blink",
                label: "Blink",
                help: "One view that alternates between original and compressed.",
                shortcut: "4",
            },
        }
    }

    /// True if one picture can show the mode. Blink needs two.
    pub fn is_still(self) -> bool {
        self != Self::Blink
    }
}

/// One switch of [`Layers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layer {
    /// Heat map of the error on the compressed side.
    Heat,
    /// The heat map colours by joint error instead of vertex error.
    HeatByJoint,
    /// The compressed side with its error enlarged.
    Difference,
    /// Skinned mesh.
    Mesh,
    /// Bones over the mesh.
    Skeleton,
    /// Soles of feet in contact, and their drift.
    Contacts,
    /// Ground grid.
    Ground,
    /// Paths of the selected joints around the playhead.
    Trails,
    /// The worst contact of the frame from above.
    FootLens,
}

/// The kind of a layer. The window groups the switches by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerKind {
    /// Changes how the compressed mesh is drawn, in any mode.
    Overlay,
    /// An option of an overlay.
    OfOverlay,
    /// Drawn in addition.
    Drawn,
}

impl Layer {
    /// In display order.
    pub const ALL: [Self; 9] = [
        Self::Heat,
        Self::HeatByJoint,
        Self::Difference,
        Self::Mesh,
        Self::Skeleton,
        Self::Contacts,
        Self::Ground,
        Self::Trails,
        Self::FootLens,
    ];

    /// The layers of a kind, in order.
    pub fn of(kind: LayerKind) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |layer| layer.kind() == kind)
    }

    /// Its kind.
    pub const fn kind(self) -> LayerKind {
        match self {
            Self::Heat | Self::Difference => LayerKind::Overlay,
            Self::HeatByJoint => LayerKind::OfOverlay,
            Self::Mesh | Self::Skeleton | Self::Contacts | Self::Ground | Self::Trails | Self::FootLens => {
                LayerKind::Drawn
            }
        }
    }

    /// True if it is on by default.
    pub const fn is_on_at_first(self) -> bool {
        match self {
            Self::Heat | Self::Mesh | Self::Skeleton | Self::Contacts | Self::Ground | Self::FootLens => true,
            Self::HeatByJoint | Self::Difference | Self::Trails => false,
        }
    }

    /// Its texts.
    pub const fn info(self) -> ViewInfo {
        let (key, label, help, shortcut) = match self {
            Self::Heat => (
                "heat",
                "Heat map",
                "Colour the compressed side by its error on the skin, in mm. The scale is tied to the tolerance.",
                "5",
            ),
            Self::HeatByJoint => (
                "heat_by_joint",
                "Heat by joint",
                "Heat colours show each joint's shell error instead of the error on the skin.",
                "",
            ),
            Self::Difference => {
                ("difference", "Difference", "Enlarge the difference of the compressed side to the original.", "6")
            }
            Self::Mesh => ("mesh", "Mesh", "The skinned mesh. Off: bones only.", ""),
            Self::Skeleton => ("skeleton", "Skeleton", "Bones over the mesh.", ""),
            Self::Contacts => {
                ("contacts", "Contacts", "Soles of feet in contact with the ground, and their slide.", "")
            }
            Self::Ground => ("ground", "Ground", "Ground with lines every 0.25 m and 1 m.", ""),
            Self::Trails => (
                "trails",
                "Trails",
                "Paths of the selected joint half a second back and ahead, raw and compressed.",
                "T",
            ),
            Self::FootLens => {
                ("foot_lens", "Foot lens", "The worst contact of the frame from above, if it warns or fails.", "")
            }
        };
        ViewInfo { key, label, help, shortcut }
    }
}

/// The visible layers. Files store their keys; a layer that a file does not name has its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, bool>", into = "BTreeMap<String, bool>")]
pub struct Layers([bool; Layer::ALL.len()]);

impl Layers {
    /// True if a layer is on.
    pub fn is_on(&self, layer: Layer) -> bool {
        self.0[layer as usize]
    }

    /// Turns a layer on or off.
    pub fn set(&mut self, layer: Layer, on: bool) {
        self.0[layer as usize] = on;
    }

    /// Toggles a layer.
    pub fn toggle(&mut self, layer: Layer) {
        self.0[layer as usize] ^= true;
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self(Layer::ALL.map(Layer::is_on_at_first))
    }
}

impl From<BTreeMap<String, bool>> for Layers {
    fn from(stored: BTreeMap<String, bool>) -> Self {
        Self(Layer::ALL.map(|layer| stored.get(layer.info().key).copied().unwrap_or(layer.is_on_at_first())))
    }
}

impl From<Layers> for BTreeMap<String, bool> {
    fn from(layers: Layers) -> Self {
        Layer::ALL.into_iter().map(|layer| (layer.info().key.to_owned(), layers.is_on(layer))).collect()
    }
}

/// A view that one picture can show: a mode, side by side with an overlay, or one side alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StillView {
    /// Both sides in a mode.
    Mode(ViewMode),
    /// Both sides side by side, the compressed one with an overlay.
    Over(Layer),
    /// One side.
    Only(Side),
}

impl StillView {
    /// All of them, in display order.
    pub fn all() -> impl Iterator<Item = Self> {
        let modes = ViewMode::ALL.into_iter().filter(|mode| mode.is_still()).map(Self::Mode);
        modes.chain(Layer::of(LayerKind::Overlay).map(Self::Over)).chain(Side::ALL.map(Self::Only))
    }

    /// Key in options.
    pub fn key(self) -> &'static str {
        match self {
            Self::Mode(mode) => mode.info().key,
            Self::Over(layer) => layer.info().key,
            Self::Only(side) => side.key(),
        }
    }

    /// Its help.
    pub fn help(self) -> String {
        match self {
            Self::Mode(mode) => mode.info().help.to_owned(),
            Self::Over(layer) => format!("As {}, with --{}.", ViewMode::SideBySide.info().key, layer.info().key),
            Self::Only(side) => format!("The {} side alone.", side.key()),
        }
    }
}

/// Factors for the enlarged error. Keys step through them; fields and options take any value between the ends.
pub const DIFFERENCE_GAINS: [f32; 8] = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
/// Default factor.
pub const USUAL_DIFFERENCE_GAIN: f32 = DIFFERENCE_GAINS[3];
/// Default position of the wipe line: the middle.
pub const USUAL_WIPE: f32 = 0.5;
/// Default opacity of the compressed mesh over the original.
pub const USUAL_ONION_MIX: f32 = 0.5;

/// The range of factors.
pub fn difference_gain_range() -> RangeInclusive<f32> {
    let [first, .., last] = DIFFERENCE_GAINS;
    first..=last
}

/// The next factor above or below.
pub fn next_difference_gain(gain: f32, larger: bool) -> f32 {
    let [first, .., last] = DIFFERENCE_GAINS;
    if larger {
        DIFFERENCE_GAINS.into_iter().find(|g| *g > gain + 1e-3).unwrap_or(last)
    } else {
        DIFFERENCE_GAINS.into_iter().rev().find(|g| *g < gain - 1e-3).unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lists_are_in_the_order_of_their_types_and_keys_are_unique() {
        assert!(Layer::ALL.iter().enumerate().all(|(i, layer)| *layer as usize == i));
        assert!(ViewMode::ALL.iter().enumerate().all(|(i, mode)| *mode as usize == i));
        let infos = || ViewMode::ALL.map(ViewMode::info).into_iter().chain(Layer::ALL.map(Layer::info));
        assert_eq!(infos().map(|i| i.key).collect::<BTreeSet<_>>().len(), ViewMode::ALL.len() + Layer::ALL.len());
        let keyed = || infos().map(|i| i.shortcut).filter(|key| !key.is_empty());
        assert_eq!(keyed().collect::<BTreeSet<_>>().len(), keyed().count(), "a key means one thing");
        assert!(infos().all(|i| i.help.ends_with('.') && !i.label.is_empty()));
    }

    #[test]
    fn layers_are_stored_by_key_and_unknown_or_missing_ones_do_no_harm() {
        let mut layers = Layers::default();
        layers.set(Layer::Heat, false);
        layers.toggle(Layer::Trails);
        let text = serde_json::to_string(&layers).unwrap();
        assert!(text.contains("\"heat\":false") && text.contains("\"foot_lens\":true"), "{text}");
        assert_eq!(serde_json::from_str::<Layers>(&text).unwrap(), layers);
        let partly: Layers = serde_json::from_str(r#"{"mesh":false,"shadows":true}"#).unwrap();
        assert!(!partly.is_on(Layer::Mesh) && partly.is_on(Layer::Heat) && !partly.is_on(Layer::Difference));
    }

    #[test]
    fn a_picture_shows_every_mode_that_stands_still_each_overlay_and_each_figure() {
        let keys: Vec<_> = StillView::all().map(StillView::key).collect();
        assert_eq!(keys, ["side", "wipe", "onion", "heat", "difference", "original", "compressed"]);
    }

    #[test]
    fn gains_step_up_and_down_and_stop_at_the_ends() {
        let next = next_difference_gain;
        assert_eq!([next(20.0, true), next(20.0, false), next(33.0, false)], [50.0, 10.0, 20.0]);
        assert_eq!([next(500.0, true), next(2.0, false)], [500.0, 2.0]);
        assert_eq!(USUAL_DIFFERENCE_GAIN, 20.0);
    }
}
