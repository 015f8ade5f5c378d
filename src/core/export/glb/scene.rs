use super::animation::Stage;
use super::bin::Bin;
use crate::export::ExportError;
use crate::import::{FileSpace, WeightsNode};
use crate::model::{Alpha, Image, Material, Rig, SkinJoint, SkinnedMesh};
use gltf_json::accessor::ComponentType;
use gltf_json::buffer::Target;
use gltf_json::extras::RawValue;
use gltf_json::material::AlphaMode;
use gltf_json::mesh::{Mesh, Mode, MorphTarget, Primitive, Semantic};
use gltf_json::scene::{Node, Scene as JsonScene, UnitQuaternion};
use gltf_json::skin::Skin;
use gltf_json::validation::Checked::Valid;
use gltf_json::{Index, material, texture};
use image::ImageEncoder;
use std::collections::BTreeMap;

/// Writes all of a rig except its motion.
pub fn write(bin: &mut Bin, rig: &Rig) -> Result<Stage, ExportError> {
    write_images(bin, &rig.images)?;
    rig.materials.iter().for_each(|m| write_material(bin, m));
    let joints = write_joints(bin, rig);
    let skins = write_skins(bin, rig, &joints);
    let loose = has_loose_joints(rig);
    if loose {
        write_joint_list(bin, &joints);
    }
    let meshes: Vec<_> = rig.meshes.iter().zip(skins).map(|(mesh, skin)| write_mesh(bin, mesh, skin)).collect();
    let mut nodes = scene_roots(bin, rig, &joints, loose);
    nodes.extend(&meshes);
    let name = Some(rig.name.clone());
    let scene = bin.root.push(JsonScene { extensions: None, extras: None, name, nodes });
    bin.root.scene = Some(scene);
    Ok(stage(rig))
}

/// The nodes of a new file: the joints, then the meshes.
pub fn stage(rig: &Rig) -> Stage {
    let joints = rig.skeleton.len();
    let weights = rig.meshes.iter().enumerate().filter(|(_, mesh)| !mesh.targets.is_empty());
    let weights = weights.map(|(index, mesh)| WeightsNode {
        node: joints + index,
        tracks: mesh.targets.iter().map(|target| target.float_track).collect(),
        rest: vec![0.0; mesh.targets.len()],
    });
    Stage { joints: (0..joints).collect(), weights: weights.collect(), space: FileSpace::OURS }
}

fn write_joints(bin: &mut Bin, rig: &Rig) -> Vec<Index<Node>> {
    let skeleton = &rig.skeleton;
    let index = |joint: usize| Index::new(joint as u32);
    for (joint, j) in skeleton.joints().iter().enumerate() {
        let children: Vec<_> = skeleton.children(joint).iter().map(|&c| index(c)).collect();
        bin.root.nodes.push(Node {
            children: (!children.is_empty()).then_some(children),
            name: Some(j.name.clone()),
            rotation: (j.bind.rotation != glam::Quat::IDENTITY).then(|| UnitQuaternion(j.bind.rotation.to_array())),
            translation: (j.bind.translation != glam::Vec3::ZERO).then(|| j.bind.translation.to_array()),
            scale: (j.bind.scale != glam::Vec3::ONE).then(|| j.bind.scale.to_array()),
            ..Node::default()
        });
    }
    (0..skeleton.len()).map(index).collect()
}

/// True if a joint moves no mesh. Without an animation, a reader could not see that it is a joint.
fn has_loose_joints(rig: &Rig) -> bool {
    let mut bound = vec![false; rig.skeleton.len()];
    for skin in rig.meshes.iter().flat_map(|m| &m.palette) {
        bound[skin.joint] = true;
    }
    bound.contains(&false)
}

/// Writes a skin without a mesh that lists every joint.
fn write_joint_list(bin: &mut Bin, joints: &[Index<Node>]) {
    let name = Some("all joints".to_owned());
    let joints = joints.to_vec();
    bin.root.push(Skin { inverse_bind_matrices: None, joints, skeleton: None, name, extensions: None, extras: None });
}

/// The roots of the skeleton. They get a common parent if a skin spans several, since its joints must have a common ancestor. `all` means
/// that one skin spans all roots.
fn scene_roots(bin: &mut Bin, rig: &Rig, joints: &[Index<Node>], all: bool) -> Vec<Index<Node>> {
    let root_of = |joint: usize| rig.skeleton.ancestors(joint).last().unwrap_or(joint);
    let spans = |palette: &[SkinJoint]| palette.windows(2).any(|w| root_of(w[0].joint) != root_of(w[1].joint));
    let roots: Vec<_> =
        (0..rig.skeleton.len()).filter(|&j| rig.skeleton.parent(j).is_none()).map(|j| joints[j]).collect();
    if !(all && roots.len() > 1 || rig.meshes.iter().any(|m| spans(&m.palette))) {
        return roots;
    }
    let name = Some(format!("{} roots", rig.name));
    vec![bin.root.push(Node { children: Some(roots), name, ..Node::default() })]
}

/// Writes one skin per mesh. Meshes with the same palette share one.
fn write_skins(bin: &mut Bin, rig: &Rig, joints: &[Index<Node>]) -> Vec<Option<Index<Skin>>> {
    let mut skins: Vec<Option<Index<Skin>>> = Vec::with_capacity(rig.meshes.len());
    for (index, mesh) in rig.meshes.iter().enumerate() {
        let shared = rig.meshes[..index].iter().position(|m| m.palette == mesh.palette);
        let skin = match shared {
            Some(other) => skins[other],
            None if mesh.palette.is_empty() => None,
            None => Some(write_skin(bin, &mesh.palette, joints)),
        };
        skins.push(skin);
    }
    skins
}

fn write_skin(bin: &mut Bin, palette: &[SkinJoint], joints: &[Index<Node>]) -> Index<Skin> {
    let matrices: Vec<_> = palette.iter().map(|s| glam::Mat4::from(s.joint_from_mesh).to_cols_array()).collect();
    let chunk = bin.begin(None);
    let inverse_bind_matrices = Some(bin.floats(&chunk, &matrices, false));
    let joints = palette.iter().map(|s| joints[s.joint]).collect();
    bin.root.push(Skin { inverse_bind_matrices, joints, skeleton: None, name: None, extensions: None, extras: None })
}

fn write_mesh(bin: &mut Bin, mesh: &SkinnedMesh, skin: Option<Index<Skin>>) -> Index<Node> {
    let primitive = Primitive {
        attributes: write_attributes(bin, mesh),
        indices: Some(write_triangles(bin, mesh)),
        material: mesh.material.map(|m| Index::new(m as u32)),
        mode: Valid(Mode::Triangles),
        targets: (!mesh.targets.is_empty()).then(|| write_targets(bin, mesh)),
        extensions: None,
        extras: None,
    };
    let names: Vec<_> = mesh.targets.iter().map(|t| t.name.as_str()).collect();
    // Viewers read the names of morph targets from here. The specification has no member for them.
    let extras = RawValue::from_string(serde_json::json!({ "targetNames": names }).to_string()).ok();
    let json = Mesh {
        name: Some(mesh.name.clone()),
        primitives: vec![primitive],
        weights: (!names.is_empty()).then(|| vec![0.0; names.len()]),
        extensions: None,
        extras: extras.filter(|_| !names.is_empty()),
    };
    let index = bin.root.push(json);
    bin.root.push(Node { mesh: Some(index), skin, name: Some(mesh.name.clone()), ..Node::default() })
}

type Attributes = BTreeMap<gltf_json::validation::Checked<Semantic>, Index<gltf_json::Accessor>>;

fn write_attributes(bin: &mut Bin, mesh: &SkinnedMesh) -> Attributes {
    let vertices = Some(Target::ArrayBuffer);
    let mut out = Attributes::new();
    let positions: Vec<_> = mesh.positions.iter().map(|p| p.to_array()).collect();
    let chunk = bin.begin(vertices);
    out.insert(Valid(Semantic::Positions), bin.floats(&chunk, &positions, true));
    if !mesh.normals.is_empty() {
        let normals: Vec<_> = mesh.normals.iter().map(|n| n.to_array()).collect();
        let chunk = bin.begin(vertices);
        out.insert(Valid(Semantic::Normals), bin.floats(&chunk, &normals, false));
    }
    if mesh.uvs.iter().any(|uv| *uv != glam::Vec2::ZERO) {
        let uvs: Vec<_> = mesh.uvs.iter().map(|uv| uv.to_array()).collect();
        let chunk = bin.begin(vertices);
        out.insert(Valid(Semantic::TexCoords(0)), bin.floats(&chunk, &uvs, false));
    }
    if mesh.colors.iter().any(|c| *c != [1.0; 4]) {
        let chunk = bin.begin(vertices);
        out.insert(Valid(Semantic::Colors(0)), bin.floats(&chunk, &mesh.colors, false));
    }
    if !mesh.palette.is_empty() {
        let (joints, weights): (Vec<_>, Vec<_>) =
            mesh.influences.iter().zip(&mesh.weights).map(|(j, w)| clean_influences(*j, *w)).unzip();
        let component = if mesh.palette.len() <= 256 { ComponentType::U8 } else { ComponentType::U16 };
        let chunk = bin.begin(vertices);
        out.insert(Valid(Semantic::Joints(0)), bin.integers(&chunk, &joints, component));
        let chunk = bin.begin(vertices);
        out.insert(Valid(Semantic::Weights(0)), bin.floats(&chunk, &weights, false));
    }
    out
}

/// Influences as the specification requires: no joint twice, joint 0 if the weight is zero, a sum of one.
fn clean_influences(joints: [u16; 4], mut weights: [f32; 4]) -> ([u32; 4], [f32; 4]) {
    for i in 1..4 {
        if let Some(same) = (0..i).find(|&k| joints[k] == joints[i] && weights[k] > 0.0) {
            weights[same] += std::mem::take(&mut weights[i]);
        }
    }
    let sum: f32 = weights.iter().sum();
    if sum > 0.0 && (sum - 1.0).abs() > f32::EPSILON {
        weights = weights.map(|w| w / sum);
    }
    let joints = std::array::from_fn(|i| if weights[i] > 0.0 { u32::from(joints[i]) } else { 0 });
    (joints, weights)
}

fn write_triangles(bin: &mut Bin, mesh: &SkinnedMesh) -> Index<gltf_json::Accessor> {
    // Index 65535 is the primitive restart.
    let component = if mesh.positions.len() <= usize::from(u16::MAX) { ComponentType::U16 } else { ComponentType::U32 };
    let indices: Vec<_> = mesh.triangles.as_flattened().iter().map(|&i| [i]).collect();
    let chunk = bin.begin(Some(Target::ElementArrayBuffer));
    bin.integers(&chunk, &indices, component)
}

fn write_targets(bin: &mut Bin, mesh: &SkinnedMesh) -> Vec<MorphTarget> {
    let mut write = |offsets: &[glam::Vec3], bounds| {
        let offsets: Vec<_> = offsets.iter().map(|o| o.to_array()).collect();
        let chunk = bin.begin(Some(Target::ArrayBuffer));
        bin.floats(&chunk, &offsets, bounds)
    };
    mesh.targets
        .iter()
        .map(|target| MorphTarget {
            positions: Some(write(&target.positions, true)),
            normals: (!target.normals.is_empty()).then(|| write(&target.normals, false)),
            tangents: None,
        })
        .collect()
}

fn write_material(bin: &mut Bin, from: &Material) {
    // There is one texture per image, in order.
    let index = |image: usize| Index::new(image as u32);
    let info = |image: usize| texture::Info { index: index(image), tex_coord: 0, extensions: None, extras: None };
    let normals = |(image, scale): (usize, f32)| material::NormalTexture {
        index: index(image),
        scale,
        tex_coord: 0,
        extensions: None,
        extras: None,
    };
    let (alpha_mode, alpha_cutoff) = match from.alpha {
        Alpha::Opaque => (AlphaMode::Opaque, None),
        Alpha::Mask(cutoff) => (AlphaMode::Mask, Some(material::AlphaCutoff(cutoff))),
        Alpha::Blend => (AlphaMode::Blend, None),
    };
    bin.root.materials.push(material::Material {
        name: Some(from.name.clone()),
        double_sided: from.double_sided,
        alpha_mode: Valid(alpha_mode),
        alpha_cutoff,
        normal_texture: from.normal_image.map(normals),
        emissive_factor: material::EmissiveFactor(from.emissive),
        emissive_texture: from.emissive_image.map(info),
        pbr_metallic_roughness: material::PbrMetallicRoughness {
            base_color_factor: material::PbrBaseColorFactor(from.base_color),
            base_color_texture: from.base_color_image.map(info),
            metallic_factor: material::StrengthFactor(0.0),
            roughness_factor: material::StrengthFactor(0.9),
            ..Default::default()
        },
        ..Default::default()
    });
}

fn write_images(bin: &mut Bin, images: &[Image]) -> Result<(), ExportError> {
    for (index, image) in images.iter().enumerate() {
        let mut png = Vec::new();
        image::codecs::png::PngEncoder::new(&mut png)
            .write_image(&image.rgba, image.width, image.height, image::ExtendedColorType::Rgba8)
            .map_err(|e| ExportError::Unsupported(format!("image {index} cannot be stored as PNG: {e}")))?;
        let source = gltf_json::Image {
            buffer_view: Some(bin.blob(&png)),
            mime_type: Some(gltf_json::image::MimeType("image/png".into())),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        };
        let source = bin.root.push(source);
        bin.root.textures.push(gltf_json::Texture {
            source,
            name: None,
            sampler: None,
            extensions: None,
            extras: None,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn influences_are_merged_zeroed_and_normalised() {
        let (joints, weights) = clean_influences([5, 7, 5, 9], [0.25, 0.25, 0.5, 0.0]);
        assert_eq!((joints, weights), ([5, 7, 0, 0], [0.75, 0.25, 0.0, 0.0]));
        let (_, weights) = clean_influences([0, 1, 2, 3], [1.0, 1.0, 2.0, 0.0]);
        assert_eq!(weights, [0.25, 0.25, 0.5, 0.0]);
    }
}
