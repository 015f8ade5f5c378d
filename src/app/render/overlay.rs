use super::{Bone, ViewTheme};
use glam::{Affine3A, Mat4, Vec2, Vec3};

/// When a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LineLayer {
    /// On the ground, under the figure.
    Ground,
    /// In the scene: hidden by what is in front.
    Scene,
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
    /// Drawn 6 on, 4 off.
    pub dashed: bool,
    /// When it is drawn.
    pub layer: LineLayer,
}

/// An area on the ground, such as the sole of a planted foot.
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
    /// Dashed outline.
    pub dashed: bool,
}

/// Lines and areas that the window adds to one side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlay {
    /// Lines in any order; equal layers keep it.
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
    pub scene: Vec<LineInstance>,
    pub top: Vec<LineInstance>,
}

/// Turns points into pixels, so that dashes run on around corners.
pub(super) struct PixelSpace {
    pub clip_from_world: Mat4,
    pub size_px: Vec2,
    pub pixels_per_point: f32,
}

const JOINT_OUTER_PT: f32 = 5.0;
const JOINT_INNER_PT: f32 = 3.0;
const BONE_PT: f32 = 1.1;
const SELECTED_PT: f32 = 9.0;
/// Joints between shorter bones (fingers, from afar) get no dot, so that dots never cover the figure.
const DOT_BONE_PT: f32 = 12.0;

impl OverlayBatch {
    /// Adds the caller's lines and areas; `plants` tells whether those on the ground are wanted.
    pub fn add_overlay(&mut self, overlay: &Overlay, plants: bool, space: &PixelSpace) {
        for line in overlay.lines.iter().filter(|line| plants || line.layer != LineLayer::Ground) {
            self.push(line, 0.0, space);
        }
        for polygon in overlay.polygons.iter().filter(|p| plants && p.points.len() > 1) {
            self.add_polygon(polygon, space);
        }
    }

    /// Adds thin bones with round joints over the figure.
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
        let mut roomy = vec![false; model_from_joint.len()];
        for bone in bones {
            let ends = bone.ends(model_from_joint);
            self.push(&line(ends, theme.bone, BONE_PT), 0.0, space);
            let long = space.length_px(ends[0], ends[1]) >= DOT_BONE_PT * space.pixels_per_point;
            for joint in [bone.from, bone.to].into_iter().filter(|_| long) {
                roomy.get_mut(joint).into_iter().for_each(|room| *room = true);
            }
        }
        for joint in (0..roomy.len()).filter(|&joint| roomy[joint] || selected == Some(joint)) {
            let at = [Vec3::from(model_from_joint[joint].translation); 2];
            let (outer, width) = match selected == Some(joint) {
                true => (theme.accent, SELECTED_PT),
                false => (theme.joint_rim, JOINT_OUTER_PT),
            };
            self.push(&line(at, outer.with_alpha(0xE6), width), 0.0, space);
            self.push(&line(at, theme.joint.with_alpha(0xFF), JOINT_INNER_PT), 0.0, space);
        }
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
            LineLayer::Scene => &mut self.scene,
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

    #[test]
    fn dashes_of_an_outline_run_on_around_its_corners() {
        let space = PixelSpace { clip_from_world: Mat4::IDENTITY, size_px: Vec2::splat(200.0), pixels_per_point: 2.0 };
        let points = vec![Vec3::ZERO, Vec3::X * 0.5, Vec3::new(0.5, 0.25, 0.0)];
        let outline = [255; 4];
        let polygon = Polygon3d { points, fill: [0; 4], outline, width_pt: 1.5, dashed: true };
        let mut batch = OverlayBatch::default();
        batch.add_overlay(&Overlay { lines: vec![], polygons: vec![polygon] }, true, &space);
        let starts: Vec<f32> = batch.ground.iter().map(|line| line.dash_start_px).collect();
        assert_eq!(starts, [0.0, 50.0, 75.0]);
        assert!(batch.fills.is_empty(), "an invisible fill costs nothing");
        assert_eq!(batch.ground[0].width_px, 3.0);
    }
}
