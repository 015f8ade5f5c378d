use crate::text::shifted;

/// Unit of a number: stored in SI, shown and typed in what people use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain number.
    None,
    /// Metres, shown as millimetres.
    Metres,
    /// Metres per second, shown as centimetres per second.
    MetresPerSecond,
    /// Radians, shown as degrees.
    Radians,
    /// Seconds.
    Seconds,
    /// Samples per second.
    Hertz,
    /// How many times something else.
    Times,
    /// Whole samples.
    Samples,
    /// Bits.
    Bits,
}

impl Unit {
    /// The unit that files hold; `None` for plain numbers and factors.
    pub fn stored(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Times => None,
            Self::Metres => Some("m"),
            Self::MetresPerSecond => Some("m/s"),
            Self::Radians => Some("rad"),
            Self::Seconds => Some("s"),
            Self::Hertz => Some("Hz"),
            Self::Samples => Some("samples"),
            Self::Bits => Some("bits"),
        }
    }

    /// What stands behind a shown number, with its space.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Metres => " mm",
            Self::MetresPerSecond => " cm/s",
            Self::Radians => "°",
            Self::Seconds => " s",
            Self::Hertz => " Hz",
            Self::Times => " x",
            Self::Samples => " samples",
            Self::Bits => " bits",
        }
    }

    /// A stored number as it is shown: 0.0001 m is 0.1 mm, not 0.09999999999999999.
    pub fn shown(self, stored: f64) -> f64 {
        match self {
            Self::Radians => stored.to_degrees(),
            _ => shifted(stored, self.digits()),
        }
    }

    /// The stored number of one that was shown or typed.
    pub fn stored_of(self, shown: f64) -> f64 {
        match self {
            Self::Radians => shown.to_radians(),
            _ => shifted(shown, -self.digits()),
        }
    }

    /// By how many digits the decimal point moves.
    fn digits(self) -> i32 {
        match self {
            Self::Metres => 3,
            Self::MetresPerSecond => 2,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_both_ways() {
        for mm in [0.1, 0.01, 1.0, 3.4, 0.123_456, 30.0] {
            let metres = Unit::Metres.stored_of(mm) as f32;
            assert_eq!(Unit::Metres.shown(shifted(metres, 0)), mm, "{metres}");
        }
        assert_eq!(Unit::Metres.stored_of(0.1) as f32, 0.0001);
        assert_eq!(Unit::MetresPerSecond.shown(0.15), 15.0);
        assert_eq!((Unit::Radians.shown(std::f64::consts::PI), Unit::Bits.shown(16.0)), (180.0, 16.0));
    }
}
