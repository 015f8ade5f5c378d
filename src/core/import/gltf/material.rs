use super::accessor::{Buffer, Reader};
use super::{Fault, Finding, readable};
use crate::import::picture::{self, Picture};
use crate::model::{Alpha, Material, Rig};
use glam::Affine2;
use gltf_json as json;
use json::extensions::texture::TextureTransform;
use json::material::AlphaMode;
use json::texture;
use json::validation::Checked;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A texture of a material, with its mapping.
struct Map {
    texture: usize,
    place: TextureMapping,
}

/// Mapping of a texture to a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextureMapping {
    /// Index of the set of texture coordinates.
    pub set: u32,
    /// Transform of these coordinates.
    pub placed: Affine2,
}

impl Map {
    fn of(info: &texture::Info) -> Self {
        let transform = info.extensions.as_ref().and_then(|all| all.texture_transform.as_ref());
        Self { texture: info.index.value(), place: TextureMapping::new(info.tex_coord, transform) }
    }

    /// Like [`Self::of`], for a normal map. `gltf_json` does not parse its texture transform.
    fn of_normals(info: &json::material::NormalTexture) -> Self {
        let said = info.extensions.as_ref().and_then(|all| all.others.get("KHR_texture_transform"));
        let transform = said.and_then(|said| TextureTransform::deserialize(said).ok());
        Self { texture: info.index.value(), place: TextureMapping::new(info.tex_coord, transform.as_ref()) }
    }
}

impl TextureMapping {
    fn new(set: u32, transform: Option<&TextureTransform>) -> Self {
        let placed = transform.map_or(Affine2::IDENTITY, |p| {
            Affine2::from_scale_angle_translation(p.scale.0.into(), -p.rotation.0, p.offset.0.into())
        });
        Self { set: transform.and_then(|p| p.tex_coord).unwrap_or(set), placed }
    }

    /// Mapping of a material: that of its first texture.
    pub fn of(material: Option<&json::Material>) -> Self {
        let first = material.and_then(|material| maps(material).into_iter().flatten().next());
        first.map_or_else(|| Self::new(0, None), |map| map.place)
    }
}

/// Base colour, normal and emissive textures of a material.
fn maps(material: &json::Material) -> [Option<Map>; 3] {
    [
        material.pbr_metallic_roughness.base_color_texture.as_ref().map(Map::of),
        material.normal_texture.as_ref().map(Map::of_normals),
        material.emissive_texture.as_ref().map(Map::of),
    ]
}

/// Reads all materials, with the textures of those in use. A texture that cannot be read is skipped with a finding, since motion can
/// be judged without it.
pub(super) fn read_materials(reader: &Reader<'_>, rig: &mut Rig, findings: &mut Vec<Finding>) {
    let root = reader.root();
    let used: BTreeSet<usize> = rig.meshes.iter().filter_map(|mesh| mesh.material).collect();
    let sources = |(index, material): (usize, &json::Material)| match used.contains(&index) {
        true => maps(material).map(|map| source(root, (material, index), map?, findings)),
        false => [None; 3],
    };
    let sources: Vec<[Option<usize>; 3]> = root.materials.iter().enumerate().map(sources).collect();
    let images = read_images(reader, sources.iter().flatten().flatten().copied(), rig, findings);
    for ((index, material), sources) in root.materials.iter().enumerate().zip(sources) {
        let [base_color_image, normals, emissive_image] = sources.map(|source| images.get(&source?).copied());
        let scale = material.normal_texture.as_ref().map_or(1.0, |normals| normals.scale);
        rig.materials.push(Material {
            name: material_name(material, index),
            base_color: material.pbr_metallic_roughness.base_color_factor.0,
            base_color_image,
            alpha: alpha(material),
            normal_image: normals.map(|image| (image, scale)),
            emissive: material.emissive_factor.0,
            emissive_image,
            double_sided: material.double_sided,
        });
    }
}

fn alpha(material: &json::Material) -> Alpha {
    match material.alpha_mode {
        Checked::Valid(AlphaMode::Mask) => Alpha::Mask(material.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0)),
        Checked::Valid(AlphaMode::Blend) => Alpha::Blend,
        Checked::Valid(AlphaMode::Opaque) | Checked::Invalid => Alpha::Opaque,
    }
}

/// Index of a texture's image. Returns `None`, with a finding, if the texture cannot be used.
fn source(
    root: &json::Root,
    (material, index): (&json::Material, usize),
    map: Map,
    findings: &mut Vec<Finding>,
) -> Option<usize> {
    let mut leave_out = |what: &str| {
        let meaning = "The surface has its plain colour. Motion is not affected.";
        findings.push(Finding::warning(material_name(material, index), what, meaning));
        None
    };
    if map.place != TextureMapping::of(Some(material)) {
        return leave_out("one of its textures has another mapping than the first");
    }
    let image = root.textures.get(map.texture).map(image_of).filter(|&source| source < root.images.len());
    image.or_else(|| leave_out("its texture has no PNG, JPEG or WebP image"))
}

/// Index of a texture's image. A WebP image is preferred to the fallback image.
fn image_of(texture: &json::Texture) -> usize {
    let webp = texture.extensions.as_ref().and_then(|all| all.others.get("EXT_texture_webp")?.get("source")?.as_u64());
    webp.and_then(|source| usize::try_from(source).ok()).unwrap_or(texture.source.value())
}

fn material_name(material: &json::Material, index: usize) -> String {
    material.name.as_deref().map_or_else(|| format!("material_{index}"), readable)
}

/// Reads each image once. Returns the index in the rig per image of the file.
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
