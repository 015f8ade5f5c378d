use super::render::{Bounds, Camera, CameraPreset, Side};

/// The cameras of both sides and what they were last fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Cameras {
    /// The camera of both sides, or of the original while they are unlocked.
    pub main: Camera,
    /// The compressed side's own camera, while the two are unlocked.
    pub compressed: Option<Camera>,
    /// Size of the ground's grid: grows with the figure.
    pub ground_scale: f32,
    /// Width / height of a viewport when it was last drawn.
    pub aspect: f32,
    /// Source whose figure was framed.
    pub framed: Option<u32>,
}

impl Default for Cameras {
    fn default() -> Self {
        let main = Camera::framing(Bounds::PERSON, 1.0);
        Self { main, compressed: None, ground_scale: 1.0, aspect: 1.0, framed: None }
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

    /// One camera for both sides, or one for each, which start where the one was.
    pub fn toggle_lock(&mut self) {
        self.compressed = if self.compressed.is_some() { None } else { Some(self.main) };
    }

    /// Every camera looks from a direction.
    pub fn look_from(&mut self, preset: CameraPreset) {
        self.each_mut().for_each(|camera| camera.look_from(preset));
    }

    /// Every camera fits a box.
    pub fn frame(&mut self, bounds: Bounds) {
        let aspect = self.aspect;
        self.each_mut().for_each(|camera| camera.frame(bounds, aspect));
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
