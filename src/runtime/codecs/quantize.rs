use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::parts::{ClipHeader, PoseRows};
use crate::{Pose, Sampler, TimeGrid};

/// Reads samples of a fixed format in place. On disk: [`PoseRows`], one a sample.
pub struct QuantizeSampler<'a> {
    grid: TimeGrid,
    rows: PoseRows<'a>,
}

impl<'a> QuantizeSampler<'a> {
    pub fn new(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let rows = PoseRows::read(BitReader::new(bytes), bytes, bind, header.grid.samples())?;
        Ok(Self { grid: header.grid, rows })
    }
}

impl Sampler for QuantizeSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (index, alpha) = self.grid.locate(time_secs);
        self.rows.sample((index, index + 1), alpha, out);
    }
}
