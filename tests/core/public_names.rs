//! The public names of the runtime: `tests/runtime/public_names.txt` lists the names that a game can use, with their items.

use crate::project::project;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, TraitItem, Type, UseTree, Visibility};

/// Largest number of names. More could not be read at once.
const MOST_NAMES: usize = 32;

/// Modules of a package by path, such as `format::container`. The root is ``.
struct Package(BTreeMap<String, Vec<Item>>);

/// A public name.
struct Named<'a> {
    name: String,
    /// The module that defines it.
    module: String,
    item: &'a Item,
}

/// One leaf of a `use`.
struct Leaf {
    path: Vec<String>,
    /// `None` for a glob.
    name: Option<String>,
}

impl Package {
    /// `read` gives the text of a file below the package's folder.
    fn new(read: impl Fn(&str) -> Option<String>) -> Self {
        let mut out = Self(BTreeMap::new());
        out.add("", syn::parse_file(&read("lib.rs").expect("a root")).unwrap().items, &read);
        out
    }

    fn add(&mut self, path: &str, items: Vec<Item>, read: &impl Fn(&str) -> Option<String>) {
        for item in &items {
            let Item::Mod(module) = item else { continue };
            if has(&module.attrs, "cfg", "test") {
                continue;
            }
            let inner = join(path, &module.ident.to_string());
            let file = inner.replace("::", "/");
            let items = match &module.content {
                Some((_, items)) => items.clone(),
                None => {
                    let text = read(&format!("{file}.rs")).or_else(|| read(&format!("{file}/mod.rs")));
                    syn::parse_file(&text.unwrap_or_else(|| panic!("no file of module {inner}"))).unwrap().items
                }
            };
            self.add(&inner, items, read);
        }
        self.0.insert(path.to_owned(), items);
    }

    /// All names that can be reached from outside, with their paths.
    fn face(&self, module: &str) -> Vec<Named<'_>> {
        let mut out = Vec::new();
        for item in self.0[module].iter().filter(|item| is_shown(item)) {
            match item {
                Item::Mod(inner) => {
                    let path = join(module, &inner.ident.to_string());
                    let within = self.face(&path).into_iter();
                    out.extend(within.map(|named| Named { name: format!("{}::{}", inner.ident, named.name), ..named }));
                }
                Item::Use(of) => {
                    for leaf in leaves(&of.tree) {
                        let name = leaf
                            .name
                            .unwrap_or_else(|| panic!("a glob exports names that are not listed: {:?}", leaf.path));
                        let found = self.find(module, &leaf.path);
                        let (module, item) = found.unwrap_or_else(|| panic!("{} leads nowhere", leaf.path.join("::")));
                        out.push(Named { name, module, item });
                    }
                }
                _ => out.extend(ident(item).map(|name| Named { name, module: module.to_owned(), item })),
            }
        }
        out
    }

    /// The item of a path in a module, and the module that defines it.
    fn find(&self, module: &str, path: &[String]) -> Option<(String, &Item)> {
        let (last, way) = path.split_last()?;
        let mut at = module.to_owned();
        for part in way {
            at = match part.as_str() {
                "crate" => String::new(),
                "self" => at,
                "super" => at.rsplit_once("::").map_or(String::new(), |(above, _)| above.to_owned()),
                part => join(&at, part),
            };
        }
        let items = self.0.get(&at)?;
        if let Some(item) = items.iter().find(|item| ident(item).as_ref() == Some(last)) {
            return Some((at, item));
        }
        let uses = items.iter().filter_map(|item| if let Item::Use(of) = item { Some(of) } else { None });
        uses.flat_map(|of| leaves(&of.tree)).find_map(|leaf| match leaf.name {
            Some(name) => (name == *last).then(|| self.find(&at, &leaf.path)).flatten(),
            None => self.find(&at, &[leaf.path, vec![last.clone()]].concat()),
        })
    }

    /// Public functions and constants of a type in any module, with their module.
    fn own_items(&self, name: &str) -> Vec<(&str, &ImplItem)> {
        let impls = self.0.iter().flat_map(|(module, items)| items.iter().map(move |item| (module, item)));
        let is_hidden = |attrs: &[Attribute]| has(attrs, "doc", "hidden") || has(attrs, "cfg", "test");
        let own = impls.filter_map(|(module, item)| match item {
            Item::Impl(of) if of.trait_.is_none() && is_of(of, name) && !is_hidden(&of.attrs) => Some((module, of)),
            _ => None,
        });
        own.flat_map(|(module, of)| of.items.iter().map(move |item| (&**module, item)))
            .filter(|(_, item)| match item {
                ImplItem::Fn(f) => is_public(&f.vis) && !is_hidden(&f.attrs),
                ImplItem::Const(c) => is_public(&c.vis) && !is_hidden(&c.attrs),
                _ => false,
            })
            .collect()
    }

    /// Types of the package inside a type that cannot be named from outside.
    fn hidden_types(&self, module: &str, ty: &Type, face: &BTreeSet<&str>) -> BTreeSet<String> {
        let mut types = TypeNames::default();
        types.visit_type(ty);
        types.0.into_iter().filter(|name| !face.contains(name.as_str()) && self.is_own(module, name)).collect()
    }

    /// True for a name that the package defines. It may come from a macro, which this walk does not expand.
    fn is_own(&self, module: &str, name: &String) -> bool {
        let imports = self.0[module].iter().filter_map(|item| if let Item::Use(of) = item { Some(of) } else { None });
        let mut leaves = imports.flat_map(|of| leaves(&of.tree));
        let is_imported = |leaf: Leaf| leaf.name.as_ref() == Some(name) && ["crate", "super"].contains(&&*leaf.path[0]);
        self.find(module, std::slice::from_ref(name)).is_some() || leaves.any(is_imported)
    }
}

/// Single names of types: `Pose`, but not `Pose` of `other::Pose`.
#[derive(Default)]
struct TypeNames(BTreeSet<String>);

impl<'a> Visit<'a> for TypeNames {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.extend(path.segments.first().filter(|_| path.segments.len() == 1).map(|part| part.ident.to_string()));
        syn::visit::visit_path(self, path);
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

fn has(attrs: &[Attribute], name: &str, word: &str) -> bool {
    let is_it = |a: &Attribute| a.path().is_ident(name) && a.meta.to_token_stream().to_string().contains(word);
    attrs.iter().any(is_it)
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn parts(item: &Item) -> Option<(&Visibility, &[Attribute], &'static str, String)> {
    Some(match item {
        Item::Struct(i) => (&i.vis, &i.attrs, "struct", i.ident.to_string()),
        Item::Enum(i) => (&i.vis, &i.attrs, "enum", i.ident.to_string()),
        Item::Trait(i) => (&i.vis, &i.attrs, "trait", i.ident.to_string()),
        Item::Type(i) => (&i.vis, &i.attrs, "type", i.ident.to_string()),
        Item::Const(i) => (&i.vis, &i.attrs, "const", i.ident.to_string()),
        Item::Static(i) => (&i.vis, &i.attrs, "static", i.ident.to_string()),
        Item::Fn(i) => (&i.vis, &i.attrs, "fn", i.sig.ident.to_string()),
        Item::Mod(i) => (&i.vis, &i.attrs, "mod", i.ident.to_string()),
        Item::Use(i) => (&i.vis, &i.attrs, "use", String::new()),
        _ => return None,
    })
}

fn ident(item: &Item) -> Option<String> {
    parts(item).map(|(.., name)| name).filter(|name| !name.is_empty())
}

fn is_shown(item: &Item) -> bool {
    parts(item)
        .is_some_and(|(vis, attrs, ..)| is_public(vis) && !has(attrs, "doc", "hidden") && !has(attrs, "cfg", "test"))
}

fn is_of(of: &ItemImpl, name: &str) -> bool {
    matches!(&*of.self_ty, Type::Path(path) if path.path.segments.last().is_some_and(|part| part.ident == name))
}

fn leaves(tree: &UseTree) -> Vec<Leaf> {
    let below = |first: &syn::Ident, tree: &UseTree| {
        let with = |leaf: Leaf| Leaf { path: [vec![first.to_string()], leaf.path].concat(), ..leaf };
        leaves(tree).into_iter().map(with).collect()
    };
    match tree {
        UseTree::Path(path) => below(&path.ident, &path.tree),
        UseTree::Name(name) => vec![Leaf { path: vec![name.ident.to_string()], name: Some(name.ident.to_string()) }],
        UseTree::Rename(r) => vec![Leaf { path: vec![r.ident.to_string()], name: Some(r.rename.to_string()) }],
        UseTree::Glob(_) => vec![Leaf { path: Vec::new(), name: None }],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

fn shown_fields(fields: &Fields) -> impl Iterator<Item = &syn::Field> {
    fields.iter().filter(|field| is_public(&field.vis) && !has(&field.attrs, "doc", "hidden"))
}

/// A name and its items: fields, variants, constants, functions.
fn lines(package: &Package, named: &Named) -> Vec<String> {
    let (.., kind, own) = parts(named.item).expect("an item with a name");
    let field = |f: &syn::Field| f.ident.as_ref().map_or("    0".to_owned(), |name| format!("    {name}"));
    let mut inner: Vec<String> = match named.item {
        Item::Struct(of) => shown_fields(&of.fields).map(field).collect(),
        Item::Enum(of) => of.variants.iter().map(|variant| format!("    {}", variant.ident)).collect(),
        Item::Trait(of) => {
            of.items.iter().filter_map(trait_function).map(|f| format!("    fn {}", f.sig.ident)).collect()
        }
        _ => Vec::new(),
    };
    inner.extend(package.own_items(&own).iter().filter_map(|(_, item)| match item {
        ImplItem::Fn(f) => Some(format!("    fn {}", f.sig.ident)),
        ImplItem::Const(c) => Some(format!("    const {}", c.ident)),
        _ => None,
    }));
    [vec![format!("{kind} {}", named.name)], inner].concat()
}

fn trait_function(item: &TraitItem) -> Option<&syn::TraitItemFn> {
    if let TraitItem::Fn(f) = item { Some(f) } else { None }
}

/// Types of a field, a variant or a signature, with a description and their module.
type Use<'a> = (String, &'a str, Vec<&'a Type>);

fn types_of(sig: &syn::Signature) -> Vec<&Type> {
    let inputs = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(input) => Some(&*input.ty),
        syn::FnArg::Receiver(_) => None,
    });
    let output = if let syn::ReturnType::Type(_, ty) = &sig.output { Some(&**ty) } else { None };
    inputs.chain(output).collect()
}

/// All types in the public items of a name.
fn uses<'a>(package: &'a Package, named: &'a Named<'a>) -> Vec<Use<'a>> {
    let (.., own) = parts(named.item).expect("an item with a name");
    let here = &*named.module;
    let mut out: Vec<Use> = match named.item {
        Item::Struct(of) => {
            shown_fields(&of.fields).map(|f| (format!("a field of {own}"), here, vec![&f.ty])).collect()
        }
        Item::Enum(of) => {
            let fields = of.variants.iter().flat_map(|v| v.fields.iter());
            fields.map(|f| (format!("a variant of {own}"), here, vec![&f.ty])).collect()
        }
        Item::Trait(of) => {
            let functions = of.items.iter().filter_map(trait_function);
            functions.map(|f| (format!("{own}::{}", f.sig.ident), here, types_of(&f.sig))).collect()
        }
        Item::Fn(f) => vec![(own.clone(), here, types_of(&f.sig))],
        _ => Vec::new(),
    };
    let functions = package.own_items(&own).into_iter().filter_map(|(module, item)| match item {
        ImplItem::Fn(f) => Some((format!("{own}::{}", f.sig.ident), module, types_of(&f.sig))),
        _ => None,
    });
    out.extend(functions);
    out
}

/// Types in public items that cannot be named from outside.
fn leaks(package: &Package, face: &[Named]) -> Vec<String> {
    let names: BTreeSet<&str> = face.iter().map(|named| &*named.name).collect();
    let hidden = |(what, module, types): Use| {
        let hidden: BTreeSet<String> = types.iter().flat_map(|ty| package.hidden_types(module, ty, &names)).collect();
        hidden.into_iter().map(move |hidden| format!("{what} names {hidden}"))
    };
    face.iter().flat_map(|named| uses(package, named)).flat_map(hidden).collect()
}

fn runtime() -> Package {
    Package::new(|file| std::fs::read_to_string(project("src/runtime").join(file)).ok())
}

#[test]
fn public_names_of_the_runtime_are_those_of_the_list() {
    let package = runtime();
    let mut face = package.face("");
    face.sort_by(|a, b| a.name.cmp(&b.name));
    let found: String = face.iter().flat_map(|named| lines(&package, named)).map(|line| line + "\n").collect();
    let list = project("tests/runtime/public_names.txt");
    if std::env::var_os("UPDATE_NAMES").is_some() {
        std::fs::write(&list, &found).unwrap();
    }
    let listed = std::fs::read_to_string(list).unwrap_or_default();
    assert_eq!(listed, found, "the list is older than the code: write it with UPDATE_NAMES=1, and read what changed");
    assert!(face.len() <= MOST_NAMES, "{} public names; what encoders alone need stands in `internal`", face.len());
}

#[test]
fn public_functions_and_fields_name_public_types_alone() {
    let package = runtime();
    let leaks = leaks(&package, &package.face(""));
    assert!(leaks.is_empty(), "show the type, or hide its user with #[doc(hidden)]:\n{}", leaks.join("\n"));
}

#[test]
fn the_walk_finds_what_can_be_named() {
    let files = BTreeMap::from([
        (
            "lib.rs",
            "mod shapes; #[doc(hidden)] pub mod inner { pub use crate::shapes::Hidden; } pub mod open; #[cfg(test)] mod tests;
             pub use shapes::{Square, circle::Circle as Round}; use shapes::Hidden;",
        ),
        (
            "shapes/mod.rs",
            "pub mod circle; use core::alloc::Layout; pub struct Hidden; pub struct Square { pub side: f32, hidden: Hidden }
             impl Square { pub const UNIT: f32 = 1.0; pub fn area(&self) -> f32 { 0.0 } fn own(&self) {} pub fn shown(&self) -> Option<&Hidden> { None }
             #[doc(hidden)] pub fn kept(&self) -> Hidden { Hidden } pub fn layout(&self) -> Layout { todo!() } }
             #[doc(hidden)] impl Square { pub fn inner(&self) -> Hidden { Hidden } }",
        ),
        ("shapes/circle.rs", "use super::Hidden; pub enum Circle { Of(Hidden), Unit }"),
        ("open.rs", "use crate::shapes::Generated; pub fn draw(_: crate::Square, _: &[Unknown], _: Generated) {} fn own() {}"),
    ]);
    let package = Package::new(|file| files.get(file).map(|text| (*text).to_owned()));
    let face = package.face("");
    let found: Vec<String> = face.iter().flat_map(|named| lines(&package, named)).collect();
    let expected = [
        "fn open::draw",
        "struct Square",
        "    side",
        "    const UNIT",
        "    fn area",
        "    fn shown",
        "    fn layout",
        "enum Round",
        "    Of",
        "    Unit",
    ];
    assert_eq!(found, expected);
    assert_eq!(
        leaks(&package, &face),
        ["draw names Generated", "Square::shown names Hidden", "a variant of Circle names Hidden"]
    );
}
