use super::cards::legend_right;
use super::{Figures, Place};
use crate::blink::BLINK_RANGE_HZ;
use crate::commands::Command;
use crate::panels::PanelCx;
use crate::render::{Show, Side};
use crate::theme::{font, rounding, size};
use egui::{
    Color32, DragValue, Frame, Id, Margin, Rect, RichText, Slider, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use posepress_core::session::{Layer, ViewMode, difference_gain_range};

/// Height of a row of chips.
const ROW: f32 = 24.0;
/// Room that a control over a picture needs.
const WIDTH: f32 = 150.0;
/// Between two of them.
const GAP: f32 = 6.0;

/// A card over a picture by which its mode is adjusted, or which says how it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Control {
    /// Factor of the difference.
    Difference,
    /// Rate of the blinking.
    Blink,
    /// The side has a camera of its own.
    OwnCamera,
    /// Mix of the onion skin.
    Onion,
}

impl Control {
    const ALL: [Self; 4] = [Self::Difference, Self::Blink, Self::OwnCamera, Self::Onion];

    fn is_shown(self, cx: &PanelCx<'_>, figures: &Figures, place: Place) -> bool {
        match self {
            Self::Difference => exaggerates(cx, figures, place),
            Self::Blink => cx.view.settings.mode == ViewMode::Blink,
            Self::OwnCamera => cx.view.cameras.compressed.is_some() && place.show == Show::Side(Side::Compressed),
            Self::Onion => matches!(place.show, Show::Onion { .. }),
        }
    }
}

/// The controls of a picture and where each stands: a row below the chips, the onion's at the bottom.
fn controls(cx: &PanelCx<'_>, figures: &Figures, place: Place) -> Vec<(Control, Rect)> {
    let mut left = below_chips(place);
    let mut stand = |control| match control {
        Control::Onion => onion_place(cx, place.rect),
        Control::Difference | Control::Blink | Control::OwnCamera => {
            let at = left;
            left.x += WIDTH + GAP;
            Rect::from_min_size(at, vec2(WIDTH, ROW))
        }
    };
    let shown = Control::ALL.into_iter().filter(|control| control.is_shown(cx, figures, place));
    shown.map(|control| (control, stand(control))).collect()
}

/// What the controls of a picture take.
pub fn places(cx: &PanelCx<'_>, figures: &Figures, place: Place) -> impl Iterator<Item = Rect> {
    controls(cx, figures, place).into_iter().map(|(_, rect)| rect)
}

/// Draws the controls of a picture.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, figures: &Figures, place: Place) {
    for (control, rect) in controls(cx, figures, place) {
        match control {
            Control::Difference => difference(ui, cx, rect),
            Control::Blink => {
                blink(ui, cx, rect);
                blink_frame(ui, cx, place);
            }
            Control::OwnCamera => note(ui, cx, rect.min, "own camera"),
            Control::Onion => onion(ui, cx, rect),
        }
    }
}

/// True when this picture shows the compressed side where it is not: the picture then says so.
fn exaggerates(cx: &PanelCx<'_>, figures: &Figures, place: Place) -> bool {
    cx.view.settings.layers.is_on(Layer::Difference)
        && figures.decoded.is_some()
        && !cx.view.original_on_both()
        && place.part(Side::Compressed).is_some()
}

/// Left end of the second row, inside the picture however far right a wipe's line stands.
fn below_chips(place: Place) -> egui::Pos2 {
    let part = match place.show {
        Show::Wipe { .. } => place.part(Side::Compressed).unwrap_or(place.rect),
        Show::Side(_) | Show::Onion { .. } => place.rect,
    };
    let left = part.left().min(place.rect.right() - WIDTH).max(place.rect.left());
    pos2(left + 12.0, place.rect.top() + 40.0)
}

/// A small card over the picture. Its name keeps widgets what they are while other cards come and go: a drag goes on while
/// the picture blinks.
fn card(ui: &mut Ui, (name, at): (&str, Rect), [fill, line]: [Color32; 2], content: impl FnOnce(&mut Ui)) {
    let middle = egui::Layout::left_to_right(egui::Align::Center);
    let mut child =
        ui.new_child(UiBuilder::new().max_rect(at).layout(middle).scope_id(Id::unique(("viewport card", name))));
    let frame = Frame::new().fill(fill).stroke(Stroke::new(1.0, line)).corner_radius(rounding::WIDGET);
    frame.inner_margin(Margin::symmetric(8, 0)).show(&mut child, |ui| {
        ui.set_height(ROW);
        ui.spacing_mut().item_spacing.x = 6.0;
        content(ui);
    });
}

/// The factor by which the picture lies, in the colour of a warning.
fn difference(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut gain = cx.view.settings.difference_gain;
    card(ui, ("difference", rect), [theme.warn_fill, theme.warn], |ui| {
        ui.label(RichText::new("drawn").size(size::SMALL).color(theme.text1));
        let field =
            DragValue::new(&mut gain).range(difference_gain_range()).speed(0.2).max_decimals(0).prefix("\u{d7}");
        let help = "The compressed side is drawn this many times further from the original than it is. \
                    The ghost is the original. Drag, click to type, or press + and -.";
        let response = ui.add(field).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Difference factor"));
        if response.changed() {
            cx.push(Command::SetDifferenceGain(gain));
        }
    })
}

/// Which side is up, and how often it changes.
fn blink(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut rate_hz = cx.view.settings.blink_hz;
    let original = cx.view.blink.side() == Some(Side::Original);
    card(ui, ("blink", rect), [theme.glass, theme.stroke], |ui| {
        let (lamps, _) = ui.allocate_exact_size(Vec2::new(24.0, ROW), egui::Sense::hover());
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
        let help = "How often a second the picture goes there and back, 2 to 8. Drag, or click to type. Default 2.0.";
        let response = ui.add(field).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Blink rate"));
        if response.changed() {
            cx.push(Command::SetBlinkHz(rate_hz));
        }
    });
}

/// A frame in the colour of the side that is up: the eye knows without reading.
fn blink_frame(ui: &Ui, cx: &PanelCx<'_>, place: Place) {
    let color = match place.show {
        Show::Side(Side::Compressed) if !cx.view.original_on_both() => cx.theme.compressed,
        _ => cx.theme.original,
    };
    ui.painter().rect_stroke(place.rect, 0.0, Stroke::new(2.0, color), egui::StrokeKind::Inside);
}

fn onion(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let theme = cx.theme;
    let mut percent = cx.view.settings.onion_mix * 100.0;
    card(ui, ("onion", rect), [theme.glass, theme.stroke], |ui| {
        ui.label(RichText::new("original").size(size::TICK).color(theme.text2));
        ui.spacing_mut().slider_width = 118.0;
        ui.visuals_mut().selection.bg_fill = theme.accent_fill; // the track's filled part
        let help = format!("Opacity of the compressed figure over the original: {percent:.0} %. Default 50 %.");
        let slider = Slider::new(&mut percent, 0.0..=100.0).show_value(false).text("");
        let response = ui.add(slider).on_hover_text(help);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(percent), "Onion mix, percent"));
        if response.changed() {
            cx.push(Command::SetOnionMix(percent / 100.0));
        }
        ui.label(RichText::new("compressed").size(size::TICK).color(theme.compressed));
    });
}

/// At the bottom in the middle, right of the heat map's legend.
fn onion_place(cx: &PanelCx<'_>, rect: Rect) -> Rect {
    let size_points = vec2(252.0, ROW + 8.0);
    let centred = rect.center().x - size_points.x / 2.0;
    let left =
        if cx.view.settings.layers.is_on(Layer::Heat) { centred.max(rect.left() + legend_right()) } else { centred };
    Rect::from_min_size(pos2(left, rect.bottom() - size_points.y - 12.0), size_points)
}

fn note(ui: &Ui, cx: &PanelCx<'_>, at: egui::Pos2, words: &str) {
    let galley = ui.painter().layout_no_wrap(words.to_owned(), font(size::SMALL), cx.theme.text2);
    let rect = Rect::from_min_size(at, vec2(galley.size().x + 18.0, ROW));
    ui.painter().rect_filled(rect, rounding::WIDGET as f32, cx.theme.glass);
    let middle = pos2(rect.left() + 9.0, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(middle, galley, cx.theme.text2);
}
