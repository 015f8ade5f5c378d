use super::caption::Caption;
use super::difference::connectors;
use super::headless::right_half;
use super::{
    AdapterChoice, Arrangement, Bounds, FigurePose, Headless, RenderError, RenderJob, Shading, Show, Side, ViewScene,
    ViewTheme,
};
use image::RgbaImage;
use posepress_core::model::{Pose, Rig};
use posepress_core::session::{CameraDirection, CameraPreset, Layer};
use posepress_core::text;
use std::sync::Arc;

/// What the command line says about a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureOptions {
    /// Width and height, pixels.
    pub size_px: [u32; 2],
    /// How the figures share the picture.
    pub arrangement: Arrangement,
    /// Colouring of the compressed figure.
    pub shading: Shading,
    /// Colours.
    pub theme: ViewTheme,
    /// Where it is looked at from.
    pub direction: CameraDirection,
    /// The joint that is looked at from near; `None` for the whole figure.
    pub joint: Option<usize>,
    /// How many times nearer the camera stands than where all of that is seen.
    pub zoom: f32,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// Draw the skeleton over the figure.
    pub skeleton: bool,
    /// The compressed figure's offset from the original is drawn this many times larger, and the picture says so; 1 = as it
    /// is.
    pub difference: f32,
    /// How the compressed figure was compressed, in a word that the picture shows.
    pub recipe: Option<String>,
    /// Moment, which the picture shows.
    pub time_secs: Option<f32>,
    /// Who draws it.
    pub adapter: AdapterChoice,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            size_px: [1280, 720],
            arrangement: Arrangement::SideBySide,
            shading: Shading::Material,
            theme: ViewTheme::DARK,
            direction: CameraPreset::FrontThreeQuarter.direction(),
            joint: None,
            zoom: 1.0,
            ground_m: 0.0,
            skeleton: true,
            difference: 1.0,
            recipe: None,
            time_secs: None,
            adapter: AdapterChoice::Reproducible,
        }
    }
}

/// The scene of a picture: both poses framed together.
pub fn picture_scene(rig: &Arc<Rig>, raw: &Pose, lossy: Option<&Pose>, options: &PictureOptions) -> ViewScene {
    let raw = FigurePose::from_pose(rig, raw);
    let lossy = lossy.map(|pose| FigurePose::from_pose(rig, pose));
    let bounds = [Some(&raw), lossy.as_ref()].into_iter().flatten().map(|pose| pose.bounds(rig));
    let figure = bounds.reduce(Bounds::union).unwrap_or(Bounds::PERSON);
    let joint = options.joint.and_then(|joint| raw.joints.get(joint));
    let bounds = joint.map_or(figure, |joint| Bounds::close_up(joint.translation.into(), figure));
    let mut scene = ViewScene::new(rig.clone(), raw);
    scene.lossy = lossy;
    scene.shading = options.shading.clone();
    scene.theme = options.theme;
    scene.ground_m = options.ground_m;
    scene.layers.set(Layer::Skeleton, options.skeleton);
    scene.camera.look_from(options.direction);
    let [width, height] = options.size_px.map(|side| side.max(1) as f32);
    let viewports = options.arrangement.viewports() as f32;
    scene.camera.frame(bounds, width / viewports / height);
    scene.camera.distance_m /= options.zoom;
    scene.offset_gain = options.difference;
    if scene.is_exaggerated() {
        let drawn = scene.drawn_joints(Side::Compressed).into_owned();
        scene.compressed_overlay.lines = connectors(&scene.raw.joints, &drawn, &scene.theme);
    }
    scene
}

/// Words over a part of a picture: from its left edge to its end, pixels.
type Part = std::ops::Range<u32>;

/// Where each side is drawn, with what it is called; one part shows both in an onion skin.
fn sides(width: u32, arrangement: Arrangement) -> Vec<(Part, Option<Side>)> {
    let [original, compressed] = Side::ALL.map(Some);
    match arrangement {
        Arrangement::SideBySide => {
            let right = right_half(width);
            vec![(0..right, original), (right..width, compressed)]
        }
        Arrangement::One(Show::Wipe { split }) => {
            let line = (split.clamp(0.0, 1.0) * width as f32) as u32;
            vec![(0..line, original), (line..width, compressed)]
        }
        Arrangement::One(Show::Side(side)) => vec![(0..width, Some(side))],
        Arrangement::One(Show::Onion { .. }) => vec![(0..width, None)],
    }
}

/// What a picture must say of itself: which side is which and when, by how much it exaggerates, and what its heat colours
/// stand for.
fn captions(picture: &mut RgbaImage, scene: &ViewScene, options: &PictureOptions) {
    const LINE_PX: u32 = Caption::HEIGHT + Caption::MARGIN;
    let (width, height) = picture.dimensions();
    let theme = &scene.theme;
    for (index, (part, side)) in sides(width, options.arrangement).into_iter().enumerate() {
        let mut write = |text: &str, fill, top| {
            Caption { text, fill, color: theme.text }.draw(picture, [part.start, top], part.end);
        };
        write(&label(side, options, index == 0), theme.chip, 0);
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

/// Which side it is, how it was compressed, and, once a picture, its moment.
fn label(side: Option<Side>, options: &PictureOptions, with_moment: bool) -> String {
    let name = side.map_or("original and compressed", Side::key);
    let recipe = options.recipe.as_deref().filter(|_| side != Some(Side::Original));
    let moment = options.time_secs.filter(|_| with_moment).map(|secs| format!("{secs:.3} s"));
    let words = [Some(name.to_owned()), recipe.map(str::to_owned), moment];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Draws a rig at one time and returns the bytes of a PNG. `lossy` is the decoded pose; without it both sides are raw.
///
/// # Errors
/// See [`RenderError`].
pub fn render_png(
    rig: &Arc<Rig>,
    raw: &Pose,
    lossy: Option<&Pose>,
    options: &PictureOptions,
) -> Result<Vec<u8>, RenderError> {
    png_on(&mut Headless::new(options.adapter)?, rig, raw, lossy, options)
}

/// The same on a device that draws many pictures; the adapter is the device's.
///
/// # Errors
/// See [`RenderError`].
pub fn png_on(
    device: &mut Headless,
    rig: &Arc<Rig>,
    raw: &Pose,
    lossy: Option<&Pose>,
    options: &PictureOptions,
) -> Result<Vec<u8>, RenderError> {
    let scene = Arc::new(picture_scene(rig, raw, lossy, options));
    let job = RenderJob {
        size_px: options.size_px,
        pixels_per_point: 1.0,
        arrangement: options.arrangement,
        scene: scene.clone(),
        adapter: options.adapter,
    };
    let mut png = std::io::Cursor::new(Vec::new());
    let mut picture = device.render(&job)?;
    captions(&mut picture, &scene, options);
    picture.write_to(&mut png, image::ImageFormat::Png)?;
    Ok(png.into_inner())
}
