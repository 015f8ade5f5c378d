//! Reads every source file and fails if a layer uses a higher one, files need each other in a circle, a toolkit leaks out of
//! the window, a codec is missing from the registry, or a file or function grows too long.
//!
//! Cargo separates the packages. Inside a package the rules are the table [`LAYERS`]: a new layer is one line there.

mod circles;
mod functions;
mod habits;
mod imports;
mod source;

use crate::project::project;
use circles::circles;
use functions::Function;
use imports::{File, House, house};
use source::Source;
use std::collections::BTreeSet;
use std::fs;

/// A layer of a package, and the layers of that package whose `crate::` paths its files may name. Its own paths are always allowed.
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
    ("core/clock", &[]),
    // It runs before the crate is built.
    ("core/build", &[]),
    ("core/store", &["model", "text", "files"]),
    ("core/settings", &["text"]),
    ("core/math", &[]),
    ("core/format", &[]),
    ("core/model", &["math"]),
    ("core/metrics", &["math", "model", "settings"]),
    ("core/codecs", &["math", "model", "format", "metrics", "settings"]),
    ("core/import", &["math", "model", "metrics", "settings", "text", "files"]),
    // It writes back into imported files.
    ("core/export", &["math", "model", "format", "metrics", "codecs", "settings", "text", "files", "import"]),
    ("core/view", &["math", "model", "settings", "text"]),
    ("core/recipe", &["model", "metrics", "codecs", "settings", "text"]),
    ("core/lod", &["math", "model", "settings"]),
    (
        "core/pipeline",
        &[
            "clock", "lod", "recipe", "math", "model", "format", "metrics", "codecs", "import", "export", "settings",
            "text", "files",
        ],
    ),
    (
        "core/report",
        &[
            "pipeline", "lod", "recipe", "math", "model", "format", "metrics", "codecs", "import", "export",
            "settings", "text", "files",
        ],
    ),
    (
        "core/study",
        &[
            "report", "pipeline", "lod", "recipe", "math", "model", "format", "metrics", "codecs", "import", "export",
            "settings", "text", "files",
        ],
    ),
    (
        "core/batch",
        &[
            "report", "pipeline", "recipe", "model", "metrics", "codecs", "format", "import", "export", "store",
            "settings", "text", "files",
        ],
    ),
    (
        "core/project",
        &[
            "report", "pipeline", "lod", "recipe", "math", "model", "format", "metrics", "codecs", "import", "export",
            "settings", "text", "files",
        ],
    ),
    (
        "core/tasks",
        &[
            "clock", "batch", "store", "project", "study", "report", "pipeline", "lod", "recipe", "math", "model",
            "format", "metrics", "codecs", "import", "export", "settings", "text", "files",
        ],
    ),
    (
        "core/workspace",
        &[
            "view", "tasks", "project", "study", "report", "pipeline", "lod", "recipe", "math", "model", "format",
            "metrics", "codecs", "import", "export", "settings", "text", "files",
        ],
    ),
    // Leaves: all other parts of the window may use them.
    ("app/render", &[]),
    ("app/manual", &[]),
    ("app/theme", &["render"]),
    ("app/widgets", &["theme"]),
    ("app/state", &["render", "manual"]),
    ("app/commands", &["state", "render"]),
    ("app/actions", &["commands", "state"]),
    ("app/files", &["state", "render"]),
    ("app/persist", &["state"]),
    ("app/panels", &["actions", "commands", "state", "manual", "render", "widgets", "theme"]),
    ("app/viewports", &["panels", "actions", "commands", "state", "render", "widgets", "theme"]),
    // It uses the scene of the viewports for saved pictures.
    ("app/update", &["viewports", "actions", "commands", "state", "manual", "files", "persist", "render", "theme"]),
    (
        "app/shell",
        &[
            "update",
            "viewports",
            "panels",
            "actions",
            "commands",
            "state",
            "files",
            "persist",
            "render",
            "widgets",
            "theme",
        ],
    ),
    ("cli/shared", &[]),
    ("cli/commands", &["shared"]),
];

/// Files of the command line that are a subcommand or a part of one. The other files are shared and use none of them.
const COMMANDS: [&str; 25] = [
    "batch",
    "bench",
    "candidates",
    "codecs",
    "compare",
    "compress",
    "decode",
    "export",
    "generate",
    "info",
    "info_tier",
    "lod",
    "mcp",
    "measure",
    "notes",
    "render",
    "render_scene",
    "report",
    "report_diff",
    "report_page",
    "settings",
    "signoff",
    "store",
    "study",
    "verify",
];

/// Largest number of files that may need each other.
const MOST_IN_CIRCLE: usize = 3;

/// The only folder that reads files.
const DOOR: &str = "core/files/";

/// Functions that open a file for reading, or read without a limit.
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

/// Exceptions: file, function, reason.
const OPENS: &[(&str, &str, &str)] = &[
    ("core/project/state_file.rs", "File::options", "opens the lock of a window, and never reads it"),
    ("core/export/file.rs", "File::options", "opens what is to be written"),
    ("core/store/folder.rs", "File::options", "sets an entry's time of use, and never reads it"),
    ("core/build.rs", "fs::read(", "runs before the crate is built, and reads its code"),
];

/// The items at the root of a package, such as `crate::Pose`.
const ITEMS: &str = "ITEMS";

/// Crates of the window, and the folders that may name them.
const WINDOW_CRATES: &[&str] =
    &["egui", "eframe", "wgpu", "rfd", "winit", "egui_plot", "egui_extras", "egui_wgpu", "pollster"];

/// Folder of the code that codecs share, in `core/codecs`.
const ENCODERS_ROOM: &str = "encode";

/// Folders of `core/codecs` that are not codecs: shared code, and code on top of codecs.
const NO_CODECS: [&str; 3] = [ENCODERS_ROOM, "compensation", "groups"];

/// Words that the runtime must not contain, because it only reads.
const WRITERS: [&str; 5] = ["fn write", "fn push", "Writer", "encode", "Encoder"];

/// Limit of lines per file. A longer file has more than one subject.
const MAX_LINES: usize = 600;

/// Limit of lines per function. A longer function has more than one step.
const MAX_FUNCTION_LINES: usize = 50;

/// Limit of nested branches and loops. Deeper ones hide a step without a name.
const MAX_DEPTH: usize = 4;

#[test]
fn layers_look_down_only() {
    let house = house();
    let mut wrong = Vec::new();
    for (at, file) in house.files.iter().enumerate() {
        let Some((package, layer)) = layer_of(file) else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == format!("{package}/{layer}")) else {
            wrong.push(format!("{}: layer '{layer}' is not in the table of this test", file.name));
            continue;
        };
        for named in house.named_by(at).into_iter().map(|to| &house.files[to]) {
            let is_inside = named.name.starts_with(&format!("{package}/"));
            let target = layer_of(named).map_or(ITEMS, |(_, layer)| layer);
            if is_inside && target != layer && !allowed.contains(&target) {
                wrong.push(format!("{} names {}; {layer} may use {}", file.name, named.name, allowed.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_more_than_a_few_files_need_each_other() {
    let all = circles(house());
    let large = all.iter().filter(|circle| circle.len() > MOST_IN_CIRCLE);
    let words = |circle: &Vec<&str>| format!("{} files need each other: {}", circle.len(), circle.join(", "));
    let wrong: Vec<String> = large.map(words).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_program_behind_the_window_stands_in_one_file() {
    let extends = |file: &&File| file.name.starts_with("app/") && file.source.extended.contains("App");
    let found: Vec<_> = house().files.iter().filter(extends).map(|file| &*file.name).collect();
    assert_eq!(
        found,
        ["app/shell/app.rs"],
        "what a command does is a function of the state that it changes, in update"
    );
}

#[test]
fn window_crates_stay_in_the_window() {
    let mut wrong = Vec::new();
    for file in house().files.iter().filter(|file| !file.name.starts_with("app/") && !file.name.starts_with("page/")) {
        let named = WINDOW_CRATES.iter().filter(|name| file.source.all_paths().any(|path| path[0] == **name));
        wrong.extend(named.map(|name| format!("{} names {name}; only src/app and src/page may", file.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_read_through_one_door() {
    let mut wrong = Vec::new();
    let mut argued = BTreeSet::new();
    for file in house().files.iter().filter(|file| !file.name.starts_with(DOOR)) {
        for opener in OPENERS.iter().filter(|opener| file.source.code.contains(**opener)) {
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
    let registry = fs::read_to_string(project("src/core/codecs/registry.rs")).unwrap();
    let list = registry.split("CODECS:").nth(1).and_then(|rest| rest.split(';').next()).expect("the list CODECS");
    let folders = codec_folders();
    assert!(folders.len() > 5, "{folders:?}");
    let missing: Vec<_> = folders.iter().filter(|name| !list.contains(&format!("&{name}::"))).collect();
    assert!(missing.is_empty(), "no line in CODECS for {missing:?}");
}

#[test]
fn codec_folders_use_no_sibling() {
    let (house, folders) = (house(), codec_folders());
    let mut wrong = Vec::new();
    for (at, file) in house.files.iter().enumerate() {
        let Some(own) = file.name.strip_prefix("core/codecs/").and_then(codec_of) else { continue };
        if own != ENCODERS_ROOM && !folders.contains(own) {
            continue; // code on top of codecs may use them
        }
        for named in house.named_by(at).into_iter().map(|to| &house.files[to].name) {
            let codecs = ["core/codecs/", "runtime/codecs/"].iter().find_map(|root| named.strip_prefix(root));
            if codecs.and_then(codec_of).is_some_and(|target| target != own && folders.contains(target)) {
                wrong.push(format!("{} names {named}; what codecs share belongs in codecs/{ENCODERS_ROOM}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The codec of a file in `codecs`.
fn codec_of(inner: &str) -> Option<&str> {
    inner.split('/').next()?.split('.').next().filter(|name| *name != "mod")
}

/// Code that expands archives or joins tiers writes runtime storage, which is then read in place. The rest of the runtime
/// writes nothing.
const EXPANDS: &[&str] = &[
    "runtime/codecs/press/components.rs",
    "runtime/codecs/press/contents.rs",
    "runtime/format/bit_writer.rs",
    "runtime/format/mod.rs",
    "runtime/parts/entropy/mod.rs",
    "runtime/parts/entropy/range_encoder.rs",
    // Texts of errors.
    "runtime/memory.rs",
];

#[test]
fn what_expands_archives_and_joins_tiers_is_all_that_writes_in_the_runtime() {
    for name in EXPANDS {
        let file = house().files.iter().find(|file| file.name == *name).unwrap_or_else(|| panic!("no {name}"));
        assert!(WRITERS.iter().any(|word| file.source.code.contains(*word)), "{name} writes nothing");
    }
}

#[test]
fn the_runtime_writes_nothing() {
    let mut wrong = Vec::new();
    let is_bound = |name: &str| name.starts_with("runtime/") && !EXPANDS.contains(&name);
    for file in house().files.iter().filter(|file| is_bound(&file.name)) {
        let named = WRITERS.iter().filter(|word| file.source.code.contains(**word));
        wrong.extend(named.map(|word| format!("{} has '{word}'; what is read is written in src/core", file.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_stay_short() {
    let long = house().files.iter().filter(|file| file.lines > MAX_LINES);
    let long: Vec<_> = long.map(|f| format!("{} has {} lines; at most {MAX_LINES}", f.name, f.lines)).collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn functions_stay_short() {
    let long = functions_of_all().filter(|(_, function)| function.lines > MAX_FUNCTION_LINES);
    let long: Vec<_> = long
        .map(|(file, function)| {
            format!("{}: '{}' has {} lines; at most {MAX_FUNCTION_LINES}", file.name, function.name, function.lines)
        })
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn branches_and_loops_stay_shallow() {
    let deep = functions_of_all().filter(|(_, function)| function.depth > MAX_DEPTH);
    let deep: Vec<_> = deep
        .map(|(file, function)| {
            format!("{}: '{}' is {} deep; at most {MAX_DEPTH}", file.name, function.name, function.depth)
        })
        .collect();
    assert!(deep.is_empty(), "{}", deep.join("\n"));
}

fn functions_of_all() -> impl Iterator<Item = (&'static File, &'static Function)> {
    house().files.iter().flat_map(|file| file.source.functions.iter().map(move |function| (file, function)))
}

#[test]
fn a_function_is_as_long_as_it_is_written_and_as_deep_as_its_branches_stand() {
    let text = "/// Text.\n#[inline]\nfn one() { 1 }\n\
                impl A {\n    pub fn two(\n        x: u8,\n    ) {\n        if x == if y { 1 } else { 2 } {} else if z {} else {}\n    }\n}\n\
                fn three() { for x in y { loop { match x { 1 => while z { x.map(|x| if x { 1 } else { 0 }) }, _ => {} } } } }\n\
                fn four() { if x { fn inner() { if y {} } } }\n\
                trait B { fn five(); fn six() {} }\n\
                #[cfg(test)]\nfn tested() {}\n#[cfg(test)]\nmod tests { fn deep() {} }";
    let found: Vec<_> = Source::of(text).functions.into_iter().map(|f| (f.name, f.lines, f.depth)).collect();
    let expected = [("one", 1, 0), ("two", 5, 1), ("three", 1, 5), ("inner", 1, 1), ("four", 1, 1), ("six", 1, 0)];
    assert_eq!(found, expected.map(|(name, lines, depth)| (name.to_owned(), lines, depth)));
}

#[test]
fn code_is_read_without_comments_texts_attributes_and_tests() {
    let text = "// fn write\n#[doc = \"Encoder\"]\nfn read() { x(\"fn push\"); std::fs::read (&path) }\n\
                #[cfg(test)]\nmod tests {\n    fn write() {}\n}\n#[cfg(not(test))]\npub fn push_it() {}";
    let code = Source::of(text).code;
    assert_eq!(code, "fn read(){x(\"\");std::fs::read(&path)}pub fn push_it(){}");
    let found: Vec<_> = WRITERS.iter().filter(|word| code.contains(**word)).collect();
    assert_eq!(found, [&"fn push"]);
}

/// A house with these files.
fn house_of(files: &[(&str, &str)]) -> House {
    House::of(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

#[test]
fn a_path_leads_to_the_file_that_defines_what_it_means() {
    let rooms = [
        ("core/lib.rs", "pub mod a; mod b; pub use b::Deep;"),
        ("core/a/mod.rs", "mod one; mod two; pub use one::Shown; pub struct Own;"),
        ("core/a/one.rs", "pub struct Shown;"),
        ("core/b.rs", "pub struct Deep; pub fn help() {}"),
        ("app/lib.rs", ""),
    ];
    for (code, leads_to) in [
        ("use crate::a::Shown;", "core/a/one.rs"),
        ("use super::{Own as Other, Shown as _};", "core/a/mod.rs core/a/one.rs"),
        ("use super::one;", "core/a/one.rs"),
        ("use super::one::*; const X: Shown = Shown;", "core/a/one.rs"),
        ("use super::super::Deep;", "core/b.rs"),
        ("use super::*; type X = Shown;", "core/a/mod.rs core/a/one.rs"),
        ("fn f() { crate::b::help(); }", "core/b.rs"),
        ("fn f() { println!(\"{}\", crate::b::help()); }", "core/b.rs"),
        ("use crate::b; impl b::Deep { fn g() -> super::Own {} }", "core/a/mod.rs core/b.rs"),
        ("pub use crate::b::Deep;", ""),
        ("macro_rules! made { () => { pub(crate) fn f() {} }; }", ""),
        ("// crate::b\n/// See [`crate::b`].\nfn f() { \"crate::b\"; }", ""),
        ("#[cfg(test)] use crate::b; #[cfg(test)] mod tests { use crate::b; }", ""),
        ("use std::fs; use egui::Ui;", ""),
    ] {
        let files = [&rooms[..], &[("core/a/two.rs", code)]].concat();
        let house = house_of(&files);
        let from = house.files.iter().position(|file| file.name == "core/a/two.rs").unwrap();
        let found: Vec<_> = house.named_by(from).into_iter().map(|to| &*house.files[to].name).collect();
        assert_eq!(found.join(" "), leads_to, "{code}");
    }
}

#[test]
fn files_that_lead_to_each_other_are_one_circle() {
    let house = house_of(&[
        ("core/lib.rs", "mod a; mod b; mod c; mod d;"),
        ("core/a.rs", "use crate::b::B; pub struct A;"),
        ("core/b.rs", "use crate::c::C; pub struct B;"),
        ("core/c.rs", "use crate::a::A; use posepress_runtime::R; pub struct C;"),
        ("core/d.rs", "use crate::a::A;"),
        ("runtime/lib.rs", "pub struct R;"),
    ]);
    assert_eq!(circles(&house), [["core/a.rs", "core/b.rs", "core/c.rs"]]);
}

/// Package and folder of a file. Roots tie layers together and have no layer. The runtime's roots are the files whose items it exports.
fn layer_of(file: &File) -> Option<(&str, &str)> {
    let (package, rest) = file.name.split_once('/')?;
    let first = rest.split('/').next()?.trim_end_matches(".rs");
    let is_root = rest == "lib.rs" || rest == "mod.rs";
    match package {
        "core" | "app" if !is_root => Some((package, first)),
        "runtime" if rest.contains('/') || ["compensation", "memory"].contains(&first) => Some((package, first)),
        "cli" if !is_root => Some((package, if COMMANDS.contains(&first) { "commands" } else { "shared" })),
        _ => None,
    }
}

fn codec_folders() -> BTreeSet<String> {
    let folders = fs::read_dir(project("src/core/codecs")).unwrap().map(|entry| entry.unwrap().path());
    let names = folders.filter(|p| p.is_dir()).map(|p| p.file_name().unwrap().to_string_lossy().into_owned());
    names.filter(|name| !NO_CODECS.contains(&name.as_str())).collect()
}
