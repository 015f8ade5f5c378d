use super::tokens::{Token, Tokens};
use super::{Fault, Finding};
use crate::model::Skeleton;
use glam::DVec3;

/// What a channel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Position,
    Rotation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

/// One number a frame.
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
    /// In the order of the file.
    pub channels: Vec<Channel>,
    /// Where its channels start in a frame.
    first: usize,
}

/// An End Site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EndSite {
    pub node: usize,
    /// In the file's unit.
    pub offset: DVec3,
}

/// A BVH file as it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Document {
    /// Parents first.
    pub nodes: Vec<Node>,
    pub tips: Vec<EndSite>,
    /// Seconds between frames; zero when the file has no motion.
    pub frame_secs: f64,
    /// Channels a frame.
    width: usize,
    /// Frame after frame, `frames x width`.
    values: Vec<f64>,
}

impl Document {
    /// Frames that are really there.
    pub fn frames(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The numbers of one node, frame by frame.
    pub fn channels(&self, node: &Node) -> impl Iterator<Item = &[f64]> {
        let range = node.first..node.first + node.channels.len();
        self.values.chunks_exact(self.width.max(1)).map(move |frame| &frame[range.clone()])
    }
}

/// Channels that one joint may have: two of each kind and axis would already be odd.
const MAX_CHANNELS: u64 = 12;

/// Reads a whole file.
pub(super) fn parse(text: &str, findings: &mut Vec<Finding>) -> Result<Document, Fault> {
    let mut tokens = Tokens::new(text);
    let start = tokens.keyword("HIERARCHY");
    start.map_err(|f| f.advise("This is not a BVH file: it starts with HIERARCHY"))?;
    let mut document = Document::default();
    while let Some(token) = tokens.peek() {
        if token.is("ROOT") {
            parse_tree(&mut tokens, &mut document)?;
        } else if token.is("MOTION") {
            parse_motion(&mut tokens, &mut document, findings)?;
            return Ok(document);
        } else {
            return Err(token.expected("'ROOT' or 'MOTION'"));
        }
    }
    Err(tokens.ended("'MOTION'"))
}

/// One ROOT and everything inside its braces, without recursion: braces can be nested deeper than the stack.
fn parse_tree(tokens: &mut Tokens<'_>, document: &mut Document) -> Result<(), Fault> {
    let mut open: Vec<usize> = Vec::new();
    loop {
        let token = tokens.next("'}' or another joint")?;
        let inside = open.last().copied();
        match inside {
            None if token.is("ROOT") => open.push(open_node(tokens, document, None)?),
            Some(parent) if token.is("JOINT") => open.push(open_node(tokens, document, Some(parent))?),
            Some(node) if token.is("End") => parse_end_site(tokens, document, node)?,
            Some(node) if token.is("OFFSET") => document.nodes[node].offset = parse_offset(tokens)?,
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

fn parse_end_site(tokens: &mut Tokens<'_>, document: &mut Document, node: usize) -> Result<(), Fault> {
    tokens.keyword("Site")?;
    let _name = tokens.rest_of_line(); // some writers name it; a tip needs none
    tokens.keyword("{")?;
    tokens.keyword("OFFSET")?;
    let offset = parse_offset(tokens)?;
    tokens.keyword("}")?;
    document.tips.push(EndSite { node, offset });
    Ok(())
}

fn parse_offset(tokens: &mut Tokens<'_>) -> Result<DVec3, Fault> {
    let mut axis = || tokens.number("an offset");
    Ok(DVec3::new(axis()?, axis()?, axis()?))
}

fn parse_channels(
    tokens: &mut Tokens<'_>,
    document: &mut Document,
    node: usize,
    keyword: Token<'_>,
) -> Result<(), Fault> {
    if !document.nodes[node].channels.is_empty() {
        return Err(Fault::new("a joint has its CHANNELS twice").at(keyword.place()));
    }
    let count = tokens.count("a number of channels")?;
    if count > MAX_CHANNELS {
        return Err(Fault::new(format!("a joint of {count} channels; expected 6 or so")).at(keyword.place()));
    }
    document.nodes[node].first = document.width;
    for _ in 0..count {
        let token = tokens.next("a channel such as Xrotation")?;
        let channel = channel(token.text);
        let channel = channel
            .ok_or_else(|| token.expected("Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation"))?;
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
    let kind = letters.as_str();
    if kind.eq_ignore_ascii_case("rotation") {
        Some(Channel { kind: Move::Rotation, axis })
    } else if kind.eq_ignore_ascii_case("position") {
        Some(Channel { kind: Move::Position, axis })
    } else {
        None
    }
}

fn parse_motion(tokens: &mut Tokens<'_>, document: &mut Document, findings: &mut Vec<Finding>) -> Result<(), Fault> {
    tokens.keyword("MOTION")?;
    tokens.keyword("Frames:")?;
    let frames = tokens.count("a number of frames")?;
    tokens.keyword("Frame")?;
    tokens.keyword("Time:")?;
    let place = tokens.peek().map(|t| t.place());
    document.frame_secs = tokens.number("the time of one frame in seconds")?;
    if document.frame_secs != 0.0 && !(0.001..=1.0).contains(&document.frame_secs) {
        let what = format!("a frame time of {} s; expected 0.001 to 1 s", document.frame_secs);
        return Err(Fault::new(what).at(place.unwrap_or_default()));
    }
    if document.width == 0 {
        return Ok(()); // no channels: a rig without motion
    }
    // A number takes two letters at least, whatever the file announces.
    let announced = frames.saturating_mul(document.width as u64);
    document.values.reserve_exact(announced.min(tokens.left() as u64 / 2) as usize);
    for frame in 0..frames {
        for _ in 0..document.width {
            if tokens.peek().is_none() {
                return Err(tokens.ended(&format!("frame {} of {frames}", frame + 1)));
            }
            document.values.push(tokens.number("a channel's value")?);
        }
    }
    if let Some(extra) = tokens.peek() {
        findings.push(Finding::warning(
            extra.place(),
            format!("there is more after the {frames} frames that the file announces"),
            "It was not read. Check the number after 'Frames:'.",
        ));
    }
    Ok(())
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
            (TWO_ROOTS.replace("8 9 10", "8 9"), "expected frame 2 of 2 (at line 11, column 8)"),
            (
                TWO_ROOTS.replace("7 8", "7 nan"),
                "found 'nan', expected a channel's value (a finite number) (at line 11, column 5)",
            ),
            (TWO_ROOTS.replace("Yposition", "Yscale"), "found 'Yscale', expected Xposition"),
            (TWO_ROOTS.replace("HIERARCHY", "HELLO"), "found 'HELLO', expected 'HIERARCHY' (at line 1, column 1)"),
            (TWO_ROOTS.replace("0.04", "400"), "a frame time of 400 s"),
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
}
