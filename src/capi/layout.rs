use crate::memory::{Sized32, read_sized};
use crate::status::{Status, or};
use posepress_runtime::PoseLayout;
use std::mem::offset_of;

/// See the header.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Layout {
    /// Size of the caller's structure in bytes.
    pub struct_size: u32,
    /// Number of the [`PoseLayout`] variant.
    pub kind: u32,
    /// Floats from joint to joint, or from block to block.
    pub stride: usize,
    /// Offset of the rotation, for transforms.
    pub rotation: usize,
    /// Offset of the translation, for transforms.
    pub translation: usize,
    /// Offset of the scale, for transforms.
    pub scale: usize,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Layout>() == 40, "the size in the header");

// Safety: plain numbers, with the length first.
unsafe impl Sized32 for Layout {
    const FIRST_BYTES: usize = offset_of!(Self, scale) + size_of::<usize>();
}

impl Layout {
    /// Converts to the type of the runtime.
    pub(crate) fn read(self) -> Result<PoseLayout, Status> {
        let Self { struct_size: _, kind, stride, rotation, translation, scale } = self;
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
pub extern "C" fn posepress_layout_floats(layout: *const Layout, joints: usize) -> usize {
    or(0, || read_sized(layout).and_then(Layout::read).map_or(0, |layout| layout.floats(joints)))
}
