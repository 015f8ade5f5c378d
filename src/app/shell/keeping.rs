//! When work is kept: in every frame, also of a hidden window, it goes to the thread that writes it.

use crate::App;
use crate::panels::PANELS;
use crate::persist::{Autosave, DELAY};
use crate::persist::{State, not_kept};
use crate::widgets;
use posepress_core::session::StateFile;

impl App {
    /// From now on what changes is written to this file.
    pub(crate) fn start_autosave(&mut self, file: StateFile, wake: egui::Context) {
        match Autosave::start(file, DELAY, move || wake.request_repaint()) {
            Ok(autosave) => self.autosave = Some(autosave),
            Err(error) => self.view.messages.report(not_kept(&error.to_string())),
        }
        self.keep_work();
    }

    /// Hands over the work as it is now, and says so when it cannot be written.
    pub(crate) fn keep_work(&mut self) {
        let state = self.autosave.is_some().then(|| State {
            settings: self.view.settings.clone(),
            session: self.session(),
            document: self.document(),
        });
        let Some((autosave, state)) = self.autosave.as_mut().zip(state) else { return };
        autosave.hand_over(state);
        if let Some(reason) = autosave.failure() {
            self.view.messages.report(not_kept(&reason));
        }
    }

    /// Takes over how large the window is and which sections are folded.
    pub(crate) fn keep_layout(&mut self, ctx: &egui::Context) {
        let layout = &mut self.view.settings.layout;
        layout.folded = widgets::folded(ctx, PANELS.iter().map(|panel| panel.title));
        let zoom = ctx.zoom_factor();
        ctx.input(|input| {
            let window = input.viewport();
            layout.maximized = window.maximized.unwrap_or(layout.maximized);
            if let Some(inside) = window.inner_rect.filter(|_| !layout.maximized && window.fullscreen != Some(true)) {
                layout.window_points = Some([inside.width() * zoom, inside.height() * zoom]);
            }
        });
    }
}
