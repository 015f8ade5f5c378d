use crate::disk::opened;
use posepress_app::{DialogAnswer, FetchedSample, Picker};
use posepress_core::files;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The bundled character, once it was fetched.
static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();

/// Folder of files that the page saves, apart from those that were given to it.
const SAVED: &str = "saved";

/// Asks for files with the browser's dialog. It saves without a question: the browser asks, or has a folder for downloads.
pub(crate) struct PagePicker;

impl Picker for PagePicker {
    fn open(&self, extensions: &[&str], answer: Box<dyn FnOnce(DialogAnswer<Vec<PathBuf>>) + Send>) {
        // Files that others need, such as the buffers of a glTF file, have any extension.
        let _ = extensions;
        let dialog = rfd::AsyncFileDialog::new().pick_files();
        wasm_bindgen_futures::spawn_local(async move {
            let Some(picked) = dialog.await.filter(|picked| !picked.is_empty()) else {
                return answer(DialogAnswer::Cancelled);
            };
            let mut files = Vec::with_capacity(picked.len());
            for file in picked {
                files.push((file.file_name(), file.read().await));
            }
            answer(DialogAnswer::Given(opened(files::use_memory().give(files))));
        });
    }

    fn sample(&self) -> Option<&'static [u8]> {
        SAMPLE.get().map(Vec::as_slice)
    }

    fn fetch_sample(&self, answer: Box<dyn FnOnce(FetchedSample) + Send>) {
        wasm_bindgen_futures::spawn_local(async move {
            let fetched = fetched("sample.glb").await.map(|bytes| SAMPLE.get_or_init(|| bytes).as_slice());
            answer(fetched.map_err(|error| error.as_string().unwrap_or_else(|| "The network does not answer.".into())));
        });
    }

    fn save(&self, name: &str, _: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        answer(DialogAnswer::Given(Path::new(SAVED).join(name)));
    }
}

/// The bytes of a file of the page's site.
async fn fetched(name: &str) -> Result<Vec<u8>, JsValue> {
    let window = web_sys::window().ok_or("This page has no window.")?;
    let answer: web_sys::Response = JsFuture::from(window.fetch_with_str(name)).await?.dyn_into()?;
    if !answer.ok() {
        return Err(format!("The server answers {}.", answer.status()).into());
    }
    let bytes = JsFuture::from(answer.array_buffer()?).await?;
    Ok(js_sys::Uint8Array::new(&bytes).to_vec())
}
