//! The player of a page: both sides of every clip with the mesh, and the script that plays them.
//!
//! A page carries the local transforms of the original at every sample, exactly as they were measured. The compressed side is the codec's
//! bytes and the runtime as a WebAssembly module, or decoded transforms: in builds without the module, for wavelet, for external results
//! and for sums of additive clips.

mod clip;
mod decoder;
mod mesh;
mod morph;
mod pack;
mod scene;
mod side;
mod texture;

pub use clip::PlayedClip;
pub use scene::{PackedScene, PlayedReport, Player, worst_first};

/// Styles of the player.
pub const STYLE: &str = include_str!("player.css");

/// Markup of the player. The script shows it.
pub const MARKUP: &str = include_str!("player.html");

/// The script of the player. Its files share the scope of one function.
pub const SCRIPT: &str = concat!(
    "(() => {\n",
    include_str!("state.js"),
    include_str!("decoder.js"),
    include_str!("data.js"),
    include_str!("pose.js"),
    include_str!("camera.js"),
    include_str!("shaders.js"),
    include_str!("gl.js"),
    include_str!("contacts.js"),
    include_str!("view.js"),
    include_str!("clips.js"),
    include_str!("timeline.js"),
    include_str!("joints.js"),
    include_str!("notes.js"),
    include_str!("keys.js"),
    include_str!("player.js"),
    "})();\n",
);
