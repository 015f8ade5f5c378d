//! Drawing of one figure, and of two figures over each other.

use super::{SIZE_PX, bent, capsules, compressed, differing, draw, original, scene, tube};
use glam::Vec3;
use image::RgbaImage;
use posepress_app::render::{
    Arrangement, CrowdMember, FigurePose, Line3d, LineLayer, Polygon3d, Shading, Show, Side, ViewScene,
};
use posepress_core::model::{Alpha, Image, Material, Rig};
use posepress_core::view::Layer;
use std::sync::Arc;

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

/// A pose moved sideways.
fn beside(pose: &FigurePose, by_m: Vec3) -> FigurePose {
    let moved = pose.joints.iter().map(|joint| glam::Affine3A::from_translation(by_m) * *joint);
    FigurePose { joints: moved.collect(), floats: pose.floats.clone() }
}

#[test]
fn any_character_of_a_crowd_is_drawn_like_the_first() {
    for rig in [tube(), capsules()].map(Arc::new) {
        let mut alone = scene(&rig);
        for layer in [Layer::Ground, Layer::Skeleton] {
            alone.layers.set(layer, false);
        }
        let errors_m: Arc<[f32]> = [0.0, 0.05, 0.01].into();
        let joint_errors = Shading::JointError { errors_m: errors_m.clone(), tolerance_m: 0.01 };
        for shading in [Shading::Material, Shading::Heat { tolerance_m: 0.01 }, joint_errors] {
            alone.shading = shading;
            let by_m = Vec3::new(0.5, 0.0, 0.3);
            let (raw, lossy) = (alone.raw.clone(), alone.lossy.clone().unwrap());
            let bulged = FigurePose::from_pose(&rig, &bent(&rig, 1.2, 0.8));
            let [here, there] = [(raw, lossy.clone()), (lossy, bulged)].map(|(raw, lossy)| CrowdMember {
                raw,
                lossy: Some(lossy),
                errors_m: errors_m.clone(),
            });
            let there = CrowdMember {
                raw: beside(&there.raw, by_m),
                lossy: there.lossy.as_ref().map(|lossy| beside(lossy, by_m)),
                ..there
            };
            let with = |first: &CrowdMember, second: &CrowdMember| {
                let (raw, lossy) = (first.raw.clone(), first.lossy.clone());
                let crowd = [second.clone()].into();
                let camera = alone.camera;
                ViewScene { raw, lossy, crowd, camera, ..alone.clone() }
            };
            let both = with(&here, &there);
            assert!(differing(&compressed(&both), &compressed(&alone)) > 200, "{} {:?}", rig.name, alone.shading);
            let swapped = with(&there, &here);
            for side in [original, compressed] {
                assert_eq!(differing(&side(&both), &side(&swapped)), 0, "{} {:?}", rig.name, alone.shading);
            }
        }
    }
}

#[test]
fn the_ground_is_under_all_of_a_crowd() {
    let by_m = Vec3::new(30.0, 0.0, 0.0);
    let mut there = scene(&Arc::new(tube()));
    for layer in [Layer::Mesh, Layer::Skeleton] {
        there.layers.set(layer, false);
    }
    there.camera.target += by_m;
    let ground_at = |scene: &ViewScene| {
        let mut without = scene.clone();
        without.layers.set(Layer::Ground, false);
        differing(&original(scene), &original(&without))
    };
    assert_eq!(ground_at(&there), 0, "one figure stands elsewhere");
    let member = CrowdMember { raw: beside(&there.raw, by_m), lossy: None, errors_m: Arc::default() };
    there.crowd = [member].into();
    assert!(ground_at(&there) > 1000, "{} pixels", ground_at(&there));
}

#[test]
fn a_wipe_shows_the_original_left_and_the_compressed_figure_right() {
    let scene = scene(&Arc::new(tube()));
    let split = 0.47;
    let at = (split * SIZE_PX[0] as f32).round() as u32;
    let wipe = draw(&scene, Arrangement::One(Show::Wipe { split, left: Side::Original }));
    let (left, right) = (original(&scene), compressed(&scene));
    let expected = |x, y| if x < at { left.get_pixel(x, y) } else { right.get_pixel(x, y) };
    let wrong: Vec<_> = wipe.enumerate_pixels().filter(|(x, y, pixel)| *pixel != expected(*x, *y)).collect();
    assert!(wrong.is_empty(), "{} wrong pixels, split at {at}, the first: {:?}", wrong.len(), wrong.first());
    assert_eq!(differing(&draw(&scene, Arrangement::One(Show::Wipe { split: 1.0, left: Side::Original })), &left), 0);
    assert_eq!(differing(&draw(&scene, Arrangement::One(Show::Wipe { split: 0.0, left: Side::Original })), &right), 0);
}

#[test]
fn an_onion_skin_fades_from_the_original_to_the_compressed_figure_in_their_colours() {
    let mut scene = scene(&Arc::new(tube()));
    scene.layers.set(Layer::Skeleton, false);
    let at = |mix: f32| draw(&scene, Arrangement::One(Show::Onion { mix }));
    let [original, both, compressed] = [0.0, 0.5, 1.0].map(at);
    let violet = |image: &RgbaImage| image.pixels().filter(|p| p[2] > p[1].saturating_add(25)).count();
    assert_eq!(violet(&original), 0, "the original is grey");
    assert!(violet(&compressed) > 400, "the compressed figure is violet: {} pixels", violet(&compressed));
    // Every pixel of the fade lies between the pixels of its ends.
    let between = |x: u32, y: u32, c: usize| {
        let [a, m, b] = [&original, &both, &compressed].map(|image| i32::from(image.get_pixel(x, y)[c]));
        m >= a.min(b) - 2 && m <= a.max(b) + 2
    };
    let pixels = (0..SIZE_PX[0]).flat_map(|x| (0..SIZE_PX[1]).map(move |y| (x, y)));
    assert!(pixels.clone().all(|(x, y)| (0..3).all(|c| between(x, y, c))));
    // Where there is only one figure, it shows through the background of the other picture.
    let apart = |image: &RgbaImage, other: &RgbaImage| differing(image, other);
    assert!(apart(&both, &original) > 300 && apart(&both, &compressed) > 300);
    scene.shading = Shading::Heat { tolerance_m: 0.01 };
    assert!(
        differing(&draw(&scene, Arrangement::One(Show::Onion { mix: 1.0 })), &compressed) > 300,
        "heat covers the violet"
    );
}

#[test]
fn an_exaggerated_difference_stands_before_the_ghost_of_the_original() {
    for rig in [tube(), capsules()].map(Arc::new) {
        let mut scene = scene(&rig);
        scene.layers.set(Layer::Skeleton, false);
        scene.layers.set(Layer::Ground, false);
        let plain = compressed(&scene);
        let mut empty = scene.clone();
        empty.layers.set(Layer::Mesh, false);
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
        // The pose with three times the difference, drawn unchanged, covers everything but the ghost.
        let mut apart = scene.clone();
        let drawn = scene.drawn_joints(Side::Compressed).into_owned();
        apart.offset_gain = 1.0;
        apart.lossy = Some(FigurePose::new(&drawn, &scene.raw.floats));
        let alone = covered(&compressed(&apart));
        let outside: Vec<_> = alone.difference(&place).collect();
        assert!(outside.len() <= alone.len() / 50, "{}: {} pixels off", rig.name, outside.len());
        assert_eq!(differing(&original(&scene), &original(&apart)), 0, "the original side is unchanged");
    }
}

#[test]
fn side_by_side_shows_both_halves() {
    let scene = scene(&Arc::new(tube()));
    let both = draw(&scene, Arrangement::SIDE_BY_SIDE);
    assert_eq!(both.dimensions(), (SIZE_PX[0], SIZE_PX[1]));
    let half = |x| image::imageops::crop_imm(&both, x, 0, 79, SIZE_PX[1]).to_image();
    assert!(differing(&half(0), &half(81)) > 100);
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
    let material =
        Material { name: "m".into(), base_color: [1.0; 4], base_color_image: Some(0), ..Material::default() };
    rig.materials.push(material);
    rig.meshes[0].material = Some(0);
    let picture = original(&scene(&Arc::new(rig)));
    let count = |test: fn(&image::Rgba<u8>) -> bool| picture.pixels().filter(|p| test(p)).count();
    assert!(count(|p| p[0] > p[2].saturating_add(60)) > 100, "the red half");
    assert!(count(|p| p[2] > p[0].saturating_add(60)) > 100, "the blue half");
}

/// A tube with one material and one image of one pixel.
fn with_material(material: Material, pixel: [u8; 4]) -> Rig {
    let mut rig = tube();
    rig.images.push(Image { width: 1, height: 1, rgba: pixel.to_vec() });
    rig.materials.push(material);
    rig.meshes[0].material = Some(0);
    rig
}

fn bare(rig: Rig) -> RgbaImage {
    let mut scene = scene(&Arc::new(rig));
    scene.layers.set(Layer::Skeleton, false);
    scene.layers.set(Layer::Ground, false);
    original(&scene)
}

/// Number of pixels that differ by more than `levels` in some channel.
fn apart(a: &RgbaImage, b: &RgbaImage, levels: u8) -> usize {
    let is_apart = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > levels);
    a.pixels().zip(b.pixels()).filter(|pair| is_apart(*pair)).count()
}

#[test]
fn a_map_of_normals_looks_as_normals_do_that_lean_as_much() {
    let plain = bare(with_material(Material::default(), [0xff; 4]));
    // The first texture coordinate grows along the tube, the second around it. Green is the direction in which the second shrinks.
    let around = |n: Vec3| Vec3::new(n.z, 0.0, -n.x);
    let along = |_| Vec3::Y;
    let cases = [([191, 128, 238, 255], &along as &dyn Fn(Vec3) -> Vec3), ([128, 191, 238, 255], &around)];
    for (texel, towards) in cases {
        let map = Material { normal_image: Some((0, 1.0)), ..Material::default() };
        let mapped = bare(with_material(map, texel));
        let mut leaning = with_material(Material::default(), [0xff; 4]);
        leaning.meshes[0].normals.iter_mut().for_each(|n| *n = 0.866 * *n + 0.5 * towards(*n));
        let leaning = bare(leaning);
        let changed = apart(&plain, &leaning, 24);
        assert!(changed > 700, "{texel:?}: {changed}");
        // Except the strip at which the second coordinate jumps from one to zero. A facet has one tangent, but smooth normals.
        let wrong = apart(&mapped, &leaning, 24);
        assert!(wrong < changed / 12, "{texel:?}: {wrong} of {changed}");
    }
}

#[test]
fn alpha_cuts_holes_or_lets_the_background_through() {
    let empty = {
        let mut scene = scene(&Arc::new(tube()));
        [Layer::Skeleton, Layer::Ground, Layer::Mesh].into_iter().for_each(|layer| scene.layers.set(layer, false));
        original(&scene)
    };
    let seen = |alpha: Alpha, of_texel: u8| {
        let material = Material { alpha, base_color_image: Some(0), ..Material::default() };
        differing(&empty, &bare(with_material(material, [255, 255, 255, of_texel])))
    };
    let whole = seen(Alpha::Opaque, 0);
    assert!(whole > 1500, "alpha of opaque surfaces is nothing: {whole}");
    assert_eq!((seen(Alpha::Mask(0.5), 100), seen(Alpha::Mask(0.5), 200)), (0, whole));
    let [quarter, three] = [64, 191].map(|alpha| seen(Alpha::Blend, alpha) as f32 / whole as f32);
    // The far side shows through the holes of the near side, unless both are in one pixel.
    assert!((0.2..0.45).contains(&quarter) && (0.7..0.95).contains(&three), "{quarter}, {three}");
    assert_eq!((seen(Alpha::Blend, 0), seen(Alpha::Blend, 255)), (0, whole));
}

#[test]
fn light_is_added_where_the_surface_is_shown_and_not_to_errors() {
    let dark = Material { base_color: [0.0, 0.0, 0.0, 1.0], ..Material::default() };
    let light = Material { emissive: [0.0, 1.0, 0.0], emissive_image: Some(0), ..dark.clone() };
    let green = |picture: &RgbaImage| picture.pixels().filter(|p| p[1] > 200 && p[0] < 120).count();
    let shining = with_material(light, [255, 255, 255, 255]);
    assert!(green(&bare(shining.clone())) > 1000);
    assert_eq!(green(&bare(with_material(dark, [0xff; 4]))), 0);
    let mut heat = scene(&Arc::new(shining.clone()));
    heat.shading = Shading::Heat { tolerance_m: 0.01 };
    let mut plain = scene(&Arc::new(with_material(Material::default(), [0xff; 4])));
    plain.shading = heat.shading.clone();
    assert_eq!(differing(&compressed(&heat), &compressed(&plain)), 0);
}

#[test]
fn ground_overlays_lie_under_the_figure_and_top_ones_over_it() {
    let rig = Arc::new(tube());
    let mut scene = scene(&rig);
    scene.layers.set(Layer::Skeleton, false);
    let plain = original(&scene);
    let red = [255, 0, 0, 255];
    let covered = |layer| {
        let mut scene = scene.clone();
        let (a, b) = (Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.0, 0.6, 0.0));
        scene.original_overlay.lines.push(Line3d { a, b, color: red, width_pt: 4.0, dashed: false, layer });
        differing(&plain, &original(&scene))
    };
    assert_eq!(covered(LineLayer::Ground), 0, "inside the tube, drawn before it");
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
    scene.layers.set(Layer::Contacts, false);
    assert_eq!(differing(&plain, &original(&scene)), 0);
}

#[test]
fn a_hidden_mesh_leaves_the_picture_and_comes_back() {
    let mut rig = tube();
    let mut sword = rig.meshes[0].clone();
    sword.name = "sword".into();
    sword.positions.iter_mut().for_each(|p| p.x += 0.4);
    rig.meshes.push(sword);
    let rig = Arc::new(rig);
    let mut with = scene(&rig);
    let both = compressed(&with);
    with.hidden_meshes.insert("sword".into());
    let one = compressed(&with);
    let mut without = Rig::clone(&rig);
    without.meshes[1].triangles.clear();
    let mut alone = scene(&Arc::new(without));
    (alone.camera, alone.ground_scale) = (with.camera, with.ground_scale);
    assert!(differing(&both, &one) > 200, "{} pixels", differing(&both, &one));
    assert_eq!(differing(&one, &compressed(&alone)), 0, "nothing of it is drawn, not even its shadow");
    with.hidden_meshes.clear();
    assert_eq!(differing(&both, &compressed(&with)), 0);
}
