//! Animations in one file: GIF, which every program shows, and animated PNG, which keeps every colour.

use super::RenderError;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};
use std::path::Path;
use std::time::Duration;

/// File format of an animation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilmFormat {
    /// 256 colours per frame, times in hundredths of a second.
    Gif,
    /// Every colour as it was drawn.
    Apng,
}

impl FilmFormat {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::Gif, Self::Apng];

    /// File extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
        }
    }

    /// The format of a path, by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }
}

/// Default frame rate. Each frame takes four hundredths of a second, which GIF stores exactly.
pub const USUAL_FILM_HZ: f32 = 25.0;
/// Largest number of frames, because all frames are kept in memory.
pub const MOST_FILM_PICTURES: usize = 2000;

/// Times of the frames in a span, seconds. For a whole loop the end is left out, because it is the start.
///
/// # Errors
/// [`RenderError::FilmLength`].
pub fn film_times([start_secs, end_secs]: [f32; 2], rate_hz: f32, is_loop: bool) -> Result<Vec<f32>, RenderError> {
    let intervals = (f64::from(end_secs - start_secs) * f64::from(rate_hz)).max(0.0);
    // Rounding may make a span of whole intervals slightly longer or shorter.
    const ROUNDING: f64 = 1e-3;
    let pictures =
        if is_loop { ((intervals - ROUNDING).ceil() as usize).max(1) } else { (intervals + ROUNDING) as usize + 1 };
    if pictures > MOST_FILM_PICTURES {
        return Err(RenderError::FilmLength { pictures, most: MOST_FILM_PICTURES });
    }
    Ok((0..pictures).map(|i| (start_secs + (i as f64 / f64::from(rate_hz)) as f32).min(end_secs)).collect())
}

/// Encodes images of one size as an animation that repeats endlessly. Returns the first error of `pictures`.
///
/// # Errors
/// [`RenderError`].
pub fn write_film(
    format: FilmFormat,
    pictures: impl ExactSizeIterator<Item = Result<RgbaImage, RenderError>>,
    rate_hz: f32,
) -> Result<Vec<u8>, RenderError> {
    match format {
        FilmFormat::Gif => write_gif(pictures, rate_hz),
        FilmFormat::Apng => write_apng(pictures, rate_hz),
    }
}

fn write_gif(
    pictures: impl Iterator<Item = Result<RgbaImage, RenderError>>,
    rate_hz: f32,
) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    encoder.set_repeat(Repeat::Infinite)?;
    // Frame ends in whole hundredths of a second, so that the duration is exact at every rate.
    let end = |index: usize| (100.0 * index as f64 / f64::from(rate_hz)).round() as u64;
    for (index, picture) in pictures.enumerate() {
        let delay = Duration::from_millis(10 * (end(index + 1) - end(index)));
        encoder.encode_frame(Frame::from_parts(picture?, 0, 0, Delay::from_saturating_duration(delay)))?;
    }
    drop(encoder);
    Ok(bytes)
}

fn write_apng(
    mut pictures: impl ExactSizeIterator<Item = Result<RgbaImage, RenderError>>,
    rate_hz: f32,
) -> Result<Vec<u8>, RenderError> {
    let count = pictures.len() as u32;
    let Some(first) = pictures.next().transpose()? else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, first.width(), first.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_animated(count, 0)?;
    encoder.set_frame_delay(1000, (1000.0 * rate_hz).round() as u16)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&first)?;
    for picture in pictures {
        writer.write_image_data(&picture?)?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::AnimationDecoder;
    use image::codecs::gif::GifDecoder;
    use image::codecs::png::PngDecoder;
    use std::io::Cursor;

    /// Few colours, so that GIF can keep them.
    fn pictures() -> Vec<RgbaImage> {
        let at = |i: u32| {
            RgbaImage::from_fn(24, 16, |x, y| {
                let lit = (x + i) % 8 < 4 && y > i;
                image::Rgba(if lit { [230, 120, 40, 255] } else { [20, 30, 60, 255] })
            })
        };
        (0..7).map(at).collect()
    }

    fn written(format: FilmFormat, rate_hz: f32) -> Vec<Frame> {
        let bytes = write_film(format, pictures().into_iter().map(Ok), rate_hz).unwrap();
        match format {
            FilmFormat::Gif => GifDecoder::new(Cursor::new(bytes)).unwrap().into_frames().collect_frames(),
            FilmFormat::Apng => {
                PngDecoder::new(Cursor::new(bytes)).unwrap().apng().unwrap().into_frames().collect_frames()
            }
        }
        .unwrap()
    }

    #[test]
    fn what_is_written_is_read_again_picture_by_picture() {
        for frame in FilmFormat::ALL.into_iter().flat_map(|format| {
            let frames = written(format, 25.0);
            assert_eq!(frames.len(), 7, "{format:?}");
            frames.into_iter().zip(pictures())
        }) {
            let (read, drawn) = frame;
            let far = read.buffer().as_raw().iter().zip(drawn.as_raw()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(far <= Some(8), "{far:?}");
        }
        let exact = written(FilmFormat::Apng, 25.0).into_iter().zip(pictures()).all(|(a, b)| *a.buffer() == b);
        assert!(exact, "animated PNG keeps every colour");
    }

    #[test]
    fn a_film_lasts_as_long_as_its_moments_whatever_its_rate() {
        for format in FilmFormat::ALL {
            for rate_hz in [1.0, 12.5, 24.0, 29.97, 30.0, 50.0] {
                let secs = |frame: &Frame| Duration::from(frame.delay()).as_secs_f32();
                let lasts_secs: f32 = written(format, rate_hz).iter().map(secs).sum();
                assert!((lasts_secs - 7.0 / rate_hz).abs() < 0.012, "{format:?} {rate_hz}: {lasts_secs}");
            }
        }
    }

    #[test]
    fn moments_go_from_start_to_end_and_a_loop_leaves_its_end_out() {
        assert_eq!(film_times([0.0, 1.0], 4.0, false).unwrap(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(film_times([0.0, 1.0], 4.0, true).unwrap(), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(film_times([0.5, 0.5], 25.0, true).unwrap(), [0.5]);
        assert_eq!(film_times([0.2, 0.3], 25.0, false).unwrap().len(), 3);
        assert!(matches!(film_times([0.0, 600.0], 25.0, false), Err(RenderError::FilmLength { pictures: 15001, .. })));
    }

    #[test]
    fn the_end_of_a_name_says_the_format_and_an_error_ends_the_film() {
        assert_eq!(FilmFormat::of(Path::new("a/walk.GIF")), Some(FilmFormat::Gif));
        assert_eq!(FilmFormat::of(Path::new("walk.apng")), Some(FilmFormat::Apng));
        assert_eq!(FilmFormat::of(Path::new("walk.png")), None);
        for format in FilmFormat::ALL {
            let broken = vec![Ok(pictures()[0].clone()), Err(RenderError::NoAdapter)];
            assert!(matches!(write_film(format, broken.into_iter(), 25.0), Err(RenderError::NoAdapter)));
        }
    }
}
