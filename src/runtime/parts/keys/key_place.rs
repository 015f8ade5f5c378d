/// A key of a track and where it is stored: a bit of the payload, or whatever numbers the keys of its track from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyPlace {
    /// Its sample.
    pub sample: u32,
    /// Zero is no key's place.
    pub place: u32,
}
