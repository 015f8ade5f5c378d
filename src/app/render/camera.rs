use glam::{Affine3A, Mat4, Vec2, Vec3};
use posepress_core::model::{Rig, bones};
use posepress_core::view::{CameraDirection, CameraPlace, CameraPreset};
use serde::{Deserialize, Serialize};

/// An axis-aligned box, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Bounds {
    /// Size of a person, used if there is nothing to measure.
    pub const PERSON: Self = Self { min: Vec3::new(-0.5, 0.0, -0.5), max: Vec3::new(0.5, 1.8, 0.5) };

    /// The box around points; `None` without any finite one.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut finite = points.into_iter().filter(|p| p.is_finite());
        let first = finite.next()?;
        Some(finite.fold(Self { min: first, max: first }, |b, p| Self { min: b.min.min(p), max: b.max.max(p) }))
    }

    /// The box around a character: its skinned vertices and bones, or its joints if it has neither.
    pub fn of_figure(rig: &Rig, model_from_joint: &[Affine3A], floats: &[f32]) -> Self {
        let known = |skin: &posepress_core::model::SkinJoint| skin.joint < model_from_joint.len();
        let meshes = rig.meshes.iter().filter(|mesh| mesh.palette.iter().all(known));
        let vertices =
            meshes.flat_map(|m| (0..m.positions.len()).map(move |v| m.skin_vertex(v, model_from_joint, floats)));
        let bones = bones(rig);
        Self::of_points(vertices.chain(bones.iter().flat_map(|bone| bone.ends(model_from_joint))))
            .or_else(|| Self::of_points(model_from_joint.iter().map(|m| m.translation.into())))
            .unwrap_or(Self::PERSON)
    }

    /// A small box around a point of a character, in proportion to the character's size.
    pub fn close_up(at: Vec3, figure: Self) -> Self {
        const REACH_M: f32 = 0.28;
        const PERSON_RADIUS_M: f32 = 0.9;
        let reach = Vec3::splat(REACH_M * (figure.radius_m() / PERSON_RADIUS_M).max(0.05));
        Self { min: at - reach, max: at + reach }
    }

    /// The box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The middle.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Half of the diagonal, metres.
    pub fn radius_m(&self) -> f32 {
        (self.max - self.min).length() * 0.5
    }

    /// Power of ten by which the grid scales with the character: 1 for 0.5 to 5 m, 100 for a fox of 170 m read in the
    /// wrong unit.
    pub fn ground_scale(&self) -> f32 {
        const LARGEST_M: f32 = 5.0;
        let size = (self.max - self.min).max_element().clamp(1e-3, 1e6);
        10f32.powf((size / LARGEST_M).log10().ceil())
    }

    fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, min: f32, max: f32| if i & bit == 0 { min } else { max };
            Vec3::new(pick(1, self.min.x, self.max.x), pick(2, self.min.y, self.max.y), pick(4, self.min.z, self.max.z))
        })
    }
}

/// Height of the text at the upper and lower edge of a viewport, as fractions of its height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Insets {
    /// At the upper end.
    pub top: f32,
    /// At the lower end.
    pub bottom: f32,
}

impl Insets {
    /// The free share of the height, at least a third. In a low viewport the text covers the character.
    fn free(&self) -> f32 {
        (1.0 - self.top - self.bottom).max(1.0 / 3.0)
    }
}

/// A perspective camera that orbits a point. Y is up; screen positions are pixels from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// The point it looks at and turns around, metres.
    pub target: Vec3,
    /// Angle around the up axis; 0 looks from +Z, growing towards +X.
    pub yaw_rad: f32,
    /// Angle above the horizon.
    pub pitch_rad: f32,
    /// From the target to the eye.
    pub distance_m: f32,
    /// Vertical field of view.
    #[serde(skip, default = "fov_y_rad")]
    pub fov_y_rad: f32,
}

fn fov_y_rad() -> f32 {
    FOV_Y_RAD
}

const FOV_Y_RAD: f32 = 30.0 * std::f32::consts::PI / 180.0;
/// Largest pitch. Straight up and down have no sideways direction.
const MAX_PITCH_RAD: f32 = 89.0 * std::f32::consts::PI / 180.0;
/// Smallest and largest pitch for facing a surface. A camera below the ground would not see a sole.
const FACE_PITCH_RAD: [f32; 2] = [0.05, 0.9];
/// Part of the viewport that a framed box fills.
const FRAME_FILL: f32 = 0.94;
const DISTANCE_RANGE_M: std::ops::RangeInclusive<f32> = 1e-3..=1e6;

impl Camera {
    /// A camera that frames a box from the front, three-quarter.
    pub fn framing(bounds: Bounds, aspect: f32) -> Self {
        let mut camera =
            Self { target: Vec3::ZERO, yaw_rad: 0.0, pitch_rad: 0.0, distance_m: 1.0, fov_y_rad: FOV_Y_RAD };
        camera.look_from(CameraPreset::FrontThreeQuarter.direction());
        camera.frame(bounds, aspect);
        camera
    }

    /// The camera of a saved place.
    pub fn at(place: CameraPlace) -> Self {
        let (target, distance_m) = (place.target_m.into(), place.distance_m);
        let mut camera = Self { target, yaw_rad: 0.0, pitch_rad: 0.0, distance_m, fov_y_rad: FOV_Y_RAD };
        camera.look_from(place.direction);
        camera.orbit(0.0, 0.0);
        camera
    }

    /// The place to save, rounded to 0.01 degrees and 0.1 mm.
    pub fn place(&self) -> CameraPlace {
        let rounded = |value: f32, steps: f32| (value * steps).round() / steps;
        let [yaw_deg, pitch_deg] = [self.yaw_rad, self.pitch_rad].map(|rad| rounded(rad.to_degrees(), 1e2));
        CameraPlace {
            direction: CameraDirection { yaw_deg, pitch_deg },
            target_m: self.target.to_array().map(|metre| rounded(metre, 1e4)),
            distance_m: rounded(self.distance_m, 1e4).max(*DISTANCE_RANGE_M.start()),
        }
    }

    /// A saved camera; `None` if its values are out of range.
    pub fn restored(self) -> Option<Self> {
        let is_near = self.target.abs().max_element() <= *DISTANCE_RANGE_M.end();
        let is_sane = is_near && self.yaw_rad.is_finite() && self.pitch_rad.abs() <= MAX_PITCH_RAD;
        (is_sane && DISTANCE_RANGE_M.contains(&self.distance_m) && self.target.is_finite()).then_some(self)
    }

    /// Turns to a direction. Target and distance stay.
    pub fn look_from(&mut self, direction: CameraDirection) {
        (self.yaw_rad, self.pitch_rad) = (direction.yaw_deg.to_radians(), direction.pitch_deg.to_radians());
    }

    /// Turns so that a surface that faces `outward` is visible, level or a little from above. Does nothing if it is
    /// visible already.
    pub fn face(&mut self, outward: Vec3) {
        const SEEN: f32 = 0.35;
        if outward.dot(self.axes().2) >= SEEN {
            return;
        }
        if outward.with_y(0.0).length() > 0.2 {
            self.yaw_rad = outward.x.atan2(outward.z);
        }
        self.pitch_rad = outward.y.clamp(-1.0, 1.0).asin().clamp(FACE_PITCH_RAD[0], FACE_PITCH_RAD[1]);
    }

    /// Moves so that the whole box is visible. The direction stays. `aspect` is width / height.
    pub fn frame(&mut self, bounds: Bounds, aspect: f32) {
        self.frame_within(bounds, aspect, Insets::default());
    }

    /// Same as [`Self::frame`], in the part of the viewport between the insets.
    pub fn frame_within(&mut self, bounds: Bounds, aspect: f32, insets: Insets) {
        let tan_of_picture = (self.fov_y_rad * 0.5).tan();
        let tan_y = tan_of_picture * FRAME_FILL * insets.free();
        let tan_x = tan_of_picture * FRAME_FILL * aspect.max(1e-3);
        let (right, up, back) = self.axes();
        self.target = bounds.center();
        let distances = bounds.corners().map(|corner| {
            let from_target = corner - self.target;
            let sideways = (from_target.dot(right).abs() / tan_x).max(from_target.dot(up).abs() / tan_y);
            sideways + from_target.dot(back)
        });
        self.set_distance(distances.into_iter().fold(0.0, f32::max));
        self.target -= up * ((insets.bottom - insets.top) * tan_of_picture * self.distance_m);
    }

    /// Turns around the target.
    pub fn orbit(&mut self, yaw_rad: f32, pitch_rad: f32) {
        self.yaw_rad = (self.yaw_rad + yaw_rad) % std::f32::consts::TAU;
        self.pitch_rad = (self.pitch_rad + pitch_rad).clamp(-MAX_PITCH_RAD, MAX_PITCH_RAD);
    }

    /// Moves sideways so that points at the target's depth follow the pointer.
    pub fn pan(&mut self, pointer_delta_px: Vec2, size_px: Vec2) {
        let (right, up, _) = self.axes();
        let metres = pointer_delta_px * self.metres_per_px(size_px);
        self.target += up * metres.y - right * metres.x;
    }

    /// Multiplies the distance. The point under the pointer at the target's depth stays there.
    pub fn dolly(&mut self, factor: f32, pointer_px: Vec2, size_px: Vec2) {
        let (right, up, _) = self.axes();
        let before = self.distance_m;
        let offset = (pointer_px - size_px * 0.5) * self.metres_per_px(size_px);
        self.set_distance(before * factor);
        self.target += (right * offset.x - up * offset.y) * (1.0 - self.distance_m / before);
    }

    /// Position of the eye, metres.
    pub fn eye(&self) -> Vec3 {
        self.target + self.axes().2 * self.distance_m
    }

    /// Right, up and backwards (towards the eye), unit length, for gizmos and drags.
    pub fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let (sin_yaw, cos_yaw) = self.yaw_rad.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch_rad.sin_cos();
        let back = Vec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch);
        let right = Vec3::new(cos_yaw, 0.0, -sin_yaw);
        (right, back.cross(right), back)
    }

    /// `view_from_world`: x right, y up, z backwards.
    pub fn view_from_world(&self) -> Mat4 {
        glam::camera::rh::view::look_at_mat4(self.eye(), self.target, self.axes().1)
    }

    /// `clip_from_world` for a viewport; `aspect` is width / height. Depth runs from 0 (near) to 1.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        // Near and far follow the distance, so that a fox of 170 m and a close-up of a toe both keep depth precision.
        let (near, far) = (self.distance_m * 0.02, self.distance_m * 40.0);
        let clip_from_view = glam::camera::rh::proj::directx::perspective(self.fov_y_rad, aspect.max(1e-3), near, far);
        clip_from_view * self.view_from_world()
    }

    /// Pixel (x, y) and depth in metres along the view (z); `None` behind the eye.
    pub fn project(&self, world: Vec3, size_px: Vec2) -> Option<Vec3> {
        let clip = self.clip_from_world(size_px.x / size_px.y) * world.extend(1.0);
        (clip.w > 0.0).then(|| {
            let ndc = Vec2::new(clip.x, -clip.y) / clip.w;
            ((ndc * 0.5 + 0.5) * size_px).extend(clip.w)
        })
    }

    /// The joint drawn nearest to the pointer, within a radius. Of equally near ones, the one in front.
    pub fn pick_joint(
        &self,
        model_from_joint: &[Affine3A],
        pointer_px: Vec2,
        size_px: Vec2,
        radius_px: f32,
    ) -> Option<usize> {
        let at = |joint: &Affine3A| self.project(joint.translation.into(), size_px);
        let near = model_from_joint.iter().enumerate().filter_map(|(index, joint)| {
            let px = at(joint)?;
            let distance_px = px.truncate().distance(pointer_px);
            (distance_px <= radius_px).then_some((distance_px.round(), px.z, index))
        });
        near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))).map(|(.., index)| index)
    }

    /// Size of a pixel at the target's depth.
    pub fn metres_per_px(&self, size_px: Vec2) -> f32 {
        2.0 * self.distance_m * (self.fov_y_rad * 0.5).tan() / size_px.y.max(1.0)
    }

    fn set_distance(&mut self, distance_m: f32) {
        let sane = if distance_m.is_finite() { distance_m } else { 1.0 };
        self.distance_m = sane.clamp(*DISTANCE_RANGE_M.start(), *DISTANCE_RANGE_M.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE_PX: Vec2 = Vec2::new(800.0, 500.0);

    fn cameras() -> impl Iterator<Item = Camera> {
        CameraPreset::ALL.into_iter().map(|preset| {
            let mut camera = Camera::framing(Bounds::PERSON, 1.6);
            camera.look_from(preset.direction());
            camera.frame(Bounds::PERSON, SIZE_PX.x / SIZE_PX.y);
            camera
        })
    }

    #[test]
    fn a_framed_box_is_seen_whole_and_fills_the_picture() {
        for camera in cameras() {
            let px = Bounds::PERSON.corners().map(|c| camera.project(c, SIZE_PX).unwrap().truncate() / SIZE_PX);
            let reach = px.iter().map(|p| (*p - 0.5).abs().max_element() * 2.0).fold(0.0, f32::max);
            assert!((reach - FRAME_FILL).abs() < 1e-3, "{camera:?} fills {reach}");
        }
    }

    #[test]
    fn what_is_written_over_both_ends_stays_free() {
        let insets = Insets { top: 0.1, bottom: 0.25 };
        for mut camera in cameras() {
            camera.frame_within(Bounds::PERSON, SIZE_PX.x / SIZE_PX.y, insets);
            let y = Bounds::PERSON.corners().map(|c| camera.project(c, SIZE_PX).unwrap().y / SIZE_PX.y);
            let (top, bottom) = y.iter().fold((1.0f32, 0.0f32), |(top, bottom), y| (top.min(*y), bottom.max(*y)));
            assert!(top > insets.top - 0.01 && bottom < 1.0 - insets.bottom + 0.01, "{camera:?}: {top} to {bottom}");
        }
    }

    #[test]
    fn panning_and_dollying_keep_the_point_under_the_pointer() {
        for mut camera in cameras() {
            let start = Vec2::new(500.0, 180.0);
            let (right, up, _) = camera.axes();
            let offset = (start - SIZE_PX * 0.5) * camera.metres_per_px(SIZE_PX);
            let point = camera.target + right * offset.x - up * offset.y;
            camera.dolly(0.5, start, SIZE_PX);
            assert!(camera.project(point, SIZE_PX).unwrap().truncate().distance(start) < 0.01);
            camera.pan(Vec2::new(40.0, -25.0), SIZE_PX);
            let moved = camera.project(point, SIZE_PX).unwrap().truncate() - start;
            assert!(moved.distance(Vec2::new(40.0, -25.0)) < 0.01, "{moved}");
        }
    }

    #[test]
    fn the_front_joint_of_two_in_line_is_picked() {
        let mut camera = Camera::framing(Bounds::PERSON, 1.6);
        camera.look_from(CameraPreset::Front.direction());
        let at = |z: f32| Affine3A::from_translation(camera.target + camera.axes().2 * z);
        let pose = [at(-0.3), at(0.3), Affine3A::from_translation(Vec3::X * 9.0)];
        assert_eq!(camera.pick_joint(&pose, SIZE_PX * 0.5, SIZE_PX, 8.0), Some(1));
        assert_eq!(camera.pick_joint(&pose, Vec2::ZERO, SIZE_PX, 8.0), None);
    }

    #[test]
    fn a_hidden_surface_is_turned_to_and_a_seen_one_leaves_the_camera_alone() {
        let mut camera = Camera::framing(Bounds::PERSON, 1.6);
        camera.look_from(CameraPreset::Front.direction());
        let before = camera;
        camera.face(Vec3::new(0.3, 0.2, 0.9).normalize());
        assert_eq!(camera, before);
        for outward in [Vec3::NEG_Z, Vec3::X, Vec3::new(-0.6, -0.5, -0.6).normalize()] {
            let mut camera = before;
            camera.face(outward);
            assert!(outward.dot(camera.axes().2) > 0.7, "{outward} is seen from {}", camera.axes().2);
            assert!(camera.axes().2.y > 0.0, "from above the ground");
        }
    }

    #[test]
    fn the_ground_grows_by_tens_with_the_figure() {
        let tall = |height: f32| Bounds { min: Vec3::ZERO, max: Vec3::Y * height }.ground_scale();
        assert_eq!([tall(1.8), tall(3.0), tall(170.0)].map(f32::round), [1.0, 1.0, 100.0]);
    }

    #[test]
    fn a_kept_camera_is_the_same_and_one_that_sees_nothing_is_dropped() {
        for camera in cameras() {
            let kept: Camera = toml::from_str(&toml::to_string(&camera).unwrap()).unwrap();
            assert_eq!(kept.restored(), Some(camera));
        }
        let good = cameras().next().unwrap();
        for bad in [f32::NAN, f32::INFINITY, 1e30] {
            assert_eq!(Camera { target: Vec3::new(0.0, bad, 0.0), ..good }.restored(), None);
            assert_eq!(Camera { distance_m: bad, ..good }.restored(), None);
            assert_eq!(Camera { pitch_rad: bad, ..good }.restored(), None);
        }
        assert_eq!(Camera { distance_m: 0.0, ..good }.restored(), None);
        assert_eq!(Camera { yaw_rad: f32::NAN, ..good }.restored(), None);
    }
}
