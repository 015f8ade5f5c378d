//! Names of keys, and keys that act while they are held.

use crate::state::Keymap;
use egui::{Context, Id, KeyboardShortcut, ModifierNames, Modifiers};
use std::sync::Arc;

/// A shortcut as the system writes it, with Ctrl or Cmd. A key with a sign is shown by this sign.
pub fn key_text(ctx: &egui::Context, shortcut: &KeyboardShortcut) -> String {
    let written = ctx.format_shortcut(shortcut);
    let (name, sign) = (shortcut.logical_key.name(), shortcut.logical_key.symbol_or_name());
    match written.strip_suffix(name) {
        Some(modifiers) if sign.is_ascii() || sign == MINUS_SIGN => {
            format!("{modifiers}{sign}").replace(MINUS_SIGN, "-")
        }
        _ => written,
    }
}

/// Minus sign of egui; shown as a hyphen, as on the keyboard.
const MINUS_SIGN: &str = "\u{2212}";

fn keymap_id() -> Id {
    Id::unique("keymap")
}

/// Uses these keys from now on.
pub fn use_keymap(ctx: &Context, keymap: &Arc<Keymap>) {
    ctx.data_mut(|data| data.insert_temp(keymap_id(), keymap.clone()));
}

/// The keys in use.
pub(super) fn in_use(ctx: &Context) -> Option<Arc<Keymap>> {
    ctx.data(|data| data.get_temp::<Arc<Keymap>>(keymap_id())).filter(|keymap| !keymap.is_empty())
}

/// Name of the main modifier key: Ctrl or Cmd.
pub fn command_key(ctx: &egui::Context) -> String {
    ModifierNames::NAMES.format(&Modifiers::COMMAND, ctx.os().is_mac())
}

/// Keys without an action, each with its help: they act while held, or with the pointer.
pub fn held_keys(ctx: &egui::Context) -> [(String, &'static str); 11] {
    let alt = ModifierNames::NAMES.format(&Modifiers::ALT, ctx.os().is_mac());
    let command = command_key(ctx);
    [
        ("R".into(), "Hold: the original on both sides."),
        ("B".into(), "Hold: the compressed side alternates between original and compressed."),
        ("V".into(), "Hold in wipe: the line follows the pointer."),
        (format!("{alt}-drag, middle-drag"), "Orbit. With Shift: pan."),
        ("Wheel".into(), "Dolly in a viewport, zoom in the timeline. Shift-wheel pans the timeline."),
        (format!("{command}-click a joint"), "Also draw its curves."),
        ("Right-drag the timeline".into(), "Zoom to that part. Double-click: back to the whole clip."),
        (
            format!("{command}-wheel, {command}-drag the curves"),
            "Zoom to values, or to a box of time and values. Double-click: back to all.",
        ),
        ("Double-click".into(), "Frame a joint or a contact."),
        (
            "Tab, Shift+Tab".into(),
            "Next or previous control. Space and Enter press it, arrows change it or go through a list.",
        ),
        ("Esc".into(), "Leave a control; close a message or a sheet; else clear the selection."),
    ]
}
