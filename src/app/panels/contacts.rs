use super::drawings::explained;
use super::recipe_field::{CONTACTS, setting_row};
use super::{PanelCx, held_feet, pins, terms};
use crate::commands::{Command, FindCommand, JointCommand};
use crate::state::Panel;
use crate::theme::{font, size};
use crate::widgets::{about, label, paint_icon, quantity, section, text_elided, text_right, verdict_icon};
use egui::text::LayoutJob;
use egui::{Align2, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{Aspect, ContactSettings, ContactSlide, SlideReport, Verdict};
use posepress_core::settings::{Field, Setting, Settings};
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 24.0;

/// Every foot with its worst contact, and the limits that judge them.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let report = cx.report().map(|r| &r.slide);
    let fact = fact(cx, report);
    section(ui, cx.theme, "Contacts", fact, |ui| {
        match report {
            Some(report) if !report.plan.feet.is_empty() => {
                table(ui, cx, report);
                about(ui, "how-to/stop-a-foot.md", |ui| held_feet::show(ui, cx, report));
            }
            Some(_) => {
                label(ui, "No contacts found. Mark a joint", size::BODY, cx.theme.text2);
            }
            None => {
                label(ui, text::NOT_MEASURED, size::BODY, cx.theme.text3);
            }
        }
        mark_button(ui, cx);
        marked_without(ui, cx);
        about(ui, "explanation/pins.md", |ui| pins::show(ui, cx));
        ui.add_space(4.0);
        lock_note(ui, cx);
        settings(ui, cx);
        scale_note(ui, cx);
    });
}

/// Key of the setting that the panel Codec shows for codecs with one main setting.
pub const WEIGHT: &str = "weight";
/// Key of the setting that is always shown.
const LOCK: &str = "lock";

fn settings(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (contacts, codec) = (cx.workspace.active_recipe().contacts.clone(), cx.workspace.active_recipe().codec);
    let stands_elsewhere = |key: &str| key == WEIGHT && codec.has_one_knob();
    for setting in ContactSettings::ALL.iter().filter(|s| s.in_form && !stands_elsewhere(s.key)) {
        let is_shown = cx.shows_fields(Panel::Contacts) || setting.key == LOCK || setting.is_changed(&contacts);
        if is_shown && setting.is_active(&contacts) {
            setting_row(ui, cx, CONTACTS, setting, None);
        }
    }
    let more =
        |s: &&Setting<ContactSettings>| !s.in_form && matches!(s.field, Field::Number(..) | Field::OptionalNumber(..));
    let shows_all = cx.shows_fields(Panel::Contacts);
    let is_shown = |setting: &&Setting<ContactSettings>| more(setting) && (shows_all || setting.is_changed(&contacts));
    if !ContactSettings::ALL.iter().any(|setting| is_shown(&setting)) {
        return;
    }
    egui::CollapsingHeader::new(RichText::new("Limits of contacts").size(size::SMALL)).show(ui, |ui| {
        for setting in ContactSettings::ALL.iter().filter(is_shown) {
            setting_row(ui, cx, CONTACTS, setting, None);
        }
    });
}

fn fact(cx: &PanelCx<'_>, report: Option<&SlideReport>) -> LayoutJob {
    let Some(report) = report else { return LayoutJob::default() };
    let fails = report.contacts.iter().filter(|p| p.verdict == Verdict::Fail).count();
    let color = cx.theme.verdict(report.verdict());
    let color = if report.verdict() == Verdict::Good { cx.theme.text3 } else { color };
    let count = text::count(report.contacts.len(), "contact");
    let text = if fails > 0 { format!("{count}, {fails} fail") } else { count };
    LayoutJob::simple_singleline(text, font(size::TICK), color)
}

fn table(ui: &mut Ui, cx: &mut PanelCx<'_>, report: &SlideReport) {
    let Some((rig, _)) = cx.selected() else { return };
    heads(ui, cx);
    ui.spacing_mut().item_spacing.y = 0.0;
    for (index, foot) in report.plan.feet.iter().enumerate() {
        let contacts: Vec<(usize, &ContactSlide)> =
            report.contacts.iter().enumerate().filter(|(_, p)| p.foot == index).collect();
        let name = rig.skeleton.name(foot.joint);
        foot_row(ui, cx, name, foot.joint, &contacts);
    }
    ui.spacing_mut().item_spacing.y = 4.0;
}

/// Right edges of slide, rate and contacts.
fn columns(rect: Rect) -> [f32; 3] {
    [rect.right() - 118.0, rect.right() - 44.0, rect.right()]
}

fn heads(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    explained(response, cx.theme, &format!("Contact: {}\nSlide:", terms::CONTACT), Aspect::Slide);
    let painter = ui.painter();
    let y = rect.center().y;
    painter.text(pos2(rect.left() + 20.0, y), Align2::LEFT_CENTER, "joint", font(size::TICK), cx.theme.text3);
    for (x, head) in columns(rect).into_iter().zip(["slide", "source", "count"]) {
        painter.text(pos2(x, y), Align2::RIGHT_CENTER, head, font(size::TICK), cx.theme.text3);
    }
}

fn foot_row(ui: &mut Ui, cx: &mut PanelCx<'_>, name: &str, joint: usize, contacts: &[(usize, &ContactSlide)]) {
    let theme = cx.theme;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::ListBoxOption, true, format!("Contact {name}")));
    if response.hovered() || cx.view.selection.joint == Some(joint) {
        ui.painter().rect_filled(rect, 2.0, theme.hover);
    }
    let y = rect.center().y;
    let worst = contacts.iter().max_by(|a, b| a.1.slide_m.total_cmp(&b.1.slide_m));
    let verdict = contacts.iter().map(|p| p.1.verdict).max();
    let painter = ui.painter();
    if let Some(verdict) = verdict {
        let icon = Rect::from_center_size(pos2(rect.left() + 7.0, y), Vec2::splat(12.0));
        paint_icon(painter, icon, 11.0, verdict_icon(verdict), theme.verdict(verdict));
    }
    text_elided(painter, pos2(rect.left() + 20.0, y), columns(rect)[0] - 54.0, name, size::SMALL, theme.text1);
    let color = match verdict {
        Some(Verdict::Good) | None => theme.text2,
        Some(verdict) => theme.verdict(verdict),
    };
    let slide = worst.map_or(text::NOT_MEASURED.to_owned(), |(_, p)| text::length(p.slide_m));
    let source = contacts.iter().map(|p| p.1.source_m).reduce(f32::max);
    let source = source.map_or(text::NOT_MEASURED.to_owned(), text::length);
    let cells = [(slide, color), (source, theme.text2), (contacts.len().to_string(), theme.text2)];
    for (x, (cell, color)) in columns(rect).into_iter().zip(cells) {
        text_right(painter, pos2(x, y), quantity(theme, &cell, size::SMALL, color));
    }
    let response = response.on_hover_text(format!(
        "{name}: largest slide of its contacts by compression, and in the source. Click to jump to that by compression."
    ));
    if response.clicked() {
        cx.push(match worst {
            Some((index, _)) => Command::Find(FindCommand::ShowContact(*index)),
            None => Command::Joint(JointCommand::SelectJoint(Some(joint))),
        });
    }
}

fn mark_button(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((rig, _)) = cx.selected() else { return };
    let Some(joint) = cx.view.selection.joint.filter(|j| *j < rig.skeleton.len()) else { return };
    let recipe = cx.workspace.active_recipe();
    let name = rig.skeleton.name(joint).to_owned();
    let marked = recipe.contacts.extra_joints.contains(&name);
    let found = cx.report().is_some_and(|r| r.slide.plan.feet.iter().any(|f| f.joint == joint));
    if found && !marked {
        return;
    }
    let (text, help) = match marked {
        true => (format!("Unmark {name}"), "Stop looking for contacts of this joint."),
        false => (format!("Mark {name} as contact"), "Look for contacts of this joint, as for feet."),
    };
    if ui.button(RichText::new(&text).size(size::SMALL)).on_hover_text(help).clicked() {
        cx.edit_recipe(text, move |recipe| {
            let joints = &mut recipe.contacts.extra_joints;
            joints.retain(|n| *n != name);
            joints.extend((!marked).then(|| name.clone()));
        });
    }
}

/// Marked joints in which no contact was found.
fn marked_without(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (Some((rig, _)), Some(report)) = (cx.selected(), cx.report()) else { return };
    if cx.is_stale() {
        return;
    }
    let has_contact = |name: &str| {
        let mut feet =
            report.slide.plan.feet.iter().enumerate().filter(|(_, foot)| rig.skeleton.name(foot.joint) == name);
        feet.any(|(index, _)| report.slide.contacts.iter().any(|contact| contact.foot == index))
    };
    for name in cx.workspace.active_recipe().contacts.extra_joints.iter().filter(|name| !has_contact(name)) {
        let words =
            format!("No contact of {name} found: it never stands still here. Draw one in its row of the timeline.");
        ui.add(egui::Label::new(RichText::new(words).size(size::SMALL).color(cx.theme.warn)).wrap());
    }
}

/// The cost of locked contacts, or the reason why they are not locked.
fn lock_note(ui: &mut Ui, cx: &PanelCx<'_>) {
    let recipe = cx.workspace.active_recipe();
    if !recipe.contacts.lock {
        return;
    }
    let (words, color) = match cx.workspace.compressed().and_then(|sides| sides.outcome.encoding()?.lock) {
        _ if !recipe.codec.promises_with(&recipe.values) => {
            (format!("{} cannot lock contacts: it does not search.", recipe.codec.name()), cx.theme.warn)
        }
        Some(lock) if lock.left > 0 => (format!("Locked: {}.", lock.words()), cx.theme.warn),
        Some(lock) => (format!("Locked: {}.", lock.words()), cx.theme.text2),
        None => return,
    };
    let help = "Measured on the decoded bytes, compared with the same recipe without the lock.";
    ui.label(RichText::new(words).size(size::TICK).color(color)).on_hover_text(help);
}

/// A note for rigs whose size differs from a person's: their limits are scaled.
fn scale_note(ui: &mut Ui, cx: &PanelCx<'_>) {
    let Some(report) = cx.report() else { return };
    let scale = report.slide.plan.scale;
    if report.slide.plan.feet.is_empty() || (scale - 1.0).abs() < 0.05 {
        return;
    }
    let fail_m = cx.workspace.active_recipe().contacts.fail_slide_m * scale;
    let note = format!("Limits scale with the rig, \u{d7}{scale:.2} here: fails at {}.", text::length(fail_m));
    let help = "Limits apply to a person with hips at 0.9 m. For smaller and larger rigs they scale in proportion.";
    ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3)).on_hover_text(help);
}
