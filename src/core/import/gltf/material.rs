use super::accessor::{Reader, load_uri};
use super::{Fault, Finding};
use crate::model::{Image, Material, Rig};
use gltf_json as json;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

/// Larger pictures than this are damaged or useless in a preview.
const MAX_SIDE_PIXELS: u32 = 16_384;
/// Memory for decoding one picture, bytes.
const MAX_IMAGE_BYTES: u64 = 512 << 20;

/// Reads the materials with their base colours. A texture that cannot be read is left out with a finding: the motion can
/// be judged without it.
pub(super) fn read_materials(reader: &Reader<'_>, path: &Path, rig: &mut Rig, findings: &mut Vec<Finding>) {
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
    let images = decode_images(reader, path, sources.iter().flatten().copied(), rig, findings);
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
    material.name.clone().unwrap_or_else(|| format!("material_{index}"))
}

/// Decodes each image once, in parallel; returns where in the rig each one is.
fn decode_images(
    reader: &Reader<'_>,
    path: &Path,
    sources: impl Iterator<Item = usize>,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> BTreeMap<usize, usize> {
    let root = reader.root();
    let sources: std::collections::BTreeSet<usize> = sources.collect();
    let encoded: Vec<(usize, Result<Vec<u8>, Fault>)> =
        sources.into_iter().map(|source| (source, encoded(reader, path, &root.images[source]))).collect();
    let decoded: Vec<(usize, Result<Image, Fault>)> =
        encoded.into_par_iter().map(|(source, bytes)| (source, bytes.and_then(|b| decode(&b)))).collect();
    let mut places = BTreeMap::new();
    for (source, image) in decoded {
        match image {
            Ok(image) => {
                places.insert(source, rig.images.len());
                rig.images.push(image);
            }
            Err(fault) => findings.push(Finding::warning(
                root.images[source].name.clone().unwrap_or_else(|| format!("image {source}")),
                format!("the texture cannot be read: {fault}"),
                "The surface shows its plain colour. The motion is not touched by this.",
            )),
        }
    }
    places
}

fn encoded(reader: &Reader<'_>, path: &Path, image: &json::Image) -> Result<Vec<u8>, Fault> {
    match (image.buffer_view, &image.uri) {
        (Some(view), _) => Ok(reader.view(view)?.to_vec()),
        (None, Some(uri)) => load_uri(uri, path),
        (None, None) => Err(Fault::new("it has neither a buffer view nor a file")),
    }
}

fn decode(bytes: &[u8]) -> Result<Image, Fault> {
    let fault = |e: &dyn std::fmt::Display| Fault::new(e.to_string());
    let mut reader = image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| fault(&e))?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    let picture = reader.decode().map_err(|e| fault(&e))?.into_rgba8();
    Ok(Image { width: picture.width(), height: picture.height(), rgba: picture.into_raw() })
}
