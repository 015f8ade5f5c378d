use crate::render::{CrowdMember, FigurePose, HEAT_STOPS, Rgb, Shading, Show, Side, ViewScene, heat_position};
use glam::{Affine3A, Mat4, Vec2, Vec3};

/// The shader's `View`. The fields are described there.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct ViewData {
    clip_from_world: [[f32; 4]; 4],
    eye: [f32; 4],
    key_direction: [f32; 4],
    background_top: [f32; 4],
    background_bottom: [f32; 4],
    ground: [f32; 4],
    grid_minor: [f32; 4],
    grid_major: [f32; 4],
    clay: [f32; 4],
    tint: [f32; 4],
    ghost: [f32; 4],
    figure: [f32; 4],
    heat: [[f32; 4]; HEAT_STOPS.len()],
    ground_offset_m: [f32; 2],
    viewport_px: [f32; 2],
    ground_scale: f32,
    shadow: f32,
    tolerance_m: f32,
    offset_gain: f32,
    joint_count: u32,
    float_count: u32,
    side: u32,
    shading: u32,
    crowd_reach_m: f32,
    padding: [f32; 3],
}

/// The shader's names for sides and shadings.
const SIDE_ORIGINAL: u32 = 0;
const SIDE_COMPRESSED: u32 = 1;
const SHADING_MATERIAL: u32 = 0;
const SHADING_HEAT: u32 = 1;
const SHADING_JOINT_ERROR: u32 = 2;

/// Rows of an affine map: `vec4(point, 1) * rows` in WGSL.
pub(super) type Rows = [[f32; 4]; 3];

/// Direction to the key light: the viewer's upper left, in front. The form of a character is then visible from every
/// side.
const KEY_IN_VIEW: Vec3 = Vec3::new(-0.45, 0.75, 0.62);

/// Least tolerance, because errors are divided by it.
const SMALLEST_TOLERANCE_M: f32 = 1e-9;

/// Share of the side's colour in onion skin.
const ONION_TINT: f32 = 0.8;

impl ViewData {
    /// `reach_m` is the largest distance of the skin from the joint that moves it.
    pub fn new(
        scene: &ViewScene,
        (show, side): (Show, Side),
        clip_from_world: Mat4,
        size_px: Vec2,
        reach_m: f32,
    ) -> Self {
        let theme = &scene.theme;
        let (right, up, back) = level_axes(scene);
        let key = right * KEY_IN_VIEW.x + up * KEY_IN_VIEW.y + back * KEY_IN_VIEW.z;
        let (shading, tolerance_m) = match &scene.shading {
            Shading::Material => (SHADING_MATERIAL, 1.0),
            Shading::Heat { tolerance_m } => (SHADING_HEAT, *tolerance_m),
            Shading::JointError { tolerance_m, .. } => (SHADING_JOINT_ERROR, *tolerance_m),
        };
        let unit = |color: Rgb| color.to_unit();
        Self {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            eye: scene.camera.eye().extend(1.0).to_array(),
            key_direction: key.normalize().extend(0.0).to_array(),
            background_top: unit(theme.background_top),
            background_bottom: unit(theme.background_bottom),
            ground: unit(theme.ground),
            grid_minor: unit(theme.grid_minor),
            grid_major: unit(theme.grid_major),
            clay: unit(theme.clay),
            tint: tint(scene, show, side),
            ghost: unit(theme.ghost),
            figure: footprint(scene, side, reach_m),
            heat: HEAT_STOPS.map(|(ratio, color)| {
                let [r, g, b, _] = color.to_unit();
                [r, g, b, heat_position(ratio)]
            }),
            ground_offset_m: scene.ground_offset_m.to_array(),
            viewport_px: size_px.to_array(),
            ground_scale: scene.ground_scale.max(1e-6),
            shadow: theme.shadow,
            tolerance_m: tolerance_m.max(SMALLEST_TOLERANCE_M),
            offset_gain: scene.offset_gain,
            joint_count: scene.rig.skeleton.len() as u32,
            float_count: scene.rig.float_names.len() as u32,
            side: match side {
                Side::Original => SIDE_ORIGINAL,
                Side::Compressed => SIDE_COMPRESSED,
            },
            shading,
            crowd_reach_m: crowd_reach_m(scene, side),
            padding: [0.0; 3],
        }
    }
}

/// Largest distance of a character of the crowd from the first one, on the ground.
fn crowd_reach_m(scene: &ViewScene, side: Side) -> f32 {
    let root = |pose: &FigurePose| pose.joints.first().map_or(Vec3::ZERO, |joint| joint.translation.into());
    let first = root(scene.pose(side));
    let distance = |member: &CrowdMember| ((root(member.pose(side)) - first) * Vec3::new(1.0, 0.0, 1.0)).length();
    scene.crowd.iter().map(distance).filter(|distance| distance.is_finite()).fold(0.0, f32::max)
}

/// Colour of the tint and its share. Onion skins are tinted by side; other pictures keep their materials.
fn tint(scene: &ViewScene, show: Show, side: Side) -> [f32; 4] {
    let color = match side {
        Side::Original => scene.theme.original,
        Side::Compressed => scene.theme.compressed,
    };
    let [r, g, b, _] = color.to_unit();
    [r, g, b, if matches!(show, Show::Onion { .. }) { ONION_TINT } else { 0.0 }]
}

/// The camera's axes without its pitch, so that light always comes from above.
fn level_axes(scene: &ViewScene) -> (Vec3, Vec3, Vec3) {
    let (right, ..) = scene.camera.axes();
    (right, Vec3::Y, right.cross(Vec3::Y))
}

/// Point of the ground under the character, and half the side of a square around everything that can cast a shadow.
fn footprint(scene: &ViewScene, side: Side, reach_m: f32) -> [f32; 4] {
    let joints = &scene.pose(side).joints;
    let finite = || joints.iter().map(|m| Vec3::from(m.translation)).filter(|p| p.is_finite());
    let (mut min, mut max) = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
    for point in finite() {
        (min, max) = (min.min(point), max.max(point));
    }
    if min.x > max.x {
        (min, max) = (Vec3::ZERO, Vec3::ZERO);
    }
    let center = (min + max) * 0.5;
    let half = (max - min).max_element() * 0.5 + reach_m + 0.1 * scene.ground_scale;
    [center.x, scene.ground_m, center.z, half.max(1e-6)]
}

/// Matrices of raw and lossy pose, character by character, each exactly as long as the skeleton.
pub(super) fn joint_rows(scene: &ViewScene) -> Vec<Rows> {
    let count = scene.rig.skeleton.len();
    let mut all = Vec::with_capacity(2 * count * scene.members() as usize);
    let mut add = |pose: &FigurePose| {
        let missing = count.saturating_sub(pose.joints.len());
        let joints = pose.joints.iter().take(count).copied();
        all.extend(joints.chain(std::iter::repeat_n(Affine3A::IDENTITY, missing)).map(rows));
    };
    for side in SIDES {
        add(scene.pose(side));
    }
    for (member, side) in scene.crowd.iter().flat_map(|member| SIDES.map(|side| (member, side))) {
        add(member.pose(side));
    }
    all
}

const SIDES: [Side; 2] = [Side::Original, Side::Compressed];

/// Character by character: floats of raw and lossy pose, then errors per joint, each padded to its full length.
pub(super) fn scalars(scene: &ViewScene) -> Vec<f32> {
    let (floats, joints) = (scene.rig.float_names.len(), scene.rig.skeleton.len());
    let mut all = Vec::with_capacity((2 * floats + joints) * scene.members() as usize);
    let mut add = |poses: [&FigurePose; 2], errors_m: &[f32]| {
        for (values, count) in [(&*poses[0].floats, floats), (&*poses[1].floats, floats), (errors_m, joints)] {
            all.extend((0..count).map(|i| values.get(i).copied().unwrap_or(0.0)));
        }
    };
    let errors_m: &[f32] = match &scene.shading {
        Shading::JointError { errors_m, .. } => errors_m,
        Shading::Material | Shading::Heat { .. } => &[],
    };
    add(SIDES.map(|side| scene.pose(side)), errors_m);
    scene.crowd.iter().for_each(|member| add(SIDES.map(|side| member.pose(side)), &member.errors_m));
    all
}

pub(super) fn rows(map: Affine3A) -> Rows {
    let m = map.matrix3.transpose();
    let t = map.translation;
    [m.x_axis.extend(t.x).to_array(), m.y_axis.extend(t.y).to_array(), m.z_axis.extend(t.z).to_array()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::gpu::wgsl::{assert_struct, constant, fields_of};
    use crate::render::shader_sources;

    #[test]
    fn the_view_is_what_every_shader_reads_and_no_uniform() {
        let fields = fields_of!(ViewData {
            clip_from_world,
            eye,
            key_direction,
            background_top,
            background_bottom,
            ground,
            grid_minor,
            grid_major,
            clay,
            tint,
            ghost,
            figure,
            heat,
            ground_offset_m,
            viewport_px,
            ground_scale,
            shadow,
            tolerance_m,
            offset_gain,
            joint_count,
            float_count,
            side,
            shading,
            crowd_reach_m,
            padding
        });
        let readers = shader_sources().into_iter().filter(|(_, source)| source.contains("struct View {"));
        let mut read = 0;
        for (_, source) in readers {
            assert_struct(source, "View", &fields, size_of::<ViewData>());
            assert!(source.contains("var<storage, read> view: View;"), "what changes with each frame is no uniform");
            read += 1;
        }
        assert_eq!(read, shader_sources().len() - 1, "all but the one that copies pictures");
    }

    #[test]
    fn sides_and_shadings_have_the_shaders_numbers() {
        let numbers = [
            ("SIDE_ORIGINAL", SIDE_ORIGINAL),
            ("SIDE_COMPRESSED", SIDE_COMPRESSED),
            ("SHADING_MATERIAL", SHADING_MATERIAL),
            ("SHADING_HEAT", SHADING_HEAT),
            ("SHADING_JOINT_ERROR", SHADING_JOINT_ERROR),
        ];
        for (name, number) in numbers {
            assert_eq!(constant(shader_sources()[0].1, name), number, "{name}");
        }
    }
}
