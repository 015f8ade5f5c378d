//! Lengths of the functions of a file, and the depths of their nested branches and loops.

use super::source::{attributes, is_test};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A function or method with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Lines from its first word to its last brace, without comments and attributes before it.
    pub lines: usize,
    /// Largest number of nested `if`, `match`, `for`, `while` and `loop`. `else if` counts like its `if`.
    pub depth: usize,
}

/// The functions of a file outside its tests.
pub fn functions(file: &syn::File) -> Vec<Function> {
    let mut reader = Reader::default();
    reader.visit_file(file);
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Function>,
    depth: usize,
    deepest: usize,
}

impl Reader {
    fn function(&mut self, name: &syn::Ident, from: proc_macro2::Span, body: &syn::Block) {
        let outer = (std::mem::take(&mut self.depth), std::mem::take(&mut self.deepest));
        self.visit_block(body);
        let lines = body.span().end().line + 1 - from.start().line;
        self.found.push(Function { name: name.to_string(), lines, depth: self.deepest });
        (self.depth, self.deepest) = outer;
    }

    fn deeper(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        visit(self);
        self.depth -= 1;
    }
}

impl Visit<'_> for Reader {
    fn visit_item(&mut self, item: &syn::Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.function(&item.sig.ident, item.sig.span(), &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig.ident, item.sig.span(), &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig.ident, item.sig.span(), body);
        }
    }

    fn visit_expr_if(&mut self, branch: &syn::ExprIf) {
        self.visit_expr(&branch.cond);
        self.deeper(|reader| reader.visit_block(&branch.then_branch));
        match branch.else_branch.as_ref().map(|(_, other)| &**other) {
            Some(syn::Expr::If(next)) => self.visit_expr_if(next),
            Some(other) => self.deeper(|reader| reader.visit_expr(other)),
            None => {}
        }
    }

    fn visit_expr_match(&mut self, branch: &syn::ExprMatch) {
        self.visit_expr(&branch.expr);
        self.deeper(|reader| branch.arms.iter().for_each(|arm| reader.visit_arm(arm)));
    }

    fn visit_expr_for_loop(&mut self, turn: &syn::ExprForLoop) {
        self.visit_expr(&turn.expr);
        self.deeper(|reader| reader.visit_block(&turn.body));
    }

    fn visit_expr_while(&mut self, turn: &syn::ExprWhile) {
        self.visit_expr(&turn.cond);
        self.deeper(|reader| reader.visit_block(&turn.body));
    }

    fn visit_expr_loop(&mut self, turn: &syn::ExprLoop) {
        self.deeper(|reader| reader.visit_block(&turn.body));
    }
}
