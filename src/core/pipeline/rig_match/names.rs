use crate::import::{joint_hash, named_hash};
use std::collections::HashMap;

/// For each name of the first list, the index of its match in the second. The same name matches first. Next comes the only name that is
/// equal without namespace and case, then the hash of the name.
pub(super) fn same_names(names: &[&str], others: &[&str]) -> Vec<Option<usize>> {
    let exact: HashMap<&str, usize> = others.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let mut plain = HashMap::<String, Option<usize>>::new();
    for (place, name) in others.iter().enumerate() {
        plain.entry(plain_name(name)).and_modify(|only| *only = None).or_insert(Some(place));
    }
    let mut uses = HashMap::<String, usize>::new();
    names.iter().for_each(|name| *uses.entry(plain_name(name)).or_default() += 1);
    let hashes: HashMap<u32, usize> =
        others.iter().enumerate().filter_map(|(place, name)| Some((named_hash(name)?, place))).collect();
    let find = |name: &&str| {
        let key = plain_name(name);
        let by_name =
            exact.get(name).copied().or_else(|| plain.get(&key).copied().flatten().filter(|_| uses[&key] == 1));
        by_name.or_else(|| hashes.get(&joint_hash(name)).copied())
    };
    names.iter().map(find).collect()
}

fn plain_name(name: &str) -> String {
    name.rsplit([':', '|']).next().unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_exactly_first_and_else_without_namespace_and_case_where_only_one_does() {
        let others = ["mixamorig:Hips", "hips", "a|b:Arm", "LEG", "leg"];
        let found = same_names(&["hips", "Hips", "arm", "Leg", "tail"], &others);
        assert_eq!(found, [Some(1), None, Some(2), None, None]);
        assert_eq!(same_names(&["x:a", "y:a"], &["a"]), [None, None], "two for one");
    }

    #[test]
    fn a_name_matches_its_hash() {
        assert_eq!(same_names(&["tail", "Root"], &["#00000061", "#00079664"]), [None, Some(1)]);
    }
}
