//! Pictures of frames, as markup of a page.

use super::evidence::{Moment, Painter, Thumbnail};
use super::html::escape;
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write;

const NO_PAINTER: &str = "No pictures: this build has no window, and so no renderer.";

/// Draws the frames. Returns the figures by the index given with each frame. If some cannot be drawn, the reason is added to `said`.
pub fn pictures<'a>(
    moments: impl Iterator<Item = (usize, &'a Moment)>,
    painter: Option<&mut dyn Painter>,
    said: &mut String,
) -> BTreeMap<usize, String> {
    let mut figures = BTreeMap::new();
    let Some(painter) = painter else {
        let _ = writeln!(said, "<p>{NO_PAINTER}</p>");
        return figures;
    };
    for (place, moment) in moments {
        match painter.paint(moment) {
            Ok(thumbnails) => drop(figures.insert(place, thumbnails.iter().map(figure).collect())),
            Err(why) => {
                let _ = writeln!(said, "<p>No pictures: {}.</p>", escape(&why));
                break;
            }
        }
    }
    figures
}

/// The heading of a worst frame and its figures.
pub fn worst_moment(joint: &str, time_secs: f32, pictures: &str) -> String {
    format!("<h3>Worst frame: {} at {}</h3>\n{pictures}\n", escape(joint), text::clock(time_secs))
}

fn figure(thumbnail: &Thumbnail) -> String {
    let (data, name) = (BASE64_STANDARD.encode(&thumbnail.png), escape(thumbnail.name));
    format!(
        "<figure><img alt=\"{name}\" src=\"data:image/png;base64,{data}\"><figcaption>{}</figcaption></figure>",
        text::capital(&name)
    )
}
