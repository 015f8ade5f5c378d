use super::super::PanelCx;
use super::super::value_scale::{bare_plot, decades};
use super::points::{ASPECTS, OF_COMPARISON, choose, error_mm, fitted, is_chosen, slot_of, within};
use super::{front, legend};
use crate::commands::RecipeCommand;
use crate::theme::{Theme, font, size};
use crate::widgets::{paint_icon, verdict_icon};
use egui::{Align2, Color32, Pos2, Rect, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2};
use egui_plot::{HLine, Line, LineStyle, MarkerShape, PlotBounds, PlotPoints, Points, VLine};
use posepress_core::codecs::Codec;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::report::Totals;
use posepress_core::study::{StudyLimit, StudyLimits, StudyPoint};
use posepress_core::text;

/// Largest distance from the pointer to a point, in points of the screen.
const REACH: f32 = 16.0;
/// Smaller errors are drawn here, because a logarithm has no zero.
const LEAST_MM: f64 = 1e-4;
/// Space left of, above, right of and below the plot, for ticks and legend.
const BORDERS: [f32; 4] = [64.0, 22.0, 108.0, 36.0];
const SHAPES: [MarkerShape; 7] = [
    MarkerShape::Down,
    MarkerShape::Square,
    MarkerShape::Circle,
    MarkerShape::Up,
    MarkerShape::Diamond,
    MarkerShape::Left,
    MarkerShape::Right,
];

/// Position of a point: logarithms of size in KB and error in mm.
fn place(totals: &Totals, aspect: Aspect) -> Option<[f64; 2]> {
    let kb = totals.file_size().bytes as f64 / 1024.0;
    Some([kb.max(1e-3).log10(), error_mm(totals, aspect)?.max(LEAST_MM).log10()])
}

/// Points of one codec, smallest tolerance first; or points of other engines, which have no line.
pub(super) struct Series<'a> {
    pub(super) codec: Option<&'static dyn Codec>,
    pub(super) color: Color32,
    pub(super) shape: MarkerShape,
    points: Vec<(&'a StudyPoint, [f64; 2])>,
}

fn series<'a>(theme: &Theme, points: &'a [StudyPoint], aspect: Aspect) -> Vec<Series<'a>> {
    let mut all: Vec<Series<'a>> = Vec::new();
    let colors: Vec<Color32> =
        [theme.compressed, theme.shell, theme.accent].into_iter().chain(theme.compared).collect();
    for (point, at) in points.iter().filter_map(|point| Some((point, place(&point.totals, aspect)?))) {
        let codec = point.of.engine.is_none().then_some(point.of.recipe.codec);
        match all.iter_mut().find(|series| series.codec == codec) {
            Some(series) => series.points.push((point, at)),
            None => {
                let nth = all.iter().filter(|series| series.codec.is_some()).count();
                let (color, shape) = match codec {
                    Some(_) => (colors[nth % colors.len()], SHAPES[nth % SHAPES.len()]),
                    None => (theme.text2, MarkerShape::Asterisk),
                };
                all.push(Series { codec, color, shape, points: vec![(point, at)] });
            }
        }
    }
    for series in &mut all {
        series.points.sort_by(|a, b| a.0.of.recipe.tolerance_m.total_cmp(&b.0.of.recipe.tolerance_m));
    }
    all.sort_by_key(|series| series.codec.is_none());
    all
}

pub(super) fn series_name(codec: Option<&'static dyn Codec>) -> &'static str {
    codec.map_or("other engines", |codec| codec.name())
}

/// Size to the right, error upwards, both logarithmic, with one line per codec.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let (workspace, budget) = (cx.workspace, &cx.view.budget);
    let aspect = budget.aspect;
    let all = series(cx.theme, workspace.study_points(), aspect);
    let area = within(rect, BORDERS);
    let tolerance = (aspect == Aspect::Shell).then_some(workspace.active_recipe().tolerance_m);
    let limits = Lines::of(&budget.limits, aspect, tolerance);
    let fitted: Vec<(usize, Totals, [f64; 2])> =
        fitted(cx).filter_map(|(slot, totals)| Some((slot, totals, place(&totals, aspect)?))).collect();
    let places = all.iter().flat_map(|series| series.points.iter().map(|(_, at)| *at));
    let places = places.chain(fitted.iter().map(|(.., at)| *at));
    let Some(bounds) = bounds(places, limits) else {
        let words = "No clip has this error: it needs a skin or a contact.";
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, words, font(size::BODY), cx.theme.text2);
        return;
    };
    ui.painter().rect_filled(area, 0.0, cx.theme.well);
    let x = limits.size.map(|size| on_screen([size, bounds.min()[1]], &bounds, area).x);
    let y = limits.error.map(|error| on_screen([bounds.min()[0], error], &bounds, area).y);
    front::regions(ui.painter(), cx, area, x, y);
    ticks(ui, cx.theme, area, &bounds, aspect);
    let at = |point: &StudyPoint| Some(on_screen(place(&point.totals, aspect)?, &bounds, area));
    front::draw(&ui.painter().with_clip_rect(area), cx, aspect, at);
    draw(ui, cx, area, &all, &bounds, limits);
    legend::show(ui, cx, area, &all);
    letters(ui, cx, area, &all, &bounds);
    for (slot, totals, at) in &fitted {
        fitted_point(ui, cx, *slot, totals, on_screen(*at, &bounds, area));
    }
    let response = ui.interact(area, ui.scope_id().with("points"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Size against error"));
    let near = response.hover_pos().and_then(|pointer| {
        let points = all.iter().flat_map(|series| &series.points);
        let found = points.map(|(point, at)| (*point, on_screen(*at, &bounds, area).distance(pointer)));
        found.filter(|(_, distance)| *distance <= REACH).min_by(|a, b| a.1.total_cmp(&b.1))
    });
    let Some((point, _)) = near else { return };
    if response.double_clicked() {
        cx.push(RecipeCommand::TakeRecipe(OF_COMPARISON.into(), point.of.recipe.clone()));
    } else if response.clicked() {
        choose(cx, point);
    }
    response.on_hover_text(words(point));
}

fn words(point: &StudyPoint) -> String {
    let totals = &point.totals;
    let error = |(aspect, name, _): (Aspect, &str, &str)| {
        error_mm(totals, aspect).map(|mm| format!("{} {}", name.to_lowercase(), text::length(mm as f32 / 1000.0)))
    };
    let errors: Vec<String> = ASPECTS.into_iter().filter_map(error).collect();
    format!(
        "{}\n{}, {}\n{} fail, {} warn\nClick to pick it. Double-click to use it as the active recipe.",
        point.of.title(),
        text::bytes(totals.file_size().bytes as u64),
        errors.join(", "),
        text::count(totals.failing, "clip"),
        totals.warning
    )
}

/// Positions of the limits: logarithms of size and error.
#[derive(Clone, Copy)]
struct Lines {
    size: Option<f64>,
    error: Option<f64>,
    /// The active recipe's tolerance. Drawn only without a limit of the error.
    tolerance: Option<f64>,
}

impl Lines {
    fn of(limits: &StudyLimits, aspect: Aspect, tolerance_m: Option<f32>) -> Self {
        let of_aspect = match aspect {
            Aspect::Shell => Some(StudyLimit::Shell),
            Aspect::Slide => Some(StudyLimit::Slide),
            _ => None,
        };
        let held = of_aspect.map(|limit| limits.row(limit)).filter(|(is_on, _)| *is_on);
        Self {
            size: limits.bytes.map(|bytes| (bytes as f64 / 1024.0).max(1e-3).log10()),
            error: held.map(|(_, metres)| (metres * 1000.0).max(LEAST_MM).log10()),
            tolerance: tolerance_m
                .filter(|_| held.is_none())
                .map(|metres| (f64::from(metres) * 1000.0).max(LEAST_MM).log10()),
        }
    }
}

/// Bounds of all points and limits, with a margin.
fn bounds(places: impl Iterator<Item = [f64; 2]>, limits: Lines) -> Option<PlotBounds> {
    let mut ends: Option<([f64; 2], [f64; 2])> = None;
    for [x, y] in places {
        let (low, high) = ends.get_or_insert(([x, y], [x, y]));
        (low[0], low[1], high[0], high[1]) = (low[0].min(x), low[1].min(y), high[0].max(x), high[1].max(y));
    }
    let (mut low, mut high) = ends?;
    for (axis, limit) in [(0, limits.size), (1, limits.error), (1, limits.tolerance)] {
        let Some(limit) = limit else { continue };
        (low[axis], high[axis]) = (low[axis].min(limit), high[axis].max(limit));
    }
    let room = |axis: usize| 0.06 * (high[axis] - low[axis]).max(0.5);
    let (rx, ry) = (room(0), room(1));
    Some(PlotBounds::from_min_max([low[0] - rx, low[1] - ry], [high[0] + rx, high[1] + ry]))
}

fn on_screen([x, y]: [f64; 2], bounds: &PlotBounds, area: Rect) -> Pos2 {
    let part = |value: f64, axis: usize| (value - bounds.min()[axis]) / (bounds.max()[axis] - bounds.min()[axis]);
    pos2(area.left() + area.width() * part(x, 0) as f32, area.bottom() - area.height() * part(y, 1) as f32)
}

fn ticks(ui: &Ui, theme: &Theme, area: Rect, bounds: &PlotBounds, aspect: Aspect) {
    let (painter, line) = (ui.painter(), Stroke::new(1.0, theme.grid));
    let write = |at: Pos2, align: Align2, words: String| painter.text(at, align, words, font(size::TICK), theme.text3);
    let [low, high] = [bounds.min(), bounds.max()];
    let mut free = f32::MIN;
    for (kb, digits) in decades(10f64.powf(low[0]), 10f64.powf(high[0])) {
        let x = on_screen([kb.log10(), low[1]], bounds, area).x;
        painter.vline(x, area.y_range(), line);
        if x >= free {
            let at = write(pos2(x, area.bottom() + 10.0), Align2::CENTER_CENTER, format!("{kb:.digits$}"));
            free = x + at.width() + 10.0;
        }
    }
    let mut free = f32::MAX;
    for (mm, digits) in decades(10f64.powf(low[1]), 10f64.powf(high[1])) {
        let y = on_screen([low[0], mm.log10()], bounds, area).y;
        painter.hline(area.x_range(), y, line);
        if y <= free {
            write(pos2(area.left() - 8.0, y), Align2::RIGHT_CENTER, format!("{mm:.digits$}"));
            free = y - 16.0;
        }
    }
    write(pos2(area.center().x, area.bottom() + 26.0), Align2::CENTER_CENTER, "size of all, KB".into());
    let name = ASPECTS.iter().find(|(known, ..)| *known == aspect).map_or("", |(_, name, _)| name);
    write(pos2(area.left() - 52.0, area.top() - 10.0), Align2::LEFT_CENTER, format!("{}, mm", name.to_lowercase()));
}

fn draw(ui: &mut Ui, cx: &PanelCx<'_>, area: Rect, all: &[Series<'_>], bounds: &PlotBounds, limits: Lines) {
    let theme = cx.theme;
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        bare_plot("size against error", area).show(ui, |plot| {
            plot.set_plot_bounds(*bounds);
            let dashes = LineStyle::Dashed { length: 6.0 };
            if let Some(size) = limits.size {
                plot.vline(VLine::new("budget", size).color(theme.text1).style(dashes).width(1.0));
            }
            if let Some(error) = limits.error {
                plot.hline(HLine::new("limit", error).color(theme.text1).style(dashes).width(1.0));
            }
            if let Some(tolerance) = limits.tolerance {
                plot.hline(HLine::new("tolerance", tolerance).color(theme.text3).style(dashes).width(1.0));
            }
            for Series { codec, color, shape, points } in all {
                if codec.is_some() {
                    let line: Vec<[f64; 2]> = points.iter().map(|(_, at)| *at).collect();
                    plot.line(Line::new(series_name(*codec), PlotPoints::from(line)).color(*color).width(1.2));
                }
                for (point, at) in points {
                    let verdict = point.totals.verdict();
                    let marker =
                        Points::new(series_name(*codec), vec![*at]).shape(*shape).color(theme.verdict(verdict));
                    let radius = if is_chosen(cx, point) { 8.0 } else { 5.0 };
                    plot.points(marker.radius(radius).filled(verdict != Verdict::Fail));
                }
            }
        });
    });
    line_names(ui, cx, area, bounds, limits);
}

/// Names of the lines, and of the part of the plot within both limits.
fn line_names(ui: &Ui, cx: &PanelCx<'_>, area: Rect, bounds: &PlotBounds, limits: Lines) {
    let theme = cx.theme;
    let write = |at, align, words: String| ui.painter().text(at, align, words, font(size::TICK), theme.text1);
    if limits.size.is_some() && limits.error.is_some() {
        let at = area.left_bottom() + egui::vec2(8.0, -12.0);
        ui.painter().text(at, Align2::LEFT_CENTER, "fits both limits", font(size::TICK), theme.ok);
    }
    if let Some(tolerance) = limits.tolerance {
        let at = on_screen([bounds.max()[0], tolerance], bounds, area) + egui::vec2(-6.0, -8.0);
        write(at, Align2::RIGHT_CENTER, format!("tolerance {}", text::length(10f64.powf(tolerance) as f32 / 1000.0)));
    }
    if let (Some(size), Some(bytes)) = (limits.size, cx.view.budget.limits.bytes) {
        let at = on_screen([size, bounds.max()[1]], bounds, area) + egui::vec2(6.0, 10.0);
        write(at, Align2::LEFT_CENTER, format!("budget {}", text::bytes(bytes as u64)));
    }
    if let Some(error) = limits.error {
        let at = on_screen([bounds.max()[0], error], bounds, area) + egui::vec2(-6.0, -8.0);
        write(at, Align2::RIGHT_CENTER, format!("limit {}", text::length(10f64.powf(error) as f32 / 1000.0)));
    }
}

/// Point of a slot whose clips have their own tolerances.
fn fitted_point(ui: &Ui, cx: &PanelCx<'_>, slot: usize, totals: &Totals, at: Pos2) {
    let (painter, letter) = (ui.painter(), cx.workspace.slot_letter(slot));
    let diamond = [egui::vec2(0.0, -7.0), egui::vec2(7.0, 0.0), egui::vec2(0.0, 7.0), egui::vec2(-7.0, 0.0)];
    let corners = diamond.map(|corner| at + corner).to_vec();
    painter.add(egui::Shape::convex_polygon(corners, cx.theme.accent, Stroke::new(1.0, cx.theme.text1)));
    letter_at(ui, cx, at, letter);
    let words = format!("{letter}, own tolerances  {}", text::bytes(totals.bytes as u64));
    painter.text(at + egui::vec2(12.0, -14.0), Align2::LEFT_CENTER, &words, font(size::TICK), cx.theme.text1);
    let response = ui.interact(
        Rect::from_center_size(at, egui::Vec2::splat(18.0)),
        ui.scope_id().with(("fitted", slot)),
        Sense::hover(),
    );
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &words));
}

fn letter_at(ui: &Ui, cx: &PanelCx<'_>, point: Pos2, letter: &str) {
    let at = point + egui::vec2(0.0, -14.0);
    ui.painter().circle_filled(at, 8.0, cx.theme.accent_fill);
    ui.painter().text(at, Align2::CENTER_CENTER, letter, font(size::TICK), cx.theme.on_accent);
}

/// The letters of slots at their points, and the label of the picked point.
fn letters(ui: &Ui, cx: &PanelCx<'_>, area: Rect, all: &[Series<'_>], bounds: &PlotBounds) {
    for (point, at) in all.iter().flat_map(|series| &series.points) {
        if let Some(slot) = slot_of(cx, point) {
            letter_at(ui, cx, on_screen(*at, bounds, area), cx.workspace.slot_letter(slot));
        }
    }
    let picked = all.iter().flat_map(|series| &series.points).find(|(point, _)| is_chosen(cx, point));
    if let Some((point, at)) = picked {
        callout(ui, cx, area, on_screen(*at, bounds, area), point);
    }
}

/// Margin inside the label of the picked point.
const CALLOUT_MARGIN: egui::Vec2 = egui::vec2(10.0, 7.0);
/// Distance of the label from its point.
const CALLOUT_AWAY: egui::Vec2 = egui::vec2(26.0, 26.0);

/// Label of the picked point, on the side with room.
fn callout(ui: &Ui, cx: &PanelCx<'_>, area: Rect, point_at: Pos2, point: &StudyPoint) {
    let (painter, theme, totals) = (ui.painter(), cx.theme, &point.totals);
    let mm = |aspect| error_mm(totals, aspect).map_or(text::NOT_MEASURED.into(), |mm| text::length(mm as f32 / 1000.0));
    let title = painter.layout_no_wrap(point.of.title(), font(size::SMALL), theme.text1);
    let figures =
        [text::bytes(totals.file_size().bytes as u64), mm(Aspect::Shell), format!("slide {}", mm(Aspect::Slide))];
    let figures = painter.layout_no_wrap(figures.join("   "), font(size::SMALL), theme.text2);
    let inner = egui::vec2(title.size().x.max(figures.size().x) + 18.0, title.size().y + figures.size().y + 4.0);
    let room = inner + 2.0 * CALLOUT_MARGIN;
    let left = if point_at.x + CALLOUT_AWAY.x + room.x < area.right() {
        point_at.x + CALLOUT_AWAY.x
    } else {
        point_at.x - CALLOUT_AWAY.x - room.x
    };
    let top = if point_at.y + CALLOUT_AWAY.y + room.y < area.bottom() {
        point_at.y + CALLOUT_AWAY.y
    } else {
        point_at.y - CALLOUT_AWAY.y - room.y
    };
    let card = Rect::from_min_size(pos2(left.max(area.left()), top.max(area.top())), room);
    let corner = pos2(point_at.x.clamp(card.left(), card.right()), point_at.y.clamp(card.top(), card.bottom()));
    painter.circle_stroke(point_at, 11.0, Stroke::new(1.5, theme.text1));
    painter.line_segment([point_at + (corner - point_at).normalized() * 11.0, corner], Stroke::new(1.0, theme.text1));
    painter.rect(card, 4.0, theme.glass, Stroke::new(1.0, theme.selection_line), egui::StrokeKind::Inside);
    let inside = card.shrink2(CALLOUT_MARGIN);
    let verdict = totals.verdict();
    let icon =
        Rect::from_center_size(inside.left_top() + egui::vec2(6.0, title.size().y / 2.0), egui::Vec2::splat(12.0));
    paint_icon(painter, icon, 11.0, verdict_icon(verdict), theme.verdict(verdict));
    let below = inside.left_top() + egui::vec2(0.0, title.size().y + 4.0);
    painter.galley(inside.left_top() + egui::vec2(18.0, 0.0), title, theme.text1);
    painter.galley(below, figures, theme.text2);
}
