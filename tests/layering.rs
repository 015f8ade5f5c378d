//! Reads every source file and fails where a layer looks up, a toolkit leaks out of the window, a codec is missing from the
//! registry or a file grows too long.
//!
//! The rules are the table [`LAYERS`]; a new layer is one line there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A layer, and the layers whose `crate::` paths its files may name. Its own is always allowed.
///
/// The most specific entry counts: `codecs/*/decode.rs` (a decoder, which engines take with them) before `codecs`.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("math", &[]),
    ("format", &["math"]),
    ("model", &["math"]),
    ("metrics", &["math", "model"]),
    ("codecs", &["math", "model", "format", "metrics"]),
    ("import", &["math", "model"]),
    ("export", &["math", "model", "format", "metrics", "codecs", "text"]),
    ("session", &["math", "model", "format", "metrics", "codecs", "import", "export", "text"]),
    ("cli", &["math", "model", "format", "metrics", "codecs", "import", "export", "session", "text"]),
    ("app", &["math", "model", "format", "metrics", "codecs", "import", "export", "session", "text"]),
];

/// What a decoder may use: all that a runtime has to take along.
const DECODER_LAYERS: &[&str] = &["math", "model", "format", "codecs::runtime"];

/// Crates of the window, and where they may be named.
const WINDOW_CRATES: &[&str] =
    &["egui", "eframe", "wgpu", "rfd", "winit", "egui_plot", "egui_extras", "egui_wgpu", "pollster"];

/// Longer files hold more than one noun.
const MAX_LINES: usize = 600;

#[test]
fn layers_look_down_only() {
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(layer) = file.layer() else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            wrong.push(format!("{}: layer '{layer}' is not in the table of this test", file.name));
            continue;
        };
        for path in crate_paths(&file.code) {
            let target = path.split("::").next().unwrap_or_default();
            if target != layer && !allowed.contains(&target) {
                wrong.push(format!("{}: crate::{path}; {layer} may use {}", file.name, allowed.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn decoders_take_nothing_along_but_the_runtime() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in sources().into_iter().filter(SourceFile::is_decoder) {
        seen += 1;
        let allowed = |path: &str| DECODER_LAYERS.iter().any(|l| path == *l || path.starts_with(&format!("{l}::")));
        let paths = crate_paths(&file.code).into_iter().filter(|p| !allowed(p));
        wrong.extend(paths.map(|p| format!("{}: crate::{p}", file.name)));
        // `super::` would be a way around the table: it names the encoder.
        wrong.extend(file.code.lines().filter(|l| names_super(l)).map(|l| format!("{}: {}", file.name, l.trim())));
    }
    assert!(seen > 0, "no decoder found: src/codecs/*/decode.rs has moved");
    assert!(wrong.is_empty(), "decoders may use {}:\n{}", DECODER_LAYERS.join(", "), wrong.join("\n"));
}

#[test]
fn window_crates_stay_in_the_window() {
    let mut wrong = Vec::new();
    for file in sources().into_iter().filter(|f| !f.is_window()) {
        let named = WINDOW_CRATES.iter().filter(|name| names_crate(&file.code, name));
        wrong.extend(named.map(|name| format!("{} names {name}; only src/app and src/main.rs may", file.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_codec_folder_is_registered() {
    let registry = code_of(&fs::read_to_string(src().join("codecs/mod.rs")).unwrap());
    let list = registry.split("CODECS").nth(1).and_then(|rest| rest.split(';').next()).expect("the list CODECS");
    let folders = fs::read_dir(src().join("codecs")).unwrap().map(|entry| entry.unwrap().path());
    let names = folders.filter(|p| p.is_dir()).map(|p| p.file_name().unwrap().to_string_lossy().into_owned());
    let missing: Vec<_> = names
        .filter(|name| !["runtime", "compensation"].contains(&name.as_str()) && !list.contains(&format!("&{name}::")))
        .collect();
    assert!(missing.is_empty(), "no line in CODECS for {}", missing.join(", "));
}

#[test]
fn files_stay_short() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|f| f.lines > MAX_LINES)
        .map(|f| format!("{} has {} lines; at most {MAX_LINES}", f.name, f.lines))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_groups_and_ignores_comments() {
    let code = code_of(
        "use crate::{math::{Transform, nlerp}, model::Clip};\nlet x = crate::codecs::runtime::Header; // crate::app\n\
         /// See [`crate::session`].\nuse crate::export::{self, Exporter};\nlet s = \"crate::cli\";",
    );
    let found: Vec<_> = crate_paths(&code).into_iter().collect();
    assert_eq!(
        found,
        ["codecs::runtime::Header", "export", "export::Exporter", "math::Transform", "math::nlerp", "model::Clip"]
    );
    assert!(names_crate("use egui::Ui;", "egui") && !names_crate("use egui_plot::Plot;", "egui"));
    assert!(!names_crate("let my_egui::x", "egui"));
}

struct SourceFile {
    /// From `src` on, with forward slashes.
    name: String,
    /// Without comments and texts.
    code: String,
    lines: usize,
}

impl SourceFile {
    /// Folder or file right under `src`; the crate root and the binary tie layers together and have none.
    fn layer(&self) -> Option<&str> {
        let first = self.name.split('/').next()?;
        let layer = first.strip_suffix(".rs").unwrap_or(first);
        (!matches!(layer, "lib" | "main")).then_some(layer)
    }

    fn is_decoder(&self) -> bool {
        let parts: Vec<_> = self.name.split('/').collect();
        matches!(parts[..], ["codecs", _, "decode.rs"] | ["codecs", _, "decode", _])
    }

    fn is_window(&self) -> bool {
        matches!(self.layer(), None | Some("app")) && self.name != "lib.rs"
    }
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources() -> Vec<SourceFile> {
    let mut out = Vec::new();
    let mut folders = vec![src()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let name = path.strip_prefix(src()).unwrap().to_string_lossy().replace('\\', "/");
                out.push(SourceFile { name, code: code_of(&text), lines: text.lines().count() });
            }
        }
    }
    assert!(out.len() > 20, "only {} files under src", out.len());
    out
}

/// The text without line comments and without what stands in double quotes.
fn code_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => {
                chars.by_ref().take_while(|c| *c != '\n').for_each(drop);
                out.push('\n');
            }
            '"' => {
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    if c == '\\' {
                        chars.next();
                    }
                }
            }
            // A quote as a character would open a text that never ends.
            '\'' if chars.peek() == Some(&'"') => {
                chars.next();
            }
            c => out.push(c),
        }
    }
    out
}

/// Every path after `crate::`, groups taken apart: `{a::{b, c}}` gives `a::b` and `a::c`.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let own = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        if own {
            expand("", &code[at + "crate::".len()..], &mut out);
        }
    }
    out
}

/// Adds the paths of a use tree and returns what follows it.
fn expand<'a>(prefix: &str, tree: &'a str, out: &mut BTreeSet<String>) -> &'a str {
    let tree = tree.trim_start();
    if let Some(mut rest) = tree.strip_prefix('{') {
        loop {
            rest = rest.trim_start().trim_start_matches(',').trim_start();
            match rest.strip_prefix('}') {
                Some(after) => return after,
                None if rest.is_empty() => return rest,
                None => rest = expand(prefix, rest, out),
            }
        }
    }
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    if name.is_empty() {
        return rest.get(1..).unwrap_or_default(); // `*` or something that is no path
    }
    let path = match (prefix, name) {
        (prefix, "self") => prefix.to_owned(),
        ("", name) => name.to_owned(),
        (prefix, name) => format!("{prefix}::{name}"),
    };
    match rest.strip_prefix("::") {
        Some(deeper) if !deeper.starts_with('<') => expand(&path, deeper, out),
        _ => {
            out.insert(path);
            let rest = rest.trim_start();
            rest.strip_prefix("as ")
                .map_or(rest, |r| r.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'))
        }
    }
}

fn names_super(line: &str) -> bool {
    line.contains("super::") && !line.contains("super::*")
}

/// True when code names a crate in a path.
fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::"))
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
}
