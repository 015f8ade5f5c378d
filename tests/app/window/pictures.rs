//! Pictures of the window. Each picture has only the part that its test is about, so that a change elsewhere does not replace it.

use super::*;
use egui::{Pos2, Rect, vec2};
use egui_kittest::kittest::{AccessKitNode, by};
use egui_kittest::{SnapshotOptions, image_snapshot_options};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{RgbaImage, imageops};
use std::path::Path;

/// Largest size of all pictures together. A change of the theme adds as much to the history of the repository.
const MAX_BYTES: u64 = 1_500_000;
/// Pictures of the whole window are shrunk to at most this width, in pixels.
const WHOLE_WIDTH: u32 = 512;
/// Number of pixels at edges that may differ between versions of the software driver.
const MAX_OTHER_PIXELS: usize = 40;
/// Margin around the named controls, in points.
const MARGIN: f32 = 4.0;

/// The part of a window that a picture keeps.
pub(super) enum Region<'a> {
    /// Layout and theme: the whole window, shrunk.
    Whole,
    /// The clip in 3D with what is drawn over it, at half the size.
    Viewports,
    /// Plots, lanes and curves, at half the size.
    Timeline,
    /// The smallest rectangle around the controls and texts whose labels begin with these words.
    Around(&'a [&'a str]),
}

/// Compares a part of the window with its picture.
#[track_caller]
pub(super) fn compare(window: &mut Window, name: &str, region: Region) {
    let mut whole = window.render().expect("the window is drawn");
    // The window is opaque, and pictures are stored without alpha.
    whole.pixels_mut().for_each(|pixel| pixel.0[3] = u8::MAX);
    let (part, divisor) = match region {
        Region::Whole => (whole.clone(), whole.width().div_ceil(WHOLE_WIDTH)),
        Region::Viewports => (crop(window, &whole, &["Viewport "]), 2),
        Region::Timeline => (crop(window, &whole, &["Timeline"]), 2),
        Region::Around(names) => (crop(window, &whole, names), 1),
    };
    let folder = project("tests/snapshots");
    let file = folder.join(format!("{name}.png"));
    let before = std::fs::read(&file).ok();
    // Edges are lines, so a shrunk picture has fewer edge pixels in proportion to its divisor.
    let other = MAX_OTHER_PIXELS / divisor as usize;
    let options = SnapshotOptions::new().threshold(1.0).max_failed_pixels(other).output_path(folder);
    image_snapshot_options(&shrink(&part, divisor), name, &options);
    if std::fs::read(&file).ok() != before {
        optimise(&file);
    }
}

/// Averages squares of `divisor` pixels.
fn shrink(picture: &RgbaImage, divisor: u32) -> RgbaImage {
    imageops::thumbnail(picture, picture.width() / divisor, picture.height() / divisor)
}

/// Crops a picture to the visible part of all controls with these names.
fn crop(window: &Window, whole: &RgbaImage, names: &[&str]) -> RgbaImage {
    let rects =
        names.iter().map(|name| named(window, name).unwrap_or_else(|| panic!("nothing is called '{name} ...'")));
    let rect = rects.reduce(Rect::union).expect("a name is given").expand(MARGIN);
    let shown = (rect * window.ctx.pixels_per_point()).intersect(rect_of(whole)).round();
    let [left, top, width, height] = [shown.left(), shown.top(), shown.width(), shown.height()].map(|at| at as u32);
    imageops::crop_imm(whole, left, top, width, height).to_image()
}

/// The rectangle around all controls and texts whose labels begin with `name`.
fn named(window: &Window, name: &str) -> Option<Rect> {
    let is_named =
        |node: &AccessKitNode| [node.label(), node.value()].iter().flatten().any(|own| own.starts_with(name));
    window.query_all(by().predicate(is_named)).map(|node| node.rect()).reduce(Rect::union)
}

fn rect_of(picture: &RgbaImage) -> Rect {
    Rect::from_min_size(Pos2::ZERO, vec2(picture.width() as f32, picture.height() as f32))
}

/// Writes a picture again without alpha, with the PNG filter that takes the fewest bytes.
fn optimise(file: &Path) {
    let picture = image::open(file).unwrap().to_rgb8();
    let filters = [FilterType::NoFilter, FilterType::Sub, FilterType::Up, FilterType::Paeth, FilterType::Adaptive];
    let written = filters.map(|filter| {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Level(9), filter);
        picture.write_with_encoder(encoder).unwrap();
        bytes
    });
    std::fs::write(file, written.iter().min_by_key(|bytes| bytes.len()).unwrap()).unwrap();
}

#[test]
fn all_pictures_together_take_little_room() {
    let files = std::fs::read_dir(project("tests/snapshots")).unwrap().map(|entry| entry.unwrap().path());
    // Names with a second dot come from the last run and are not committed.
    let kept = files.filter(|file| !file.file_stem().unwrap().to_string_lossy().contains('.'));
    let bytes: u64 = kept.map(|file| file.metadata().unwrap().len()).sum();
    assert!(
        bytes <= MAX_BYTES,
        "{bytes} bytes, at most {MAX_BYTES}: crop the largest pictures to what their tests are about"
    );
}
