//! Files in the page: dropped, read and saved.

use egui::{Context, DroppedFile, DroppedFileHandle};
use posepress_core::files;
use posepress_core::import::readable_extensions;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::{JsCast, JsValue};

/// Files that were dropped and whose bytes are in memory now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dropped(Arc<Mutex<Arrived>>);

#[derive(Debug, Default)]
struct Arrived {
    files: Vec<DroppedFileHandle>,
    /// Names of files that cannot be read, each with the reason.
    failures: Vec<(String, String)>,
}

/// A file in memory, as the window gets it.
#[derive(Debug)]
struct InMemory(PathBuf);

impl DroppedFile for InMemory {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes_async(&self) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + '_>> {
        let bytes = files::read(&self.0).map_err(|error| error.to_string());
        Box::pin(std::future::ready(bytes))
    }

    fn web_file(&self) -> Option<&web_sys::File> {
        None
    }
}

impl Dropped {
    /// Reads the bytes of files, and wakes the window when they are there.
    pub(crate) fn read(&self, files: Vec<DroppedFileHandle>, wake: Context) {
        let dropped = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let mut given = Vec::with_capacity(files.len());
            for file in files {
                match file.bytes_async().await {
                    Ok(bytes) => given.push((file.path().to_string_lossy().into_owned(), bytes)),
                    Err(error) => dropped.lock().failures.push((file.path().display().to_string(), error)),
                }
            }
            let paths = opened(files::use_memory().give(given));
            dropped.lock().files.extend(paths.into_iter().map(|path| Arc::new(InMemory(path)) as DroppedFileHandle));
            wake.request_repaint();
        });
    }

    /// The files that were read since the last call.
    pub(crate) fn take(&self) -> Vec<DroppedFileHandle> {
        std::mem::take(&mut self.lock().files)
    }

    /// The files that could not be read since the last call.
    pub(crate) fn take_failures(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.lock().failures)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that a person wants to open. Others came with them, such as the buffers and images of a glTF file.
pub(crate) fn opened(given: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_readable = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
        readable_extensions().any(|readable| readable == extension)
    };
    match given.iter().any(is_readable) {
        true => given.into_iter().filter(|path| is_readable(path)).collect(),
        false => given,
    }
}

/// Lets the browser save the files that were written since the last call. Returns the names of those that it did not take.
pub(crate) fn save_written() -> Vec<String> {
    let named = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let written = files::use_memory().take_written();
    let refused = written.into_iter().filter(|(path, bytes)| save(&named(path), bytes).is_err());
    refused.map(|(path, _)| named(&path)).collect()
}

/// Keeps the work in the browser's storage.
pub(crate) fn keep(name: &str, work: &str) -> Result<(), String> {
    let storage = web_sys::window().and_then(|window| window.local_storage().ok().flatten());
    let storage = storage.ok_or("the browser gives the page no storage")?;
    storage.set_item(name, work).map_err(|_| "the browser's storage for this page is full".to_owned())
}

/// The work in the browser's storage.
pub(crate) fn kept(name: &str) -> Option<String> {
    web_sys::window()?.local_storage().ok()??.get_item(name).ok()?
}

fn save(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let blob = web_sys::Blob::new_with_u8_array_sequence(&parts)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or("no document")?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    web_sys::Url::revoke_object_url(&url)
}
