//! The share of a run, where several machines work on one library.

use super::args::BatchArgs;
use super::part::PartOf;
use super::planner::{Library, PlannedClip, PlannedFile};
use posepress_core::store::ResultKey;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

/// The clips that a run works on.
#[derive(Debug)]
pub enum Share {
    /// All of them.
    All,
    /// None: it merges what other runs made.
    Merge,
    /// Those of some files, by index.
    Files(HashSet<usize>),
    /// Those with these keys, and all clips of files with these keys.
    Keys {
        /// The keys.
        keys: HashSet<ResultKey>,
        /// True if some keys may be those of clips whose files must be imported first.
        has_unknown: bool,
    },
}

impl Share {
    /// The share that the options give.
    pub fn of(args: &BatchArgs, library: &Library) -> Self {
        match args.part {
            Some(part) => Self::Files(part_of(part, library)),
            None if args.merge => Self::Merge,
            None if args.claim.is_empty() => Self::All,
            None => {
                let keys: HashSet<ResultKey> = args.claim.iter().cloned().collect();
                let found = keys_of(library).filter(|key| keys.contains(*key)).collect::<HashSet<_>>().len();
                Self::Keys { has_unknown: found < keys.len(), keys }
            }
        }
    }

    /// True if the file must be looked at, because it has or may have clips of the share.
    pub fn has_file(&self, at: usize, file: &PlannedFile) -> bool {
        match self {
            Self::All | Self::Merge => true,
            Self::Files(files) => files.contains(&at),
            Self::Keys { keys, has_unknown } => {
                (*has_unknown && file.listed.is_none())
                    || keys.contains(&file.key)
                    || file.clips().iter().any(|clip| keys.contains(&clip.key))
            }
        }
    }

    /// True if a clip of such a file must be compressed.
    pub fn has_clip(&self, at: usize, file: &PlannedFile, clip: &PlannedClip) -> bool {
        match self {
            Self::All => true,
            Self::Merge => false,
            Self::Files(files) => files.contains(&at),
            Self::Keys { keys, .. } => keys.contains(&file.key) || keys.contains(&clip.key),
        }
    }
}

/// The keys of all files and of all clips that are known.
pub fn keys_of(library: &Library) -> impl Iterator<Item = &ResultKey> {
    let clips = library.files.iter().flat_map(PlannedFile::clips).map(|clip| &clip.key);
    library.files.iter().map(|file| &file.key).chain(clips)
}

/// The files of a part: each file, the largest first, goes to the part with the fewest bytes. What is in the store does not count, so that
/// parts that start at different times have no file in common and leave none out.
fn part_of(part: PartOf, library: &Library) -> HashSet<usize> {
    let bytes = |at: usize| library.files[at].input.bytes();
    let mut order: Vec<usize> = (0..library.files.len()).collect();
    order.sort_by(|a, b| {
        (Reverse(bytes(*a)), &library.files[*a].input.label).cmp(&(Reverse(bytes(*b)), &library.files[*b].input.label))
    });
    // Parts beyond the number of files have none.
    let mut loads: BTreeSet<(u64, usize)> = (1..=part.count.min(order.len())).map(|number| (0, number)).collect();
    let mut own = HashSet::new();
    for at in order {
        let Some((load, number)) = loads.pop_first() else { break };
        // A file of no bytes is work too.
        loads.insert((load + bytes(at).max(1), number));
        if number == part.number {
            own.insert(at);
        }
    }
    own
}
