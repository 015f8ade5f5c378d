//! What tools that print the tables of entropy coders need of encoders. No part of the interface: it changes without notice.

pub use super::encode::write::{RangeEncoder, SymbolWriter, huffman_symbol};
pub use super::press::contents as press_contents;
pub use super::wavelet::{Sketch as WaveletSketch, WaveletCodec, search_blocks as search_wavelet_blocks};
