/// A key of a track, and its place: a bit of the payload, or any other number that identifies the key in its track, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyPlace {
    /// Sample of the key.
    pub sample: u32,
    /// Its place; zero for no key.
    pub place: u32,
}

/// A key of a track: its sample, and its index in a list of keys. In blocks, the index is the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyAt {
    /// Its sample.
    pub sample: u16,
    /// Its index.
    pub index: u16,
}

impl KeyAt {
    /// A key in blocks.
    #[inline]
    pub fn of_sample(sample: usize) -> Self {
        Self { sample: sample as u16, index: sample as u16 }
    }
}
