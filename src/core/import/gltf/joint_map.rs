/// Which nodes are joints.
#[derive(Debug)]
pub(super) struct JointMap {
    /// Node of each joint, parents first.
    pub nodes: Vec<usize>,
    /// Joint of each node.
    pub of_node: Vec<Option<usize>>,
    /// True for nodes whose meshes are those of the figures that are read.
    pub shown: Vec<bool>,
}
