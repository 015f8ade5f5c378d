use super::{Budget, Fault, Finding, readable};
use crate::import::beside::FilesBeside;
use crate::import::picture::{self, Picture};
use crate::model::{Material, Rig};
use std::collections::BTreeSet;
use std::rc::Rc;
use ufbx::{MaterialMap, Scene, Texture};

/// Reads all materials, with the textures of those in use. A texture that cannot be read is skipped with a finding, since motion can be
/// judged without it.
pub(super) fn read_materials(
    scene: &Scene,
    files: &FilesBeside,
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) {
    let used: BTreeSet<usize> = rig.meshes.iter().filter_map(|mesh| mesh.material).collect();
    let sources: BTreeSet<usize> =
        used.iter().flat_map(|&material| maps(&scene.materials[material])).flatten().map(place).collect();
    let loaded: Vec<Result<Bytes<'_>, Fault>> =
        sources.iter().map(|&source| bytes(&scene.textures[source], files, budget)).collect();
    let pictures: Vec<Picture<'_>> = sources
        .iter()
        .zip(&loaded)
        .map(|(&source, loaded)| Picture {
            source,
            name: readable(&scene.textures[source].element.name),
            bytes: loaded.as_ref().map(Bytes::as_slice).map_err(Fault::clone),
        })
        .collect();
    let images = picture::read_all(pictures, budget, rig, findings);
    for material in &scene.materials {
        let images = maps(material).map(|texture| images.get(&place(texture?)).copied());
        let [base_color_image, normals, emissive_image] = images;
        let [r, g, b] = color(&material.pbr.base_color, &material.pbr.base_factor, [1.0; 3]);
        rig.materials.push(Material {
            name: readable(&material.element.name),
            base_color: [r, g, b, 1.0],
            base_color_image,
            normal_image: normals.map(|image| (image, 1.0)),
            emissive: color(&material.pbr.emission_color, &material.pbr.emission_factor, [0.0; 3]),
            emissive_image,
            // Editors of the format show both sides by default.
            double_sided: true,
            ..Material::default()
        });
    }
}

fn color(color: &MaterialMap, factor: &MaterialMap, unsaid: [f32; 3]) -> [f32; 3] {
    let factor = if factor.has_value { factor.value_vec4.x } else { 1.0 };
    match color.has_value {
        true => [color.value_vec4.x, color.value_vec4.y, color.value_vec4.z].map(|c| (c * factor) as f32),
        false => unsaid,
    }
}

/// Base colour, normal and emissive textures; for layered textures, the lowest layer.
fn maps(material: &ufbx::Material) -> [Option<&Texture>; 3] {
    let pbr = &material.pbr;
    [&pbr.base_color, &pbr.normal_map, &pbr.emission_color].map(picture)
}

fn picture(map: &MaterialMap) -> Option<&Texture> {
    map.texture.as_ref()?.file_textures.first().map(|texture| &**texture)
}

fn place(texture: &Texture) -> usize {
    texture.element.typed_id as usize
}

/// A texture that is embedded in the FBX or in an external file.
enum Bytes<'a> {
    Embedded(&'a [u8]),
    Beside(Rc<Vec<u8>>),
}

impl Bytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Embedded(bytes) => bytes,
            Self::Beside(bytes) => bytes,
        }
    }
}

fn bytes<'a>(texture: &'a Texture, files: &FilesBeside, budget: &Budget) -> Result<Bytes<'a>, Fault> {
    let embedded = texture.video.as_ref().map(|video| &*video.content).into_iter().chain([&*texture.content]);
    if let Some(bytes) = embedded.into_iter().find(|bytes| !bytes.is_empty()) {
        return Ok(Bytes::Embedded(bytes));
    }
    let relative = texture.relative_filename.replace('\\', "/");
    let named = [&relative, &*texture.filename, &*texture.absolute_filename].into_iter().find(|name| !name.is_empty());
    let named = named.ok_or_else(|| Fault::new("it has neither a picture nor a file"))?;
    // Paths often lead to folders of another computer. Then a file of that name in this file's folder is used.
    let base = named.rsplit(['/', '\\']).next().unwrap_or(named);
    let load = |name: &str| files.load_name(name, |bytes| budget.bring(bytes));
    load(&relative).or_else(|_| load(base)).map(Bytes::Beside)
}
