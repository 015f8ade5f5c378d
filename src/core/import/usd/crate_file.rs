//! Checks a binary layer before it is parsed: its counts ask for no more than the file can hold, and its paths are a tree.

use super::crate_bytes::{CrateBytes, cut, integers, unpacked};
use super::crate_values::CrateValues;
use super::{Ask, Budget, Fault, readable};

/// Memory for a layer, per byte.
const BYTES_A_BYTE: u64 = 64;
/// Memory for a token, a field or a path, without its text.
const ENTRY_BYTES: u64 = 128;
/// Deepest path.
const MAX_DEPTH: usize = 256;
/// The oldest minor version with compressed sections.
const LEAST_VERSION: u8 = 4;
/// Most sections.
const MAX_SECTIONS: u64 = 64;

/// Checks a binary layer before it is parsed.
pub(super) fn check(bytes: &[u8], budget: &Budget) -> Result<(), Fault> {
    budget.claim(Ask::Parsed, BYTES_A_BYTE * bytes.len() as u64)?;
    let mut head = CrateBytes::at(bytes, 8)?;
    let version = head.take(8)?;
    let (major, minor) = (version[0], version[1]);
    if major != 0 || minor < LEAST_VERSION {
        return Err(Fault::new(format!(
            "its version {major}.{minor} is not supported; expected 0.{LEAST_VERSION} or newer"
        ))
        .advise("Save it with a newer program, or as .usda"));
    }
    let sections = Sections::read(bytes, head.u64()?, budget)?;
    let tokens = sections.tokens()?;
    sections.strings()?;
    let longest = sections.paths(&tokens)?;
    let text_bytes = tokens.iter().copied().max().unwrap_or_default().max(longest) + ENTRY_BYTES;
    let mut values = CrateValues::new(bytes, minor, text_bytes);
    for value in sections.fields()? {
        values.check(value, budget)?;
    }
    sections.lists("FIELDSETS", 1)?;
    sections.lists("SPECS", 3)
}

/// The sections of a layer.
struct Sections<'a> {
    bytes: &'a [u8],
    /// Name and place.
    all: Vec<(String, u64)>,
    budget: &'a Budget,
}

impl<'a> Sections<'a> {
    fn read(bytes: &'a [u8], at: u64, budget: &'a Budget) -> Result<Self, Fault> {
        let mut at = CrateBytes::at(bytes, at)?;
        let count = at.u64()?;
        if count >= MAX_SECTIONS {
            return Err(cut());
        }
        let mut all = Vec::new();
        for _ in 0..count {
            let name = at.take(16)?;
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            all.push((readable(&String::from_utf8_lossy(name)), at.u64()?));
            at.u64()?;
        }
        Ok(Self { bytes, all, budget })
    }

    fn find(&self, name: &str) -> Result<Option<CrateBytes<'a>>, Fault> {
        let found = self.all.iter().find(|(known, _)| known == name);
        found.map(|(_, at)| CrateBytes::at(self.bytes, *at)).transpose()
    }

    fn claim(&self, memory: u64) -> Result<(), Fault> {
        Ok(self.budget.claim(Ask::Parsed, memory)?)
    }

    /// Lengths of the tokens.
    fn tokens(&self) -> Result<Vec<u64>, Fault> {
        let Some(mut at) = self.find("TOKENS")? else { return Ok(Vec::new()) };
        let (count, size) = (at.u64()?, at.u64()?);
        let packed = at.block(size)?;
        self.claim(size)?;
        let text = unpacked(packed, size as usize)?;
        let lengths: Vec<u64> = text.split(|byte| *byte == 0).map(|token| token.len() as u64).collect();
        self.claim(ENTRY_BYTES * lengths.len() as u64)?;
        if count >= lengths.len().max(1) as u64 {
            return Err(cut());
        }
        Ok(lengths)
    }

    fn strings(&self) -> Result<(), Fault> {
        let Some(mut at) = self.find("STRINGS")? else { return Ok(()) };
        let count = at.u64()?;
        at.skip(count, 4)
    }

    /// The values of all fields: type and place.
    fn fields(&self) -> Result<Vec<u64>, Fault> {
        let Some(mut at) = self.find("FIELDS")? else { return Ok(Vec::new()) };
        let count = at.u64()?;
        at.integers(count)?;
        let packed = at.block(count.saturating_mul(8))?;
        self.claim(ENTRY_BYTES.saturating_mul(count))?;
        let values = unpacked(packed, 8 * count as usize)?;
        Ok(values.as_chunks::<8>().0.iter().map(|value| u64::from_le_bytes(*value)).collect())
    }

    /// A section of a count and some lists of so many integers.
    fn lists(&self, name: &str, lists: usize) -> Result<(), Fault> {
        let Some(mut at) = self.find(name)? else { return Ok(()) };
        let count = at.u64()?;
        self.claim(ENTRY_BYTES.saturating_mul(count))?;
        (0..lists).try_for_each(|_| at.integers(count).map(|_| ()))
    }

    /// Checks that the paths are a tree, which the crate walks without a limit. Returns the length of the longest.
    fn paths(&self, tokens: &[u64]) -> Result<u64, Fault> {
        let Some(mut at) = self.find("PATHS")? else { return Ok(0) };
        let (paths, count) = (at.u64()?, at.u64()?);
        let packed = [at.integers(count)?, at.integers(count)?, at.integers(count)?];
        if paths > count.saturating_mul(2).saturating_add(ENTRY_BYTES) {
            return Err(cut());
        }
        self.claim(ENTRY_BYTES.saturating_mul(paths.max(count)))?;
        let [_, elements, jumps] = packed.map(|packed| integers(packed, count as usize));
        let lengths = walk(&elements?, &jumps?, tokens)?;
        self.claim(lengths.iter().fold(0, |sum, length| length.saturating_add(sum)))?;
        Ok(lengths.into_iter().max().unwrap_or_default())
    }
}

/// Lengths of the paths of a tree. The child of an entry comes after it, and its sibling lies a jump further.
fn walk(elements: &[i32], jumps: &[i32], tokens: &[u64]) -> Result<Vec<u64>, Fault> {
    let mut lengths: Vec<Option<u64>> = vec![None; jumps.len()];
    let mut open = if jumps.is_empty() { Vec::new() } else { vec![(0usize, 0u64, 0usize)] };
    while let Some((entry, above, depth)) = open.pop() {
        let (Some(length), Some(&jump), Some(element)) =
            (lengths.get_mut(entry), jumps.get(entry), elements.get(entry))
        else {
            return Err(cut());
        };
        let own = if entry == 0 { Some(&0) } else { tokens.get(element.unsigned_abs() as usize) };
        let own = above.saturating_add(1).saturating_add(*own.ok_or_else(cut)?);
        if length.replace(own).is_some() || depth > MAX_DEPTH {
            return Err(Fault::new("its paths are no tree, or nested too deep"));
        }
        if jump > 0 {
            open.push((entry + jump as usize, above, depth));
        } else if jump == 0 {
            open.push((entry + 1, above, depth));
        }
        if jump > 0 || jump == -1 {
            open.push((entry + 1, own, depth + 1));
        }
    }
    Ok(lengths.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_walked_once_each() {
        // A root with two children; the first has a child.
        assert_eq!(walk(&[0, 0, 1, 0], &[-1, 2, -2, -2], &[4, 2]).unwrap(), [1, 6, 9, 6]);
        assert!(walk(&[0; 3], &[1, 1, -2], &[1]).is_err(), "an entry that is a child and a sibling");
        assert!(walk(&[0; 2], &[5, -2], &[1]).is_err(), "a sibling that is not there");
        assert!(walk(&[0, 9], &[-1, -2], &[1]).is_err(), "a token that is not there");
        assert!(walk(&[0; 400], &[-1; 400], &[1]).unwrap_err().to_string().contains("deep"));
    }
}
