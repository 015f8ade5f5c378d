use crate::status::{Status, or};
use posepress_runtime::PoseLayout;

/// See the header.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Layout {
    /// Which [`PoseLayout`].
    pub kind: u32,
    /// As there.
    pub stride: usize,
    /// Of transforms.
    pub rotation: usize,
    /// Of transforms.
    pub translation: usize,
    /// Of transforms.
    pub scale: usize,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Layout>() == 40, "as the header has it");

impl Layout {
    /// The same layout.
    pub(crate) fn read(self) -> Result<PoseLayout, Status> {
        let Self { kind, stride, rotation, translation, scale } = self;
        match kind {
            0 => Ok(PoseLayout::Transforms { stride, rotation, translation, scale }),
            1 => Ok(PoseLayout::Soa8 { stride }),
            2 => Ok(PoseLayout::Matrices { stride }),
            _ => Err(Status::InvalidArgument),
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_layout_floats(layout: Option<&Layout>, joints: usize) -> usize {
    or(0, || layout.and_then(|layout| layout.read().ok()).map_or(0, |layout| layout.floats(joints)))
}
