use super::numbers::Numbers;
use super::tokens::{Token, Tokens};
use super::{Fault, Finding, rows};
use crate::model::Skeleton;
use crate::text;
use glam::DVec3;

/// The property that a channel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Position,
    Rotation,
    Scale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

/// One number per frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Channel {
    pub kind: Move,
    pub axis: Axis,
}

/// A ROOT or JOINT.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub name: String,
    pub parent: Option<usize>,
    /// In the file's unit.
    pub offset: DVec3,
    /// In file order.
    pub channels: Vec<Channel>,
    /// Index of its first value in a frame.
    first: usize,
}

/// An End Site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EndSite {
    pub node: usize,
    /// In the file's unit.
    pub offset: DVec3,
}

/// The time from one frame to the next.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FrameTime {
    pub secs: f64,
    /// Digits after the decimal point; `None` without a point or with an exponent.
    pub decimals: Option<usize>,
    /// Line and column in the file.
    pub place: String,
}

/// The contents of a BVH file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Document {
    /// Parents first.
    pub nodes: Vec<Node>,
    pub tips: Vec<EndSite>,
    /// The stated frame time, if any.
    pub frame_time: Option<FrameTime>,
    /// Notation of its numbers.
    pub numbers: Numbers,
    /// Length of the text from MOTION on, bytes.
    pub motion_bytes: usize,
    /// Channels per frame.
    width: usize,
    /// Frame after frame, `frames x width`.
    values: Vec<f64>,
}

impl Document {
    /// Number of frames in the file, which may differ from the stated number.
    pub fn frames(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The values of one node, per frame.
    pub fn channels(&self, node: &Node) -> impl Iterator<Item = &[f64]> {
        let range = node.first..node.first + node.channels.len();
        self.values.chunks_exact(self.width.max(1)).map(move |frame| &frame[range.clone()])
    }
}

/// Largest number of channels of a joint. Position, rotation and scale need nine.
const MAX_CHANNELS: u64 = 12;

/// Parses a file. A file without MOTION is a rig without clips.
pub(super) fn parse(file: &str, findings: &mut Vec<Finding>) -> Result<Document, Fault> {
    let mut tokens = Tokens::new(file);
    let start = tokens.keyword("HIERARCHY");
    start.map_err(|f| f.advise("This is not a BVH file: it starts with HIERARCHY"))?;
    let mut document = Document::default();
    while let Some(token) = tokens.peek() {
        if token.is("ROOT") {
            parse_tree(&mut tokens, &mut document)?;
        } else if token.is("MOTION") {
            document.motion_bytes = tokens.left();
            parse_motion(&mut tokens, &mut document, findings)?;
            break;
        } else {
            return Err(token.expected("'ROOT' or 'MOTION'"));
        }
    }
    if document.nodes.is_empty() { Err(tokens.ended("'ROOT'")) } else { Ok(document) }
}

/// Parses a ROOT with everything inside its braces. Without recursion, since deeply nested braces would overflow the stack.
fn parse_tree(tokens: &mut Tokens<'_>, document: &mut Document) -> Result<(), Fault> {
    let mut open: Vec<usize> = Vec::new();
    loop {
        let token = tokens.next("'}' or another joint")?;
        let inside = open.last().copied();
        match inside {
            None if token.is("ROOT") => open.push(open_node(tokens, document, None)?),
            Some(parent) if token.is("JOINT") => open.push(open_node(tokens, document, Some(parent))?),
            Some(node) if token.is("End") => {
                tokens.keyword("Site")?;
                parse_end_site(tokens, document, node)?;
            }
            Some(node) if token.is("EndSite") => parse_end_site(tokens, document, node)?,
            Some(node) if token.is("OFFSET") => {
                document.nodes[node].offset = parse_offset(tokens, &mut document.numbers)?;
            }
            Some(node) if token.is("CHANNELS") => parse_channels(tokens, document, node, token)?,
            Some(_) if token.text == "}" => {
                open.pop();
                if open.is_empty() {
                    return Ok(());
                }
            }
            _ => return Err(token.expected("OFFSET, CHANNELS, JOINT, End Site or '}'")),
        }
    }
}

fn open_node(tokens: &mut Tokens<'_>, document: &mut Document, parent: Option<usize>) -> Result<usize, Fault> {
    let index = document.nodes.len();
    let name = tokens.rest_of_line();
    let brace = tokens.keyword("{")?;
    if index >= Skeleton::MAX_JOINTS {
        return Err(Fault::new(format!("more than {} joints", Skeleton::MAX_JOINTS)).at(brace.place()));
    }
    let name = if name.is_empty() { format!("joint_{index}") } else { name };
    document.nodes.push(Node { name, parent, offset: DVec3::ZERO, channels: Vec::new(), first: document.width });
    Ok(index)
}

/// Parses an End Site: an offset, without channels.
fn parse_end_site(tokens: &mut Tokens<'_>, document: &mut Document, node: usize) -> Result<(), Fault> {
    let _name = tokens.rest_of_line(); // some programs name it; a tip has no name
    tokens.keyword("{")?;
    let mut offset = DVec3::ZERO;
    loop {
        let token = tokens.next("OFFSET or '}'")?;
        if token.is("OFFSET") {
            offset = parse_offset(tokens, &mut document.numbers)?;
        } else if token.is("CHANNELS") {
            tokens.keyword("0")?;
        } else if token.text == "}" {
            document.tips.push(EndSite { node, offset });
            return Ok(());
        } else {
            return Err(token.expected("OFFSET or '}'"));
        }
    }
}

fn parse_offset(tokens: &mut Tokens<'_>, numbers: &mut Numbers) -> Result<DVec3, Fault> {
    tokens.numbers("an offset", numbers).map(DVec3::from_array)
}

fn parse_channels(
    tokens: &mut Tokens<'_>,
    document: &mut Document,
    node: usize,
    keyword: Token<'_>,
) -> Result<(), Fault> {
    if !document.nodes[node].channels.is_empty() {
        return Err(Fault::new("a joint has its CHANNELS twice; expected them once").at(keyword.place()));
    }
    let count = tokens.count("a number of channels")?;
    if count > MAX_CHANNELS {
        return Err(Fault::new(format!("a joint has {count} channels; expected 6, and at most {MAX_CHANNELS}"))
            .at(keyword.place()));
    }
    document.nodes[node].first = document.width;
    for _ in 0..count {
        let token = tokens.next("a channel such as Xrotation")?;
        let channel = channel(token.text);
        let channel =
            channel.ok_or_else(|| token.expected("X, Y or Z with position, rotation or scale, such as Xrotation"))?;
        document.nodes[node].channels.push(channel);
        document.width += 1;
    }
    Ok(())
}

fn channel(word: &str) -> Option<Channel> {
    let mut letters = word.chars();
    let axis = match letters.next()?.to_ascii_uppercase() {
        'X' => Axis::X,
        'Y' => Axis::Y,
        'Z' => Axis::Z,
        _ => return None,
    };
    let kinds = [
        ("rotation", Move::Rotation),
        ("position", Move::Position),
        ("translation", Move::Position),
        ("scale", Move::Scale),
    ];
    let (_, kind) = kinds.into_iter().find(|(word, _)| letters.as_str().eq_ignore_ascii_case(word))?;
    Some(Channel { kind, axis })
}

fn parse_motion(tokens: &mut Tokens<'_>, document: &mut Document, findings: &mut Vec<Finding>) -> Result<(), Fault> {
    tokens.keyword("MOTION")?;
    let announced = parse_header(tokens, document)?;
    if document.width == 0 {
        // A rig without motion.
        let unread = |token: Token<'_>| {
            let what = "there are values, and no joint has a channel";
            Finding::warning(token.place(), what, "They were not read. Check the CHANNELS of the joints.")
        };
        findings.extend(tokens.peek().map(unread));
        return Ok(());
    }
    // A file that is written during capture may state zero frames.
    let frames = announced.filter(|&frames| frames > 0);
    document.values = rows::read(tokens, document.width, frames, &mut document.numbers, findings)?;
    if frames.is_none() && document.frames() > 0 {
        let what = format!("the file announces no frames, and has {}", document.frames());
        findings.push(Finding::warning("MOTION", what, "All were read. Check the number after 'Frames:'."));
    }
    if let Some(extra) = tokens.peek() {
        findings.push(Finding::warning(
            extra.place(),
            format!("there is more after the {} that the file announces", text::count(document.frames(), "frame")),
            "It was not read. Check the number after 'Frames:'.",
        ));
    }
    Ok(())
}

/// Parses the lines before the rows. Returns the stated number of frames, if any.
fn parse_header(tokens: &mut Tokens<'_>, document: &mut Document) -> Result<Option<u64>, Fault> {
    let mut announced = None;
    loop {
        if tokens.take_letters("Frames") {
            tokens.skip_colon();
            announced = Some(tokens.count("a number of frames")?);
        } else if tokens.take_letters("FrameTime") || tokens.take_letters("Frame") && tokens.take_letters("Time") {
            tokens.skip_colon();
            document.frame_time = Some(parse_frame_time(tokens, &mut document.numbers)?);
        } else {
            return match tokens.peek().filter(|_| !tokens.peek_letters().is_empty()) {
                Some(token) => Err(token.expected("'Frames:', 'Frame Time:' or the values of a frame")),
                None => Ok(announced),
            };
        }
    }
}

fn parse_frame_time(tokens: &mut Tokens<'_>, numbers: &mut Numbers) -> Result<FrameTime, Fault> {
    let token = tokens.peek();
    let [secs] = tokens.numbers("the time of one frame in seconds", numbers)?;
    let (text, place) = token.map_or(("", String::new()), |token| (token.text, token.place()));
    let decimals = text.split_once(['.', ',']).map(|(_, decimals)| decimals);
    let decimals = decimals.filter(|decimals| decimals.bytes().all(|b| b.is_ascii_digit())).map(str::len);
    Ok(FrameTime { secs, decimals, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_ROOTS: &str = "HIERARCHY
ROOT Hips { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation
  JOINT Left Leg
  { OFFSET 1 0 0 CHANNELS 1 zROTATION
    End Site { OFFSET 0 -1 0 } } }
ROOT Prop { OFFSET 0 0 0 CHANNELS 1 Yposition }
MOTION
Frames: 2
Frame Time: 0.04
1 2 3 4 5
6 7 8 9 10
";

    #[test]
    fn several_roots_names_with_spaces_and_channels_in_any_order() {
        let document = parse(TWO_ROOTS, &mut Vec::new()).unwrap();
        let names: Vec<_> = document.nodes.iter().map(|n| (n.name.as_str(), n.parent)).collect();
        assert_eq!(names, [("Hips", None), ("Left Leg", Some(0)), ("Prop", None)]);
        assert_eq!(document.tips, [EndSite { node: 1, offset: DVec3::new(0.0, -1.0, 0.0) }]);
        assert_eq!(document.frames(), 2);
        let prop: Vec<_> = document.channels(&document.nodes[2]).collect();
        assert_eq!(prop, [[5.0], [10.0]]);
    }

    #[test]
    fn faults_name_line_and_column() {
        let fault = |text: &str| parse(text, &mut Vec::new()).unwrap_err().to_string();
        let cases = [
            (TWO_ROOTS.replace("3 4 5", "3 4"), "a row has 4 values; expected 5, one per channel (at line 10)"),
            (TWO_ROOTS.replace("4 5", "4 5 0"), "a row has 6 values; expected 5, one per channel (at line 10)"),
            (
                TWO_ROOTS.replace("7 8", "7 nan"),
                "found 'nan', expected a channel's value (a finite number) (at line 11, column 5)",
            ),
            (TWO_ROOTS.replace("Yposition", "Ysize"), "found 'Ysize', expected X, Y or Z with position"),
            (TWO_ROOTS.replace("HIERARCHY", "HELLO"), "found 'HELLO', expected 'HIERARCHY' (at line 1, column 1)"),
            (TWO_ROOTS.replace("Frames", "Pictures"), "found 'Pictures:', expected 'Frames:', 'Frame Time:'"),
            (TWO_ROOTS.replace("Frame Time", "Frame Rate"), "found 'Rate:', expected 'Frames:', 'Frame Time:'"),
            (TWO_ROOTS.replace("MOTION", "}"), "found '}', expected 'ROOT' or 'MOTION' (at line 7, column 1)"),
        ];
        for (text, expected) in cases {
            assert!(fault(&text).contains(expected), "{}\nexpected {expected}", fault(&text));
        }
    }

    #[test]
    fn more_frames_than_announced_are_reported() {
        let mut findings = Vec::new();
        let document = parse(&TWO_ROOTS.replace("Frames: 2", "Frames: 1"), &mut findings).unwrap();
        assert_eq!((document.frames(), findings.len()), (1, 1));
        assert_eq!(findings[0].subject, "line 11, column 1");
    }

    /// Parses a motion of two channels. Returns its values, and the findings.
    fn motion(text: &str) -> (Vec<f64>, Vec<String>) {
        let hierarchy = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 2 Xrotation Yrotation }\n";
        let mut findings = Vec::new();
        let document = parse(&format!("{hierarchy}{text}"), &mut findings).unwrap();
        (document.values, findings.into_iter().map(|finding| finding.what).collect())
    }

    #[test]
    fn headers_are_read_as_programs_write_them() {
        let headers = [
            "MOTION\nFrames: 2\nFrame Time: 0.04",
            "motion\nFRAMES :2\nframe time :0.04",
            "Motion\n\tFrames = 2\n\n\tFrameTime:\t0.04  ",
            "MOTION Frames:2.0 Frame Time:0,04",
            "MOTION\nFrame  Time: 4e-2\nFrames 2",
        ];
        for header in headers {
            for rows in ["\n1 2\n3 4\n", "\r\n\r\n1\t2\r\n \r\n3  4", "\r1 2\r3 4\r"] {
                let (values, said) = motion(&format!("{header}{rows}"));
                assert_eq!(values, [1.0, 2.0, 3.0, 4.0], "{header}{rows}");
                assert!(said.is_empty(), "{said:?}");
            }
        }
    }

    #[test]
    fn frames_that_are_missing_or_not_announced_are_said() {
        let frames = |header: &str, rows: &str| motion(&format!("MOTION\n{header}Frame Time: 0.04\n{rows}"));
        let cases = [
            ("Frames: 3\n", "1 2\n3 4\n", 4, &["the file ends after 2 of 3 frames"] as &[_]),
            ("Frames: 3\n", "1 2\n3 4\n5", 4, &["the last row has 1 of 2 values; the file ends after 2 of 3 frames"]),
            ("Frames: 2\n", "1 2\n3 -", 2, &["the last row has 1 of 2 values; the file ends after 1 of 2 frames"]),
            ("Frames: 2\n", "", 0, &["the file ends after 0 of 2 frames"]),
            ("Frames: 0\n", "1 2\n3 4", 4, &["the file announces no frames, and has 2"]),
            ("", "1 2\n3 4\n", 4, &["the file announces no frames, and has 2"]),
            ("Frames: 0\n", "", 0, &[]),
            ("Frames: 1\n", "1 2\n3 4\n", 2, &["there is more after the 1 frame that the file announces"]),
        ];
        for (header, rows, values, said) in cases {
            let found = frames(header, rows);
            assert_eq!(found.0.len(), values, "{header}{rows}");
            assert_eq!(found.1, said, "{header}{rows}");
        }
    }
}
