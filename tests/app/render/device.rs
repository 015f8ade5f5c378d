//! The device: equal bytes everywhere, no repeated work, and errors for broken rigs and drivers.

use super::{SIZE_PX, capsules, compressed, device, differing, draw, scene, tube};
use posepress_app::render::{
    AdapterChoice, Arrangement, FigurePose, GpuErrors, Headless, RenderError, RenderJob, RenderOptions, Renderer,
    Shading, Show, Side, ViewScene, Viewport, ViewportId, find_adapter, install, shader_sources, viewport,
};
use posepress_core::model::{Image, Rig, SkinnedMesh};
use std::sync::Arc;

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
            arrangement: Arrangement::SIDE_BY_SIDE,
            scene,
            compressed_camera: None,
        };
        let first = device().render(&job).unwrap();
        let second = Headless::new(AdapterChoice::Reproducible).unwrap().render(&job).unwrap();
        assert_eq!(differing(&first, &second), 0);
        let colors: std::collections::HashSet<_> = first.pixels().collect();
        assert!(colors.len() > 200, "a shaded picture, not a flat one: {} colours", colors.len());
    }
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
    draw(&scene, Arrangement::One(Show::Wipe { split: 0.5, left: Side::Original }));
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
    assert!(prepare(&mut renderer, 1, &one, Show::Wipe { split: 0.5, left: Side::Original }));
    assert!(prepare(&mut renderer, 2, &one, show), "another viewport");
    assert_eq!(renderer.rigs_kept(), 1);

    let two = Arc::new(scene(&Arc::new(capsules())));
    prepare(&mut renderer, 1, &two, show);
    assert_eq!(renderer.rigs_kept(), 2);
    prepare(&mut renderer, 2, &two, show);
    drop(one);
    prepare(&mut renderer, 1, &two, Show::Side(Side::Compressed));
    assert_eq!(renderer.rigs_kept(), 1, "the tube has no owner any more");
}

#[test]
fn a_picture_of_no_pixels_is_refused_by_name() {
    let scene = Arc::new(scene(&Arc::new(tube())));
    let arrangement = Arrangement::One(Show::Side(Side::Original));
    let job = RenderJob { size_px: [0, 40], pixels_per_point: 1.0, arrangement, scene, compressed_camera: None };
    let error = device().render(&job).unwrap_err();
    assert!(matches!(error, RenderError::Size { width: 0, height: 40, .. }), "{error}");
    assert!(error.to_string().contains("0 x 40"), "{error}");
}

#[test]
fn a_rig_that_the_device_cannot_hold_is_refused_with_what_it_asked_for() {
    let adapter = find_adapter(AdapterChoice::Reproducible).unwrap();
    let small =
        wgpu::Limits { max_buffer_size: 1 << 18, max_storage_buffer_binding_size: 1 << 18, ..wgpu::Limits::default() };
    let descriptor = wgpu::DeviceDescriptor { required_limits: small, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let errors = GpuErrors::watch(&device);
    let mut renderer = Renderer::new(&device, RenderOptions { samples: 1, blit_format: None });
    let mut draw = |rig: &Arc<Rig>| {
        let scene = Arc::new(ViewScene { rig: rig.clone().into(), ..scene(&Arc::new(tube())) });
        let mut encoder = device.create_command_encoder(&Default::default());
        let show = Show::Side(Side::Original);
        let drawn = renderer.prepare(&device, &queue, &mut encoder, ViewportId(1), SIZE_PX, 1.0, &scene, show);
        queue.submit([encoder.finish()]);
        (drawn, renderer.rig_state(rig).map(|state| state.map_err(ToString::to_string)))
    };
    let mut large = tube();
    large.meshes[0].positions.resize(5000, glam::Vec3::ZERO);
    let (drawn, state) = draw(&Arc::new(large));
    let words = state.unwrap().unwrap_err();
    assert!(!drawn && words.starts_with("The vertices of mesh 1 need 351.6 KB"), "{words}");
    assert!(words.ends_with("gives 256.0 KB at most"), "{words}");
    assert_eq!(draw(&Arc::new(tube())), (true, Some(Ok(()))), "the next rig is drawn");
    assert_eq!(errors.take(), Vec::<String>::new());
}

/// A window that shows one viewport.
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
    // One sample per pixel in the window, four outside: edges differ, areas do not.
    let apart = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| (0..3).all(|c| a[c].abs_diff(b[c]) <= 3);
    let same = alone.pixels().zip(inside.pixels()).filter(|pair| apart(*pair)).count();
    let all = (SIZE_PX[0] * SIZE_PX[1]) as usize;
    assert!(same * 100 > all * 93, "{same} of {all} pixels agree");
}
