use crate::disk::opened;
use posepress_app::{DialogAnswer, Picker};
use posepress_core::files;
use std::path::{Path, PathBuf};

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

    fn save(&self, name: &str, _: &str, answer: Box<dyn FnOnce(DialogAnswer<PathBuf>) + Send>) {
        answer(DialogAnswer::Given(Path::new(SAVED).join(name)));
    }
}
