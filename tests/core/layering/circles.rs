//! Files that need each other: no file of a circle can be read, moved or tested without the others.

use super::imports::House;
use std::collections::BTreeSet;

/// Sets of files that all lead to each other, the largest first. Names in a set are sorted.
pub fn circles(house: &House) -> Vec<Vec<&str>> {
    let names: Vec<BTreeSet<usize>> = (0..house.files.len()).map(|from| house.named_by(from)).collect();
    let reached: Vec<BTreeSet<usize>> = (0..names.len()).map(|from| reached(&names, from)).collect();
    let mut taken = BTreeSet::new();
    let mut out = Vec::new();
    for from in 0..names.len() {
        if reached[from].contains(&from) && !taken.contains(&from) {
            let circle: Vec<usize> = reached[from].iter().copied().filter(|to| reached[*to].contains(&from)).collect();
            taken.extend(circle.iter().copied());
            out.push(circle.into_iter().map(|file| &*house.files[file].name).collect::<Vec<_>>());
        }
    }
    out.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    out
}

/// All files that a file leads to. It includes the file itself only if a path leads back to it.
fn reached(names: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut ahead: Vec<usize> = names[from].iter().copied().collect();
    while let Some(file) = ahead.pop() {
        if found.insert(file) {
            ahead.extend(names[file].iter().copied());
        }
    }
    found
}
