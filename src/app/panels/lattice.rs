//! Bits and steps of quantization lattices.

use super::PanelCx;
use super::report::group_row;
use crate::theme::{bytes as palette, size};
use crate::widgets::label;
use egui::Ui;
use posepress_core::codecs::{LATTICE_LEVELS, LatticeRow, Ledger};
use posepress_core::model::{Channel, Rig};
use posepress_core::text;

/// Bytes by level, and the steps of the selected joint. Shows nothing for codecs without lattices.
pub fn show(ui: &mut Ui, cx: &PanelCx<'_>, rig: &Rig, ledger: &Ledger) {
    let levels = ledger.lattice_bits();
    let total: u64 = levels.iter().sum();
    if total == 0 {
        return;
    }
    ui.add_space(4.0);
    label(ui, "numbers of keys, by level", size::TICK, cx.theme.text3);
    for (name, bits) in LATTICE_LEVELS.into_iter().zip(levels) {
        group_row(ui, cx, name, palette::ROTATION, bits, total);
    }
    let Some(joint) = cx.view.selection.joint.filter(|joint| *joint < rig.skeleton.len()) else { return };
    ui.add_space(4.0);
    label(ui, format!("steps of {}, x y z", rig.skeleton.name(joint)), size::TICK, cx.theme.text3);
    let rows = |channel: Channel| {
        ledger.lattice_rows().iter().filter(move |row| usize::from(row.joint) == joint && row.channel == channel)
    };
    for channel in Channel::ALL {
        // The first rows are those of the first segment of a long take.
        let axes: Vec<&LatticeRow> = rows(channel).take(3).collect();
        if axes.is_empty() {
            continue;
        }
        let steps: Vec<String> = axes.iter().map(|row| step(row)).collect();
        let words = format!("{}: {}", channel.name(), steps.join(", "));
        label(ui, words, size::SMALL, cx.theme.text2).on_hover_text(spent(&axes));
    }
    if Channel::ALL.into_iter().all(|channel| rows(channel).next().is_none()) {
        label(ui, "none: the track is constant, or every sample is float32", size::SMALL, cx.theme.text3);
    }
}

fn step(row: &LatticeRow) -> String {
    match row.channel {
        Channel::Rotation => text::number(f64::from(row.step).to_degrees(), 3, "degrees"),
        Channel::Translation => text::number(f64::from(row.step) * 1000.0, 3, "mm"),
        Channel::Scale => text::number(f64::from(row.step) * 100.0, 3, "%"),
    }
}

fn spent(axes: &[&LatticeRow]) -> String {
    let of = |(axis, row): (char, &&LatticeRow)| {
        let [anchors, middles, others] = row.bits.map(|bits| text::exact(bits.div_ceil(8)));
        format!("{axis}: {anchors} B of anchors, {middles} B of middles, {others} B of the others")
    };
    let lines: Vec<String> = ['x', 'y', 'z'].into_iter().zip(axes).map(of).collect();
    format!("Distance between neighbouring values, as coarse as the tolerance allows.\n{}", lines.join("\n"))
}
