//! The additive mark of a clip: base, and contents of its file.

use super::PanelCx;
use crate::commands::MarkCommand;
use crate::theme::size;
use crate::widgets::{form_row, label};
use egui::{ComboBox, RichText, Ui, WidgetInfo};
use posepress_core::model::{Additive, BaseOf, Clip, ClipId, ClipKey, Holds};
use std::sync::Arc;

/// Width of the choices.
const COMBO: f32 = 150.0;

const HELP: &str = "An additive clip, such as a lean or a recoil, is added to another pose. It is shown, measured and judged on \
                    that pose, and stored as differences from it.";
const HOLDS_HELP: &str = "Differences: the clip's file has the values to add to the base. Poses: the file has full poses, and their \
                          differences from the base are computed.";

/// Two rows: the base of the clip, and what its file holds.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some(id), Some((_, clip))) = (cx.workspace.selected(), cx.selected()) else { return };
    let said = clip.additive().cloned().unwrap_or(Additive::NOT);
    let is_missing = said.base != BaseOf::Nothing && clip.base().is_none();
    let is_marked = cx.workspace.additive_mark(id).is_some();
    choose_base(ui, cx, id, &said, is_marked);
    if said.base == BaseOf::Nothing {
        return;
    }
    choose_holds(ui, cx, &said, is_marked);
    if is_missing {
        let words = format!("{} is not open, or has other joints: the clip is not added to it.", name_of(&said.base));
        ui.add(egui::Label::new(RichText::new(words).size(size::SMALL).color(cx.theme.warn)).wrap());
    } else {
        let words = format!("Shown and measured on {}.", name_of(&said.base));
        label(ui, &words, size::SMALL, cx.theme.text3);
    }
}

fn choose_base(ui: &mut Ui, cx: &mut PanelCx<'_>, id: ClipId, said: &Additive, is_marked: bool) {
    let mut chosen = None;
    let row = form_row(ui, cx.theme, "Added to", HELP, is_marked, |ui| {
        let combo = ComboBox::from_id_salt("added to").width(COMBO).selected_text(name_of(&said.base));
        let response = combo.show_ui(ui, |ui| {
            for base in bases(cx, id) {
                if ui.selectable_label(base == said.base, name_of(&base)).clicked() {
                    chosen = Some(base);
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Added to"));
        response.response
    });
    if row.reset {
        cx.push(MarkCommand::MarkAdditive(None));
    }
    if let Some(base) = chosen {
        // For a clip that was not additive, what its file holds is guessed from the data.
        let holds = if said.base == BaseOf::Nothing { guessed(cx, id) } else { said.holds };
        cx.push(MarkCommand::MarkAdditive(Some(Additive { base, holds })));
    }
}

fn choose_holds(ui: &mut Ui, cx: &mut PanelCx<'_>, said: &Additive, is_marked: bool) {
    let name = |holds| if holds == Holds::Differences { "differences" } else { "poses" };
    let mut chosen = None;
    form_row(ui, cx.theme, "Clip holds", HOLDS_HELP, is_marked, |ui| {
        let combo = ComboBox::from_id_salt("clip holds").width(COMBO).selected_text(name(said.holds));
        let response = combo.show_ui(ui, |ui| {
            for holds in [Holds::Differences, Holds::Poses] {
                if ui.selectable_label(holds == said.holds, name(holds)).clicked() {
                    chosen = Some(holds);
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Clip holds"));
        response.response
    });
    if let Some(holds) = chosen {
        cx.push(MarkCommand::MarkAdditive(Some(Additive { holds, ..said.clone() })));
    }
}

/// Possible bases: nothing, the bind pose, and clips that hold poses, of this file and of other files with the same
/// joints.
fn bases(cx: &PanelCx<'_>, id: ClipId) -> Vec<BaseOf> {
    let library = cx.workspace.library();
    let Some(own) = library.source(id.source) else { return Vec::new() };
    let mut out = vec![BaseOf::Nothing, BaseOf::Bind];
    let is_base = |clip: &&Arc<Clip>| !clip.holds_differences();
    for (at, clip) in own.clips.iter().enumerate().filter(|(_, clip)| is_base(clip)) {
        let name = || clip.name().to_owned();
        let is_other = at != id.clip as usize;
        out.extend(is_other.then(|| BaseOf::Clip(name())).into_iter().chain([BaseOf::FirstPose(name())]));
    }
    for other in library.sources().iter().filter(|other| other.id != own.id && other.has_joints_of(own)) {
        for clip in other.clips.iter().filter(is_base) {
            let name = || ClipKey::new(&other.digest, clip.name()).to_string();
            out.extend([BaseOf::Clip(name()), BaseOf::FirstPose(name())]);
        }
    }
    out
}

/// Name of a base. A clip of another file is named without its file.
pub fn name_of(base: &BaseOf) -> String {
    let short = |name: &str| name.split_once(" / ").map_or(name, |(_, clip)| clip).to_owned();
    match base {
        BaseOf::Clip(name) => short(name),
        BaseOf::FirstPose(name) => BaseOf::FirstPose(short(name)).to_string(),
        BaseOf::Nothing | BaseOf::Bind => base.to_string(),
    }
}

fn guessed(cx: &PanelCx<'_>, id: ClipId) -> Holds {
    let library = cx.workspace.library();
    let plain = library.plain_clip(id).zip(library.source(id.source));
    match plain.is_some_and(|(clip, source)| clip.looks_like_differences(&source.rig.skeleton)) {
        true => Holds::Differences,
        false => Holds::Poses,
    }
}
