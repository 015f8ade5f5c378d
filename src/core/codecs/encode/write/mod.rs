//! Writers for the runtime's readers: one file per subject, with a test that both agree.

mod exact;
mod jump_table;
mod key_blocks;
mod key_coding;
mod key_format;
mod key_numbers;
mod key_times;
mod limbs;
#[cfg(test)]
mod rate_lanes;
mod rotation_format;
mod span;
mod symbols;
mod track_table;
mod vector_format;

pub use exact::write_channel;
pub use jump_table::write_jump_table;
pub use key_blocks::{BlockRange, keys_of_blocks, write_block_times, write_codes_over};
pub use key_coding::{WriteCoding, codes};
pub use key_format::{WriteKey, write_format, write_range};
pub use key_numbers::KeyNumbers;
pub use key_times::write_times;
pub use limbs::write_limbs;
pub use span::{
    quantize3, rotation_span_codes, segment_span_code, span_fraction, vector_extent_codes, write_rotation_span,
    write_vector_span,
};
pub use symbols::{
    ArithmeticWriter, HuffmanCounter, HuffmanWriter, RansWriter, SymbolWriter, VarintWriter, ZeroRunWriter,
    huffman_symbol, write_huffman_tables, zigzag,
};
pub use track_table::write_track_table;
