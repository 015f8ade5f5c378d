use super::SymbolWriter;
use crate::codecs::runtime::Context;

/// Writes a run of zeros as one zero and how many follow it.
pub struct ZeroRunWriter<'a, W> {
    out: &'a mut W,
    is_on: bool,
    zeros: u32,
    /// Of the first zero of the run.
    context: Context,
}

impl<'a, W: SymbolWriter> ZeroRunWriter<'a, W> {
    /// Passes everything through where `is_on` is false.
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

    /// What numbers are written to, for those that no run holds; ends a run.
    pub fn inner(&mut self) -> &mut W {
        self.flush();
        self.out
    }

    /// Ends a run: call it after the last number.
    pub fn flush(&mut self) {
        if self.zeros > 0 {
            self.out.symbol(0, self.context);
            self.out.symbol(self.zeros - 1, Context::RUN);
            self.zeros = 0;
        }
    }
}
