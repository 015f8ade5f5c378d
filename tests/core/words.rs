//! The words of the project: documentation, messages, labels and pages say things in plain English with the field's terms.

use crate::project::project;
use proc_macro2::{TokenStream, TokenTree};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Turns of phrase that strangers read twice, and what to say instead.
const AVOIDED: &[(&str, &str)] = &[
    (r"(?i)\b(nobody|somebody|whoever|whatever|whomever)\b", "name who or what it is"),
    (r"(?i)\b(errs|erred|erring)\b", "has an error of, deviates by"),
    (r"(?i)\b(goes|go|going|went) round\b", "loops"),
    (r"(?i)\b(hangs?|hung|hanging) (on|from|off|below)\b", "descendants, children, depends on"),
    (r"(?i)\banew\b", "again"),
    (r"(?i)\btold\b", "stored, reported, shown, given"),
    (r"(?i)\bleft off\b", "omitted, skipped"),
    (r"(?i)\bluck\b", "random retries"),
    (r"(?i)\b(is|are) to do\b", "undecided, not finished"),
    (r"(?i)\bdesks?\b", "workspace, tab"),
    (r"(?i)\bmend(s|ed|ing)?\b", "fix, repair"),
    (r"(?i)\b(foreign|another's)\b", "external"),
    (r"(?i)\bdoctor\b", "check and fix"),
    (r"(?i)\bimitat\w+\b", "engine preset"),
    (r"(?i)\blevers?\b", "virtual vertices, shell"),
    (r"(?i)\bfares? (best|as|well|worst|worse|better)\b", "has the smallest error, ..."),
    (r"(?i)\b(so that of|what is there of)\b", "name the thing"),
    (
        r"(?i)\b(one|once|twice) an? (joint|sample|frame|track|clip|key|value|character|vertex|level|segment|block|component|axis|line|kind|row|file)\b",
        "one per joint",
    ),
    (
        r"\b(bytes|bits|keys|values|floats|points|steps|numbers|times|metres|rows?|entry|entries|words?) an? (joint|sample|frame|track|clip|key|value|vertex|level|segment|block|component|second|axis|line)\b",
        "bytes per joint",
    ),
];

/// A text that people read, and where it stands.
struct Text {
    file: PathBuf,
    line: usize,
    words: String,
    /// The first line of a doc comment.
    opens: bool,
}

/// How a doc comment does not begin: with a question, or without a subject.
const OPENINGS: &str = r"^\s*(Whether|What|Where|Which|How (many|much|far|often|long)|Of)\b";

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            let is_ours = !["target", "node_modules", "found", "snapshots"].contains(&&*name) && !name.starts_with('.');
            is_ours.then(|| files(&path, into));
        } else if name.ends_with(".rs") || name.ends_with(".md") {
            into.push(path);
        }
    }
}

/// Documentation and string literals of a program, and its other comments.
fn texts_of_source(file: &Path, source: &str) -> Vec<Text> {
    let mut found = Vec::new();
    let tokens: TokenStream = source.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    literals(tokens, &mut |line, words, is_doc| {
        found.push(Text { file: file.into(), line, words, opens: is_doc });
    });
    let docs: Vec<usize> = found.iter().filter(|text| text.opens).map(|text| text.line).collect();
    for text in &mut found {
        text.opens &= !docs.contains(&(text.line - 1));
    }
    for (at, line) in source.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("// ").or_else(|| line.split_once(" // ").map(|(_, words)| words));
        found.extend(comment.map(|words| Text { file: file.into(), line: at + 1, words: words.into(), opens: false }));
    }
    found
}

/// Calls back for each string with its line, and with true where it is documentation.
fn literals(tokens: TokenStream, found: &mut impl FnMut(usize, String, bool)) {
    let mut names = [String::new(), String::new()];
    for token in tokens {
        match &token {
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    let is_doc = names == ["doc", "="];
                    found(literal.span().start().line, text.value(), is_doc);
                }
            }
            _ => {}
        }
        names.rotate_left(1);
        names[1] = token.to_string();
    }
}

fn texts_of_page(file: &Path, page: &str) -> Vec<Text> {
    let lines = page.lines().enumerate();
    lines.map(|(at, words)| Text { file: file.into(), line: at + 1, words: words.into(), opens: false }).collect()
}

fn texts() -> Vec<Text> {
    let mut paths = Vec::new();
    ["src", "tests", "examples", "benches", "docs", "fuzz/src"]
        .iter()
        .for_each(|folder| files(&project(folder), &mut paths));
    paths.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "RELEASE.md"].map(project),
    );
    // The list of turns stands in this file.
    paths.retain(|path| !path.ends_with("tests/core/words.rs"));
    paths
        .iter()
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            match path.extension().is_some_and(|extension| extension == "rs") {
                true => texts_of_source(path, &text),
                false => texts_of_page(path, &text),
            }
        })
        .collect()
}

/// Code in a text, which has its own words.
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("`[^`]*`").unwrap());

/// The turns of a text that are to be avoided, with what to write instead.
fn faults(of: &Text, avoided: &[(Regex, &str)], openings: &Regex) -> Vec<String> {
    let words = CODE.replace_all(&of.words, "");
    let found = avoided.iter().filter_map(|(turn, instead)| Some((turn.find(&words)?, *instead)));
    let mut faults: Vec<_> = found.map(|(turn, instead)| format!("'{}': {instead}", turn.as_str())).collect();
    if of.opens
        && let Some(found) = openings.find(&words)
    {
        faults.push(format!("begins with '{}': a noun, 'Returns' or 'True if'", found.as_str().trim()));
    }
    faults
}

#[test]
fn words_are_plain_english_with_the_terms_of_the_field() {
    let avoided: Vec<_> = AVOIDED.iter().map(|(turn, instead)| (Regex::new(turn).unwrap(), *instead)).collect();
    let openings = Regex::new(OPENINGS).unwrap();
    let mut found = Vec::new();
    for text in texts() {
        let file = text.file.strip_prefix(project("")).unwrap_or(&text.file).display().to_string();
        let faults = faults(&text, &avoided, &openings);
        found.extend(faults.into_iter().map(|fault| format!("{file}:{}: {fault}", text.line)));
    }
    assert!(found.is_empty(), "{} turns that strangers read twice:\n{}", found.len(), found.join("\n"));
}

#[test]
fn turns_are_found_in_documentation_strings_comments_and_macros() {
    let source = "//! Whatever it is.\n\n/// Whether it goes\n/// round.\nfn f() {\n    g!(\"one a joint\"); // nobody\n    let raw = r#\"anew\"#;\n}\n";
    let texts = texts_of_source(Path::new("f.rs"), source);
    let found: Vec<_> = texts.iter().map(|text| (text.line, text.words.trim(), text.opens)).collect();
    let expected = [
        (1, "Whatever it is.", true),
        (3, "Whether it goes", true),
        (4, "round.", false),
        (6, "one a joint", false),
        (7, "anew", false),
        (6, "nobody", false),
    ];
    assert_eq!(found, expected);
}
