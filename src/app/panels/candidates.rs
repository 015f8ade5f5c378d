use super::PanelCx;
use super::candidate_list::show as show_list;
use crate::commands::RecipeCommand;
use crate::theme::{font, size};
use crate::widgets::{Icon, check_box, label, paint_icon, row_tooltip, text_middle, tool_button};
use egui::{Align, Align2, Layout, Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2};
use posepress_core::codecs::{
    Candidate, CandidateFigures, CandidateRow, CandidateState, FALLBACKS, OFF, Param, ParamValue, is_on,
};
use posepress_core::recipe::Recipe;
use posepress_core::text;

/// Height of a line. A row has one or two lines.
const LINE: f32 = 22.0;
/// In a narrower table the figures are below the name.
const ROOM_FOR_ONE_LINE: f32 = 380.0;
/// Number of lines before the table scrolls.
const LINES_SEEN: f32 = 14.0;

/// Room for the switch before a name.
const NAME_LEFT: f32 = 24.0;

/// Sort order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Order {
    /// The winner, then candidates within the tolerance, stopped ones, and the rest; each group by size.
    #[default]
    Size,
    /// Order of the list.
    List,
    /// Smallest error first.
    Error,
    /// Smallest slide first.
    Slide,
    /// Quickest first.
    Time,
}

/// A line of the list with its result.
struct Entry<'a> {
    /// Text of the line.
    line: &'a str,
    /// Index in the list; `None` for a fallback.
    place: Option<usize>,
    row: Option<&'a CandidateRow>,
}

impl Entry<'_> {
    fn figures(&self) -> Option<&CandidateFigures> {
        self.row.and_then(CandidateRow::figures)
    }

    /// Its size, or the size at which it was stopped.
    fn bytes(&self) -> Option<usize> {
        match &self.row?.state {
            CandidateState::Measured(figures) => Some(figures.bytes),
            CandidateState::Larger(at_least) => Some(*at_least),
            CandidateState::Waiting | CandidateState::Running | CandidateState::Failed(_) => None,
        }
    }
}

/// The candidates of a list with their results and switches, and the list as text.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, params: &[Param], param: &Param) {
    let ParamValue::Lines(lines) = recipe.values.get(param) else { return };
    let (rows, running) = cx.workspace.candidates();
    activity(ui, cx, &rows, running);
    let id = ui.scope_id().with("order");
    let mut order: Order = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    column_heads(ui, cx, &mut order);
    ui.data_mut(|d| d.insert_temp(id, order));
    let mut entries = entries(&lines, &recipe.values.get(&FALLBACKS), &rows);
    sort(&mut entries, order);
    let shown_id = ui.scope_id().with("shown");
    let mut shown: String = ui.data(|d| d.get_temp(shown_id)).unwrap_or_default();
    let mut switched = None;
    let row = if has_one_line(ui.available_width()) { LINE } else { 1.7 * LINE };
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let scroll =
            ScrollArea::vertical().id_salt("candidates").max_height(LINE * LINES_SEEN).auto_shrink([false, true]);
        scroll.show_rows(ui, row, entries.len(), |ui, range| {
            for entry in &entries[range] {
                switched = show_entry(ui, cx, (entry, &mut shown), row).or(switched);
            }
        });
    });
    let details = entries.iter().find(|entry| entry.line.trim_start_matches(OFF).trim() == shown);
    details.into_iter().for_each(|entry| show_details(ui, cx, &shown, entry));
    ui.data_mut(|d| d.insert_temp(shown_id, shown));
    if let Some(place) = switched {
        let (label, lines) = switch(&lines, place);
        let mut values = recipe.values.clone();
        if values.set(params, param.key, ParamValue::Lines(lines)).is_ok() {
            cx.edit_recipe(label, move |recipe| recipe.values.clone_from(&values));
        }
    }
    show_list(ui, cx, recipe, params, param, &lines);
}

/// Lines of the list, then other candidates that were tried.
fn entries<'a>(lines: &'a [String], fallbacks: &[String], rows: &'a [CandidateRow]) -> Vec<Entry<'a>> {
    let row_of = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        rows.iter().find(|row| is_on(line) && row.candidate.line == words.join(" "))
    };
    let listed = lines.iter().enumerate().map(|(place, line)| Entry { line, place: Some(place), row: row_of(line) });
    let listed: Vec<Entry<'_>> = listed.collect();
    let is_listed = |row: &CandidateRow| listed.iter().any(|e| e.row.is_some_and(|r| std::ptr::eq(r, row)));
    // Other rows are of an older version of the list.
    let is_fallback = |row: &CandidateRow| row.is_winner || fallbacks.contains(&row.candidate.line);
    let rest: Vec<_> = rows.iter().filter(|row| !is_listed(row) && is_fallback(row)).collect();
    let rest = rest.into_iter().map(|row| Entry { line: &row.candidate.line, place: None, row: Some(row) });
    listed.into_iter().chain(rest).collect()
}

fn sort(entries: &mut [Entry<'_>], order: Order) {
    let by_number = |entry: &Entry<'_>, number: fn(&CandidateFigures) -> f32| {
        entry.figures().map_or(f32::INFINITY, number) // what is not measured comes last
    };
    match order {
        Order::List => {}
        Order::Size => entries.sort_by_key(|e| {
            let place = match e.row.map(|row| (&row.state, row.is_winner)) {
                Some((_, true)) => 0,
                Some((CandidateState::Measured(figures), _)) if figures.within => 1,
                Some((CandidateState::Larger(_), _)) => 2,
                _ => 3,
            };
            (place, e.bytes().unwrap_or(usize::MAX), !is_on(e.line))
        }),
        Order::Error => {
            entries.sort_by(|a, b| by_number(a, |f| f.max_error_m).total_cmp(&by_number(b, |f| f.max_error_m)));
        }
        Order::Slide => {
            let slide = |f: &CandidateFigures| f.slide_m.unwrap_or(f32::MAX);
            entries.sort_by(|a, b| by_number(a, slide).total_cmp(&by_number(b, slide)));
        }
        Order::Time => {
            let secs = |f: &CandidateFigures| f.encode_secs.unwrap_or(f32::MAX);
            entries.sort_by(|a, b| by_number(a, secs).total_cmp(&by_number(b, secs)));
        }
    }
}

/// Progress, and a button to stop or continue.
fn activity(ui: &mut Ui, cx: &mut PanelCx<'_>, rows: &[CandidateRow], running: bool) {
    let tried = rows.iter().filter(|row| row.is_tried()).count();
    ui.horizontal(|ui| {
        let of = text::count(rows.len(), "candidate");
        if running {
            label(ui, format!("{tried} of {of} tried"), size::SMALL, cx.theme.text2);
            if tool_button(ui, cx.theme, "Stop", "", "Stop compressing this clip. The last result stays.").clicked() {
                cx.push(RecipeCommand::StopJob);
            }
        } else if cx.workspace.is_stopped() {
            label(ui, "Stopped. Nothing was saved.", size::SMALL, cx.theme.warn);
            if tool_button(ui, cx.theme, "Try again", "", "Try the candidates again from the first.").clicked() {
                cx.push(RecipeCommand::ResumeJob);
            }
        } else if !rows.is_empty() {
            label(ui, format!("{of} tried"), size::SMALL, cx.theme.text2);
        }
    });
}

fn has_one_line(width: f32) -> bool {
    width >= ROOM_FOR_ONE_LINE
}

/// Right ends of the columns.
struct Columns {
    bytes: f32,
    error: f32,
    slide: f32,
    time: Option<f32>,
}

fn columns(cx: &PanelCx<'_>, rect: Rect) -> Columns {
    let time = cx.view.timings.then_some(rect.right() - 8.0);
    let slide = time.map_or(rect.right() - 8.0, |x| x - 50.0);
    let error = slide - 50.0;
    Columns { bytes: error - 60.0, error, slide, time }
}

fn column_heads(ui: &mut Ui, cx: &PanelCx<'_>, order: &mut Order) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let at = columns(cx, rect);
    let mut head = |left: f32, right: f32, align: Align2, text: &str, to: Order| {
        let place = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        let response = ui.interact(place, ui.scope_id().with(text), Sense::click());
        let on = *order == to;
        let by = if to == Order::List { "list" } else { text };
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, format!("Sort by {by}")));
        let color = if on || response.hovered() { cx.theme.text1 } else { cx.theme.text3 };
        ui.painter().text(align.pos_in_rect(&place), align, text, font(size::TICK), color);
        if response.on_hover_text(format!("Sort by {by}.")).clicked() {
            *order = to;
        }
    };
    let list = if has_one_line(rect.width()) { "candidate" } else { "list" };
    head(rect.left() + NAME_LEFT, at.bytes - 48.0, Align2::LEFT_CENTER, list, Order::List);
    head(at.bytes - 46.0, at.bytes, Align2::RIGHT_CENTER, "size", Order::Size);
    head(at.error - 46.0, at.error, Align2::RIGHT_CENTER, "error", Order::Error);
    head(at.slide - 46.0, at.slide, Align2::RIGHT_CENTER, "slide", Order::Slide);
    if let Some(time) = at.time {
        head(time - 46.0, time, Align2::RIGHT_CENTER, "time", Order::Time);
    }
}

/// The name of a line: codec and preset, then the values with the words that tell them apart.
fn name_of(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let Some((key, value)) = word.split_once('=') else { return word.to_owned() };
        let key = key.replace('_', " ");
        match value {
            "true" => key,
            "false" => format!("no {key}"),
            number if number.parse::<f64>().is_ok() => format!("{key} {number}"),
            choice => choice.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Shows a row. Returns its index in the list if its switch was clicked.
fn show_entry(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    (entry, shown): (&Entry<'_>, &mut String),
    height: f32,
) -> Option<usize> {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), height), Sense::click());
    let is_winner = entry.row.is_some_and(|r| r.is_winner);
    let name = entry.line.trim_start_matches(OFF).trim();
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_winner, format!("Candidate {name}")));
    let painter = ui.painter();
    fill(painter, cx, rect, (*shown == name, is_winner, response.hovered()));
    let at = columns(cx, rect);
    let (name_right, name_y, y) = match has_one_line(rect.width()) {
        true => (at.bytes - 50.0, rect.center().y, rect.center().y),
        false => (rect.right() - 8.0, rect.top() + 11.0, rect.bottom() - 10.0),
    };
    let on = is_on(entry.line);
    let color = if !on {
        cx.theme.text3
    } else if is_winner {
        cx.theme.text1
    } else {
        cx.theme.text2
    };
    text_middle(painter, pos2(rect.left() + NAME_LEFT, name_y), name_right, &name_of(name), size::SMALL, color);
    show_state(ui, cx, entry, &at, y);
    let mut switched = None;
    if let Some(place) = entry.place {
        let box_rect = Rect::from_min_size(rect.min, Vec2::new(22.0, height));
        let mut ticked = on;
        let mut beside = ui.new_child(UiBuilder::new().max_rect(box_rect).layout(Layout::left_to_right(Align::Center)));
        let tick = check_box(&mut beside, cx.theme, &mut ticked, "");
        let tick = tick.on_hover_text("Try this candidate.");
        tick.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, on, format!("Try {name}")));
        switched = tick.clicked().then_some(place);
    }
    let response = row_tooltip(response, help(cx, name, entry));
    if response.double_clicked() && switched.is_none() {
        use_as_recipe(cx, name);
    } else if response.clicked() && switched.is_none() {
        *shown = name.to_owned();
    }
    switched
}

/// Draws the background of the row that is shown below, of the winner, or under the pointer.
fn fill(painter: &egui::Painter, cx: &PanelCx<'_>, rect: Rect, (is_shown, is_winner, is_hovered): (bool, bool, bool)) {
    if is_winner {
        painter.rect_filled(rect, 0.0, cx.theme.selection);
    } else if is_shown || is_hovered {
        painter.rect_filled(rect, 0.0, cx.theme.hover);
    }
    if is_shown {
        let bar = Rect::from_min_size(rect.min, Vec2::new(3.0, rect.height()));
        painter.rect_filled(bar, 0.0, cx.theme.selection_line);
    }
}

fn show_state(ui: &Ui, cx: &PanelCx<'_>, entry: &Entry<'_>, at: &Columns, y: f32) {
    let painter = ui.painter();
    let text_at = |x: f32, text: String, color| {
        painter.text(pos2(x, y), Align2::RIGHT_CENTER, text, font(size::SMALL), color);
    };
    match entry.row.map(|row| &row.state) {
        None | Some(CandidateState::Waiting) => {}
        Some(CandidateState::Running) => {
            let icon = Rect::from_center_size(pos2(at.bytes - 6.0, y), Vec2::splat(12.0));
            paint_icon(painter, icon, 11.0, Icon::Working, cx.theme.accent);
        }
        Some(CandidateState::Failed(_)) => text_at(at.error, "failed".into(), cx.theme.warn),
        Some(CandidateState::Larger(at_least)) => {
            text_at(at.bytes, format!("≥ {}", text::bytes(*at_least as u64)), cx.theme.text3);
        }
        Some(CandidateState::Measured(figures)) => {
            let color = if figures.within { cx.theme.text1 } else { cx.theme.text3 };
            text_at(at.bytes, text::bytes(figures.bytes as u64), color);
            let icon = Rect::from_center_size(pos2(at.error - 52.0, y), Vec2::splat(10.0));
            if !figures.within {
                paint_icon(painter, icon, 9.0, Icon::Warn, cx.theme.warn);
            }
            text_at(at.error, text::length(figures.max_error_m), if figures.within { color } else { cx.theme.warn });
            let slide = figures.slide_m.map_or(text::NOT_MEASURED.to_owned(), text::length);
            text_at(at.slide, slide, if figures.holds_feet { color } else { cx.theme.warn });
            if let Some(x) = at.time {
                let time = figures.encode_secs.map_or(text::NOT_MEASURED.to_owned(), text::work);
                text_at(x, time, cx.theme.text3);
            }
        }
    }
}

fn help(cx: &PanelCx<'_>, name: &str, entry: &Entry<'_>) -> String {
    let state = state_words(cx, entry);
    format!("{name}\n{state}\nClick to see its result below. Double-click to use it.")
}

/// The result of a candidate in words.
fn state_words(cx: &PanelCx<'_>, entry: &Entry<'_>) -> String {
    match entry.row.map(|row| &row.state) {
        None if is_on(entry.line) => "Not tried yet.".to_owned(),
        None => "Switched off.".to_owned(),
        Some(CandidateState::Waiting) => "Waiting.".to_owned(),
        Some(CandidateState::Running) => "Being tried.".to_owned(),
        Some(CandidateState::Failed(reason)) => reason.clone(),
        Some(CandidateState::Larger(at_least)) => format!(
            "{} bytes or more: stopped, because a smaller result was known. *Measure all candidates* measures it, too.",
            text::exact(*at_least as u64)
        ),
        Some(CandidateState::Measured(f)) => {
            let ratio = cx.selected().map(|(_, clip)| text::ratio(clip.raw_bytes() as f32 / f.bytes as f32));
            let verdict = match (entry.row.is_some_and(|r| r.is_winner), f.within) {
                (true, _) => "The smallest within the tolerance.",
                (false, true) => "Within the tolerance.",
                (false, false) => "Over the tolerance.",
            };
            format!("{} bytes, {}. {verdict}", text::exact(f.bytes as u64), ratio.unwrap_or_default())
        }
    }
}

/// The candidate that was clicked: its line, its result, and a button that uses it.
fn show_details(ui: &mut Ui, cx: &mut PanelCx<'_>, name: &str, entry: &Entry<'_>) {
    for (words, color) in [(name.to_owned(), cx.theme.text1), (state_words(cx, entry), cx.theme.text2)] {
        ui.add(egui::Label::new(egui::RichText::new(words).size(size::SMALL).color(color)).wrap());
    }
    let help = "Use this codec with these values instead of automatic. Undo takes it back.";
    if tool_button(ui, cx.theme, "Use this candidate", "", help).clicked() {
        use_as_recipe(cx, name);
    }
}

/// Uses the candidate as the recipe, instead of automatic. Undo restores automatic with its list.
fn use_as_recipe(cx: &mut PanelCx<'_>, line: &str) {
    let Ok(Candidate { codec, values, .. }) = Candidate::parse(line) else { return };
    cx.edit_recipe(format!("Codec to {line}"), move |recipe| {
        recipe.codec = codec;
        recipe.values.clone_from(&values);
    });
}

/// Undo label and list after one line was switched on or off.
fn switch(lines: &[String], place: usize) -> (String, Vec<String>) {
    let mut lines = lines.to_vec();
    let Some(line) = lines.get_mut(place) else { return (String::new(), lines) };
    let label = if is_on(line) {
        let label = format!("Do not try {line}");
        line.insert(0, OFF);
        label
    } else {
        *line = line.trim_start_matches(OFF).trim().to_owned();
        format!("Try {line}")
    };
    (label, lines)
}
