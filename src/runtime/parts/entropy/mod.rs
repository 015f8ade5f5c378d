//! Entropy coders.

#[cfg(feature = "press")]
pub(in crate::parts) mod logistic;
pub(in crate::parts) mod range_coder;
#[cfg(any(feature = "press", feature = "wavelet"))]
pub(in crate::parts) mod range_encoder;
#[cfg(feature = "wavelet")]
pub(in crate::parts) mod symbols;

#[cfg(feature = "press")]
pub use logistic::{squash, stretch, stretch_of_zero, tail};
pub use range_coder::{Chance, CodeBit, LOW_RANGE, PROBABILITY_BITS, RangeDecoder, code_digits};
#[cfg(any(feature = "press", feature = "wavelet"))]
pub use range_encoder::{READ_AHEAD, RangeEncoder};
#[cfg(feature = "wavelet")]
pub use symbols::{
    ARITHMETIC_SIZES, ARITHMETIC_TRAINED, ArithmeticModel, ArithmeticReader, ArithmeticStart, ByteReaderOf,
    CanonicalCode, Context, EntropyCoder, HUFFMAN_LONGEST, HUFFMAN_OWN, HUFFMAN_SYMBOLS, HuffmanCodes, HuffmanReader,
    HuffmanTables, InflateBuffer, Inflater, PlainBytes, RANS_BITS, RANS_LOW, RANS_TABLES, RansReader, SymbolReader,
    ZeroRunReader, unzigzag,
};
