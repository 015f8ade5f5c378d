//! Paths that the window asks for itself, and folders that are opened.

use crate::App;
use crate::files::is_project;
use crate::files::{FileEvent, file_name, files_and_folders};
use crate::state::Problem;
use crate::state::{Listing, PathAnswer, PathPurpose, PathSheet, Taken, describe};
use posepress_core::export::{ExportOptions, Holds};
use posepress_core::import::{FolderContents, ImportOptions};
use posepress_core::session::{EXPORT_FORMATS, ExportScope, SourceFile, is_container, tier_path};
use posepress_core::settings::Settings;
use posepress_core::text;
use std::path::{Path, PathBuf};

impl App {
    /// Starts reading files, and the files in folders; what is open stays until they are there. A project takes its place.
    pub(crate) fn open(&mut self, paths: Vec<PathBuf>) {
        let (projects, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_project(path));
        projects.into_iter().take(1).for_each(|path| self.open_project(path));
        let (files, folders) = files_and_folders(paths);
        let marked: Vec<PathBuf> = files.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
        self.mark_opening(|opening| opening.files.extend(marked));
        for path in files {
            self.workspace.open(SourceFile::Path(path), self.import_options);
        }
        if !folders.is_empty() {
            self.files.find(folders);
        }
    }

    /// Opens what was found in folders, and says what was left aside.
    pub(crate) fn open_found(&mut self, found: FolderContents) {
        let FolderContents { files, skipped, closed } = found;
        let count = text::count(files.len(), "file");
        self.view.messages.say(match skipped {
            0 => format!("Found {count} to open"),
            skipped => format!("Found {count} to open, skipped {skipped} of other kinds"),
        });
        if !closed.is_empty() {
            self.view.messages.report(Problem::error("Some folders cannot be listed", closed.join("\n")));
        }
        self.open(files);
    }

    /// Asks for a path in the window itself.
    pub(crate) fn ask_path(&mut self, purpose: PathPurpose, name: &str) {
        let recent = self.view.settings.recent.first().and_then(|path| path.parent()).map(Path::to_path_buf);
        let folder = recent.filter(|folder| folder.is_dir()).or_else(|| std::env::current_dir().ok());
        let sheet = PathSheet::new(purpose, &folder.unwrap_or_default(), name);
        self.set_path_sheet(Some(sheet));
    }

    /// Opens, changes or closes the sheet, and reads the folder that it is in by now.
    pub(crate) fn set_path_sheet(&mut self, sheet: Option<PathSheet>) {
        let before = self.view.sheets.path.as_ref().map(PathSheet::folder);
        let now = sheet.as_ref().map(PathSheet::folder);
        self.view.sheets.path = sheet;
        if let Some(folder) = now.filter(|now| before.as_ref() != Some(now)) {
            self.files.list(folder);
        }
    }

    /// What lies in a folder that is still asked for.
    pub(crate) fn take_in_listing(&mut self, listing: Listing) {
        if let Some(sheet) = self.view.sheets.path.as_mut().filter(|sheet| sheet.folder() == listing.folder) {
            (sheet.listing, sheet.at) = (listing, None);
        }
    }

    /// What a file holds that is to be replaced, if that is still asked.
    pub(crate) fn take_in_there(&mut self, path: &Path, there: Option<String>) {
        let answer = self.view.sheets.path.as_mut().and_then(|sheet| sheet.answer.as_mut());
        if let Some(PathAnswer::Replace(asked, known)) = answer.filter(|_| there.is_some())
            && asked == path
        {
            *known = there;
        }
    }

    /// The files that an export wrote, each with its size.
    pub(crate) fn written_files(&self, path: &Path, bytes: usize) -> Vec<String> {
        let tiers = self.workspace.document().tiers.tiers();
        let tiers = tiers.iter().filter(|_| is_container(path)).map(|(name, _)| tier_path(path, name));
        let sized = |path: PathBuf| Some((path.metadata().ok()?.len(), path));
        let beside: Vec<(u64, PathBuf)> = tiers.filter_map(sized).collect();
        let own = (bytes as u64).saturating_sub(beside.iter().map(|(bytes, _)| bytes).sum());
        let named = |(bytes, path): (u64, PathBuf)| format!("{} {}", file_name(&path), text::bytes(bytes));
        std::iter::once((own, path.to_path_buf())).chain(beside).map(named).collect()
    }

    /// Does what the sheet asks a path for, and closes it; or says in it what is wrong.
    pub(crate) fn take_path(&mut self, replace: bool) {
        let Some(sheet) = &mut self.view.sheets.path else { return };
        match sheet.take(replace) {
            Taken::Stay(answer) => {
                if let PathAnswer::Replace(path, None) = &answer {
                    let path = path.clone();
                    self.files.in_background("there", move || FileEvent::There(describe(&path), path));
                }
                sheet.answer = Some(answer);
            }
            Taken::Open(path) => {
                self.view.sheets.path = None;
                self.open(vec![path]);
            }
            Taken::Compare(path) => {
                self.view.sheets.path = None;
                self.compare_with(path);
            }
            Taken::Located(old, path) => {
                self.view.sheets.path = None;
                self.located(&old, path);
            }
            Taken::Write(path) => {
                let purpose = sheet.purpose.clone();
                self.view.sheets.path = None;
                match purpose {
                    PathPurpose::Export { exporter, scope } => self.export_to(exporter, scope, path),
                    PathPurpose::SaveProject => self.save_project_to(path),
                    PathPurpose::SaveSeen(seen) => self.save_seen(seen, path),
                    PathPurpose::Open | PathPurpose::Compare | PathPurpose::Locate(_) => {}
                }
            }
        }
    }

    /// Puts another tool's file where a recipe stands; in the unit of the selected clip's file where it is of that kind.
    pub(crate) fn compare_with(&mut self, path: PathBuf) {
        let source = self.workspace.selected().and_then(|id| self.workspace.library().source(id.source));
        let options = source.map_or(ImportOptions::default(), |source| {
            let [likely, _] = source.options.of_other(source.path.as_deref().unwrap_or(Path::new("")), &path);
            likely
        });
        let path = std::path::absolute(&path).unwrap_or(path);
        self.mark_opening(|opening| opening.files.push(path.clone()));
        self.workspace.compare_with(path, ImportOptions { rate_hz: None, ..options });
    }

    /// Looks at another tool's file, where there is one.
    pub(crate) fn show_foreign(&mut self) {
        self.workspace.foreign_slot().into_iter().for_each(|slot| self.workspace.activate_slot(slot));
    }

    /// Asks where to write clips to.
    pub(crate) fn ask_export(&mut self, exporter: &'static str, scope: ExportScope) {
        let Some((name, extension)) = self.proposed_name(exporter, scope) else { return };
        self.files.ask_export(exporter, scope, &name, extension);
    }

    /// Asks in the window itself where to write to.
    pub(crate) fn ask_export_path(&mut self, exporter: &'static str, scope: ExportScope) {
        if let Some((name, _)) = self.proposed_name(exporter, scope) {
            self.ask_path(PathPurpose::Export { exporter, scope }, &name);
        }
    }

    /// Exports in another way from now on.
    pub(crate) fn set_export(&mut self, key: &str, choice: &str) {
        let Some(setting) = ExportOptions::ALL.iter().find(|setting| setting.key == key) else { return };
        self.workspace.edit(format!("Export: {}", setting.label), |document| {
            document.export.choose(key, choice);
        });
    }

    /// A name for what is exported, with its extension.
    fn proposed_name(&self, exporter: &str, scope: ExportScope) -> Option<(String, &'static str)> {
        let (id, library) = (self.workspace.selected()?, self.workspace.library());
        let (clip, source) = (library.clip(id)?.1, library.source(id.source)?);
        // By the file: its rig may be another file's.
        let file = Path::new(source.name()).file_stem()?.to_string_lossy();
        let stem = if scope == ExportScope::Clip { clip.name() } else { &file };
        let format = EXPORT_FORMATS.iter().find(|format| format.key == exporter)?;
        let extension = format.extension;
        let kind = match (format.holds, scope) {
            // Beside its clips, which have the same extension.
            (Holds::Rig, _) => ".skeleton",
            // Beside all of them, of which these are a part.
            (_, ExportScope::Approved) => "-approved",
            _ => "",
        };
        let safe: String =
            stem.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
        Some((format!("{safe}{kind}.{extension}"), extension))
    }

    /// Writes clips of the selected file.
    pub(crate) fn export_to(&mut self, exporter: &'static str, scope: ExportScope, path: PathBuf) {
        if let Some(id) = self.workspace.selected() {
            self.workspace.export(id, scope, exporter, path);
        }
    }
}
