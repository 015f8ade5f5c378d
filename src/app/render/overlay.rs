use super::{Rgb, ViewTheme};
use glam::{Affine3A, Mat4, Vec2, Vec3};
use posepress_core::model::Bone;

/// When a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LineLayer {
    /// On the ground, under the character.
    Ground,
    /// Over everything.
    #[default]
    Top,
}

/// A straight line with round ends; a line without length is a disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line3d {
    /// One end, metres.
    pub a: Vec3,
    /// The other end, metres.
    pub b: Vec3,
    /// sRGB and opacity.
    pub color: [u8; 4],
    /// Width in points.
    pub width_pt: f32,
    /// True for a dashed line: 6 on, 4 off.
    pub dashed: bool,
    /// When it is drawn.
    pub layer: LineLayer,
}

/// An area on the ground, such as the sole of a foot in contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon3d {
    /// Outline in order, metres. The area must be visible from the points' centre (any hull is).
    pub points: Vec<Vec3>,
    /// sRGB and opacity of the area; opacity 0 fills nothing.
    pub fill: [u8; 4],
    /// sRGB and opacity of the outline; opacity 0 draws none.
    pub outline: [u8; 4],
    /// Width of the outline in points.
    pub width_pt: f32,
    /// True for a dashed outline.
    pub dashed: bool,
}

/// Lines and areas that the window adds to one side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlay {
    /// Lines in any order. Lines of one layer are drawn in this order.
    pub lines: Vec<Line3d>,
    /// Areas on the ground.
    pub polygons: Vec<Polygon3d>,
}

/// A line as the shader reads it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct LineInstance {
    a: [f32; 3],
    dash_start_px: f32,
    b: [f32; 3],
    width_px: f32,
    color: [u8; 4],
    dashed: f32,
}

pub(super) const LINE_ATTRIBUTES: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32, 2 => Float32x3, 3 => Float32, 4 => Unorm8x4, 5 => Float32
];

/// A corner of a filled area.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct FillVertex {
    position: [f32; 3],
    color: [u8; 4],
}

pub(super) const FILL_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4];

/// Everything of one side, sorted for drawing.
#[derive(Debug, Default)]
pub(super) struct OverlayBatch {
    pub fills: Vec<FillVertex>,
    pub ground: Vec<LineInstance>,
    pub top: Vec<LineInstance>,
}

/// Converts positions to pixels, so that dashes continue around corners.
pub(super) struct PixelSpace {
    pub clip_from_world: Mat4,
    pub size_px: Vec2,
    pub pixels_per_point: f32,
}

const JOINT_OUTER_PT: f32 = 5.0;
const JOINT_INNER_PT: f32 = 3.0;
const BONE_PT: f32 = 1.1;
const SELECTED_PT: f32 = 9.0;
/// Joints of shorter bones (fingers from afar) get no dot, so that dots never cover the character.
const DOT_BONE_PT: f32 = 12.0;
/// Width of the dark rim of a line, so that bright lines show on bright surfaces.
const RIM_PT: f32 = 0.9;
/// Opacity of a rim, as a share of its line's opacity.
const RIM_OPACITY: f32 = 0.7;

impl OverlayBatch {
    /// Adds the caller's lines and areas. `contacts` is true if those on the ground are drawn.
    pub fn add_overlay(&mut self, overlay: &Overlay, contacts: bool, theme: &ViewTheme, space: &PixelSpace) {
        let wanted = overlay.lines.iter().filter(|line| contacts || line.layer != LineLayer::Ground);
        let (over_figure, others): (Vec<Line3d>, Vec<_>) = wanted.partition(|line| line.layer == LineLayer::Top);
        others.iter().for_each(|line| self.push(line, 0.0, space));
        self.push_rimmed(&over_figure, theme.joint, space);
        for polygon in overlay.polygons.iter().filter(|p| contacts && p.points.len() > 1) {
            self.add_polygon(polygon, space);
        }
    }

    /// Adds thin bones with round joints over the character.
    pub fn add_skeleton(
        &mut self,
        bones: &[Bone],
        model_from_joint: &[Affine3A],
        selected: Option<usize>,
        theme: &ViewTheme,
        space: &PixelSpace,
    ) {
        let line =
            |[a, b]: [Vec3; 2], color, width_pt| Line3d { a, b, color, width_pt, dashed: false, layer: LineLayer::Top };
        let bone_lines: Vec<_> =
            bones.iter().map(|bone| line(bone.ends(model_from_joint), theme.bone, BONE_PT)).collect();
        self.push_rimmed(&bone_lines, theme.joint, space);
        let roomy = roomy_joints(bones, model_from_joint, space);
        let dotted = (0..roomy.len()).filter(|&joint| roomy[joint] || selected == Some(joint));
        let dots = dotted.map(|joint| {
            let (outer, width) = match selected == Some(joint) {
                true => (theme.accent, SELECTED_PT),
                false => (theme.joint_rim, JOINT_OUTER_PT),
            };
            line([Vec3::from(model_from_joint[joint].translation); 2], outer.with_alpha(0xE6), width)
        });
        let dots: Vec<_> = dots.collect();
        self.push_rimmed(&dots, theme.joint, space);
        for dot in &dots {
            self.push(&line([dot.a, dot.b], theme.joint.with_alpha(0xFF), JOINT_INNER_PT), 0.0, space);
        }
    }

    /// Adds lines over the character with dark rims. All rims are below all lines.
    fn push_rimmed(&mut self, lines: &[Line3d], rim: Rgb, space: &PixelSpace) {
        for line in lines {
            let color = rim.with_alpha((f32::from(line.color[3]) * RIM_OPACITY) as u8);
            self.push(&Line3d { color, width_pt: line.width_pt + 2.0 * RIM_PT, ..*line }, 0.0, space);
        }
        lines.iter().for_each(|line| self.push(line, 0.0, space));
    }

    fn add_polygon(&mut self, polygon: &Polygon3d, space: &PixelSpace) {
        let corners = polygon.points.iter().zip(polygon.points.iter().cycle().skip(1));
        let centre = polygon.points.iter().sum::<Vec3>() / polygon.points.len() as f32;
        let mut dash_start_px = 0.0;
        for (&a, &b) in corners {
            if polygon.fill[3] > 0 {
                let corner = |p: Vec3| FillVertex { position: p.to_array(), color: polygon.fill };
                self.fills.extend([centre, a, b].map(corner));
            }
            if polygon.outline[3] > 0 {
                let (color, width_pt, dashed) = (polygon.outline, polygon.width_pt, polygon.dashed);
                let line = Line3d { a, b, color, width_pt, dashed, layer: LineLayer::Ground };
                self.push(&line, dash_start_px, space);
                dash_start_px += space.length_px(a, b);
            }
        }
    }

    fn push(&mut self, line: &Line3d, dash_start_px: f32, space: &PixelSpace) {
        let layer = match line.layer {
            LineLayer::Ground => &mut self.ground,
            LineLayer::Top => &mut self.top,
        };
        layer.push(LineInstance {
            a: line.a.to_array(),
            dash_start_px,
            b: line.b.to_array(),
            width_px: line.width_pt * space.pixels_per_point,
            color: line.color,
            dashed: f32::from(u8::from(line.dashed)),
        });
    }
}

/// True for joints with room for a dot: their longest outgoing bone is long on screen. For an end joint, the bone to it
/// counts.
fn roomy_joints(bones: &[Bone], model_from_joint: &[Affine3A], space: &PixelSpace) -> Vec<bool> {
    let mut from_px = vec![None::<f32>; model_from_joint.len()];
    let mut to_px = vec![0f32; model_from_joint.len()];
    for bone in bones {
        let [a, b] = bone.ends(model_from_joint);
        let length_px = space.length_px(a, b);
        if let Some(longest) = from_px.get_mut(bone.from) {
            *longest = Some(longest.unwrap_or(0.0).max(length_px));
        }
        if let Some(longest) = to_px.get_mut(bone.to) {
            *longest = longest.max(length_px);
        }
    }
    let least_px = DOT_BONE_PT * space.pixels_per_point;
    from_px.into_iter().zip(to_px).map(|(from, to)| from.unwrap_or(to) >= least_px).collect()
}

impl PixelSpace {
    /// Length of a line on the screen; zero when an end is behind the eye.
    fn length_px(&self, a: Vec3, b: Vec3) -> f32 {
        let px = |p: Vec3| {
            let clip = self.clip_from_world * p.extend(1.0);
            (clip.w > 0.0).then(|| Vec2::new(clip.x, clip.y) / clip.w * 0.5 * self.size_px)
        };
        px(a).zip(px(b)).map_or(0.0, |(a, b)| a.distance(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::gpu::wgsl::{assert_inputs, fields_of};
    use crate::render::shader_sources;

    #[test]
    fn lines_and_areas_are_what_the_shader_reads() {
        let (_, source) = shader_sources().into_iter().find(|(name, _)| *name == "overlay").expect("there is one");
        let line = fields_of!(LineInstance { a, dash_start_px, b, width_px, color, dashed });
        assert_inputs(source, "line_vertex", &[(&line, &LINE_ATTRIBUTES)]);
        let corner = fields_of!(FillVertex { position, color });
        assert_inputs(source, "fill_vertex", &[(&corner, &FILL_ATTRIBUTES)]);
    }

    /// 200 pixels for 2 metres.
    fn flat_space() -> PixelSpace {
        PixelSpace { clip_from_world: Mat4::IDENTITY, size_px: Vec2::splat(200.0), pixels_per_point: 1.0 }
    }

    #[test]
    fn lines_over_the_figure_have_a_dark_rim_beneath_all_of_them() {
        let line = |layer| {
            let color = [255, 255, 255, 200];
            Line3d { a: Vec3::ZERO, b: Vec3::X, color, width_pt: 2.0, dashed: false, layer }
        };
        let lines = vec![line(LineLayer::Top), line(LineLayer::Ground), line(LineLayer::Top)];
        let mut batch = OverlayBatch::default();
        batch.add_overlay(&Overlay { lines, polygons: vec![] }, true, &ViewTheme::DARK, &flat_space());
        let widths: Vec<f32> = batch.top.iter().map(|line| line.width_px).collect();
        assert_eq!(widths, [3.8, 3.8, 2.0, 2.0]);
        let Rgb(r, g, b) = ViewTheme::DARK.joint;
        assert_eq!((batch.top[0].color, batch.top[3].color), ([r, g, b, 140], [255, 255, 255, 200]));
        assert_eq!(batch.ground.len(), 1, "on the ground it needs none");
    }

    #[test]
    fn knuckles_get_dots_only_where_fingers_are_long_on_the_screen() {
        let bone = |from, to| Bone { from, to, offset: Vec3::ZERO };
        // Elbow, hand, knuckle, fingertip: 50, 20 and 6 pixels apart.
        let bones = [bone(0, 1), bone(1, 2), bone(2, 3)];
        let joints = [0.0, 0.5, 0.7, 0.76].map(|x| Affine3A::from_translation(Vec3::X * x));
        assert_eq!(roomy_joints(&bones, &joints, &flat_space()), [true, true, false, false]);
        let near = PixelSpace { size_px: Vec2::splat(600.0), ..flat_space() };
        assert_eq!(roomy_joints(&bones, &joints, &near), [true; 4]);
    }

    #[test]
    fn dashes_of_an_outline_run_on_around_its_corners() {
        let space = PixelSpace { clip_from_world: Mat4::IDENTITY, size_px: Vec2::splat(200.0), pixels_per_point: 2.0 };
        let points = vec![Vec3::ZERO, Vec3::X * 0.5, Vec3::new(0.5, 0.25, 0.0)];
        let outline = [255; 4];
        let polygon = Polygon3d { points, fill: [0; 4], outline, width_pt: 1.5, dashed: true };
        let mut batch = OverlayBatch::default();
        batch.add_overlay(&Overlay { lines: vec![], polygons: vec![polygon] }, true, &ViewTheme::DARK, &space);
        let starts: Vec<f32> = batch.ground.iter().map(|line| line.dash_start_px).collect();
        assert_eq!(starts, [0.0, 50.0, 75.0]);
        assert!(batch.fills.is_empty(), "an invisible fill costs nothing");
        assert_eq!(batch.ground[0].width_px, 3.0);
    }
}
