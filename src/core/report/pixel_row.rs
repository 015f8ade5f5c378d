use crate::metrics::Aspect;
use crate::report::{ClipReport, JudgedRow, Screen};
use crate::text;
use serde::Serialize;

/// The errors of a report in pixels on a screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct PixelRow {
    pub distance_m: f64,
    pub fov_deg: f64,
    pub lines: usize,
    pub scale: f64,
    /// Shell error at the samples.
    pub max_px: f64,
    /// `None` without a mesh.
    pub skin_px: Option<f64>,
    /// `None` without contacts.
    pub slide_px: Option<f64>,
    pub tolerance_px: f64,
}

impl PixelRow {
    fn of(report: &ClipReport, screen: &Screen) -> Self {
        let pixels = |mm: f64| text::shifted(screen.pixels((mm / 1000.0) as f32), 0);
        let judged = |aspect| report.judged.iter().find(|j: &&JudgedRow| j.by == aspect).map(|j| pixels(j.error_mm));
        Self {
            distance_m: text::shifted(screen.distance_m, 0),
            fov_deg: text::shifted(screen.fov_deg, 0),
            lines: screen.lines,
            scale: text::shifted(screen.scale, 0),
            max_px: pixels(report.error.max_mm),
            skin_px: judged(Aspect::Skin),
            slide_px: judged(Aspect::Slide),
            tolerance_px: pixels(report.error.tolerance_mm),
        }
    }
}

impl ClipReport {
    /// The same report with its errors in pixels, if the screen is on.
    pub fn on_screen(self, screen: &Screen) -> Self {
        let pixels = screen.shown.then(|| PixelRow::of(&self, screen));
        Self { pixels, ..self }
    }
}
