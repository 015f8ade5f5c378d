//! Exports read back with the `gltf` crate and by hand.

use glam::{Affine3A, Quat, Vec2, Vec3};
use gltf::animation::{Interpolation, util::ReadOutputs};
use posepress_core::export::{
    EXPORTERS, ExportBody, ExportClip, ExportError, ExportKeys, ExportOptions, ExportTarget, Exporter, Glb,
    RotationFormat, by_key,
};
use posepress_core::math::Transform;
use posepress_core::model::*;

const SAMPLES: usize = 31;

/// A chain of three joints, a skinned mesh with all attributes, and a rigid mesh.
fn rig() -> Rig {
    let joint = |name: &str, parent, y| Joint {
        name: name.into(),
        parent,
        bind: Transform::from_translation(Vec3::new(0.0, y, 0.0)),
    };
    let skeleton =
        Skeleton::new(vec![joint("root", None, 0.0), joint("arm", Some(0), 1.0), joint("tip", Some(1), 0.02)]).unwrap();
    let bind = ModelPose::new(&skeleton, &skeleton.bind_pose(0).joints);
    let skin = |joint| SkinJoint { joint, joint_from_mesh: Affine3A::from_translation(-bind.origin(joint)) };
    let mesh = SkinnedMesh {
        name: "skin".into(),
        palette: (0..3).map(skin).collect(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.1, 0.7, 0.3)],
        normals: vec![Vec3::Z; 4],
        uvs: vec![Vec2::new(0.25, 0.5); 4],
        colors: vec![[0.5, 0.25, 0.125, 1.0]; 4],
        influences: vec![[0, 1, 2, 0], [1, 0, 0, 0], [2, 2, 0, 0], [0, 1, 0, 0]],
        weights: vec![[0.5, 0.25, 0.25, 0.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.2, 0.2, 0.0, 0.0]],
        triangles: vec![[0, 1, 2], [1, 3, 2]],
        targets: vec![MorphTarget {
            name: "smile".into(),
            float_track: 1,
            positions: vec![Vec3::new(0.0, 0.5, 0.0); 4],
            normals: vec![Vec3::ZERO; 4],
        }],
        material: Some(0),
    };
    let rigid = SkinnedMesh { name: "rigid".into(), targets: vec![], material: None, ..mesh.clone() };
    let pixels = (0..2 * 3 * 4).map(|i| if i % 4 == 3 { 255 } else { 10 * i as u8 });
    Rig {
        meshes: vec![mesh, rigid],
        materials: vec![Material {
            name: "clay".into(),
            base_color: [0.5, 0.5, 0.5, 1.0],
            base_color_image: Some(0),
            alpha: Alpha::Mask(0.25),
            normal_image: Some((0, 0.5)),
            emissive: [0.25, 0.0, 1.0],
            emissive_image: Some(0),
            double_sided: true,
        }],
        images: vec![Image { width: 2, height: 3, rgba: pixels.collect() }],
        float_names: vec!["unused".into(), "smile".into()],
        ..Rig::from_skeleton("rig", skeleton)
    }
}

/// The root moves along a curve and steps once, the arm turns, the tip is constant but not at its bind pose.
fn clip() -> Clip {
    let tip = Quat::from_rotation_z(0.3);
    let pose = |s: usize| {
        let x = s as f32 / (SAMPLES - 1) as f32;
        let root = Transform::from_translation(Vec3::new(if s < 15 { x } else { x * 3.0 }, 0.0, 0.0));
        let arm = Transform {
            rotation: Quat::from_rotation_x(2.0 * x) * Quat::from_rotation_y(x * x),
            translation: Vec3::Y,
            scale: Vec3::new(1.0 + x, 1.0, 1.0),
        };
        let tip = Transform { rotation: tip, translation: Vec3::new(0.0, 0.02, 0.0), scale: Vec3::ONE };
        [root, arm, tip]
    };
    Clip::new(ClipData {
        name: "swing".into(),
        joints: 3,
        duration_secs: 1.0,
        transforms: (0..SAMPLES).flat_map(pose).collect(),
        float_tracks: 2,
        floats: (0..SAMPLES).flat_map(|s| [0.7, s as f32 / 30.0]).collect(),
        holds: vec![Hold { sample: 14, joint: 0, channel: Channel::Translation }],
        looping: Some(false),
    })
    .unwrap()
}

struct Read {
    document: gltf::Document,
    buffers: Vec<Vec<u8>>,
    images: Vec<image::RgbaImage>,
}

/// A channel as read: node, key times, values with four numbers each, interpolation.
struct ReadChannel {
    node: String,
    path: &'static str,
    times: Vec<f32>,
    values: Vec<[f32; 4]>,
    interpolation: Interpolation,
    is_float: bool,
}

impl Read {
    fn new(bytes: &[u8]) -> Self {
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).expect("the gltf crate reads the export");
        let blob = blob.unwrap_or_default();
        let image = |image: gltf::Image<'_>| {
            let gltf::image::Source::View { view, .. } = image.source() else { panic!("an image in a file beside it") };
            let encoded = &blob[view.offset()..view.offset() + view.length()];
            image::load_from_memory(encoded).unwrap().into_rgba8()
        };
        let images = document.images().map(image).collect();
        Self { document, buffers: vec![blob], images }
    }

    fn channels(&self) -> Vec<ReadChannel> {
        let animation = self.document.animations().next().unwrap();
        animation.channels().map(|c| self.channel(&c)).collect()
    }

    fn channel(&self, channel: &gltf::animation::Channel<'_>) -> ReadChannel {
        let reader = channel.reader(|b| Some(&self.buffers[b.index()]));
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        let (path, values) = match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(v) => ("translation", v.map(four).collect()),
            ReadOutputs::Rotations(v) => ("rotation", v.into_f32().collect()),
            ReadOutputs::Scales(v) => ("scale", v.map(four).collect()),
            ReadOutputs::MorphTargetWeights(v) => ("weights", v.into_f32().map(|w| [w, 0.0, 0.0, 0.0]).collect()),
        };
        ReadChannel {
            node: channel.target().node().name().unwrap().to_owned(),
            path,
            times: reader.read_inputs().unwrap().collect(),
            values,
            interpolation: channel.sampler().interpolation(),
            is_float: channel.sampler().output().data_type() == gltf::accessor::DataType::F32,
        }
    }
}

fn find<'a>(channels: &'a [ReadChannel], node: &str, path: &str) -> &'a ReadChannel {
    channels.iter().find(|c| c.node == node && c.path == path).unwrap_or_else(|| panic!("no channel {node}.{path}"))
}

/// The export of the clip with that tolerance.
fn export(tolerance_m: f32) -> Read {
    let clip = clip();
    read(&rig(), ExportClip { tolerance_m, ..ExportClip::raw(&clip) })
}

fn read(rig: &Rig, clip: ExportClip<'_>) -> Read {
    Read::new(&Glb.export(rig, &mut [clip], &ExportTarget::default()).unwrap())
}

fn new_clip(name: &str, duration_secs: f32, poses: impl Iterator<Item = Vec<Transform>>, holds: Vec<Hold>) -> Clip {
    Clip::new(ClipData {
        name: name.into(),
        joints: 3,
        duration_secs,
        transforms: poses.flatten().collect(),
        float_tracks: 0,
        floats: vec![],
        holds,
        looping: None,
    })
    .unwrap()
}

#[test]
fn keys_of_exporters_are_unique_and_found() {
    for exporter in EXPORTERS {
        assert!(std::ptr::addr_eq(by_key(exporter.info().key).unwrap(), *exporter), "{exporter:?}");
    }
    let usd = if cfg!(feature = "usd") { vec!["usda"] } else { vec![] };
    assert_eq!(
        EXPORTERS.iter().map(|e| e.info().key).collect::<Vec<_>>(),
        [vec!["glb", "csv", "ozz", "ozz-skeleton", "anm"], usd].concat()
    );
}

#[test]
fn a_rig_reads_back_whole() {
    let read = export(1e-4);
    let rig = rig();
    let mut meshes = read.document.meshes();
    let (first, second) = (meshes.next().unwrap(), meshes.next().unwrap());
    assert_eq!((first.name(), second.name()), (Some("skin"), Some("rigid")));
    let primitive = first.primitives().next().unwrap();
    let reader = primitive.reader(|b| Some(&read.buffers[b.index()]));
    let positions: Vec<_> = reader.read_positions().unwrap().map(Vec3::from).collect();
    assert_eq!(positions, rig.meshes[0].positions);
    let uvs: Vec<_> = reader.read_tex_coords(0).unwrap().into_f32().map(Vec2::from).collect();
    assert_eq!(uvs, rig.meshes[0].uvs);
    assert_eq!(reader.read_colors(0).unwrap().into_rgba_f32().collect::<Vec<_>>(), rig.meshes[0].colors);
    assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), [0, 1, 2, 1, 3, 2]);
    let joints: Vec<_> = reader.read_joints(0).unwrap().into_u16().collect();
    assert_eq!(joints, [[0, 1, 2, 0], [1, 0, 0, 0], [2, 0, 0, 0], [0, 1, 0, 0]], "merged and zeroed");
    let weights: Vec<_> = reader.read_weights(0).unwrap().into_f32().collect();
    assert_eq!(weights[2..], [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]], "normalised");
    let (offsets, ..) = reader.read_morph_targets().next().unwrap();
    assert_eq!(offsets.unwrap().next(), Some([0.0, 0.5, 0.0]));
    let skins: Vec<_> = read.document.skins().collect();
    assert_eq!(skins.len(), 1, "meshes with one palette share a skin");
    assert_eq!(skins[0].joints().map(|j| j.name().unwrap().to_owned()).collect::<Vec<_>>(), ["root", "arm", "tip"]);
    let material = primitive.material();
    assert!(material.double_sided());
    assert_eq!(material.pbr_metallic_roughness().base_color_factor(), [0.5, 0.5, 0.5, 1.0]);
    assert_eq!(read.images[0].dimensions(), (2, 3));
    assert_eq!(read.images[0].as_raw(), &rig.images[0].rgba);
}

#[test]
fn without_a_tolerance_the_same_bits_come_back() {
    let channels = export(0.0).channels();
    let clip = clip();
    let arm = find(&channels, "arm", "rotation");
    assert!(arm.is_float);
    let expected: Vec<_> = clip.track(1).map(|t| t.rotation.to_array()).collect();
    assert_eq!(arm.values, expected);
    let times: Vec<_> = (0..SAMPLES).map(|s| clip.grid().time_secs(s as f64)).collect();
    assert_eq!(arm.times, times);
}

#[test]
fn constants_take_one_key_and_bind_poses_none() {
    let channels = export(1e-4).channels();
    let tip = find(&channels, "tip", "rotation");
    assert_eq!((tip.times.len(), tip.times[0], tip.interpolation), (1, 0.0, Interpolation::Step));
    let mut names: Vec<_> = channels.iter().map(|c| format!("{}.{}", c.node, c.path)).collect();
    names.sort();
    assert_eq!(names, ["arm.rotation", "arm.scale", "root.translation", "skin.weights", "tip.rotation"]);
}

#[test]
fn sixteen_bits_are_used_where_they_are_fine_enough_only() {
    let rig = rig();
    let turning = |joint: usize| {
        let poses = (0..SAMPLES).map(|s| {
            let mut pose = rig.skeleton.bind_pose(0).joints;
            pose[joint].rotation = clip().at(7 * s % SAMPLES, 1).rotation; // back and forth: no line or cubic fits
            pose
        });
        new_clip("turn", 1.0, poses.collect::<Vec<_>>().into_iter(), vec![])
    };
    // The tip moves 3 cm, the root a metre. A twentieth of a milliradian is less than a fifth of 0.02 mm at the tip, and more
    // than all of it at the root.
    let is_float = |joint: usize, rotations| {
        let clip = turning(joint);
        let target = ExportTarget { options: ExportOptions { rotations, ..Default::default() }, origin: None };
        let mut clips = [ExportClip { tolerance_m: 2e-5, ..ExportClip::raw(&clip) }];
        let read = Read::new(&Glb.export(&rig, &mut clips, &target).unwrap());
        find(&read.channels(), rig.skeleton.name(joint), "rotation").is_float
    };
    assert!(!is_float(2, RotationFormat::Shorts) && is_float(0, RotationFormat::Shorts));
    assert!(is_float(2, RotationFormat::Floats), "unless floats are asked for");
}

#[test]
fn keys_are_those_that_lines_need() {
    let channels = export(1e-4).channels();
    assert_eq!(find(&channels, "arm", "scale").times.len(), 2, "it grows on a line");
    let arm = find(&channels, "arm", "rotation").times.len();
    assert!(arm > 2 && arm <= SAMPLES, "{arm} keys of a bent turn");
    let root = find(&channels, "root", "translation");
    assert_eq!(root.times.len(), 5, "start, before the step twice, after it, end: {:?}", root.times);
}

#[test]
fn few_keys_are_read_at_the_clips_own_rate() {
    let rig = rig();
    let poses = (0..SAMPLES).map(|s| {
        let mut pose = rig.skeleton.bind_pose(0).joints;
        pose[0].translation.x = if s < 10 { s as f32 } else { 10.0 - 0.1 * (s - 10) as f32 };
        pose
    });
    let door = new_clip("door", 1.0, poses, vec![]);
    let bytes = Glb.export(&rig, &mut [ExportClip::raw(&door)], &ExportTarget::default()).unwrap();
    let channels = Read::new(&bytes).channels();
    let times = &find(&channels, "root", "translation").times;
    assert!(times.len() < 6, "{times:?}");
    let back = posepress_core::import::import_bytes("door.glb".as_ref(), &bytes, &Default::default()).unwrap();
    assert_eq!(back.clips[0].grid(), door.grid(), "0, 10 and 30 of 30 Hz are 0, 8 and 24 of 24 Hz");
    assert_eq!(back.findings, [], "and nothing about it is worth a word");
}

#[test]
fn a_figure_without_a_mesh_gets_a_body_where_one_is_asked_for() {
    let bare = Rig { meshes: Vec::new(), ..rig() };
    let poses = (0..SAMPLES).map(|s| {
        let mut pose = bare.skeleton.bind_pose(0).joints;
        pose[1].rotation = Quat::from_rotation_x(s as f32 * 0.02);
        pose
    });
    let nod = new_clip("nod", 1.0, poses, vec![]);
    let written = |rig: &Rig, body| {
        let target = ExportTarget { options: ExportOptions { body, ..Default::default() }, origin: None };
        let bytes = Glb.export(rig, &mut [ExportClip::raw(&nod)], &target).unwrap();
        posepress_core::import::import_bytes("nod.glb".as_ref(), &bytes, &Default::default()).unwrap()
    };
    assert!(written(&bare, ExportBody::None).rig.meshes.is_empty());
    let bodied = written(&bare, ExportBody::Capsules);
    assert_eq!((bodied.rig.meshes.len(), &bodied.rig.skeleton), (1, &bare.skeleton));
    let hand = ModelPose::new(&bare.skeleton, nod.pose(SAMPLES - 1));
    let skinned = (0..bodied.rig.vertex_count()).map(|v| bodied.rig.meshes[0].skin_vertex(v, &hand.joints, &[]));
    let near = skinned.map(|at| at.distance(hand.origin(2))).fold(f32::INFINITY, f32::min);
    assert!(near < 0.03, "the body goes where its joints go: {near}");
    assert_eq!(written(&rig(), ExportBody::Capsules).rig.meshes, written(&rig(), ExportBody::None).rig.meshes);
}

#[test]
fn keys_for_editors_stand_where_there_were_keys_on_smooth_curves() {
    let (rig, samples) = (rig(), 61);
    let turn = |s: usize| (s as f32 * 0.1).sin() * 0.6 + if s < 40 { 0.0 } else { (s as f32 - 40.0).powi(2) * 1e-3 };
    let poses = (0..samples).map(|s| {
        let mut pose = rig.skeleton.bind_pose(0).joints;
        pose[1].rotation = Quat::from_rotation_x(turn(s));
        pose
    });
    let baked = new_clip("nod", 2.0, poses, vec![]);
    let edit = ExportOptions { keys: ExportKeys::Editable, ..Default::default() };
    let written = |clip: &Clip, options| {
        let mut clips = [ExportClip { tolerance_m: 1e-3, ..ExportClip::raw(clip) }];
        let bytes = Glb.export(&rig, &mut clips, &ExportTarget { options, origin: None }).unwrap();
        let back = posepress_core::import::import_bytes("nod.glb".as_ref(), &bytes, &Default::default()).unwrap();
        (Read::new(&bytes), back.clips.into_iter().next().unwrap())
    };
    let (first, keyed) = written(&baked, edit);
    let arm = |read: &Read| -> (Vec<u32>, Interpolation) {
        let channels = read.channels();
        let arm = find(&channels, "arm", "rotation");
        (arm.times.iter().map(|time| (time * 30.0).round() as u32).collect(), arm.interpolation)
    };
    let (keys, interpolation) = arm(&first);
    assert!(interpolation == Interpolation::CubicSpline && keys.len() <= 10, "{keys:?}");
    assert_eq!(baked.keys(), [], "the keys of a baked clip are unknown");
    let read = keyed.keys().iter().find(|keys| (keys.joint, keys.channel) == (1, Channel::Rotation)).unwrap();
    assert_eq!(read.samples, keys, "the importer keeps where they are");
    // An edit of that file keeps the times of the keys, although the clip was sampled in between.
    let (second, _) = written(&keyed, edit);
    assert_eq!(arm(&second), (keys.clone(), Interpolation::CubicSpline));
    let (straight, _) = written(&keyed, ExportOptions { keys: ExportKeys::EditableLines, ..Default::default() });
    let (more, interpolation) = arm(&straight);
    assert!(interpolation == Interpolation::Linear && keys.iter().all(|key| more.contains(key)), "{more:?}");
    let (small, _) = written(&keyed, ExportOptions::default());
    assert_ne!(arm(&small).0, keys, "the fewest bytes ignore the keys of the source");
    let errors = (0..samples).map(|s| {
        let [a, b] = [&baked, &keyed].map(|clip| ModelPose::new(&rig.skeleton, clip.pose(s)).origin(2));
        a.distance(b)
    });
    assert!(errors.fold(0.0, f32::max) <= 1e-3);
}

#[test]
fn a_held_interval_ends_in_a_jump() {
    let channels = export(1e-4).channels();
    let root = find(&channels, "root", "translation");
    assert_eq!(root.interpolation, Interpolation::Linear);
    assert!(root.times.windows(2).all(|t| t[0] < t[1]), "key times ascend");
    let jump = root.times.windows(2).position(|t| t[1] - t[0] < 1e-5).expect("a doubled key");
    let [before, after] = [root.values[jump][0], root.values[jump + 1][0]];
    assert!((before - 14.0 / 30.0).abs() < 1e-6 && (after - 1.5).abs() < 1e-6, "{before} to {after}");
}

#[test]
fn a_stepped_track_is_written_as_step() {
    let rig = rig();
    let poses = (0..4).map(|s| {
        let mut pose = rig.skeleton.bind_pose(0).joints;
        pose[0].translation.x = if s < 2 { 0.0 } else { 4.0 };
        pose
    });
    let holds = (0..3).map(|sample| Hold { sample, joint: 0, channel: Channel::Translation }).collect();
    let stepped = new_clip("teleport", 1.0, poses, holds);
    let channels = read(&rig, ExportClip::raw(&stepped)).channels();
    let root = find(&channels, "root", "translation");
    assert_eq!(root.interpolation, Interpolation::Step);
    assert_eq!(root.values.iter().map(|v| v[0]).collect::<Vec<_>>(), [0.0, 4.0, 4.0]);
}

#[test]
fn a_still_clip_keeps_its_duration() {
    let rig = rig();
    let still = new_clip("still", 2.5, (0..4).map(|_| rig.skeleton.bind_pose(0).joints), vec![]);
    let read = read(&rig, ExportClip::raw(&still));
    let longest = read.channels().iter().flat_map(|c| c.times.clone()).fold(0.0, f32::max);
    assert_eq!(longest, 2.5);
}

#[test]
fn what_is_said_twice_stands_once() {
    let (clip, rig) = (clip(), rig());
    let bytes = |count: usize| {
        let mut clips: Vec<_> = (0..count).map(|_| ExportClip::raw(&clip)).collect();
        Glb.export(&rig, &mut clips, &ExportTarget::default()).unwrap()
    };
    let [one, two] = [1, 2].map(|count| Read::new(&bytes(count)));
    assert_eq!(two.document.animations().count(), 2);
    assert_eq!(one.document.accessors().count(), two.document.accessors().count());
    assert_eq!(one.buffers[0], two.buffers[0], "equal keys and equal times");
}

#[test]
fn csv_reads_back_to_the_same_floats() {
    let clip = clip();
    let bytes = by_key("csv").unwrap().export(&rig(), &mut [ExportClip::raw(&clip)], &ExportTarget::default()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz,weight"));
    for sample in 0..SAMPLES {
        for (joint, name) in ["root", "arm", "tip"].iter().enumerate() {
            let fields: Vec<_> = lines.next().unwrap().split(',').collect();
            assert_eq!((fields[1].parse(), fields[2]), (Ok(joint), *name));
            let n = |i: usize| fields[i].parse::<f32>().unwrap();
            let t = clip.at(sample, joint);
            assert_eq!(n(0), clip.grid().time_secs(sample as f64));
            assert_eq!([n(3), n(4), n(5)], t.translation.to_array());
            assert_eq!([n(6), n(7), n(8), n(9)], t.rotation.to_array());
            assert_eq!([n(10), n(11), n(12)], t.scale.to_array());
            assert_eq!(fields[13..], [""]);
        }
        for (track, name) in ["unused", "smile"].into_iter().enumerate() {
            let fields: Vec<_> = lines.next().unwrap().split(',').collect();
            assert_eq!(fields[0].parse(), Ok(clip.grid().time_secs(sample as f64)));
            assert_eq!(fields[1..13], [&["", name][..], &[""; 10]].concat());
            assert_eq!(fields[13..].iter().map(|f| f.parse()).collect::<Vec<_>>(), [Ok(clip.floats(sample)[track])]);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn what_a_format_cannot_hold_is_said() {
    let (clip, rig) = (clip(), rig());
    let two = &mut [ExportClip::raw(&clip), ExportClip::raw(&clip)];
    let error = by_key("csv").unwrap().export(&rig, two, &ExportTarget::default()).unwrap_err();
    assert!(matches!(&error, ExportError::Unsupported(what) if what.contains("one clip")), "{error}");
    let other = Rig::from_skeleton("other", Skeleton::new(rig.skeleton.joints()[..1].to_vec()).unwrap());
    for exporter in EXPORTERS {
        let error = exporter.export(&other, &mut [ExportClip::raw(&clip)], &ExportTarget::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("3 joints") && error.contains("the rig has 1"), "{error}");
    }
}

#[test]
fn joints_that_move_no_mesh_and_stand_still_come_back() {
    let rig = Rig::from_skeleton("bones", rig().skeleton);
    let still = new_clip("still", 1.0, (0..4).map(|_| rig.skeleton.bind_pose(0).joints), vec![]);
    let bytes = Glb.export(&rig, &mut [ExportClip::raw(&still)], &ExportTarget::default()).unwrap();
    let read = posepress_core::import::import_bytes("bones.glb".as_ref(), &bytes, &Default::default()).unwrap();
    assert_eq!(read.rig.skeleton, rig.skeleton);
}
