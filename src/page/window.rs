use crate::crew::crew;
use crate::disk::{Dropped, keep, kept, opened, save_written};
use crate::picker::PagePicker;
use eframe::{CreationContext, Storage, WebOptions, WebRunner};
use posepress_app::{App, Options, wgpu_options};
use posepress_core::files;
use posepress_core::view::SharedView;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wasm_bindgen::{JsError, JsValue};

/// Name of the saved work in the browser's storage.
const WORK: &str = "posepress-window";

/// The window in a canvas.
#[wasm_bindgen::prelude::wasm_bindgen]
pub struct Page {
    runner: WebRunner,
    /// The driver's words, if the graphics device was lost.
    lost: Arc<Mutex<Option<String>>>,
}

#[wasm_bindgen::prelude::wasm_bindgen]
impl Page {
    /// Opens the window in a canvas, with the work that the browser kept. `view` is the text of a shared view, as *Copy view* writes it.
    /// `worker` starts a worker of `worker.js`. Files, by their names and bytes, are opened in place of those of the last session.
    ///
    /// # Errors
    /// The view cannot be read, or the browser has no WebGPU.
    pub async fn start(
        canvas: web_sys::HtmlCanvasElement,
        view: Option<String>,
        worker: js_sys::Function,
        names: Vec<String>,
        bytes: Vec<js_sys::Uint8Array>,
    ) -> Result<Page, JsValue> {
        let files = opened(files::use_memory().give(named(names, &bytes)));
        let view = view.map(|text| text.parse::<SharedView>());
        let view = view.transpose().map_err(|error| JsError::new(&format!("the view in the address: {error}")))?;
        let runner = WebRunner::new();
        let lost = Arc::new(Mutex::new(None));
        let losing = lost.clone();
        let create = move |cc: &CreationContext<'_>| {
            let saved = kept(WORK);
            let crew = Some(crew(worker, cc.egui_ctx.clone()));
            let options = Options { files, view, crew, ..Options::in_page(Box::new(PagePicker), saved) };
            let app = App::new(cc, options);
            if let Some(state) = &cc.wgpu_render_state {
                let (wake, losing) = (cc.egui_ctx.clone(), losing.clone());
                state.device.set_device_lost_callback(move |_, message| {
                    *losing.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
                    wake.request_repaint();
                });
            }
            Ok(Box::new(Shown { app, dropped: Dropped::default() }) as Box<dyn eframe::App>)
        };
        let options = WebOptions { wgpu_options: wgpu_options(None), ..WebOptions::default() };
        runner.start(canvas, options, Box::new(create)).await?;
        Ok(Self { runner, lost })
    }

    /// Figures of the shown clip as JSON, for pages around the window and for tests. `null` before there are some.
    pub fn figures(&self) -> String {
        self.runner.app_mut::<Shown>().and_then(|shown| shown.figures()).unwrap_or_default().to_string()
    }

    /// Keeps the work in the browser's storage, before the page is left.
    pub fn keep(&self) {
        if let Some(mut shown) = self.runner.app_mut::<Shown>() {
            shown.keep();
        }
    }

    /// The reason why the window stopped, if it did.
    pub fn failure(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lost = lost.map(|words| format!("the graphics device was lost ({words})"));
        lost.or_else(|| self.runner.panic_summary().map(|summary| summary.message()))
    }
}

fn named(names: Vec<String>, bytes: &[js_sys::Uint8Array]) -> Vec<(String, Vec<u8>)> {
    names.into_iter().zip(bytes.iter().map(js_sys::Uint8Array::to_vec)).collect()
}

/// The window, with the files that the page reads and saves.
struct Shown {
    app: App,
    dropped: Dropped,
}

impl Shown {
    fn keep(&mut self) {
        if let Some(Err(reason)) = self.app.work().map(|work| keep(WORK, &work)) {
            self.app.tell_not_kept(&reason);
        }
    }

    fn figures(&self) -> Option<serde_json::Value> {
        let workspace = self.app.workspace();
        let clips = workspace.library().clip_ids().count();
        let clip = workspace.selected()?;
        let answer = workspace.answer(clip, workspace.active_slot())?;
        let report = answer.report.as_ref().ok()?;
        let encoded = answer.full.as_ref().and_then(|sides| Some(&sides.outcome.encoding()?.encoded.bytes));
        Some(json!({
            "clips": clips,
            "clip": report.clip,
            "codec": report.codec,
            "bytes": report.bytes,
            "digest": encoded.map(|bytes| blake3::hash(bytes).to_string()),
            "done": answer.done,
            "settled": self.app.is_settled(),
        }))
    }
}

impl eframe::App for Shown {
    fn raw_input_hook(&mut self, ctx: &egui::Context, input: &mut egui::RawInput) {
        let dropped = std::mem::take(&mut input.dropped_files);
        if !dropped.is_empty() {
            self.dropped.read(dropped, ctx.clone());
        }
        input.dropped_files = self.dropped.take();
    }

    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.app.logic(ctx, frame);
        for (name, reason) in self.dropped.take_failures() {
            self.app.tell(&format!("{name} cannot be read"), &reason);
        }
        for name in save_written() {
            self.app.tell(
                &format!("{name} cannot be saved"),
                "The browser did not take the file. Allow downloads for this page.",
            );
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.app.ui(ui, frame);
    }

    fn save(&mut self, _: &mut dyn Storage) {
        self.keep();
    }

    fn auto_save_interval(&self) -> Duration {
        Duration::from_secs(2)
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        self.app.clear_color(visuals)
    }

    fn persist_egui_memory(&self) -> bool {
        false // the work has what must stay
    }

    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }
}
