//! The list of actions. A new action is one entry: name, label, help, keys, condition and command.

use super::conditions::*;
use super::{Action, Menu, families};
use crate::commands::Command::*;
use crate::commands::*;
use crate::state::{GhostOf, Level, Palette, Seen, TimelineTab};
use egui::{Key, KeyboardShortcut, Modifiers};
use posepress_core::model::Additive;
use std::borrow::Cow;
use std::sync::LazyLock;

const fn key(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn alt(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::ALT, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

/// Declares a group of actions in a menu. Buttons use the same statics.
macro_rules! entries {
    ($group:ident in $menu:ident: $($name:ident $label:literal $help:literal [$($key:expr),*] $can_run:ident
        $(also($also:literal))? $(now($now:expr))? $(on($on:expr))? => $command:expr;)*) => {
        $(
            #[doc = $help]
            pub static $name: Action = Action {
                id: Cow::Borrowed(stringify!($name)),
                menu: Menu::$menu,
                label: Cow::Borrowed($label),
                help: Cow::Borrowed($help),
                also: concat!("" $(, $also)?),
                keys: Cow::Borrowed(&[$($key),*]),
                keyed_at: None,
                can_run: $can_run,
                now: entries!(@or_none $($now)?),
                on: entries!(@or_none $($on)?),
                command: $command,
            };
        )*
        static $group: &[&Action] = &[$(&$name),*];
    };
    (@or_none) => { |_| None };
    (@or_none $given:expr) => { $given };
}

/// Every action, in the order of the menus.
pub fn actions() -> &'static [&'static Action] {
    static ALL: LazyLock<Vec<&'static Action>> = LazyLock::new(|| groups().concat());
    &ALL
}

/// Every action, in groups between which the menus draw a line.
pub fn groups() -> &'static [Vec<&'static Action>] {
    static ALL: LazyLock<Vec<Vec<&'static Action>>> = LazyLock::new(grouped);
    &ALL
}

/// The action with this command.
pub fn action_of(command: &Command) -> Option<&'static Action> {
    actions().iter().copied().find(|action| action.command() == command)
}

/// The action with this id.
pub fn action_named(name: &ActionId) -> Option<&'static Action> {
    actions().iter().copied().find(|action| action.key() == *name)
}

fn grouped() -> Vec<Vec<&'static Action>> {
    vec![
        OPENING.to_vec(),
        SAVING.to_vec(),
        READING.to_vec(),
        [families::exports(), families::export_options(), EXPORTING.to_vec()].concat(),
        CLOSING.to_vec(),
        [HISTORY, SHARING].concat(),
        [families::slots(), families::codecs(), families::references()].concat(),
        [RECIPES, COMPARING, LOOPS].concat(),
        [families::decisions(), NOTES.to_vec()].concat(),
        REVIEWING.to_vec(),
        FIXING.to_vec(),
        [families::main_tabs(), LEVELS.to_vec()].concat(),
        [families::view_modes(), families::layers(), DIFFERENCE.to_vec()].concat(),
        [families::camera_presets(), FRAMING.to_vec()].concat(),
        [CURVES.to_vec(), families::ghosts()].concat(),
        [LOOKS.to_vec(), families::panels()].concat(),
        PLAYBACK.to_vec(),
        PLAYED.to_vec(),
        [STEPS, NEXT_CLIPS].concat(),
        FINDING.to_vec(),
        [families::tours(), HELP.to_vec()].concat(),
    ]
}

entries! { OPENING in File:
    OPEN "Open\u{2026}" "Open rigs and clips." [ctrl(Key::O)] always also("import load") => File(FileCommand::AskOpen);
    OPEN_PATH "Open by path\u{2026}" "Type the path of a file or a folder; Tab completes it."
        [ctrl_shift(Key::O)] a_desktop => File(FileCommand::AskOpenPath);
    OPEN_SAMPLE "Open the sample" "Open the bundled character." [] always also("demo example") => File(FileCommand::OpenSample);
}

entries! { SAVING in File:
    OPEN_PROJECT "Open project\u{2026}" "Replace all open files by those of a project, with its recipes, marks and decisions."
        [] always also("scene workspace") => Project(ProjectCommand::AskProject);
    SAVE_PROJECT "Save project" "Save open files, recipes, marks and decisions in the project file."
        [ctrl(Key::S)] something_to_save => Project(ProjectCommand::SaveProject);
    SAVE_PROJECT_AS "Save project as\u{2026}" "Save the project in another file."
        [ctrl_shift(Key::S)] something_to_save => Project(ProjectCommand::SaveProjectAs);
}

entries! { READING in File:
    IMPORT_FINDINGS "Import findings\u{2026}" "Findings of the import checks in the open files."
        [] a_clip also("problems warnings units scale resample sample rate") => Import(ImportCommand::ShowImportFindings(true));
    RIG_OF_CLIPS "Choose rig\u{2026}"
        "Choose the rig for the clips of this file: its own, or that of another open file. Shows the joints that match."
        [] a_clip also("skeleton retarget remap") => Import(ImportCommand::AskRigOfClip);
    WATCH "Watch files" "Read a file again when it changes on disk. Recipes, marks, time and cameras stay. Waits until the file is complete."
        [] a_desktop also("reload hot auto") on(|state| Some(state.view.settings.watch)) => File(FileCommand::ToggleWatch);
    KEEP_RESULTS "Keep results" "Keep results on disk, so that a clip opens at once the next time. Results of 'posepress batch' with the same \
        store open at once too."
        [] a_results_folder also("cache store batch ddc") on(|state| Some(state.workspace.results().store().is_some()))
        => File(FileCommand::ToggleResults);
    REMOVE_RESULTS "Remove kept results" "Remove all results from the disk. They are made again when they are needed."
        [] own_results_folder also("clear cache store clean") => File(FileCommand::RemoveResults);
}

entries! { EXPORTING in File:
    EXPORT_PATH "Export to a path\u{2026}" "Type a path for all clips, or copy the command line that does the same."
        [] a_clip_and_a_recipe also("batch bake script") => Export(ExportCommand::AskExportPath);
    SHOW_IN_FOLDER "Show in folder" "Show the file that was written last in the file manager."
        [] a_written_file also("reveal explorer finder") => Export(ExportCommand::ShowInFolder);
    SAVE_PICTURE "Save picture\u{2026}" "Save the viewports as PNG."
        [] a_clip_on_a_desktop also("screenshot image render capture") => Export(ExportCommand::SaveSeen(Seen::Moment));
    SAVE_ANIMATION "Save animation\u{2026}" "Save the viewports as GIF or animated PNG, from the in point to the out point, or for the whole clip."
        [] a_clip_on_a_desktop also("playblast film video gif capture") => Export(ExportCommand::SaveSeen(Seen::Film));
}

entries! { CLOSING in File:
    CLOSE_FILE "Close file" "Close the file of the selected clip. Nothing on disk changes."
        [ctrl(Key::W)] a_clip also("remove unload") => File(FileCommand::CloseFile);
    REOPEN_CLOSED "Reopen closed file" "Open the last closed file again." [ctrl_shift(Key::T)] a_closed_file
        now(|state| Some(format!("Open {} again.", state.view.closed_files.last()?.path.display())))
        => File(FileCommand::ReopenClosed);
    QUIT "Quit" "Close the window. Recipes are kept."
        [ctrl(Key::Q)] a_desktop => Window(WindowCommand::Quit);
}

entries! { HISTORY in Edit:
    UNDO "Undo" "Undo the last change." [ctrl(Key::Z)] something_to_undo
        now(|state| Some(format!("Undo: {}", state.workspace.history().undo_label()?)))
        => Project(ProjectCommand::Undo);
    REDO "Redo" "Repeat the change that was undone." [ctrl_shift(Key::Z), ctrl(Key::Y)] something_to_redo
        now(|state| Some(format!("Redo: {}", state.workspace.history().redo_label()?)))
        => Project(ProjectCommand::Redo);
}

entries! { SHARING in Edit:
    COPY_VIEW "Copy view" "Copy clip, time, joint, cameras and view mode as one line of text. Paste it into another window to see the same."
        [ctrl(Key::C)] a_clip also("share bookmark") => Share(ShareCommand::CopyView);
    PASTE_VIEW "Paste view" "Show the view on the clipboard."
        [ctrl(Key::V)] always => Share(ShareCommand::AskPaste);
}

entries! { RECIPES in Edit:
    COPY_RECIPE "Copy recipe" "Copy the active recipe as text, in the format of posepress --recipe."
        [] a_recipe also("preset settings") => Recipe(RecipeCommand::CopyRecipe);
    PASTE_RECIPE "Paste recipe" "Replace the active recipe by the text on the clipboard."
        [] a_recipe => Share(ShareCommand::AskPaste);
    OPEN_RECIPE "Open recipe\u{2026}" "Replace the active recipe by a recipe file."
        [] a_recipe also("load preset settings") => Recipe(RecipeCommand::OpenRecipe);
    TIERS "Tiers" "Containers get finer data of press clips in files beside them. The report shows each level."
        [] a_recipe also("levels streaming quality lod") on(|state| Some(state.workspace.document().tiers.on)) => Recipe(RecipeCommand::ToggleTiers);
    SAVE_RECIPE "Save recipe\u{2026}" "Save the active recipe in a file for posepress --recipe."
        [] a_recipe also("store preset settings") => Recipe(RecipeCommand::SaveRecipe);
}

entries! { COMPARING in Edit:
    COMPARE_WITH "Compare with another tool's file\u{2026}"
        "Measure another tool's result of these clips and compare it with the recipes: glTF, FBX, BVH, USD, an ozz archive, Riot's .anm or a container. Clips and joints match by name."
        [ctrl_shift(Key::C)] a_clip also("import reference acl ozz gltfpack unreal unity") => Compare(CompareCommand::AskCompare);
    SWAP_SIDES "Swap sides" "Show the compressed side on the left. The comparison stays the same."
        [key(Key::S)] a_clip also("flip exchange") on(|state| Some(state.workspace.is_swapped())) => Compare(CompareCommand::SwapSides);
    SHOW_EXTERNAL "Show external file" "Show the external result."
        [ctrl(Key::Num4)] a_external_file on(|state| Some(state.workspace.is_external_active())) => Compare(CompareCommand::ShowExternal);
    SHIFT_LATER "External file one sample later" "Play the external file one sample ahead."
        [alt(Key::Period)] a_external_side => Compare(CompareCommand::ShiftExternal(1.0));
    SHIFT_EARLIER "External file one sample earlier" "Play the external file one sample behind."
        [alt(Key::Comma)] a_external_side => Compare(CompareCommand::ShiftExternal(-1.0));
    STOP_COMPARING "Stop comparing" "Close the external file. Nothing on disk changes."
        [] a_external_file => Compare(CompareCommand::StopComparing);
}

entries! { LOOPS in Edit:
    MARK_LOOPING "Mark clip as looping"
        "The selected clip loops: its seam is measured, and contacts and trails continue across it."
        [ctrl(Key::L)] a_clip_that_can_loop also("cycle cyclic") => Mark(MarkCommand::MarkLoop(Some(true)));
    MARK_NOT_LOOPING "Mark clip as not looping" "The selected clip does not loop and has no seam."
        [ctrl_shift(Key::L)] a_clip_that_can_loop => Mark(MarkCommand::MarkLoop(Some(false)));
    LOOP_AS_FOUND "Detect if clip loops"
        "The selected clip loops if its end meets its start and the motion continues there, or if its name is that of a loop, such as idle."
        [] a_clip_that_can_loop => Mark(MarkCommand::MarkLoop(None));
    MARK_ADDITIVE "Mark clip as additive"
        "The selected clip holds differences. It is shown and measured on the bind pose. Choose another base in the panel Seam."
        [ctrl_shift(Key::D)] a_clip also("layer delta") => Mark(MarkCommand::MarkAdditive(Some(Additive::TO_BIND)));
    MARK_NOT_ADDITIVE "Mark clip as not additive" "The selected clip holds full poses, even if its file marks it as additive."
        [] a_clip => Mark(MarkCommand::MarkAdditive(Some(Additive::NOT)));
    ADDITIVE_AS_SAID "Use the file's additive flag" "The extras of the glTF define if the selected clip is additive."
        [] a_clip => Mark(MarkCommand::MarkAdditive(None));
}

entries! { NOTES in Edit:
    DECIDE_LATER "Decide later" "Remove the decision: the clip is undecided again." [] a_decision
        => Review(ReviewCommand::DecideLater);
    WRITE_NOTE "Write a note" "Write a note with the decision about this clip." [shift(Key::Enter)] a_clip also("comment")
        => Review(ReviewCommand::AskNote);
    MOMENT_NOTE "Note about this frame" "Write a note about the frame at the playhead and the selected joint. The timeline shows it."
        [key(Key::M)] a_clip also("comment annotation marker") => Review(ReviewCommand::AskMomentNote);
}

entries! { REVIEWING in Edit:
    APPROVE_PASSING "Approve all that pass"
        "Approve every clip without flags, with the active recipe. Earlier decisions stay."
        [ctrl_shift(Key::A)] passing_clips also("accept batch") => Review(ReviewCommand::ApprovePassing);
    APPROVE_SMALLEST "Approve with smallest recipes"
        "Approve every undecided clip with its smallest recipe without flags."
        [] passing_clips => Review(ReviewCommand::ApproveSmallest);
    APPROVE_AGAIN "Approve again\u{2026}"
        "Approve again the clips that changed since their approval and still pass. Shows what got worse."
        [] a_changed_approval also("accept batch renew") => Review(ReviewCommand::AskApproveAgain(true));
}

entries! { FIXING in Edit:
    FIX_ALL "Fix all\u{2026}" "Show every fix that helps clips of this recipe, each with its measured price."
        [] a_common_fix also("repair batch lock contacts shell resample sliding") => Recipe(RecipeCommand::AskCommonFixes(true));
    GIVE_SMALLEST "Best recipe per clip"
        "Give each clip the smallest recipe without flags, in the active slot. Approved clips keep theirs. One step to undo."
        [] a_clip_and_a_recipe also("optimize automatic") => Recipe(RecipeCommand::Naming(Naming::GiveSmallest));
    PICK_LISTED "Pick all clips of the list" "Decisions and recipes then apply to all of them." [ctrl(Key::A)] a_clip
        => Clip(ClipCommand::PickListed);
    CLIPS_AND_RECIPES "Clips and recipes" "Every clip with every recipe: size, error, slide and verdict." [shift(Key::F4)] a_clip also("table matrix overview spreadsheet")
        => Budget(BudgetCommand::ShowTable);
    LODS "Show levels of detail" "Fewer joints, updates and tiers at a distance. A panel shows each level's error in pixels and its cost."
        [] a_recipe also("lod platform console phone distance update rate optimization") on(|state| Some(state.workspace.document().platform.is_some()))
        => Lod(LodCommand::Toggle);
    BLIND_TEST "Blind test\u{2026}"
        "ABX: A and B are original and compressed in a hidden order, X is one of them. Say which one, 8 or 16 times. Counts right answers."
        [ctrl(Key::B)] a_testable_clip also("abx listening") => Blind(BlindCommand::Ask(true));
}

entries! { LEVELS in View:
    ESSENTIALS "Essentials" "Show what most clips need. Settings that differ from their default stay visible."
        [] always also("simple basic beginner") on(|state| Some(!state.shows_all())) => Window(WindowCommand::SetLevel(Level::Essentials));
    ALL_SETTINGS "All settings" "Show every setting and number."
        [] always also("advanced expert preferences options") on(|state| Some(state.shows_all())) => Window(WindowCommand::SetLevel(Level::All));
}

entries! { DIFFERENCE in View:
    LARGER_DIFFERENCE "Larger difference" "Enlarge the error by the next larger factor."
        [key(Key::Plus), key(Key::Equals)] always also("exaggerate") => Draw(DrawCommand::StepDifference(true));
    SMALLER_DIFFERENCE "Smaller difference" "Enlarge the error by the next smaller factor."
        [key(Key::Minus)] always => Draw(DrawCommand::StepDifference(false));
}

entries! { FRAMING in View:
    FRAME_SELECTION "Frame selection" "Move the camera to the selected joint."
        [key(Key::F)] a_clip also("focus zoom to") => Camera(CameraCommand::FrameSelection);
    FRAME_ALL "Frame all" "Move the camera so that the whole character is visible."
        [key(Key::A)] a_clip also("fit home view extents") => Camera(CameraCommand::FrameAll);
    FRAME_PATH "Frame the whole path" "Show the whole path of a clip that travels. The camera then stays still."
        [shift(Key::A)] a_clip also("root motion") => Camera(CameraCommand::FramePath);
    FOLLOW "Follow the character" "The camera moves with clips that travel."
        [shift(Key::F)] always also("track root motion") => Camera(CameraCommand::ToggleFollow);
    CROWD "Crowd" "Show the clip 100 times, each character at another moment, and what decoding them costs."
        [shift(Key::C)] a_clip also("instances many stress benchmark performance") on(|state| Some(state.view.crowd > 1)) => Draw(DrawCommand::ToggleCrowd);
    ONE_CAMERA "One camera" "Both sides share one camera. Off: each viewport has its own."
        [key(Key::C)] always also("lock sync") on(|state| Some(state.view.cameras.compressed.is_none())) => Camera(CameraCommand::ToggleLock);
}

entries! { CURVES in View:
    SHOW_ERRORS "Errors and contacts" "Show errors and contacts below the viewports."
        [] always also("dope sheet timeline plot") => Window(WindowCommand::ShowTimeline(TimelineTab::Error));
    SHOW_CURVES "Curves" "Show the curves of the selected joint below the viewports."
        [] always also("graph editor f-curve fcurve animation curve keys tangents") => Window(WindowCommand::ShowTimeline(TimelineTab::Curves));
    RESIDUAL "Residual curves" "Curves show decoded minus raw, magnified to fill the plot."
        [key(Key::D)] always also("graph editor delta") on(|state| Some(state.view.settings.curve_residual)) => Curve(CurveCommand::ToggleResidual);
    KEEP_TRAIL "Keep trail" "Keep the selected joint's trail when another joint is selected. Again: remove it."
        [shift(Key::T)] a_joint also("motion path arc") => Joint(JointCommand::KeepTrail);
    GHOST "Curves before the last change" "Curves also show the result before the last change of the recipe, as a faint line. Esc hides it."
        [shift(Key::D)] always also("before snapshot ghost") => Curve(CurveCommand::ShowGhost(GhostOf::LastChange));
}

entries! { LOOKS in View:
    DARK "Dark theme" "Dark panels." [] always also("colors night") on(|state| Some(state.view.settings.dark)) => Window(WindowCommand::SetDark(true));
    LIGHT "Light theme" "Light panels." [] always also("colors day") on(|state| Some(!state.view.settings.dark)) => Window(WindowCommand::SetDark(false));
    LARGER "Larger" "Make text and controls larger, as far as the window has room."
        [ctrl(Key::Plus), ctrl(Key::Equals)] always also("zoom in ui scale font") => Window(WindowCommand::StepZoom(true));
    SMALLER "Smaller" "Make text and controls smaller."
        [ctrl(Key::Minus)] always also("zoom out ui scale font") => Window(WindowCommand::StepZoom(false));
    ACTUAL_SIZE "Actual size" "Show text and controls at 100 %."
        [ctrl(Key::Num0)] always also("reset zoom") => Window(WindowCommand::ActualSize);
}

entries! { PLAYBACK in Playback:
    TOGGLE_PLAY "Play or pause" "Start or stop both sides."
        [key(Key::Space)] a_clip also("stop pause start") => Play(PlayCommand::TogglePlay);
    PLAY_BACK "Play backward" "Play backward. Again: twice as fast, up to four times." [key(Key::J)] a_clip also("reverse shuttle jkl") => Play(PlayCommand::Shuttle(false));
    PAUSE "Pause" "Stop both sides." [key(Key::K)] a_clip also("stop shuttle jkl") => Play(PlayCommand::Pause);
    PLAY_FORWARD "Play forward" "Play forward. Again: twice as fast, up to four times." [key(Key::L)] a_clip also("shuttle jkl") => Play(PlayCommand::Shuttle(true));
}

entries! { PLAYED in Playback:
    LOOP "Loop" "Repeat playback." [key(Key::U)] always also("cycle repeat") on(|state| Some(state.view.transport.looped)) => Play(PlayCommand::ToggleLoop);
    MARK_IN "In point" "Start playback at the playhead."
        [key(Key::I)] a_clip also("range trim start") => Play(PlayCommand::MarkIn);
    MARK_OUT "Out point" "End playback at the playhead."
        [key(Key::O)] a_clip also("range trim end") => Play(PlayCommand::MarkOut);
    PLAY_WHOLE "Play the whole clip" "Remove the in point and the out point."
        [shift(Key::I)] a_played_part => Play(PlayCommand::PlayWhole);
    PLAY_SEAM "Play the seam" "Loop the half second before and after a loop's seam."
        [shift(Key::L)] a_seam also("cycle pop") => Play(PlayCommand::ToggleSeam);
    WHOLE_TIMELINE "Whole timeline" "Show the whole clip on the timeline. A double-click there does the same."
        [] a_zoomed_timeline also("zoom out fit range") => Play(PlayCommand::ZoomTimeline(0.0, 1.0));
    RULER_SECONDS "Ruler in seconds" "The ruler shows seconds instead of frames."
        [] always => Play(PlayCommand::ToggleRuler);
}

entries! { STEPS in Playback:
    NEXT_SAMPLE "Next sample" "One sample forward."
        [key(Key::ArrowRight), key(Key::Period)] a_clip also("frame step") => Play(PlayCommand::Step(1.0));
    PREVIOUS_SAMPLE "Previous sample" "One sample back."
        [key(Key::ArrowLeft), key(Key::Comma)] a_clip also("frame step") => Play(PlayCommand::Step(-1.0));
    TEN_FORWARD "Ten samples forward" "Step ten samples forward."
        [shift(Key::ArrowRight)] a_clip => Play(PlayCommand::Step(10.0));
    TEN_BACK "Ten samples back" "Step ten samples back."
        [shift(Key::ArrowLeft)] a_clip => Play(PlayCommand::Step(-10.0));
    QUARTER_FORWARD "Quarter sample forward" "Step a quarter of a sample forward, to see poses between samples."
        [ctrl(Key::ArrowRight)] a_clip => Play(PlayCommand::Step(0.25));
    QUARTER_BACK "Quarter sample back" "Step a quarter of a sample back, to see poses between samples."
        [ctrl(Key::ArrowLeft)] a_clip => Play(PlayCommand::Step(-0.25));
    GO_START "First sample" "Start of the clip." [key(Key::Home)] a_clip => Play(PlayCommand::Seek(0.0));
    GO_END "Last sample" "End of the clip." [key(Key::End)] a_clip => Play(PlayCommand::Seek(f32::MAX));
}

entries! { NEXT_CLIPS in Playback:
    NEXT_CLIP "Next clip" "Select the clip below in the list." [key(Key::ArrowDown)] a_clip => Clip(ClipCommand::SelectBy(1));
    PREVIOUS_CLIP "Previous clip" "Select the clip above in the list." [key(Key::ArrowUp)] a_clip => Clip(ClipCommand::SelectBy(-1));
    NEXT_FAILING "Next failing clip" "Select the next failing clip in the list (wraps around)."
        [shift(Key::ArrowDown)] a_failing_clip => Clip(ClipCommand::SelectFailing(true));
    PREVIOUS_FAILING "Previous failing clip" "Select the previous failing clip in the list (wraps around)."
        [shift(Key::ArrowUp)] a_failing_clip => Clip(ClipCommand::SelectFailing(false));
}

entries! { FINDING in Playback:
    PREVIOUS_PEAK "Previous peak" "Jump to the error peak before the playhead."
        [key(Key::OpenBracket)] a_report also("spike") => Find(FindCommand::GoToPeak(false));
    NEXT_PEAK "Next peak" "Jump to the error peak after the playhead."
        [key(Key::CloseBracket)] a_report also("spike") => Find(FindCommand::GoToPeak(true));
    GO_WORST "Worst frame" "Jump to the largest error on the skin and frame its vertex. Without a mesh: jump to the largest shell error."
        [key(Key::W)] a_report also("maximum error") => Find(FindCommand::GoWorst);
    GO_WORST_CONTACT "Worst contact" "Jump to the contact that slides most, seen from the side."
        [key(Key::P)] a_contact also("foot sliding skating plant") => Find(FindCommand::GoWorstContact);
    NEXT_CONTACT "Next contact" "Jump to the worst frame of the next contact."
        [key(Key::N)] a_contact also("foot plant") => Find(FindCommand::GoToContact(true));
    PREVIOUS_CONTACT "Previous contact" "Jump to the worst frame of the previous contact."
        [shift(Key::N)] a_contact also("foot plant") => Find(FindCommand::GoToContact(false));
    BLAMED_JOINT "Blamed joint" "Select the joint that causes the slide or error at the playhead."
        [key(Key::G)] a_blamed_joint also("bone cause culprit") => Joint(JointCommand::SelectBlamed);
}

entries! { HELP in Help:
    ALL_ACTIONS "All commands\u{2026}" "Find a command by its name."
        [ctrl(Key::P)] always also("palette search") => Window(WindowCommand::SetPalette(Some(Palette { query: String::new(), at: 0 })));
    MANUAL "Manual" "Open the manual at the page about what lies under the pointer."
        [key(Key::F1)] always also("help documentation book how to") on(|state| Some(state.view.sheets.manual.is_some())) => Window(WindowCommand::ToggleManual);
    WHAT_CHANGED "What changed" "Open the list of changes of this version and those before it."
        [] always also("news changelog release notes version") => Window(WindowCommand::ShowChanges);
    FRAME_TIMES "Frame times" "Show how long this window needs per frame, with and without a running job."
        [key(Key::F12)] always on(|state| Some(state.view.sheets.frame_times)) => Window(WindowCommand::ToggleFrameTimes);
    ALL_KEYS "All keys" "Show all keyboard shortcuts."
        [key(Key::Questionmark), shift(Key::Questionmark)] always also("shortcuts hotkeys keymap") => Window(WindowCommand::ToggleKeys);
    NOTICES "Third-party notices" "Crates in this program, and their licences."
        [] always => Window(WindowCommand::ToggleNotices);
}
