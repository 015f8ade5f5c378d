//! The references inside a layer. A few of them can ask for any number of parts: a prim that refers to two prims, which refer to two prims
//! each, and so on.

use super::{Ask, Budget, Fault};
use openusd::sdf::{AbstractData, ListOp, Path, Value};
use std::collections::HashMap;

/// Longest chain of references.
const MAX_CHAIN: usize = 1024;
/// Squares of parts that take as much time as a prim without references.
const SQUARES_A_PRIM: u64 = 16;

/// Checks the work that the references inside a layer ask for. Prims without any are free.
pub(super) fn check(data: &dyn AbstractData, budget: &Budget) -> Result<(), Fault> {
    let mut arcs = Arcs { data, parts: HashMap::new() };
    let mut work = 0u64;
    for path in data.spec_paths().into_iter().filter(|path| !path.is_property_path()) {
        let parts = arcs.parts(&path, 0)?;
        work = work.saturating_add(parts.saturating_mul(parts) / SQUARES_A_PRIM);
    }
    Ok(budget.claim(Ask::Prims, work)?)
}

struct Arcs<'a> {
    data: &'a dyn AbstractData,
    /// Parts per prim; 0 while they are counted, in a circle.
    parts: HashMap<Path, u64>,
}

impl Arcs<'_> {
    /// The parts that a prim is composed of: itself, those of its parent, and those of the prims that it refers to.
    fn parts(&mut self, path: &Path, chain: usize) -> Result<u64, Fault> {
        if let Some(parts) = self.parts.get(path) {
            return Ok(*parts);
        }
        if chain > MAX_CHAIN {
            return Err(Fault::new(format!("more than {MAX_CHAIN} references follow each other")));
        }
        self.parts.insert(path.clone(), 0);
        let mut parts = 1u64;
        for target in self.targets(path) {
            parts = parts.saturating_add(self.parts(&target, chain + 1)?);
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.is_abs_root()) {
            parts = parts.saturating_add(self.parts(&parent, chain + 1)?);
        }
        self.parts.insert(path.clone(), parts);
        Ok(parts)
    }

    /// The prims of the same layer that a prim refers to.
    fn targets(&self, path: &Path) -> Vec<Path> {
        let value = |field: &str| self.data.try_field(path, field).ok().flatten().map(|value| value.into_owned());
        let mut targets = Vec::new();
        for value in ["references", "payload", "inheritPaths", "specializes"].into_iter().filter_map(value) {
            match value {
                Value::ReferenceListOp(list) => {
                    let own = items(list).filter(|reference| reference.asset_path.is_empty());
                    targets.extend(own.map(|reference| reference.prim_path));
                }
                Value::PayloadListOp(list) => {
                    let own = items(list).filter(|payload| payload.asset_path.is_empty());
                    targets.extend(own.map(|payload| payload.prim_path));
                }
                Value::PathListOp(list) => targets.extend(items(list)),
                _ => {}
            }
        }
        targets
    }
}

fn items<T: Default + Clone + PartialEq>(list: ListOp<T>) -> impl Iterator<Item = T> {
    let lists = [list.explicit_items, list.added_items, list.prepended_items, list.appended_items];
    lists.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        let data = openusd::usda::parse(text).unwrap();
        check(&data, &Budget::new(text.len())).map_err(|fault| fault.to_string())
    }

    /// Prims that refer to both prims of the next level.
    fn levels(levels: usize) -> String {
        let level = |n: usize| {
            let refer = format!("( references = [</P{0}a>, </P{0}b>] )", n + 1);
            format!("def \"P{n}a\" {refer} {{}}\ndef \"P{n}b\" {refer} {{}}\n")
        };
        format!("#usda 1.0\n{}", (0..levels).map(level).collect::<String>())
    }

    #[test]
    fn parts_that_multiply_are_counted_before_they_are_made() {
        assert_eq!(checked(&levels(4)), Ok(()));
        assert!(checked(&levels(40)).unwrap_err().contains("prims"));
    }

    #[test]
    fn circles_end_and_chains_have_a_limit() {
        let circle = "#usda 1.0\ndef \"A\" ( references = </B> ) {}\ndef \"B\" ( inherits = </A> ) {}";
        assert_eq!(checked(circle), Ok(()));
        let chain = |n: usize| format!("def \"P{n:05}\" ( payload = </P{:05}> ) {{}}\n", n + 1);
        let chain = format!("#usda 1.0\n{}", (0..2000).map(chain).collect::<String>());
        assert!(checked(&chain).unwrap_err().contains("more than 1024 references"));
    }
}
