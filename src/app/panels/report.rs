use super::drawings::explained;
use super::recipe_field::{WHOLE, setting_row};
use super::sides::compare_to;
use super::{PanelCx, lattice, screen, show_blind_results, tiers};
use crate::actions::list;
use crate::state::Panel;
use crate::theme::{bytes as palette, font, size};
use crate::widgets::{about, label, paint_icon, quantity, section, text_right, tool_button, verdict_icon};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Rect, RichText, Sense, Ui, Vec2, pos2};
use posepress_core::codecs::{Ledger, Section};
use posepress_core::metrics::{Aspect, ErrorReport, Stats, Verdict};
use posepress_core::model::{Channel, Rig};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use posepress_core::settings::{Setting, Settings};
use posepress_core::text;
use posepress_core::workspace::Reference;

/// In a narrower column the worst error has only its frame, without the joint.
const ROOM_FOR_JOINT: f32 = 84.0;

/// Bytes by part, and errors with their places.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((rig, clip)) = cx.selected() else { return };
    let fact = LayoutJob::simple_singleline(clip.name().to_owned(), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Report", fact, |ui| {
        let slot = cx.workspace.active_slot();
        let answer = cx.workspace.selected().and_then(|id| cx.workspace.answer(id, slot));
        match answer.map(|a| (&a.report, &a.full)) {
            Some((Ok(_), Some(shown))) => {
                if cx.is_stale() || cx.workspace.is_pairing() {
                    ui.set_opacity(0.5);
                }
                let shown = cx.workspace.pair().unwrap_or(shown);
                beside(ui, cx);
                if let Some(base) = &shown.report.added_to {
                    label(ui, format!("Added to {base}"), size::SMALL, cx.theme.text2);
                }
                sizes(ui, cx, &shown.report);
                if let Some(encoding) = shown.outcome.encoding() {
                    breakdown(ui, cx, rig, &encoding.encoded.ledger);
                }
                ui.add_space(6.0);
                errors(ui, cx, rig, &shown.outcome.report);
                show_blind_results(ui, cx);
                ui.add_space(6.0);
                screen::show(ui, cx, &shown.report);
                let has_tiers = cx.workspace.document().tiers.on || cx.shows_fields(Panel::Report);
                if has_tiers && !cx.workspace.is_external_active() {
                    ui.add_space(6.0);
                    about(ui, "how-to/tiers.md", |ui| tiers::show(ui, cx));
                }
            }
            Some((Err(error), _)) => {
                ui.colored_label(cx.theme.fail, error.to_string());
            }
            _ if cx.workspace.selected().is_some_and(|id| cx.workspace.library().is_rig(id)) => {
                let words = "This file has a rig and no animation: there is nothing to compress.";
                ui.label(RichText::new(words).color(cx.theme.text2));
            }
            _ => {
                label(ui, "Compressing\u{2026}", size::BODY, cx.theme.text3);
            }
        }
    });
}

/// The compared sides, if they are not the usual ones, with buttons that reset them.
fn beside(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(words) = cx.pair_words() else { return };
    ui.add(egui::Label::new(RichText::new(words).size(size::SMALL).color(cx.theme.warn)).wrap());
    ui.horizontal_wrapped(|ui| {
        if cx.workspace.reference() != Reference::Original
            && let Some(action) = compare_to(Reference::Original)
        {
            cx.control(ui, action, |ui, theme, help| tool_button(ui, theme, "Back to the original", "", help));
        }
        if cx.workspace.is_swapped() {
            let key = list::SWAP_SIDES.key_text(ui.ctx());
            cx.control(ui, &list::SWAP_SIDES, |ui, theme, help| tool_button(ui, theme, "Swap sides", &key, help));
        }
    });
    ui.add_space(4.0);
}

fn sizes(ui: &mut Ui, cx: &PanelCx<'_>, report: &ClipReport) {
    let theme = cx.theme;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 24.0), Sense::hover());
    let y = rect.center().y;
    let painter = ui.painter();
    let size_text = quantity(theme, &text::bytes(report.bytes as u64), size::TITLE, theme.text1);
    let galley = painter.layout_job(size_text);
    let right = rect.left() + galley.size().x;
    painter.galley(pos2(rect.left(), y - galley.size().y / 2.0), galley, theme.text1);
    let of = format!("of {} raw", text::bytes(report.raw_bytes as u64));
    painter.text(pos2(right + 12.0, y), Align2::LEFT_CENTER, of, font(size::SMALL), theme.text3);
    let ratio = text::ratio(report.ratio);
    painter.text(pos2(rect.right(), y), Align2::RIGHT_CENTER, ratio, font(size::TOTAL), theme.text1);
    let bytes = text::exact(report.bytes as u64);
    response.on_hover_text(match &report.external {
        Some(external) => format!("{bytes} bytes for the keys of this clip and their times in {}.", external.file),
        None => format!(
            "{bytes} bytes for this clip. The rig is stored once per archive and is not included. {} stay in memory while the \
             clip is open.",
            text::bytes(report.resident_bytes as u64)
        ),
    });
}

/// Bytes by part.
fn breakdown(ui: &mut Ui, cx: &PanelCx<'_>, rig: &Rig, ledger: &Ledger) {
    let groups = groups(ledger);
    let total: u64 = groups.iter().map(|g| g.2).sum();
    stacked_bar(ui, &groups, total);
    for (name, color, bits) in &groups {
        group_row(ui, cx, name, *color, *bits, total);
    }
    if cx.shows_fields(Panel::Report) {
        lattice::show(ui, cx, rig, ledger);
        bit_rates(ui, cx, ledger);
        stages(ui, cx, ledger);
    }
}

/// Bytes after each stage of the encoder. Shows nothing for codecs with one stage.
fn stages(ui: &mut Ui, cx: &PanelCx<'_>, ledger: &Ledger) {
    let Some(first) = ledger.stages().first() else { return };
    ui.add_space(4.0);
    label(ui, "bytes after each step of the encoder", size::TICK, cx.theme.text3);
    for stage in ledger.stages() {
        group_row(ui, cx, &stage.name, palette::TABLES, 8 * stage.bytes, 8 * first.bytes);
    }
}

/// Number of uses of each bit rate. Shows nothing for codecs with fixed formats.
fn bit_rates(ui: &mut Ui, cx: &PanelCx<'_>, ledger: &Ledger) {
    let rates = ledger.bit_rates();
    let Some(largest) = rates.values().max() else { return };
    ui.add_space(4.0);
    label(ui, "tracks of segments by bits per component", size::TICK, cx.theme.text3);
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 52.0), Sense::hover());
    let slot = rect.width() / rates.len() as f32;
    let mut help = String::new();
    for (index, (bits, count)) in rates.iter().enumerate() {
        let left = rect.left() + slot * index as f32;
        let base = rect.bottom() - 14.0;
        let height = (base - rect.top()) * *count as f32 / *largest as f32;
        let bar = Rect::from_min_max(pos2(left + 1.0, base - height.max(1.0)), pos2(left + slot - 1.0, base));
        ui.painter().rect_filled(bar, 1.0, palette::ROTATION);
        let at = pos2(left + slot / 2.0, rect.bottom() - 6.0);
        ui.painter().text(at, Align2::CENTER_CENTER, bits.to_string(), font(size::TICK), cx.theme.text3);
        help += &format!("{bits} bits: {count}\n");
    }
    response.on_hover_text(format!("How often each bit rate was chosen (32 is float32).\n{}", help.trim_end()));
}

/// Rows of the breakdown: name, colour, bits.
fn groups(ledger: &Ledger) -> Vec<(&'static str, Color32, u64)> {
    let values = |channel: Channel| {
        let rows = ledger.rows().iter().filter(|r| r.section == Section::Animated);
        rows.filter(|r| r.track.is_some_and(|(_, c)| c == channel)).map(|r| r.bits).sum::<u64>()
    };
    let of = |sections: &[Section]| sections.iter().map(|s| ledger.section_bits(*s)).sum::<u64>();
    let clip_values = ledger.rows().iter().filter(|r| r.section == Section::Animated && r.track.is_none());
    [
        ("rotation keys", palette::ROTATION, values(Channel::Rotation)),
        ("translation keys", palette::TRANSLATION, values(Channel::Translation)),
        ("scale keys", palette::SCALE, values(Channel::Scale)),
        ("keys of all tracks", palette::ROTATION, clip_values.map(|r| r.bits).sum()),
        ("key times", palette::TIMES, of(&[Section::KeyTimes])),
        (
            "tables, ranges, constants",
            palette::TABLES,
            of(&[Section::Tables, Section::Range, Section::Constant, Section::Jumps]),
        ),
        ("float tracks, steps", palette::SCALE, of(&[Section::Floats, Section::Holds])),
        ("compensation", palette::ROTATION, of(&[Section::Compensation])),
        ("header, padding", palette::HEADER, of(&[Section::Header, Section::Padding])),
    ]
    .into_iter()
    .filter(|g| g.2 > 0)
    .collect()
}

fn stacked_bar(ui: &mut Ui, groups: &[(&'static str, Color32, u64)], total: u64) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 10.0), Sense::hover());
    let mut left = rect.left();
    for (_, color, bits) in groups {
        let width = rect.width() * *bits as f32 / total as f32;
        let part = Rect::from_min_size(pos2(left, rect.top()), Vec2::new((width - 1.0).max(1.0), rect.height()));
        ui.painter().rect_filled(part, 1.0, *color);
        left += width;
    }
    ui.add_space(4.0);
}

/// A part of the bytes: name, bytes, share.
pub fn group_row(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, color: Color32, bits: u64, total: u64) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 17.0), Sense::hover());
    let painter = ui.painter();
    let y = rect.center().y;
    painter.rect_filled(Rect::from_center_size(pos2(rect.left() + 4.0, y), Vec2::splat(8.0)), 1.0, color);
    painter.text(pos2(rect.left() + 16.0, y), Align2::LEFT_CENTER, name, font(size::SMALL), cx.theme.text2);
    let bytes = text::exact(bits.div_ceil(8));
    painter.text(pos2(rect.right() - 62.0, y), Align2::RIGHT_CENTER, bytes, font(size::SMALL), cx.theme.text1);
    let share = text::percent(bits as f32 / total as f32);
    painter.text(pos2(rect.right(), y), Align2::RIGHT_CENTER, share, font(size::SMALL), cx.theme.text3);
}

fn errors(ui: &mut Ui, cx: &mut PanelCx<'_>, rig: &Rig, report: &ErrorReport) {
    let theme = cx.theme;
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    for (x, head) in columns(rect).into_iter().zip(["max", "p99", "RMS", "worst at"]) {
        ui.painter().text(pos2(x, rect.center().y), Align2::RIGHT_CENTER, head, font(size::TICK), theme.text3);
    }
    let rate_hz = cx.selected().map_or(0.0, |(_, clip)| clip.grid().rate_hz());
    let numbers = cx.frame_numbers();
    let at =
        |joint: usize, secs: f32| format!("{} {}", rig.skeleton.name(joint), numbers.frame(f64::from(secs) * rate_hz));
    let judged = report.judged();
    let judge = |aspect| judged.iter().find(|j| j.aspect == aspect).map_or(Verdict::Good, |j| j.verdict);
    let shell = &report.samples;
    let place = at(shell.worst.joint, shell.worst.time_secs);
    row(ui, cx, ("shell", Aspect::Shell), judge(Aspect::Shell), &shell.stats, &place);
    let between = &report.between;
    let place = at(between.worst.joint, between.worst.time_secs);
    row(ui, cx, ("between", Aspect::Between), judge(Aspect::Between), &between.stats, &place);
    if let Some(vertex) = &report.vertex {
        let place = at(vertex.worst.joint, vertex.worst.time_secs);
        row(ui, cx, ("skinned", Aspect::Skin), judge(Aspect::Skin), &vertex.stats, &place);
    } else if !rig.meshes.is_empty() {
        label(ui, "skinned: measuring\u{2026}", size::SMALL, theme.text3);
    }
    let note = format!("millimetres, object space, {} times per sample", report.sub_frames);
    label(ui, note, size::TICK, theme.text3);
    const LIMITS: [&str; 8] = [
        "warn_error_m",
        "fail_error_m",
        "warn_jitter_m",
        "fail_jitter_m",
        "warn_root_m",
        "fail_root_m",
        "warn_sampling_m",
        "fail_sampling_m",
    ];
    for key in LIMITS {
        let is_shown = |setting: &&Setting<Recipe>| {
            cx.shows_fields(Panel::Report) || setting.is_changed(cx.workspace.active_recipe())
        };
        if let Some(setting) = Recipe::setting(key).filter(is_shown) {
            setting_row(ui, cx, WHOLE, setting, None);
        }
    }
}

fn columns(rect: Rect) -> [f32; 4] {
    [rect.left() + 108.0, rect.left() + 150.0, rect.left() + 192.0, rect.right()]
}

fn row(ui: &mut Ui, cx: &PanelCx<'_>, (name, aspect): (&str, Aspect), verdict: Verdict, stats: &Stats, place: &str) {
    let theme = cx.theme;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 20.0), Sense::hover());
    let painter = ui.painter();
    let y = rect.center().y;
    let icon = Rect::from_center_size(pos2(rect.left() + 6.0, y), Vec2::splat(12.0));
    paint_icon(painter, icon, 11.0, verdict_icon(verdict), theme.verdict(verdict));
    painter.text(pos2(rect.left() + 18.0, y), Align2::LEFT_CENTER, name, font(size::SMALL), theme.text2);
    let [max, p99, rms, worst] = columns(rect);
    let mm = |m: f32| {
        let mm = m * 1000.0;
        if mm < 10.0 { format!("{mm:.2}") } else { format!("{mm:.1}") }
    };
    let color = if verdict == Verdict::Good { theme.text1 } else { theme.verdict(verdict) };
    painter.text(pos2(max, y), Align2::RIGHT_CENTER, mm(stats.max_m), font(size::SMALL), color);
    painter.text(pos2(p99, y), Align2::RIGHT_CENTER, mm(stats.p99_m), font(size::SMALL), theme.text2);
    painter.text(pos2(rms, y), Align2::RIGHT_CENTER, mm(stats.rms_m), font(size::SMALL), theme.text2);
    let room = Rect::from_min_max(pos2(rms + 8.0, rect.top()), pos2(worst, rect.bottom()));
    // In a narrow column the frame alone is more useful than a cut name. The tooltip has both.
    let fits = room.width() >= ROOM_FOR_JOINT;
    let written = if fits { place } else { place.rsplit(' ').next().unwrap_or(place) };
    let mut job = LayoutJob::simple_singleline(written.to_owned(), font(size::SMALL), theme.text2);
    job.wrap = TextWrapping::truncate_at_width(room.width());
    text_right(painter, pos2(worst, y), job);
    let words = format!("{name}: max {}, worst at {place}", text::length(stats.max_m));
    explained(response, theme, &words, aspect);
}
