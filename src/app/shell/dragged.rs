//! Panels that can be dragged, and grow with the window.

use crate::commands::WindowCommand;
use crate::panels::PanelCx;
use egui::{Panel, Ui};

/// Width of the lists as a share of the window, and its range in points.
const LEFT_WIDTH: (f32, [f32; 2]) = (0.18, [256.0, 400.0]);
/// Same for settings and figures.
const RIGHT_WIDTH: (f32, [f32; 2]) = (0.19, [288.0, 400.0]);
/// Least width of a column, points.
const LEAST_COLUMN: f32 = 200.0;
/// Largest width of a column, as a share of the window.
const LARGEST_COLUMN: f32 = 0.4;

/// A panel whose size is a share of the window.
pub struct Dragged {
    name: &'static str,
    /// Size before this frame, points.
    points: f32,
    range: [f32; 2],
    /// Size of the window in the same direction, points.
    whole: f32,
}

impl Dragged {
    /// A panel with its usual size, its range and the size of the window, points.
    pub fn new(cx: &PanelCx<'_>, name: &'static str, usual: f32, [least, most]: [f32; 2], whole: f32) -> Self {
        let (whole, most) = (whole.max(1.0), most.max(least));
        let wanted = cx.view.settings.layout.panel_share(name).map_or(usual, |share| share * whole);
        Self { name, points: wanted.clamp(least, most), range: [least, most], whole }
    }

    /// The column of lists.
    pub fn left(ui: &Ui, cx: &PanelCx<'_>, name: &'static str) -> Self {
        Self::column(ui, cx, name, LEFT_WIDTH)
    }

    /// The column of settings and figures.
    pub fn right(ui: &Ui, cx: &PanelCx<'_>, name: &'static str) -> Self {
        Self::column(ui, cx, name, RIGHT_WIDTH)
    }

    fn column(ui: &Ui, cx: &PanelCx<'_>, name: &'static str, (share, [least, most]): (f32, [f32; 2])) -> Self {
        let width = ui.ctx().content_rect().width();
        let usual = (share * width).clamp(least, most);
        Self::new(cx, name, usual, [LEAST_COLUMN, LARGEST_COLUMN * width], width)
    }

    /// The panel on a side. egui keeps a panel's size for its id, so the id has the size of the window.
    pub fn panel(&self, side: impl FnOnce((&'static str, u32)) -> Panel) -> Panel {
        let [least, most] = self.range;
        let panel = side((self.name, self.whole.round() as u32));
        panel.default_size(self.points).size_range(least..=most).resizable(true)
    }

    /// Saves the size if the panel was dragged.
    pub fn keep(&self, ui: &Ui, cx: &mut PanelCx<'_>, points: f32) {
        if (points - self.points).abs() > 0.5 && ui.input(|input| input.pointer.primary_down()) {
            cx.push(WindowCommand::SizePanel(self.name.into(), points / self.whole));
        }
    }
}
