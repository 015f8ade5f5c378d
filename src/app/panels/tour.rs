use super::PanelCx;
use crate::actions::{TOUR_SECS, TOURS};
use crate::commands::WindowCommand;
use crate::theme::size;
use egui::{Align, Button, Frame, Label, Layout, Margin, ProgressBar, RichText, Ui, WidgetInfo};

/// The sentence of a tour, below everything else, and a button that ends it.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(touring) = &cx.view.touring else { return };
    let tour = &TOURS[touring.tour];
    let step = touring.begun.checked_sub(1).map(|step| tour.steps[step].words);
    let share = touring.time_secs / TOUR_SECS;
    let frame = Frame::new().fill(cx.theme.selection).inner_margin(Margin::symmetric(16, 10));
    egui::Panel::bottom("tour").resizable(false).frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui
                    .add(Button::new("Stop the tour"))
                    .on_hover_text("Ends it and restores what was there. Esc")
                    .clicked()
                {
                    cx.push(WindowCommand::StopTour);
                }
                let bar = ui.add(ProgressBar::new(share).desired_width(72.0).desired_height(6.0).fill(cx.theme.accent));
                bar.widget_info(|| WidgetInfo::labeled(egui::Role::ProgressIndicator, true, tour.name));
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let words = step.unwrap_or("Reading the bundled character\u{2026}");
                    ui.add(Label::new(RichText::new(words).size(size::BODY).color(cx.theme.text1)).wrap());
                });
            });
        });
    });
}
