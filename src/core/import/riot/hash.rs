use crate::model::Rig;

/// Hash of a joint name in `.anm` files: the ELF hash of the name in lower case.
pub(crate) fn joint_hash(name: &str) -> u32 {
    name.to_lowercase().bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

/// Name of a joint, made of its hash, for files without names.
pub(super) fn name_of(hash: u32) -> String {
    format!("#{hash:08x}")
}

/// The hash in a name such as `#00079664`. `None` for other names.
pub fn named_hash(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('#').filter(|digits| digits.len() == 8)?;
    u32::from_str_radix(digits, 16).ok()
}

/// True if the rig is a placeholder, since its file has only hashes of joint names. Clips of such a file need the rig of another file.
pub fn lacks_rig(rig: &Rig) -> bool {
    rig.skeleton.joints().iter().all(|joint| joint.parent.is_none() && named_hash(&joint.name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_hashes_of_28_bits() {
        assert_eq!(["", "a", "root", "ROOT"].map(joint_hash), [0, 0x61, 0x7_9664, 0x7_9664]);
        assert!(joint_hash(&"spine".repeat(20_000)) < 1 << 28);
    }

    #[test]
    fn a_joint_is_called_by_its_hash_and_found_by_it() {
        assert_eq!(named_hash(&name_of(joint_hash("root"))), Some(0x7_9664));
        for name in ["root", "#79664", "#0007966g", "#é07966"] {
            assert_eq!(named_hash(name), None, "{name}");
        }
    }
}
