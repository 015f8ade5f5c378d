//! Habits of tests: they wait in one file only, and each has an assertion.

use crate::project::project;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};

/// The only file that waits.
const WAITS: &str = "until.rs";

/// Calls that wait.
const PAUSES: [&str; 5] = ["sleep", "park_timeout", "yield_now", "spin_loop", "sleep_until"];

/// Beginnings of names whose call can fail a test.
const FAILS: [&str; 5] = ["assert", "prop_assert", "panic", "check", "expect"];

/// A function of a test file.
struct Function {
    file: String,
    name: String,
    is_test: bool,
    /// All words of its body.
    words: BTreeSet<String>,
}

#[test]
fn tests_wait_in_one_place() {
    let words = |(name, text): &(String, String)| (name.clone(), words_of(text.parse().unwrap()));
    let files = files().iter().map(words).collect::<Vec<_>>();
    let is_pausing = |words: &BTreeSet<String>| PAUSES.iter().any(|pause| words.contains(*pause));
    let others = files.iter().filter(|(name, _)| name != WAITS && name != "core/layering/habits.rs");
    let wrong: Vec<_> = others.filter(|(_, words)| is_pausing(words)).map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "{wrong:?} wait; only tests/{WAITS} may");
    let waits = files.iter().find(|(name, _)| name == WAITS);
    assert!(waits.is_some_and(|(_, words)| is_pausing(words)), "tests/{WAITS} does not wait");
}

#[test]
fn every_test_can_fail() {
    let wrong = without_a_claim(&functions_of(&files()));
    assert!(wrong.is_empty(), "no assertion in {}", wrong.join(", "));
}

#[test]
fn a_claim_is_found_in_the_test_or_in_what_it_calls() {
    let text = "#[test] fn said() { assert!(a); }\n#[test] fn helped() { deeper(b); }\nfn deeper(x: u8) { x.shown() }\n\
                fn shown() { assert_eq!(1, 2) }\n#[test] fn silent() { let _ = deep(b); }\nfn deep(x: u8) { x.unwrap() }\n\
                #[test] #[should_panic] fn ends() { deep(a) }\nfn until() { assert!(a) }\n#[test] fn waits() { until() }";
    let file = ("a.rs".to_owned(), text.replace("fn until() { assert!(a) }", ""));
    assert_eq!(without_a_claim(&functions_of(std::slice::from_ref(&file))), ["a.rs: silent", "a.rs: waits"]);
    let waits = [file, (WAITS.to_owned(), "fn until() { assert!(a) }".to_owned())];
    assert_eq!(without_a_claim(&functions_of(&waits)), ["a.rs: silent", "a.rs: waits"], "that a wait ends is no claim");
}

/// Tests without an assertion, directly or in their helpers.
fn without_a_claim(functions: &[Function]) -> Vec<String> {
    let mut claims: BTreeSet<&str> = BTreeSet::new();
    let is_claim = |word: &str, claims: &BTreeSet<&str>| {
        claims.contains(word) || FAILS.iter().any(|start| word.starts_with(start))
    };
    let has_claim = |of: &Function, claims: &BTreeSet<&str>| of.words.iter().any(|word| is_claim(word, claims));
    loop {
        let before = claims.len();
        let helpers = functions.iter().filter(|function| !function.is_test && function.file != WAITS);
        let found: Vec<_> = helpers.filter(|function| has_claim(function, &claims)).map(|f| &*f.name).collect();
        claims.extend(found);
        if claims.len() == before {
            break;
        }
    }
    let tests = functions.iter().filter(|function| function.is_test && !has_claim(function, &claims));
    tests.map(|test| format!("{}: {}", test.file, test.name)).collect()
}

/// Test files with paths below `tests`.
fn files() -> Vec<(String, String)> {
    let mut found = BTreeMap::new();
    let mut open = vec![project("tests")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.insert(named(&path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found.into_iter().collect()
}

fn named(path: &Path) -> String {
    path.strip_prefix(project("tests")).unwrap().to_string_lossy().replace('\\', "/")
}

fn functions_of(files: &[(String, String)]) -> Vec<Function> {
    files
        .iter()
        .flat_map(|(file, text)| {
            let mut reader = Reader { file: file.clone(), found: Vec::new() };
            reader.visit_file(&syn::parse_file(text).unwrap());
            reader.found
        })
        .collect()
}

struct Reader {
    file: String,
    found: Vec<Function>,
}

impl Reader {
    fn function(&mut self, attributes: &[syn::Attribute], name: &syn::Ident, body: &syn::Block) {
        let has = |name: &str| attributes.iter().any(|attribute| attribute.path().is_ident(name));
        self.found.push(Function {
            file: self.file.clone(),
            name: name.to_string(),
            is_test: has("test") && !has("should_panic"),
            words: words_of(body.to_token_stream()),
        });
    }
}

impl Visit<'_> for Reader {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.function(&item.attrs, &item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

fn words_of(tokens: TokenStream) -> BTreeSet<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(name) => BTreeSet::from([name.to_string()]),
            TokenTree::Group(group) => words_of(group.stream()),
            _ => BTreeSet::new(),
        })
        .collect()
}
