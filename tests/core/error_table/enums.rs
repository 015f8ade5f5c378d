//! Every error enum of the sources, found in their code.

use super::sites::{is_test, rust_files};
use crate::project::project;
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{ItemEnum, ItemMod};

/// Name and variants of each error enum.
pub fn error_enums() -> BTreeMap<String, Vec<String>> {
    let mut found = Found::default();
    for path in rust_files(&project("src")) {
        found.visit_file(&syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap());
    }
    found.0
}

#[derive(Default)]
struct Found(BTreeMap<String, Vec<String>>);

impl<'ast> Visit<'ast> for Found {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(item) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        let is_derived = |attribute: &&syn::Attribute| {
            let words = attribute.meta.to_token_stream().to_string();
            words.starts_with("derive") && words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Error")
        };
        if item.attrs.iter().any(|attribute| is_derived(&attribute)) || item.ident.to_string().ends_with("Error") {
            let variants = item.variants.iter().map(|variant| format!("{}::{}", item.ident, variant.ident)).collect();
            let before = self.0.insert(item.ident.to_string(), variants);
            assert_eq!(before, None, "two errors are called {}", item.ident);
        }
    }
}
