use crate::render::{Bounds, Camera, Insets, Side};
use glam::Vec3;
use posepress_core::view::CameraPreset;

/// Height of the chips at the top of a viewport, points.
const WRITTEN_ABOVE: f32 = 40.0;

/// The cameras of both sides and what they were last fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Cameras {
    /// The camera of both sides, or of the original while they are unlocked.
    pub main: Camera,
    /// The compressed side's own camera, while the two are unlocked.
    pub compressed: Option<Camera>,
    /// Size of the ground grid; grows with the character.
    pub ground_scale: f32,
    /// Size of a viewport when it was last drawn, points.
    pub size: egui::Vec2,
    /// Height of the text at its lower edge, points.
    pub written_below: f32,
    /// The fitted box, until the user pans or zooms. It is fitted again when the viewport changes size.
    fitted: Option<Bounds>,
    /// Last position of the character that the cameras follow.
    followed_m: Option<Vec3>,
    /// Id of the source that was framed last.
    pub framed: Option<u32>,
}

impl Default for Cameras {
    fn default() -> Self {
        let main = Camera::framing(Bounds::PERSON, 1.0);
        Self {
            main,
            compressed: None,
            ground_scale: 1.0,
            size: egui::Vec2::splat(100.0),
            written_below: 0.0,
            fitted: None,
            followed_m: None,
            framed: None,
        }
    }
}

impl Cameras {
    /// The camera that a side is seen with.
    pub fn of(&self, side: Side) -> &Camera {
        match (side, &self.compressed) {
            (Side::Compressed, Some(camera)) => camera,
            _ => &self.main,
        }
    }

    /// The camera that a drag in a side's viewport moves.
    pub fn of_mut(&mut self, side: Side) -> &mut Camera {
        match (side, &mut self.compressed) {
            (Side::Compressed, Some(camera)) => camera,
            _ => &mut self.main,
        }
    }

    /// Every camera in use.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Camera> {
        std::iter::once(&mut self.main).chain(&mut self.compressed)
    }

    /// Switches between one camera for both sides and one per side. The second camera starts as a copy of the first.
    pub fn toggle_lock(&mut self) {
        self.compressed = if self.compressed.is_some() { None } else { Some(self.main) };
    }

    /// Turns every camera to a preset direction.
    pub fn look_from(&mut self, preset: CameraPreset) {
        self.each_mut().for_each(|camera| camera.look_from(preset.direction()));
    }

    /// Fits a box in every camera.
    pub fn frame(&mut self, bounds: Bounds) {
        let (size, written_below) = (self.size.max(egui::Vec2::splat(1.0)), self.written_below);
        let insets = Insets { top: WRITTEN_ABOVE / size.y, bottom: written_below / size.y };
        self.each_mut().for_each(|camera| camera.frame_within(bounds, size.x / size.y, insets));
        self.fitted = Some(bounds);
    }

    /// Forgets the fitted box and returns the camera that the user moves.
    pub fn moved(&mut self, side: Side) -> &mut Camera {
        self.fitted = None;
        self.of_mut(side)
    }

    /// Restores saved cameras, without fitting or following.
    pub fn restore(&mut self, main: Camera, compressed: Option<Camera>) {
        (self.main, self.compressed) = (main, compressed);
        (self.fitted, self.followed_m) = (None, None);
    }

    /// Notes the size of a viewport and fits the box again if the size changed. Returns true if it changed.
    pub fn resized(&mut self, size: egui::Vec2, written_below: f32) -> bool {
        if (size - self.size).length() < 0.5 && self.written_below == written_below {
            return false;
        }
        (self.size, self.written_below) = (size, written_below);
        if let Some(bounds) = self.fitted {
            self.frame(bounds);
        }
        true
    }

    /// Sets the position from which the cameras follow the character, without moving them.
    pub fn stand_by(&mut self, figure_m: Option<Vec3>) {
        self.followed_m = figure_m;
    }

    /// Moves every camera and the fitted box by the character's motion since the last call.
    pub fn follow(&mut self, figure_m: Vec3) {
        let before = self.followed_m.replace(figure_m);
        let Some(way) = before.map(|before| figure_m - before).filter(|way| *way != Vec3::ZERO) else { return };
        self.each_mut().for_each(|camera| camera.target += way);
        if let Some(bounds) = &mut self.fitted {
            (bounds.min, bounds.max) = (bounds.min + way, bounds.max + way);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_camera_moves_both_sides_and_two_move_apart() {
        let mut cameras = Cameras::default();
        cameras.of_mut(Side::Compressed).orbit(0.4, 0.0);
        assert_eq!(cameras.of(Side::Original), cameras.of(Side::Compressed));
        cameras.toggle_lock();
        assert_eq!(cameras.of(Side::Original), cameras.of(Side::Compressed), "the two start where the one was");
        cameras.of_mut(Side::Compressed).orbit(0.4, 0.0);
        assert_ne!(cameras.of(Side::Original), cameras.of(Side::Compressed));
        let original = cameras.main;
        cameras.toggle_lock();
        assert_eq!(*cameras.of(Side::Compressed), original, "locked again, the original's stays");
    }

    #[test]
    fn what_was_fitted_is_fitted_again_in_another_size_until_a_camera_is_moved() {
        let mut cameras = Cameras::default();
        cameras.resized(egui::vec2(800.0, 500.0), 0.0);
        cameras.frame(Bounds::PERSON);
        let wide_m = cameras.main.distance_m;
        assert!(cameras.resized(egui::vec2(150.0, 500.0), 0.0) && cameras.main.distance_m > wide_m);
        assert!(!cameras.resized(egui::vec2(150.0, 500.0), 0.0));
        cameras.moved(Side::Original).dolly(0.5, glam::Vec2::ZERO, glam::vec2(300.0, 500.0));
        let own = cameras.main;
        cameras.resized(egui::vec2(800.0, 500.0), 0.0);
        assert_eq!(cameras.main, own, "it is the user's now");
    }

    #[test]
    fn restored_cameras_stay_when_the_picture_changes_its_size_or_the_figure_was_elsewhere() {
        let mut cameras = Cameras::default();
        cameras.resized(egui::vec2(800.0, 500.0), 0.0);
        cameras.stand_by(Some(Vec3::ZERO));
        cameras.frame(Bounds::PERSON);
        let mut left = cameras.main;
        left.orbit(0.4, 0.1);
        cameras.restore(left, None);
        cameras.resized(egui::vec2(800.0, 300.0), 26.0);
        cameras.follow(Vec3::X);
        assert_eq!(cameras.main, left);
        cameras.follow(Vec3::X * 2.0);
        assert_eq!(cameras.main.target, left.target + Vec3::X, "it goes along from there");
    }

    #[test]
    fn cameras_go_along_with_a_figure_and_stand_while_none_is_followed() {
        let mut cameras = Cameras::default();
        let start = cameras.main.target;
        cameras.follow(Vec3::X);
        assert_eq!(cameras.main.target, start, "from where it is");
        cameras.follow(Vec3::X * 3.0);
        assert_eq!(cameras.main.target, start + Vec3::X * 2.0);
        cameras.stand_by(Some(Vec3::ZERO));
        cameras.follow(Vec3::ZERO);
        assert_eq!(cameras.main.target, start + Vec3::X * 2.0);
    }

    #[test]
    fn every_camera_in_use_is_framed_and_turned() {
        let mut cameras = Cameras::default();
        cameras.toggle_lock();
        cameras.of_mut(Side::Compressed).orbit(1.0, 0.2);
        cameras.look_from(CameraPreset::Top);
        assert_eq!(cameras.of(Side::Original), cameras.of(Side::Compressed));
        cameras.frame(Bounds::PERSON);
        let before_m = cameras.main.distance_m;
        cameras.frame(Bounds { min: Bounds::PERSON.min * 3.0, max: Bounds::PERSON.max * 3.0 });
        assert!(cameras.each_mut().all(|camera| camera.distance_m > 2.0 * before_m));
    }
}
