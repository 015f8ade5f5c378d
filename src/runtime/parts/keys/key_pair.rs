use super::ranged::RangedPart;

/// The cursor of a track: two neighbouring keys, decoded.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyPair<K> {
    /// The first key.
    pub a: K,
    /// The second key.
    pub b: K,
    /// Their place.
    pub span: KeySpan,
}

impl<K: Default> KeyPair<K> {
    /// No keys yet.
    pub fn nowhere() -> Self {
        let span = KeySpan { from: KeySpan::NOWHERE, to: KeySpan::NOWHERE, ..KeySpan::default() };
        Self { span, ..Self::default() }
    }
}

/// The place of two neighbouring keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeySpan {
    /// Sample of the first key.
    pub from: u16,
    /// Sample of the second key.
    pub to: u16,
    /// In lists, the index of the first key.
    pub index: u16,
    /// The place of the second key; in blocks, once that is read, the place after it.
    pub next: BlockPlace,
}

impl KeySpan {
    /// Sample of no key.
    pub const NOWHERE: u16 = u16::MAX;
}

/// The place of a key, and the range of its block. In blocks, each key follows the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockPlace {
    /// Bit of the key.
    pub bit: u32,
    /// First sample after its block.
    pub block_end: u16,
    /// Bits of each key of its block.
    pub bits: u8,
    /// Range of its block. Fixed formats have none.
    pub part: RangedPart,
}

/// The keys that a cursor has to read after a move.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// None.
    Stay,
    /// The second key. The first one is the second one of before.
    Next,
    /// The first key, at this place, and the second key.
    Jump(BlockPlace),
}

/// Returns the bits of the three components of a track's keys. Finding keys asks for them only at the first key of a block or of a list.
pub type Widths<'a> = &'a dyn Fn() -> [u8; 3];
