use super::super::place::SceneRect;
use super::card::{Card, Otherwise, Picture};
use super::chips::second_row;
use super::{chips, legend};
use crate::commands::DrawCommand;
use crate::panels::PanelCx;
use crate::render::{Show, Side};
use crate::state::BLINK_RANGE_HZ;
use crate::theme::{rounding, size};
use egui::{
    Color32, DragValue, Frame, Id, Margin, Rect, RichText, Slider, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use posepress_core::view::{Layer, ViewMode, difference_gain_range};

/// Width of a control over a viewport.
pub(super) const WIDTH: f32 = 150.0;
const ONION: Vec2 = vec2(252.0, chips::ROW + 8.0);

/// Control of the factor on the drawn error, in the colour of a warning.
pub(super) fn difference<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let is_on = cx.view.settings.layers.is_on(Layer::Difference) && !picture.place.is_heat();
    picture.compared(cx).filter(|_| is_on)?;
    Some(control(picture, difference_field))
}

/// Control of the blink rate, with the visible side.
pub(super) fn blink<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let place = picture.place;
    (cx.view.settings.mode == ViewMode::Blink).then(|| {
        control(picture, move |ui, cx, rect| {
            blink_field(ui, cx, rect);
            blink_frame(ui, cx, place);
        })
    })
}

/// Slider of the onion skin: at the bottom in the middle, or right of the heat map's legend.
pub(super) fn onion<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let rect = picture.place.rect;
    let at = |left: f32| Rect::from_min_size(pos2(left, rect.bottom() - ONION.y - 12.0), ONION);
    let centred = rect.center().x - ONION.x / 2.0;
    let beside_legend = legend::corner(cx, picture).map(|legend| at(centred.max(legend.right() + 8.0)));
    let places: Vec<Rect> = beside_legend.into_iter().chain([at(centred)]).collect();
    matches!(picture.place.show, Show::Onion { .. }).then(|| Card::new(places, rect, Otherwise::Near, onion_slider))
}

/// A card with a control of the view mode, in the row below the chips.
fn control<'f>(picture: &Picture<'f>, draw: impl FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f) -> Card<'f> {
    Card::new(second_row(picture, vec2(WIDTH, chips::ROW)), picture.place.rect, Otherwise::Near, draw)
}

/// A small card over the viewport. Its name gives widgets a stable id, so that a drag continues while other cards come
/// and go.
pub(super) fn card(ui: &mut Ui, (name, at): (&str, Rect), [fill, line]: [Color32; 2], content: impl FnOnce(&mut Ui)) {
    let middle = egui::Layout::left_to_right(egui::Align::Center);
    let mut child =
        ui.new_child(UiBuilder::new().max_rect(at).layout(middle).scope_id(Id::unique(("viewport card", name))));
    let frame = Frame::new().fill(fill).stroke(Stroke::new(1.0, line)).corner_radius(rounding::WIDGET);
    frame.inner_margin(Margin::symmetric(8, 0)).show(&mut child, |ui| {
        ui.set_height(chips::ROW);
        ui.spacing_mut().item_spacing.x = 6.0;
        content(ui);
    });
}

fn difference_field(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut gain = cx.view.settings.difference_gain;
    card(ui, ("difference", rect), [theme.warn_fill, theme.warn], |ui| {
        ui.label(RichText::new("drawn").size(size::SMALL).color(theme.text1));
        let field =
            DragValue::new(&mut gain).range(difference_gain_range()).speed(0.2).max_decimals(0).prefix("\u{d7}");
        let help = "Factor by which the difference to the original is enlarged. The ghost is the original. Drag, click to type, \
                    or press + and -.";
        let response = ui.add(field).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Difference factor"));
        if response.changed() {
            cx.push(DrawCommand::SetDifferenceGain(gain));
        }
    })
}

fn blink_field(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut rate_hz = cx.view.settings.blink_hz;
    let original = cx.view.blink.side() == Some(Side::Original);
    card(ui, ("blink", rect), [theme.glass, theme.stroke], |ui| {
        let (lamps, _) = ui.allocate_exact_size(Vec2::new(24.0, chips::ROW), egui::Sense::hover());
        let painter = ui.painter();
        let square = Rect::from_center_size(lamps.left_center() + vec2(5.0, 0.0), Vec2::splat(8.0));
        let disc = lamps.left_center() + vec2(18.0, 0.0);
        let line = |on: bool, color| Stroke::new(1.2, if on { color } else { theme.text3 });
        painter.rect(
            square,
            0.0,
            if original { theme.original } else { Color32::TRANSPARENT },
            line(original, theme.original),
            egui::StrokeKind::Inside,
        );
        let fill = if original { Color32::TRANSPARENT } else { theme.compressed };
        painter.circle(disc, 4.0, fill, line(!original, theme.compressed));
        let field = DragValue::new(&mut rate_hz).range(BLINK_RANGE_HZ).speed(0.02).fixed_decimals(1).suffix(" Hz");
        let help = "Blinks per second, 2 to 8. Drag, or click to type. Default 2.0.";
        let response = ui.add(field).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Blink rate"));
        if response.changed() {
            cx.push(DrawCommand::SetBlinkHz(rate_hz));
        }
    });
}

/// A frame in the colour of the visible side.
fn blink_frame(ui: &Ui, cx: &PanelCx<'_>, place: SceneRect) {
    let color = match place.show {
        Show::Side(Side::Compressed) if !cx.view.original_on_both() => cx.theme.compressed,
        _ => cx.theme.original,
    };
    ui.painter().rect_stroke(place.rect, 0.0, Stroke::new(2.0, color), egui::StrokeKind::Inside);
}

fn onion_slider(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut percent = cx.view.settings.onion_mix * 100.0;
    card(ui, ("onion", rect), [theme.glass, theme.stroke], |ui| {
        ui.label(RichText::new(cx.standing(Side::Original).word).size(size::TICK).color(theme.text2));
        ui.spacing_mut().slider_width = 118.0;
        ui.visuals_mut().selection.bg_fill = theme.accent_fill; // the filled part of the track
        let help = format!("Opacity of the compressed side over the original: {percent:.0} %. Default 50 %.");
        let slider = Slider::new(&mut percent, 0.0..=100.0).show_value(false).text("");
        let response = ui.add(slider).on_hover_text(help);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(percent), "Onion mix, percent"));
        if response.changed() {
            cx.push(DrawCommand::SetOnionMix(percent / 100.0));
        }
        ui.label(RichText::new(cx.standing(Side::Compressed).word).size(size::TICK).color(theme.compressed));
    });
}
