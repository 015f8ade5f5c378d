use std::collections::{HashMap, HashSet};

/// Unique names for the clips of several files: `stem/name` if several files have a clip of that name, then a number. Each file has a stem
/// and the names of its clips.
pub fn unique_names(files: &[(&str, Vec<&str>)]) -> Vec<Vec<String>> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    files.iter().flat_map(|(_, names)| names).for_each(|name| *uses.entry(*name).or_default() += 1);
    let mut seen = HashSet::new();
    let mut unique = |stem: &str, own: &str| {
        let base = if uses[own] > 1 && files.len() > 1 { format!("{stem}/{own}") } else { own.to_owned() };
        let (mut name, mut count) = (base.clone(), 0);
        while !seen.insert(name.clone()) {
            count += 1;
            name = format!("{base}.{count}");
        }
        name
    };
    files.iter().map(|(stem, names)| names.iter().map(|name| unique(stem, name)).collect()).collect()
}
