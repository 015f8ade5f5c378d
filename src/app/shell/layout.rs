use super::dragged::Dragged;
use super::review;
use crate::commands::{Command, WindowCommand};
use crate::panels::{self, PanelCx};
use crate::state::{BlindTesting, LeftTab, MainTab, Panel, PanelPlace, RightTab, State, View, main_tab_page};
use crate::theme::{Theme, size};
use crate::viewports;
use crate::widgets::{Icon, focus, paint_icon, topic, verdict_icon};
use egui::{CentralPanel, Frame, Margin, Rect, RichText, ScrollArea, Sense, Stroke, Ui, UiBuilder, Vec2, pos2, vec2};
use posepress_core::metrics::{Aspect, ErrorReport, Verdict};
use posepress_core::view::ViewMode;
use posepress_core::workspace::Workspace;

/// Below this width the window is narrow: lists and settings become tabs.
const NARROW: f32 = 1500.0;
/// Usual height of the plots where they are tabs: enough for one of them.
const TABS_HEIGHT: f32 = 380.0;

/// Draws the whole window in reading order, because Tab follows this order. Returns the size of one viewport.
pub fn show(ui: &mut Ui, workspace: &Workspace, view: &View, commands: &mut Vec<Command>) -> Vec2 {
    let theme = Theme::of(view.settings.dark);
    let narrow = ui.available_width() < NARROW;
    let state = State { workspace, view };
    let cx = &mut PanelCx { state, theme, narrow, tabs: narrow || !state.shows_all(), commands };
    if let Some(testing) = &view.blind {
        return show_blind(ui, cx, testing);
    }
    let bar = Frame::new().fill(theme.panel).inner_margin(Margin::symmetric(8, 0));
    egui::Panel::top("top bar").exact_size(48.0).frame(bar).show(ui, |ui| panels::show_top_bar(ui, cx));
    // Its space is taken first, because it is at the bottom, but it is drawn last.
    let status = egui::Panel::bottom("status").exact_size(24.0).frame(bar);
    let status = status.show(ui, |ui| ui.allocate_rect(ui.max_rect(), Sense::hover()).rect).inner;
    panels::show_tour(ui, cx);
    topic(ui, ui.available_rect_before_wrap(), main_tab_page(view.settings.main_tab));
    let viewport = show_body(ui, cx);
    inside(ui, "status", status, |ui| panels::show_status(ui, cx));
    panels::show_keys(ui, cx);
    panels::show_manual(ui, cx);
    panels::show_notices(ui, cx);
    panels::show_palette(ui, cx);
    if cx.view.settings.main_tab != MainTab::Review {
        panels::show_reason(ui, cx);
    }
    panels::show_path_sheet(ui, cx);
    panels::show_unsaved(ui, cx);
    panels::show_common_fixes(ui, cx);
    panels::show_approve_again(ui, cx);
    panels::show_author_sheet(ui, cx);
    panels::show_blind_sheet(ui, cx);
    panels::show_import_table(ui, cx);
    panels::show_rig_sheet(ui, cx);
    frame_times(ui, cx);
    focus::outline(ui, theme);
    drop_target(ui, cx);
    viewport
}

/// A blind test fills the window, because lists, plots and numbers would influence the answers. Returns the size of its picture.
fn show_blind(ui: &mut Ui, cx: &mut PanelCx<'_>, testing: &BlindTesting) -> Vec2 {
    let bar = Frame::new().fill(cx.theme.panel).inner_margin(Margin::symmetric(16, 0));
    let above = egui::Panel::top("blind test above").exact_size(48.0).frame(bar);
    above.show(ui, |ui| panels::show_blind_progress(ui, cx, testing));
    if !testing.is_over() {
        let below = egui::Panel::bottom("blind test below").exact_size(48.0).frame(bar);
        below.show(ui, |ui| panels::show_blind_controls(ui, cx, testing));
    }
    let picture = CentralPanel::no_frame().show(ui, |ui| match testing.is_over() {
        true => {
            panels::show_blind_verdict(ui, cx, testing);
            cx.view.cameras.size
        }
        false => viewports::show_blind(ui, cx, testing),
    });
    panels::show_unsaved(ui, cx);
    panels::show_author_sheet(ui, cx);
    focus::outline(ui, cx.theme);
    picture.inner
}

/// Lists, viewports, settings, timeline. The viewports are drawn before the panels right of and below them, in the
/// space that was left in the last pass. If that space changed, the pass is repeated.
fn show_body(ui: &mut Ui, cx: &mut PanelCx<'_>) -> Vec2 {
    match cx.view.settings.main_tab {
        MainTab::Clip => {}
        MainTab::Review => return review::show(ui, cx),
        MainTab::Budget => return show_budget(ui, cx),
    }
    let side = Frame::new().fill(cx.theme.panel);
    let [left, right, below] = match cx.tabs {
        true => ["left tabs", "right tabs", "timeline tabs"],
        false => ["left", "right", "timeline"],
    };
    let column = Dragged::left(ui, cx, left);
    let shown = column.panel(egui::Panel::left).frame(side).show(ui, |ui| show_left(ui, cx));
    column.keep(ui, cx, shown.response.rect.width());

    let id = ui.scope_id().with(("taken after the viewports", cx.tabs));
    let known: Vec2 = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let room = ui.available_rect_before_wrap();
    let centre = Rect::from_min_max(room.min, (room.max - known).max(room.min));
    let viewport = inside(ui, "centre", centre, |ui| show_centre(ui, cx));

    let column = Dragged::right(ui, cx, right);
    let shown = column.panel(egui::Panel::right).frame(side).show(ui, |ui| show_right(ui, cx));
    column.keep(ui, cx, shown.response.rect.width());
    let height = ui.available_height();
    let usual = if cx.tabs { (0.42 * height).min(TABS_HEIGHT) } else { 0.44 * height };
    let row = Dragged::new(cx, below, usual, [160.0, (height - 200.0).max(161.0)], height);
    let shown = row.panel(egui::Panel::bottom).frame(side).show(ui, |ui| show_bottom(ui, cx));
    row.keep(ui, cx, shown.response.rect.height());
    let taken = room.max - ui.available_rect_before_wrap().max;
    if (taken - known).length() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, taken));
        ui.ctx().request_discard("the viewports have another size");
    }
    viewport
}

/// Sizes against errors with the recipes below, and the budget beside them. There are no viewports.
fn show_budget(ui: &mut Ui, cx: &mut PanelCx<'_>) -> Vec2 {
    let panel = Frame::new().fill(cx.theme.panel);
    let column = Dragged::right(ui, cx, "budget");
    let shown = column.panel(egui::Panel::right).frame(panel).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| panels::show_budget(ui, cx));
    });
    column.keep(ui, cx, shown.response.rect.width());
    rest(ui, cx, panels::show_study);
    Vec2::ZERO
}

/// Fills the rest of a tab: questions about files and problems, and below them its contents.
pub(super) fn rest(ui: &mut Ui, cx: &mut PanelCx<'_>, contents: fn(&mut Ui, &mut PanelCx<'_>)) {
    CentralPanel::no_frame().show(ui, |ui| {
        let area = ui.available_rect_before_wrap();
        ui.painter().rect_filled(area, 0.0, cx.theme.panel);
        panels::show_import_bar(ui, cx);
        panels::show_problems(ui, cx);
        contents(ui, cx);
    });
}

/// Draws into a rectangle, clipped to it.
pub(super) fn inside<R>(ui: &mut Ui, name: &str, place: Rect, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let mut child = ui.new_child(UiBuilder::new().id_salt(name).max_rect(place));
    child.shrink_clip_rect(place);
    contents(&mut child)
}

fn show_centre(ui: &mut Ui, cx: &mut PanelCx<'_>) -> Vec2 {
    let frame = Frame::new().fill(cx.theme.panel);
    egui::Panel::top("mode bar").exact_size(36.0).frame(frame).show(ui, |ui| viewports::show_mode_bar(ui, cx));
    panels::show_import_bar(ui, cx);
    panels::show_problems(ui, cx);
    panels::show_hint(ui, cx);
    CentralPanel::no_frame()
        .show(ui, |ui| {
            let area = ui.available_rect_before_wrap();
            viewports::show(ui, cx);
            let across = if cx.view.settings.mode == ViewMode::SideBySide { 2.0 } else { 1.0 };
            vec2(area.width() / across, area.height())
        })
        .inner
}

fn show_bottom(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let area = ui.available_rect_before_wrap();
    let bar = Rect::from_min_size(area.min, vec2(area.width(), 40.0));
    ui.painter().rect_filled(bar, 0.0, cx.theme.head);
    let inner = bar.shrink2(vec2(12.0, 0.0));
    ui.scope_builder(UiBuilder::new().max_rect(inner), |ui| panels::show_transport(ui, cx));
    let rest = Rect::from_min_max(pos2(area.left(), bar.bottom()), area.max);
    ui.scope_builder(UiBuilder::new().max_rect(rest), |ui| panels::show_timeline(ui, cx));
    ui.allocate_rect(area, Sense::hover());
}

fn left_panels() -> impl Iterator<Item = (LeftTab, Panel)> {
    Panel::ALL.iter().filter_map(|&panel| match panel.place() {
        PanelPlace::Left(tab) => Some((tab, panel)),
        PanelPlace::Right(_) => None,
    })
}

fn right_panels() -> impl Iterator<Item = (RightTab, Panel)> {
    Panel::ALL.iter().filter_map(|&panel| match panel.place() {
        PanelPlace::Right(tab) => Some((tab, panel)),
        PanelPlace::Left(_) => None,
    })
}

/// Height of the filter and all rows of the list of clips.
fn clips_height(cx: &PanelCx<'_>, clips: usize) -> f32 {
    panels::above_clips(cx) + 24.0 * clips as f32 + 8.0
}

/// Wide: clips above joints. Narrow: tabs, with the worst joints below the clips if there is room.
fn show_left(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.tabs {
        let chosen = cx.view.settings.left_tab;
        let tabs = LeftTab::ALL.map(|tab| {
            let count = match tab {
                LeftTab::Clips => cx.workspace.library().clip_ids().count(),
                LeftTab::Joints => cx.selected().map_or(0, |(rig, _)| rig.skeleton.len()),
            };
            (tab, Tab { name: tab.name(), count: cx.shows_all().then_some(count), verdict: None })
        });
        if let Some(clicked) = tab_bar(ui, cx, &tabs, chosen) {
            cx.push(WindowCommand::ShowLeft(clicked));
        }
        let area = ui.available_rect_before_wrap();
        let split = area.top() + clips_height(cx, panels::clip_rows(ui, cx).rows.len());
        if chosen == LeftTab::Clips && area.bottom() - split >= panels::WORST_JOINTS_HEIGHT && cx.report().is_some() {
            inside(ui, "clips", area.with_max_y(split), |ui| show_tab(ui, cx, chosen));
            inside(ui, "worst joints", area.with_min_y(split), |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                panels::show_worst_joints(ui, cx);
            });
            ui.allocate_rect(area, Sense::hover());
            return;
        }
        return show_tab(ui, cx, chosen);
    }
    let area = ui.available_rect_before_wrap();
    let wanted = 28.0 + clips_height(cx, panels::clip_rows(ui, cx).rows.len());
    let split = area.top() + wanted.clamp(140.0, area.height() * 0.45);
    let rects = [
        Rect::from_min_max(area.min, pos2(area.right(), split)),
        Rect::from_min_max(pos2(area.left(), split), area.max),
    ];
    for ((_, panel), rect) in left_panels().zip(rects) {
        ui.scope_builder(UiBuilder::new().max_rect(rect).id_salt(panel.title()), |ui| {
            ui.set_clip_rect(rect.intersect(ui.clip_rect()));
            ui.spacing_mut().item_spacing.y = 0.0;
            panels::show(panel, ui, cx);
        });
    }
    ui.allocate_rect(area, Sense::hover());
}

fn show_tab(ui: &mut Ui, cx: &mut PanelCx<'_>, chosen: LeftTab) {
    left_panels().filter(|(tab, _)| *tab == chosen).for_each(|(_, panel)| panels::show(panel, ui, cx));
}

/// The worst verdict on errors, without slides and pins, which have their own tab, and without errors of the source.
fn worst_of_errors(report: &ErrorReport) -> Option<Verdict> {
    let own = |aspect: Aspect| !matches!(aspect, Aspect::Slide | Aspect::Pin) && !aspect.is_of_source();
    report.judged().iter().filter(|j| own(j.aspect)).map(|j| j.verdict).max()
}

/// Wide: all panels in one column. Narrow: tabs; *Contacts* and *Report* show their verdict.
fn show_right(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let chosen = cx.view.settings.right_tab;
    if cx.tabs {
        let tabs = RightTab::ALL.map(|tab| {
            let verdict = match tab {
                _ if cx.is_paired() => None,
                RightTab::Codec => None,
                RightTab::Contacts => cx.report().map(|r| r.slide.verdict().max(r.pins.verdict())),
                RightTab::Report => cx.report().and_then(worst_of_errors),
            };
            (tab, Tab { name: tab.name(), count: None, verdict })
        });
        if let Some(clicked) = tab_bar(ui, cx, &tabs, chosen) {
            cx.push(WindowCommand::ShowRight(clicked));
        }
    }
    let (tabs, state) = (cx.tabs, cx.state);
    let panels = right_panels().filter(|(tab, panel)| (!tabs || *tab == chosen) && state.shows_panel(*panel));
    if cx.shown().is_some() {
        let frame = Frame::new().fill(cx.theme.head).inner_margin(Margin::symmetric(12, 6));
        egui::Panel::bottom("figures").frame(frame).resizable(false).show(ui, |ui| panels::show_figures(ui, cx));
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        for (_, panel) in panels {
            if cx.view.wanted_panel == Some(panel) {
                ui.scroll_to_cursor(Some(egui::Align::TOP));
                cx.push(WindowCommand::PanelShown);
            }
            // A drag ends when the recipe changes, because the fields are then other ones.
            ui.push_id(cx.workspace.active_place(), |ui| panels::show(panel, ui, cx));
        }
        focus::follow(ui);
    });
}

/// Label of a tab.
struct Tab {
    name: &'static str,
    count: Option<usize>,
    verdict: Option<Verdict>,
}

fn tab_bar<T: Copy + PartialEq>(ui: &mut Ui, cx: &PanelCx<'_>, tabs: &[(T, Tab)], chosen: T) -> Option<T> {
    let theme = cx.theme;
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 32.0), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, theme.head);
    let mut clicked = None;
    ui.scope_builder(UiBuilder::new().max_rect(rect.shrink2(vec2(8.0, 0.0))), |ui| {
        ui.horizontal_centered(|ui| {
            for (tab, Tab { name, count, verdict }) in tabs {
                let on = *tab == chosen;
                if let Some(verdict) = verdict.filter(|v| *v != Verdict::Good) {
                    let (icon, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
                    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), theme.verdict(verdict));
                }
                let color = if on { theme.text1 } else { theme.text2 };
                let text = match count {
                    Some(count) => format!("{name} {count}"),
                    None => (*name).to_owned(),
                };
                let button = egui::Button::new(RichText::new(text).size(size::BODY).color(color)).frame(false);
                let response = ui.add(button);
                response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Tab, true, on, *name));
                if on {
                    let line = response.rect.x_range();
                    ui.painter().hline(line, rect.top() + 1.0, Stroke::new(2.0, theme.accent));
                }
                if response.clicked() {
                    clicked = Some(*tab);
                }
                ui.add_space(4.0);
            }
        });
    });
    clicked
}

/// Measured frame times of this thread, in the lower right corner of the window.
fn frame_times(ui: &Ui, cx: &PanelCx<'_>) {
    if !cx.view.sheets.frame_times {
        return;
    }
    let line = |name: &str, busy| {
        let f = cx.view.frame_times.figures(busy);
        format!("{name:<10} median {:5.2} ms   longest {:5.2} ms   {:3} frames", f.median_ms, f.longest_ms, f.frames)
    };
    let text = format!("window thread per frame\n{}\n{}", line("all", false), line("job runs", true));
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("frame times")));
    let galley = painter.layout_no_wrap(text, egui::FontId::monospace(size::SMALL), cx.theme.text1);
    let corner = ui.ctx().content_rect().right_bottom() - vec2(12.0, 36.0);
    let card = Rect::from_min_max(corner - galley.size() - vec2(16.0, 12.0), corner);
    painter.rect_filled(card, 4.0, cx.theme.glass);
    painter.galley(card.min + vec2(8.0, 6.0), galley, cx.theme.text1);
}

/// The message while files are dragged over the window.
fn drop_target(ui: &Ui, cx: &PanelCx<'_>) {
    let hovered = ui.ctx().input(|i| i.raw.hovered_files.len());
    if hovered == 0 {
        return;
    }
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop")));
    let area = ui.ctx().content_rect();
    painter.rect_filled(area, 0.0, cx.theme.app.gamma_multiply(0.85));
    let frame = area.shrink(48.0);
    let corners = [frame.left_top(), frame.right_top(), frame.right_bottom(), frame.left_bottom(), frame.left_top()];
    painter.extend(egui::Shape::dashed_line(&corners, Stroke::new(2.0, cx.theme.accent), 10.0, 6.0));
    let icon = Rect::from_center_size(area.center() - vec2(0.0, 40.0), Vec2::splat(40.0));
    paint_icon(&painter, icon, 36.0, Icon::Plus, cx.theme.accent);
    let files = if hovered == 1 { "1 file".to_owned() } else { format!("{hovered} files") };
    let text = format!("Drop to add {files}");
    painter.text(area.center(), egui::Align2::CENTER_CENTER, text, crate::theme::font(20.0), cx.theme.text1);
}
