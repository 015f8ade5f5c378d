//! The places in the importers' code that refuse something. A fault has no variants, so its words identify it.

use crate::project::project;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ImplItemFn, ItemFn, ItemMod, Local, Pat, Signature, Token};

/// Names of parameters whose value becomes part of a fault's words.
const WORDS: [&str; 2] = ["what", "expected"];

/// The words of a fault in the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Path below `src/core/import`, with `/` between folders.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    /// The words in the code, with placeholders. `None` if the words of another error are passed on.
    pub words: Option<String>,
}

impl Site {
    /// True for the site of that file whose words start with `start`.
    pub fn is(&self, file: &str, start: &str) -> bool {
        self.file == file && self.words.as_ref().is_some_and(|words| words.starts_with(start))
    }

    /// True if these words can make that message: it contains the text between their placeholders in order.
    pub fn can_say(&self, message: &str) -> bool {
        let mut rest = message;
        let mut is_next = |piece: &str| rest.split_once(piece).map(|(_, behind)| rest = behind).is_some();
        self.words.as_ref().is_some_and(|words| pieces(words).all(&mut is_next))
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.words.as_deref().unwrap_or("another error's words"))
    }
}

/// The text between the placeholders.
fn pieces(words: &str) -> impl Iterator<Item = &str> {
    words.split('{').enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once('}').map_or(part, |(_, behind)| behind),
    })
}

/// Every site of the importers outside their tests.
pub fn sites() -> Vec<Site> {
    let root = project("src/core/import");
    let files: Vec<Code> = rust_files(&root).iter().map(|path| Code::read(&root, path)).collect();
    let mut all = BTreeSet::new();
    for code in &files {
        let beside = files.iter().filter(|other| other.folder() == code.folder());
        let makers: BTreeSet<&str> = beside.flat_map(|other| &other.makers).map(String::as_str).collect();
        let mut found = Found { file: &code.path, makers: &makers, lets: code.consts(), sites: &mut all };
        found.visit_file(&code.file);
    }
    all.into_iter().collect()
}

/// Every `.rs` below a folder.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = entries
        .flat_map(|path| match path.is_dir() {
            true => rust_files(&path),
            false => Vec::from_iter(path.extension().is_some_and(|end| end == "rs").then_some(path)),
        })
        .collect();
    all.sort();
    all
}

/// True for tests inside the sources.
pub fn is_test(item: &ItemMod) -> bool {
    item.ident == "tests"
}

/// A source file.
struct Code {
    path: String,
    file: syn::File,
    /// Its functions and closures that make a fault from their argument.
    makers: Vec<String>,
}

impl Code {
    fn read(root: &Path, path: &Path) -> Self {
        let file = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
        let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let mut makers = Makers::default();
        makers.visit_file(&file);
        Self { path, file, makers: makers.0 }
    }

    fn folder(&self) -> &str {
        // Importers of a single file share nothing with each other.
        self.path.rsplit_once('/').map_or(&self.path, |(folder, _)| folder)
    }

    fn consts(&self) -> Vec<(String, Expr)> {
        let consts = self.file.items.iter().filter_map(|item| match item {
            syn::Item::Const(item) => Some((item.ident.to_string(), (*item.expr).clone())),
            _ => None,
        });
        consts.collect()
    }
}

#[derive(Default)]
struct Makers(Vec<String>);

impl Makers {
    fn add(&mut self, signature: &Signature) {
        let out = &signature.output;
        let gives_fault = holds(&quote(out), "Fault");
        let is_of_words = signature.inputs.iter().any(|input| match input {
            FnArg::Typed(input) => is_words(&input.pat) && holds(&quote(&input.ty), "str"),
            FnArg::Receiver(_) => false,
        });
        self.0.extend((gives_fault && is_of_words).then(|| signature.ident.to_string()));
    }
}

impl<'ast> Visit<'ast> for Makers {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(item) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let (Some(name), Some(Expr::Closure(closure))) = (name(&local.pat), local.init.as_ref().map(|i| &*i.expr)) {
            let is_maker = closure.inputs.iter().any(is_words) && holds(&quote(&closure.body), "Fault");
            self.0.extend(is_maker.then_some(name));
        }
        visit::visit_local(self, local);
    }
}

struct Found<'a> {
    file: &'a str,
    makers: &'a BTreeSet<&'a str>,
    /// Values of the names in scope, the innermost last.
    lets: Vec<(String, Expr)>,
    sites: &'a mut BTreeSet<Site>,
}

impl Found<'_> {
    fn add(&mut self, line: usize, words: Option<String>) {
        self.sites.insert(Site { file: self.file.to_owned(), line, words });
    }

    fn add_all(&mut self, arguments: &Punctuated<Expr, Token![,]>) {
        for argument in arguments {
            self.add_words(argument);
        }
    }

    /// Adds the words of a call's argument. Returns false if there are none.
    fn add_words(&mut self, argument: &Expr) -> bool {
        let mut all = literals(quote(argument));
        if let Some(known) = name_of(argument).and_then(|name| self.lets.iter().rfind(|(known, _)| *known == name)) {
            all.extend(literals(quote(&known.1)));
        }
        let is_some = !all.is_empty();
        all.into_iter().for_each(|(line, words)| self.add(line, Some(words)));
        is_some
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(item) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let known = self.lets.len();
        visit::visit_item_fn(self, item);
        self.lets.truncate(known);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let known = self.lets.len();
        visit::visit_impl_item_fn(self, item);
        self.lets.truncate(known);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        if let (Some(name), Some(init)) = (name(&local.pat), &local.init) {
            self.lets.push((name, (*init.expr).clone()));
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let path = quote(&call.func).to_string().replace(' ', "");
        let line = call.paren_token.span.open().start().line;
        if path == "Fault::new" {
            let argument = &call.args[0];
            let is_given = name_of(argument).is_some_and(|name| WORDS.contains(&name.as_str()));
            if !self.add_words(argument) && !is_given {
                self.add(line, None);
            }
        } else if self.makers.contains(path.rsplit(':').next().unwrap()) {
            self.add_all(&call.args);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if self.makers.contains(call.method.to_string().as_str()) {
            self.add_all(&call.args);
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn quote(part: &impl ToTokens) -> TokenStream {
    part.to_token_stream()
}

fn is_words(pat: &Pat) -> bool {
    name(pat).is_some_and(|name| WORDS.contains(&name.as_str()))
}

fn name(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Ident(pat) => Some(pat.ident.to_string()),
        Pat::Type(pat) => name(&pat.pat),
        _ => None,
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

fn holds(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => holds(&group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    })
}

/// The string literals of a piece of code, also inside macros, with their lines.
fn literals(tokens: TokenStream) -> Vec<(usize, String)> {
    let one = |token| match token {
        TokenTree::Group(group) => literals(group.stream()),
        TokenTree::Literal(literal) => {
            let line = literal.span().start().line;
            match syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                Ok(text) => vec![(line, text.value())],
                Err(_) => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(one).collect()
}
