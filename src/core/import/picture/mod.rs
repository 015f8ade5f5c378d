//! Decodes textures within the limits for their file.

mod png;
mod webp;

use super::budget::{MAX_IMAGE_BYTES, MAX_SIDE_PIXELS};
use super::{Ask, Budget, Fault, Finding};
use crate::model::{Image, Rig};
use image::ImageFormat;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Cursor;

/// An encoded texture.
#[derive(Debug)]
pub(super) struct Picture<'a> {
    /// Index by which materials refer to it.
    pub source: usize,
    /// Name in findings.
    pub name: String,
    /// Bytes of a PNG, JPEG or WebP, or the fault that occurred when they were read.
    pub bytes: Result<&'a [u8], Fault>,
}

/// Decodes textures into the rig, in parallel. Returns the index in the rig per source. Textures that share their bytes are decoded once.
/// A texture that cannot be read is skipped with a finding, since motion can be judged without it.
pub(super) fn read_all(
    pictures: Vec<Picture<'_>>,
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> BTreeMap<usize, usize> {
    let mut first_of = BTreeMap::new();
    let mut shared = Vec::new();
    let mut booked = Vec::new();
    // Claimed one after the other, so that threads do not decide which texture exceeds the budget.
    for picture in pictures {
        let place = picture.bytes.as_ref().ok().map(|bytes| (bytes.as_ptr(), bytes.len()));
        if let Some(&first) = place.and_then(|place| first_of.get(&place)) {
            shared.push((picture.source, first));
            continue;
        }
        first_of.extend(place.map(|place| (place, picture.source)));
        let encoded = picture.bytes.and_then(|bytes| Encoded::book(bytes, budget));
        booked.push((picture.source, picture.name, encoded));
    }
    let decoded: Vec<_> = booked.into_par_iter().map(|(source, name, e)| (source, name, e.and_then(decode))).collect();
    let mut places = BTreeMap::new();
    for (source, name, image) in decoded {
        match image {
            Ok(image) => {
                places.insert(source, rig.images.len());
                rig.images.push(image);
            }
            Err(fault) => findings.push(Finding::warning(
                name,
                format!("the texture cannot be read: {fault}"),
                "The surface has its plain colour. Motion is not affected.",
            )),
        }
    }
    for (source, first) in shared {
        if let Some(&place) = places.get(&first) {
            places.insert(source, place);
        }
    }
    places
}

/// A texture whose bytes and pixels were claimed from the budget.
struct Encoded<'a> {
    format: ImageFormat,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Encoded<'a> {
    /// Claims the bytes and pixels of a texture. Reads only its size: colour profiles, texts and other parts are not decompressed.
    fn book(bytes: &'a [u8], budget: &Budget) -> Result<Self, Fault> {
        budget.claim(Ask::Named, bytes.len() as u64)?;
        let format = image::guess_format(bytes);
        let format = format.map_err(|_| Fault::new("its image format is unknown; expected PNG, JPEG or WebP"))?;
        let bytes = match format {
            ImageFormat::Png => png::pixels_only(bytes),
            ImageFormat::Jpeg | ImageFormat::WebP => Cow::Borrowed(bytes),
            other => return Err(Fault::new(format!("it is a {other:?}; expected PNG, JPEG or WebP"))),
        };
        let encoded = Self { format, bytes };
        let (width, height) = encoded.reader().into_dimensions()?;
        let mut pixels = u64::from(width) * u64::from(height);
        if format == ImageFormat::WebP {
            pixels = pixels.max(webp::most_pixels(&encoded.bytes));
        }
        budget.claim(Ask::Pixels, pixels)?;
        Ok(encoded)
    }

    fn reader(&self) -> image::ImageReader<Cursor<&[u8]>> {
        image::ImageReader::with_format(Cursor::new(&*self.bytes), self.format)
    }
}

/// Decodes a texture that fits the budget.
fn decode(encoded: Encoded<'_>) -> Result<Image, Fault> {
    let mut reader = encoded.reader();
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    let picture = reader.decode()?.into_rgba8();
    Ok(Image { width: picture.width(), height: picture.height(), rgba: picture.into_raw() })
}
