use super::{
    Blink, Cameras, CurveZoom, CurvesOf, Filming, FrameTimes, Ghost, Messages, Panel, PanelPlace, PathSheet, Pending,
    RigSheet, Selection, Settings, Transport, Unsaved,
};
use crate::render::{GpuRefusal, Side};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::model::ClipId;
use posepress_core::project::{DecisionKind, ProjectSource, RecipePlace, ReviewFilter};
use posepress_core::recipe::Recipe;
use posepress_core::study::{StudyGoal, StudyLimits};
use posepress_core::view::{Layer, ViewMode};
use posepress_core::workspace::StudyScope;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The list of all actions, open to be searched.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Palette {
    /// The typed text.
    pub query: String,
    /// Chosen entry of those found.
    pub at: usize,
}

/// Open sheets.
#[derive(Debug, Default)]
pub struct Sheets {
    /// The key sheet is open.
    pub keys: bool,
    /// The command palette, while it is open.
    pub palette: Option<Palette>,
    /// A path is asked for.
    pub path: Option<PathSheet>,
    /// Frame times are shown.
    pub frame_times: bool,
    /// The licences of what the program is built from are shown.
    pub notices: bool,
    /// Who decides is asked.
    pub author: Option<AuthorSheet>,
}

/// A decision that waits until it is known who makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waiting {
    /// About the picked clips.
    Judge(DecisionKind),
    /// They are rejected, for the reason that was typed.
    Reject,
    /// Passing clips are approved.
    ApprovePassing,
    /// Passing clips are approved with the smallest recipe.
    ApproveSmallest,
}

/// The question who decides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AuthorSheet {
    /// The typed text.
    pub name: String,
    /// The decision that waits for the answer.
    pub then: Option<Waiting>,
}

impl AuthorSheet {
    /// The action of the answer.
    pub fn button(&self) -> &'static str {
        if self.then.is_some() { "Decide" } else { "Change" }
    }
}

/// Answers about opened files.
#[derive(Debug, Clone, Default)]
pub struct Imports {
    /// Ids of files whose lengths are right as they are.
    pub kept: HashSet<u32>,
    /// Files that were opened together are still being read: the first of them is looked at.
    pub is_batch: bool,
    /// The table of findings is open.
    pub is_table_open: bool,
    /// Whose rig the clips of a file move is being asked.
    pub rig: Option<RigSheet>,
}

/// Keys that matter as long as they are held.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeldKeys {
    /// The original on both sides.
    pub original: bool,
    /// The wipe's line follows the pointer.
    pub divider: bool,
}

/// Filters of lists.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Filter of clips.
    pub clips: String,
    /// How clips fare.
    pub verdict: Option<Verdict>,
    /// Filter by decision.
    pub review: Option<ReviewFilter>,
    /// Files whose clips are hidden.
    pub folded_files: BTreeSet<u32>,
    /// Filter of joints.
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

/// A decision in the making.
#[derive(Debug, Default)]
pub struct Reviewing {
    /// Notes on undecided clips.
    pub drafts: HashMap<ClipId, String>,
    /// It is to be written now.
    pub wants_note: bool,
    /// A note about the playhead's moment is to be written now.
    pub wants_moment_note: bool,
    /// Why the picked clips are rejected, while that is asked.
    pub reason: Option<String>,
    /// The worst moment of this clip is shown as soon as it is known.
    pub looks_at: Option<ClipId>,
}

impl Reviewing {
    /// The field that was asked for has the focus.
    pub fn note_focused(&mut self) {
        (self.wants_note, self.wants_moment_note) = (false, false);
    }
}

/// Settings of the Budget tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budgeting {
    /// The clips.
    pub scope: StudyScope,
    /// The error against which sizes stand.
    pub aspect: Aspect,
    /// Limits on recipes.
    pub limits: StudyLimits,
    /// Goal among recipes within the limits.
    pub goal: StudyGoal,
    /// The recipe that was picked in plot or table.
    pub chosen: Option<Arc<Recipe>>,
    /// Clip by clip instead of all together.
    pub by_clip: bool,
    /// Order of clips in the table: by a recipe's size or error; file order if `None`.
    pub order: Option<(RecipePlace, TableFigure)>,
    /// The first recipe that is seen there, where there is no room for all.
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

/// The view of the workspace.
#[derive(Debug)]
pub struct View {
    /// Settings, saved between sessions.
    pub settings: Settings,
    /// The clock of both sides.
    pub transport: Transport,
    /// Cameras.
    pub cameras: Cameras,
    /// Selection within the clip.
    pub selection: Selection,
    /// Filters of lists.
    pub filters: Filters,
    /// A decision in the making.
    pub review: Reviewing,
    /// Recipes compared, and the budget.
    pub budget: Budgeting,
    /// Part of the clip that the timeline shows, as shares of its length.
    pub range: (f32, f32),
    /// Keys that are down.
    pub held: HeldKeys,
    /// Original and compressed in turns.
    pub blink: Blink,
    /// Open sheets.
    pub sheets: Sheets,
    /// Answers about opened files.
    pub imports: Imports,
    /// A panel that was asked for and is not scrolled to yet.
    pub wanted_panel: Option<Panel>,
    /// Why the rig that is looked at cannot be drawn.
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
    /// Contents of its file.
    pub unsaved: Unsaved,
    /// The name of it that the window has.
    pub window_named: Option<String>,
    /// Files that were closed, the last one last.
    pub closed_files: Vec<ProjectSource>,
    /// Files of the project that are not open.
    pub pending: Pending,
    /// Times of this machine are shown.
    pub timings: bool,
}

impl View {
    /// A view with settings from the last session.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            transport: Transport::default(),
            cameras: Cameras::default(),
            selection: Selection::default(),
            filters: Filters::default(),
            review: Reviewing::default(),
            budget: Budgeting::default(),
            range: (0.0, 1.0),
            held: HeldKeys::default(),
            blink: Blink::default(),
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
        }
    }

    /// Notes that the files of the project changed.
    pub fn sources_changed(&mut self) {
        self.unsaved.compared = None;
    }

    /// Brings a panel into sight: its tab on a narrow window, else the part of its column.
    pub fn show_panel(&mut self, panel: Panel) {
        match panel.place() {
            PanelPlace::Left(tab) => self.settings.left_tab = tab,
            PanelPlace::Right(tab) => {
                self.settings.right_tab = tab;
                self.wanted_panel = Some(panel);
            }
        }
    }

    /// Options of the curve plot.
    fn curves_of(&self, clip: Option<ClipId>) -> CurvesOf {
        CurvesOf {
            clip,
            joint: self.selection.joint,
            kind: self.settings.curve,
            residual: self.settings.curve_residual,
            first_float: self.settings.first_float,
        }
    }

    /// The curve plot shows these values, as long as it draws the same curves; all that there are without any.
    pub fn zoom_curves(&mut self, clip: Option<ClipId>, values: Option<[f64; 2]>) {
        let of = self.curves_of(clip);
        self.selection.curve_zoom = values.map(|values| CurveZoom { of, values });
    }

    /// Forgets the values that were chosen for other curves.
    pub fn keep_curve_zoom(&mut self, clip: Option<ClipId>) {
        let of = self.curves_of(clip);
        self.selection.curve_zoom = self.selection.curve_zoom.filter(|zoom| zoom.of == of);
    }

    /// True when the compressed side shows the original: a key is held, or it is the original's turn.
    pub fn original_on_both(&self) -> bool {
        let turn = self.settings.mode != ViewMode::Blink && self.blink.side() == Some(Side::Original);
        self.held.original || turn
    }

    /// Height of what is written over the lower end of pictures, points: the scale of the heat map, or the ground.
    pub fn written_below(&self) -> f32 {
        if self.settings.layers.is_on(Layer::Heat) { 52.0 } else { 40.0 }
    }

    /// The factor by which the compressed side's offset is drawn larger; 1 = as it is.
    pub fn offset_gain(&self) -> f32 {
        if self.settings.layers.is_on(Layer::Difference) { self.settings.difference_gain } else { 1.0 }
    }
}
