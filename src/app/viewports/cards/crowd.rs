use super::super::crowd::{Crowd, CrowdCost};
use super::card::{Card, Otherwise, Picture};
use super::{chips, controls};
use crate::commands::DrawCommand;
use crate::panels::PanelCx;
use crate::render::CROWD_RANGE;
use crate::theme::size;
use crate::widgets::{Icon, icon_button};
use egui::{DragValue, Rect, RichText, Ui, WidgetInfo, vec2};
use posepress_core::text;

const WIDTH: f32 = 288.0;

/// Number of characters of a crowd, and what decoding them costs.
pub(super) fn card<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    if picture.scene.members() < 2 {
        return None;
    }
    picture.compared(cx)?;
    let places = chips::second_row(picture, vec2(WIDTH, chips::ROW));
    Some(Card::new(places, picture.place.rect, Otherwise::Near, draw))
}

fn draw(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let (theme, cost) = (cx.theme, Crowd::of_window(ui.ctx()).lock().cost());
    let mut characters = cx.view.crowd;
    controls::card(ui, ("crowd", rect), [theme.glass, theme.stroke], |ui| {
        let field = DragValue::new(&mut characters).range(CROWD_RANGE).speed(1.0).prefix("\u{d7}");
        let help = "Number of characters, 1 to 1000, each at another moment of the clip. Drag, or click to type.";
        let response = ui.add(field).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Characters of the crowd"));
        if response.changed() {
            cx.push(DrawCommand::SetCrowd(characters));
        }
        let (words, help) = cost.map_or_else(Default::default, |cost| spoken(&cost, cx.view.timings));
        ui.label(RichText::new(words).size(size::SMALL).color(theme.text1)).on_hover_text(help);
        if icon_button(ui, theme, Icon::Cross, false, "Close the crowd", "Show one character.").clicked() {
            cx.push(DrawCommand::SetCrowd(1));
        }
    });
}

/// The cost in short, and its tooltip.
fn spoken(cost: &CrowdCost, with_times: bool) -> (String, String) {
    let CrowdCost { characters, decoding, touched_bytes } = *cost;
    let each = characters as f64;
    let mut words = Vec::new();
    let mut of_each = Vec::new();
    if let Some(decoding) = decoding.filter(|_| with_times) {
        let secs = decoding.as_secs_f64();
        words.push(format!("{:.2} ms decoding", secs * 1e3));
        of_each.push(format!("takes {:.2} \u{b5}s", secs * 1e6 / each));
    }
    if let Some(bytes) = touched_bytes {
        let of = |bytes: f64| text::bytes(bytes.round() as u64);
        words.push(format!("{} read", of(bytes)));
        of_each.push(format!("reads {} of the clip in whole cache lines", of(bytes / each)));
    }
    if words.is_empty() {
        return (text::count(characters, "character"), "Decoding is measured for results of this program.".to_owned());
    }
    let help = format!(
        "Decoding of a frame: {}, one thread, median of the last 30 frames. A pose {}. Matrices and drawing are not included.",
        text::count(characters, "pose"),
        of_each.join(" and ")
    );
    (words.join(", "), help)
}
