//! Damaged files give an error or a rig, never a panic, without much memory.

use super::ascii::{Y_UP_CM, small_rig};
use super::constraints::crowd;
use crate::codecs::allocation::allocated;
use crate::import_support::import_bytes;
use crate::project::corpus;

/// Largest memory for a file of some kilobytes.
const MAX_BYTES: usize = 1 << 30;
const FLIPPED: usize = 150;

/// xorshift64*, so that the same files are tried on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }
}

/// Imports the bytes. Returns true if they are refused.
fn try_out(bytes: &[u8]) -> bool {
    let (peak, _, imported) = allocated(|| import_bytes("fbx", bytes));
    assert!(peak < MAX_BYTES, "{peak} bytes for a file of {}", bytes.len());
    if let Err(error) = &imported {
        let message = error.to_string();
        assert!(message.contains("test.fbx") && error.advice.is_some(), "{message}");
    }
    imported.is_err()
}

fn try_all(whole: &[u8]) -> usize {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let cut = (0..40).filter(|part| try_out(&whole[..whole.len() * part / 40])).count();
    let flipped = (0..FLIPPED).filter(|_| {
        let mut bytes = whole.to_vec();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        try_out(&bytes)
    });
    cut + flipped.count()
}

#[test]
fn damaged_ascii_is_refused_or_read() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for whole in [small_rig(), crowd()] {
        let refused = pool.install(|| try_all(&whole.write(Y_UP_CM)));
        assert!(refused > 10, "{refused}");
    }
}

#[test]
fn damaged_binaries_are_refused_or_read() {
    let Some(path) = corpus("ufbx/maya_advanced_skinned_pivot_7700_binary.fbx") else { return };
    let whole = std::fs::read(path).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let refused = pool.install(|| try_all(&whole));
    assert!(refused > 40, "{refused}");
}

#[test]
fn what_is_no_fbx_is_called_that() {
    for junk in
        ["solid cube\nfacet normal 0 0 1\n", "hello", "glTF\x02\0\0\0", "\0\0\0\0\0\0\0\0", "v 0 0 0\nf 1 1 1\n"]
    {
        let message = import_bytes("fbx", junk.as_bytes()).unwrap_err().to_string();
        assert!(message.contains("test.fbx") && message.contains("not an FBX file"), "{junk:?}: {message}");
    }
    let empty = import_bytes("fbx", b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0").unwrap_err().to_string();
    assert!(empty.contains("byte"), "{empty}");
}

#[test]
fn a_file_without_joints_says_so() {
    let mut doc = super::ascii::Ascii::default();
    let node = doc.node("crate", "Mesh", 0, [0.0; 3], 1.0);
    doc.square(node);
    let message = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap_err().to_string();
    assert!(message.contains("no joints"), "{message}");
}
