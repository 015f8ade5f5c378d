use super::accessor::{Buffer, Reader};
use super::{Ask, Fault, Finding, readable};
use crate::import::budget::{MAX_IMAGE_BYTES, MAX_SIDE_PIXELS};
use crate::model::{Image, Material, Rig};
use gltf_json as json;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;

/// Reads the materials with their base colours. A texture that cannot be read is left out with a finding: the motion can
/// be judged without it.
pub(super) fn read_materials(reader: &Reader<'_>, rig: &mut Rig, findings: &mut Vec<Finding>) {
    let root = reader.root();
    let mut used = vec![false; root.materials.len()];
    rig.meshes.iter().filter_map(|m| m.material).for_each(|m| used[m] = true);
    let mut sources = vec![None; root.materials.len()];
    for (index, material) in root.materials.iter().enumerate().filter(|(i, _)| used[*i]) {
        let Some(info) = &material.pbr_metallic_roughness.base_color_texture else { continue };
        let texture = root.textures.get(info.index.value());
        sources[index] = texture.map(|t| t.source.value()).filter(|&source| source < root.images.len());
        if sources[index].is_none() {
            findings.push(Finding::warning(
                material_name(material, index),
                "its texture has no PNG or JPEG image",
                "The surface shows its plain colour. The motion is not touched by this.",
            ));
        }
    }
    let images = decode_images(reader, sources.iter().flatten().copied(), rig, findings);
    for (index, material) in root.materials.iter().enumerate() {
        rig.materials.push(Material {
            name: material_name(material, index),
            base_color: material.pbr_metallic_roughness.base_color_factor.0,
            base_color_image: sources[index].and_then(|source| images.get(&source).copied()),
            double_sided: material.double_sided,
        });
    }
}

fn material_name(material: &json::Material, index: usize) -> String {
    material.name.as_deref().map_or_else(|| format!("material_{index}"), readable)
}

/// Decodes each image once, in parallel; returns where in the rig each one is.
fn decode_images(
    reader: &Reader<'_>,
    sources: impl Iterator<Item = usize>,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> BTreeMap<usize, usize> {
    let root = reader.root();
    let sources: std::collections::BTreeSet<usize> = sources.collect();
    let encoded: Vec<(usize, Result<Buffer<'_>, Fault>)> =
        sources.into_iter().map(|source| (source, encoded(reader, &root.images[source]))).collect();
    let granted: Vec<(usize, Result<&[u8], Fault>)> =
        encoded.iter().map(|(source, buffer)| (*source, granted(reader, buffer))).collect();
    let decoded: Vec<(usize, Result<Image, Fault>)> =
        granted.into_par_iter().map(|(source, bytes)| (source, bytes.and_then(decode))).collect();
    let mut places = BTreeMap::new();
    for (source, image) in decoded {
        match image {
            Ok(image) => {
                places.insert(source, rig.images.len());
                rig.images.push(image);
            }
            Err(fault) => findings.push(Finding::warning(
                root.images[source].name.as_deref().map_or_else(|| format!("image {source}"), readable),
                format!("the texture cannot be read: {fault}"),
                "The surface shows its plain colour. The motion is not touched by this.",
            )),
        }
    }
    places
}

fn encoded<'a>(reader: &'a Reader<'_>, image: &json::Image) -> Result<Buffer<'a>, Fault> {
    match (image.buffer_view, &image.uri) {
        (Some(view), _) => Ok(Buffer::Own(reader.view(view)?)),
        (None, Some(uri)) => Ok(Buffer::Loaded(reader.load(uri)?)),
        (None, None) => Err(Fault::new("it has neither a buffer view nor a file")),
    }
}

/// The bytes of a picture whose size is within what the file may ask for.
fn granted<'a>(reader: &Reader<'_>, encoded: &'a Result<Buffer<'_>, Fault>) -> Result<&'a [u8], Fault> {
    let bytes = encoded.as_ref().map_err(Fault::clone)?.bytes();
    let (width, height) = picture(bytes)?.into_dimensions().map_err(|e| Fault::new(e.to_string()))?;
    reader.budget().claim(Ask::Pixels, u64::from(width) * u64::from(height))?;
    Ok(bytes)
}

fn picture(bytes: &[u8]) -> Result<image::ImageReader<Cursor<&[u8]>>, Fault> {
    image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| Fault::new(e.to_string()))
}

fn decode(bytes: &[u8]) -> Result<Image, Fault> {
    let mut reader = picture(bytes)?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    let picture = reader.decode().map_err(|e| Fault::new(e.to_string()))?.into_rgba8();
    Ok(Image { width: picture.width(), height: picture.height(), rgba: picture.into_raw() })
}
