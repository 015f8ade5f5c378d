//! Draws pictures and animations of the view, and writes them to files.

use crate::render::{AdapterChoice, FilmFormat, Headless, RenderError, Shot, USUAL_FILM_HZ, png_bytes, write_film};
use crate::state::Filming;
use posepress_core::export::{ExportError, write_atomically};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Why a picture or an animation was not saved.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// It cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ExportError),
}

/// Draws and writes a picture or an animation. Returns its size in bytes.
///
/// # Errors
/// It cannot be drawn or written, or was cancelled.
pub fn save_film(shots: &[Shot], path: &Path, filming: &Filming) -> Result<u64, FilmError> {
    let bytes = draw(shots, path, filming)?;
    write_atomically(path, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Draws the frames and encodes them in the format of the file's extension.
fn draw(shots: &[Shot], path: &Path, filming: &Filming) -> Result<Vec<u8>, FilmError> {
    let mut headless = Headless::new(AdapterChoice::Fastest)?;
    let mut pictures = shots.iter().map(|shot| {
        if filming.stop.load(Ordering::Relaxed) {
            return Err(RenderError::Stopped);
        }
        let picture = shot.draw(&mut headless);
        filming.drawn.fetch_add(1, Ordering::Relaxed);
        picture
    });
    Ok(match FilmFormat::of(path) {
        Some(format) => write_film(format, pictures, USUAL_FILM_HZ)?,
        None => png_bytes(&pictures.next().unwrap_or(Err(RenderError::Stopped))?)?,
    })
}
