use super::FootPart;

/// Words for the part that carries the weight at the end of a leg.
const HEEL_WORDS: &[&str] = &["foot", "ankle", "heel"];
/// Words for the front of a foot, and for animals' feet.
const TOE_WORDS: &[&str] = &["toe", "toes", "toebase", "ball", "paw", "hoof"];
/// Words for the end of an arm.
const HAND_WORDS: &[&str] = &["hand", "wrist"];
/// Words that mean a foot only together with a side: a ball may be a toy.
const SIDED_WORDS: &[&str] = &["ball"];
/// Words for a side, alone or joined to another word: `foot.l`, `LeftFoot`, `lfoot`.
const SIDES: &[&str] = &["left", "right", "l", "r"];
/// Words for rig controls and helpers, which move near feet and have no skin, and for chain ends, which do not move.
const HELPER_WORDS: &[&str] = &[
    "ik", "fk", "control", "ctrl", "ctl", "target", "pole", "goal", "effector", "helper", "dummy", "roll", "twist",
    "mch", "org", "end", "nub", "tip", "site", "socket",
];
/// Words for parts that can be low but are not legs.
const HANGING_WORDS: &[&str] = &[
    "tail", "cape", "cloak", "coat", "skirt", "dress", "robe", "cloth", "hair", "braid", "rope", "chain", "belt",
    "wing",
];
/// Words for things that hands hold.
const PROP_WORDS: &[&str] = &["weapon", "sword", "shield", "bow", "staff", "axe", "gun", "prop", "spear", "rifle"];
/// Words for the head and the joints in it.
const HEAD_WORDS: &[&str] = &["head", "jaw", "eye", "eyes"];
/// Words for the joint that carries the legs.
const HIPS_WORDS: &[&str] = &["hips", "pelvis"];

/// The words in a joint's name.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::metrics) struct JointName {
    words: Vec<String>,
}

/// True if the name of a joint means a foot or a part of one.
///
/// ```
/// use posepress_core::metrics::is_foot_name;
///
/// assert!(is_foot_name("mixamorig:LeftFoot") && is_foot_name("foot.l"));
/// assert!(!is_foot_name("LeftHand") && !is_foot_name("foot_ik_ctrl"));
/// ```
pub fn is_foot_name(name: &str) -> bool {
    JointName::new(name).foot().is_some()
}

impl JointName {
    pub(in crate::metrics) fn new(name: &str) -> Self {
        Self { words: words(name) }
    }

    /// The part of a foot that the name means. `None` for other joints and for helpers.
    pub(in crate::metrics) fn foot(&self) -> Option<FootPart> {
        if self.is_helper() {
            return None;
        }
        let kind = |word: &str| {
            if HEEL_WORDS.contains(&word) {
                Some(FootPart::Heel)
            } else if TOE_WORDS.contains(&word) && (self.has_side() || !SIDED_WORDS.contains(&word)) {
                Some(FootPart::Toe)
            } else {
                None
            }
        };
        let kinds = || self.words.iter().flat_map(|w| stems(w)).filter_map(kind);
        // "FootToe" and "ToeOfFoot" are toes: the more specific word wins.
        kinds().find(|&k| k == FootPart::Toe).or_else(|| kinds().next())
    }

    /// True for a hand or a wrist.
    pub(in crate::metrics) fn is_hand(&self) -> bool {
        !self.is_helper() && self.words.iter().flat_map(|w| stems(w)).any(|stem| HAND_WORDS.contains(&stem))
    }

    /// True for a wrist.
    pub(in crate::metrics) fn is_wrist(&self) -> bool {
        self.words.iter().flat_map(|w| stems(w)).any(|stem| stem == "wrist")
    }

    /// True for a control, a helper or the end of a chain.
    pub(in crate::metrics) fn is_helper(&self) -> bool {
        self.has_any(HELPER_WORDS)
    }

    /// True for parts and props such as a tail, a cape or a weapon.
    pub(super) fn hangs(&self) -> bool {
        self.has_any(HANGING_WORDS) || self.is_prop()
    }

    /// True for a thing that hands hold.
    pub(in crate::metrics) fn is_prop(&self) -> bool {
        self.has_any(PROP_WORDS)
    }

    /// True for the head and the joints in it.
    pub(in crate::metrics) fn is_head(&self) -> bool {
        self.has_any(HEAD_WORDS)
    }

    /// True for the joint that carries the legs.
    pub(in crate::metrics) fn is_hips(&self) -> bool {
        self.has_any(HIPS_WORDS)
    }

    fn has_any(&self, list: &[&str]) -> bool {
        self.words.iter().any(|w| list.contains(&w.as_str()))
    }

    fn has_side(&self) -> bool {
        self.words.iter().any(|w| SIDES.contains(&w.as_str()) || stems(w).count() > 1)
    }
}

/// The word itself, and the word without a side at either end.
fn stems(word: &str) -> impl Iterator<Item = &str> {
    let cut = SIDES.iter().flat_map(move |side| [word.strip_prefix(side), word.strip_suffix(side)]);
    let known = |w: &&str| [HEEL_WORDS, TOE_WORDS, HAND_WORDS].iter().any(|words| words.contains(w));
    std::iter::once(word).chain(cut.flatten().filter(known))
}

/// Splits a name into lower-case words at digits, punctuation and changes of case: `b_LeftFoot01` gives b, left, foot.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(i + 1);
        let starts_word =
            c.is_uppercase() && (before.is_some_and(char::is_lowercase) || after.is_some_and(|c| c.is_lowercase()));
        if starts_word || !c.is_alphabetic() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphabetic(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_of_the_usual_rigs_are_found() {
        let heels =
            ["Foot_L", "foot.l", "LeftFoot", "mixamorig:RightFoot", "b_LeftFoot01_017", "lfoot", "Bip01 R Foot"];
        for name in heels.into_iter().chain(["ankle_r", "LAnkle", "DEF-foot.L", "LeftFootThumb1", "leftfoot"]) {
            assert_eq!(JointName::new(name).foot(), Some(FootPart::Heel), "{name}");
        }
        let toes = ["Toes_L", "toes.r", "LeftToeBase", "ball_l", "Bip01 L Toe0", "rtoe", "front_paw_l", "BallL"];
        for name in toes {
            assert_eq!(JointName::new(name).foot(), Some(FootPart::Toe), "{name}");
        }
    }

    #[test]
    fn hands_are_found_and_fingers_are_left_to_their_hands() {
        for name in ["hand.l", "LeftHand", "b_RightHand_09", "wrist_r", "lhand", "Bip01 L Hand"] {
            assert!(JointName::new(name).is_hand(), "{name}");
        }
        for name in ["handslot.l", "handIK.l", "Hand_End", "handle", "Foot_L", "forearm"] {
            assert!(!JointName::new(name).is_hand(), "{name}");
        }
    }

    #[test]
    fn controls_ends_and_lookalikes_are_no_feet() {
        let others = ["IK-foot.l", "heelIK.r", "control-toe-roll.l", "Bip01LToe0Nub", "Bip01 Footsteps", "football"];
        for name in others.into_iter().chain(["ball", "eyeball_l", "MCH-foot.L", "Toe_End", "Hand_L", "", "left"]) {
            assert_eq!(JointName::new(name).foot(), None, "{name}");
        }
        assert!(JointName::new("b_Tail03_014").hangs());
    }
}
