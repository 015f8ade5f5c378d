//! Textures, read within what their file may ask for.

use super::budget::{MAX_IMAGE_BYTES, MAX_SIDE_PIXELS};
use super::{Ask, Budget, Fault, Finding};
use crate::model::{Image, Rig};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;

/// A texture as its file holds it.
#[derive(Debug)]
pub(super) struct Picture<'a> {
    /// What materials call it by.
    pub source: usize,
    /// For people.
    pub name: String,
    /// PNG, JPEG or WebP, or why they are not there.
    pub bytes: Result<&'a [u8], Fault>,
}

/// Decodes pictures into the rig, in parallel; returns where in the rig each one is. One that cannot be read is left out with
/// a finding: the motion can be judged without it.
pub(super) fn read_all(
    pictures: Vec<Picture<'_>>,
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> BTreeMap<usize, usize> {
    // Booked one after the other, so that which of them is too much does not depend on threads.
    let booked: Vec<Picture<'_>> = pictures
        .into_iter()
        .map(|picture| Picture {
            bytes: picture.bytes.and_then(|bytes| claim(bytes, budget).map(|()| bytes)),
            ..picture
        })
        .collect();
    let decoded: Vec<_> = booked.into_par_iter().map(|p| (p.source, p.name, p.bytes.and_then(decode))).collect();
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
                "The surface shows its plain colour. The motion is not touched by this.",
            )),
        }
    }
    places
}

/// Books the pixels of a picture before it is decoded.
fn claim(bytes: &[u8], budget: &Budget) -> Result<(), Fault> {
    let (width, height) = reader(bytes)?.into_dimensions().map_err(|e| Fault::new(e.to_string()))?;
    Ok(budget.claim(Ask::Pixels, u64::from(width) * u64::from(height))?)
}

/// The pixels of a picture that is known to be within its file's means.
fn decode(bytes: &[u8]) -> Result<Image, Fault> {
    let mut reader = reader(bytes)?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    let picture = reader.decode().map_err(|e| Fault::new(e.to_string()))?.into_rgba8();
    Ok(Image { width: picture.width(), height: picture.height(), rgba: picture.into_raw() })
}

fn reader(bytes: &[u8]) -> Result<image::ImageReader<Cursor<&[u8]>>, Fault> {
    image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| Fault::new(e.to_string()))
}
