//! The WGSL files, joined, because WGSL has no includes.

macro_rules! shader {
    ($($file:literal),+) => {
        concat!($(include_str!(concat!("../../shaders/", $file, ".wgsl")), "\n"),+)
    };
}

pub(super) const MESH: &str = shader!("common", "shade", "skin", "shadow", "mesh");
pub(super) const BONE: &str = shader!("common", "shade", "shadow", "bone");
pub(super) const GROUND: &str = shader!("common", "ground");
pub(super) const BACKGROUND: &str = shader!("common", "background");
pub(super) const OVERLAY: &str = shader!("common", "overlay");
pub(super) const BLIT: &str = shader!("blit");
pub(super) const VERTEX_ERROR: &str = shader!("common", "skin", "vertex_error");

/// Name and text of every shader program, as passed to the driver.
pub fn shader_sources() -> [(&'static str, &'static str); 7] {
    [
        ("mesh", MESH),
        ("bone", BONE),
        ("ground", GROUND),
        ("background", BACKGROUND),
        ("overlay", OVERLAY),
        ("blit", BLIT),
        ("vertex_error", VERTEX_ERROR),
    ]
}
