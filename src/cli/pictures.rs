//! Pictures of moments, as markup of a page.

use super::evidence::{Moment, Painter, Thumbnail};
use super::html::{capital, escape};
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write;

const NO_PAINTER: &str = "Without pictures: this build was made without the window, whose renderer draws them.";

/// Figures of moments by the places that they are given with. Why there are none, or not all, is said in `said`.
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
                let _ = writeln!(said, "<p>Without pictures: {}.</p>", escape(&why));
                break;
            }
        }
    }
    figures
}

/// The worst moment in words, and its figures.
pub fn worst_moment(joint: &str, time_secs: f32, pictures: &str) -> String {
    format!("<h3>Worst frame: {} at {}</h3>\n{pictures}\n", escape(joint), text::clock(time_secs))
}

fn figure(thumbnail: &Thumbnail) -> String {
    let (data, name) = (BASE64_STANDARD.encode(&thumbnail.png), escape(thumbnail.name));
    format!(
        "<figure><img alt=\"{name}\" src=\"data:image/png;base64,{data}\"><figcaption>{}</figcaption></figure>",
        capital(&name)
    )
}
