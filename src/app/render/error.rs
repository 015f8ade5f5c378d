use super::GpuRefusal;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Why a picture or an animation was not made.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The machine has no driver that can draw.
    #[error(
        "No graphics driver found: neither Vulkan nor Direct3D 12 nor Metal answers. Install the driver of the graphics card (without a card \
         on Linux: mesa-vulkan-drivers), then start again. The command line works without it."
    )]
    NoAdapter,
    /// A web page draws only what it shows.
    #[error("a web page saves no pictures and no animations. Take a screenshot, or use the program")]
    InPage,
    /// There is a driver, but it gave no device.
    #[error(
        "the graphics driver '{adapter}' gave no device: {reason}. Update the driver (without a card on Linux: \
         mesa-vulkan-drivers)"
    )]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// The driver's words.
        reason: String,
    },
    /// A picture without pixels, or larger than the device allows.
    #[error("a picture of {width} x {height} pixels cannot be drawn; expected 1 to {max} on each side")]
    Size {
        /// Pixels per row.
        width: u32,
        /// Rows.
        height: u32,
        /// Largest side of the device.
        max: u32,
    },
    /// The driver refused a command.
    #[error("the graphics driver '{adapter}' refused a command: {reason}")]
    Gpu {
        /// Name of the adapter.
        adapter: String,
        /// The driver's words.
        reason: String,
    },
    /// The rig does not fit into the graphics memory.
    #[error(transparent)]
    Memory(#[from] GpuRefusal),
    /// The picture could not be written.
    #[error("the picture cannot be written: {0}")]
    Image(#[from] image::ImageError),
    /// The animation could not be written as animated PNG.
    #[error("the animation cannot be written as animated PNG: {0}")]
    Apng(#[from] png::EncodingError),
    /// Too many frames for an animation.
    #[error(
        "{pictures} frames are too many for an animation; expected at most {most}. Choose a part of the clip, or a lower frame rate"
    )]
    FilmLength {
        /// Requested number of frames.
        pictures: usize,
        /// Largest number of frames.
        most: usize,
    },
    /// It was cancelled.
    #[error("it was cancelled")]
    Stopped,
}

/// Errors that would otherwise end the program, kept for the window to show.
#[derive(Debug, Clone, Default)]
pub struct GpuErrors {
    messages: Arc<Mutex<Vec<String>>>,
}

/// Largest number of kept messages, because a driver may fail in every frame.
const MAX_KEPT: usize = 32;

impl GpuErrors {
    /// Replaces wgpu's error handler, which ends the program.
    pub fn watch(device: &wgpu::Device) -> Self {
        let errors = Self::default();
        let kept = errors.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            tracing::error!("graphics: {error}");
            kept.push(error.to_string());
        }));
        errors
    }

    /// Messages since the last call, oldest first.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, message: String) {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() < MAX_KEPT {
            messages.push(message);
        }
    }
}
