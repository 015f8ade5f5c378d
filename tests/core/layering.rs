//! Reads every source file and fails where a layer looks up, a toolkit leaks out of the window, a codec is missing from the
//! registry or a file grows too long.
//!
//! Cargo holds the packages apart; inside one the rules are the table [`LAYERS`]: a new layer is one line there.

use crate::project::project;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// A layer of a package, and the layers of it whose `crate::` paths its files may name. Its own is always allowed.
const LAYERS: &[(&str, &[&str])] = &[
    ("runtime/math", &[]),
    ("runtime/memory", &[]),
    ("runtime/format", &["math", "memory"]),
    ("runtime/parts", &["math", "memory", "format", ITEMS]),
    ("runtime/compensation", &["math", "memory", "format", "parts", ITEMS]),
    ("runtime/codecs", &["math", "memory", "format", "parts", ITEMS]),
    ("core/text", &[]),
    ("core/files", &["text"]),
    ("core/threads", &[]),
    ("core/settings", &["text"]),
    ("core/math", &[]),
    ("core/format", &[]),
    ("core/model", &["math"]),
    ("core/metrics", &["math", "model", "settings"]),
    ("core/codecs", &["math", "model", "format", "metrics", "settings"]),
    ("core/import", &["math", "model", "metrics", "settings", "text", "files"]),
    // It writes back into what was imported.
    ("core/export", &["math", "model", "format", "metrics", "codecs", "settings", "text", "import"]),
    (
        "core/session",
        &["math", "model", "format", "metrics", "codecs", "import", "export", "settings", "text", "files"],
    ),
];

/// The one file that reads files.
const DOOR: &str = "core/files.rs";

/// Ways to open a file for reading, and to read without end.
const OPENERS: [&str; 8] = [
    "fs::read(",
    "fs::read}",
    "fs::read_to_string",
    "File::open(",
    "File::options",
    "OpenOptions",
    "read_to_end",
    "read_to_string",
];

/// Who may do so elsewhere, and why.
const OPENS: &[(&str, &str, &str)] = &[
    ("core/session/state_file.rs", "File::options", "opens the lock of a window, and never reads it"),
    ("core/export/file.rs", "File::options", "opens what is to be written"),
];

/// What a package shows at its root: `crate::Pose`.
const ITEMS: &str = "ITEMS";

/// Crates of the window, and where they may be named.
const WINDOW_CRATES: &[&str] =
    &["egui", "eframe", "wgpu", "rfd", "winit", "egui_plot", "egui_extras", "egui_wgpu", "pollster"];

/// Folder of what codecs share, in `core/codecs`.
const ENCODERS_ROOM: &str = "encode";

/// Folders of `core/codecs` that are no codecs: what they share, and what is built on top of them.
const NO_CODECS: [&str; 3] = [ENCODERS_ROOM, "compensation", "groups"];

/// What the runtime has none of: it only reads.
const WRITERS: [&str; 5] = ["fn write", "fn push", "Writer", "encode", "Encoder"];

/// Longer files hold more than one noun.
const MAX_LINES: usize = 600;

#[test]
fn layers_look_down_only() {
    let mut wrong = Vec::new();
    for file in sources() {
        let Some((package, layer)) = file.layer() else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == format!("{package}/{layer}")) else {
            wrong.push(format!("{}: layer '{layer}' is not in the table of this test", file.name));
            continue;
        };
        for path in crate_paths(&file.code) {
            let target = path.split("::").next().unwrap_or_default();
            let target = if target.starts_with(|c: char| c.is_uppercase()) { ITEMS } else { target };
            if target != layer && !allowed.contains(&target) {
                wrong.push(format!("{}: crate::{path}; {layer} may use {}", file.name, allowed.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
fn files_are_read_through_one_door() {
    let mut wrong = Vec::new();
    let mut argued = BTreeSet::new();
    for file in sources().into_iter().filter(|f| f.name != DOOR) {
        for opener in OPENERS.iter().filter(|opener| without_tests(&file.code).contains(**opener)) {
            match OPENS.iter().find(|(name, allowed, _)| *name == file.name && allowed == opener) {
                Some(argument) => drop(argued.insert(argument)),
                None => wrong.push(format!("{} has '{opener}'; files come in through src/{DOOR}", file.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(argued.len(), OPENS.len(), "an exception is not needed any more");
}

#[test]
fn every_codec_folder_is_registered() {
    let registry = code_of(&fs::read_to_string(project("src/core/codecs/mod.rs")).unwrap());
    let list = registry.split("CODECS").nth(1).and_then(|rest| rest.split(';').next()).expect("the list CODECS");
    let folders = codec_folders();
    assert!(folders.len() > 5, "{folders:?}");
    let missing: Vec<_> = folders.iter().filter(|name| !list.contains(&format!("&{name}::"))).collect();
    assert!(missing.is_empty(), "no line in CODECS for {missing:?}");
}

#[test]
fn codec_folders_use_no_sibling() {
    let folders = codec_folders();
    let mut wrong = Vec::new();
    for file in sources() {
        let Some((own, inner)) = file.name.strip_prefix("core/codecs/").and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        if own != ENCODERS_ROOM && !folders.contains(own) {
            continue; // what is built on top of codecs may know them
        }
        for path in codec_paths(&file.code, inner) {
            let target = path.split("::").next().unwrap_or_default();
            if target != own && folders.contains(target) {
                wrong.push(format!("{}: {path}; what codecs share belongs in codecs/{ENCODERS_ROOM}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_codec_paths_knows_where_super_leads() {
    let code = "use super::{raw::Raw, encode::keys};\nuse crate::codecs::wavelet::search;\nlet x = super::super::quantize::Q;\
                \nuse posepress_runtime::internal::codecs::per_track;";
    let found = |inner| codec_paths(code, inner).into_iter().collect::<Vec<_>>();
    assert_eq!(found("mod.rs"), ["encode::keys", "per_track", "raw::Raw", "wavelet::search"]);
    assert_eq!(found("params.rs"), ["per_track", "quantize::Q", "wavelet::search"]);
}

/// What opens an archive or puts a tier back writes the bits of runtime storage, which are then read in place: the rest of the runtime
/// writes nothing.
const EXPANDS: &[&str] = &[
    "runtime/codecs/press.rs",
    "runtime/codecs/press/archive.rs",
    "runtime/codecs/press/components.rs",
    "runtime/codecs/press/contents.rs",
    "runtime/codecs/press/planes.rs",
    "runtime/format/bit_writer.rs",
    "runtime/format/mod.rs",
    // Texts of errors.
    "runtime/memory.rs",
];

#[test]
fn what_expands_archives_and_joins_tiers_is_all_that_writes_in_the_runtime() {
    let sources = sources();
    for name in EXPANDS {
        let file = sources.iter().find(|f| f.name == *name).unwrap_or_else(|| panic!("no {name}"));
        assert!(WRITERS.iter().any(|word| without_tests(&file.code).contains(*word)), "{name} writes nothing");
    }
}

#[test]
fn the_runtime_writes_nothing() {
    let mut wrong = Vec::new();
    let is_bound = |name: &str| name.starts_with("runtime/") && !EXPANDS.contains(&name);
    for file in sources().into_iter().filter(|f| is_bound(&f.name)) {
        let named = WRITERS.iter().filter(|word| without_tests(&file.code).contains(**word));
        wrong.extend(named.map(|word| format!("{} has '{word}'; what is read is written in src/core", file.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn writers_are_found_in_code_but_not_in_comments_or_tests() {
    let code = code_of("// fn write\nfn read() {}\n#[cfg(test)]\nmod tests {\n    fn write() {}\n}\n");
    assert!(WRITERS.iter().all(|word| !without_tests(&code).contains(word)));
    assert!(without_tests("pub fn write_times() {}").contains(WRITERS[0]));
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
    /// Package and folder in it; roots tie layers together and have none, nor has what is not in the table's packages.
    fn layer(&self) -> Option<(&str, &str)> {
        let (package, rest) = self.name.split_once('/')?;
        let is_layered = matches!(package, "runtime" | "core") && (rest.contains('/') || !is_root_file(package, rest));
        let first = rest.split('/').next()?;
        is_layered.then_some((package, first.strip_suffix(".rs").unwrap_or(first)))
    }

    fn is_window(&self) -> bool {
        self.name.starts_with("app/")
    }
}

/// The root of a package, and of the runtime the files whose items it shows.
fn is_root_file(package: &str, file: &str) -> bool {
    file == "lib.rs" || package == "runtime" && file != "compensation.rs"
}

fn codec_folders() -> BTreeSet<String> {
    let folders = fs::read_dir(project("src/core/codecs")).unwrap().map(|entry| entry.unwrap().path());
    let names = folders.filter(|p| p.is_dir()).map(|p| p.file_name().unwrap().to_string_lossy().into_owned());
    names.filter(|name| !NO_CODECS.contains(&name.as_str())).collect()
}

/// Paths of a codec's file that lead out of its folder into `codecs`, here or in the runtime, from there on. `inner`: the
/// file's place in the folder.
fn codec_paths(code: &str, inner: &str) -> BTreeSet<String> {
    let depth = inner.matches('/').count() + usize::from(!inner.ends_with("mod.rs"));
    let up = "super::".repeat(depth + 1);
    let crossing = ["crate::codecs::", "posepress_runtime::internal::codecs::", &up];
    crossing.into_iter().flat_map(|root| paths_after(root, code)).filter(|path| !path.starts_with("super")).collect()
}

fn src() -> PathBuf {
    project("src")
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

/// A file's code up to its tests, which come last.
fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]").next().unwrap_or_default().split("#[cfg(all(test").next().unwrap_or_default()
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

fn crate_paths(code: &str) -> BTreeSet<String> {
    paths_after("crate::", code)
}

/// Every path after `root`, groups taken apart: `{a::{b, c}}` gives `a::b` and `a::c`.
fn paths_after(root: &str, code: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        let own = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == ':');
        if own {
            expand("", &code[at + root.len()..], &mut out);
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

/// True when code names a crate in a path.
fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::"))
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
}
