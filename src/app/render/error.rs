use super::GpuRefusal;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Why no picture was made.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The machine has no driver that can draw.
    #[error(
        "No Vulkan driver found. Install mesa-vulkan-drivers, then start again. The command line works without it."
    )]
    NoAdapter,
    /// There is a driver, but it gave no device.
    #[error(
        "the graphics driver '{adapter}' gave no device: {reason}. Update the driver, or install mesa-vulkan-drivers"
    )]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// The driver's words.
        reason: String,
    },
    /// A picture of no pixels, or more than the device can hold.
    #[error("a picture of {width} x {height} pixels cannot be drawn; expected 1 to {max} on each side")]
    Size {
        /// Pixels a row.
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
    /// The film could not be written as animated PNG.
    #[error("the film cannot be written as animated PNG: {0}")]
    Apng(#[from] png::EncodingError),
    /// More pictures than a short film has.
    #[error(
        "{pictures} pictures are no short film; expected at most {most}. Choose a part of the clip, or fewer pictures a second"
    )]
    FilmLength {
        /// Pictures that were asked for.
        pictures: usize,
        /// Pictures that there may be.
        most: usize,
    },
    /// It was cancelled.
    #[error("it was cancelled")]
    Stopped,
}

/// Errors that wgpu would otherwise abort on, kept for the window to show.
#[derive(Debug, Clone, Default)]
pub struct GpuErrors {
    messages: Arc<Mutex<Vec<String>>>,
}

/// A driver that fails every frame must not fill the memory.
const MAX_KEPT: usize = 32;

impl GpuErrors {
    /// Takes the place of wgpu's handler, which ends the program.
    pub fn watch(device: &wgpu::Device) -> Self {
        let errors = Self::default();
        let kept = errors.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            tracing::error!("graphics: {error}");
            kept.push(error.to_string());
        }));
        errors
    }

    /// Everything since the last call, oldest first.
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
