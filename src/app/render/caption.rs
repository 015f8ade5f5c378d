use super::Rgb;
use egui::epaint::text::{FontDefinitions, Fonts, Glyph, TextOptions};
use egui::{Color32, ColorImage, FontId, vec2};
use image::{Rgba, RgbaImage};

/// One line of text on a filled chip, drawn into an image without a window.
pub(super) struct Caption<'a> {
    pub(super) text: &'a str,
    pub(super) fill: Rgb,
    pub(super) color: Rgb,
}

/// Size of the text, pixels.
const SIZE_PX: f32 = 13.0;
/// Space left and right of the text, pixels.
const PADDING_PX: u32 = 8;

impl Caption<'_> {
    /// Height of the chip, pixels.
    pub(super) const HEIGHT: u32 = 22;
    /// Space around the chip, pixels.
    pub(super) const MARGIN: u32 = 8;

    /// Draws the chip a margin right of and below `corner`. Parts beyond column `end` or the image are cut.
    pub(super) fn draw(&self, picture: &mut RgbaImage, corner: [u32; 2], end: u32) {
        let mut fonts = Fonts::new(TextOptions::default(), FontDefinitions::default());
        let galley = fonts.with_pixels_per_point(1.0).layout_no_wrap(
            self.text.to_owned(),
            FontId::proportional(SIZE_PX),
            Color32::PLACEHOLDER,
        );
        let [left, top] = corner.map(|edge| edge + Self::MARGIN);
        let right = (left + galley.size().x.ceil() as u32 + 2 * PADDING_PX).min(end);
        self.draw_chip(picture, [left, right], top);
        let origin = vec2((left + PADDING_PX) as f32, top as f32 + (Self::HEIGHT as f32 - galley.size().y) / 2.0);
        let atlas = fonts.image();
        for (row, glyph) in galley.rows.iter().flat_map(|row| row.glyphs.iter().map(move |glyph| (row, glyph))) {
            let at = origin + (row.pos + glyph.pos.to_vec2() + glyph.uv_rect.offset).to_vec2();
            self.draw_glyph(picture, (&atlas, glyph), [at.x, at.y].map(|c| c.round() as i64), end);
        }
    }

    fn draw_chip(&self, picture: &mut RgbaImage, [left, right]: [u32; 2], top: u32) {
        let Rgb(r, g, b) = self.fill;
        for (x, y) in (top..top + Self::HEIGHT).flat_map(|y| (left..right).map(move |x| (x, y))) {
            if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
                *pixel = Rgba([r, g, b, 0xFF]);
            }
        }
    }

    fn draw_glyph(
        &self,
        picture: &mut RgbaImage,
        (atlas, glyph): (&ColorImage, &Glyph),
        [left, top]: [i64; 2],
        end: u32,
    ) {
        let place = glyph.uv_rect;
        for (y, v) in (top..).zip(place.min[1]..place.max[1]) {
            for (x, u) in (left..i64::from(end)).zip(place.min[0]..place.max[0]) {
                self.blend(picture, [x, y], atlas[(usize::from(u), usize::from(v))].a());
            }
        }
    }

    fn blend(&self, picture: &mut RgbaImage, [x, y]: [i64; 2], covered: u8) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
            let [r, g, b, _] = pixel.0;
            let Rgb(r, g, b) = Rgb(r, g, b).mix(self.color, f32::from(covered) / 255.0);
            *pixel = Rgba([r, g, b, 0xFF]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, size: [u32; 2]) -> RgbaImage {
        let mut picture = RgbaImage::from_pixel(size[0], size[1], Rgba([0, 0, 255, 255]));
        Caption { text, fill: Rgb(90, 60, 0), color: Rgb(255, 255, 255) }.draw(&mut picture, [0, 0], size[0]);
        picture
    }

    #[test]
    fn words_stand_on_their_chip_and_differ_by_what_they_say() {
        let [twenty, fifty] = ["drawn \u{d7}20", "drawn \u{d7}50"].map(|text| drawn(text, [200, 60]));
        let count = |picture: &RgbaImage, test: fn(&Rgba<u8>) -> bool| picture.pixels().filter(|p| test(p)).count();
        let bright = count(&twenty, |p| p[0] > 200 && p[1] > 200);
        assert!((40..600).contains(&bright), "{bright} pixels of words");
        assert!(count(&twenty, |p| p.0 == [90, 60, 0, 255]) > 500, "on a chip");
        assert!(count(&twenty, |p| p.0 == [0, 0, 255, 255]) > 8000, "and nothing else is touched");
        assert_ne!(twenty, fifty);
    }

    #[test]
    fn words_end_where_the_other_side_begins() {
        let mut picture = RgbaImage::from_pixel(200, 60, Rgba([0, 0, 255, 255]));
        let (fill, color) = (Rgb(90, 60, 0), Rgb(255, 255, 255));
        Caption { text: "compressed, linear-keys 6.0 mm", fill, color }.draw(&mut picture, [0, 0], 60);
        let touched = picture.enumerate_pixels().filter(|(_, _, p)| p.0 != [0, 0, 255, 255]).map(|(x, ..)| x);
        assert_eq!(touched.max(), Some(59));
    }

    #[test]
    fn a_picture_that_is_too_small_cuts_the_words() {
        let mut cut = RgbaImage::from_pixel(9, 9, Rgba([0, 0, 255, 255]));
        cut.put_pixel(8, 8, Rgba([90, 60, 0, 255]));
        assert_eq!(drawn("a long caption for a tiny picture", [9, 9]), cut, "the corner of the chip");
        assert_eq!(drawn("x", [1, 1]), RgbaImage::from_pixel(1, 1, Rgba([0, 0, 255, 255])));
    }
}
