use super::key::KeyFormat;
use super::key_coding::KeyReader;
use super::key_pair::{KeyPair, KeySpan, Step};
use super::key_place::KeyAt;
use super::key_search::KeySearch;
use super::key_times::KeyTimes;

/// A track of keys: its joint and the reader of its keys. Their times are in `KeyTimes`, under the number of the track.
#[derive(Debug, Clone, Copy)]
pub struct KeyTrack<F> {
    joint: u16,
    reader: KeyReader<F>,
}

/// Keys of a track: its number, the times, and the bytes of the keys.
pub type Keys<'a> = (usize, &'a KeyTimes, &'a [u8]);

impl<F: KeyFormat> KeyTrack<F> {
    /// A track of a joint.
    pub fn new(joint: usize, reader: KeyReader<F>) -> Self {
        Self { joint: joint as u16, reader }
    }

    /// Its joint.
    #[inline]
    pub fn joint(&self) -> usize {
        self.joint.into()
    }

    /// The reader of its keys.
    pub fn reader(&self) -> &KeyReader<F> {
        &self.reader
    }

    /// The value at a fractional sample. `sample` is the last whole one at or before it that has one after it. Outside the keys, the value is
    /// that of the nearest key.
    #[inline]
    pub fn sample(
        &self,
        keys: Keys<'_>,
        (at, sample): (f64, u16),
        search: KeySearch,
        cursor: &mut KeyPair<F::Key>,
    ) -> F::Key {
        if search != KeySearch::Cursor {
            // As in the published codecs, nothing is cached: each search starts again and reads both keys.
            cursor.span.to = KeySpan::NOWHERE;
            self.read(keys, sample, search, cursor);
        } else if sample < cursor.span.from || sample >= cursor.span.to {
            self.read(keys, sample, search, cursor);
        }
        let (from, to) = (u32::from(cursor.span.from), u32::from(cursor.span.to));
        let (past, span) = (at - f64::from(from), f64::from(to - from));
        if past <= 0.0 {
            cursor.a
        } else if past >= span {
            cursor.b
        } else {
            F::blend(cursor.a, cursor.b, (past / span) as f32)
        }
    }

    /// Moves the cursor.
    fn read(&self, (track, times, bytes): Keys<'_>, sample: u16, search: KeySearch, cursor: &mut KeyPair<F::Key>) {
        match times.enter(track, &|| self.reader.widths(), (sample, search), &mut cursor.span) {
            Step::Stay => return,
            Step::Next => cursor.a = cursor.b,
            Step::Jump(place) => cursor.a = self.reader.key_at(bytes, &place),
        }
        let next = &mut cursor.span.next;
        cursor.b = self.reader.key_at(bytes, next);
        // Last: a load of the range that also covers this store would wait for it.
        next.bit += u32::from(next.bits);
    }

    /// The value of one key.
    pub fn key(&self, (track, times, bytes): Keys<'_>, key: KeyAt) -> F::Key {
        self.reader.key_at(bytes, &times.place(track, &|| self.reader.widths(), key))
    }
}
