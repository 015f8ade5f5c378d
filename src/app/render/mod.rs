//! The renderer: GPU skinning, heat maps and overlays of one viewport picture, in the window and without one.
//!
//! The caller owns plain data ([`ViewScene`], [`Camera`], [`Overlay`]); [`Renderer`] turns it into pictures. Inside egui
//! use [`install`] once and [`viewport`] per rectangle; without a window use [`draw_picture`] with a [`Headless`].

mod camera;
mod caption;
mod crowd;
mod difference;
mod error;
mod film;
mod gpu;
mod headless;
mod heat;
mod overlay;
mod picture;
mod scene;
mod theme;
mod viewport;

pub use camera::{Bounds, Camera, Insets};
pub use crowd::{CROWD_RANGE, CrowdGrid};
pub use difference::connectors;
pub use error::{GpuErrors, RenderError};
pub use film::{FilmFormat, MOST_FILM_PICTURES, USUAL_FILM_HZ, film_times, write_film};
pub use gpu::{GpuRefusal, RenderOptions, Renderer, ViewportId, shader_sources};
pub use headless::{AdapterChoice, Headless, RenderJob, best_adapter, find_adapter, limits};
pub use heat::{WITHIN, heat_color, heat_position, split_position};
pub use image::RgbaImage;
pub use overlay::{Line3d, LineLayer, Overlay, Polygon3d};
pub use picture::{PictureOptions, Shot, draw_picture, film_place, picture_scene, png_bytes};
pub use posepress_core::view::Side;
pub use scene::{Arrangement, CrowdMember, FigurePose, Shading, SharedRig, Show, ViewScene, exaggerated, other};
pub use theme::{HEAT_STOPS, Rgb, ViewTheme};
pub use viewport::{RigState, Viewport, install, rig_state, viewport};
