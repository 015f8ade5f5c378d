use crate::text::shifted;
use thiserror::Error;

/// Unit of a number. Most numbers are stored in SI units, and shown and typed in familiar ones.
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
    /// A factor.
    Times,
    /// Whole samples.
    Samples,
    /// Bits.
    Bits,
    /// Kilobytes of 1024 bytes.
    Kilobytes,
    /// Metres, shown as metres: the distance of a camera.
    CameraMetres,
    /// Degrees, stored as degrees: the field of view of a camera.
    Degrees,
    /// Pixels of a screen.
    Pixels,
    /// Seconds, shown as nanoseconds.
    Nanoseconds,
}

impl Unit {
    /// The unit in files. `None` for plain numbers and factors.
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
            Self::Kilobytes => Some("KB"),
            Self::CameraMetres => Some("m"),
            Self::Degrees => Some("deg"),
            Self::Pixels => Some("px"),
            Self::Nanoseconds => Some("s"),
        }
    }

    /// The text after a displayed number, including its space.
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
            Self::Kilobytes => " KB",
            Self::CameraMetres => " m",
            Self::Degrees => "°",
            Self::Pixels => " px",
            Self::Nanoseconds => " ns",
        }
    }

    /// Converts a stored number to the displayed unit, with exact decimals: 0.0001 m is 0.1 mm, not 0.09999999999999999.
    pub fn shown(self, stored: f64) -> f64 {
        match self {
            Self::Radians => stored.to_degrees(),
            _ => shifted(stored, self.digits()),
        }
    }

    /// Converts a displayed or typed number to the stored unit.
    pub fn stored_of(self, shown: f64) -> f64 {
        match self {
            Self::Radians => shown.to_radians(),
            _ => shifted(shown, -self.digits()),
        }
    }

    /// Reads a number as people type it, and returns it in the displayed unit. A number without a unit is in the displayed unit.
    ///
    /// ```
    /// use posepress_core::settings::Unit;
    ///
    /// assert_eq!(Unit::Metres.read("2 cm")?, 20.0); // lengths are displayed in millimetres
    /// assert_eq!(Unit::Metres.read("0,3")?, 0.3);
    /// assert!(Unit::Metres.read("5 kg").is_err());
    /// # Ok::<(), posepress_core::settings::NotANumber>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`NotANumber`], whose message has examples of valid input.
    pub fn read(self, typed: &str) -> Result<f64, NotANumber> {
        let refused = || NotANumber { typed: typed.trim().to_owned(), examples: self.examples() };
        let text: String =
            typed.chars().filter(|c| !c.is_whitespace()).map(|c| if c == '\u{2212}' { '-' } else { c }).collect();
        // One comma and no point is a decimal comma. Otherwise it is ambiguous which of them separates thousands.
        let text = if text.contains('.') { text } else { text.replacen(',', ".", 1) };
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let mut number_and_unit = ends.filter_map(|end| Some((text[..end].parse::<f64>().ok()?, &text[end..])));
        let (number, unit) = number_and_unit.find(|(number, _)| number.is_finite()).ok_or_else(refused)?;
        let unit = unit.to_lowercase();
        if unit.is_empty() {
            return Ok(number);
        }
        let (_, factor) = self.typed().iter().find(|(name, _)| *name == unit).ok_or_else(refused)?;
        Ok(number * factor)
    }

    /// Units that can be typed, each with its size in the displayed unit.
    fn typed(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::None => &[],
            Self::Metres => &[
                ("mm", 1.0),
                ("cm", 10.0),
                ("m", 1000.0),
                ("um", 0.001),
                ("\u{b5}m", 0.001),
                ("\u{3bc}m", 0.001),
                ("in", 25.4),
            ],
            Self::MetresPerSecond => &[("cm/s", 1.0), ("mm/s", 0.1), ("m/s", 100.0)],
            Self::Radians => &[("\u{b0}", 1.0), ("deg", 1.0), ("rad", 180.0 / std::f64::consts::PI)],
            Self::Seconds => &[("s", 1.0), ("ms", 0.001)],
            Self::Hertz => &[("hz", 1.0), ("fps", 1.0)],
            Self::Times => &[("x", 1.0), ("\u{d7}", 1.0), ("%", 0.01)],
            Self::Samples => &[("samples", 1.0), ("sample", 1.0)],
            Self::Bits => &[("bits", 1.0), ("bit", 1.0)],
            Self::Kilobytes => &[("kb", 1.0), ("mb", 1024.0), ("b", 1.0 / 1024.0)],
            Self::CameraMetres => &[("m", 1.0), ("cm", 0.01), ("mm", 0.001)],
            Self::Degrees => &[("\u{b0}", 1.0), ("deg", 1.0)],
            Self::Pixels => &[("px", 1.0)],
            Self::Nanoseconds => &[("ns", 1.0), ("us", 1000.0), ("\u{b5}s", 1000.0), ("\u{3bc}s", 1000.0)],
        }
    }

    fn examples(self) -> &'static str {
        match self {
            Self::None => "12 or 0.3",
            Self::Metres => "0.3, 2 cm or 0.5 mm",
            Self::MetresPerSecond => "15, 2 mm/s or 0.1 m/s",
            Self::Radians => "0.5 or 0.01 rad",
            Self::Seconds => "0.2 or 200 ms",
            Self::Hertz => "30 or 29.97 Hz",
            Self::Times => "1.5 or 150 %",
            Self::Samples => "12",
            Self::Bits => "12",
            Self::Kilobytes => "150, 1.5 MB or 800 B",
            Self::CameraMetres => "3, 250 cm or 3 m",
            Self::Degrees => "60 or 60 deg",
            Self::Pixels => "0.5 or 2 px",
            Self::Nanoseconds => "50 or 0.2 us",
        }
    }

    /// Number of digits by which the decimal point moves.
    fn digits(self) -> i32 {
        match self {
            Self::Metres => 3,
            Self::MetresPerSecond => 2,
            Self::Nanoseconds => 9,
            _ => 0,
        }
    }
}

/// A typed text that is not a number in this unit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{typed}' is not a number in this unit. Type {examples}.")]
pub struct NotANumber {
    /// The typed text.
    pub typed: String,
    examples: &'static str,
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
    #[test]
    fn numbers_are_read_as_people_type_them() {
        let mm = |text: &str| Unit::Metres.read(text).ok();
        for (text, expected) in
            [("0.5 mm", 0.5), ("2cm", 20.0), ("0,3", 0.3), (" 1 m ", 1000.0), ("1e-4m", 0.1), ("\u{2212}5", -5.0)]
        {
            assert_eq!(mm(text), Some(expected), "{text}");
        }
        for text in ["", "mm", "abc", "5 kg", "1,2,3", "1.000,5", "inf", "nan", "0.5 s", "--1"] {
            assert_eq!(mm(text), None, "{text}");
        }
        assert_eq!(
            Unit::Metres.read("5 kg").unwrap_err().to_string(),
            "'5 kg' is not a number in this unit. Type 0.3, 2 cm or 0.5 mm."
        );
        let others = [
            (Unit::MetresPerSecond, "0.1 m/s", 10.0),
            (Unit::Radians, "2 rad", 2f64.to_degrees()),
            (Unit::Seconds, "200 ms", 0.2),
            (Unit::Times, "150 %", 1.5),
            (Unit::Hertz, "29,97 fps", 29.97),
            (Unit::Samples, "12 samples", 12.0),
            (Unit::Bits, "16 Bits", 16.0),
            (Unit::Kilobytes, "1,5 MB", 1536.0),
            (Unit::CameraMetres, "250 cm", 2.5),
            (Unit::Degrees, "60\u{b0}", 60.0),
            (Unit::Pixels, "0.5 px", 0.5),
            (Unit::None, "-2", -2.0),
        ];
        for (unit, text, expected) in others {
            assert!((unit.read(text).unwrap() - expected).abs() < 1e-12, "{text}");
        }
    }
}
