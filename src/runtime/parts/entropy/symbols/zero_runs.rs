use super::{Context, SymbolReader};

/// Reads numbers of which a run of zeros is one zero and how many follow it.
pub struct ZeroRunReader<'a, R> {
    from: &'a mut R,
    is_on: bool,
    zeros: u32,
}

impl<'a, R: SymbolReader> ZeroRunReader<'a, R> {
    /// `is_on` as the writer had it.
    pub fn new(from: &'a mut R, is_on: bool) -> Self {
        Self { from, is_on, zeros: 0 }
    }

    /// What numbers are read from, for those that no run holds.
    pub fn inner(&mut self) -> &mut R {
        self.from
    }

    /// The next number.
    #[inline]
    pub fn symbol(&mut self, context: Context) -> u32 {
        if self.zeros > 0 {
            self.zeros -= 1;
            return 0;
        }
        let value = self.from.symbol(context);
        if self.is_on && value == 0 {
            self.zeros = self.from.symbol(Context::RUN);
        }
        value
    }
}
