//! Errors in pixels: the size of a length of the clip on a screen. It helps to choose a tolerance.

use crate::settings::{Field, Range, Setting, Settings, Unit, at};
use serde::{Deserialize, Serialize};

/// A camera and a screen. Default: off; 3 m away, 60 degrees, 1080 lines, scale 1.
///
/// A length `l` parallel to the image plane at distance `d` along the view takes `l * scale * lines / (2 d tan(fov / 2))` pixels. This is
/// exact for a pinhole camera with square pixels, everywhere in the image. A length that is tilted towards the camera takes fewer pixels. A
/// length nearer than `d` takes more. Mirroring a character changes no length.
///
/// ```
/// use posepress_core::report::Screen;
///
/// let screen = Screen { distance_m: 3.0, fov_deg: 60.0, lines: 1080, ..Screen::default() };
/// assert!((screen.pixels(0.001) - 0.31).abs() < 0.01); // 1 mm takes a third of a pixel
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Screen {
    /// True if lengths are shown in pixels too. Default: false.
    pub shown: bool,
    /// Distance from the camera to the character, metres. Default 3.
    pub distance_m: f32,
    /// Vertical field of view, degrees. Default 60.
    pub fov_deg: f32,
    /// Lines of the screen, such as 1080 or 2160. Default 1080.
    pub lines: usize,
    /// Scale of the character in the game, as a multiple of its size in the clip. Default 1.
    pub scale: f32,
}

impl Default for Screen {
    fn default() -> Self {
        Self { shown: false, distance_m: 3.0, fov_deg: 60.0, lines: 1080, scale: 1.0 }
    }
}

impl Screen {
    /// Pixels per metre.
    fn pixels_per_m(&self) -> f64 {
        let height_m = 2.0 * f64::from(self.distance_m) * (f64::from(self.fov_deg).to_radians() / 2.0).tan();
        f64::from(self.scale) * self.lines as f64 / height_m
    }

    /// The pixels that a length of the clip takes.
    pub fn pixels(&self, length_m: f32) -> f32 {
        (f64::from(length_m) * self.pixels_per_m()) as f32
    }

    /// The length of the clip that takes that many pixels, metres.
    pub fn metres(&self, pixels: f32) -> f32 {
        (f64::from(pixels) / self.pixels_per_m()) as f32
    }

    /// The same screen with the camera elsewhere.
    pub fn at(self, distance_m: f32) -> Self {
        Self { distance_m, ..self }
    }

    /// The distance of the camera at which a length of the clip takes that many pixels, metres.
    pub fn distance_of(&self, length_m: f32, pixels: f32) -> f32 {
        self.distance_m * self.pixels(length_m) / pixels
    }

    /// True for the defaults, which files leave out.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The screen in words: `at 3 m, 60°, 1080 lines`.
    pub fn words(&self) -> String {
        let Self { distance_m, fov_deg, lines, scale, .. } = self;
        let scale = if *scale == 1.0 { String::new() } else { format!(", scale {scale}") };
        format!("at {distance_m} m, {fov_deg}\u{b0}, {lines} lines{scale}")
    }
}

impl Settings for Screen {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "shown",
            option: "pixels",
            label: "Pixels",
            help: "Shows errors and slides also in pixels on a screen. Size and motion do not change.",
            field: Field::Switch(at!(shown)),
            unset: None,
            in_form: true,
            only_if: None,
        },
        camera(
            "distance_m",
            "camera-distance",
            "Distance",
            "Distance from the camera to the character. Twice the distance halves the pixels.",
            Field::Number(
                at!(distance_m),
                Range { min: 0.05, max: 10_000.0, unit: Unit::CameraMetres, decimals: (0, 2), slider: None },
            ),
        ),
        camera(
            "fov_deg",
            "camera-fov",
            "Field of view",
            "Vertical field of view. A smaller angle (a longer lens) makes errors larger.",
            Field::Number(
                at!(fov_deg),
                Range { min: 1.0, max: 170.0, unit: Unit::Degrees, decimals: (0, 1), slider: None },
            ),
        ),
        camera(
            "lines",
            "screen-lines",
            "Lines",
            "Vertical resolution of the screen: 1080 for full HD, 2160 for 4K.",
            Field::Count(at!(lines), 120, 8640),
        ),
        camera(
            "scale",
            "playback-scale",
            "Scale",
            "Scale of the character in the game. Errors grow with it. Mirroring changes no length.",
            Field::Number(
                at!(scale),
                Range { min: 0.01, max: 100.0, unit: Unit::Times, decimals: (0, 2), slider: None },
            ),
        ),
    ];
}

const fn camera(
    key: &'static str,
    option: &'static str,
    label: &'static str,
    help: &'static str,
    field: Field<Screen>,
) -> Setting<Screen> {
    Setting { key, option, label, help, field, unset: None, in_form: true, only_if: Some(("shown", &["true"])) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn pixels_are_those_of_a_pinhole_camera() {
        for (distance_m, fov_deg, lines, scale) in
            [(3.0, 60.0, 1080, 1.0), (0.5, 90.0, 2160, 1.0), (12.0, 27.0, 1440, 2.5)]
        {
            let screen = Screen { shown: true, distance_m, fov_deg, lines, scale };
            let view = glam::camera::rh::proj::directx::perspective(fov_deg.to_radians(), 16.0 / 9.0, 0.01, 100.0);
            let height = |at: Vec3| view.project_point3(at).y * 0.5 * lines as f32;
            // Anywhere in the image, as long as it is parallel to the image plane.
            for at in [Vec3::new(0.0, 0.0, -distance_m), Vec3::new(0.3, -0.2, -distance_m)] {
                let drawn = height(at + Vec3::Y * 0.01 * scale) - height(at);
                assert!((screen.pixels(0.01) / drawn - 1.0).abs() < 1e-3, "{screen:?}: {drawn}");
            }
            assert!((screen.metres(screen.pixels(0.01)) - 0.01).abs() < 1e-8);
            let far_m = screen.distance_of(1.8, 40.0);
            assert!((screen.at(far_m).pixels(1.8) - 40.0).abs() < 1e-3, "{far_m}");
        }
        let near = Screen { fov_deg: 90.0, distance_m: 1.0, ..Screen::default() };
        assert!((near.pixels(0.001) - 0.54).abs() < 1e-6, "1080 lines over two metres");
    }

    #[test]
    fn a_project_keeps_the_screen_and_refuses_what_is_none() {
        use crate::project::Document;
        let screen = Screen { shown: true, lines: 2160, ..Screen::default() };
        let document = Document { screen, ..Document::default() };
        let text = document.to_toml();
        assert_eq!(Document::from_toml(&text).unwrap().screen, screen);
        let wrong = text.replace("distance_m = 3.0", "distance_m = 0.0");
        assert!(Document::from_toml(&wrong).unwrap_err().to_string().contains("distance_m"), "{wrong}");
        assert!(!Document::default().to_toml().contains("screen"));
    }
}
