use super::caption::Caption;
use super::difference::connectors;
use super::headless::right_half;
use super::{
    Arrangement, Bounds, Camera, FigurePose, Headless, RenderError, RenderJob, Shading, Show, Side, ViewScene,
    ViewTheme, other,
};
use image::RgbaImage;
use posepress_core::model::{Pose, Rig};
use posepress_core::text;
use posepress_core::view::{CameraDirection, CameraPlace, CameraPreset, Layers};
use std::sync::Arc;

/// Options of a rendered picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureOptions {
    /// Width and height, pixels.
    pub size_px: [u32; 2],
    /// How the two sides share the picture.
    pub arrangement: Arrangement,
    /// Shading of the compressed side.
    pub shading: Shading,
    /// Colours.
    pub theme: ViewTheme,
    /// Direction of the camera.
    pub direction: CameraDirection,
    /// The joint to frame closely; `None` for the whole character.
    pub joint: Option<usize>,
    /// Zoom factor of the camera.
    pub zoom: f32,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// Visible layers: mesh, skeleton, ground. Contacts and trails need the window.
    pub layers: Layers,
    /// Joint drawn in the accent colour.
    pub selected_joint: Option<usize>,
    /// A camera that replaces `direction` and `joint`.
    pub place: Option<CameraPlace>,
    /// Camera of the compressed side, if it differs.
    pub compressed_place: Option<CameraPlace>,
    /// Factor on the drawn error of the compressed side, which the picture shows as text; 1 = true to scale.
    pub difference: f32,
    /// Name of the recipe, which the picture shows as text.
    pub recipe: Option<String>,
    /// Time, which the picture shows as text.
    pub time_secs: Option<f32>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            size_px: [1280, 720],
            arrangement: Arrangement::SIDE_BY_SIDE,
            shading: Shading::Material,
            theme: ViewTheme::DARK,
            direction: CameraPreset::FrontThreeQuarter.direction(),
            joint: None,
            zoom: 1.0,
            ground_m: 0.0,
            layers: Layers::default(),
            selected_joint: None,
            place: None,
            compressed_place: None,
            difference: 1.0,
            recipe: None,
            time_secs: None,
        }
    }
}

impl PictureOptions {
    /// Aspect ratio of a viewport: width / height.
    fn aspect(&self) -> f32 {
        let [width, height] = self.size_px.map(|side| side.max(1) as f32);
        width / self.arrangement.viewports() as f32 / height
    }
}

/// The scene of a picture, with both poses framed together.
pub fn picture_scene(rig: &Arc<Rig>, raw: &Pose, lossy: Option<&Pose>, options: &PictureOptions) -> ViewScene {
    let bounds = options.place.is_none().then(|| figure_bounds(rig, raw, lossy, options.joint));
    let mut scene = ViewScene::new(rig.clone(), FigurePose::from_pose(rig, raw));
    scene.lossy = lossy.map(|pose| FigurePose::from_pose(rig, pose));
    scene.shading = options.shading.clone();
    scene.theme = options.theme;
    scene.ground_m = options.ground_m;
    scene.layers = options.layers;
    scene.selected_joint = options.selected_joint;
    scene.camera.look_from(options.direction);
    bounds.into_iter().for_each(|bounds| scene.camera.frame(bounds, options.aspect()));
    options.place.into_iter().for_each(|place| scene.camera = Camera::at(place));
    scene.camera.distance_m /= options.zoom;
    scene.offset_gain = options.difference;
    if scene.is_exaggerated() {
        let drawn = scene.drawn_joints(Side::Compressed).into_owned();
        scene.compressed_overlay.lines = connectors(&scene.raw.joints, &drawn, &scene.theme);
    }
    scene
}

/// The box around both poses, or a small one around a joint.
fn figure_bounds(rig: &Arc<Rig>, raw: &Pose, lossy: Option<&Pose>, joint: Option<usize>) -> Bounds {
    let raw = FigurePose::from_pose(rig, raw);
    let lossy = lossy.map(|pose| FigurePose::from_pose(rig, pose));
    let bounds = [Some(&raw), lossy.as_ref()].into_iter().flatten().map(|pose| pose.bounds(rig));
    let figure = bounds.reduce(Bounds::union).unwrap_or(Bounds::PERSON);
    let joint = joint.and_then(|joint| raw.joints.get(joint));
    joint.map_or(figure, |joint| Bounds::close_up(joint.translation.into(), figure))
}

/// A picture to draw: scene, arrangement and captions.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// The scene.
    pub scene: Arc<ViewScene>,
    /// The compressed side's own camera, side by side.
    pub compressed_camera: Option<Camera>,
    /// How the two sides share the picture.
    pub arrangement: Arrangement,
    /// Width and height, pixels.
    pub size_px: [u32; 2],
    /// Name of the recipe for the caption.
    pub recipe: Option<String>,
    /// Time for the caption.
    pub time_secs: Option<f32>,
}

impl Shot {
    /// Draws it with its captions.
    ///
    /// # Errors
    /// See [`RenderError`].
    pub fn draw(&self, headless: &mut Headless) -> Result<RgbaImage, RenderError> {
        let Self { scene, compressed_camera, arrangement, size_px, .. } = self;
        let mut picture = headless.render(&RenderJob {
            size_px: *size_px,
            pixels_per_point: 1.0,
            arrangement: *arrangement,
            scene: scene.clone(),
            compressed_camera: *compressed_camera,
        })?;
        captions(&mut picture, self);
        Ok(picture)
    }
}

/// Pixel columns of a part of a picture.
type Part = std::ops::Range<u32>;

/// Columns of each side. An onion skin has one part for both.
fn sides(width: u32, arrangement: Arrangement) -> Vec<(Part, Option<Side>)> {
    match arrangement {
        Arrangement::SideBySide { left } => {
            let right = right_half(width);
            vec![(0..right, Some(left)), (right..width, Some(other(left)))]
        }
        Arrangement::One(Show::Wipe { split, left }) => {
            let line = (split.clamp(0.0, 1.0) * width as f32) as u32;
            vec![(0..line, Some(left)), (line..width, Some(other(left)))]
        }
        Arrangement::One(Show::Side(side)) => vec![(0..width, Some(side))],
        Arrangement::One(Show::Onion { .. }) => vec![(0..width, None)],
    }
}

/// Writes the captions: side, recipe and time, the factor on the drawn error, and the meaning of the heat colours.
fn captions(picture: &mut RgbaImage, shot: &Shot) {
    const LINE_PX: u32 = Caption::HEIGHT + Caption::MARGIN;
    let (width, height) = picture.dimensions();
    let scene = &shot.scene;
    let theme = &scene.theme;
    for (index, (part, side)) in sides(width, shot.arrangement).into_iter().enumerate() {
        let mut write = |text: &str, fill, top| {
            Caption { text, fill, color: theme.text }.draw(picture, [part.start, top], part.end);
        };
        write(&label(side, shot, index == 0), theme.chip, 0);
        if side == Some(Side::Original) {
            continue;
        }
        if scene.is_exaggerated() {
            write(&format!("drawn \u{d7}{}", scene.offset_gain), theme.warn_fill, LINE_PX);
        }
        if let (Shading::Heat { tolerance_m }, true) = (&scene.shading, scene.lossy.is_some()) {
            let [pale, dark] = [*tolerance_m, 10.0 * tolerance_m].map(text::length);
            let text = format!("pale {pale} (tolerance), dark red {dark} or more");
            write(&text, theme.chip, height.saturating_sub(LINE_PX + Caption::MARGIN));
        }
    }
}

/// Caption with side and recipe, and once per picture the time.
fn label(side: Option<Side>, shot: &Shot, with_moment: bool) -> String {
    let name = side.map_or("original and compressed", Side::key);
    let recipe = shot.recipe.as_deref().filter(|_| side != Some(Side::Original));
    let moment = shot.time_secs.filter(|_| with_moment).map(|secs| format!("{secs:.3} s"));
    let words = [Some(name.to_owned()), recipe.map(str::to_owned), moment];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Draws a picture of a rig at one time, with captions. Without `lossy`, the decoded pose, both sides are raw.
///
/// # Errors
/// See [`RenderError`].
pub fn draw_picture(
    headless: &mut Headless,
    rig: &Arc<Rig>,
    raw: &Pose,
    lossy: Option<&Pose>,
    options: &PictureOptions,
) -> Result<RgbaImage, RenderError> {
    Shot {
        scene: Arc::new(picture_scene(rig, raw, lossy, options)),
        compressed_camera: options.compressed_place.map(Camera::at),
        arrangement: options.arrangement,
        size_px: options.size_px,
        recipe: options.recipe.clone(),
        time_secs: options.time_secs,
    }
    .draw(headless)
}

/// The bytes of a PNG.
///
/// # Errors
/// [`RenderError::Image`].
pub fn png_bytes(picture: &RgbaImage) -> Result<Vec<u8>, RenderError> {
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// A fixed camera that sees the character in all of these poses, raw and decoded. For animations.
pub fn film_place<'a>(
    rig: &Arc<Rig>,
    poses: impl Iterator<Item = (&'a Pose, &'a Pose)>,
    options: &PictureOptions,
) -> CameraPlace {
    let scenes = poses.map(|(raw, lossy)| figure_bounds(rig, raw, Some(lossy), options.joint));
    let bounds = scenes.reduce(Bounds::union).unwrap_or(Bounds::PERSON);
    let mut camera = Camera::framing(bounds, options.aspect());
    camera.look_from(options.direction);
    camera.frame(bounds, options.aspect());
    camera.place()
}
