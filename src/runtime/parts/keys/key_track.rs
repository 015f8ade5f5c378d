use super::key::KeyFormat;
use super::key_coding::KeyReader;
use super::key_pair::KeyPair;
use super::key_place::KeyAt;
use super::key_search::KeySearch;
use super::key_times::KeyTimes;

/// A track of keys: its joint and the reader of its keys. Their times are in [`KeyTimes`], under the number of the track.
#[derive(Debug, Clone, Copy)]
pub struct KeyTrack<F> {
    joint: u16,
    reader: KeyReader<F>,
}

/// Sample of no key, for a cursor without keys.
const NOWHERE: u16 = u16::MAX;

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

    /// A cursor at the first key.
    pub fn start(&self, keys: Keys<'_>) -> KeyPair<F::Key> {
        let mut cursor = KeyPair { to: NOWHERE, ..KeyPair::default() };
        self.read(keys, 0, KeySearch::Cursor, &mut cursor);
        cursor
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
            cursor.to = NOWHERE;
            self.read(keys, sample, search, cursor);
        } else if sample < cursor.from || sample >= cursor.to {
            self.read(keys, sample, search, cursor);
        }
        let (from, to) = (u32::from(cursor.from), u32::from(cursor.to));
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
    fn read(&self, keys: Keys<'_>, sample: u16, search: KeySearch, cursor: &mut KeyPair<F::Key>) {
        let (track, times, bytes) = keys;
        match times {
            KeyTimes::Blocks(blocks) => blocks.enter(track, (&self.reader, bytes), sample, cursor),
            KeyTimes::Lists(lists) => {
                let [from, to] = lists.around(track, sample, search, cursor.index);
                if [from.sample, to.sample] == [cursor.from, cursor.to] {
                    return;
                }
                cursor.a = if from.sample == cursor.to { cursor.b } else { self.key(keys, from) };
                cursor.b = self.key(keys, to);
                (cursor.from, cursor.to, cursor.index) = (from.sample, to.sample, from.index);
            }
        }
    }

    /// The value of one key.
    #[inline]
    pub fn key(&self, (track, times, bytes): Keys<'_>, key: KeyAt) -> F::Key {
        times.value(track, &self.reader, bytes, key)
    }
}
