//! Saves the view: a picture of this frame, or an animation of the played range.

use super::clips::{duration_secs, selected_clip};
use super::framing::follow;
use crate::files::{FileEvent, Files, FilmError, save_film};
use crate::render::{Arrangement, RenderError, Shot, USUAL_FILM_HZ, ViewScene, film_times};
use crate::state::{Filming, PathPurpose, Problem, Seen, State, View, file_name};
use crate::theme::Theme;
use crate::viewports::{Crowd, Figures, build_scene};
use posepress_core::text;
use posepress_core::view::Side;
use posepress_core::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest width of an animation, pixels. Keeps files small enough to send.
const FILM_WIDTH_PX: f32 = 800.0;

/// Draws and writes a picture or an animation on another thread.
pub fn save_seen(workspace: &Workspace, view: &mut View, files: &Files, seen: Seen, path: PathBuf) {
    let path = seen.named(path);
    let times_secs = match times_of(workspace, view, seen) {
        Ok(times_secs) => times_secs,
        Err(error) => return seen_saved(view, &path, Err(error.into())),
    };
    let shots = shots(workspace, view, &times_secs, seen);
    if shots.is_empty() {
        return;
    }
    let filming = Filming { path: path.clone(), pictures: shots.len(), drawn: Arc::default(), stop: Arc::default() };
    view.filming = Some(filming.clone());
    files.in_background("film", move || {
        let saved = save_film(&shots, &path, &filming);
        FileEvent::SeenSaved(path, saved)
    });
}

/// Asks where to save it.
pub fn ask_save_seen(workspace: &Workspace, files: &Files, seen: Seen) {
    let Some(clip) = selected_clip(workspace) else { return };
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let extension = seen.extensions()[0];
    let name = format!("{}.{extension}", clip.name().chars().map(safe).collect::<String>());
    let no_dialog = FileEvent::NoDialog(PathPurpose::SaveSeen(seen), name.clone());
    files.ask_write((&name, extension), no_dialog, move |path| FileEvent::SaveSeen(seen, path));
}

/// Reports the result.
pub fn seen_saved(view: &mut View, path: &Path, saved: Result<u64, FilmError>) {
    view.filming = None;
    let name = file_name(path);
    match saved {
        Ok(bytes) => {
            view.messages.close_about(path);
            view.messages.say_written(format!("Wrote {name}, {}", text::bytes(bytes)), path);
        }
        Err(FilmError::Render(RenderError::Stopped)) => {
            view.messages.say(format!("Writing {name} was cancelled"));
        }
        Err(error) => {
            let problem = Problem::error(format!("{name} was not written"), error.to_string());
            view.messages.report(problem.about(path));
        }
    }
}

/// Times to draw, seconds: the playhead, or the played range, or the whole clip.
fn times_of(workspace: &Workspace, view: &View, seen: Seen) -> Result<Vec<f32>, RenderError> {
    let (transport, duration_secs) = (&view.transport, duration_secs(workspace));
    let loops = selected_clip(workspace).is_some_and(|clip| clip.is_looping());
    match seen {
        Seen::Moment => Ok(vec![transport.time_secs]),
        Seen::Film => match transport.range_secs {
            Some(span) => film_times(span, USUAL_FILM_HZ, false),
            None => film_times([0.0, duration_secs], USUAL_FILM_HZ, loops),
        },
    }
}

/// The viewports at these times. Playhead and cameras are restored afterwards.
fn shots(workspace: &Workspace, view: &mut View, times_secs: &[f32], seen: Seen) -> Vec<Shot> {
    let mut crowd = Crowd::default();
    let (rest_secs, cameras) = (view.transport.time_secs, view.cameras.clone());
    let shots = times_secs.iter().filter_map(|time_secs| {
        view.transport.time_secs = *time_secs;
        follow(workspace, view);
        shot(workspace, view, seen, &mut crowd)
    });
    let shots = shots.collect();
    (view.transport.time_secs, view.cameras) = (rest_secs, cameras);
    shots
}

/// The viewports at the playhead; `None` if there is nothing to draw.
fn shot(workspace: &Workspace, view: &View, seen: Seen, crowd: &mut Crowd) -> Option<Shot> {
    let (state, theme) = (State { workspace, view }, Theme::of(view.settings.dark));
    let figures = Figures::at(state)?;
    let settings = &view.settings;
    let turn = view.blink.side().unwrap_or(Side::Compressed);
    let arrangement = Arrangement::of(settings.mode, state.left_side(), settings.wipe, settings.onion_mix, turn);
    let viewports = arrangement.viewports() as f32;
    let [width, height] = [view.cameras.size.x * viewports, view.cameras.size.y];
    let scale = if seen == Seen::Film { (FILM_WIDTH_PX / width).min(1.0) } else { 1.0 };
    let slot = workspace.active_slot();
    Some(Shot {
        scene: Arc::new(ViewScene {
            crowd: crowd.members(state, &figures, None),
            ..build_scene(state, theme, &figures)
        }),
        compressed_camera: view.cameras.compressed,
        arrangement,
        size_px: [width, height].map(|points| (points * scale).round().max(16.0) as u32),
        recipe: Some(workspace.slot_title(slot)),
        time_secs: Some(view.transport.time_secs),
    })
}
