use crate::import::{joint_hash, named_hash};
use std::collections::{HashMap, HashSet};

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

/// Most dots in a node's name. More cost time, and no exporter writes them.
const MOST_DOTS: usize = 8;

/// As [`same_names`], for float tracks, which are named `node.target`. Where a tool has renamed or dropped the nodes, the only track of the
/// same target matches.
pub(super) fn same_tracks(names: &[&str], others: &[&str]) -> Vec<Option<usize>> {
    let mut found = same_names(names, others);
    let matched: HashSet<usize> = found.iter().flatten().copied().collect();
    let free = || names.iter().enumerate().filter(|(name, _)| found[*name].is_none()).map(|(name, text)| (name, *text));
    let other_free =
        || others.iter().enumerate().filter(|(other, _)| !matched.contains(other)).map(|(other, text)| (other, *text));
    let (endings, other_endings) = (endings(free()), endings(other_free()));
    let forward = free().filter_map(|(name, text)| Some((name, other_endings.get(target(text)?)?)));
    let forward = forward.flat_map(|(name, others)| others.iter().map(move |other| (name, *other)));
    let back = other_free().filter_map(|(other, text)| Some((other, endings.get(target(text)?)?)));
    let back = back.flat_map(|(other, names)| names.iter().map(move |name| (*name, other)));
    let pairs: HashSet<(usize, usize)> = forward.chain(back).collect();
    let (mut uses, mut other_uses) = (HashMap::<usize, usize>::new(), HashMap::<usize, usize>::new());
    for (name, other) in &pairs {
        *uses.entry(*name).or_default() += 1;
        *other_uses.entry(*other).or_default() += 1;
    }
    for (name, other) in pairs {
        if uses[&name] == 1 && other_uses[&other] == 1 {
            found[name] = Some(other);
        }
    }
    found
}

/// The name of a track without its node, whose own name has no dot.
fn target(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, target)| target)
}

/// The text after each of the first dots of the tracks' names, with the first two tracks that end so. Two are enough to know that none is the only one.
fn endings<'a>(tracks: impl Iterator<Item = (usize, &'a str)>) -> HashMap<&'a str, Vec<usize>> {
    let mut all = HashMap::<&str, Vec<usize>>::new();
    for (track, name) in tracks {
        for (dot, _) in name.match_indices('.').take(MOST_DOTS) {
            let tracks = all.entry(&name[dot + 1..]).or_default();
            if tracks.len() < 2 {
                tracks.push(track);
            }
        }
    }
    all
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
    fn float_tracks_of_other_nodes_match_by_the_only_target() {
        let found =
            same_tracks(&["Body.001.Eye.L", "Head.jaw", "Head.smile"], &["node0.Eye.L", "node0.jaw", "Head.smile"]);
        assert_eq!(found, [Some(0), Some(1), Some(2)]);
        assert_eq!(same_tracks(&["a.jaw", "b.jaw"], &["node0.jaw"]), [None, None], "two for one");
        assert_eq!(same_tracks(&["a.jaw"], &["node0.jaw", "node1.jaw"]), [None], "one for two");
        assert_eq!(same_tracks(&["Head.Eye.L"], &["Head.Mouth.L"]), [None], "another target");
        let [dots, more] = [1_000_000, 1_000_001].map(|dots| ".".repeat(dots));
        assert_eq!(same_tracks(&[&dots], &[&more]), [Some(0)], "fast for any number of dots");
    }

    #[test]
    fn a_name_matches_its_hash() {
        assert_eq!(same_names(&["tail", "Root"], &["#00000061", "#00079664"]), [None, Some(1)]);
    }
}
