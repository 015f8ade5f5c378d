use super::scene::Figures;
use crate::render::{Line3d, LineLayer};
use crate::state::State;
use crate::theme::Theme;
use egui::Color32;
use glam::Vec3;
use posepress_core::metrics::ModelTrack;

/// Length of a trail before and after the playhead.
const REACH_SECS: f32 = 0.5;
/// Opacity at the playhead and at the ends of a trail.
const OPACITY: [f32; 2] = [240.0, 36.0];

/// Steps of a track around a time in playing order, each with its time relative to it. A loop continues across its
/// seam, for at most one round.
pub fn steps_around(track: &ModelTrack, time_secs: f32, looping: bool) -> Vec<(f32, usize)> {
    let steps_hz = track.grid().rate_hz() * track.sub_frames() as f64;
    let last = track.steps() - 1;
    if last == 0 || steps_hz <= 0.0 {
        return vec![(0.0, 0)];
    }
    let now = f64::from(time_secs) * steps_hz;
    let reach = (f64::from(REACH_SECS) * steps_hz).min(last as f64 * 0.5);
    let (from, to) = ((now - reach).ceil() as i64, (now + reach).floor() as i64);
    let inside = |step: &i64| looping || (0..=last as i64).contains(step);
    let of_round = |step: i64| if looping { step.rem_euclid(last as i64) } else { step } as usize;
    (from..=to).filter(inside).map(|step| (((step as f64 - now) / steps_hz) as f32, of_round(step))).collect()
}

/// Trails of the selected joints: what both sides show, and what only the compressed one shows.
///
/// The raw path is a thin neutral line. The decoded path is a thick line with a dot per sample. Both fade with time.
pub fn lines(state: State<'_>, theme: &Theme, figures: &Figures, gain: f32) -> (Vec<Line3d>, Vec<Line3d>) {
    let (mut raw_lines, mut decoded_lines) = (Vec::new(), Vec::new());
    let (Some(shown), Some((rig, clip))) = (state.shown(), state.selected()) else { return (raw_lines, decoded_lines) };
    let (raw, decoded) = (&*shown.source.raw, &*shown.outcome.decoded);
    let around = steps_around(raw, figures.time_secs, clip.is_looping());
    for joint in state.view.selection.trails().into_iter().filter(|&joint| joint < rig.skeleton.len()) {
        let true_path: Vec<_> = around.iter().map(|&(secs, step)| (secs, raw.origin(step, joint))).collect();
        let apart = |&(secs, step): &(f32, usize)| {
            let at = raw.origin(step, joint);
            (secs, at + (decoded.origin(step, joint) - at) * gain)
        };
        let drawn_path: Vec<_> = around.iter().map(apart).collect();
        raw_lines.extend(path(&true_path, theme.original, 1.2));
        decoded_lines.extend(path(&drawn_path, theme.compressed, 2.2));
        let samples = around.iter().zip(&drawn_path).filter(|((_, step), _)| raw.is_sample(*step));
        decoded_lines.extend(samples.map(|(_, &point)| line(point, point, theme.compressed, 4.5)));
    }
    (raw_lines, decoded_lines)
}

fn path(points: &[(f32, Vec3)], color: Color32, width_pt: f32) -> impl Iterator<Item = Line3d> + '_ {
    points.windows(2).map(move |pair| line(pair[0], pair[1], color, width_pt))
}

fn line((secs, a): (f32, Vec3), (_, b): (f32, Vec3), color: Color32, width_pt: f32) -> Line3d {
    let [r, g, b_channel, _] = color.to_array();
    let away = (secs.abs() / REACH_SECS).min(1.0);
    let alpha = OPACITY[0] + (OPACITY[1] - OPACITY[0]) * away;
    Line3d { a, b, color: [r, g, b_channel, alpha as u8], width_pt, dashed: false, layer: LineLayer::Top }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::math::Transform;
    use posepress_core::model::{Clip, ClipData, ClipSampler, Joint, Skeleton};

    /// One joint at x = sample for 91 samples at 30 Hz, with four steps per sample.
    fn track(samples: usize) -> ModelTrack {
        let bind = Transform::IDENTITY;
        let skeleton = Skeleton::new(vec![Joint { name: "j".into(), parent: None, bind }]).unwrap();
        let transforms = (0..samples).map(|i| Transform::from_translation(Vec3::X * i as f32)).collect();
        let clip = Clip::new(ClipData {
            name: "c".into(),
            joints: 1,
            duration_secs: (samples - 1) as f32 / 30.0,
            transforms,
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: Some(false),
        });
        let clip = clip.unwrap();
        ModelTrack::sample(&skeleton, &mut ClipSampler::new(&clip), clip.grid(), 4, 0)
    }

    #[test]
    fn a_trail_is_half_a_second_on_each_side() {
        let track = track(91);
        let around = steps_around(&track, 1.5, false);
        assert_eq!((around[0].1, around.last().unwrap().1, around.len()), (120, 240, 121));
        assert!((around[0].0 + 0.5).abs() < 1e-5 && (around[120].0 - 0.5).abs() < 1e-5);
        assert_eq!(track.origin(around[60].1, 0).x, 45.0);
    }

    #[test]
    fn a_clip_without_a_loop_ends_its_trail_and_a_loop_goes_on_across_the_seam() {
        let track = track(91);
        let ended = steps_around(&track, 0.1, false);
        assert_eq!((ended[0].1, ended.last().unwrap().1), (0, 72));
        let round: Vec<usize> = steps_around(&track, 0.0, true).into_iter().map(|(_, step)| step).collect();
        assert_eq!(round[..61].to_vec(), (300..360).chain([0]).collect::<Vec<_>>(), "the end, then the start");
        assert_eq!(round.len(), 121);
    }

    #[test]
    fn short_loops_and_poses_have_trails_too() {
        let short = steps_around(&track(4), 0.05, true);
        assert_eq!(short.len(), 13, "one round of twelve steps, both ends");
        assert_eq!(steps_around(&track(1), 0.0, true), [(0.0, 0)]);
    }
}
