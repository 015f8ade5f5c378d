use super::PanelCx;
use crate::commands::ImportCommand;
use crate::state::RigSheet;
use crate::theme::{Theme, size};
use crate::widgets::{check_box, label, tool_button};
use egui::{
    Align, Align2, Button, Color32, ComboBox, Layout, RichText, ScrollArea, Ui, Vec2, WidgetInfo, Window, vec2,
};
use posepress_core::pipeline::{MatchedJoint, RigMatch};
use posepress_core::project::RigChoice;
use posepress_core::tasks::{Library, LoadedSource};
use posepress_core::text;
use std::sync::Arc;

const SIZE: Vec2 = vec2(640.0, 460.0);
const ROW: f32 = 20.0;
/// Width of the first two columns. Remarks take the rest.
const COLUMN: f32 = 210.0;

/// The sheet, while it is open.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(sheet) = cx.view.imports.rig.clone() else { return };
    let library = cx.workspace.library();
    let Some(source) = library.source(sheet.source) else { return cx.push(ImportCommand::AskRig(None)) };
    let mut is_open = true;
    let screen = ui.ctx().content_rect();
    let window = Window::new("Choose rig").open(&mut is_open).collapsible(false).resizable(false);
    let window = window.pivot(Align2::CENTER_CENTER).fixed_pos(screen.center());
    window.fixed_size(SIZE.min(screen.size() - vec2(64.0, 160.0))).show(ui.ctx(), |ui| {
        let mut next = sheet.clone();
        let alike: Vec<u32> =
            library.sources().iter().filter(|other| other.has_joints_of(source)).map(|other| other.id).collect();
        head(ui, cx, source, alike.len(), &mut next);
        ui.separator();
        let can_do = preview(ui, cx, library, source, &next);
        ui.with_layout(Layout::bottom_up(Align::Max), |ui| {
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    buttons(ui, cx, (&sheet, next), alike, can_do);
                });
            });
        });
    });
    if !is_open {
        cx.push(ImportCommand::AskRig(None));
    }
}

/// Shows how the joints match the chosen rig. Returns false if it cannot be used.
fn preview(ui: &mut Ui, cx: &mut PanelCx<'_>, library: &Library, source: &LoadedSource, sheet: &RigSheet) -> bool {
    let choice = match &sheet.choice {
        Some(RigChoice::Of(digest)) => {
            let onto = library.sources().iter().find(|other| other.digest.to_string() == *digest);
            if onto.is_none() {
                label(ui, "The file of that rig is not open.", size::BODY, cx.theme.fail);
            }
            return onto.is_some_and(|onto| matched(ui, cx.theme, &source.matched_with(onto)));
        }
        other => other,
    };
    unasked(ui, cx, source, choice.is_some());
    let found = library.sources().iter().find(|onto| Arc::ptr_eq(onto.own_rig(), &source.rig));
    if let Some(onto) = found.filter(|onto| choice.is_none() && onto.id != source.id) {
        matched(ui, cx.theme, &source.matched_with(onto));
    }
    true
}

/// Buttons that apply the choice or close the sheet. Without a click, a changed choice is kept.
fn buttons(ui: &mut Ui, cx: &mut PanelCx<'_>, (before, now): (&RigSheet, RigSheet), alike: Vec<u32>, can_do: bool) {
    let white = RichText::new("Use this rig").size(size::SMALL).color(cx.theme.on_accent);
    let button = Button::new(white).fill(cx.theme.accent_fill).min_size(vec2(0.0, 24.0));
    if ui.add_enabled(can_do, button).clicked() {
        let sources = if now.with_alike { alike } else { vec![now.source] };
        cx.push(ImportCommand::ChooseRig(sources, now.choice));
    } else if tool_button(ui, cx.theme, "Cancel", "", "Close without a change.").clicked() {
        cx.push(ImportCommand::AskRig(None));
    } else if now != *before {
        cx.push(ImportCommand::AskRig(Some(now)));
    }
}

/// The file of the clips, and the choice of the rig.
fn head(ui: &mut Ui, cx: &PanelCx<'_>, source: &LoadedSource, alike: usize, sheet: &mut RigSheet) {
    let clips = text::count(source.clips.len(), "clip");
    let joints = text::count(source.own_rig().skeleton.len(), "joint");
    label(ui, format!("{}, {clips}, {joints}", source.name()), size::BODY, cx.theme.text1);
    ui.horizontal(|ui| {
        label(ui, "use the rig", size::BODY, cx.theme.text2);
        let others: Vec<&LoadedSource> = cx
            .workspace
            .library()
            .sources()
            .iter()
            .filter(|other| other.id != source.id && other.path.is_some())
            .collect();
        let name = |choice: &Option<RigChoice>| match choice {
            None => "chosen automatically".to_owned(),
            Some(RigChoice::Own) => "of their own file".to_owned(),
            Some(RigChoice::Of(digest)) => {
                let of = others.iter().find(|other| other.digest.to_string() == *digest);
                of.map_or("of a file that is not open".to_owned(), |of| format!("of {}", of.name()))
            }
        };
        let combo = ComboBox::from_id_salt("rig of clips").width(300.0).selected_text(name(&sheet.choice)).truncate();
        let response = combo.show_ui(ui, |ui| {
            let of = others.iter().map(|other| Some(RigChoice::Of(other.digest.to_string())));
            for choice in [None, Some(RigChoice::Own)].into_iter().chain(of) {
                let words = name(&choice);
                ui.selectable_value(&mut sheet.choice, choice, words);
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Rig"));
    });
    if alike > 1 {
        let words = format!("Also for all {alike} open files with the same joints");
        check_box(ui, cx.theme, &mut sheet.with_alike, &words);
    }
}

/// Explains the automatic choice, or the use of the clips' own rig.
fn unasked(ui: &mut Ui, cx: &PanelCx<'_>, source: &LoadedSource, is_own: bool) {
    let words = match is_own {
        true => "The clips use the joints and meshes of their own file.",
        false => {
            "A file with a mesh uses its own rig. A file without a mesh uses the rig of an open file with a mesh that has \
             nearly all of its joints, or nearly all of its human bones if both files name them."
        }
    };
    ui.add(egui::Label::new(RichText::new(words).size(size::BODY).color(cx.theme.text2)).wrap());
    if !is_own {
        let now = match std::ptr::eq(&*source.rig, &**source.own_rig()) {
            true => "Current rig: their own.".to_owned(),
            false => format!("Current rig: '{}'.", source.rig.name),
        };
        label(ui, now, size::BODY, cx.theme.text2);
    }
}

/// The table of matching joints. Returns false if the clips do not fit the rig.
fn matched(ui: &mut Ui, theme: &Theme, matched: &RigMatch<'_>) -> bool {
    let refusal = matched.check().err();
    let (words, color) = match &refusal {
        Some(refusal) => (format!("Not possible: {refusal}."), theme.fail),
        None => {
            let (found, all) = matched.counts();
            let words = match matched.is_by_bones() {
                true => format!(
                    "The rig has {found} of {} of a human. Each rotates by the same angle from its own rest pose.",
                    text::count(all, "bone")
                ),
                false => format!(
                    "{found} of the {} of the clips are in the rig, matched by name.",
                    text::count(all, "joint")
                ),
            };
            (words, theme.text1)
        }
    };
    ui.add(egui::Label::new(RichText::new(words).size(size::BODY).color(color)).wrap());
    if refusal.is_none() && matched.is_twisted() {
        label(ui, RigMatch::TWISTED, size::BODY, theme.warn);
    }
    let rows = rows(matched);
    row(ui, ["joint of the rig", "joint of the clips", ""], [theme.text3; 3]);
    let height = (ui.available_height() - 40.0).max(3.0 * ROW);
    ScrollArea::vertical().max_height(height).auto_shrink(false).show_rows(ui, ROW, rows.len(), |ui, seen| {
        for Row { joint, source, said } in &rows[seen] {
            row(ui, [joint, source, said], [theme.text1, theme.text1, theme.warn]);
        }
    });
    refusal.is_none()
}

struct Row<'a> {
    joint: &'a str,
    source: &'a str,
    said: &'static str,
}

/// Rows of the table. Joints with a remark come first.
fn rows<'a>(matched: &RigMatch<'a>) -> Vec<Row<'a>> {
    let row = |(joint, source): (&'a str, MatchedJoint)| {
        let said = match source {
            MatchedJoint::Rest => "stays at rest",
            MatchedJoint::Moved(_) => "elsewhere in the tree",
            MatchedJoint::Same(_) | MatchedJoint::Bone(_) => "",
        };
        Row { joint, source: matched.source_name(source).unwrap_or("\u{2013}"), said }
    };
    let extra = matched.extra().into_iter().map(|source| Row { joint: "\u{2013}", source, said: "not used" });
    let mut rows: Vec<Row<'a>> = matched.joints().map(row).chain(extra).collect();
    rows.sort_by_key(|row| row.said.is_empty()); // stable: joints stay in their order
    rows
}

fn row(ui: &mut Ui, cells: [&str; 3], colors: [Color32; 3]) {
    ui.horizontal(|ui| {
        let rest = ui.available_width() - 2.0 * (COLUMN + ui.spacing().item_spacing.x);
        for ((cell, width), color) in cells.into_iter().zip([COLUMN, COLUMN, rest.max(80.0)]).zip(colors) {
            let room = vec2(width, ROW - ui.spacing().item_spacing.y);
            ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Center), |ui| {
                ui.set_width(width);
                label(ui, cell, size::SMALL, color);
            });
        }
    });
}
