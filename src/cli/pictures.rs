//! Pictures of frames, as markup of a page.

use super::evidence::{Moment, Painter, PictureForm, PictureFormat, Thumbnail};
use super::html::escape;
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write;

const NO_PAINTER: &str = "No pictures: this build has no window, and so no renderer.";

const FULL: PictureForm = PictureForm { size_px: [320, 240], format: PictureFormat::Png };
/// In a page that would be too large.
const FEW_COLORS: PictureForm = PictureForm { format: PictureFormat::Gif, ..FULL };
/// In a page that would still be too large without meshes and motion.
const SMALL: PictureForm = PictureForm { size_px: [160, 120], ..FEW_COLORS };

/// Frames with the rows that they belong to, worst first.
pub type Moments<'a> = [(usize, &'a Moment)];

/// Pictures of frames.
#[derive(Default)]
pub struct Pictures {
    /// Heading and pictures by row, as markup.
    by_row: BTreeMap<usize, String>,
    /// Why pictures are missing, as markup; empty if none is.
    pub said: String,
    /// Parts that the limit of the page leaves out, in words.
    pub left_out: Vec<String>,
}

impl Pictures {
    /// Rows with empty pictures: a page with them has the room that the pictures do not take.
    pub fn blank(moments: &Moments<'_>) -> Self {
        Self { by_row: moments.iter().map(|(row, _)| (*row, String::new())).collect(), ..Self::default() }
    }

    /// Draws the frames. If they do not fit beside everything, they get few colours. If they then do not fit beside what is never left out,
    /// they are drawn smaller, and those of the last frames are left out.
    pub fn fitting(
        moments: &Moments<'_>,
        painter: Option<&mut dyn Painter>,
        [beside_all_bytes, beside_least_bytes]: [usize; 2],
    ) -> Self {
        let Some(painter) = painter else {
            return Self { said: format!("<p>{NO_PAINTER}</p>\n"), ..Self::default() };
        };
        let pictures = Self::drawn(moments, painter, FULL);
        if pictures.len() <= beside_all_bytes {
            return pictures;
        }
        let pictures = Self::drawn(moments, painter, FEW_COLORS);
        if pictures.len() <= beside_least_bytes {
            let is_drawn = pictures.count() > 0;
            return Self {
                left_out: is_drawn.then(|| "most colours of pictures".to_owned()).into_iter().collect(),
                ..pictures
            };
        }
        Self::drawn(moments, painter, SMALL).without_last(moments, beside_least_bytes)
    }

    /// Leaves out the pictures of the last frames that do not fit.
    fn without_last(mut self, moments: &Moments<'_>, room_bytes: usize) -> Self {
        let all = self.count();
        for (row, _) in moments.iter().rev() {
            if self.len() > room_bytes {
                self.by_row.remove(row);
            }
        }
        let there = self.count();
        let missing = (there < all).then(|| {
            let frames = text::count(all, "worst frame");
            format!("the pictures of {} of {frames}", all - there)
        });
        self.left_out = (there > 0).then(|| "large pictures".to_owned()).into_iter().chain(missing).collect();
        self
    }

    fn drawn(moments: &Moments<'_>, painter: &mut dyn Painter, form: PictureForm) -> Self {
        let mut pictures = Self::default();
        for (row, moment) in moments {
            match painter.paint(moment, form) {
                Ok(thumbnails) => drop(pictures.by_row.insert(*row, worst_moment(moment, &thumbnails, form.format))),
                Err(why) => {
                    let _ = writeln!(pictures.said, "<p>No pictures: {}.</p>", escape(&why));
                    break;
                }
            }
        }
        pictures
    }

    /// Heading and pictures of a row, as markup.
    pub fn of(&self, row: usize) -> Option<&str> {
        self.by_row.get(&row).map(String::as_str)
    }

    /// Number of rows with pictures.
    pub fn count(&self) -> usize {
        self.by_row.len()
    }

    /// Bytes of the markup.
    fn len(&self) -> usize {
        self.by_row.values().map(String::len).sum()
    }
}

/// The heading of a worst frame and its pictures.
fn worst_moment(moment: &Moment, thumbnails: &[Thumbnail], format: PictureFormat) -> String {
    let (joint, time) = (escape(moment.rig.skeleton.name(moment.joint)), text::clock(moment.time_secs));
    let figures: String = thumbnails.iter().map(|thumbnail| figure(thumbnail, format)).collect();
    format!("<h3>Worst frame: {joint} at {time}</h3>\n{figures}\n")
}

fn figure(thumbnail: &Thumbnail, format: PictureFormat) -> String {
    let (data, name) = (BASE64_STANDARD.encode(&thumbnail.bytes), escape(thumbnail.name));
    let media_type = format.media_type();
    format!(
        "<figure><img alt=\"{name}\" src=\"data:{media_type};base64,{data}\"><figcaption>{}</figcaption></figure>",
        text::capital(&name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use posepress_core::math::Transform;
    use posepress_core::model::{Joint, Pose, Rig, Skeleton};

    /// Draws a byte per pixel, or per three.
    struct Square;

    impl Painter for Square {
        fn paint(&mut self, _: &Moment, form: PictureForm) -> Result<Vec<Thumbnail>, String> {
            let [width, height] = form.size_px;
            let bytes = width * height / if form.format == PictureFormat::Png { 1 } else { 3 };
            Ok(vec![Thumbnail { name: "original", bytes: vec![0; bytes as usize] }])
        }
    }

    fn moment() -> Moment {
        let root = Joint { name: "root".into(), parent: None, bind: Transform::from_translation(Vec3::ZERO) };
        let rig = Rig::from_skeleton("rig", Skeleton::new(vec![root]).unwrap()).into();
        let pose = Pose::with_size(1, 0);
        Moment { rig, raw: pose.clone(), lossy: pose, joint: 0, time_secs: 0.5, ground_m: 0.0, tolerance_m: 0.001 }
    }

    #[test]
    fn pictures_lose_colours_and_then_size_and_then_those_of_the_best_frames_are_left_out() {
        let moment = moment();
        let moments = [(7, &moment), (2, &moment), (5, &moment)];
        let fitting = |rooms| Pictures::fitting(&moments, Some(&mut Square), rooms);
        let full = fitting([usize::MAX; 2]);
        assert!(full.left_out.is_empty() && full.of(7).is_some_and(|figures| figures.contains("data:image/png;")));
        let few = fitting([full.len() - 1, usize::MAX]);
        assert_eq!(few.left_out, ["most colours of pictures"]);
        assert!(few.len() < full.len() / 2 && few.of(7).is_some_and(|figures| figures.contains("data:image/gif;")));
        let small = fitting([0, few.len() - 1]);
        assert_eq!(small.left_out, ["large pictures"]);
        assert!(small.len() < few.len() / 3);
        let fewer = fitting([0, small.len() - 1]);
        assert_eq!(fewer.left_out, ["large pictures", "the pictures of 1 of 3 worst frames"]);
        assert_eq!([7, 2, 5].map(|row| fewer.of(row).is_some()), [true, true, false]);
        assert_eq!(fitting([0; 2]).left_out, ["the pictures of 3 of 3 worst frames"]);
    }
}
