use super::super::pieces::{Object, Piece, member, piece, read, set};
use super::references::Slots;
use crate::export::ExportError;
use serde::Deserialize;
use std::ops::Range;

/// Removed ranges have a multiple of this length, so that all later bytes keep their alignment.
const ALIGNMENT: usize = 8;

/// Extensions that store a compressed copy of a view.
const COMPRESSED: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The bytes of a document in one buffer.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
}

/// A range of bytes in a buffer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Run {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
}

/// The new place of one of the document's buffers.
struct Moved {
    /// Start in the joined buffer.
    start: usize,
    /// Removed ranges, in order.
    cuts: Vec<Range<usize>>,
    /// New index of a buffer without bytes, which stands in for unpacked views.
    stand_in: Option<usize>,
}

impl Buffer {
    /// Joins all buffers, without the bytes that only free views use. Updates the other views.
    pub fn without(buffers: &[Vec<u8>], views: &mut Slots) -> Result<Self, ExportError> {
        let (mut dead, mut live) = (vec![Vec::new(); buffers.len()], vec![Vec::new(); buffers.len()]);
        let mut runs_of = Vec::new();
        for (index, view) in views.iter_mut() {
            runs_of.push((index, runs(view)?));
        }
        for (index, runs) in runs_of {
            let list = if views.is_free(index) { &mut dead } else { &mut live };
            for run in runs {
                let end = run.byte_offset.saturating_add(run.byte_length);
                if let Some(list) = list.get_mut(run.buffer) {
                    list.push(run.byte_offset..end);
                }
            }
        }
        let mut out = Self { bytes: Vec::new() };
        let mut moved = Vec::with_capacity(buffers.len());
        for ((bytes, dead), live) in buffers.iter().zip(dead).zip(live) {
            out.bytes.resize(out.bytes.len().next_multiple_of(ALIGNMENT), 0);
            let cuts = aligned(minus(dead, live), bytes.len());
            let before = moved.iter().filter(|moved: &&Moved| moved.stand_in.is_some()).count();
            let stand_in = bytes.is_empty().then_some(before + 1);
            moved.push(Moved { start: out.bytes.len(), cuts, stand_in });
            out.copy(bytes, &moved[moved.len() - 1].cuts);
        }
        let free: Vec<bool> = (0..views.iter_mut().count()).map(|index| views.is_free(index)).collect();
        for (index, view) in views.iter_mut() {
            if !free[index] {
                *view = relocated(view, &moved)?;
            }
        }
        Ok(out)
    }

    fn copy(&mut self, bytes: &[u8], cuts: &[Range<usize>]) {
        let mut at = 0;
        for cut in cuts {
            self.bytes.extend_from_slice(&bytes[at..cut.start]);
            at = cut.end;
        }
        self.bytes.extend_from_slice(&bytes[at..]);
    }

    /// Appends bytes, and returns their offset.
    pub fn append(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Moved {
    /// New offset of a byte, in the joined buffer.
    fn place(&self, offset: usize) -> usize {
        let before = self.cuts.iter().take_while(|cut| cut.end <= offset);
        self.start + offset - before.map(ExactSizeIterator::len).sum::<usize>()
    }
}

/// The byte ranges of a view: its own, and those of its compressed copies.
fn runs(view: &Piece) -> Result<Vec<Run>, ExportError> {
    let object: Object = read(view)?;
    let extensions: Object = member(&object, "extensions")?;
    let compressed = COMPRESSED.iter().filter_map(|name| extensions.get(*name));
    std::iter::once(view).chain(compressed).map(|piece| read(piece)).collect()
}

/// A view with its new place.
fn relocated(view: &Piece, moved: &[Moved]) -> Result<Piece, ExportError> {
    let mut object: Object = read(view)?;
    relocate(&mut object, moved)?;
    let mut extensions: Object = member(&object, "extensions")?;
    for name in COMPRESSED {
        if let Some(text) = extensions.get_mut(name) {
            let mut compressed: Object = read(text)?;
            relocate(&mut compressed, moved)?;
            *text = piece(&compressed)?;
        }
    }
    set(&mut object, "extensions", &extensions)?;
    piece(&object)
}

fn relocate(object: &mut Object, moved: &[Moved]) -> Result<(), ExportError> {
    let run = Run {
        buffer: member(object, "buffer")?,
        byte_offset: member(object, "byteOffset")?,
        byte_length: member(object, "byteLength")?,
    };
    let Some(buffer) = moved.get(run.buffer) else { return Ok(()) };
    if let Some(place) = buffer.stand_in {
        return set(object, "buffer", &place);
    }
    let place = buffer.place(run.byte_offset);
    if place != run.byte_offset {
        set(object, "byteOffset", &place)?;
    }
    set(object, "buffer", &0)
}

/// The parts of `dead` that no range of `live` touches, in order.
fn minus(mut dead: Vec<Range<usize>>, mut live: Vec<Range<usize>>) -> Vec<Range<usize>> {
    dead.sort_unstable_by_key(|range| range.start);
    live.sort_unstable_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in dead {
        // Earlier ranges already have the start of this one.
        let mut start = out.last().map_or(range.start, |last| range.start.max(last.end));
        for alive in live.iter().filter(|alive| alive.end > range.start && alive.start < range.end) {
            push_joined(&mut out, start..alive.start);
            start = start.max(alive.end);
        }
        push_joined(&mut out, start..range.end);
    }
    out
}

fn push_joined(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// The ranges within a buffer of that length, each cut to an aligned length.
fn aligned(ranges: Vec<Range<usize>>, length: usize) -> Vec<Range<usize>> {
    let cut = |range: Range<usize>| {
        let start = range.start.min(length);
        let whole = (range.end.min(length) - start) / ALIGNMENT * ALIGNMENT;
        start..start + whole
    };
    ranges.into_iter().map(cut).filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(buffer: usize, offset: usize, length: usize, more: &str) -> Piece {
        let text = format!(r#"{{"buffer":{buffer},"byteLength":{length},"byteOffset":{offset}{more}}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn ranges_lose_what_others_need() {
        let ranges = |ends: &[(usize, usize)]| ends.iter().map(|&(start, end)| start..end).collect::<Vec<_>>();
        let left = |dead, live| minus(ranges(dead), ranges(live));
        assert_eq!(left(&[(8, 16), (0, 8), (20, 30)], &[]), ranges(&[(0, 16), (20, 30)]));
        assert_eq!(left(&[(0, 30)], &[(4, 8), (6, 10), (29, 40)]), ranges(&[(0, 4), (10, 29)]));
        assert_eq!(left(&[(0, 10), (2, 12)], &[(0, 3)]), ranges(&[(3, 12)]));
        assert_eq!(aligned(ranges(&[(3, 14), (20, 27)]), 100), ranges(&[(3, 11)]));
        assert_eq!(aligned(ranges(&[(90, 130), (200, 300)]), 100), ranges(&[(90, 98)]));
    }

    #[test]
    fn what_is_free_goes_and_the_rest_is_found_again() {
        let first: Vec<u8> = (0..40).collect();
        let second: Vec<u8> = (100..130).collect();
        let compressed =
            r#","extensions":{"EXT_meshopt_compression":{"buffer":1,"byteOffset":16,"byteLength":4,"mode":"X"}}"#;
        let list =
            [view(0, 0, 8, ""), view(0, 8, 20, ""), view(0, 32, 8, compressed), view(1, 8, 4, ""), view(2, 900, 4, "")];
        let mut views = Slots::new(list.to_vec(), [1].iter());
        let buffer = Buffer::without(&[first, second, vec![]], &mut views).unwrap();
        let found: Vec<Vec<Run>> = views.filled(&view(0, 0, 1, "")).iter().map(|v| runs(v).unwrap()).collect();
        let bytes = |run: &Run| &buffer.bytes[run.byte_offset..][..run.byte_length];
        assert_eq!(bytes(&found[0][0]), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(bytes(&found[2][0]), [32, 33, 34, 35, 36, 37, 38, 39]);
        assert_eq!((bytes(&found[2][1]), found[2][1].buffer), (&[116, 117, 118, 119][..], 0));
        assert_eq!((bytes(&found[3][0]), found[3][0].byte_offset % 8), (&[108, 109, 110, 111][..], 0));
        assert_eq!(
            (found[4][0].buffer, found[4][0].byte_offset),
            (1, 900),
            "what has no bytes stays a buffer of its own"
        );
        assert_eq!(buffer.len(), 24 + 32, "sixteen of the twenty bytes are gone");
    }
}
