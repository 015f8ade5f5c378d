use crate::metrics::SlideReport;

/// Length of a contact that is added, if its neighbours leave room.
const NEW_SECS: f32 = 0.2;

/// Edits the contacts of one foot by hand.
///
/// Every edit returns all spans of the foot (touch-down and lift-off, seconds).
#[derive(Debug, Clone, Copy)]
pub struct ContactEdit<'a> {
    /// The report that holds the contacts.
    pub report: &'a SlideReport,
    /// Index of the foot in the report's plan.
    pub foot: usize,
    /// Duration of the clip.
    pub duration_secs: f32,
    /// Time from one sample to the next.
    pub sample_secs: f32,
}

/// An end of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactEnd {
    /// Touch-down.
    Start,
    /// Lift-off.
    End,
}

impl ContactEdit<'_> {
    /// Index into the report's contacts, touch-down and lift-off.
    fn spans(&self) -> impl Iterator<Item = (usize, [f32; 2])> + '_ {
        let contacts = self.report.contacts.iter().enumerate().filter(|(_, p)| p.foot == self.foot);
        contacts.map(|(index, p)| (index, [p.start_secs, p.end_secs]))
    }

    /// All spans, with one end of one contact moved. The end stays one sample away from the contact's other end and its neighbours.
    pub fn moved(&self, contact: usize, end: ContactEnd, to_secs: f32) -> Vec<[f32; 2]> {
        let spans: Vec<_> = self.spans().collect();
        let Some(at) = spans.iter().position(|(index, _)| *index == contact) else {
            return spans.into_iter().map(|s| s.1).collect();
        };
        let before = at.checked_sub(1).map_or(0.0, |i| spans[i].1[1] + self.sample_secs);
        let [start, stop] = spans[at].1;
        let after = spans.get(at + 1).map_or(self.duration_secs, |s| s.1[0] - self.sample_secs);
        let mut spans: Vec<_> = spans.into_iter().map(|s| s.1).collect();
        match end {
            ContactEnd::Start => {
                let first = before.min(start);
                spans[at][0] = to_secs.clamp(first, first.max(stop - self.sample_secs));
            }
            ContactEnd::End => {
                let last = after.max(stop);
                spans[at][1] = to_secs.clamp(last.min(start + self.sample_secs), last);
            }
        }
        spans
    }

    /// All spans except one.
    pub fn without(&self, contact: usize) -> Vec<[f32; 2]> {
        self.spans().filter(|(index, _)| *index != contact).map(|s| s.1).collect()
    }

    /// All spans and a new one at `at_secs`, one sample or more from its neighbours. `None` if the foot already has contact then, or if
    /// there is less room than half a sample.
    pub fn with_new(&self, at_secs: f32) -> Option<Vec<[f32; 2]>> {
        let mut spans: Vec<_> = self.spans().map(|s| s.1).collect();
        if spans.iter().any(|[start, end]| (*start..=*end).contains(&at_secs)) {
            return None;
        }
        let before = spans.iter().map(|s| s[1]).filter(|end| *end < at_secs).reduce(f32::max);
        let after = spans.iter().map(|s| s[0]).filter(|start| *start > at_secs).reduce(f32::min);
        let start_secs = before.map_or(at_secs, |end| at_secs.max(end + self.sample_secs));
        let room_secs = after.map_or(self.duration_secs, |start| start - self.sample_secs);
        let end_secs = (start_secs + NEW_SECS).min(room_secs);
        if end_secs - start_secs < self.sample_secs * 0.5 {
            return None;
        }
        spans.push([start_secs, end_secs]);
        spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Some(spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{ContactSlide, Verdict};

    fn report() -> SlideReport {
        let contact = |start_secs, end_secs| ContactSlide {
            foot: 0,
            joint: 0,
            start_secs,
            end_secs,
            slide_m: 0.0,
            source_m: 0.0,
            sampling_m: None,
            rate_m_s: 0.0,
            shimmer_m: 0.0,
            float_m: 0.0,
            sink_m: 0.0,
            worst_secs: start_secs,
            verdict: Verdict::Good,
            over: None,
        };
        SlideReport { contacts: vec![contact(0.5, 1.0), contact(1.5, 2.0)], ..SlideReport::default() }
    }

    fn edit(report: &SlideReport) -> ContactEdit<'_> {
        ContactEdit { report, foot: 0, duration_secs: 3.0, sample_secs: 0.1 }
    }

    #[test]
    fn ends_stop_at_the_other_end_and_at_neighbours() {
        let report = report();
        let edit = edit(&report);
        assert_eq!(edit.moved(0, ContactEnd::End, 1.2), [[0.5, 1.2], [1.5, 2.0]]);
        assert_eq!(edit.moved(0, ContactEnd::End, 9.0)[0], [0.5, 1.4]);
        assert_eq!(edit.moved(0, ContactEnd::End, 0.0)[0], [0.5, 0.6]);
        assert_eq!(edit.moved(1, ContactEnd::Start, 0.0)[1], [1.1, 2.0]);
        assert_eq!(edit.moved(0, ContactEnd::Start, -1.0)[0], [0.0, 1.0]);
        assert_eq!(edit.moved(7, ContactEnd::Start, 0.0).len(), 2, "a contact that is not there changes nothing");
    }

    #[test]
    fn ends_of_a_contact_shorter_than_a_sample_stay_in_its_room() {
        let mut report = report();
        (report.contacts[0].start_secs, report.contacts[0].end_secs) = (1.36, 1.41);
        let edit = edit(&report);
        assert_eq!(edit.moved(0, ContactEnd::End, 9.0)[0], [1.36, 1.41]);
        assert_eq!(edit.moved(0, ContactEnd::End, 0.0)[0], [1.36, 1.41]);
        assert_eq!(edit.moved(1, ContactEnd::Start, 0.0)[1], [1.5, 2.0]);
        assert_eq!(edit.moved(0, ContactEnd::Start, 9.0)[0], [1.41 - 0.1, 1.41]);
    }

    #[test]
    fn new_contacts_take_the_room_that_there_is() {
        let report = report();
        let edit = edit(&report);
        assert_eq!(edit.with_new(0.1).unwrap()[0], [0.1, 0.3]);
        assert_eq!(edit.with_new(1.3).unwrap()[1], [1.3, 1.4]);
        assert_eq!(edit.with_new(2.9).unwrap()[2], [2.9, 3.0]);
        assert_eq!(edit.with_new(1.02).unwrap()[1], [1.1, 1.1 + NEW_SECS], "one sample after the contact before");
        assert!(edit.with_new(0.7).is_none() && edit.with_new(3.0).is_none());
        assert!(edit.with_new(1.45).is_none(), "less than a sample before the next contact");
        assert_eq!(edit.without(0), [[1.5, 2.0]]);
    }
}
