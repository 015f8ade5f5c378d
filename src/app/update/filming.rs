//! What is seen, saved: one picture of this moment, or a film of the part that is played.

use crate::App;
use crate::files::{FileEvent, file_name};
use crate::panels::PanelCx;
use crate::render::{
    AdapterChoice, Arrangement, FilmFormat, Headless, RenderError, Shot, Side, USUAL_FILM_HZ, film_times, png_bytes,
    write_film,
};
use crate::state::PathPurpose;
use crate::state::Problem;
use crate::theme::Theme;
use crate::viewports::{Figures, build_scene};
use posepress_core::export::{ExportError, write_atomically};
use posepress_core::text;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is saved of what is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// This moment, as PNG.
    Moment,
    /// The part that is played, or the whole clip, as GIF or animated PNG.
    Film,
}

impl Seen {
    /// Ends of names that its file may have; the first is the usual one.
    pub fn extensions(self) -> Vec<&'static str> {
        match self {
            Self::Moment => vec!["png"],
            Self::Film => FilmFormat::ALL.map(FilmFormat::extension).into(),
        }
    }

    /// The path, with an extension that says what is in the file.
    pub fn named(self, path: PathBuf) -> PathBuf {
        let known = self.extensions();
        let has = path.extension().is_some_and(|end| known.iter().any(|known| end.eq_ignore_ascii_case(known)));
        if has { path } else { PathBuf::from(format!("{}.{}", path.display(), known[0])) }
    }
}

/// A film or a picture that is being drawn.
#[derive(Debug, Clone)]
pub struct Filming {
    /// Where it will stand.
    pub path: PathBuf,
    /// Pictures that are to be drawn.
    pub pictures: usize,
    drawn: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Filming {
    /// Pictures that are drawn.
    pub fn drawn(&self) -> usize {
        self.drawn.load(Ordering::Relaxed)
    }

    /// Gives it up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Why it was not saved.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// It cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ExportError),
}

/// A film is this wide at most, pixels: it is to be sent around.
const FILM_WIDTH_PX: f32 = 800.0;

impl App {
    /// Asks where it is to be saved.
    pub(crate) fn ask_save_seen(&mut self, seen: Seen) {
        let Some(clip) = self.selected_clip() else { return };
        let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
        let extension = seen.extensions()[0];
        let name = format!("{}.{extension}", clip.name().chars().map(safe).collect::<String>());
        let no_dialog = FileEvent::NoDialog(PathPurpose::SaveSeen(seen), name.clone());
        self.files.ask_write((&name, extension), no_dialog, move |path| FileEvent::SaveSeen(seen, path));
    }

    /// Draws and writes it on a thread of its own.
    pub(crate) fn save_seen(&mut self, seen: Seen, path: PathBuf) {
        let path = seen.named(path);
        let times_secs = match self.times_of(seen) {
            Ok(times_secs) => times_secs,
            Err(error) => return self.seen_saved(&path, Err(error.into())),
        };
        let shots = self.shots(&times_secs, seen);
        if shots.is_empty() {
            return;
        }
        let filming =
            Filming { path: path.clone(), pictures: shots.len(), drawn: Arc::default(), stop: Arc::default() };
        self.view.filming = Some(filming.clone());
        self.files.in_background("film", move || {
            let saved = draw(&shots, &path, &filming).and_then(|bytes| {
                write_atomically(&path, &bytes)?;
                Ok(bytes.len() as u64)
            });
            FileEvent::SeenSaved(path, saved)
        });
    }

    /// Says what became of it.
    pub(crate) fn seen_saved(&mut self, path: &Path, saved: Result<u64, FilmError>) {
        self.view.filming = None;
        let name = file_name(path);
        match saved {
            Ok(bytes) => self.view.messages.say(format!("Wrote {name}, {}", text::bytes(bytes))),
            Err(FilmError::Render(RenderError::Stopped)) => {
                self.view.messages.say(format!("Writing {name} was cancelled"));
            }
            Err(error) => {
                self.view.messages.report(Problem::error(format!("{name} was not written"), error.to_string()));
            }
        }
    }

    /// Now; or the part that is played, or the whole clip.
    fn times_of(&self, seen: Seen) -> Result<Vec<f32>, RenderError> {
        let (transport, duration_secs) = (&self.view.transport, self.duration_secs());
        let loops = self.selected_clip().is_some_and(|clip| clip.is_looping());
        match seen {
            Seen::Moment => Ok(vec![transport.time_secs]),
            Seen::Film => match transport.range_secs {
                Some(span) => film_times(span, USUAL_FILM_HZ, false),
                None => film_times([0.0, duration_secs], USUAL_FILM_HZ, loops),
            },
        }
    }

    /// What the viewports show at these moments: the playhead and the cameras that follow the figure go there and back.
    fn shots(&mut self, times_secs: &[f32], seen: Seen) -> Vec<Shot> {
        let (rest_secs, cameras) = (self.view.transport.time_secs, self.view.cameras.clone());
        let shots = times_secs.iter().filter_map(|time_secs| {
            self.view.transport.time_secs = *time_secs;
            self.follow();
            self.shot(seen)
        });
        let shots = shots.collect();
        (self.view.transport.time_secs, self.view.cameras) = (rest_secs, cameras);
        shots
    }

    /// What the viewports show now.
    fn shot(&self, seen: Seen) -> Option<Shot> {
        let (view, theme) = (&self.view, Theme::of(self.view.settings.dark));
        let cx = PanelCx { workspace: &self.workspace, view, theme, narrow: false, commands: &mut Vec::new() };
        let figures = Figures::at(&cx)?;
        let settings = &view.settings;
        let turn = view.blink.side().unwrap_or(Side::Compressed);
        let arrangement = Arrangement::of(settings.mode, cx.left_side(), settings.wipe, settings.onion_mix, turn);
        let viewports = arrangement.viewports() as f32;
        let [width, height] = [view.cameras.size.x * viewports, view.cameras.size.y];
        let scale = if seen == Seen::Film { (FILM_WIDTH_PX / width).min(1.0) } else { 1.0 };
        let slot = self.workspace.active_slot();
        Some(Shot {
            scene: Arc::new(build_scene(&cx, &figures)),
            compressed_camera: view.cameras.compressed,
            arrangement,
            size_px: [width, height].map(|points| (points * scale).round().max(16.0) as u32),
            recipe: Some(self.workspace.slot_title(slot)),
            time_secs: Some(view.transport.time_secs),
        })
    }
}

/// Draws the pictures into the bytes of a file of the kind that its name says.
fn draw(shots: &[Shot], path: &Path, filming: &Filming) -> Result<Vec<u8>, FilmError> {
    let mut headless = Headless::new(AdapterChoice::Fastest)?;
    let mut pictures = shots.iter().map(|shot| {
        if filming.stop.load(Ordering::Relaxed) {
            return Err(RenderError::Stopped);
        }
        let picture = shot.draw(&mut headless, AdapterChoice::Fastest);
        filming.drawn.fetch_add(1, Ordering::Relaxed);
        picture
    });
    Ok(match FilmFormat::of(path) {
        Some(format) => write_film(format, pictures, USUAL_FILM_HZ)?,
        None => png_bytes(&pictures.next().unwrap_or(Err(RenderError::Stopped))?)?,
    })
}
