//! Every sample is stored, at bit rates that may differ for each segment and track.

mod fractions;
mod layout;
mod reach;
mod segment_table;
mod segment_tracks;
mod step_groups;
pub mod steps;
mod take;

use super::Decode;
use crate::StateMemory;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::{Boxed, NoMemory, boxed};
use crate::parts::{ClipHeader, PoseSlice, StoredTracks};
use fractions::FractionsDecoder;
use steps::StepsDecoder;

pub use layout::{Granularity, Layout, RangeReduction, TrackSpan, exact_bits};
pub use take::{CUT_MARK, VariableRateTake};

/// Reads bit-packed samples in place. On disk, after the track table: [`Layout`] in 21 bits; then the data of the form.
#[derive(Debug)]
pub enum VariableRateDecoder {
    /// Samples as fractions of ranges.
    Fractions(Boxed<FractionsDecoder>),
    /// Samples as whole steps, for [`RangeReduction::Steps`].
    Steps(StepsDecoder),
}

impl Decode for VariableRateDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        Ok(match layout.range {
            RangeReduction::Steps => Self::Steps(StepsDecoder::open(header, input, bytes, table, &layout)?),
            _ => Self::Fractions(boxed(FractionsDecoder::open(header, input, bytes, table, &layout)?)?),
        })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        match self {
            Self::Fractions(_) => Ok(false),
            Self::Steps(decoder) => decoder.own(payload).map(|()| true),
        }
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, out: PoseSlice<'_>) {
        match self {
            Self::Fractions(decoder) => decoder.sample(bytes, at_sample, out),
            Self::Steps(decoder) => decoder.sample(bytes, at_sample, out),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Fractions(decoder) => size_of_val(&**decoder) + decoder.heap_bytes(),
            Self::Steps(decoder) => decoder.heap_bytes(),
        }
    }
}
