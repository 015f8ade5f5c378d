//! Pictures of the command line: whole files, with their labels.

use super::{SIZE_PX, bent, device, differing, tube};
use image::RgbaImage;
use posepress_app::render::{Arrangement, PictureOptions, Shading, Show, Side, ViewTheme, draw_picture, png_bytes};
use std::sync::Arc;

fn picture(options: PictureOptions) -> RgbaImage {
    let rig = Arc::new(tube());
    draw_picture(&mut device(), &rig, &bent(&rig, 0.2, 0.0), Some(&bent(&rig, 0.25, 0.0)), &options).unwrap()
}

/// 240 x 120 pixels in one arrangement.
fn options(arrangement: Arrangement) -> PictureOptions {
    PictureOptions { size_px: [240, 120], arrangement, ..PictureOptions::default() }
}

/// Number of pixels in the colour behind a warning, from column `left` on.
fn warned(picture: &RgbaImage, left: u32) -> usize {
    let fill = image::Rgba(ViewTheme::DARK.warn_fill.with_alpha(0xFF));
    picture.enumerate_pixels().filter(|(x, _, p)| *x >= left && **p == fill).count()
}

#[test]
fn the_command_line_gets_a_png() {
    let rig = Arc::new(tube());
    let options = PictureOptions { size_px: SIZE_PX, ..PictureOptions::default() };
    let (raw, lossy) = (bent(&rig, 0.2, 0.0), bent(&rig, 0.9, 0.0));
    let picture = draw_picture(&mut device(), &rig, &raw, Some(&lossy), &options).unwrap();
    let image = image::load_from_memory(&png_bytes(&picture).unwrap()).unwrap();
    assert_eq!((image.width(), image.height()), (SIZE_PX[0], SIZE_PX[1]));
}

#[test]
fn an_exaggerated_picture_says_by_how_much_on_the_compressed_side() {
    let arrangements = [
        (Arrangement::SIDE_BY_SIDE, 121),
        (Arrangement::One(Show::Wipe { split: 0.25, left: Side::Original }), 60),
        (Arrangement::One(Show::Onion { mix: 0.5 }), 0),
        (Arrangement::One(Show::Side(Side::Compressed)), 0),
    ];
    for (arrangement, left) in arrangements {
        let plain = picture(options(arrangement));
        let drawn = |difference| picture(PictureOptions { difference, ..options(arrangement) });
        let [twenty, fifty] = [20.0, 50.0].map(drawn);
        assert_eq!(warned(&plain, 0), 0, "{arrangement:?}: nothing is exaggerated");
        assert!(warned(&twenty, left) > 300, "{arrangement:?}: {} pixels", warned(&twenty, left));
        assert_eq!(warned(&twenty, 0), warned(&twenty, left), "{arrangement:?}: on the side that is exaggerated");
        assert!(differing(&plain, &twenty) > 500 && differing(&twenty, &fifty) > 200, "{arrangement:?}");
    }
    let original =
        |difference| picture(PictureOptions { difference, ..options(Arrangement::One(Show::Side(Side::Original))) });
    assert_eq!(differing(&original(1.0), &original(20.0)), 0, "the original is unchanged");
}

#[test]
fn a_heat_picture_says_what_its_colours_stand_for() {
    let heat = |tolerance_m| {
        let shading = Shading::Heat { tolerance_m };
        picture(PictureOptions {
            shading,
            size_px: [640, 120],
            ..options(Arrangement::One(Show::Side(Side::Compressed)))
        })
    };
    let chip = image::Rgba(ViewTheme::DARK.chip.with_alpha(0xFF));
    let words = |picture: &RgbaImage| image::imageops::crop_imm(picture, 0, 90, 400, 22).to_image();
    let [fine, coarse] = [0.001, 0.002].map(heat);
    assert!(words(&fine).pixels().filter(|p| **p == chip).count() > 2000);
    assert!(differing(&words(&fine), &words(&coarse)) > 10, "the tolerance is written");
}
