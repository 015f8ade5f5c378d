use super::SymbolWriter;
use crate::codecs::runtime::Context;

/// Writes a run of zeros as one zero and the number of zeros after it.
pub struct ZeroRunWriter<'a, W> {
    out: &'a mut W,
    is_on: bool,
    zeros: u32,
    /// Context of the run's first zero.
    context: Context,
}

impl<'a, W: SymbolWriter> ZeroRunWriter<'a, W> {
    /// If `is_on` is false, numbers pass unchanged.
    pub fn new(out: &'a mut W, is_on: bool) -> Self {
        Self { out, is_on, zeros: 0, context: Context::RUN }
    }

    /// Appends a number.
    pub fn symbol(&mut self, value: u32, context: Context) {
        if !self.is_on {
            self.out.symbol(value, context);
        } else if value == 0 {
            if self.zeros == 0 {
                self.context = context;
            }
            self.zeros += 1;
        } else {
            self.flush();
            self.out.symbol(value, context);
        }
    }

    /// The inner writer, for numbers outside of runs. Ends a run.
    pub fn inner(&mut self) -> &mut W {
        self.flush();
        self.out
    }

    /// Ends a run. Call it after the last number.
    pub fn flush(&mut self) {
        if self.zeros > 0 {
            self.out.symbol(0, self.context);
            self.out.symbol(self.zeros - 1, Context::RUN);
            self.zeros = 0;
        }
    }
}
