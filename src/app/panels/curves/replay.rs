use super::lines::kept_keys;
use crate::commands::Command;
use crate::panels::PanelCx;
use crate::state::CurveKind;
use crate::state::View;
use crate::theme::size;
use crate::widgets::label;
use egui::{Slider, Ui, WidgetInfo};
use posepress_core::codecs::KeptKeys;
use posepress_core::session::{FitOf, Sides};

/// A fit that is seen again: how many of its keys, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertions {
    /// Keys that are shown.
    pub shown: usize,
    /// Keys in the end.
    pub all: usize,
}

impl Insertions {
    /// Those of a joint; `None` where keys were not inserted one by one, and where compensation changed what the fit aimed
    /// at.
    pub fn of(view: &View, shown: &Sides, joint: usize) -> Option<Self> {
        let all = replayable(shown, joint, view.settings.curve)?.inserted.len();
        Some(Self { shown: view.selection.replay_keys.unwrap_or(all).clamp(2, all), all })
    }

    /// With all its keys the fit is the decoded curve.
    pub fn is_whole(self) -> bool {
        self.shown == self.all
    }
}

fn replayable(shown: &Sides, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let kept = kept_keys(shown, joint, kind)?;
    (kept.inserted.len() > 2 && shown.outcome.can_replay()).then_some(kept)
}

/// The fit that the slider asks for; `None` when all keys are there, because then the decoded curve is shown.
pub fn wanted(view: &View, shown: &Sides) -> Option<FitOf> {
    let joint = view.selection.joint?;
    let channel = replayable(shown, joint, view.settings.curve)?.channel;
    let insertions = Insertions::of(view, shown, joint).filter(|i| !i.is_whole())?;
    Some(FitOf { joint, channel, keys: insertions.shown })
}

/// The slider from two keys to the end.
pub fn slider(ui: &mut Ui, cx: &mut PanelCx<'_>, insertions: Insertions, width: f32) {
    // A fit begins with two keys.
    let (mut inserted, last) = (insertions.shown - 2, insertions.all - 2);
    label(ui, format!("insertions {inserted} / {last}"), size::TICK, cx.theme.text2);
    ui.spacing_mut().slider_width = width;
    let response = ui.add(Slider::new(&mut inserted, 0..=last).show_value(false)).on_hover_text(
        "Replays the fit: from two keys, the worst section gets one more, until every section is within the tolerance.",
    );
    response.widget_info(|| WidgetInfo::slider(true, inserted as f64, "Insertions"));
    if response.changed() {
        cx.push(Command::SetReplay((inserted < last).then_some(inserted + 2)));
    }
}
