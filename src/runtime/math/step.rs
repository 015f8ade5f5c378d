//! Quantization steps as codes of one byte.

/// Number of codes after which the step doubles.
pub const STEP_CODES_AN_OCTAVE: i32 = 8;
/// Code of a step of size one.
pub const STEP_CODE_OF_ONE: i32 = 26 * STEP_CODES_AN_OCTAVE;

/// Size of a quantization step (metres, radians or parts of a unit quaternion): `2^(code / 8 - 26)`.
pub fn step_of_code(code: u8) -> f64 {
    const EIGHTHS: [f64; 8] = [
        1.0,
        1.090_507_732_665_257_7,
        1.189_207_115_002_721,
        1.296_839_554_651_009_6,
        core::f64::consts::SQRT_2,
        1.542_210_825_407_940_7,
        1.681_792_830_507_429,
        1.834_008_086_409_342_4,
    ];
    let code = i32::from(code) - STEP_CODE_OF_ONE;
    let octave = code.div_euclid(STEP_CODES_AN_OCTAVE);
    EIGHTHS[code.rem_euclid(STEP_CODES_AN_OCTAVE) as usize] * f64::from_bits(((1023 + octave) as u64) << 52)
}
