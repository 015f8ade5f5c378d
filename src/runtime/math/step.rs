//! Quantization steps as codes of one byte.

/// Number of codes after which the step doubles.
pub const STEP_CODES_AN_OCTAVE: i32 = 8;
/// Code of a step of size one.
pub const STEP_CODE_OF_ONE: i32 = 26 * STEP_CODES_AN_OCTAVE;

/// The sizes of eight steps within an octave.
const EIGHTHS: [f64; STEP_CODES_AN_OCTAVE as usize] = [
    1.0,
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    core::f64::consts::SQRT_2,
    1.542_210_825_407_940_7,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];

/// Size of a quantization step (metres, radians or parts of a unit quaternion): `2^(code / 8 - 26)`.
pub fn step_of_code(code: u8) -> f64 {
    let code = i32::from(code) - STEP_CODE_OF_ONE;
    let octave = code.div_euclid(STEP_CODES_AN_OCTAVE);
    EIGHTHS[code.rem_euclid(STEP_CODES_AN_OCTAVE) as usize] * f64::from_bits(((1023 + octave) as u64) << 52)
}

/// Steps as float32 without branches: the bits of `step_of_code(code) / 2^halvings` are those of `table[code % 8]`, plus `code * 2^20`.
pub const fn step_table(halvings: i32) -> [i32; EIGHTHS.len()] {
    let mut out = [0; EIGHTHS.len()];
    let mut code = 0;
    while code < EIGHTHS.len() {
        let octaves = STEP_CODE_OF_ONE / STEP_CODES_AN_OCTAVE + halvings;
        out[code] = (EIGHTHS[code] as f32).to_bits().cast_signed() - (octaves << 23) - ((code as i32) << 20);
        code += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_give_the_steps_of_all_codes() {
        for (halvings, factor) in [(0, 1.0), (2, 0.25)] {
            let table = step_table(halvings);
            for code in 0..=u8::MAX {
                let bits = table[usize::from(code) % EIGHTHS.len()] + (i32::from(code) << 20);
                assert_eq!(f32::from_bits(bits.cast_unsigned()), step_of_code(code) as f32 * factor, "{code}");
            }
        }
    }
}
