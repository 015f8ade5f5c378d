use crate::theme::{Theme, size};
use egui::collapsing_header::CollapsingState;
use egui::text::LayoutJob;
use egui::{Context, Id, Margin, Painter, Pos2, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2};
use std::collections::BTreeSet;

/// Height of a section header.
const HEIGHT: f32 = 28.0;

/// A header across the panel: title on the left, a short fact on the right. Returns true if it was clicked.
pub fn header(ui: &mut Ui, theme: &Theme, open: Option<bool>, title: &str, fact: LayoutJob) -> bool {
    let width = ui.available_width();
    let sense = if open.is_some() { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, HEIGHT), sense);
    let role = if open.is_some() { egui::Role::Button } else { egui::Role::Label };
    response.widget_info(|| WidgetInfo::labeled(role, true, format!("Section {title}")));
    let painter = ui.painter();
    let fill = if open.is_some() && response.hovered() { theme.hover } else { theme.head };
    painter.rect_filled(rect, 0.0, fill);
    if let Some(open) = open {
        chevron(ui.painter(), pos2(rect.left() + 16.0, rect.center().y), open, theme);
    }
    let left = rect.left() + if open.is_some() { 28.0 } else { 12.0 };
    let fact = super::text_right(painter, pos2(rect.right() - 12.0, rect.center().y), fact);
    super::text_middle(painter, pos2(left, rect.center().y), fact.left() - 8.0, title, size::BODY, theme.text1);
    open.is_some() && response.clicked()
}

/// A triangle that points down if `open`, else to the right.
pub fn chevron(painter: &Painter, c: Pos2, open: bool, theme: &Theme) {
    let points = if open {
        vec![pos2(c.x - 4.0, c.y - 2.0), pos2(c.x + 4.0, c.y - 2.0), pos2(c.x, c.y + 3.0)]
    } else {
        vec![pos2(c.x - 2.0, c.y - 4.0), pos2(c.x + 3.0, c.y), pos2(c.x - 2.0, c.y + 4.0)]
    };
    painter.add(Shape::convex_polygon(points, theme.text2, Stroke::NONE));
}

fn id(title: &str) -> Id {
    Id::unique(("section", title))
}

/// The folded ones of these sections.
pub fn folded(ctx: &Context, titles: impl Iterator<Item = &'static str>) -> BTreeSet<String> {
    let is_folded = |title: &&str| CollapsingState::load(ctx, id(title)).is_some_and(|state| !state.is_open());
    titles.filter(is_folded).map(str::to_owned).collect()
}

/// Folds a section before it is drawn for the first time.
pub fn fold(ctx: &Context, title: &str) {
    CollapsingState::load_with_default_open(ctx, id(title), false).store(ctx);
}

/// A section that can be folded. Its state is kept.
pub fn section(ui: &mut Ui, theme: &Theme, title: &str, fact: LayoutJob, body: impl FnOnce(&mut Ui)) {
    let id = id(title);
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, true);
    if header(ui, theme, Some(state.is_open()), title, fact) {
        state.toggle(ui);
    }
    state.store(ui.ctx());
    if state.is_open() {
        padded(ui, body);
    }
}

/// A section that is always open.
pub fn open_section(ui: &mut Ui, theme: &Theme, title: &str, fact: LayoutJob, body: impl FnOnce(&mut Ui)) {
    header(ui, theme, None, title, fact);
    padded(ui, body);
}

fn padded(ui: &mut Ui, body: impl FnOnce(&mut Ui)) {
    egui::Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        body(ui);
    });
}
