//! Exports back into the glTF of their source: only its animations change.

use crate::project::{corpus, sample};
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::export::{ExportClip, ExportInto, ExportOptions, ExportPacking, ExportTarget, Exporter, Glb};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Origin, UpAxis, import_bytes, import_file};
use posepress_core::metrics::{float_limits, shell_error_m};
use posepress_core::model::{Clip, ModelPose, Rig, SourceDigest};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::Recipe;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source file with its import.
struct Source {
    imported: Imported,
    target: ExportTarget,
}

impl Source {
    fn read(path: &Path, options: ImportOptions) -> Self {
        let digest = SourceDigest::of(&std::fs::read(path).unwrap());
        let origin = Some(Origin { path: path.into(), digest, options });
        let imported = import_file(path, &options).unwrap();
        Self { imported, target: ExportTarget { origin, ..Default::default() } }
    }

    fn options(&self) -> ImportOptions {
        self.target.origin.as_ref().unwrap().options
    }

    fn write(&self, mut clips: Vec<ExportClip<'_>>) -> Vec<u8> {
        Glb.export(&self.imported.rig, &mut clips, &self.target).unwrap()
    }

    fn raw(&self, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
        self.write(self.imported.clips.iter().filter(|clip| wanted(clip.name())).map(ExportClip::raw).collect())
    }

    /// Reads an export with the options of the source.
    fn back(&self, bytes: &[u8]) -> Imported {
        let mut back = import_bytes(Path::new("back.glb"), bytes, &self.options()).unwrap();
        back.rig.name.clone_from(&self.imported.rig.name);
        back
    }
}

/// Every glTF file of the corpus, with its length unit.
fn sources() -> Vec<Source> {
    let corpus =
        ["kaykit/Knight.glb", "fox/Fox.glb", "cesium_man/cesium_man.gltf", "cesium_man/interpolation_test.gltf"];
    let files: Vec<PathBuf> = corpus.into_iter().filter_map(corpus_file).chain([sample()]).collect();
    let unit = |file: &Path| file.ends_with("Fox.glb").then_some(LengthUnit::Centimetre);
    files.iter().map(|file| Source::read(file, ImportOptions { unit: unit(file), ..Default::default() })).collect()
}

fn corpus_file(path: &str) -> Option<PathBuf> {
    corpus(path)
}

/// A document and its buffers.
struct Document {
    json: Value,
    buffers: Vec<Vec<u8>>,
}

impl Document {
    fn of_file(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        if bytes.starts_with(b"glTF") {
            return Self::of_glb(&bytes);
        }
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let load = |buffer: &Value| uri_bytes(path, buffer["uri"].as_str().unwrap()).unwrap();
        let buffers = json["buffers"].as_array().unwrap().iter().map(load).collect();
        Self { json, buffers }
    }

    fn of_glb(bytes: &[u8]) -> Self {
        let glb = gltf::binary::Glb::from_slice(bytes).unwrap();
        Self { json: serde_json::from_slice(&glb.json).unwrap(), buffers: vec![glb.bin.unwrap().into_owned()] }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn view(&self, index: &Value) -> &[u8] {
        let view = &self.json["bufferViews"][index.as_u64().unwrap() as usize];
        let at = |key: &str| view[key].as_u64().unwrap_or(0) as usize;
        &self.buffers[at("buffer")][at("byteOffset")..][..at("byteLength")]
    }

    /// Accessors that animations use.
    fn animated(&self) -> Vec<usize> {
        let samplers = self.list("animations").iter().flat_map(|a| a["samplers"].as_array().unwrap());
        samplers.flat_map(|s| ["input", "output"].map(|key| s[key].as_u64().unwrap() as usize)).collect()
    }
}

/// The bytes of a data URI or of a file next to the document, if it exists.
fn uri_bytes(path: &Path, uri: &str) -> Option<Vec<u8>> {
    match uri.starts_with("data:") {
        true => BASE64_STANDARD.decode(uri.split_once(";base64,")?.1).ok(),
        false => std::fs::read(path.with_file_name(uri)).ok(),
    }
}

/// Checks that everything except animations is unchanged: sections of the document, and the bytes of every accessor and image.
fn check_kept(path: &Path, written: &Document) {
    let source = Document::of_file(path);
    let moved = ["accessors", "animations", "bufferViews", "buffers", "images"];
    for (key, section) in source.json.as_object().unwrap() {
        assert!(moved.contains(&key.as_str()) || written.json[key] == *section, "{}: {key}", path.display());
    }
    assert_eq!(written.list("buffers").len(), 1);
    let animated = source.animated();
    for (index, accessor) in source.list("accessors").iter().enumerate().filter(|(index, _)| !animated.contains(index))
    {
        assert_eq!(written.json["accessors"][index], *accessor, "{}: accessor {index}", path.display());
        let views = [
            &accessor["bufferView"],
            &accessor["sparse"]["indices"]["bufferView"],
            &accessor["sparse"]["values"]["bufferView"],
        ];
        for view in views.into_iter().filter(|view| !view.is_null()) {
            assert!(written.view(view) == source.view(view), "{}: accessor {index}", path.display());
        }
    }
    for (was, is) in source.list("images").iter().zip(written.list("images")) {
        let bytes = match was["uri"].as_str() {
            Some(uri) => uri_bytes(path, uri),
            None => Some(source.view(&was["bufferView"]).to_vec()),
        };
        match bytes {
            Some(bytes) => {
                assert!(written.view(&is["bufferView"]) == bytes && is["uri"].is_null(), "{}: image", path.display())
            }
            None => assert_eq!(is, was, "a file that is missing stays named"),
        }
        assert_eq!(was["name"], is["name"]);
    }
}

/// Largest shell error at the samples of a clip that is read back, at the times of the source. Weights may differ by the
/// tolerance of their codec plus a thousandth.
fn error_m(rig: &Rig, clip: &Clip, back: &Clip, tolerance_m: f32) -> f32 {
    let shells_m = vec![Recipe::default().shell_m; rig.skeleton.len()];
    let limits = float_limits(rig, clip, tolerance_m, 0.0);
    let mut worst_m = 0.0f32;
    let [mut a, mut b] = [(); 2].map(|()| rig.skeleton.bind_pose(clip.float_tracks()));
    for place in clip.grid().steps(1) {
        clip.sample(place, &mut a);
        back.sample(back.grid().sample_at(clip.grid().time_secs(place)), &mut b);
        let [of_clip, of_back] = [&a, &b].map(|pose| ModelPose::new(&rig.skeleton, &pose.joints));
        let joints = of_clip.joints.iter().zip(&of_back.joints).zip(&shells_m);
        worst_m = joints.map(|((a, b), shell_m)| shell_error_m(a, b, *shell_m)).fold(worst_m, f32::max);
        let mut floats = a.floats.iter().zip(&b.floats).zip(&limits);
        assert!(floats.all(|((a, b), limit)| (a - b).abs() < 1e-3 + limit), "{} at {place}", clip.name());
    }
    worst_m
}

#[test]
fn packed_keys_are_the_same_keys_in_fewer_bytes() {
    for mut source in sources() {
        for into in [ExportInto::Source, ExportInto::New] {
            let mut write = |packing| {
                source.target.options = ExportOptions { into, packing, ..Default::default() };
                source.raw(|_| true)
            };
            let plain = write(ExportPacking::None);
            let packed = [ExportPacking::Ext, ExportPacking::Khr].map(&mut write);
            let path = &source.target.origin.as_ref().unwrap().path;
            let plain_back = source.back(&plain);
            let plain_file = Document::of_glb(&plain);
            eprintln!("{} {into:?}: {} {:?}", path.display(), plain.len(), packed.each_ref().map(Vec::len));
            for (bytes, name) in packed.iter().zip(["EXT_meshopt_compression", "KHR_meshopt_compression"]) {
                let file = Document::of_glb(bytes);
                let back = source.back(bytes);
                assert!(back.rig == plain_back.rig && back.clips == plain_back.clips, "{}", path.display());
                let says = |key: &str| file.list(key).iter().any(|listed| listed == name);
                if bytes.len() == plain.len() {
                    assert!(!says("extensionsUsed") && *bytes == plain, "packing does not pay");
                    continue;
                }
                assert!(bytes.len() < plain.len(), "{}: {} of {}", path.display(), bytes.len(), plain.len());
                assert!(says("extensionsUsed") && says("extensionsRequired"));
                assert_eq!(file.list("animations"), plain_file.list("animations"));
                let stand_in = &file.list("buffers")[file.list("buffers").len() - 1];
                assert_eq!((&stand_in["extensions"][name]["fallback"], &stand_in["uri"]), (&json!(true), &Value::Null));
                let animated = plain_file.animated();
                for (index, accessor) in plain_file.list("accessors").iter().enumerate() {
                    // The contents of an empty place are used by nothing.
                    let is_filler = accessor["componentType"] == 5121 && accessor["count"] == 1;
                    if !animated.contains(&index) && !is_filler && !accessor["bufferView"].is_null() {
                        let view = &file.json["accessors"][index]["bufferView"];
                        assert!(file.view(view) == plain_file.view(&accessor["bufferView"]), "accessor {index}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_source_keeps_all_but_its_animations_and_plays_as_before() {
    for source in sources() {
        let path = &source.target.origin.as_ref().unwrap().path;
        let bytes = source.raw(|_| true);
        check_kept(path, &Document::of_glb(&bytes));
        let back = source.back(&bytes);
        assert!(back.rig == source.imported.rig, "{}: the rig is another", path.display());
        assert_eq!(back.clips.len(), source.imported.clips.len());
        for (clip, back) in source.imported.clips.iter().zip(&back.clips) {
            assert_eq!((clip.name(), clip.grid()), (back.name(), back.grid()), "{}", path.display());
            let error_m = error_m(&source.imported.rig, clip, back, 0.0);
            assert!(error_m <= 1.001e-5, "{}: {} is {error_m} m off", path.display(), clip.name());
        }
    }
}

#[test]
fn what_is_read_from_the_file_is_within_the_recipes_tolerance() {
    for source in sources() {
        let rig = Arc::new(source.imported.rig.clone());
        for codec in ["linear-keys", "catmull-rom", "press"] {
            let recipe = Recipe { tolerance_m: 2e-4, ..Recipe::chosen(codec).unwrap() };
            let clips = &source.imported.clips;
            let measured =
                clips.iter().take(3).map(|clip| MeasuredClip::new(rig.clone(), Arc::new(clip.clone()), &recipe));
            let outcomes: Vec<_> =
                measured.map(|measured| compress(&measured, &recipe, &Default::default()).unwrap()).collect();
            let compressed = clips.iter().zip(&outcomes).map(|(clip, outcome)| ExportClip {
                tolerance_m: recipe.tolerance_m,
                ..ExportClip::decoded(clip, outcome.sampler())
            });
            // The other clips are exported so that the file has the same joints.
            let back =
                source.back(&source.write(compressed.chain(clips.iter().skip(3).map(ExportClip::raw)).collect()));
            for ((clip, outcome), back) in clips.iter().zip(&outcomes).zip(&back.clips) {
                assert_eq!(clip.grid(), back.grid(), "{codec}, {}", clip.name());
                let error_m = error_m(&rig, clip, back, recipe.tolerance_m);
                let allowed_m = recipe.tolerance_m.max(outcome.report.samples.worst.error_m);
                assert!(error_m <= 1.001 * allowed_m, "{codec}, {}: {error_m} m", clip.name());
            }
        }
    }
}

#[test]
fn one_clip_of_many_leaves_the_others_and_their_bytes_out() {
    for source in sources().iter().filter(|source| source.imported.clips.len() > 1) {
        let path = &source.target.origin.as_ref().unwrap().path;
        let one = source.imported.clips[1].name();
        let bytes = source.raw(|name| name == one);
        let written = Document::of_glb(&bytes);
        check_kept(path, &written);
        assert_eq!(written.list("animations").len(), 1);
        assert_eq!(written.json["animations"][0]["name"], one);
        let before = Document::of_file(path);
        let size = |document: &Document, keep: fn(bool) -> bool| -> usize {
            let animated = document.animated();
            let views: std::collections::BTreeSet<_> =
                animated.iter().map(|&a| document.json["accessors"][a]["bufferView"].as_u64().unwrap()).collect();
            let all = document
                .list("bufferViews")
                .iter()
                .enumerate()
                .filter(|(index, _)| keep(views.contains(&(*index as u64))));
            all.map(|(_, view)| view["byteLength"].as_u64().unwrap() as usize).sum()
        };
        let (still, ours) = (size(&before, |is_animated| !is_animated), size(&written, |is_animated| is_animated));
        let slack = 16 * (1 + before.list("images").len()) + 8 * before.list("bufferViews").len().min(100);
        let images: usize = source_images(path, &before);
        assert!(written.buffers[0].len() <= still + ours + images + slack, "{}", path.display());
    }
}

/// Bytes of images that are in no buffer.
fn source_images(path: &Path, document: &Document) -> usize {
    document.list("images").iter().filter_map(|image| Some(uri_bytes(path, image["uri"].as_str()?)?.len())).sum()
}

/// A small document with everything that must stay: two animations, an extension that uses accessors, and external files. One animation
/// also has channels for a camera's angle and for the weights of a hidden mesh.
fn tricky(folder: &Path) -> PathBuf {
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let times = floats(&[0.0, 0.5, 1.0]);
    let moves = floats(&[0.0, 0.0, 0.0, 10.0, 20.0, 30.0, 40.0, 0.0, 0.0]);
    let angles = floats(&[0.5, 0.6, 0.7]);
    std::fs::write(folder.join("a.bin"), [times, moves, angles].concat()).unwrap();
    std::fs::write(folder.join("b.bin"), floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])).unwrap();
    std::fs::write(folder.join("skin.png"), png()).unwrap();
    let sampler = |output: u32| json!({ "input": 0, "output": output, "extras": { "by": "hand" } });
    let document = json!({
        "asset": { "version": "2.0", "extras": { "digits": 0.1 } },
        "scene": 0,
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "hips", "children": [1], "extras": { "ik": [1, 2] } },
            { "name": "tip", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 50, 0, 1], "mesh": 0 },
            { "name": "eye", "camera": 0 },
            { "name": "hidden", "mesh": 1 },
        ],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.5, "znear": 0.1 } }],
        "meshes": [
            { "primitives": [{ "attributes": { "POSITION": 2 }, "material": 0 }] },
            { "primitives": [{ "attributes": { "POSITION": 2 }, "targets": [{ "POSITION": 2 }] }] },
        ],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "metallicFactor": 0.25 } }],
        "textures": [{ "source": 0, "sampler": 0 }],
        "samplers": [{ "wrapS": 33071 }],
        "images": [{ "uri": "skin.png", "name": "skin" }],
        "extensionsUsed": ["EXT_unknown", "KHR_animation_pointer"],
        "extensions": { "EXT_unknown": { "curves": [{ "accessor": 4 }] } },
        "animations": [
            { "name": "rest", "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }], "samplers": [sampler(3)] },
            {
                "name": "walk",
                "extras": { "loop": true },
                "channels": [
                    { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                    { "sampler": 1, "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/cameras/0/perspective/yfov" } } } },
                    { "sampler": 1, "target": { "node": 3, "path": "weights" } },
                ],
                "samplers": [sampler(1), sampler(5)],
            },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0.0], "max": [1.0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3", "name": "shared view" },
            { "bufferView": 2, "componentType": 5126, "count": 3, "type": "SCALAR", "name": "of the extension" },
            { "bufferView": 2, "componentType": 5126, "count": 3, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 12, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 12 },
            { "buffer": 1, "byteLength": 36, "target": 34962 },
        ],
        "buffers": [{ "uri": "a.bin", "byteLength": 60, "name": "keys" }, { "uri": "b.bin", "byteLength": 36 }],
    });
    let path = folder.join("tricky.gltf");
    std::fs::write(&path, serde_json::to_string_pretty(&document).unwrap()).unwrap();
    path
}

fn png() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(2, 2, image::Rgb([200, 10, 30])).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

#[test]
fn unknown_extensions_pointers_hidden_meshes_and_files_beside_come_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = tricky(folder.path());
    let source = Source::read(&path, ImportOptions::default());
    let written = Document::of_glb(&source.raw(|name| name == "walk"));
    check_kept(&path, &written);
    let walk = &written.json["animations"][0];
    assert_eq!(
        (written.list("animations").len(), &walk["name"], &walk["extras"]["loop"]),
        (1, &json!("walk"), &json!(true))
    );
    let channels = walk["channels"].as_array().unwrap();
    let pointer = channels.iter().find(|c| c["target"]["path"] == "pointer").expect("the camera still zooms");
    let sampler = |channel: &Value| walk["samplers"][channel["sampler"].as_u64().unwrap() as usize].clone();
    assert_eq!(sampler(pointer), json!({ "input": 0, "output": 5, "extras": { "by": "hand" } }));
    let hidden = channels.iter().find(|c| c["target"]["path"] == "weights").expect("as does what is not shown");
    assert_eq!(sampler(hidden)["output"], 5);
    let hips = channels.iter().find(|c| c["target"]["node"] == 0).unwrap();
    assert!(sampler(hips)["output"].as_u64() != Some(1) || sampler(hips)["extras"].is_null(), "those are our keys");
    assert_eq!(written.json["buffers"][0]["name"], "keys");
}

#[test]
fn a_node_with_a_matrix_is_animated_by_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::read(&tricky(folder.path()), ImportOptions::default());
    let still = Document::of_glb(&source.raw(|name| name == "walk"));
    assert!(still.json["nodes"][1]["matrix"].is_array(), "which is left alone while nothing moves it");
    let moved = Document::of_glb(&source.raw(|name| name == "rest"));
    let node = &moved.json["nodes"][1];
    assert!(node["matrix"].is_null(), "{node}");
    assert_eq!(node["translation"], json!([0.0, 50.0, 0.0]));
}

#[test]
fn clips_go_back_into_the_files_own_unit_axis_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), up: Some(UpAxis::Z), ..Default::default() };
    let source = Source::read(&tricky(folder.path()), options);
    let bytes = source.raw(|_| true);
    let written = import_bytes(Path::new("back.glb"), &bytes, &ImportOptions::default()).unwrap();
    let before = import_file(&folder.path().join("tricky.gltf"), &ImportOptions::default()).unwrap();
    for (before, written) in before.clips.iter().zip(&written.clips) {
        let error_m = error_m(&source.imported.rig, before, written, 0.0);
        assert!(error_m <= 2e-3, "a thousandth of a centimetre read as a metre: {error_m}");
    }
    assert!(source.imported.clips[1].at(12, 0).translation.distance(glam::Vec3::new(0.1, 0.3, -0.2)) < 1e-3);
}

#[test]
fn keys_that_start_late_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = tricky(folder.path());
    // Ten keys at 24 Hz, starting at 1/30 s.
    let times: Vec<f32> = (0..10).map(|k| k as f32 / 24.0 + 1.0 / 30.0).collect();
    let values = (0..10).flat_map(|k| [(k * k) as f32, 0.0, 0.0]);
    let bytes: Vec<u8> = times.iter().copied().chain(values).flat_map(f32::to_le_bytes).collect();
    std::fs::write(folder.path().join("a.bin"), &bytes).unwrap();
    let mut json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    json["buffers"][0]["byteLength"] = bytes.len().into();
    json["bufferViews"][0] = json!({ "buffer": 0, "byteLength": 40 });
    json["bufferViews"][1] = json!({ "buffer": 0, "byteOffset": 40, "byteLength": 120 });
    for (accessor, count) in [(0, 10), (1, 10), (3, 10)] {
        json["accessors"][accessor]["count"] = count.into();
    }
    json["animations"].as_array_mut().unwrap()[1]["channels"].as_array_mut().unwrap().truncate(1);
    std::fs::write(&path, json.to_string()).unwrap();
    let source = Source::read(&path, ImportOptions::default());
    assert_eq!(source.imported.clips[1].samples(), 10);
    let bytes = source.raw(|name| name == "walk");
    let read = gltf::Gltf::from_slice(&bytes).unwrap();
    let animation = read.animations().next().unwrap();
    let reader = animation.channels().next().unwrap();
    let reader = reader.reader(|_| read.blob.as_deref());
    let written: Vec<f32> = reader.read_inputs().unwrap().collect();
    assert!(written.iter().zip(&times).all(|(a, b)| (a - b).abs() < 1e-6), "{written:?}");
    assert_eq!(source.back(&bytes).clips[0].grid(), source.imported.clips[1].grid());
}

#[test]
fn a_source_that_changed_or_went_away_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = tricky(folder.path());
    let source = Source::read(&path, ImportOptions::default());
    let rig = &source.imported.rig;
    let write = |target: &ExportTarget| Glb.export(rig, &mut [ExportClip::raw(&source.imported.clips[0])], target);
    let new = ExportOptions { into: ExportInto::New, ..Default::default() };
    let new = ExportTarget { options: new, ..source.target.clone() };
    std::fs::write(&path, [std::fs::read(&path).unwrap(), b" ".to_vec()].concat()).unwrap();
    let changed = write(&source.target).unwrap_err().to_string();
    assert!(
        changed.contains("tricky.gltf") && changed.contains("changed") && changed.contains("new file"),
        "{changed}"
    );
    std::fs::remove_file(&path).unwrap();
    let gone = write(&source.target).unwrap_err().to_string();
    assert!(gone.contains("tricky.gltf") && gone.contains("new file"), "{gone}");
    assert!(write(&new).unwrap().starts_with(b"glTF"), "a new file needs no source");
}

#[test]
fn clips_on_another_rig_and_of_other_formats_get_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::read(&tricky(folder.path()), ImportOptions::default());
    let mut joints = source.imported.rig.skeleton.joints().to_vec();
    joints[0].name = "pelvis".into();
    let other = Rig::from_skeleton("other", posepress_core::model::Skeleton::new(joints).unwrap());
    let written = Glb.export(&other, &mut [ExportClip::raw(&source.imported.clips[0])], &source.target).unwrap();
    assert!(Document::of_glb(&written).json["cameras"].is_null());
    if let Some(take) = corpus("bandai/ds1_walk_normal_001.bvh") {
        let unit = Some(LengthUnit::Centimetre);
        let take = Source::read(&take, ImportOptions { unit, ..Default::default() });
        let written = Document::of_glb(&take.raw(|_| true));
        assert!(written.json["asset"]["generator"].as_str().unwrap().starts_with("Posepress"));
    }
}
