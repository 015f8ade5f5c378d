use super::PanelCx;
use crate::commands::JointCommand;
use crate::theme::{bytes as palette, font, size};
use crate::widgets::{label, section, squarify, text_elided};
use egui::text::LayoutJob;
use egui::{Color32, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::model::{Channel, Skeleton};
use posepress_core::report::{JointBits, joint_bits};
use posepress_core::text;

/// Height of the map.
const HEIGHT: f32 = 180.0;

/// Bytes by joint: one block per joint, divided into channels.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let encoding = cx.shown().and_then(|shown| shown.outcome.encoding());
    let (Some((rig, _)), Some(encoding)) = (cx.selected(), encoding) else { return };
    let blocks = joint_bits(&encoding.encoded.ledger, rig.skeleton.len());
    let owned: u64 = blocks.iter().map(JointBits::total).sum();
    let fact = format!("{} bytes of joints", text::exact(owned.div_ceil(8)));
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Bytes by joint", fact, |ui| {
        if blocks.is_empty() {
            label(ui, "No byte belongs to a single joint.", size::SMALL, cx.theme.text3);
            return;
        }
        if cx.is_stale() {
            ui.set_opacity(0.5);
        }
        legend(ui, cx);
        let (area, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), HEIGHT), Sense::hover());
        let weights: Vec<f32> = blocks.iter().map(|b| b.total() as f32).collect();
        for (block, rect) in blocks.iter().zip(squarify(&weights, area)) {
            show_block(ui, cx, &rig.skeleton, block, rect);
        }
        ui.set_opacity(1.0);
    });
}

fn color(channel: Channel) -> Color32 {
    match channel {
        Channel::Rotation => palette::ROTATION,
        Channel::Translation => palette::TRANSLATION,
        Channel::Scale => palette::SCALE,
    }
}

fn name(channel: Channel) -> &'static str {
    match channel {
        Channel::Rotation => "rotation",
        Channel::Translation => "translation",
        Channel::Scale => "scale",
    }
}

fn legend(ui: &mut Ui, cx: &PanelCx<'_>) {
    ui.horizontal(|ui| {
        for channel in Channel::ALL {
            let (swatch, _) = ui.allocate_exact_size(Vec2::splat(8.0), Sense::hover());
            ui.painter().rect_filled(swatch, 1.0, color(channel));
            label(ui, name(channel), size::TICK, cx.theme.text3);
        }
    });
}

/// Tooltip text for estimated bytes.
pub const ESTIMATE: &str =
    "Estimated: zlib compresses the bytes of all joints together. This is the joint's share of its input.";

/// True if the bytes of joints are an estimate.
pub fn is_estimate(cx: &PanelCx<'_>) -> bool {
    let encoding = cx.shown().and_then(|shown| shown.outcome.encoding());
    encoding.is_some_and(|made| made.encoded.ledger.is_shared_out())
}

fn show_block(ui: &mut Ui, cx: &mut PanelCx<'_>, skeleton: &Skeleton, block: &JointBits, rect: Rect) {
    if rect.width() < 1.0 || rect.height() < 1.0 {
        return;
    }
    let joint_name = skeleton.name(block.joint);
    // Tab skips the dozens of blocks. The list of joints has the same figures.
    let response = ui.interact(rect, ui.scope_id().with(("bytes of joint", block.joint)), Sense::CLICK);
    let bytes = block.total() as f32 / 8.0;
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("{joint_name}: {bytes:.0} bytes")));
    let painter = ui.painter().with_clip_rect(rect);
    let inner = rect.shrink(0.5);
    let across = inner.width() >= inner.height();
    let mut at = 0.0;
    for channel in Channel::ALL {
        let share = block.channels[channel as usize] as f32 / block.total() as f32;
        let part = |t: f32| if across { inner.left() + inner.width() * t } else { inner.top() + inner.height() * t };
        let piece = if across {
            Rect::from_x_y_ranges(part(at)..=part(at + share), inner.y_range())
        } else {
            Rect::from_x_y_ranges(inner.x_range(), part(at)..=part(at + share))
        };
        painter.rect_filled(piece, 0.0, color(channel).gamma_multiply(if response.hovered() { 1.0 } else { 0.85 }));
        at += share;
    }
    if cx.view.selection.joint == Some(block.joint) {
        painter.rect_stroke(inner, 0.0, Stroke::new(2.0, cx.theme.text1), StrokeKind::Inside);
    }
    if inner.width() > 34.0 && inner.height() > 13.0 {
        let left = pos2(inner.left() + 3.0, inner.top() + 8.0);
        text_elided(&painter, left, inner.right() - 2.0, joint_name, size::TICK, palette::WORDS);
    }
    let lines = Channel::ALL.map(|c| format!("{} {:.1} bytes", name(c), block.channels[c as usize] as f32 / 8.0));
    let estimate = if is_estimate(cx) { format!("\n{ESTIMATE}") } else { String::new() };
    let response = response.on_hover_text(format!("{joint_name}: {bytes:.1} bytes\n{}{estimate}", lines.join("\n")));
    if response.clicked() {
        cx.push(JointCommand::SelectJoint(Some(block.joint)));
    }
}
