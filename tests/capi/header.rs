//! The header declares what the library exports: the test makes prototypes from the Rust functions and finds them in the header.

use crate::project::project;
use std::collections::BTreeSet;
use std::fs;

/// Bytes of `posepress_clip_info` on 64-bit systems, as the library asserts them.
pub const CLIP_INFO_BYTES: usize = 8 * 8;
/// Bytes of `posepress_layout` on 64-bit systems, as the library asserts them.
pub const LAYOUT_BYTES: usize = 5 * 8;

/// C spelling of each type of a Rust function, before the name. Longer types come first.
const TYPES: &[(&str, &str)] = &[
    ("Out<'_, Option<Box<Container>>>", "posepress_container **"),
    ("Out<'_, Option<Box<Clip>>>", "posepress_clip **"),
    ("Out<'_, Option<&mut Cursor>>", "posepress_cursor **"),
    ("*mut ClipInfo", "posepress_clip_info *"),
    ("Out<'_, usize>", "size_t *"),
    ("Out<'_, i32>", "int32_t *"),
    ("Option<Box<Container>>", "posepress_container *"),
    ("Option<Box<Clip>>", "posepress_clip *"),
    ("Option<&mut Container>", "posepress_container *"),
    ("Option<&Container>", "const posepress_container *"),
    ("Option<&Clip>", "const posepress_clip *"),
    ("*const Layout", "const posepress_layout *"),
    ("Option<&mut Cursor>", "posepress_cursor *"),
    ("*mut MaybeUninit<u8>", "void *"),
    ("*const c_char", "const char *"),
    ("*const u8", "const uint8_t *"),
    ("*const u64", "const uint64_t *"),
    ("FloatsOut", "float *"),
    ("Floats", "const float *"),
    ("Message", "char *"),
    ("Status", "posepress_status "),
    ("usize", "size_t "),
    ("u32", "uint32_t "),
    ("i32", "int32_t "),
    ("f64", "double "),
    ("", "void "),
];

fn c_type(rust: &str) -> &'static str {
    TYPES.iter().find(|(name, _)| *name == rust).unwrap_or_else(|| panic!("no C type for '{rust}'")).1
}

/// Prototypes of all exported functions, from the source.
fn exported() -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for file in fs::read_dir(project("src/capi")).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let code = fs::read_to_string(&file).unwrap();
        out.extend(code.split("#[unsafe(no_mangle)]\npub extern \"C\" fn ").skip(1).map(prototype));
    }
    out
}

/// Converts `name<'a>(argument: Type, ...) -> Type {` to C.
fn prototype(function: &str) -> String {
    let (head, _) = function.split_once(" {\n").unwrap();
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let (name, rest) = head.split_once('(').unwrap();
    let (arguments, result) = rest.rsplit_once(')').unwrap();
    let result = c_type(result.trim_start_matches(" -> "));
    // Commas inside types are not followed by a name and a colon.
    let mut c_arguments: Vec<String> = Vec::new();
    let mut rest = arguments.trim().trim_end_matches(',');
    while let Some((argument, types)) = rest.split_once(": ") {
        let end = types
            .match_indices(", ")
            .find(|(at, _)| types[..*at].matches('<').count() == types[..*at].matches('>').count());
        let (rust, next) = end.map_or((types, ""), |(at, _)| (&types[..at], &types[at + 2..]));
        c_arguments.push(format!("{}{argument}", c_type(rust)));
        rest = next;
    }
    let arguments = if c_arguments.is_empty() { "void".to_owned() } else { c_arguments.join(", ") };
    format!("{result}{}({arguments});", name.split('<').next().unwrap())
}

#[test]
fn the_header_declares_what_is_exported_and_nothing_else() {
    let header = fs::read_to_string(project("src/capi/include/posepress.h")).unwrap();
    let declared = header.lines().filter(|line| line.contains(" posepress_") || line.contains("*posepress_"));
    let declared: BTreeSet<_> =
        declared.filter(|line| line.ends_with(");") && !line.starts_with(" *")).map(str::to_owned).collect();
    let exported = exported();
    assert!(exported.len() > 15, "{exported:?}");
    assert_eq!(declared, exported);
}
