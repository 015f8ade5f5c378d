//! The sheet that asks for a path without a file dialog.

use crate::files::Files;
use crate::state::{Listing, PathAnswer, PathPurpose, PathSheet, View};
use std::path::Path;

/// Opens the sheet in the folder of the last opened file, else in the current folder.
pub fn ask_path(view: &mut View, files: &Files, purpose: PathPurpose, name: &str) {
    let recent = view.settings.recent.first().and_then(|path| path.parent()).map(Path::to_path_buf);
    let folder = recent.filter(|folder| folder.is_dir()).or_else(|| std::env::current_dir().ok());
    let sheet = PathSheet::new(purpose, &folder.unwrap_or_default(), name);
    set_path_sheet(view, files, Some(sheet));
}

/// Opens, changes or closes the sheet, and lists its folder if that changed.
pub fn set_path_sheet(view: &mut View, files: &Files, sheet: Option<PathSheet>) {
    let before = view.sheets.path.as_ref().map(PathSheet::folder);
    let now = sheet.as_ref().map(PathSheet::folder);
    view.sheets.path = sheet;
    if let Some(folder) = now.filter(|now| before.as_ref() != Some(now)) {
        files.list(folder);
    }
}

/// Takes the contents of a folder, if the sheet is still in this folder.
pub fn take_in_listing(view: &mut View, listing: Listing) {
    if let Some(sheet) = view.sheets.path.as_mut().filter(|sheet| sheet.folder() == listing.folder) {
        (sheet.listing, sheet.at) = (listing, None);
    }
}

/// Takes the description of a file to replace, if the sheet still asks about this file.
pub fn take_in_there(view: &mut View, path: &Path, there: Option<String>) {
    let answer = view.sheets.path.as_mut().and_then(|sheet| sheet.answer.as_mut());
    if let Some(PathAnswer::Replace(asked, known)) = answer.filter(|_| there.is_some())
        && asked == path
    {
        *known = there;
    }
}
