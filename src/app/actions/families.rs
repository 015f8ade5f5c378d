//! Actions that are made from lists: one per export format, export option, recipe, codec, layer, view mode, panel and
//! so on.

use super::conditions::{
    a_clip, a_clip_and_a_recipe, a_decided_side, a_external_reference, a_level, a_measured_clip, a_recipe, always,
    an_approved_clip, another_recipe, only_the_sample,
};
use super::tours::{TOURS, Tour};
use super::{Action, Menu, Reason};
use crate::commands::{
    CameraCommand, Command, CompareCommand, CurveCommand, DrawCommand, ExportCommand, RecipeCommand, ReviewCommand,
    WindowCommand,
};
use crate::state::{GhostOf, MainTab, Panel, State};
use egui::{Key, KeyboardShortcut, Modifiers};
use posepress_core::codecs::{CODECS, Codec};
use posepress_core::export::{ExportOptions, Holds};
use posepress_core::pipeline::{EXPORT_FORMATS, ExportFormat};
use posepress_core::project::{DecisionKind, SLOT_LETTERS};
use posepress_core::settings::{ChoiceOption, Field, Setting, Settings};
use posepress_core::view::{CameraPreset, Layer, ViewInfo, ViewMode};
use posepress_core::workspace::{ExportScope, Reference};
use std::borrow::Cow;

/// Keys of recipes by index. Later recipes have none.
const DIGITS: [Key; 9] =
    [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];
const MAIN_TAB_KEYS: [Key; 3] = [Key::F2, Key::F3, Key::F4];
const PRESET_KEYS: [Key; 4] = [Key::Num0, Key::Num7, Key::Num8, Key::Num9];
/// Modifiers of E for exporting all clips in the first formats of the list.
const EXPORT_MODIFIERS: [Modifiers; 2] = [Modifiers::COMMAND, Modifiers::COMMAND.plus(Modifiers::SHIFT)];

/// The condition of an action.
type Condition = fn(&State<'_>) -> Result<(), Reason>;

/// For each slot, true while another recipe is active.
const IS_OTHER: [Condition; SLOT_LETTERS.len()] = [another_recipe::<0>, another_recipe::<1>, another_recipe::<2>];

/// The fields of an action in a family.
struct Member {
    id: String,
    menu: Menu,
    label: Cow<'static, str>,
    help: Cow<'static, str>,
    also: &'static str,
    key: Option<KeyboardShortcut>,
    can_run: Condition,
    command: Command,
}

impl Member {
    /// Makes the action. It is leaked, because it lives as long as the program.
    fn action(self) -> &'static Action {
        let Self { id, menu, label, help, also, key, can_run, command } = self;
        let keys = key.into_iter().collect();
        // In other tabs Enter belongs to the control that has the focus, and must not decide about a clip.
        let keyed_at =
            matches!(command, Command::Review(ReviewCommand::Judge(DecisionKind::Approved))).then_some(MainTab::Review);
        Box::leak(Box::new(Action {
            id: id.into(),
            menu,
            label,
            help,
            also,
            keys,
            keyed_at,
            can_run,
            now: |_| None,
            on: |_| None,
            command,
        }))
    }
}

/// One for each offered pair of format and scope.
pub fn exports() -> Vec<&'static Action> {
    let scoped = |(index, format)| ExportScope::ALL.map(|scope| (index, format, scope));
    let all = EXPORT_FORMATS.iter().enumerate().flat_map(scoped);
    let fits = all.filter(|(_, format, scope)| is_offered(format, *scope));
    fits.map(|(index, format, scope)| export(index, format, scope)).collect()
}

/// True if an export of this format and scope is offered. Formats for one clip or a rig have one scope.
pub fn is_offered(format: &ExportFormat, scope: ExportScope) -> bool {
    match format.holds {
        Holds::Clips => true,
        Holds::OneClip => scope == ExportScope::Clip,
        Holds::Rig => scope == ExportScope::All,
    }
}

fn export(index: usize, format: &'static ExportFormat, scope: ExportScope) -> &'static Action {
    let ExportFormat { key, name, short, .. } = format;
    let (what, help) = match (format.holds, scope) {
        (Holds::Rig, _) => ("rig", format!("Write the rig of the selected clip as {name}.")),
        (_, ExportScope::Clip) => {
            ("clip", format!("Write the selected clip, encoded with the active recipe, as {name}."))
        }
        (_, ExportScope::Approved) => {
            ("approved", format!("Write the approved clips, each with its approved recipe, as {name}."))
        }
        (_, ExportScope::All) => ("all", format!("Write every clip, encoded with the active recipe, as {name}.")),
    };
    let modifiers = EXPORT_MODIFIERS.get(index).filter(|_| scope == ExportScope::All);
    Member {
        id: format!("export-{what}-{key}"),
        menu: Menu::File,
        label: format!("Export {what} as {short}\u{2026}").into(),
        help: help.into(),
        also: "save write bake gltf",
        key: modifiers.map(|modifiers| KeyboardShortcut::new(*modifiers, Key::E)),
        can_run: match (format.holds, scope) {
            (Holds::Rig, _) => a_clip,
            (_, ExportScope::Approved) => an_approved_clip,
            _ => a_clip_and_a_recipe,
        },
        command: Command::Export(ExportCommand::ExportDialog { exporter: key, scope }),
    }
    .action()
}

/// One for each value of each setting of exports.
pub fn export_options() -> Vec<&'static Action> {
    let of_setting = |setting: &'static Setting<ExportOptions>| {
        let options = match setting.field {
            Field::Choice { options, .. } => options,
            _ => &[], // a setting of another kind needs a field of its own
        };
        options.iter().map(move |option| export_option(setting, option))
    };
    ExportOptions::ALL.iter().flat_map(of_setting).collect()
}

fn export_option(setting: &'static Setting<ExportOptions>, option: &'static ChoiceOption) -> &'static Action {
    Member {
        id: format!("export-{}-{}", setting.key, option.key),
        menu: Menu::File,
        label: format!("Export option {}: {}", setting.label.to_lowercase(), option.label).into(),
        help: format!("{} {}", setting.help, option.help).into(),
        also: "",
        key: None,
        can_run: always,
        command: Command::Export(ExportCommand::SetExport(setting.key.into(), option.key.into())),
    }
    .action()
}

/// One for each recipe.
pub fn slots() -> Vec<&'static Action> {
    let slot = |(slot, letter): (usize, &&str)| {
        Member {
            id: format!("recipe-{}", letter.to_lowercase()),
            menu: Menu::Edit,
            label: format!("Recipe {letter}").into(),
            help: format!("Show and edit recipe {letter}.").into(),
            also: "preset variant",
            key: DIGITS.get(slot).map(|key| KeyboardShortcut::new(Modifiers::COMMAND, *key)),
            can_run: always,
            command: Command::Recipe(RecipeCommand::ActivateSlot(slot)),
        }
        .action()
    };
    SLOT_LETTERS.iter().enumerate().map(slot).collect()
}

/// One for each reference of the comparison.
pub fn references() -> Vec<&'static Action> {
    let slots = (0..SLOT_LETTERS.len()).map(Reference::Slot);
    let all = std::iter::once(Reference::Original).chain(slots).chain([Reference::External, Reference::Decided]);
    let all = all.chain([1, 2].map(Reference::Level));
    all.map(compare_to).collect()
}

fn compare_to(reference: Reference) -> &'static Action {
    let (id, name, help) = names_of(reference);
    let (label, help) = match reference {
        Reference::Level(_) => (
            format!("Show {name}"),
            format!("Right side: {help}. Curves, contacts and errors are those of this version."),
        ),
        _ => (
            format!("Compare with {name}"),
            format!("Left side: {help}. Curves, contacts and errors are compared with it."),
        ),
    };
    Member {
        id: format!("compare-to-{id}"),
        menu: Menu::Edit,
        label: label.into(),
        help: help.into(),
        also: "baseline before after",
        key: None,
        can_run: can_compare_to(reference),
        command: Command::Compare(CompareCommand::CompareTo(reference)),
    }
    .action()
}

/// Part of the action's id, name in the label, and description of a reference.
fn names_of(reference: Reference) -> (String, String, String) {
    let named = |id: &str, name: &str, help: &str| (id.to_owned(), name.to_owned(), help.to_owned());
    match reference {
        Reference::Original => named("original", "the original", "the clip from its file"),
        Reference::Slot(slot) => {
            let letter = SLOT_LETTERS[slot];
            let help = format!("the clip with recipe {letter}");
            (format!("recipe-{}", letter.to_lowercase()), format!("recipe {letter}"), help)
        }
        Reference::External => named("other-file", "the external file", "the clip from the external file"),
        Reference::Clip(_) => named("clip", "another clip", "another open clip"),
        Reference::Lod(_) => named("lod", "a level of detail", "the clip as it plays at a distance"),
        Reference::Decided => named("decision", "the decided version", "the clip with its approved or rejected recipe"),
        Reference::Level(level) => {
            let name = if level == 1 { "the clip without its low tier" } else { "the clip without its tiers" };
            named(&format!("level-{level}"), name, "the clip as it plays when tier files are missing")
        }
    }
}

fn can_compare_to(reference: Reference) -> Condition {
    match reference {
        Reference::Original | Reference::Clip(_) | Reference::Lod(_) => a_clip,
        Reference::Slot(slot) => IS_OTHER[slot],
        Reference::External => a_external_reference,
        Reference::Decided => a_decided_side,
        Reference::Level(1) => a_level::<1>,
        Reference::Level(_) => a_level::<2>,
    }
}

/// One for each recipe whose curves can be drawn beside those of the active one.
pub fn ghosts() -> Vec<&'static Action> {
    let ghost = |(slot, letter): (usize, &&str)| {
        Member {
            id: format!("ghost-recipe-{}", letter.to_lowercase()),
            menu: Menu::View,
            label: format!("Curves of recipe {letter}").into(),
            help: format!("Curves also show the result of recipe {letter}, as a faint line.").into(),
            also: "ghost compare overlay",
            key: None,
            can_run: IS_OTHER[slot],
            command: Command::Curve(CurveCommand::ShowGhost(GhostOf::Recipe(slot))),
        }
        .action()
    };
    SLOT_LETTERS.iter().enumerate().map(ghost).collect()
}

/// One for each codec.
pub fn codecs() -> Vec<&'static Action> {
    let entry = |codec: &&'static dyn Codec| {
        Member {
            id: format!("codec-{}", codec.name()),
            menu: Menu::Edit,
            label: format!("Use codec {}", codec.name()).into(),
            help: codec.info().summary.into(),
            also: codec_words(codec.name()),
            key: None,
            can_run: a_recipe,
            command: Command::Recipe(RecipeCommand::UseCodec(*codec)),
        }
        .action()
    };
    CODECS.iter().map(entry).collect()
}

/// One for each kind of decision.
pub fn decisions() -> Vec<&'static Action> {
    let entry = |kind: DecisionKind| {
        let (key, help) = match kind {
            DecisionKind::Approved => (Some(Key::Enter), "The compressed clip is good enough."),
            DecisionKind::Rejected => {
                (Some(Key::X), "The compressed clip is not good enough. Asks for a note; Enter skips it.")
            }
            DecisionKind::Ignored => (None, "This clip needs no decision."),
        };
        Member {
            id: format!("decide-{}", kind.name()),
            menu: Menu::Edit,
            label: kind.verb().into(),
            help: help.into(),
            also: "verdict sign off",
            key: key.map(|key| KeyboardShortcut::new(Modifiers::NONE, key)),
            can_run: if kind == DecisionKind::Ignored { a_clip } else { a_measured_clip },
            command: Command::Review(ReviewCommand::Judge(kind)),
        }
        .action()
    };
    DecisionKind::ALL.map(entry).into()
}

/// One for each main tab.
pub fn main_tabs() -> Vec<&'static Action> {
    let entry = |(index, main_tab): (usize, MainTab)| {
        Member {
            id: format!("tab-{}", main_tab.name().to_lowercase()),
            menu: Menu::View,
            label: main_tab.name().into(),
            help: main_tab.help().into(),
            also: "workspace page",
            key: MAIN_TAB_KEYS.get(index).map(|key| KeyboardShortcut::new(Modifiers::NONE, *key)),
            can_run: always,
            command: Command::Window(WindowCommand::ShowMainTab(main_tab)),
        }
        .action()
    };
    MainTab::ALL.into_iter().enumerate().map(entry).collect()
}

/// One for each view mode.
pub fn view_modes() -> Vec<&'static Action> {
    let gesture = |mode| match mode {
        ViewMode::Wipe => " Drag the line, or hold V: it follows the pointer.",
        ViewMode::Blink => " In other modes, hold B to blink.",
        ViewMode::SideBySide | ViewMode::Onion => "",
    };
    let entry = |mode: ViewMode| of_view("view", mode.info(), gesture(mode), Command::Draw(DrawCommand::SetMode(mode)));
    ViewMode::ALL.map(entry).into()
}

/// One for each layer.
pub fn layers() -> Vec<&'static Action> {
    let gesture = |layer| match layer {
        Layer::Difference => " + and - change the factor.",
        _ => "",
    };
    let entry =
        |layer: Layer| of_view("layer", layer.info(), gesture(layer), Command::Draw(DrawCommand::ToggleLayer(layer)));
    Layer::ALL.map(entry).into()
}

fn of_view(family: &str, info: ViewInfo, gesture: &str, command: Command) -> &'static Action {
    Member {
        id: format!("{family}-{}", info.key.replace('_', "-")),
        menu: Menu::View,
        label: info.label.into(),
        help: format!("{}{gesture}", info.help).into(),
        also: view_words(info.key),
        key: Key::from_name(info.shortcut).map(|key| KeyboardShortcut::new(Modifiers::NONE, key)),
        can_run: always,
        command,
    }
    .action()
}

/// One for each camera preset.
pub fn camera_presets() -> Vec<&'static Action> {
    let entry = |(index, preset): (usize, CameraPreset)| {
        Member {
            id: format!("look-from-{}", preset.key()),
            menu: Menu::View,
            label: format!("Look from {}", preset.name().to_lowercase()).into(),
            help: preset.help().into(),
            also: "view perspective orthographic",
            key: PRESET_KEYS.get(index).map(|key| KeyboardShortcut::new(Modifiers::NONE, *key)),
            can_run: always,
            command: Command::Camera(CameraCommand::LookFrom(preset)),
        }
        .action()
    };
    CameraPreset::ALL.into_iter().enumerate().map(entry).collect()
}

/// One for each tour.
pub fn tours() -> Vec<&'static Action> {
    let entry = |(index, tour): (usize, &Tour)| {
        Member {
            id: format!("tour-{}", index + 1),
            menu: Menu::Help,
            label: format!("Tour: {}", tour.name).into(),
            help: format!(
                "{} It plays for 20 seconds on the bundled character. Esc ends it, and nothing stays changed.",
                tour.help
            )
            .into(),
            also: "film video demo tutorial",
            key: None,
            can_run: only_the_sample,
            command: Command::Window(WindowCommand::StartTour(index)),
        }
        .action()
    };
    TOURS.iter().enumerate().map(entry).collect()
}

/// One for each panel.
pub fn panels() -> Vec<&'static Action> {
    let entry = |panel: &Panel| {
        Member {
            id: format!("panel-{}", panel.title().to_lowercase().replace(' ', "-")),
            menu: Menu::View,
            label: format!("Panel {}", panel.title()).into(),
            help: format!("Show the panel {}.", panel.title()).into(),
            also: panel_words(*panel),
            key: None,
            can_run: always,
            command: Command::Window(WindowCommand::ShowPanel(*panel)),
        }
        .action()
    };
    Panel::ALL.iter().map(entry).collect()
}

/// Words of other programs for what a codec does.
fn codec_words(codec: &str) -> &'static str {
    match codec {
        "linear-keys" => "decimate key reduction simplify reduce keys linear",
        "catmull-rom" => "decimate key reduction simplify reduce keys spline resample curve fit",
        "wavelet" => "frequency",
        "quantize" => "bits precision",
        "variable-rate" => "acl bit rate segments",
        "press" => "best smallest",
        "automatic" => "best smallest search optimize",
        _ => "",
    }
}

fn view_words(view: &str) -> &'static str {
    match view {
        "side_by_side" => "split two views",
        "wipe" => "split slider",
        "onion" => "onion skin ghosting overlay",
        "blink" => "flicker toggle",
        "heat" => "error colors vertex map",
        "difference" => "exaggerate delta",
        "trails" => "motion path arc",
        "skeleton" => "bones rig armature",
        "mesh" => "skin geometry",
        "ground" => "grid floor",
        "contacts" | "foot_lens" => "foot plant footstep",
        _ => "",
    }
}

fn panel_words(panel: Panel) -> &'static str {
    match panel {
        Panel::Clips => "takes animations outliner",
        Panel::Joints => "bones hierarchy outliner",
        Panel::Codec => "tolerance compression settings",
        Panel::Parameters => "key reduction decimate options attributes properties",
        Panel::Compensation => "ik correction",
        Panel::Overrides => "per bone weight threshold",
        Panel::NamedRecipes => "profiles presets groups",
        Panel::Contacts => "foot sliding lock plant skating ik",
        Panel::Blame => "cause",
        Panel::Report => "statistics size max error",
        Panel::Seam => "loop cycle additive layer",
        Panel::Lods => "lod platform console phone distance update rate optimization",
        Panel::BytesByJoint => "size memory map",
        Panel::Peaks => "spikes",
        Panel::Notes => "comments annotations",
    }
}
