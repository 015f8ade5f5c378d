//! A source file parsed by `syn`: its modules, items, imports, and the paths in its code. Tests in it are skipped.

use super::functions::{Function, functions};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree};

/// The names of a path in order: `["crate", "model", "Clip"]`.
pub type Path = Vec<String>;

/// A name that a `use` imports.
#[derive(Debug)]
pub struct Import {
    pub path: Path,
    /// True for a re-export: code that uses it depends on the file that defines it.
    pub is_shown: bool,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub struct Source {
    /// Modules that it declares, also those with a body.
    pub children: BTreeSet<String>,
    /// Names that it defines.
    pub items: BTreeSet<String>,
    pub imports: BTreeMap<String, Import>,
    /// Modules from which it imports all names.
    pub globs: Vec<Import>,
    /// Paths in its code outside `use`.
    pub paths: BTreeSet<Path>,
    pub functions: Vec<Function>,
    /// Types with an `impl` in it, such as `impl App`.
    pub extended: BTreeSet<String>,
    /// Its code without comments, string literals and unneeded spaces.
    pub code: String,
}

impl Source {
    pub fn of(text: &str) -> Self {
        let mut file = syn::parse_file(text).unwrap();
        file.items.retain(|item| !is_test(attributes(item)));
        let mut reader = Reader::default();
        reader.visit_file(&file);
        reader.found.functions = functions(&file);
        written(file.to_token_stream(), &mut reader.found.code);
        reader.found
    }

    /// All paths, also those of `use`.
    pub fn all_paths(&self) -> impl Iterator<Item = &Path> {
        let imports = self.imports.values().chain(&self.globs).map(|import| &import.path);
        imports.chain(&self.paths)
    }
}

#[derive(Default)]
struct Reader {
    found: Source,
    /// Depth of modules with a body. Their paths count for the file.
    depth: usize,
}

impl Reader {
    fn import(&mut self, tree: &UseTree, before: &[String], is_shown: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let mut named = |name: String, path: Path| {
            let path = self.seen_from(path);
            self.found.imports.insert(name, Import { path, is_shown });
        };
        match tree {
            UseTree::Path(part) => self.import(&part.tree, &with(&part.ident), is_shown),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, is_shown)),
            UseTree::Glob(_) => {
                let path = self.seen_from(before.to_vec());
                self.found.globs.push(Import { path, is_shown });
            }
            UseTree::Name(name) if name.ident == "self" => {
                named(before.last().cloned().unwrap_or_default(), before.to_vec());
            }
            UseTree::Name(name) => named(name.ident.to_string(), with(&name.ident)),
            UseTree::Rename(name) => {
                let path = if name.ident == "self" { before.to_vec() } else { with(&name.ident) };
                // A trait imported as `_` has no name.
                named(if name.rename == "_" { path.join("::") } else { name.rename.to_string() }, path);
            }
        }
    }

    /// Paths among the tokens of a macro.
    fn words(&mut self, tokens: TokenStream) {
        let mut path = Path::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 || path.is_empty() => {
                    path.push(name.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) => {
                    self.path(std::mem::replace(&mut path, vec![name.to_string()]));
                    colons = 0;
                    continue;
                }
                TokenTree::Group(group) => self.words(group.stream()),
                _ => {}
            }
            self.path(std::mem::take(&mut path));
            colons = 0;
        }
        self.path(path);
    }

    fn path(&mut self, path: Path) {
        // A single `crate` is a visibility of an item that a macro makes.
        if !path.is_empty() && path != ["crate"] {
            self.found.paths.insert(self.seen_from(path));
        }
    }

    /// The path relative to the file's own module.
    fn seen_from(&self, mut path: Path) -> Path {
        let up = path.iter().take(self.depth).take_while(|part| *part == "super").count();
        path.drain(..up);
        if up > 0 {
            path.insert(0, "self".to_owned());
        }
        path
    }
}

impl Visit<'_> for Reader {
    fn visit_item(&mut self, item: &Item) {
        if is_test(attributes(item)) {
            return;
        }
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.found.items.extend(name.map(ToString::to_string));
        if let Item::Mod(item) = item {
            self.found.children.insert(item.ident.to_string());
        }
        let is_room = matches!(item, Item::Mod(item) if item.content.is_some());
        self.depth += usize::from(is_room);
        visit::visit_item(self, item);
        self.depth -= usize::from(is_room);
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        if let (None, syn::Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            self.found.extended.extend(of.path.segments.last().map(|name| name.ident.to_string()));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        self.import(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_visibility(&mut self, _: &syn::Visibility) {}

    fn visit_path(&mut self, path: &syn::Path) {
        self.path(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &syn::Macro) {
        self.visit_path(&item.path);
        self.words(item.tokens.clone());
    }
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// True for `#[cfg(test)]` and `#[cfg(all(test, ...))]`.
pub fn is_test(attributes: &[Attribute]) -> bool {
    let is_one = |attribute: &Attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && holds_test(list.tokens.clone())
    };
    attributes.iter().any(is_one)
}

fn holds_test(tokens: TokenStream) -> bool {
    let mut before = String::new();
    tokens.into_iter().any(|token| {
        let is_negated = std::mem::replace(&mut before, token.to_string()) == "not";
        match token {
            TokenTree::Ident(name) => name == "test",
            TokenTree::Group(group) => !is_negated && holds_test(group.stream()),
            _ => false,
        }
    })
}

/// The tokens of code, with a space only between two words. Attributes and string literals are skipped.
fn written(tokens: TokenStream, out: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let is_inner = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '!');
                tokens.next_if(is_inner);
                tokens.next_if(|token| matches!(token, TokenTree::Group(_)));
            }
            TokenTree::Punct(punct) => out.push(punct.as_char()),
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ["(", ")"],
                    proc_macro2::Delimiter::Brace => ["{", "}"],
                    proc_macro2::Delimiter::Bracket => ["[", "]"],
                    proc_macro2::Delimiter::None => ["", ""],
                };
                out.push_str(open);
                written(group.stream(), out);
                out.push_str(close);
            }
            TokenTree::Literal(literal) if literal.to_string().contains('"') => out.push_str("\"\""),
            word => {
                if out.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
            }
        }
    }
}
