//! The Review tab: the queue of clips, worst first, and the clip under review with its decision.

mod decision;
mod history;
mod queue;
mod strip;

pub use decision::{show as show_decision, show_head, show_judged};
pub use queue::show as show_queue;
pub use strip::{height as error_strip_height, show as show_error_strip};

use super::PanelCx;
use crate::theme::{font, size};
use crate::widgets::{Icon, paint_icon};
use egui::{Align2, Color32, Rect, Ui, Vec2, pos2};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::project::{DecisionKind, ReviewState};

/// Icon and colour of a review state.
pub fn state_icon(cx: &PanelCx<'_>, state: ReviewState) -> (Icon, Color32) {
    match state {
        ReviewState::ToDo => (Icon::ToDo, cx.theme.text3),
        ReviewState::Decided(DecisionKind::Approved) => (Icon::Approved, cx.theme.ok),
        ReviewState::Decided(DecisionKind::Rejected) => (Icon::Rejected, cx.theme.fail),
        ReviewState::Decided(DecisionKind::Ignored) => (Icon::Ignored, cx.theme.text3),
        ReviewState::Changed(_) => (Icon::Changed, cx.theme.warn),
    }
}

/// Short name of a problem.
pub(super) fn flag_name(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Shell => "over tolerance",
        Aspect::Between => "between samples",
        Aspect::Skin => "skin",
        Aspect::Slide => "foot slide",
        Aspect::Pin => "pin drift",
        Aspect::Jitter => "jitter",
        Aspect::Seam => "seam jump",
        Aspect::Root => "root drift",
        Aspect::Precision => "far from origin",
        Aspect::Sampling => "sample rate",
    }
}

/// Draws flags from the left, as many as fit.
fn flags(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, flags: impl Iterator<Item = (Aspect, Verdict)>) {
    let (painter, mut left) = (ui.painter(), rect.left());
    for (aspect, verdict) in flags {
        let words = painter.layout_no_wrap(flag_name(aspect).into(), font(size::TICK), cx.theme.verdict(verdict));
        let chip = Rect::from_min_size(pos2(left, rect.center().y - 9.0), Vec2::new(words.size().x + 10.0, 18.0));
        if chip.right() > rect.right() {
            painter.text(
                pos2(left, rect.center().y),
                Align2::LEFT_CENTER,
                "\u{2026}",
                font(size::TICK),
                cx.theme.text3,
            );
            return;
        }
        painter.rect_filled(chip, 3.0, cx.theme.verdict_fill(verdict));
        painter.galley(chip.center() - words.size() / 2.0, words, cx.theme.text1);
        left = chip.right() + 4.0;
    }
}

/// Draws an icon in the middle of a rectangle.
fn sign(ui: &Ui, rect: Rect, (icon, color): (Icon, Color32)) {
    paint_icon(ui.painter(), rect, 12.0, icon, color);
}
