//! Damaged files give an error, or data that the rest of the program can use, without much memory.

use super::{binary, stage};
use crate::codecs::allocation::allocated;
use crate::import_support::import_bytes;
use proptest::prelude::*;

/// Largest memory for a file of some kilobytes.
const MAX_BYTES: usize = 1 << 30;

fn assert_sound(extension: &str, bytes: &[u8]) {
    let (peak, _, imported) = allocated(|| import_bytes(extension, bytes));
    assert!(peak < MAX_BYTES, "{peak} bytes for a file of {}", bytes.len());
    match imported {
        Ok(imported) => assert!(imported.clips.iter().all(|clip| clip.fits(&imported.rig.skeleton))),
        Err(error) => assert!(error.to_string().contains("test."), "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn changed_and_cut_text_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut bytes = stage("", "", "").into_bytes();
        let len = bytes.len();
        changes.iter().for_each(|(place, value)| bytes[place.index(len)] = *value);
        assert_sound("usda", &bytes);
        bytes.truncate(keep.index(len));
        assert_sound("usda", &bytes);
    }

    #[test]
    fn changed_and_cut_binary_layers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut bytes = binary(&stage("", "", ""));
        let len = bytes.len();
        changes.iter().for_each(|(place, value)| bytes[place.index(len)] = *value);
        assert_sound("usdc", &bytes);
        bytes.truncate(keep.index(len));
        assert_sound("usdc", &bytes);
    }
}

#[test]
fn every_byte_of_a_binary_layer_may_be_wrong() {
    let good = binary(&stage("", "", ""));
    for place in 0..good.len() {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[place] = value;
            assert_sound("usdc", &bytes);
        }
    }
}

#[test]
fn endless_asks_are_refused_before_they_take_memory() {
    // Every prim has two children, which are the prims of the next level: 2 to the power of 40 paths.
    let level = |n: usize| {
        format!(
            "def \"L{n}\" {{ def \"a\" ( references = </L{0}> ) {{}}\n def \"b\" ( references = </L{0}> ) {{}} }}\n",
            n + 1
        )
    };
    let text = format!("#usda 1.0\n{}", (0..40).map(level).collect::<String>());
    assert_sound("usda", text.as_bytes());
    let long = format!("#usda 1.0\ndef \"{}\" {{ {} }}", "a".repeat(1_000_000), "int x = 1\n".repeat(40_000));
    assert_sound("usda", long.as_bytes());
}
