//! Colours of the pictures. Those of the window are in `theme.rs` above this folder.

/// A colour in sRGB with 8 bits per channel, from the tokens of the visual language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Blend in sRGB, `alpha` from 0 (self) to 1 (other).
    pub fn mix(self, other: Self, alpha: f32) -> Self {
        let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * alpha).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// The colour with an opacity, for lines and fills.
    pub fn with_alpha(self, alpha: u8) -> [u8; 4] {
        [self.0, self.1, self.2, alpha]
    }

    /// sRGB values from 0 to 1, with 1 in the fourth place.
    pub fn to_unit(self) -> [f32; 4] {
        [self.0, self.1, self.2, 255].map(|c| f32::from(c) / 255.0)
    }
}

/// The heat map: error divided by tolerance, and its colour. The palest colour is the tolerance, so blue-grey means
/// within and warm means beyond. On each side, lightness alone shows the order.
pub const HEAT_STOPS: [(f32, Rgb); 7] = [
    (0.0, Rgb(0x4B, 0x5A, 0x6C)),
    (0.35, Rgb(0x6D, 0x87, 0x99)),
    (0.75, Rgb(0xB9, 0xC6, 0xB8)),
    (1.0, Rgb(0xF4, 0xEB, 0xB4)),
    (2.0, Rgb(0xF6, 0xB5, 0x4C)),
    (5.0, Rgb(0xE0, 0x55, 0x2C)),
    (10.0, Rgb(0xA3, 0x12, 0x2F)),
];

/// Colours of a viewport. The window shares some of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewTheme {
    /// Gap between two viewports in one picture, and between panels.
    pub gap: Rgb,
    /// Upper end of the background.
    pub background_top: Rgb,
    /// Lower end of the background.
    pub background_bottom: Rgb,
    /// The ground near the character.
    pub ground: Rgb,
    /// Lines every 0.25 m.
    pub grid_minor: Rgb,
    /// Lines every metre.
    pub grid_major: Rgb,
    /// Surfaces without a material.
    pub clay: Rgb,
    /// The original behind a compressed side whose error is drawn larger.
    pub ghost: Rgb,
    /// Bones of the skeleton overlay, with opacity.
    pub bone: [u8; 4],
    /// Inner part of a joint's dot.
    pub joint: Rgb,
    /// Outer part of a joint's dot.
    pub joint_rim: Rgb,
    /// The selected joint.
    pub accent: Rgb,
    /// Colour of raw data.
    pub original: Rgb,
    /// Colour of decoded data.
    pub compressed: Rgb,
    /// Background of text in the picture.
    pub chip: Rgb,
    /// Background of a warning in the picture.
    pub warn_fill: Rgb,
    /// Text in the picture.
    pub text: Rgb,
    /// Darkness of the character's shadow on the ground, 0 to 1.
    pub shadow: f32,
}

impl ViewTheme {
    /// The dark theme.
    pub const DARK: Self = Self {
        gap: Rgb(0x14, 0x16, 0x19),
        background_top: Rgb(0x31, 0x36, 0x3D),
        background_bottom: Rgb(0x20, 0x24, 0x29),
        ground: Rgb(0x27, 0x2C, 0x32),
        grid_minor: Rgb(0x3B, 0x42, 0x4B),
        grid_major: Rgb(0x59, 0x62, 0x6D),
        clay: Rgb(0xAE, 0xB3, 0xB8),
        ghost: Rgb(0xC4, 0xC9, 0xCF),
        bone: [0xFF, 0xFF, 0xFF, 0x99],
        joint: Rgb(0x23, 0x27, 0x2B),
        joint_rim: Rgb(0xFF, 0xFF, 0xFF),
        accent: Rgb(0x5A, 0xA2, 0xF0),
        original: Rgb(0xD3, 0xD8, 0xDE),
        compressed: Rgb(0xC7, 0x92, 0xF5),
        chip: Rgb(0x14, 0x17, 0x1A),
        warn_fill: Rgb(0x57, 0x44, 0x1B),
        text: Rgb(0xEC, 0xEE, 0xF0),
        shadow: 0.95,
    };

    /// The light theme.
    pub const LIGHT: Self = Self {
        gap: Rgb(0xCC, 0xD1, 0xD7),
        background_top: Rgb(0xE9, 0xEC, 0xEF),
        background_bottom: Rgb(0xD3, 0xD8, 0xDD),
        ground: Rgb(0xD9, 0xDD, 0xE2),
        grid_minor: Rgb(0xBC, 0xC3, 0xCB),
        grid_major: Rgb(0x98, 0xA1, 0xAB),
        ghost: Rgb(0x4D, 0x54, 0x5C),
        accent: Rgb(0x19, 0x61, 0xB8),
        original: Rgb(0x39, 0x42, 0x4C),
        compressed: Rgb(0x87, 0x33, 0xCC),
        chip: Rgb(0xFF, 0xFF, 0xFF),
        warn_fill: Rgb(0xFA, 0xE6, 0xB8),
        text: Rgb(0x14, 0x18, 0x1D),
        shadow: 0.6,
        ..Self::DARK
    };
}

impl Default for ViewTheme {
    fn default() -> Self {
        Self::DARK
    }
}
