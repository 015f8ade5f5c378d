//! Every sample is stored as a whole pose in fixed formats.

use super::Decode;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, PoseRows, PoseSlice};
use crate::{StateMemory, TimeGrid};

/// Reads samples in fixed formats, in place. On disk: [`PoseRows`], one row per sample.
#[derive(Debug)]
pub struct QuantizeDecoder {
    grid: TimeGrid,
    rows: PoseRows,
}

impl Decode for QuantizeDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let rows = PoseRows::read(BitReader::new(bytes), bytes, bind, header.grid.samples())?;
        Ok(Self { grid: header.grid, rows })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        self.rows.own(payload).map(|()| true)
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        self.rows.sample(bytes, (index, index + 1), alpha, out);
    }

    fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes()
    }
}
