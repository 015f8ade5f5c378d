//! Draws the icon of the program: a leg, and where compression would have put it.
//!
//! `cargo run -p posepress-app --example icon` writes it as SVG, as PNG in the sizes that desktops ask for, and as ICO for packages, and as
//! PNG for the window.

use posepress_app::render::{Rgb, ViewTheme};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::fmt::Write;
use std::io::Cursor;
use std::path::Path;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const PACKAGES: &str = "packaging/icons";
const WINDOW: &str = "src/app/assets/icon.png";
/// Size of the picture for the window.
const WINDOW_PX: u32 = 128;
/// Sizes of the PNG files in pixels; those up to 256 are in the ICO file too.
const SIZES_PX: [u32; 6] = [16, 32, 48, 128, 256, 512];
/// The drawing's own width and height.
const SIDE: f32 = 128.0;
/// Hip, knee, ankle and tip of the toe.
const LEG: [[f32; 2]; 4] = [[56.0, 24.0], [70.0, 56.0], [50.0, 88.0], [80.0, 98.0]];
/// The same with an error.
const OTHER: [[f32; 2]; 4] = [[56.0, 24.0], [80.0, 53.0], [70.0, 86.0], [101.0, 94.0]];

fn main() -> Result<(), AnyError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(PACKAGES);
    let svg = drawing(&ViewTheme::DARK);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("posepress.svg"), &svg)?;
    let mut icon = ico::IconDir::new(ico::ResourceType::Icon);
    for size_px in SIZES_PX {
        let png = picture(&svg, size_px)?;
        std::fs::write(folder.join(format!("posepress-{size_px}.png")), &png)?;
        if size_px <= 256 {
            icon.add_entry(ico::IconDirEntry::encode(&ico::IconImage::read_png(Cursor::new(&png))?)?);
        }
    }
    icon.write(std::fs::File::create(folder.join("posepress.ico"))?)?;
    Ok(std::fs::write(root.join(WINDOW), picture(&svg, WINDOW_PX)?)?)
}

/// The picture as SVG.
fn drawing(theme: &ViewTheme) -> String {
    let hex = |Rgb(red, green, blue): Rgb| format!("#{red:02X}{green:02X}{blue:02X}");
    let mut svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {SIDE}\">\n");
    let _ =
        writeln!(svg, "  <rect x=\"4\" y=\"4\" width=\"120\" height=\"120\" rx=\"26\" fill=\"{}\"/>", hex(theme.gap));
    let _ = writeln!(
        svg,
        "  <path d=\"M20 106H108\" stroke=\"{}\" stroke-width=\"5\" stroke-linecap=\"round\"/>",
        hex(theme.text)
    );
    leg(&mut svg, &OTHER, &hex(theme.compressed), 9.0);
    leg(&mut svg, &LEG, &hex(theme.original), 12.0);
    svg.push_str("</svg>\n");
    svg
}

/// Bones as lines and joints as discs.
fn leg(svg: &mut String, joints: &[[f32; 2]; 4], color: &str, width: f32) {
    let points = joints.map(|[x, y]| format!("{x} {y}")).join(" L");
    let _ = writeln!(
        svg,
        "  <path d=\"M{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
    );
}

/// The picture as PNG.
fn picture(svg: &str, size_px: u32) -> Result<Vec<u8>, AnyError> {
    let tree = Tree::from_str(svg, &Options::default())?;
    let mut pixels = Pixmap::new(size_px, size_px).ok_or("no picture of that size")?;
    let scale = size_px as f32 / SIDE;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}
