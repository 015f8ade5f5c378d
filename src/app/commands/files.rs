//! Files, projects, import and export.

use crate::state::{LeavingAnswer, PathSheet, RigSheet, Seen};
use posepress_core::import::{Fix, LengthUnit, Reading, UpAxis};
use posepress_core::model::ClipId;
use posepress_core::pipeline::{FormatKey, format_key};
use posepress_core::project::RigChoice;
use posepress_core::workspace::ExportScope;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// Opening, locating and closing of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FileCommand {
    /// Open these files, and the files in these folders.
    Open(Vec<PathBuf>),
    /// Cancel reading of files.
    CancelLoading,
    /// Ask which files to open.
    AskOpen,
    /// Ask for the path of a file or a folder to open, without a file dialog.
    AskOpenPath,
    /// Open the bundled character.
    OpenSample,
    /// Close the file of the selected clip.
    CloseFile,
    /// Open the last closed file again.
    ReopenClosed,
    /// Toggle reading files again when they change on disk.
    ToggleWatch,
    /// Toggle keeping results on disk.
    ToggleResults,
    /// Remove all results that are kept on disk.
    RemoveResults,
    /// Ask where a file of the project is now.
    Locate(PathBuf),
    /// Read the project's file at the first path from the second path.
    Located(PathBuf, PathBuf),
    /// Try again to open a file of the project.
    OpenPending(PathBuf),
    /// Remove a file that is not open from the project.
    RemovePending(PathBuf),
    /// Open, change or close the sheet that asks for a path.
    SetPathSheet(Option<PathSheet>),
    /// Act on the path in the sheet.
    TakePath {
        /// True if an existing file may be replaced.
        replace: bool,
    },
}

/// The project, undo and redo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ProjectCommand {
    /// Ask for a project to open.
    AskProject,
    /// Save to the project's file, or ask for one.
    SaveProject,
    /// Ask where to save.
    SaveProjectAs,
    /// Answer to the question about unsaved changes.
    LeaveProject(LeavingAnswer),
    /// Undo the last change.
    Undo,
    /// Redo the last undone change.
    Redo,
}

/// How files are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ImportCommand {
    /// Read open files again in another unit.
    ReadAs {
        /// Ids of the files.
        sources: Vec<u32>,
        /// Unit of their lengths.
        unit: LengthUnit,
    },
    /// Confirm the units of these files.
    KeepUnits(Vec<u32>),
    /// Open or close the table of what the import checks found.
    ShowImportFindings(bool),
    /// Read an open file again in another way that the import checks offer.
    ReadPart(u32, Reading),
    /// Apply or remove a fix of a clip.
    Fix(ClipId, Fix, bool),
    /// Open, change or close the sheet that asks which rig the clips of a file move.
    AskRig(Option<RigSheet>),
    /// Open this sheet for the file of the selected clip.
    AskRigOfClip,
    /// Choose the rig for the clips of these files; `None` for the automatic choice.
    ChooseRig(Vec<u32>, Option<RigChoice>),
    /// Read the selected clip's file again with another up axis.
    SetUpAxis(UpAxis),
}

/// Exports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ExportCommand {
    /// Ask where to write clips with an exporter.
    ExportDialog {
        /// Key of the exporter.
        #[serde(deserialize_with = "format_key")]
        exporter: FormatKey,
        /// The clips.
        scope: ExportScope,
    },
    /// Write clips to a file.
    ExportTo {
        /// Key of the exporter.
        #[serde(deserialize_with = "format_key")]
        exporter: FormatKey,
        /// The clips.
        scope: ExportScope,
        /// The file.
        path: PathBuf,
    },
    /// Ask for the path of an export of all clips, without a file dialog.
    AskExportPath,
    /// Set an export option: key of the setting, key of the value.
    SetExport(Cow<'static, str>, Cow<'static, str>),
    /// Ask where to save what the viewports show.
    SaveSeen(Seen),
    /// Save what the viewports show to this path.
    SaveSeenTo(Seen, PathBuf),
    /// Show the file that was written last in the file manager.
    ShowInFolder,
    /// Cancel exports, pictures and animations.
    CancelExport,
}
