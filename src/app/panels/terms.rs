//! The terms of figures, as the glossary of the book explains them.

use posepress_core::metrics::Aspect;

/// Points around a joint.
pub const SHELL: &str = "Points at a fixed distance around a joint, where its error is measured: virtual vertices.";
/// The mesh.
pub const SKIN: &str =
    "The mesh that joints move. Its error is the largest distance of a vertex from its place in the original.";
/// Error between samples.
pub const BETWEEN: &str = "The error at times between two samples, where a curve through keys can overshoot.";
/// A standing foot.
pub const CONTACT: &str = "A span of time in which a foot stands, found in the original.";
/// The drift of a foot.
pub const SLIDE: &str = "How far a foot drifts during a contact, compared with the original.";
/// Fast changes of the error.
pub const JITTER: &str = "The part of the error above 4 Hz, which looks like trembling.";
/// The way of a loop with root motion.
pub const ROOT: &str = "Distance of a loop with root motion from the original's place after 100 rounds.";
/// The seam of a loop.
pub const SEAM: &str = "A clip that continues from its last sample with its first; the point at which it does.";

/// The term of a figure, if the glossary has one.
pub fn of(aspect: Aspect) -> Option<&'static str> {
    Some(match aspect {
        Aspect::Shell => SHELL,
        Aspect::Between => BETWEEN,
        Aspect::Skin => SKIN,
        Aspect::Slide => SLIDE,
        Aspect::Jitter => JITTER,
        Aspect::Seam => SEAM,
        Aspect::Root => ROOT,
        Aspect::Pin | Aspect::Precision | Aspect::Sampling => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glossary_says_the_same() {
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/glossary.md");
        let book = std::fs::read_to_string(book).unwrap();
        for term in [SHELL, SKIN, BETWEEN, CONTACT, SLIDE, JITTER, ROOT, SEAM] {
            assert!(book.contains(&format!("| {term} |")), "{term}");
        }
    }
}
