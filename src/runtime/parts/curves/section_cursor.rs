use super::spline_section::{SplineKey, SplineSection, SplineShape};
use crate::parts::keys::key_place::KeyPlace;
use glam::Vec4;

/// The spline section that was sampled last, and its four keys. The next section shares three of them.
#[derive(Debug, Clone, Default)]
pub struct SectionCursor {
    section: Option<SplineSection>,
    /// The keys with their values.
    known: [(KeyPlace, Vec4); 4],
}

impl SectionCursor {
    /// The value at a fractional sample, if it lies in the section.
    #[inline]
    pub fn value(&self, at: f64) -> Option<Vec4> {
        self.section.as_ref().filter(|section| section.holds(at)).map(|section| section.value(at))
    }

    /// Builds the section between two keys from these and their neighbours, if any. Returns its value at `at`. `read` decodes a key.
    pub fn enter(
        &mut self,
        before: Option<KeyPlace>,
        [a, b]: [KeyPlace; 2],
        after: Option<KeyPlace>,
        (shape, at): (SplineShape, f64),
        read: impl Fn(KeyPlace) -> Vec4,
    ) -> Vec4 {
        let known = self.known;
        let value_of = |key: KeyPlace| match known.iter().find(|(place, _)| *place == key) {
            Some((_, value)) => *value,
            None => read(key),
        };
        // A missing neighbour is replaced by the key beside it, which is read anyway.
        let keys = [before.unwrap_or(a), a, b, after.unwrap_or(b)];
        let (from, to) = (value_of(a), value_of(b));
        let values = [before.map_or(from, value_of), from, to, after.map_or(to, value_of)];
        let key = |i: usize| SplineKey { sample: keys[i].sample, value: values[i] };
        let section = SplineSection::between(before.map(|_| key(0)), [key(1), key(2)], after.map(|_| key(3)), shape);
        self.known = core::array::from_fn(|i| (keys[i], values[i]));
        self.section = Some(section);
        section.value(at)
    }
}
