//! Files, projects, and what is read and written.

use crate::state::{LeavingAnswer, PathSheet, RigSheet, Seen};
use posepress_core::import::{Fix, LengthUnit, Reading, UpAxis};
use posepress_core::model::ClipId;
use posepress_core::pipeline::{FormatKey, format_key};
use posepress_core::project::RigChoice;
use posepress_core::workspace::ExportScope;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// Files that are opened, looked for and closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FileCommand {
    /// Open these files, and what lies in these folders.
    Open(Vec<PathBuf>),
    /// Give up the files that are being read.
    CancelLoading,
    /// Ask which files to open.
    AskOpen,
    /// Ask for the path of a file or a folder.
    AskOpenPath,
    /// Open the bundled character.
    OpenSample,
    /// Close the file of the selected clip.
    CloseFile,
    /// Open the file again that was closed last.
    ReopenClosed,
    /// Read files again when they change on the disk, or no longer.
    ToggleWatch,
    /// Ask where a file of the project is now.
    Locate(PathBuf),
    /// The file of the project that was there is here.
    Located(PathBuf, PathBuf),
    /// Try to open a file of the project once more.
    OpenPending(PathBuf),
    /// Take a file that is not open out of the project.
    RemovePending(PathBuf),
    /// Open, change or close the sheet that asks for a path.
    SetPathSheet(Option<PathSheet>),
    /// Do what the sheet asks a path for.
    TakePath {
        /// A file that is there is replaced.
        replace: bool,
    },
}

/// The project, and all of the document at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ProjectCommand {
    /// Ask for a project to open.
    AskProject,
    /// Save where the project is, or ask.
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
    /// The lengths of these files are right as they are.
    KeepUnits(Vec<u32>),
    /// Open or close the table of what the import checks found.
    ShowImportFindings(bool),
    /// Read another part of an open file.
    ReadPart(u32, Reading),
    /// Apply or remove a fix of a clip.
    Fix(ClipId, Fix, bool),
    /// Open the sheet that asks whose rig the clips of a file move, change what it says, or close it.
    AskRig(Option<RigSheet>),
    /// Open that sheet for the file of the selected clip.
    AskRigOfClip,
    /// The clips of these files move that rig; nothing means the one that is found by itself.
    ChooseRig(Vec<u32>, Option<RigChoice>),
    /// Read the selected clip's file again with another axis upwards.
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
    /// Write clips there.
    ExportTo {
        /// Key of the exporter.
        #[serde(deserialize_with = "format_key")]
        exporter: FormatKey,
        /// The clips.
        scope: ExportScope,
        /// The file.
        path: PathBuf,
    },
    /// Ask in the window itself where every clip is written to.
    AskExportPath,
    /// How clips are exported: key of a setting, and of the value that is chosen for it.
    SetExport(Cow<'static, str>, Cow<'static, str>),
    /// Ask where to save what the viewports show.
    SaveSeen(Seen),
    /// Save it there.
    SaveSeenTo(Seen, PathBuf),
    /// Stops what is being written.
    CancelExport,
}
