use super::{
    BlindTesting, Blink, Cameras, CurveZoom, CurvesOf, Filming, FrameTimes, Ghost, Keymap, Manual, Messages, Panel,
    PanelPlace, PathSheet, Pending, ResultsFolder, RigSheet, Selection, Settings, Touring, Transport, Unsaved,
};
use crate::render::{GpuRefusal, Side};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::model::{ClipId, ClipKey};
use posepress_core::project::{DecisionKind, ProjectSource, RecipePlace, ReviewFilter};
use posepress_core::recipe::Recipe;
use posepress_core::study::{StudyGoal, StudyLimits};
use posepress_core::view::{Layer, ViewMode};
use posepress_core::workspace::StudyScope;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The open command palette.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Palette {
    /// The typed text.
    pub query: String,
    /// Index of the chosen entry among those found.
    pub at: usize,
}

/// Open sheets.
#[derive(Debug, Default)]
pub struct Sheets {
    /// True if the key sheet is open.
    pub keys: bool,
    /// The command palette, while it is open.
    pub palette: Option<Palette>,
    /// The sheet that asks for a path.
    pub path: Option<PathSheet>,
    /// True if frame times are shown.
    pub frame_times: bool,
    /// The manual, while it is open.
    pub manual: Option<Manual>,
    /// True if the third-party licences are shown.
    pub notices: bool,
    /// The sheet that asks for the reviewer's name.
    pub author: Option<AuthorSheet>,
    /// True if the sheet that starts a blind test is open.
    pub blind: bool,
    /// True if the sheet of fixes for all clips is open.
    pub common_fixes: bool,
    /// True if the sheet that approves again is open.
    pub approve_again: bool,
}

/// A decision that waits for the reviewer's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waiting {
    /// A decision about the picked clips.
    Judge(DecisionKind),
    /// Rejection of the picked clips, with the typed reason.
    Reject,
    /// Approval of all passing clips.
    ApprovePassing,
    /// Approval of all passing clips, each with its smallest recipe.
    ApproveSmallest,
    /// Approval again of what still passes.
    ApproveAgain,
    /// The result of a blind test.
    KeepBlindTest,
}

/// The sheet that asks for the reviewer's name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AuthorSheet {
    /// The typed text.
    pub name: String,
    /// The decision that waits for the name.
    pub then: Option<Waiting>,
}

impl AuthorSheet {
    /// Label of its button.
    pub fn button(&self) -> &'static str {
        match self.then {
            Some(Waiting::KeepBlindTest) => "Keep",
            Some(_) => "Decide",
            None => "Change",
        }
    }
}

/// State of questions about opened files.
#[derive(Debug, Clone, Default)]
pub struct Imports {
    /// Ids of files whose units the user confirmed.
    pub kept: HashSet<u32>,
    /// True if a clip of files opened together was selected and more of them are still being read.
    pub is_batch: bool,
    /// True if the table of import findings is open.
    pub is_table_open: bool,
    /// The sheet that asks which rig the clips of a file move.
    pub rig: Option<RigSheet>,
}

/// Keys that act while they are held.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeldKeys {
    /// R: the original on both sides.
    pub original: bool,
    /// V: the wipe line follows the pointer.
    pub divider: bool,
}

/// Filters of lists.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Text that names of clips must contain.
    pub clips: String,
    /// Filter by verdict.
    pub verdict: Option<Verdict>,
    /// Filter by decision.
    pub review: Option<ReviewFilter>,
    /// Files whose clips are hidden.
    pub folded_files: BTreeSet<u32>,
    /// Text that names of joints must contain.
    pub joints: String,
}

impl Filters {
    /// Hides the clips of a file in the list, or shows them.
    pub fn toggle_file(&mut self, source: u32) {
        if !self.folded_files.remove(&source) {
            self.folded_files.insert(source);
        }
    }
}

/// Notes and requests of the review.
#[derive(Debug, Default)]
pub struct Reviewing {
    /// Notes on undecided clips.
    pub drafts: BTreeMap<ClipKey, String>,
    /// True if the field for the clip's note gets the focus next.
    pub wants_note: bool,
    /// True if the field for a note about the frame gets the focus next.
    pub wants_moment_note: bool,
    /// Typed reason of a rejection, while its field is open.
    pub reason: Option<String>,
    /// The clip whose worst frame is shown as soon as it is measured.
    pub looks_at: Option<ClipId>,
}

impl Reviewing {
    /// Clears both requests: the field has the focus.
    pub fn note_focused(&mut self) {
        (self.wants_note, self.wants_moment_note) = (false, false);
    }
}

/// Settings of the Budget tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budgeting {
    /// The clips.
    pub scope: StudyScope,
    /// The error that the plot shows against size.
    pub aspect: Aspect,
    /// Limits on recipes.
    pub limits: StudyLimits,
    /// Goal among recipes within the limits.
    pub goal: StudyGoal,
    /// The recipe that was picked in plot or table.
    pub chosen: Option<Arc<Recipe>>,
    /// True for figures clip by clip instead of all clips together.
    pub by_clip: bool,
    /// Order of clips in the table: by a recipe's size or error; file order if `None`.
    pub order: Option<(RecipePlace, TableFigure)>,
    /// Index of the first visible recipe in the table, if not all fit.
    pub first_recipe: usize,
}

/// Contents of a cell in the table of clips and recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableFigure {
    /// Bytes.
    Size,
    /// Largest shell error.
    Error,
    /// Largest slide.
    Slide,
}

impl Default for Budgeting {
    fn default() -> Self {
        Self {
            scope: StudyScope::All,
            aspect: Aspect::Shell,
            limits: StudyLimits::default(),
            goal: StudyGoal::default(),
            chosen: None,
            by_clip: false,
            order: None,
            first_recipe: 0,
        }
    }
}

/// State of the window beside the workspace.
#[derive(Debug)]
pub struct View {
    /// Settings, saved between sessions.
    pub settings: Settings,
    /// The clock of both sides.
    pub transport: Transport,
    /// Cameras.
    pub cameras: Cameras,
    /// Number of characters in the pictures; 1 is no crowd.
    pub crowd: u32,
    /// True if the distance of the camera chooses the level of detail on the compressed side.
    pub lod_by_camera: bool,
    /// Selection within the clip.
    pub selection: Selection,
    /// Filters of lists.
    pub filters: Filters,
    /// Notes and requests of the review.
    pub review: Reviewing,
    /// Settings of the Budget tab.
    pub budget: Budgeting,
    /// Part of the clip that the timeline shows, as shares of its length.
    pub range: (f32, f32),
    /// Keys that are held.
    pub held: HeldKeys,
    /// Original and compressed alternately.
    pub blink: Blink,
    /// The blind test that runs.
    pub blind: Option<BlindTesting>,
    /// The tour that plays.
    pub touring: Option<Touring>,
    /// Open sheets.
    pub sheets: Sheets,
    /// State of questions about opened files.
    pub imports: Imports,
    /// A panel to scroll to.
    pub wanted_panel: Option<Panel>,
    /// Why the selected rig cannot be drawn.
    pub refusal: Option<GpuRefusal>,
    /// Frame times.
    pub frame_times: FrameTimes,
    /// Problems, and what happened last.
    pub messages: Messages,
    /// The curves before the last change.
    pub ghost: Ghost,
    /// The file that is being saved from the view.
    pub filming: Option<Filming>,
    /// The file of the project that is open.
    pub project: Option<PathBuf>,
    /// Contents of its file, and the question about unsaved changes.
    pub unsaved: Unsaved,
    /// The project's name in the title of the window.
    pub window_named: Option<String>,
    /// Files that were closed, latest last.
    pub closed_files: Vec<ProjectSource>,
    /// Files of the project that are not open.
    pub pending: Pending,
    /// True if times measured on this machine are shown.
    pub timings: bool,
    /// True in a web page.
    pub in_page: bool,
    /// The keys in use.
    pub keymap: Arc<Keymap>,
    /// The file of own keys; `None` without a folder for settings.
    pub own_keys: Option<PathBuf>,
    /// The folder of kept results; `None` to keep none on disk.
    pub results_folder: Option<ResultsFolder>,
}

impl View {
    /// A view with settings from the last session.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            transport: Transport::default(),
            cameras: Cameras::default(),
            crowd: 1,
            lod_by_camera: false,
            selection: Selection::default(),
            filters: Filters::default(),
            review: Reviewing::default(),
            budget: Budgeting::default(),
            range: (0.0, 1.0),
            held: HeldKeys::default(),
            blink: Blink::default(),
            blind: None,
            touring: None,
            sheets: Sheets::default(),
            imports: Imports::default(),
            wanted_panel: None,
            refusal: None,
            frame_times: FrameTimes::default(),
            messages: Messages::default(),
            ghost: Ghost::default(),
            filming: None,
            project: None,
            unsaved: Unsaved::default(),
            window_named: None,
            closed_files: Vec::new(),
            pending: Pending::default(),
            timings: true,
            in_page: false,
            keymap: Arc::default(),
            own_keys: None,
            results_folder: None,
        }
    }

    /// Discards the comparison with the project's file, so that it is compared again.
    pub fn sources_changed(&mut self) {
        self.unsaved.compared = None;
    }

    /// Brings a panel into view: selects its tab, and on the right scrolls to it.
    pub fn show_panel(&mut self, panel: Panel) {
        self.settings.asked_panels.insert(panel);
        match panel.place() {
            PanelPlace::Left(tab) => self.settings.left_tab = tab,
            PanelPlace::Right(tab) => {
                self.settings.right_tab = tab;
                self.wanted_panel = Some(panel);
            }
        }
    }

    /// The curves that the plot draws now.
    fn curves_of(&self, clip: Option<ClipId>) -> CurvesOf {
        CurvesOf {
            clip,
            joint: self.selection.joint,
            kind: self.settings.curve,
            residual: self.settings.curve_residual,
            first_float: self.settings.first_float,
        }
    }

    /// Sets the value range of the curve plot for the current curves; `None` for all values.
    pub fn zoom_curves(&mut self, clip: Option<ClipId>, values: Option<[f64; 2]>) {
        let of = self.curves_of(clip);
        self.selection.curve_zoom = values.map(|values| CurveZoom { of, values });
    }

    /// Forgets the value range if it was chosen for other curves.
    pub fn keep_curve_zoom(&mut self, clip: Option<ClipId>) {
        let of = self.curves_of(clip);
        self.selection.curve_zoom = self.selection.curve_zoom.filter(|zoom| zoom.of == of);
    }

    /// True if the compressed side shows the original: R is held, or B is held outside of blink mode and it is the
    /// original's turn.
    pub fn original_on_both(&self) -> bool {
        let turn = self.settings.mode != ViewMode::Blink && self.blink.side() == Some(Side::Original);
        self.held.original || turn
    }

    /// Height of the text at the lower edge of a viewport, points: the heat map's scale, or the scale of the ground.
    pub fn written_below(&self) -> f32 {
        if self.settings.layers.is_on(Layer::Heat) { 52.0 } else { 40.0 }
    }

    /// Factor on the drawn error of the compressed side; 1 = true to scale.
    pub fn offset_gain(&self) -> f32 {
        if self.settings.layers.is_on(Layer::Difference) { self.settings.difference_gain } else { 1.0 }
    }
}
