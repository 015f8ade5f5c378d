//! Prints the page of the book with every command of the window and its keys. `scripts/book.sh` calls it.
//!
//! `cargo run -p posepress-app --example keys`

use egui::os::OperatingSystem;
use posepress_app::{Action, actions, held_keys, key_text};

fn main() {
    let ctx = egui::Context::default();
    ctx.set_os(OperatingSystem::Nix); // Ctrl, not Cmd: the page explains the difference once
    ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear(); // key names need the fonts of a first frame

    println!("# Keys and commands\n");
    println!("On macOS *Ctrl* is *Cmd*. `?` shows this list in the window, `Ctrl+P` finds a command by its name.");
    println!("Single letters do nothing while a text field has the focus.");
    let mut menu = None;
    for action in actions() {
        if menu.replace(action.menu) != Some(action.menu) {
            println!("\n## {}\n\n| keys | command | what it does |\n|---|---|---|", action.menu.name());
        }
        println!("| {} | {} | {} |", keys(&ctx, action), cell(&action.label), cell(&action.help));
    }
    println!("\n## Keys that are held, and the pointer\n\n| keys | what they do |\n|---|---|");
    for (key, help) in held_keys(&ctx) {
        println!("| {} | {} |", cell(&key), cell(help));
    }
}

/// All keys of an action. Adds the main tab if the keys work in only one.
fn keys(ctx: &egui::Context, action: &Action) -> String {
    let keys: Vec<String> = action.keys.iter().map(|key| format!("`{}`", key_text(ctx, key))).collect();
    let only = action.keyed_at().map(|main_tab| format!(" ({main_tab:?} only)")).unwrap_or_default();
    keys.join(", ") + &only
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
