//! Colours and sizes of the window. Colours that pictures share are taken from the theme of pictures.

use crate::render::{Rgb, ViewTheme, heat_color};
use egui::style::HandleShape;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Visuals};
use posepress_core::metrics::Verdict;

const fn hex(rgb: u32) -> Color32 {
    Color32::from_rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
}

/// Colours by their meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theme {
    /// True for the dark theme.
    pub dark: bool,
    /// Gaps between panels.
    pub app: Color32,
    /// Panels.
    pub panel: Color32,
    /// Section and table headers.
    pub head: Color32,
    /// Buttons, combos, drag values.
    pub raised: Color32,
    /// Hovered row or button.
    pub hover: Color32,
    /// Plots, text fields, slider track.
    pub well: Color32,
    /// Rows of contacts and bit rates in the timeline.
    pub lane: Color32,
    /// Plot grid.
    pub grid: Color32,
    /// Empty part of a mini bar.
    pub track: Color32,
    /// Separators.
    pub weak: Color32,
    /// Widget outline.
    pub stroke: Color32,
    /// Ticks and strong outlines.
    pub strong: Color32,
    /// Values.
    pub text1: Color32,
    /// Labels.
    pub text2: Color32,
    /// Units, hints.
    pub text3: Color32,
    /// Focus, playhead, keys.
    pub accent: Color32,
    /// Primary button.
    pub accent_fill: Color32,
    /// Selected row, pressed segment.
    pub selection: Color32,
    /// Its outline.
    pub selection_line: Color32,
    /// Colour of raw data.
    pub original: Color32,
    /// Colour of decoded data.
    pub compressed: Color32,
    /// Shell error in plots.
    pub shell: Color32,
    /// Within limits.
    pub ok: Color32,
    /// Its fill.
    pub ok_fill: Color32,
    /// Over a warning limit.
    pub warn: Color32,
    /// Its fill.
    pub warn_fill: Color32,
    /// Over a failing limit.
    pub fail: Color32,
    /// Its fill.
    pub fail_fill: Color32,
    /// Axes X, Y, Z.
    pub axes: [Color32; 3],
    /// The fourth number of a quaternion.
    pub axis_w: Color32,
    /// Chips and cards over a viewport.
    pub glass: Color32,
    /// Text and icons on the accent's fill.
    pub on_accent: Color32,
    /// Lines and handles over a picture.
    pub on_picture: Color32,
    /// Curves of joints that are compared with the selected one.
    pub compared: [Color32; 4],
    /// Colours of pictures.
    pub viewport: ViewTheme,
}

const COMPARED: [Color32; 4] = [hex(0xE08A4E), hex(0x4FB59B), hex(0xD16BA5), hex(0xA8A04E)];

/// Dark theme.
pub const DARK: Theme = Theme {
    dark: true,
    app: color(ViewTheme::DARK.gap),
    panel: hex(0x1C1F23),
    head: hex(0x23272B),
    raised: hex(0x2C3136),
    hover: hex(0x2F353B),
    well: hex(0x131518),
    lane: hex(0x191C1F),
    grid: hex(0x24282D),
    track: hex(0x33383E),
    weak: hex(0x2A2E33),
    stroke: hex(0x3A4047),
    strong: hex(0x596169),
    text1: color(ViewTheme::DARK.text),
    text2: hex(0xB4BBC3),
    text3: hex(0x959EA8),
    accent: color(ViewTheme::DARK.accent),
    accent_fill: hex(0x2D6BB0),
    selection: hex(0x1C3651),
    selection_line: hex(0x5AA2F0),
    original: color(ViewTheme::DARK.original),
    compressed: color(ViewTheme::DARK.compressed),
    shell: hex(0x6FB3C4),
    ok: hex(0x62C282),
    ok_fill: hex(0x234733),
    warn: hex(0xEBB54C),
    warn_fill: color(ViewTheme::DARK.warn_fill),
    fail: hex(0xF5766D),
    fail_fill: hex(0x642A28),
    axes: [hex(0xEF6B6B), hex(0x7FC24F), hex(0x5B9BF5)],
    axis_w: hex(0xD9B24A),
    glass: Color32::from_rgba_premultiplied(17, 20, 22, 217),
    on_accent: Color32::WHITE,
    on_picture: Color32::WHITE,
    compared: COMPARED,
    viewport: ViewTheme::DARK,
};

/// Light theme.
pub const LIGHT: Theme = Theme {
    dark: false,
    app: color(ViewTheme::LIGHT.gap),
    panel: hex(0xF3F5F7),
    head: hex(0xE7EAEE),
    raised: hex(0xFFFFFF),
    hover: hex(0xDFE3E9),
    well: hex(0xFFFFFF),
    lane: hex(0xECEFF2),
    grid: hex(0xE4E8EC),
    track: hex(0xCFD5DB),
    weak: hex(0xDDE1E6),
    stroke: hex(0xC2C9D0),
    strong: hex(0x8A949E),
    text1: color(ViewTheme::LIGHT.text),
    text2: hex(0x3F4852),
    text3: hex(0x5C6671),
    accent: color(ViewTheme::LIGHT.accent),
    accent_fill: hex(0x1F6FC9),
    selection: hex(0xD3E5F9),
    selection_line: hex(0x1F6FC9),
    original: color(ViewTheme::LIGHT.original),
    compressed: color(ViewTheme::LIGHT.compressed),
    shell: hex(0x1F7F96),
    ok: hex(0x1B743C),
    ok_fill: hex(0xCFEAD8),
    warn: hex(0x8A5700),
    warn_fill: color(ViewTheme::LIGHT.warn_fill),
    fail: hex(0xBC2925),
    fail_fill: hex(0xF8D2CF),
    axes: [hex(0xC93636), hex(0x3D8A14), hex(0x2A6BD0)],
    axis_w: hex(0x8F6A00),
    glass: Color32::from_rgba_premultiplied(224, 224, 224, 224),
    on_accent: Color32::WHITE,
    on_picture: Color32::WHITE,
    compared: COMPARED,
    viewport: ViewTheme::LIGHT,
};

/// Colours of the byte breakdown, by meaning.
pub mod bytes {
    use super::{Color32, hex};
    /// Rotation keys.
    pub const ROTATION: Color32 = hex(0x5B8FD6);
    /// Translation keys.
    pub const TRANSLATION: Color32 = hex(0x4FB0A5);
    /// Scale keys.
    pub const SCALE: Color32 = hex(0xC77DA5);
    /// Key times.
    pub const TIMES: Color32 = hex(0x9A86D8);
    /// Tables, ranges, constants.
    pub const TABLES: Color32 = hex(0xB48A5A);
    /// Header, checksum, padding.
    pub const HEADER: Color32 = hex(0x7F8892);
    /// Text on any of them.
    pub const WORDS: Color32 = Color32::from_gray(16);
}

/// Colour of an error as a multiple of the tolerance, same as in viewports.
pub fn heat(error_per_tolerance: f32) -> Color32 {
    color(heat_color(error_per_tolerance))
}

/// A viewport's colour as a colour of egui.
pub const fn color(Rgb(r, g, b): Rgb) -> Color32 {
    Color32::from_rgb(r, g, b)
}

/// Corner radii.
pub mod rounding {
    /// Widgets and chips.
    pub const WIDGET: u8 = 4;
    /// Cards.
    pub const CARD: u8 = 6;
    /// Contact blocks in the timeline.
    pub const LANE: u8 = 3;
}

/// Font sizes. Importance is shown by size; there is no bold text.
pub mod size {
    /// Title and clock.
    pub const TITLE: f32 = 17.0;
    /// Totals.
    pub const TOTAL: f32 = 15.0;
    /// Body.
    pub const BODY: f32 = 13.0;
    /// Secondary.
    pub const SMALL: f32 = 12.0;
    /// Axis ticks and column heads; nothing below.
    pub const TICK: f32 = 11.0;
}

/// Proportional font of a size.
pub fn font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

impl Theme {
    /// The dark or the light theme.
    pub fn of(dark: bool) -> &'static Self {
        if dark { &DARK } else { &LIGHT }
    }

    /// Colours of the numbers X, Y, Z, W.
    pub fn numbers(&self) -> [Color32; 4] {
        let [x, y, z] = self.axes;
        [x, y, z, self.axis_w]
    }

    /// Text and icon colour of a verdict.
    pub fn verdict(&self, verdict: Verdict) -> Color32 {
        match verdict {
            Verdict::Good => self.ok,
            Verdict::Warn => self.warn,
            Verdict::Fail => self.fail,
        }
    }

    /// Fill behind a verdict.
    pub fn verdict_fill(&self, verdict: Verdict) -> Color32 {
        match verdict {
            Verdict::Good => self.ok_fill,
            Verdict::Warn => self.warn_fill,
            Verdict::Fail => self.fail_fill,
        }
    }

    /// Applies the theme to all egui widgets.
    pub fn apply(&self, ctx: &egui::Context) {
        ctx.set_theme(if self.dark { egui::Theme::Dark } else { egui::Theme::Light });
        let mut style = egui::Style { visuals: self.visuals(), ..egui::Style::default() };
        style.text_styles = [
            (TextStyle::Heading, font(size::TITLE)),
            (TextStyle::Body, font(size::BODY)),
            (TextStyle::Button, font(size::BODY)),
            (TextStyle::Small, font(size::TICK)),
            (TextStyle::Monospace, FontId::new(size::SMALL, FontFamily::Monospace)),
        ]
        .into();
        style.spacing.item_spacing = egui::vec2(8.0, 4.0);
        style.spacing.button_padding = egui::vec2(8.0, 3.0);
        style.spacing.interact_size = egui::vec2(40.0, 22.0);
        style.spacing.menu_margin = Margin::same(6);
        style.spacing.window_margin = Margin::same(12);
        style.spacing.indent = 12.0;
        style.spacing.scroll = egui::style::ScrollStyle::solid();
        style.spacing.scroll.bar_width = 7.0;
        style.spacing.tooltip_width = 340.0;
        style.interaction.tooltip_delay = 0.35;
        style.interaction.selectable_labels = false;
        ctx.set_style_of(if self.dark { egui::Theme::Dark } else { egui::Theme::Light }, style);
    }

    fn visuals(&self) -> Visuals {
        let mut v = if self.dark { Visuals::dark() } else { Visuals::light() };
        v.panel_fill = self.panel;
        v.window_fill = self.panel;
        v.window_stroke = Stroke::new(1.0, self.stroke);
        v.extreme_bg_color = self.well;
        v.faint_bg_color = self.lane;
        v.hyperlink_color = self.accent;
        v.warn_fg_color = self.warn;
        v.error_fg_color = self.fail;
        v.weak_text_color = Some(self.text3);
        v.selection.bg_fill = self.selection;
        v.selection.stroke = Stroke::new(1.0, self.selection_line);
        v.slider_trailing_fill = true;
        v.handle_shape = HandleShape::Circle;
        v.window_corner_radius = CornerRadius::same(rounding::CARD);
        v.menu_corner_radius = CornerRadius::same(rounding::CARD);
        let radius = CornerRadius::same(rounding::WIDGET);
        let looks = [
            (&mut v.widgets.noninteractive, self.panel, self.weak, self.text2),
            (&mut v.widgets.inactive, self.raised, self.stroke, self.text1),
            (&mut v.widgets.hovered, self.hover, self.strong, self.text1),
            (&mut v.widgets.active, self.selection, self.selection_line, self.text1),
            (&mut v.widgets.open, self.hover, self.strong, self.text1),
        ];
        for (look, fill, outline, text) in looks {
            look.bg_fill = fill;
            look.weak_bg_fill = fill;
            look.bg_stroke = Stroke::new(1.0, outline);
            look.fg_stroke = Stroke::new(1.0, text);
            look.corner_radius = radius;
            look.expansion = 0.0;
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Ways to write a colour down.
    const LITERALS: [&str; 6] =
        ["Color32::from_", "Color32::WHITE", "Color32::BLACK", "Color32::GRAY", "Rgb(0x", "Rgba::from_"];

    fn check(folder: &Path, seen: &mut usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                check(&path, seen);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("theme.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let found = LITERALS.iter().find(|literal| text.contains(**literal));
                assert_eq!(found, None, "{}: colours have a name in a theme", path.display());
                *seen += 1;
            }
        }
    }

    /// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, relative luminance).
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |color: Color32| {
            let [r, g, b, _] = egui::Rgba::from(color).to_array();
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_stands_out_on_every_fill_also_of_selected_and_hovered_rows() {
        assert!((contrast(Color32::WHITE, Color32::BLACK) - 21.0).abs() < 0.01);
        for theme in [DARK, LIGHT] {
            let Theme { panel, head, raised, hover, well, lane, selection, .. } = theme;
            let Theme { text1, text2, text3, accent, ok, warn, fail, accent_fill, on_accent, .. } = theme;
            for fill in [panel, head, raised, hover, well, lane, selection] {
                for text in [text1, text2, text3, accent, ok, warn, fail] {
                    let ratio = contrast(text, fill);
                    assert!(ratio >= 4.5, "{text:?} on {fill:?}: {ratio:.2}, dark {}", theme.dark);
                }
            }
            assert!(contrast(on_accent, accent_fill) >= 4.5);
        }
    }

    #[test]
    fn every_colour_is_in_a_theme() {
        let mut seen = 0;
        check(Path::new(env!("CARGO_MANIFEST_DIR")), &mut seen);
        assert!(seen > 50, "{seen} files");
    }
}
