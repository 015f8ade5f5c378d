//! Pictures of frames, as markup of a page.

use super::evidence::{Moment, Painter, Thumbnail};
use super::html::escape;
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write;

const NO_PAINTER: &str = "No pictures: this build has no window, and so no renderer.";

/// Width and height of a picture.
const SIZE_PX: [u32; 2] = [320, 240];
/// The same in a page that would be too large.
const SMALL_PX: [u32; 2] = [160, 120];

/// Frames with the rows that they belong to, worst first.
pub type Moments<'a> = [(usize, &'a Moment)];

/// Pictures of frames.
#[derive(Default)]
pub struct Pictures {
    /// Heading and pictures by row, as markup.
    by_row: BTreeMap<usize, String>,
    /// Why pictures are missing, as markup; empty if none is.
    pub said: String,
    /// What the limit of the page leaves out, in words.
    pub left_out: Vec<String>,
}

impl Pictures {
    /// Rows with empty pictures: a page with them has the room that the pictures do not take.
    pub fn blank(moments: &Moments<'_>) -> Self {
        Self { by_row: moments.iter().map(|(row, _)| (*row, String::new())).collect(), ..Self::default() }
    }

    /// Draws the frames. Without enough room, they are drawn smaller, then those of the last frames are left out.
    pub fn fitting(moments: &Moments<'_>, painter: Option<&mut dyn Painter>, room_bytes: usize) -> Self {
        let Some(painter) = painter else {
            return Self { said: format!("<p>{NO_PAINTER}</p>\n"), ..Self::default() };
        };
        let pictures = Self::drawn(moments, painter, SIZE_PX);
        if pictures.len() <= room_bytes {
            return pictures;
        }
        let mut pictures = Self::drawn(moments, painter, SMALL_PX);
        let all = pictures.by_row.len();
        for (row, _) in moments.iter().rev() {
            if pictures.len() > room_bytes {
                pictures.by_row.remove(row);
            }
        }
        let there = pictures.by_row.len();
        let missing = (there < all).then(|| {
            let frames = text::count(all, "worst frame");
            format!("the pictures of {} of {frames}", all - there)
        });
        pictures.left_out = (there > 0).then(|| "large pictures".to_owned()).into_iter().chain(missing).collect();
        pictures
    }

    fn drawn(moments: &Moments<'_>, painter: &mut dyn Painter, size_px: [u32; 2]) -> Self {
        let mut pictures = Self::default();
        for (row, moment) in moments {
            match painter.paint(moment, size_px) {
                Ok(thumbnails) => drop(pictures.by_row.insert(*row, worst_moment(moment, &thumbnails))),
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
fn worst_moment(moment: &Moment, thumbnails: &[Thumbnail]) -> String {
    let (joint, time) = (escape(moment.rig.skeleton.name(moment.joint)), text::clock(moment.time_secs));
    let figures: String = thumbnails.iter().map(figure).collect();
    format!("<h3>Worst frame: {joint} at {time}</h3>\n{figures}\n")
}

fn figure(thumbnail: &Thumbnail) -> String {
    let (data, name) = (BASE64_STANDARD.encode(&thumbnail.png), escape(thumbnail.name));
    format!(
        "<figure><img alt=\"{name}\" src=\"data:image/png;base64,{data}\"><figcaption>{}</figcaption></figure>",
        text::capital(&name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use posepress_core::math::Transform;
    use posepress_core::model::{Joint, Pose, Rig, Skeleton};

    /// Draws a byte per four pixels.
    struct Square;

    impl Painter for Square {
        fn paint(&mut self, _: &Moment, [width, height]: [u32; 2]) -> Result<Vec<Thumbnail>, String> {
            Ok(vec![Thumbnail { name: "original", png: vec![0; (width * height / 4) as usize] }])
        }
    }

    fn moment() -> Moment {
        let root = Joint { name: "root".into(), parent: None, bind: Transform::from_translation(Vec3::ZERO) };
        let rig = Rig::from_skeleton("rig", Skeleton::new(vec![root]).unwrap()).into();
        let pose = Pose::with_size(1, 0);
        Moment { rig, raw: pose.clone(), lossy: pose, joint: 0, time_secs: 0.5, ground_m: 0.0, tolerance_m: 0.001 }
    }

    #[test]
    fn pictures_become_small_and_then_those_of_the_best_frames_are_left_out() {
        let moment = moment();
        let moments = [(7, &moment), (2, &moment), (5, &moment)];
        let fitting = |room| Pictures::fitting(&moments, Some(&mut Square), room);
        let large = fitting(usize::MAX);
        assert!(large.left_out.is_empty() && large.of(7).is_some());
        let small = fitting(large.len() - 1);
        assert_eq!(small.left_out, ["large pictures"]);
        assert!(small.len() < large.len() / 3);
        let fewer = fitting(small.len() - 1);
        assert_eq!(fewer.left_out, ["large pictures", "the pictures of 1 of 3 worst frames"]);
        assert_eq!([7, 2, 5].map(|row| fewer.of(row).is_some()), [true, true, false]);
        assert_eq!(fitting(0).left_out, ["the pictures of 3 of 3 worst frames"]);
    }
}
