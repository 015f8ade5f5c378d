//! Pictures without a window, on whatever Vulkan driver there is; Mesa's lavapipe is enough.
#![cfg(feature = "gui")]

use glam::{Affine3A, Quat, Vec2, Vec3};
use image::RgbaImage;
use posepress::app::render::{
    AdapterChoice, FigurePose, GpuErrors, HEAT_STOPS, Headless, Line3d, LineLayer, PictureOptions, Polygon3d,
    RenderError, RenderJob, RenderOptions, Renderer, Shading, Show, Side, ViewMode, ViewScene, Viewport, ViewportId,
    install, render_png, shader_sources, viewport,
};
use posepress::import::{ImportOptions, import_file};
use posepress::math::Transform;
use posepress::metrics::{ModelTrack, vertex_errors};
use posepress::model::{
    Image, Joint, Material, ModelPose, MorphTarget, Pose, Rig, Skeleton, SkinJoint, SkinnedMesh, Tip,
};
use posepress::session::{Document, MeasuredClip, compress};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

const SIZE_PX: [u32; 2] = [160, 120];

/// One device for all tests: making it is what takes time.
fn device() -> MutexGuard<'static, Headless> {
    static DEVICE: OnceLock<Mutex<Headless>> = OnceLock::new();
    let open = || Mutex::new(Headless::new(AdapterChoice::Reproducible).expect("install mesa-vulkan-drivers"));
    DEVICE.get_or_init(open).lock().unwrap_or_else(PoisonError::into_inner)
}

fn joint(name: &str, parent: Option<usize>, y: f32) -> Joint {
    Joint { name: name.into(), parent, bind: Transform::from_translation(Vec3::Y * y) }
}

/// A chain of three joints, half a metre apart.
fn chain() -> Skeleton {
    Skeleton::new(vec![joint("hip", None, 0.2), joint("knee", Some(0), 0.5), joint("ankle", Some(1), 0.5)]).unwrap()
}

/// A smooth tube around the chain with a bulge as its morph target.
fn tube() -> Rig {
    const RINGS: usize = 25;
    const SEGMENTS: usize = 16;
    let skeleton = chain();
    let bind = Pose::bind(&skeleton, 0);
    let model = ModelPose::new(&skeleton, &bind.joints);
    let mut mesh = SkinnedMesh { name: "tube".into(), ..SkinnedMesh::default() };
    mesh.palette = (0..3).map(|j| SkinJoint { joint: j, joint_from_mesh: model.joints[j].inverse() }).collect();
    for ring in 0..RINGS {
        let along = ring as f32 / (RINGS - 1) as f32;
        for segment in 0..SEGMENTS {
            let (sin, cos) = (segment as f32 / SEGMENTS as f32 * std::f32::consts::TAU).sin_cos();
            mesh.positions.push(Vec3::new(cos * 0.12, 0.2 + along, sin * 0.12));
            mesh.normals.push(Vec3::new(cos, 0.0, sin));
            mesh.uvs.push(Vec2::new(along, segment as f32 / SEGMENTS as f32));
            let lower = (1.0 - along * 2.0).max(0.0);
            let upper = (along * 2.0 - 1.0).max(0.0);
            mesh.weights.push([lower, 1.0 - lower - upper, upper, 0.0]);
            mesh.influences.push([0, 1, 2, 0]);
            mesh.colors.push([1.0; 4]);
        }
    }
    let at = |ring: usize, segment: usize| (ring * SEGMENTS + segment % SEGMENTS) as u32;
    for ring in 0..RINGS - 1 {
        for segment in 0..SEGMENTS {
            let [a, b] = [at(ring, segment), at(ring, segment + 1)];
            let [c, d] = [at(ring + 1, segment + 1), at(ring + 1, segment)];
            mesh.triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    let bulge = mesh.positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z) * p.y).collect();
    mesh.targets.push(MorphTarget { name: "bulge".into(), float_track: 0, positions: bulge, normals: vec![] });
    Rig { meshes: vec![mesh], float_names: vec!["bulge".into()], ..Rig::from_skeleton("tube", skeleton) }
}

fn bent(rig: &Rig, knee_rad: f32, bulge: f32) -> Pose {
    let mut pose = Pose::bind(&rig.skeleton, rig.float_names.len());
    pose.joints[1].rotation = Quat::from_rotation_x(knee_rad);
    pose.joints[0].rotation = Quat::from_rotation_z(0.1);
    if let Some(weight) = pose.floats.first_mut() {
        *weight = bulge;
    }
    pose
}

/// The knee bent, and a lossy pose that bends it a little more.
fn scene(rig: &Arc<Rig>) -> ViewScene {
    let mut scene = ViewScene::new(rig.clone(), FigurePose::from_pose(rig, &bent(rig, 0.6, 0.0)));
    scene.lossy = Some(FigurePose::from_pose(rig, &bent(rig, 0.75, 0.0)));
    scene
}

fn draw(scene: &ViewScene, mode: ViewMode) -> RgbaImage {
    let scene = Arc::new(scene.clone());
    let job = RenderJob { size_px: SIZE_PX, pixels_per_point: 1.0, mode, scene, adapter: AdapterChoice::Reproducible };
    device().render(&job).unwrap()
}

fn original(scene: &ViewScene) -> RgbaImage {
    draw(scene, ViewMode::Single(Side::Original))
}

fn compressed(scene: &ViewScene) -> RgbaImage {
    draw(scene, ViewMode::Single(Side::Compressed))
}

fn differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    assert_eq!(a.dimensions(), b.dimensions());
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn every_shader_compiles_for_every_backend() {
    for (name, source) in shader_sources() {
        let module = wgpu::naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
        let flags = wgpu::naga::valid::ValidationFlags::all();
        let mut validator = wgpu::naga::valid::Validator::new(flags, wgpu::naga::valid::Capabilities::empty());
        validator.validate(&module).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    }
}

#[test]
fn a_second_device_draws_the_same_bytes() {
    for rig in [tube(), capsules()].map(Arc::new) {
        let mut scene = scene(&rig);
        scene.shading = Shading::Heat { tolerance_m: 0.01 };
        let scene = Arc::new(scene);
        let job = RenderJob {
            size_px: SIZE_PX,
            pixels_per_point: 1.0,
            mode: ViewMode::SideBySide,
            scene,
            adapter: AdapterChoice::Reproducible,
        };
        let first = device().render(&job).unwrap();
        let second = Headless::new(AdapterChoice::Reproducible).unwrap().render(&job).unwrap();
        assert_eq!(differing(&first, &second), 0);
        let colors: std::collections::HashSet<_> = first.pixels().collect();
        assert!(colors.len() > 200, "a shaded picture, not a flat one: {} colours", colors.len());
    }
}

/// The chain without a mesh, with a tip at its end.
fn capsules() -> Rig {
    let mut rig = Rig::from_skeleton("bones", chain());
    rig.tips.push(Tip { joint: 2, offset: Vec3::new(0.0, 0.1, 0.2) });
    rig
}

#[test]
fn a_change_of_pose_changes_the_figure_and_only_its_side() {
    for rig in [tube(), capsules()].map(Arc::new) {
        let one = scene(&rig);
        let mut two = one.clone();
        two.lossy = Some(FigurePose::from_pose(&rig, &bent(&rig, 1.4, 0.0)));
        assert!(differing(&compressed(&one), &compressed(&two)) > 200, "{}", rig.name);
        assert_eq!(differing(&original(&one), &original(&two)), 0, "{}", rig.name);
    }
}

#[test]
fn a_wipe_shows_the_original_left_and_the_compressed_figure_right() {
    let scene = scene(&Arc::new(tube()));
    let split = 0.47;
    let at = (split * SIZE_PX[0] as f32).round() as u32;
    let wipe = draw(&scene, ViewMode::Wipe { split });
    let (left, right) = (original(&scene), compressed(&scene));
    let expected = |x, y| if x < at { left.get_pixel(x, y) } else { right.get_pixel(x, y) };
    let wrong: Vec<_> = wipe.enumerate_pixels().filter(|(x, y, pixel)| *pixel != expected(*x, *y)).collect();
    assert!(wrong.is_empty(), "{} wrong pixels, split at {at}, the first: {:?}", wrong.len(), wrong.first());
    assert_eq!(differing(&draw(&scene, ViewMode::Wipe { split: 1.0 }), &left), 0);
    assert_eq!(differing(&draw(&scene, ViewMode::Wipe { split: 0.0 }), &right), 0);
}

#[test]
fn an_onion_skin_fades_from_the_original_to_the_compressed_figure_in_their_colours() {
    let mut scene = scene(&Arc::new(tube()));
    scene.layers.skeleton = false;
    let at = |mix: f32| draw(&scene, ViewMode::Onion { mix });
    let [original, both, compressed] = [0.0, 0.5, 1.0].map(at);
    let violet = |image: &RgbaImage| image.pixels().filter(|p| p[2] > p[1].saturating_add(25)).count();
    assert_eq!(violet(&original), 0, "the original is grey");
    assert!(violet(&compressed) > 400, "the compressed figure is violet: {} pixels", violet(&compressed));
    // Every pixel of the fade lies between those of its ends.
    let between = |x: u32, y: u32, c: usize| {
        let [a, m, b] = [&original, &both, &compressed].map(|image| i32::from(image.get_pixel(x, y)[c]));
        m >= a.min(b) - 2 && m <= a.max(b) + 2
    };
    let pixels = (0..SIZE_PX[0]).flat_map(|x| (0..SIZE_PX[1]).map(move |y| (x, y)));
    assert!(pixels.clone().all(|(x, y)| (0..3).all(|c| between(x, y, c))));
    // Where only one figure is, it shines through the other picture's background.
    let apart = |image: &RgbaImage, other: &RgbaImage| differing(image, other);
    assert!(apart(&both, &original) > 300 && apart(&both, &compressed) > 300);
    scene.shading = Shading::Heat { tolerance_m: 0.01 };
    assert!(differing(&draw(&scene, ViewMode::Onion { mix: 1.0 }), &compressed) > 300, "heat covers the violet");
}

#[test]
fn an_exaggerated_difference_stands_before_the_ghost_of_the_original() {
    for rig in [tube(), capsules()].map(Arc::new) {
        let mut scene = scene(&rig);
        scene.layers.skeleton = false;
        scene.layers.ground = false;
        let plain = compressed(&scene);
        let mut empty = scene.clone();
        empty.layers.mesh = false;
        let background = compressed(&empty);
        let covered = |image: &RgbaImage| {
            let pairs = image.enumerate_pixels().zip(background.pixels());
            pairs.filter(|((.., a), b)| a != b).map(|((x, y, _), _)| (x, y)).collect::<std::collections::HashSet<_>>()
        };
        let original_place = covered(&original(&scene));
        scene.offset_gain = 3.0;
        let exaggerated = compressed(&scene);
        assert!(differing(&plain, &exaggerated) > 200, "{}", rig.name);
        let place = covered(&exaggerated);
        let missing = original_place.difference(&place).count();
        assert!(
            missing <= original_place.len() / 50,
            "the ghost shows where the original is: {missing} pixels are bare"
        );
        assert!(place.len() > original_place.len() + 100, "and the exaggerated figure elsewhere");
        // The pose of three times the difference, drawn as it is, covers what lies beside the ghost.
        let mut apart = scene.clone();
        let drawn = scene.drawn_joints(Side::Compressed).into_owned();
        apart.offset_gain = 1.0;
        apart.lossy = Some(FigurePose::new(&drawn, &scene.raw.floats));
        let alone = covered(&compressed(&apart));
        let outside: Vec<_> = alone.difference(&place).collect();
        assert!(outside.len() <= alone.len() / 50, "{}: {} pixels off", rig.name, outside.len());
        assert_eq!(differing(&original(&scene), &original(&apart)), 0, "the original side is as it is");
    }
}

#[test]
fn side_by_side_shows_both_halves() {
    let scene = scene(&Arc::new(tube()));
    let both = draw(&scene, ViewMode::SideBySide);
    assert_eq!(both.dimensions(), (SIZE_PX[0], SIZE_PX[1]));
    let half = |x| image::imageops::crop_imm(&both, x, 0, 79, SIZE_PX[1]).to_image();
    assert!(differing(&half(0), &half(81)) > 100);
}

#[test]
fn errors_measured_on_the_gpu_are_those_of_the_cpu() {
    let rig = Arc::new(tube());
    let mesh = &rig.meshes[0];
    for (lossy_knee, lossy_bulge) in [(0.75, 0.4), (0.6001, 0.4), (0.6, 0.1), (0.6, 0.4)] {
        let mut scene = scene(&rig);
        scene.raw = FigurePose::from_pose(&rig, &bent(&rig, 0.6, 0.4));
        scene.lossy = Some(FigurePose::from_pose(&rig, &bent(&rig, lossy_knee, lossy_bulge)));
        let measured = device().vertex_errors_m(&Arc::new(scene.clone())).unwrap();
        assert_eq!(measured.len(), 1);
        assert_eq!(measured[0].len(), mesh.positions.len());
        let skinned = |pose: &FigurePose, v| mesh.skin_vertex(v, &pose.joints, &pose.floats);
        let mut largest = 0.0f32;
        for (v, &on_gpu) in measured[0].iter().enumerate() {
            let on_cpu = skinned(&scene.raw, v).distance(skinned(scene.lossy.as_ref().unwrap(), v));
            // f32 near 1 m: the CPU subtracts positions, so it is the coarser of the two.
            assert!((on_gpu - on_cpu).abs() < 5e-7, "vertex {v}: {on_gpu} m on the GPU, {on_cpu} m on the CPU");
            largest = largest.max(on_cpu);
        }
        assert_eq!(largest > 1e-6, (lossy_knee, lossy_bulge) != (0.6, 0.4), "largest {largest} m");
    }
}

/// The bundled walk under the recipe of a first start: heat on the GPU against the metric that reports print.
#[test]
fn heat_of_the_sample_is_the_metric_of_the_report() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.glb");
    let imported = import_file(&sample, &ImportOptions::default()).unwrap();
    let recipe = Document::default().recipes[0].clone();
    let (rig, clip) = (Arc::new(imported.rig), Arc::new(imported.clips.into_iter().next().unwrap()));
    let measured = MeasuredClip::new(rig.clone(), clip, &recipe);
    let outcome = compress(&measured, &recipe, &Default::default()).unwrap();
    let report = outcome.report.vertex.as_ref().unwrap();
    let (raw, decoded) = (&measured.raw, &outcome.decoded);
    let rate_hz = raw.grid().rate_hz() as f32;
    let worst_step = (report.worst.time_secs * rate_hz).round() as usize * raw.sub_frames();
    for step in [0, 37, worst_step, raw.steps() - 1] {
        let figure = |track: &ModelTrack| FigurePose::new(track.pose(step), track.floats(step));
        let mut scene = ViewScene::new(rig.clone(), figure(raw));
        scene.lossy = Some(figure(decoded));
        let on_gpu: Vec<f32> = device().vertex_errors_m(&Arc::new(scene)).unwrap().concat();
        let on_cpu = vertex_errors(&rig, raw, decoded, step);
        assert_eq!(on_gpu.len(), on_cpu.len());
        let (largest, off) = on_gpu
            .iter()
            .zip(&on_cpu)
            .fold((0.0f32, 0.0f32), |(largest, off), (gpu, cpu)| (largest.max(*cpu), off.max((gpu - cpu).abs())));
        // Both take differences of matrices first; what is left is the rounding of sums of a few metres.
        assert!(off < 1e-6, "step {step}: {off} m apart of {largest} m");
        if step == worst_step {
            assert!((largest - report.worst.error_m).abs() < 1e-7 && largest > 0.001, "{largest}");
            let of_mesh: usize = rig.meshes[..report.worst.mesh].iter().map(|m| m.positions.len()).sum();
            let at = on_gpu[of_mesh + report.worst.vertex];
            assert!((at - report.worst.error_m).abs() < 1e-6, "the worst vertex is {at} m off on the GPU");
        }
    }
}

#[test]
fn the_heat_map_is_absolute_and_only_on_the_compressed_side() {
    let rig = Arc::new(tube());
    let mut heat = scene(&rig);
    let material = heat.clone();
    heat.shading = Shading::Heat { tolerance_m: 0.01 };
    assert_eq!(differing(&original(&heat), &original(&material)), 0);
    assert!(differing(&compressed(&heat), &compressed(&material)) > 500);

    // The whole figure moved by k tolerances has one colour: the ramp's, lit.
    let moved = |ratio: f32| {
        let mut scene = heat.clone();
        let shift = Affine3A::from_translation(Vec3::X * 0.01 * ratio);
        let joints: Vec<Affine3A> = scene.raw.joints.iter().map(|m| shift * *m).collect();
        // Framed on the moved figure, drawn where the original is: every picture shows the same surface.
        scene.offset_gain = 0.0;
        scene.lossy = Some(FigurePose::new(&joints, &[0.0]));
        scene.layers.skeleton = false;
        let px = scene.camera.project(Vec3::new(0.0, 0.45, 0.0), Vec2::new(160.0, 120.0)).unwrap();
        *compressed(&scene).get_pixel(px.x as u32, px.y as u32)
    };
    let hue = |p: [f32; 3]| {
        let linear = p.map(|c| (c / 255.0).powf(2.2));
        let sum: f32 = linear.iter().sum();
        linear.map(|c| c / sum)
    };
    for (ratio, color) in HEAT_STOPS {
        let seen = hue([0, 1, 2].map(|c| f32::from(moved(ratio)[c])));
        let expected = hue([color.0, color.1, color.2].map(f32::from));
        for channel in 0..3 {
            assert!((seen[channel] - expected[channel]).abs() < 0.06, "{ratio} x: {seen:?}, expected {expected:?}");
        }
    }
}

#[test]
fn joint_errors_colour_the_joints_that_have_them() {
    let mut scene = scene(&Arc::new(tube()));
    scene.layers.skeleton = false;
    let with = |errors: [f32; 3]| {
        let mut scene = scene.clone();
        scene.shading = Shading::JointError { errors_m: Arc::new(errors), tolerance_m: 0.001 };
        compressed(&scene)
    };
    let (none, ankle) = (with([0.0; 3]), with([0.0, 0.0, 0.01]));
    let rows = |y: std::ops::Range<u32>| {
        let of =
            |image: &RgbaImage| image::imageops::crop_imm(image, 0, y.start, SIZE_PX[0], y.len() as u32).to_image();
        differing(&of(&none), &of(&ankle))
    };
    assert!(rows(0..60) > 100, "the upper half follows the ankle");
    assert_eq!(rows(80..120), 0, "the lower end follows the hip");
}

#[test]
fn morph_weights_move_the_surface() {
    let rig = Arc::new(tube());
    let mut bulging = scene(&rig);
    let plain = original(&bulging);
    bulging.raw = FigurePose::from_pose(&rig, &bent(&rig, 0.6, 0.8));
    assert!(differing(&plain, &original(&bulging)) > 200);
}

#[test]
fn textures_and_materials_are_drawn() {
    let mut rig = tube();
    rig.images.push(Image { width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 255, 255] });
    let material = Material { name: "m".into(), base_color: [1.0; 4], base_color_image: Some(0), double_sided: false };
    rig.materials.push(material);
    rig.meshes[0].material = Some(0);
    let picture = original(&scene(&Arc::new(rig)));
    let count = |test: fn(&image::Rgba<u8>) -> bool| picture.pixels().filter(|p| test(p)).count();
    assert!(count(|p| p[0] > p[2].saturating_add(60)) > 100, "the red half");
    assert!(count(|p| p[2] > p[0].saturating_add(60)) > 100, "the blue half");
}

#[test]
fn ground_overlays_lie_under_the_figure_and_top_ones_over_it() {
    let rig = Arc::new(tube());
    let mut scene = scene(&rig);
    scene.layers.skeleton = false;
    let plain = original(&scene);
    let red = [255, 0, 0, 255];
    let covered = |layer| {
        let mut scene = scene.clone();
        let (a, b) = (Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.0, 0.6, 0.0));
        scene.original_overlay.lines.push(Line3d { a, b, color: red, width_pt: 4.0, dashed: false, layer });
        differing(&plain, &original(&scene))
    };
    assert_eq!(covered(LineLayer::Ground), 0, "inside the tube, drawn before it");
    assert_eq!(covered(LineLayer::Scene), 0, "inside the tube, hidden by it");
    assert!(covered(LineLayer::Top) > 50);

    let corners = [(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)];
    let points = corners.map(|(x, z)| Vec3::new(x, 0.0, z)).to_vec();
    let sole = Polygon3d { points, fill: [255, 0, 0, 128], outline: red, width_pt: 1.5, dashed: true };
    scene.original_overlay.polygons.push(sole);
    let with_sole = original(&scene);
    assert!(differing(&plain, &with_sole) > 300);
    assert_eq!(
        differing(&compressed(&scene), &{
            scene.original_overlay = Default::default();
            compressed(&scene)
        }),
        0
    );
    scene.layers.plants = false;
    assert_eq!(differing(&plain, &original(&scene)), 0);
}

#[test]
fn rigs_with_parts_missing_or_out_of_range_are_drawn_without_a_complaint() {
    let mut rig = tube();
    let mesh = &mut rig.meshes[0];
    mesh.influences[3] = [900, 1, 2, 0];
    mesh.triangles.push([0, 1, 40_000]);
    mesh.palette[2].joint = 77;
    (mesh.uvs, mesh.colors, mesh.normals) = (vec![], vec![], vec![]);
    mesh.targets[0].positions.truncate(5);
    rig.meshes.push(SkinnedMesh::default());
    rig.images.push(Image { width: 4, height: 4, rgba: vec![1, 2, 3] });
    let rig = Arc::new(rig);
    let mut scene = scene(&Arc::new(tube()));
    scene.rig = rig.into();
    scene.raw = FigurePose::new(&scene.raw.joints[..2], &[]);
    draw(&scene, ViewMode::Wipe { split: 0.5 });
}

#[test]
fn an_unchanged_scene_is_drawn_once_and_forgotten_rigs_are_dropped() {
    let gpu = device();
    let (device, queue) = gpu.device_and_queue();
    let mut renderer = Renderer::new(device, RenderOptions { samples: 1, blit_format: None });
    let prepare = |renderer: &mut Renderer, id, scene: &Arc<ViewScene>, show| {
        let mut encoder = device.create_command_encoder(&Default::default());
        let drawn = renderer.prepare(device, queue, &mut encoder, ViewportId(id), SIZE_PX, 1.0, scene, show);
        queue.submit([encoder.finish()]);
        drawn
    };
    let show = Show::Side(Side::Original);
    let one = Arc::new(scene(&Arc::new(tube())));
    assert!(prepare(&mut renderer, 1, &one, show));
    assert!(!prepare(&mut renderer, 1, &Arc::new((*one).clone()), show), "an equal scene");
    assert!(prepare(&mut renderer, 1, &one, Show::Wipe { split: 0.5 }));
    assert!(prepare(&mut renderer, 2, &one, show), "another viewport");
    assert_eq!((renderer.pictures_drawn(ViewportId(1)), renderer.rigs_kept()), (2, 1));

    let two = Arc::new(scene(&Arc::new(capsules())));
    prepare(&mut renderer, 1, &two, show);
    assert_eq!(renderer.rigs_kept(), 2);
    prepare(&mut renderer, 2, &two, show);
    drop(one);
    prepare(&mut renderer, 1, &two, Show::Side(Side::Compressed));
    assert_eq!(renderer.rigs_kept(), 1, "nobody owns the tube any more");
}

#[test]
fn a_picture_of_no_pixels_is_refused_by_name() {
    let scene = Arc::new(scene(&Arc::new(tube())));
    let mode = ViewMode::Single(Side::Original);
    let adapter = AdapterChoice::Reproducible;
    let job = RenderJob { size_px: [0, 40], pixels_per_point: 1.0, mode, scene, adapter };
    let error = device().render(&job).unwrap_err();
    assert!(matches!(error, RenderError::Size { width: 0, height: 40, .. }), "{error}");
    assert!(error.to_string().contains("0 x 40"), "{error}");
}

#[test]
fn the_command_line_gets_a_png() {
    let rig = Arc::new(tube());
    let options = PictureOptions { size_px: SIZE_PX, ..PictureOptions::default() };
    let png = render_png(&rig, &bent(&rig, 0.2, 0.0), Some(&bent(&rig, 0.9, 0.0)), &options).unwrap();
    let image = image::load_from_memory(&png).unwrap();
    assert_eq!((image.width(), image.height()), (SIZE_PX[0], SIZE_PX[1]));
}

/// A window that is one viewport.
struct Window {
    scene: Arc<ViewScene>,
    errors: GpuErrors,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let rect = ui.ctx().content_rect();
        let show = Show::Side(Side::Compressed);
        let shape = viewport(Viewport { id: ViewportId(7), rect, scene: self.scene.clone(), show });
        ui.ctx().layer_painter(egui::LayerId::background()).add(shape);
    }
}

#[test]
fn egui_shows_the_same_picture() {
    let scene = Arc::new(scene(&Arc::new(tube())));
    let alone = compressed(&scene);
    let size = egui::vec2(SIZE_PX[0] as f32, SIZE_PX[1] as f32);
    let mut harness = egui_kittest::Harness::builder().with_size(size).wgpu().build_eframe(|cc| Window {
        errors: install(cc.wgpu_render_state.as_ref().expect("kittest draws with wgpu")),
        scene: scene.clone(),
    });
    harness.run();
    let inside = harness.render().unwrap();
    assert_eq!(harness.state().errors.take(), Vec::<String>::new());
    // One sample a pixel in the window, four outside: edges differ, areas do not.
    let apart = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| (0..3).all(|c| a[c].abs_diff(b[c]) <= 3);
    let same = alone.pixels().zip(inside.pixels()).filter(|pair| apart(*pair)).count();
    let all = (SIZE_PX[0] * SIZE_PX[1]) as usize;
    assert!(same * 100 > all * 93, "{same} of {all} pixels agree");
}
