use super::PanelCx;
use crate::actions::list;
use crate::commands::{ImportCommand, MarkCommand};
use crate::theme::{Theme, size};
use crate::widgets::{Icon, label, paint_icon, tool_button, topic};
use egui::{Align2, Button, Frame, Layout, Margin, RichText, ScrollArea, Sense, Ui, Vec2, Window, vec2};
use posepress_core::import::{Finding, NEEDS_RIG, ReadingPart, Severity, lacks_rig};
use posepress_core::model::ClipId;
use posepress_core::settings::ChoiceOption;
use posepress_core::tasks::{LoadedSource, UnitQuestion, unit_questions};

/// Widths of the table's columns for file and finding. The proposal takes the rest.
const COLUMNS: [f32; 2] = [170.0, 290.0];
/// Width of a fix button.
const FIX: f32 = 124.0;
const TABLE: Vec2 = vec2(940.0, 420.0);
const ROW: f32 = 26.0;

/// Questions about opened files.
enum Ask<'a> {
    /// The clips of the file need the rig of another.
    Rig(&'a LoadedSource),
    /// Files whose lengths look like those of another unit.
    Unit(UnitQuestion<'a>),
}

impl Ask<'_> {
    /// The text. The question comes first, because a narrow bar cuts the end.
    fn words(&self) -> String {
        match self {
            Self::Rig(source) => {
                let file = file_name(source);
                format!("Open the file with the rig of {file} too? This file has only hashes of joint names.")
            }
            Self::Unit(question) => in_words(question),
        }
    }

    fn meaning(&self) -> &str {
        match self {
            Self::Rig(_) => NEEDS_RIG,
            Self::Unit(question) => &question.files[0].1.meaning,
        }
    }

    fn decide(&self, ui: &mut Ui, cx: &mut PanelCx<'_>) {
        match self {
            Self::Rig(_) => {
                if answer(ui, cx.theme, "Open\u{2026}", NEEDS_RIG) {
                    cx.run(&list::OPEN);
                }
            }
            Self::Unit(question) => decide(ui, cx, question),
        }
    }
}

fn asks<'a>(cx: &PanelCx<'a>) -> Vec<Ask<'a>> {
    let lacking = cx.workspace.library().sources().iter().filter(|source| lacks_rig(&source.rig));
    lacking.map(Ask::Rig).chain(questions(cx).into_iter().map(Ask::Unit)).collect()
}

/// A bar above the viewports while there are questions about opened files.
pub fn show_bar(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let asks = asks(cx);
    let Some(first) = asks.first() else { return };
    let frame = Frame::new().fill(cx.theme.warn_fill).inner_margin(Margin::symmetric(12, 6));
    let bar = egui::Panel::top("import questions").resizable(false).frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            let (icon, _) = ui.allocate_exact_size(Vec2::splat(16.0), Sense::hover());
            paint_icon(ui.painter(), icon, 14.0, Icon::Warn, cx.theme.warn);
            ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
                let more = asks.len() - 1;
                let words = if more > 0 { format!("{more} more\u{2026}") } else { "Show\u{2026}".to_owned() };
                if tool_button(ui, cx.theme, &words, "", "Show all findings of all open files in one table.").clicked()
                {
                    cx.push(ImportCommand::ShowImportFindings(true));
                }
                first.decide(ui, cx);
                ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
                    label(ui, first.words(), size::BODY, cx.theme.text1).on_hover_text(first.meaning());
                });
            });
        });
    });
    topic(ui, bar.response.rect, "how-to/fix-an-import.md");
}

fn questions<'a>(cx: &PanelCx<'a>) -> Vec<UnitQuestion<'a>> {
    let kept = &cx.view.imports.kept;
    unit_questions(cx.workspace.library(), |source| kept.contains(&source))
}

fn in_words(question: &UnitQuestion<'_>) -> String {
    let (source, finding) = question.files[0];
    let files = match question.files.len() {
        1 => file_name(source),
        count => format!("{count} files of one skeleton"),
    };
    format!("Read {files} as {}? Now {}.", question.unit.name(), finding.what)
}

fn file_name(source: &LoadedSource) -> String {
    let name = source.path.as_deref().and_then(|path| path.file_name());
    name.map_or("the sample".into(), |name| name.to_string_lossy().into_owned())
}

/// Buttons of the two answers, from right to left.
fn decide(ui: &mut Ui, cx: &mut PanelCx<'_>, question: &UnitQuestion<'_>) {
    let count = question.files.len();
    let (keep, words) = match count {
        1 => ("Keep".to_owned(), format!("Use {}", question.unit.name())),
        _ => (format!("Keep all {count}"), format!("Scale all {count} by {}", question.factor())),
    };
    if tool_button(ui, cx.theme, &keep, "", "Keep the lengths as they are.").clicked() {
        cx.push(ImportCommand::KeepUnits(question.sources()));
    }
    other_units(ui, cx, question);
    if answer(ui, cx.theme, &words, &question.files[0].1.meaning) {
        cx.push(ImportCommand::ReadAs { sources: question.sources(), unit: question.unit });
    }
}

/// A menu of other units in which the lengths are plausible.
fn other_units(ui: &mut Ui, cx: &mut PanelCx<'_>, question: &UnitQuestion<'_>) {
    let units = question.files[0].1.readings.iter().filter_map(|reading| match reading.part {
        ReadingPart::Lengths(unit) => Some((unit, &reading.label)),
        _ => None,
    });
    let mut units = units.peekable();
    if units.peek().is_none() {
        return;
    }
    let menu = ui.menu_button(RichText::new("Another unit").size(size::SMALL), |ui| {
        for (unit, label) in units {
            if ui.button(format!("Read {label}")).clicked() {
                cx.push(ImportCommand::ReadAs { sources: question.sources(), unit });
                ui.close();
            }
        }
    });
    menu.response.on_hover_text("Other units in which this is the size of a character.");
}

/// The button of the proposed answer.
fn answer(ui: &mut Ui, theme: &Theme, words: &str, help: &str) -> bool {
    let white = RichText::new(words).size(size::SMALL).color(theme.on_accent);
    let button = Button::new(white).fill(theme.accent_fill).min_size(vec2(0.0, 24.0));
    ui.add(button).on_hover_text(help).clicked()
}

/// Findings of the import checks in all open files.
pub fn show_table(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.imports.is_table_open {
        return;
    }
    let mut is_open = true;
    let room = ui.ctx().content_rect().size() - vec2(64.0, 160.0);
    let window = Window::new("Import findings").open(&mut is_open).collapsible(false).resizable(false);
    window.pivot(Align2::CENTER_CENTER).fixed_pos(ui.ctx().content_rect().center()).fixed_size(TABLE.min(room)).show(
        ui.ctx(),
        |ui| {
            for ask in asks(cx) {
                ui.horizontal(|ui| {
                    ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
                        ask.decide(ui, cx);
                        ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
                            label(ui, ask.words(), size::BODY, cx.theme.text1);
                        });
                    });
                });
            }
            table(ui, cx);
        },
    );
    if !is_open {
        cx.push(ImportCommand::ShowImportFindings(false));
    }
}

fn table(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut rows: Vec<(&LoadedSource, &Finding)> = Vec::new();
    for source in cx.workspace.library().sources() {
        rows.extend(source.findings.iter().map(|finding| (source, finding)));
    }
    rows.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity)); // stable: files stay in their order
    let theme = cx.theme;
    row(ui, theme, None, ["file", "finding", "proposed"], theme.text3);
    ui.separator();
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, rows.len(), |ui, seen| {
        for (source, finding) in &rows[seen] {
            let what = format!("{}: {}", finding.subject, finding.what);
            ui.horizontal(|ui| {
                ui.set_height(ROW - ui.spacing().item_spacing.y);
                ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
                    let room = vec2(FIX, ui.available_height());
                    ui.allocate_ui(room, |ui| {
                        fix_button(ui, cx, source, finding);
                        base_button(ui, cx, source, finding);
                        readings(ui, cx, source, finding);
                    });
                    ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
                        row(
                            ui,
                            theme,
                            Some(finding.severity),
                            [&file_name(source), &what, &finding.meaning],
                            theme.text2,
                        );
                    });
                });
            });
        }
    });
}

/// A menu of other ways to read the file.
fn readings(ui: &mut Ui, cx: &mut PanelCx<'_>, source: &LoadedSource, finding: &Finding) {
    if finding.readings.is_empty() || source.path.is_none() {
        return;
    }
    let words = RichText::new("Read instead").size(size::SMALL);
    let menu = ui.menu_button(words, |ui| {
        for reading in &finding.readings {
            if ui.button(&reading.label).clicked() {
                cx.push(ImportCommand::ReadPart(source.id, reading.clone()));
                ui.close();
            }
        }
    });
    menu.response.on_hover_text("Read the file again in another way.");
}

/// A button that applies or removes a fix.
fn fix_button(ui: &mut Ui, cx: &mut PanelCx<'_>, source: &LoadedSource, finding: &Finding) {
    let Some((fix, id)) = finding.fix.zip(clip_of(source, finding)) else { return };
    let ChoiceOption { label: words, help, .. } = fix.option();
    let is_on = source.fixes(id.clip as usize).is_some_and(|fixes| fixes.contains(&fix));
    let (words, help) = match is_on {
        true => ("Remove fix", "Removes this fix from the clip."),
        false => (words, help),
    };
    if tool_button(ui, cx.theme, words, "", help).clicked() {
        cx.push(ImportCommand::Fix(id, fix, !is_on));
    }
}

/// A button that marks a clip that looks like differences as additive to its probable base, or removes the mark.
fn base_button(ui: &mut Ui, cx: &mut PanelCx<'_>, source: &LoadedSource, finding: &Finding) {
    let Some((base, id)) = finding.suggested_base.as_ref().zip(clip_of(source, finding)) else { return };
    let (words, help, mark) = match cx.workspace.additive_mark(id) {
        Some(_) => ("Remove mark", "Removes the mark. The file then defines if the clip is additive.", None),
        None => (
            "Add to bind pose",
            "The clip is shown and measured on the bind pose. Choose another base under Seam.",
            Some(base.clone()),
        ),
    };
    if tool_button(ui, cx.theme, words, "", help).clicked() {
        cx.push(MarkCommand::MarkClipAdditive(id, mark));
    }
}

/// The clip that a finding is about.
fn clip_of(source: &LoadedSource, finding: &Finding) -> Option<ClipId> {
    let at = source.clips.iter().position(|clip| clip.name() == finding.subject)?;
    Some(ClipId { source: source.id, clip: at as u32 })
}

fn row(ui: &mut Ui, theme: &Theme, severity: Option<Severity>, cells: [&str; 3], color: egui::Color32) {
    ui.horizontal(|ui| {
        ui.set_height(ROW - ui.spacing().item_spacing.y);
        let (icon, _) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
        if severity.is_some_and(|severity| severity > Severity::Note) {
            paint_icon(ui.painter(), icon, 12.0, Icon::Warn, theme.warn);
        }
        let rest = ui.available_width() - COLUMNS.iter().sum::<f32>() - 3.0 * ui.spacing().item_spacing.x;
        for (cell, width) in cells.into_iter().zip(COLUMNS.into_iter().chain([rest.max(120.0)])) {
            let room = vec2(width, ui.available_height());
            ui.allocate_ui_with_layout(room, Layout::left_to_right(egui::Align::Center), |ui| {
                ui.set_width(width);
                label(ui, cell, size::SMALL, color);
            });
        }
    });
}
