//! The verdict on all clips in words, with the one reason that matters.

use super::PanelCx;
use crate::actions::list;
use crate::commands::RecipeCommand;
use crate::theme::size;
use crate::widgets::{Icon, paint_icon, verdict_icon};
use egui::{Color32, Label, RichText, Sense, Ui, Vec2};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::project::SLOT_LETTERS;
use posepress_core::report::Totals;
use posepress_core::text;

/// Least width with verdict and reason.
pub const LEAST_WIDTH: f32 = 240.0;
/// Least width with the link to a better recipe beside them.
const ROOM_FOR_LINK: f32 = 520.0;
/// Width of the link to the fixes for all clips.
const ROOM_FOR_FIX: f32 = 54.0;
/// Least width with all clips' size and ratio.
const ROOM_FOR_SIZE: f32 = 640.0;

/// Verdict and reason, and a link to a better recipe.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let active = cx.workspace.active_slot();
    let totals = cx.workspace.totals(active);
    if totals.clips == 0 {
        return;
    }
    let room = ui.available_width();
    let (verdict, color) = match totals.is_open() {
        true => (Icon::Working, cx.theme.text3),
        false => (verdict_icon(totals.verdict()), cx.theme.verdict(totals.verdict())),
    };
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(18.0), Sense::hover());
    paint_icon(ui.painter(), rect, 17.0, verdict, color);
    // The chip of a recipe says that it passes too.
    let better = better_slot(cx, &totals).filter(|_| cx.shows_all());
    let beside = better.as_ref().filter(|_| room >= ROOM_FOR_LINK);
    let below = better.as_ref().filter(|_| beside.is_none());
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.set_max_width(room - 26.0 - if beside.is_some() { 230.0 } else { 0.0 });
        ui.horizontal(|ui| {
            let words = RichText::new(verdict_words(cx, &totals)).size(size::BODY).color(cx.theme.text1);
            ui.add(Label::new(words).truncate());
            below.into_iter().for_each(|(slot, _)| link(ui, cx, *slot, format!("{} passes", SLOT_LETTERS[*slot])));
        });
        if let Some((words, help)) = reason(cx, &totals) {
            let color = if totals.is_complete() { cx.theme.text2 } else { cx.theme.text3 };
            reason_line(ui, cx, words, help, color);
        }
    });
    if let Some((slot, words)) = beside {
        ui.separator();
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            link(ui, cx, *slot, words.clone());
            if room >= ROOM_FOR_SIZE {
                sizes(ui, cx, &totals);
            }
        });
    }
}

fn verdict_words(cx: &PanelCx<'_>, totals: &Totals) -> String {
    let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
    match (totals.failing, totals.failing + totals.warning) {
        (0, 0) if totals.is_open() => {
            format!("{} of {} clips measured with {letter}", totals.known(), totals.clips)
        }
        (0, 0) if totals.clips == 1 => format!("The clip passes with {letter}"),
        (0, 0) => format!("All {} clips pass with {letter}", totals.clips),
        (0, n) => format!("{n} of {} clips need a look with {letter}", totals.clips),
        (n, _) => format!("{n} of {} clips fail with {letter}", totals.clips),
    }
}

/// The worst problem in words, and all problems as help. Without a problem, the largest error that can be seen.
fn reason(cx: &PanelCx<'_>, totals: &Totals) -> Option<(String, String)> {
    let flagged = totals.flagged();
    let is_good = totals.verdict() == Verdict::Good;
    let shown = flagged.first().copied().filter(|aspect| !is_good || aspect.is_of_source());
    let seen = || [Aspect::Skin, Aspect::Shell].into_iter().find(|aspect| totals.worst(*aspect).is_some());
    let aspect = shown.or_else(seen)?;
    let words = problem(totals, aspect)?;
    let all: Vec<String> = flagged.iter().filter_map(|aspect| problem(totals, *aspect)).collect();
    let help = if all.is_empty() { cx.workspace.slot_title(cx.workspace.active_slot()) } else { all.join("\n") };
    Some((words, help))
}

/// A problem with its largest value of all clips.
fn problem(totals: &Totals, aspect: Aspect) -> Option<String> {
    let worst = totals.worst(aspect)?;
    let value = text::length((worst.error_mm / 1000.0) as f32);
    Some(match aspect {
        Aspect::Shell => format!("joints are up to {value} off"),
        Aspect::Between => format!("joints are up to {value} off between samples"),
        Aspect::Skin => format!("the skin is up to {value} off"),
        Aspect::Slide => format!("feet slide up to {value}"),
        Aspect::Pin => format!("pins drift up to {value}"),
        Aspect::Jitter => format!("joints tremble by {value}"),
        Aspect::Seam => format!("a joint jumps by {value} at the seam of its loop"),
        Aspect::Root => format!("the root ends up to {value} aside after 100 rounds"),
        Aspect::Precision => format!("float32 is too coarse: {value}"),
        Aspect::Sampling => format!("the source moves too fast for its sample rate: {value} lost"),
    })
}

/// Size and ratio of all clips.
fn sizes(ui: &mut Ui, cx: &PanelCx<'_>, totals: &Totals) {
    let file = totals.file_size();
    let ratio = totals.raw_bytes as f32 / (totals.bytes as f32).max(1.0);
    let words = format!("{}, {}", text::bytes(file.bytes as u64), text::ratio(ratio));
    let [clips, other, raw] = [file.clips_bytes, file.other_bytes, totals.raw_bytes].map(|n| text::exact(n as u64));
    let help =
        format!("Size of the container: {clips} bytes of clips + {other} other (names, recipes, rig). {raw} raw.");
    ui.label(RichText::new(words).size(size::SMALL).color(cx.theme.text3)).on_hover_text(help);
}

/// A slot with a better recipe, and the text of its link.
fn better_slot(cx: &PanelCx<'_>, totals: &Totals) -> Option<(usize, String)> {
    let (slot, better) = cx.workspace.better_slot()?;
    let more = text::signed_bytes(better.bytes as i64 - totals.bytes as i64);
    let passing = match better.passing() {
        all if all == better.clips => format!("all {all}"),
        some => some.to_string(),
    };
    Some((slot, format!("{} passes {passing} for {more}", SLOT_LETTERS[slot])))
}

/// The reason, and the link to the fixes for all clips if there are some.
fn reason_line(ui: &mut Ui, cx: &mut PanelCx<'_>, words: String, help: String, color: Color32) {
    ui.spacing_mut().interact_size.y = 0.0; // the link is as high as its words
    ui.horizontal(|ui| {
        let link = if list::FIX_ALL.can_run(&cx.state).is_ok() { ROOM_FOR_FIX } else { 0.0 };
        ui.scope(|ui| {
            ui.set_max_width(ui.available_width() - link);
            let words = Label::new(RichText::new(words).size(size::SMALL).color(color)).truncate();
            ui.add(words).on_hover_text(help);
        });
        if link > 0.0 {
            fix_all(ui, cx);
        }
    });
}

/// Link to the fixes for all clips.
fn fix_all(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let words = RichText::new(&*list::FIX_ALL.label).size(size::SMALL);
    if ui.link(words).on_hover_text(&*list::FIX_ALL.help).clicked() {
        cx.run(&list::FIX_ALL);
    }
}

fn link(ui: &mut Ui, cx: &mut PanelCx<'_>, slot: usize, words: String) {
    if ui.link(RichText::new(words).size(size::SMALL)).on_hover_text("Switch to that recipe.").clicked() {
        cx.push(RecipeCommand::ActivateSlot(slot));
    }
}
