use super::lines::{Choice, kept_keys};
use crate::commands::Command;
use crate::panels::PanelCx;
use crate::theme::size;
use crate::widgets::label;
use egui::{Id, Slider, Ui, WidgetInfo};
use posepress_core::codecs::{EncodedClip, FittedCurve, KeptKeys};
use posepress_core::model::Channel;
use posepress_core::session::JobResult;
use std::sync::Arc;

/// A fit that is seen again: how many of its keys, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertions {
    /// Keys that are shown.
    pub shown: usize,
    /// Keys in the end.
    pub all: usize,
}

impl Insertions {
    /// Those of the selected joint; `None` where keys were not inserted one by one, and where compensation changed what the
    /// fit aimed at.
    pub fn of(cx: &PanelCx<'_>, shown: &JobResult, joint: usize, choice: Choice) -> Option<Self> {
        let all = replayable(shown, joint, choice)?.inserted.len();
        Some(Self { shown: cx.view.selection.replay_keys.unwrap_or(all).clamp(2, all), all })
    }

    fn is_whole(self) -> bool {
        self.shown == self.all
    }
}

fn replayable(shown: &JobResult, joint: usize, choice: Choice) -> Option<&KeptKeys> {
    let kept = kept_keys(shown, joint, choice.kind)?;
    (kept.inserted.len() > 2 && shown.outcome.can_replay()).then_some(kept)
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

/// What was replayed last, so that a frame in which nothing changed costs nothing.
#[derive(Clone)]
struct Replayed {
    encoded: Arc<EncodedClip>,
    /// Joint, channel and number of keys.
    track: (usize, Channel, usize),
    curve: Option<Arc<FittedCurve>>,
}

/// The curve after some of the keys; `None` when all are there, because then the decoded curve is shown.
pub fn curve(
    ui: &Ui,
    shown: &JobResult,
    joint: usize,
    choice: Choice,
    insertions: Option<Insertions>,
) -> Option<Arc<FittedCurve>> {
    let insertions = insertions.filter(|i| !i.is_whole())?;
    let kept = replayable(shown, joint, choice)?;
    let encoded = &shown.outcome.encoded;
    let track = (joint, kept.channel, insertions.shown);
    let id = Id::unique("replayed fit");
    let last = ui.data(|data| data.get_temp::<Replayed>(id));
    if let Some(last) = last.filter(|r| r.track == track && Arc::ptr_eq(&r.encoded, encoded)) {
        return last.curve;
    }
    // The bytes were decoded before they were shown, so there is nothing to complain about.
    let curve = shown.outcome.replay(&shown.source, kept, insertions.shown).ok().flatten().map(Arc::new);
    ui.data_mut(|data| data.insert_temp(id, Replayed { encoded: encoded.clone(), track, curve: curve.clone() }));
    curve
}
