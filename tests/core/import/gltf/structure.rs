//! Animated parts: nodes, skins, morph targets, meshes, materials.

use super::{clip, sampled};
use crate::import_support::{Doc, import_bytes, importer, small_rig};
use crate::project::corpus;
use glam::{Mat4, Quat, Vec3};
use posepress_core::import::{ImportOptions, Severity, UpAxis};
use posepress_core::math::Transform;
use posepress_core::model::{Alpha, ModelPose};
use serde_json::json;
use std::path::Path;

#[test]
fn matrices_are_split_and_animated_nodes_bring_their_ancestors() {
    let local = Transform {
        rotation: Quat::from_rotation_z(0.5),
        translation: Vec3::new(1.0, 2.0, 3.0),
        scale: Vec3::new(1.0, 2.0, 0.5),
    };
    let matrix = Mat4::from(local.to_affine()).to_cols_array();
    let mut doc = Doc::new(json!([
        { "name": "leaf" }, { "name": "idle", "children": [3] }, { "children": [4, 1], "matrix": matrix },
        { "name": "below idle" }, { "name": "mid", "children": [0] },
    ]));
    let turn = doc.animation("turn");
    doc.channel(turn, 0, "rotation", "LINEAR", &[0.0], &[0.0, 0.0, 0.0, 2.0]);
    let imported = doc.import().unwrap();
    let rig = &imported.rig.skeleton;
    let names: Vec<&str> = (0..rig.len()).map(|j| rig.name(j)).collect();
    assert_eq!(names, ["node_2", "mid", "leaf"]);
    assert_eq!((rig.parent(0), rig.parent(1), rig.parent(2)), (None, Some(0), Some(1)));
    let bind = rig.bind(0);
    assert!(bind.rotation.dot(local.rotation).abs() > 1.0 - 1e-6);
    assert!((bind.translation - local.translation).length() + (bind.scale - local.scale).length() < 1e-5);
    assert_eq!(imported.clips[0].at(0, 2).rotation, Quat::IDENTITY, "rotations come out with unit length");
    assert_eq!(imported.clips[0].at(0, 0), bind, "a joint without keys rests");
}

#[test]
fn without_a_skin_all_below_an_animated_node_are_joints_to_the_end_of_the_chain() {
    let nodes = json!([
        { "name": "hips", "children": [1] }, { "name": "foot", "children": [2] },
        { "name": "toe_end", "translation": [0.0, 0.0, 0.2] }, { "name": "floor" },
    ]);
    let read = |skins| {
        let mut doc = Doc::new(nodes.clone());
        let turn = doc.animation("turn");
        doc.channel(turn, 1, "rotation", "LINEAR", &[0.0], &[0.0, 0.0, 0.0, 1.0]);
        doc.json["skins"] = skins;
        let rig = doc.import().unwrap().rig.skeleton;
        (0..rig.len()).map(|joint| rig.name(joint).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(json!([])), ["hips", "foot", "toe_end"]);
    assert_eq!(read(json!([{ "joints": [0, 1] }])), ["hips", "foot"], "a skin says which are");
}

#[test]
fn a_rigid_mesh_follows_the_nearest_joint_from_where_it_stands() {
    let mut doc = small_rig();
    let position = doc.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    doc.json["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "primitives": [{ "attributes": { "POSITION": position } }] }));
    let nodes = doc.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "name": "sword", "mesh": 1, "scale": [-1.0, 1.0, 1.0] }));
    nodes.push(json!({ "name": "grip", "children": [3], "translation": [0.0, 0.0, 5.0] }));
    nodes.push(json!({ "name": "ground", "mesh": 1 }));
    nodes[1]["children"] = json!([4]);
    doc.json["scenes"] = json!([{ "nodes": [0, 5] }]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.meshes.len(), 2);
    let sword = imported.rig.meshes.iter().find(|m| m.palette.len() == 1).unwrap();
    assert_eq!((sword.name.as_str(), sword.palette.len(), sword.palette[0].joint), ("sword", 1, 1));
    let pose = ModelPose::new(&imported.rig.skeleton, &imported.rig.skeleton.bind_pose(1).joints);
    // Vertex 3 of the strip, (1, 1, 0), mirrored by the node, moved by the grip, lifted by the joint.
    assert_eq!(sword.skin_vertex(3, &pose.joints, &[]), Vec3::new(-1.0, 2.0, 5.0));
    assert_eq!(sword.triangles, [[0, 2, 1]], "mirrored, without indices, the fourth vertex alone is no triangle");
    assert!(imported.findings.iter().any(|f| f.subject == "ground" && f.what == "no joint carries this mesh"));
}

#[test]
fn skins_morphs_and_integer_weights_come_through() {
    let imported = small_rig().import().unwrap();
    let (rig, clip) = (&imported.rig, &imported.clips[0]);
    assert_eq!(rig.skeleton.len(), 2, "a skinned mesh's own node is no joint, even with animated weights");
    let mesh = &rig.meshes[0];
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(mesh.weights[0].map(|w| (w * 255.0).round()), [128.0, 127.0, 0.0, 0.0]);
    assert!(mesh.normals.iter().all(|n| *n == Vec3::Z), "{:?}", mesh.normals);
    assert_eq!(mesh.uvs.len() + mesh.colors.len(), 8);
    assert_eq!((rig.float_names.as_slice(), clip.float_tracks()), (["strip.smile".to_owned()].as_slice(), 1));
    assert_eq!((mesh.targets[0].name.as_str(), mesh.targets[0].float_track), ("smile", 0));
    assert!((sampled(clip, 0.5).floats[0] - 0.5).abs() < 1e-6);
    // At the bind pose the skin is at rest: inverse binds cancel the joints.
    let pose = ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(1).joints);
    assert_eq!(mesh.skin_vertex(3, &pose.joints, &[0.0]), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn two_nodes_of_one_mesh_have_weights_of_their_own_and_every_clip_has_all() {
    let mut doc = small_rig();
    let nodes = doc.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "name": "twin", "mesh": 0, "skin": 0, "weights": [0.75] }));
    nodes[0]["children"] = json!([1, 2, 3]);
    let twin = doc.animation("twin only");
    doc.channel(twin, 3, "weights", "CUBICSPLINE", &[0.0, 1.0], &[0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.float_names, ["skin.smile", "twin.smile"]);
    assert_eq!(imported.rig.meshes.iter().map(|m| m.targets[0].float_track).collect::<Vec<_>>(), [0, 1]);
    let (wave, twin) = (clip(&imported, "wave"), clip(&imported, "twin only"));
    assert_eq!(sampled(wave, 1.0).floats, [1.0, 0.75], "the node's own weight where the clip has none");
    let halfway = sampled(twin, 0.5).floats;
    assert_eq!(halfway[0], 0.25, "the mesh's weight where neither has one");
    assert!((halfway[1] - 0.5).abs() < 1e-3, "slope 1 at both ends is a straight line: {halfway:?}");
}

#[test]
fn sparse_and_normalized_accessors_are_read() {
    let mut doc = Doc::new(json!([{ "name": "a" }, { "name": "b" }]));
    let clip = doc.animation("clip");
    let times = doc.floats(&[0.0, 1.0], "SCALAR");
    let half = |x: f32| (x * 32767.0).round() as i16;
    let s = std::f32::consts::FRAC_1_SQRT_2;
    let numbers = [0, 0, 0, 32767, 0, half(s), 0, half(s)];
    let bytes: Vec<u8> = numbers.iter().flat_map(|n: &i16| n.to_le_bytes()).collect();
    let rotation = doc.accessor(&bytes, 5122, "VEC4", 2);
    doc.json["accessors"][rotation]["normalized"] = json!(true);
    doc.channel_of(clip, 0, "rotation", "LINEAR", times, rotation);
    // Zeros except for element 1, which is replaced.
    let (indices, values) = (doc.view(&[1]), doc.view(&[7.0f32, 8.0, 9.0].map(f32::to_le_bytes).concat()));
    doc.json["accessors"].as_array_mut().unwrap().push(json!({
        "componentType": 5126, "type": "VEC3", "count": 2,
        "sparse": {
            "count": 1, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values },
        },
    }));
    let sparse = doc.json["accessors"].as_array().unwrap().len() - 1;
    doc.channel_of(clip, 1, "translation", "LINEAR", times, sparse);
    let imported = doc.import().unwrap();
    let end = sampled(&imported.clips[0], 1.0).joints;
    assert!(end[0].rotation.dot(Quat::from_xyzw(0.0, s, 0.0, s)).abs() > 1.0 - 1e-7);
    assert_eq!(end[1].translation, Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(imported.clips[0].at(0, 1).translation, Vec3::ZERO);
}

#[test]
fn z_up_turns_roots_only_and_keeps_the_shape() {
    let doc = small_rig();
    let options = ImportOptions { up: Some(UpAxis::Z), ..ImportOptions::default() };
    let (y, z) = (doc.import().unwrap(), doc.import_with(&options).unwrap());
    let raise = |p: Vec3| Vec3::new(p.x, p.z, -p.y);
    for sample in 0..y.clips[0].samples() {
        let [a, b] = [&y, &z].map(|i| ModelPose::new(&i.rig.skeleton, i.clips[0].pose(sample)));
        for vertex in 0..4 {
            let [p, q] =
                [(&y, &a), (&z, &b)].map(|(i, pose)| i.rig.meshes[0].skin_vertex(vertex, &pose.joints, &[0.0]));
            assert!((raise(p) - q).length() < 1e-5, "{p} became {q}");
        }
    }
    assert_eq!(y.rig.skeleton.bind(1), z.rig.skeleton.bind(1));
    assert_ne!(y.rig.skeleton.bind(0), z.rig.skeleton.bind(0));
}

#[test]
fn glb_data_uri_and_file_beside_give_the_same() {
    let doc = small_rig();
    let expected = doc.import().unwrap();
    assert_eq!(import_bytes("gltf", &doc.gltf()).unwrap(), expected);

    let folder = tempfile::tempdir().unwrap();
    let mut json = doc.json.clone();
    json["buffers"][0]["uri"] = json!("my%20data.bin");
    std::fs::write(folder.path().join("my data.bin"), &doc.bin).unwrap();
    let path = folder.path().join("test.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let mut imported = posepress_core::import::import_file(&path, &ImportOptions::default()).unwrap();
    let beside = std::mem::take(&mut imported.beside);
    assert_eq!(beside, [dunce::canonicalize(folder.path().join("my data.bin")).unwrap()]);
    assert_eq!(imported, expected);
}

#[test]
fn files_beside_that_are_pointers_of_git_lfs_are_named_with_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
    for name in ["data.bin", "skin.png"] {
        std::fs::write(folder.path().join(name), pointer).unwrap();
    }
    let path = folder.path().join("test.gltf");
    let import = |json: &serde_json::Value| {
        std::fs::write(&path, json.to_string()).unwrap();
        posepress_core::import::import_file(&path, &ImportOptions::default())
    };
    let doc = small_rig();
    let mut beside = doc.json.clone();
    beside["buffers"][0]["uri"] = json!("data.bin");
    let error = import(&beside).unwrap_err().to_string();
    assert!(error.contains("data.bin") && error.contains("git lfs pull"), "{error}");
    // A damaged picture drops only the picture.
    let mut painted: serde_json::Value = serde_json::from_slice(&doc.gltf()).unwrap();
    painted["images"] = json!([{ "uri": "skin.png" }]);
    painted["textures"] = json!([{ "source": 0 }]);
    painted["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    painted["meshes"][0]["primitives"][0]["material"] = json!(0);
    let imported = import(&painted).unwrap();
    let said: Vec<String> = imported.findings.iter().map(|finding| format!("{finding:?}")).collect();
    assert!(said.iter().any(|said| said.contains("skin.png") && said.contains("git lfs pull")), "{said:?}");
    assert_eq!(imported.clips.len(), doc.import().unwrap().clips.len());
}

#[test]
fn more_than_four_influences_are_trimmed_and_reported() {
    let mut doc = small_rig();
    let joints = doc.accessor(&[0, 1, 1, 0].repeat(4), 5121, "VEC4", 4);
    let weights = doc.floats(&[0.4, 0.1, 0.1, 0.1].repeat(4), "VEC4");
    let attributes = &mut doc.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_1"] = json!(joints);
    attributes["WEIGHTS_1"] = json!(weights);
    let imported = doc.import().unwrap();
    let total: f32 = imported.rig.meshes[0].weights[0].iter().sum();
    assert!((total - 1.0).abs() < 1e-6);
    let finding = imported.findings.iter().find(|f| f.subject == "skin").unwrap();
    assert!(finding.what.contains("4 vertices have more than four influences"), "{finding:?}");
}

#[test]
fn strips_and_fans_become_triangles_and_lines_are_left_out() {
    let mode = |mode: u32| {
        let mut doc = small_rig();
        let primitive = &mut doc.json["meshes"][0]["primitives"][0];
        primitive["mode"] = json!(mode);
        primitive.as_object_mut().unwrap().remove("indices");
        doc.import().unwrap()
    };
    assert_eq!(mode(5).rig.meshes[0].triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mode(6).rig.meshes[0].triangles, [[1, 2, 0], [2, 3, 0]]);
    let lines = mode(1);
    assert!(lines.rig.meshes.is_empty());
    assert!(lines.findings.iter().any(|f| f.what.contains("points or lines")));
}

#[test]
fn vertex_colours_factors_and_textures_come_through() {
    let mut doc = small_rig();
    let red = [255, 0, 0, 51].repeat(4);
    let colors = doc.accessor(&red, 5121, "VEC4", 4);
    doc.json["accessors"][colors]["normalized"] = json!(true);
    doc.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(colors);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let mut png = Vec::new();
    let pixels = image::RgbaImage::from_pixel(2, 1, image::Rgba([1, 2, 3, 4]));
    pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let view = doc.view(&png);
    doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    doc.json["textures"] = json!([{ "source": 0 }]);
    doc.json["materials"] = json!([{
        "name": "skin", "doubleSided": true,
        "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.25, 1.0, 1.0], "baseColorTexture": { "index": 0 } },
    }]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.meshes[0].colors[0], [1.0, 0.0, 0.0, 0.2]);
    let material = &imported.rig.materials[imported.rig.meshes[0].material.unwrap()];
    assert_eq!((material.base_color, material.double_sided), ([0.5, 0.25, 1.0, 1.0], true));
    assert_eq!(imported.rig.images[material.base_color_image.unwrap()].rgba, [1, 2, 3, 4, 1, 2, 3, 4]);

    // A damaged texture drops the texture, not the rig.
    doc.bin[png.len() / 2 + doc.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize] ^= 0xff;
    let imported = doc.import().unwrap();
    assert!(imported.rig.images.is_empty() && imported.rig.materials[0].base_color_image.is_none());
    assert!(imported.findings.iter().any(|f| f.what.contains("the texture cannot be read")), "{:?}", imported.findings);
}

#[test]
fn alpha_normals_and_light_come_through_where_they_lie_as_the_colour_does() {
    let mut doc = small_rig();
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let mut png = |color: [u8; 4]| {
        let mut png = Vec::new();
        let pixels = image::RgbaImage::from_pixel(1, 1, image::Rgba(color));
        pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        doc.view(&png)
    };
    let views = [png([1, 2, 3, 255]), png([128, 128, 255, 255]), png([9, 8, 7, 255])];
    doc.json["images"] = views.map(|view| json!({ "bufferView": view, "mimeType": "image/png" })).into();
    doc.json["textures"] = json!([{ "source": 0 }, { "source": 1 }, { "source": 2 }]);
    let turned = json!({ "KHR_texture_transform": { "offset": [0.5, 0.0], "scale": [2.0, 1.0] } });
    doc.json["extensionsUsed"] = json!(["KHR_texture_transform"]);
    doc.json["materials"] = json!([{
        "alphaMode": "MASK", "alphaCutoff": 0.25, "emissiveFactor": [1.0, 0.5, 0.0],
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "extensions": turned } },
        "normalTexture": { "index": 1, "scale": 0.5, "extensions": turned },
        "emissiveTexture": { "index": 2, "extensions": turned },
    }]);
    let read = doc.import().unwrap();
    let [material] = &read.rig.materials[..] else { panic!("one material") };
    assert_eq!((material.alpha, material.emissive), (Alpha::Mask(0.25), [1.0, 0.5, 0.0]));
    let pixel = |image: usize| read.rig.images[image].rgba[..3].to_vec();
    assert_eq!(material.base_color_image.map(pixel), Some(vec![1, 2, 3]));
    assert_eq!(material.normal_image.map(|(image, scale)| (pixel(image), scale)), Some((vec![128, 128, 255], 0.5)));
    assert_eq!(material.emissive_image.map(pixel), Some(vec![9, 8, 7]));

    // Coordinates are stored once per vertex: a map with other coordinates is skipped with a finding.
    doc.json["materials"][0]["emissiveTexture"] = json!({ "index": 2 });
    doc.json["materials"][0]["alphaMode"] = json!("BLEND");
    let read = doc.import().unwrap();
    let material = &read.rig.materials[0];
    assert!(material.emissive_image.is_none() && material.normal_image.is_some() && material.alpha == Alpha::Blend);
    assert!(read.findings.iter().any(|f| f.what.contains("another mapping")), "{:?}", read.findings);
}

#[test]
fn what_extensions_leave_out_costs_only_that() {
    let mut doc = small_rig();
    doc.json["extensionsUsed"] = json!(["KHR_animation_pointer", "KHR_texture_basisu"]);
    let pointer = json!({ "sampler": 0, "target": { "path": "pointer" } });
    doc.json["animations"][0]["channels"].as_array_mut().unwrap().push(pointer);
    doc.json["textures"] = json!([{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }]);
    doc.json["materials"] =
        json!([{ "name": "cloth", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let imported = doc.import().unwrap();
    assert_eq!(imported.clips, small_rig().import().unwrap().clips);
    let warnings: Vec<&str> =
        imported.findings.iter().filter(|f| f.severity == Severity::Warning).map(|f| f.subject.as_str()).collect();
    assert_eq!(warnings, ["animations", "cloth"]);
}

#[test]
fn importing_twice_gives_the_same() {
    let Some(path) = corpus("kaykit/Knight.glb") else { return };
    let bytes = std::fs::read(path).unwrap();
    let read =
        || importer("glb").import(Path::new("Knight.glb"), (&bytes[..]).into(), &ImportOptions::default()).unwrap();
    assert_eq!(read(), read());
}
