//! The parts of encoders that the tools for entropy-coder tables need. Not part of the public API: it changes without notice.

pub use super::encode::write::{SymbolWriter, huffman_symbol};
pub use super::press::contents as press_contents;
pub use super::wavelet::{Sketch as WaveletSketch, WaveletCodec, search_blocks as search_wavelet_blocks};
