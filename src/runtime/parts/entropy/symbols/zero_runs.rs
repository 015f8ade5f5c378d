use super::{Context, SymbolReader};

/// Reads numbers with run lengths: if `is_on`, each zero is followed by the number of further zeros.
pub struct ZeroRunReader<'a, R> {
    from: &'a mut R,
    is_on: bool,
    zeros: u32,
}

impl<'a, R: SymbolReader> ZeroRunReader<'a, R> {
    /// Starts a reader. `is_on` must have the value that the writer had.
    pub fn new(from: &'a mut R, is_on: bool) -> Self {
        Self { from, is_on, zeros: 0 }
    }

    /// The underlying reader, for numbers without run lengths.
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
