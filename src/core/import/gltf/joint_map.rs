/// The relation between nodes and joints.
#[derive(Debug)]
pub(super) struct JointMap {
    /// Node per joint, parents first.
    pub nodes: Vec<usize>,
    /// Joint per node.
    pub of_node: Vec<Option<usize>>,
    /// Per node, true if its mesh belongs to an imported skeleton.
    pub shown: Vec<bool>,
}
