/// Identifies the codec of a clip: four bytes on disk, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodecId(pub [u8; 4]);
