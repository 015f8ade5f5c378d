use super::accessor::{Buffer, Reader};
use super::{Fault, Finding, readable};
use crate::import::picture::{self, Picture};
use crate::model::{Material, Rig};
use gltf_json as json;
use std::collections::{BTreeMap, BTreeSet};

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
        sources[index] = texture.map(image_of).filter(|&source| source < root.images.len());
        if sources[index].is_none() {
            findings.push(Finding::warning(
                material_name(material, index),
                "its texture has no PNG, JPEG or WebP image",
                "The surface shows its plain colour. The motion is not touched by this.",
            ));
        }
    }
    let images = read_images(reader, sources.iter().flatten().copied(), rig, findings);
    for (index, material) in root.materials.iter().enumerate() {
        rig.materials.push(Material {
            name: material_name(material, index),
            base_color: material.pbr_metallic_roughness.base_color_factor.0,
            base_color_image: sources[index].and_then(|source| images.get(&source).copied()),
            double_sided: material.double_sided,
        });
    }
}

/// The image of a texture: that of WebP where there is one, which files have beside a larger one.
fn image_of(texture: &json::Texture) -> usize {
    let webp = texture.extensions.as_ref().and_then(|all| all.others.get("EXT_texture_webp")?.get("source")?.as_u64());
    webp.and_then(|source| usize::try_from(source).ok()).unwrap_or(texture.source.value())
}

fn material_name(material: &json::Material, index: usize) -> String {
    material.name.as_deref().map_or_else(|| format!("material_{index}"), readable)
}

/// Reads each image once; returns where in the rig each one is.
fn read_images(
    reader: &Reader<'_>,
    sources: impl Iterator<Item = usize>,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> BTreeMap<usize, usize> {
    let images = &reader.root().images;
    let sources: BTreeSet<usize> = sources.collect();
    let encoded: Vec<_> = sources.iter().map(|&source| encoded(reader, &images[source])).collect();
    let pictures: Vec<Picture<'_>> = sources
        .iter()
        .zip(&encoded)
        .map(|(&source, buffer)| Picture {
            source,
            name: images[source].name.as_deref().map_or_else(|| format!("image {source}"), readable),
            bytes: buffer.as_ref().map(Buffer::bytes).map_err(Fault::clone),
        })
        .collect();
    picture::read_all(pictures, reader.budget(), rig, findings)
}

fn encoded<'a>(reader: &'a Reader<'_>, image: &json::Image) -> Result<Buffer<'a>, Fault> {
    match (image.buffer_view, &image.uri) {
        (Some(view), _) => Ok(Buffer::Own(reader.view(view)?)),
        (None, Some(uri)) => Ok(Buffer::Loaded(reader.load(uri)?)),
        (None, None) => Err(Fault::new("it has neither a buffer view nor a file")),
    }
}
