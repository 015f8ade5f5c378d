use super::ErrorReport;

/// Share of the largest error that a maximum must reach to count as a peak.
const PEAK_SHARE: f32 = 0.6;
/// The clip's length divided by this is the smallest distance between peaks. A plot could not separate closer ones.
const PEAKS_ACROSS: usize = 24;

/// A local maximum of the error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Its position, in samples from the clip's start.
    pub sample: f64,
    /// The error, metres: on the skin if that was measured, else on the shell.
    pub error_m: f32,
    /// The joint with the error, or the one that contributes most to it on the skin.
    pub joint: usize,
}

/// The peaks of the visible error, ordered by time.
pub fn error_peaks(report: &ErrorReport) -> Vec<Peak> {
    let (values, stride) = match &report.vertex {
        Some(v) => (&v.per_step, v.stride),
        None => (&report.per_step, 1),
    };
    let sample = |step: usize| (step * stride) as f64 / report.sub_frames.max(1) as f64;
    let joint = |step: usize| match &report.vertex {
        Some(vertex) => vertex.per_step_joint.get(step).copied(),
        None => report.shell.worst_joint(step),
    };
    let peak = |step: usize| Some(Peak { sample: sample(step), error_m: values[step], joint: joint(step)? });
    peak_steps(values).into_iter().filter_map(peak).collect()
}

/// Steps at which an error peaks: local maxima of at least 60 % of the largest value, well apart from each other.
pub fn peak_steps(values: &[f32]) -> Vec<usize> {
    let largest = values.iter().copied().fold(0.0, f32::max);
    if largest <= 0.0 {
        return Vec::new();
    }
    let apart = (values.len() / PEAKS_ACROSS).max(2);
    let mut peaks: Vec<usize> = (0..values.len())
        .filter(|&i| {
            let around = &values[i.saturating_sub(apart)..(i + apart + 1).min(values.len())];
            values[i] >= largest * PEAK_SHARE && around.iter().all(|v| *v <= values[i])
        })
        .collect();
    peaks.dedup_by(|b, a| *b - *a <= apart);
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_apart_and_high_enough() {
        let mut values = vec![0.0f32; 100];
        for (at, height) in [(20, 1.0), (21, 0.9), (60, 0.7), (80, 0.3)] {
            values[at] = height;
        }
        assert_eq!(peak_steps(&values), [20, 60]);
        assert!(peak_steps(&[0.0; 5]).is_empty());
    }
}
