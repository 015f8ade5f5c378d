use crate::metrics::Contact;
use crate::model::Clip;
use glam::Vec3;

/// Before the first contact of a clip and after the last, the change eases to zero if there is this much time.
const EASE_SECS: f32 = 0.15;

/// The change of a foot's place at every sample, metres in object space.
pub(super) struct Places {
    changes_m: Vec<Vec3>,
    /// Samples until they repeat. One less than the samples of a loop, whose last sample equals the first.
    period: usize,
}

impl Places {
    /// The changes that make a foot stand still during its contacts.
    pub(super) fn find(foot: usize, clip: &Clip, contacts: &[&Contact]) -> Self {
        let period = if clip.is_looping() { clip.samples() - 1 } else { clip.samples() };
        let mut known = vec![None; period];
        let sample_secs = clip.grid().time_secs(1.0);
        for contact in contacts.iter().filter(|contact| contact.foot == foot) {
            for (at, change) in held(contact, sample_secs, period) {
                known[at % period] = Some(change);
            }
        }
        let ease = (EASE_SECS / sample_secs).ceil() as usize;
        Self { changes_m: eased(&known, clip.is_looping(), ease), period }
    }

    /// The change at a sample.
    pub(super) fn at(&self, sample: usize) -> Vec3 {
        self.changes_m[sample % self.period]
    }

    /// The largest change.
    pub(super) fn most_m(&self) -> f32 {
        self.changes_m.iter().map(|change| change.length()).fold(0.0, f32::max)
    }
}

/// Samples of a contact, and at each the change that keeps the foot at the middle of its way.
fn held(contact: &Contact, sample_secs: f32, period: usize) -> impl Iterator<Item = (usize, Vec3)> {
    let moved = &contact.source.moved_m;
    let sample = |secs: f32| (secs / sample_secs).round() as usize;
    let first = sample(contact.start_secs);
    let last = sample(contact.end_secs).min(first + period - 1).max(first);
    // A foot that stands throughout a loop has to be where it was after one period.
    let closing = moved.get(period).map_or(Vec3::ZERO, |moved| *moved / period as f32);
    let way = |at: usize| {
        let row = at.saturating_sub(contact.source.first_sample).min(moved.len() - 1);
        moved[row] - closing * row as f32
    };
    let middle = (first..=last).map(way).sum::<Vec3>() / (last - first + 1) as f32;
    (first..=last).map(move |at| (at, middle - way(at))).collect::<Vec<_>>().into_iter()
}

/// Fills the samples between contacts: from one to the next with an even start and end.
fn eased(known: &[Option<Vec3>], looping: bool, ease: usize) -> Vec<Vec3> {
    let count = known.len();
    let at: Vec<usize> = (0..count).filter(|at| known[*at].is_some()).collect();
    let value = |at: usize| known[at].unwrap_or_default();
    let Some((&first, &last)) = at.first().zip(at.last()) else { return vec![Vec3::ZERO; count] };
    let blend = |from: Vec3, to: Vec3, part: f32| from.lerp(to, part * part * (3.0 - 2.0 * part));
    let change = |sample: usize| {
        let next = at.partition_point(|at| *at < sample);
        let (before, after) = (next.checked_sub(1).map(|next| at[next]), at.get(next).copied());
        match (before, after) {
            (_, Some(after)) if after == sample => value(sample),
            (Some(before), Some(after)) => {
                blend(value(before), value(after), (sample - before) as f32 / (after - before) as f32)
            }
            _ if looping => {
                let gap = first + count - last;
                let part = ((sample + count - last) % count) as f32 / gap as f32;
                blend(value(last), value(first), part)
            }
            (None, _) if first < ease => value(first),
            (None, _) => blend(Vec3::ZERO, value(first), sample as f32 / first as f32),
            _ if count - 1 - last < ease => value(last),
            _ => blend(value(last), Vec3::ZERO, (sample - last) as f32 / (count - 1 - last) as f32),
        }
    };
    (0..count).map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_ease_between_contacts_and_at_the_ends_of_a_clip() {
        let x = |value: f32| Some(Vec3::X * value);
        let known = [None, None, None, None, x(1.0), None, None, None, x(3.0), None];
        let once: Vec<f32> = eased(&known, false, 3).iter().map(|change| change.x).collect();
        assert_eq!(once, [0.0, 0.15625, 0.5, 0.84375, 1.0, 1.3125, 2.0, 2.6875, 3.0, 3.0]);
        let looped: Vec<f32> = eased(&known, true, 3).iter().map(|change| change.x).collect();
        assert_eq!(looped[4..9], once[4..9]);
        assert!(looped[9] < 3.0 && looped[9] > looped[0] && looped[0] > looped[3] && looped[3] > 1.0, "{looped:?}");
        assert_eq!(eased(&[None, None], true, 3), [Vec3::ZERO; 2]);
    }
}
