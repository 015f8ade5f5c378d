//! What panels and keys ask for, as data.

use crate::actions::Action;
use crate::panels::{Panel, RigSheet};
use crate::persist::{Again, LeftOut};
use crate::render::Side;
use crate::state::PathSheet;
use crate::state::{AuthorSheet, Budgeting, Palette};
use crate::state::{CurveKind, Desk, LeftTab, RightTab, TimelineTab};
use crate::update::LeavingAnswer;
use crate::update::Naming;
use crate::update::RecipeEdit;
use posepress_core::codecs::Codec;
use posepress_core::import::{LengthUnit, Mend, Reading, UpAxis};
use posepress_core::metrics::{Complaint, Verdict};
use posepress_core::model::Additive;
use posepress_core::session::{
    Alignment, CameraPreset, ClipId, ClipSort, Document, ExportScope, JointSort, Judgement, Layer, Recipe, Reference,
    ReviewFilter, RigChoice, Screen, TierSettings, Trial, ViewMode,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A change that a panel or a key asks for. The app carries it out after drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Something that has a name, if it can run now.
    Run(&'static Action),
    /// Open these files, and what lies in these folders.
    Open(Vec<PathBuf>),
    /// Give up the files that are being read.
    CancelLoading,
    /// Stops what is being written.
    CancelExport,
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
    /// Mend something of a clip, or take that back.
    Mend(ClipId, Mend, bool),
    /// Open the sheet that asks whose rig the clips of a file move, change what it says, or close it.
    AskRig(Option<RigSheet>),
    /// The clips of these files move that rig; nothing means the one that is found by itself.
    ChooseRig(Vec<u32>, Option<RigChoice>),
    /// Read the selected clip's file again with another axis upwards.
    SetUpAxis(UpAxis),
    /// Ask where to write clips with an exporter.
    ExportDialog {
        /// Key of the exporter.
        exporter: &'static str,
        /// Which clips.
        scope: ExportScope,
    },
    /// How clips are exported: key of a setting, and of the value that is chosen for it.
    SetExport(&'static str, &'static str),
    /// Change a recipe while an interaction is under way.
    PreviewRecipe(RecipeEdit),
    /// Change a recipe in one step.
    EditRecipe(RecipeEdit),
    /// Compress with another codec, in the active recipe.
    UseCodec(&'static dyn Codec),
    /// Move another tool's file in time while an interaction is under way.
    Align(Alignment),
    /// Where the clips are seen, while an interaction is under way.
    SetScreen(Screen),
    /// What containers are written without, until it is settled.
    SetTiers(TierSettings),
    /// The interaction has come to rest.
    Settle,
    /// Plants of a foot of the selected clip while they are dragged: joint, then touch-down and lift-off of each.
    PreviewPlants(String, Vec<[f32; 2]>),
    /// Plants of a foot of the selected clip in one step; nothing means those that are found.
    EditPlants(String, String, Option<Vec<[f32; 2]>>),
    /// Mark the selected clip as looping or not; nothing means as found.
    MarkLoop(Option<bool>),
    /// Mark the selected clip as additive, or as standing for itself; nothing means as its file says.
    MarkAdditive(Option<Additive>),
    /// The same of any clip.
    MarkClipAdditive(ClipId, Option<Additive>),
    /// Decide about the selected clip, as it is compressed now; who rejects it is asked why.
    Judge(Judgement),
    /// Why the clip is rejected, while that is typed; nothing leaves it undecided.
    SetReason(Option<String>),
    /// Reject the clip, for the reason that was typed.
    Reject,
    /// Approves what passes with the active recipe.
    ApprovePassing,
    /// Approves what passes with any recipe, with the one that makes it smallest.
    ApproveSmallest,
    /// Asks who decides, or asks no longer.
    AskAuthor(Option<AuthorSheet>),
    /// Who decides from now on.
    SetAuthor(String),
    /// What there is to say about the selected clip.
    WriteNote(String),
    /// The field for it has the focus, or that for a note about a moment.
    NoteFocused,
    /// Say something about the playhead's moment and the selected joint.
    AddNote(String),
    /// Change what is said about a moment of the clip; nothing removes it.
    ChangeNote(usize, String),
    /// The moment and the joint of a note.
    ShowNote(usize),
    /// Compare by something else, give another budget, pick another point.
    SetBudget(Budgeting),
    /// Look what recipes come to.
    Study,
    /// Give up what is being studied and shared out.
    StopStudy,
    /// Share the budget out.
    FitBudget,
    /// The recipe's tolerance counts again for all clips of the active slot.
    ForgetTolerances,
    /// Give recipes names, and clips recipes.
    Naming(Naming),
    /// Put a recipe into the active slot.
    TakeRecipe(Arc<Recipe>),
    /// Give up the compression that runs.
    StopJob,
    /// Do again what was given up.
    ResumeJob,
    /// Tune another recipe.
    ActivateSlot(usize),
    /// Compare what is tuned with something else than the original, or with that again.
    CompareTo(Reference),
    /// Look at another clip.
    SelectClip(ClipId),
    /// Pick a clip besides the one that is looked at, or no more.
    PickClip(ClipId),
    /// Pick all clips of the list from the one that is looked at to this one.
    PickClipsTo(ClipId),
    /// Pick a joint.
    SelectJoint(Option<usize>),
    /// Show only clips whose name holds this.
    FilterClips(String),
    /// Show only clips that fare so; all of them without one.
    FilterVerdict(Option<Verdict>),
    /// Show only clips whose review is that far; all of them without one.
    FilterReview(Option<ReviewFilter>),
    /// Order of the list of clips; as in the files without one.
    SortClips(Option<ClipSort>),
    /// Clips of one file stand together, or not.
    GroupClips(bool),
    /// Hide the clips of a file in the list, or show them.
    ToggleFile(u32),
    /// Change the active recipe as a trial did.
    Accept(Box<Trial>),
    /// Show only joints whose name holds this.
    FilterJoints(String),
    /// Order of the joint list.
    SortJoints(JointSort),
    /// Fold or unfold the joints below one.
    ToggleJoint(usize),
    /// Put the playhead.
    Seek(f32),
    /// Move the playhead by samples.
    Step(f64),
    /// A peak of the error, and who is to blame for it.
    ShowPeak(f32),
    /// Worst moment of a plant, its foot framed from the side, and who is to blame.
    ShowPlant(usize),
    /// Which joint causes this.
    Explain(Complaint),
    /// Factor on real time.
    SetSpeed(f32),
    /// Part of the clip that the timeline shows, as shares of its length.
    ZoomTimeline(f32, f32),
    /// Arrange the window for something else.
    ShowDesk(Desk),
    /// How both sides share the space.
    SetMode(ViewMode),
    /// Draw the meshes of these names, or not.
    ShowMeshes(Vec<String>, bool),
    /// Where the wipe's line stands.
    SetWipe(f32),
    /// Opacity of the compressed figure over the original.
    SetOnionMix(f32),
    /// How often a second a blinking picture goes there and back.
    SetBlinkHz(f32),
    /// Frame number of the first sample.
    SetFirstFrame(i32),
    /// How many times larger the difference is drawn.
    SetDifferenceGain(f32),
    /// Show or hide.
    ToggleLayer(Layer),
    /// Look from a side.
    LookFrom(CameraPreset),
    /// Turn the camera.
    Orbit {
        /// Where the pointer is.
        side: Side,
        /// Around the up axis.
        yaw_rad: f32,
        /// Up and down.
        pitch_rad: f32,
    },
    /// Move the camera across the picture.
    Pan {
        /// Where the pointer is.
        side: Side,
        /// Points that the pointer moved.
        delta: egui::Vec2,
        /// Points that the viewport measures.
        size: egui::Vec2,
    },
    /// Nearer or farther.
    Dolly {
        /// Where the pointer is.
        side: Side,
        /// Factor on the distance.
        factor: f32,
        /// Pointer, points from the viewport's upper left.
        at: egui::Vec2,
        /// Points that the viewport measures.
        size: egui::Vec2,
    },
    /// What the curve plot shows.
    SetCurve(CurveKind),
    /// Show or hide X, Y or Z.
    ToggleCurveAxis(usize),
    /// Values that the curve plot shows; all that there are without any.
    ZoomCurves(Option<[f64; 2]>),
    /// First float track of the curve plot.
    SetFirstFloat(usize),
    /// Keys of the fit that the curve plot shows; all of them without a number.
    SetReplay(Option<usize>),
    /// Draw a joint's curves besides those of the selected one, or no longer.
    CompareJoint(usize),
    /// Error between samples counts in the plot.
    ToggleBetween,
    /// Bring a panel into sight.
    ShowPanel(&'static Panel),
    /// It is.
    PanelShown,
    /// Tab of a narrow window.
    ShowLeft(LeftTab),
    /// Tab of a narrow window.
    ShowRight(RightTab),
    /// Tab of a narrow window.
    ShowTimeline(TimelineTab),
    /// Open, change or close the command palette.
    SetPalette(Option<Palette>),
    /// Text from the clipboard becomes what is seen, or the active recipe.
    Paste(String),
    /// A panel was dragged to another width or height, points.
    SizePanel(&'static str, f32),
    /// Open what was left out because the last start ended with it.
    OpenLeftOut(Box<LeftOut>, Again),
    /// Ask where a file of the project is now.
    Locate(PathBuf),
    /// Try to open a file of the project once more.
    OpenPending(PathBuf),
    /// Take a file that is not open out of the project.
    RemovePending(PathBuf),
    /// Recipes and marks of another window in the place of those here; the label says whose.
    TakeDocument(String, Box<Document>),
    /// Open, change or close the sheet that asks for a path.
    SetPathSheet(Option<PathSheet>),
    /// Do what the sheet asks a path for.
    TakePath {
        /// A file that is there is replaced.
        replace: bool,
    },
    /// What becomes of a project before it is left.
    LeaveProject(LeavingAnswer),
    /// Close a message.
    Dismiss(usize),
    /// The three steps were read.
    DismissHint,
    /// Close what is open on top.
    Escape,
}
