/// A key of a track, and its place: a bit of the payload, or any other number that identifies the key in its track, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyPlace {
    /// Sample of the key.
    pub sample: u32,
    /// Its place; zero for no key.
    pub place: u32,
}
