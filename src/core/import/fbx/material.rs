use super::{Budget, Fault, Finding, readable};
use crate::import::beside::FilesBeside;
use crate::import::picture::{self, Picture};
use crate::model::{Material, Rig};
use std::collections::BTreeSet;
use std::rc::Rc;
use ufbx::{Scene, Texture};

/// Reads the materials with their base colours. A texture that cannot be read is left out with a finding: the motion can
/// be judged without it.
pub(super) fn read_materials(
    scene: &Scene,
    files: &FilesBeside,
    budget: &Budget,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) {
    let used: BTreeSet<usize> = rig.meshes.iter().filter_map(|mesh| mesh.material).collect();
    let sources: BTreeSet<usize> =
        used.iter().filter_map(|&material| texture(&scene.materials[material])).map(place).collect();
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
        let (color, factor) = (&material.pbr.base_color, &material.pbr.base_factor);
        let factor = if factor.has_value { factor.value_vec4.x } else { 1.0 };
        let [r, g, b] = match color.has_value {
            true => [color.value_vec4.x, color.value_vec4.y, color.value_vec4.z].map(|c| (c * factor) as f32),
            false => [1.0; 3],
        };
        rig.materials.push(Material {
            name: readable(&material.element.name),
            base_color: [r, g, b, 1.0],
            base_color_image: texture(material).and_then(|texture| images.get(&place(texture)).copied()),
            // Editors of the format show both sides unless told otherwise.
            double_sided: true,
        });
    }
}

/// The picture of the base colour; of layers the lowest.
fn texture(material: &ufbx::Material) -> Option<&Texture> {
    let texture = material.pbr.base_color.texture.as_ref()?;
    texture.file_textures.first().map(|texture| &**texture)
}

fn place(texture: &Texture) -> usize {
    texture.element.typed_id as usize
}

/// A texture's file: inside the FBX, or beside it.
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
    // Paths lead to another computer's folders as often as not: a file of that name beside this one is meant then.
    let base = named.rsplit(['/', '\\']).next().unwrap_or(named);
    let load = |name: &str| files.load_name(name, |bytes| budget.bring(bytes));
    load(&relative).or_else(|_| load(base)).map(Bytes::Beside)
}
