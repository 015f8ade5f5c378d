use super::moved;
use crate::import::fbx::nodes::{id, parent};
use std::collections::{BTreeMap, BTreeSet};
use ufbx::{Constraint, ConstraintType, Node, Scene};

/// The order of evaluation.
#[derive(Debug)]
pub(super) struct Ordered {
    /// Nodes that constraints read or move, and their ancestors. Each comes after the nodes that it depends on.
    pub nodes: Vec<usize>,
    /// Indices of the constraints to evaluate.
    pub constraints: Vec<usize>,
    /// Indices of constraints that depend on nodes that they move.
    pub circular: Vec<usize>,
}

/// Largest number of rounds. Each round removes the cycles that the previous one uncovered. A file that needs more is malicious.
const MAX_ROUNDS: usize = 16;

/// Sorts nodes by their dependencies. All constraints of nodes in a cycle are removed.
pub(super) fn order(scene: &Scene, constraints: Vec<usize>) -> Ordered {
    let mut constraints = constraints;
    let mut circular = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let mut visit = Visit::new(scene, &constraints);
        constraints.iter().for_each(|&at| visit.from(&scene.constraints[at]));
        if visit.circular.is_empty() {
            return Ordered { nodes: visit.order, constraints, circular };
        }
        let is_in_circle = |&at: &usize| moved(&scene.constraints[at]).is_some_and(|n| visit.circular.contains(&id(n)));
        let (out, left): (Vec<usize>, Vec<usize>) = constraints.into_iter().partition(is_in_circle);
        circular.extend(out);
        constraints = left;
    }
    circular.extend(constraints);
    Ordered { nodes: Vec::new(), constraints: Vec::new(), circular }
}

/// Constraints by the node that they move, in their order.
pub(super) fn by_node(scene: &Scene, constraints: &[usize]) -> BTreeMap<usize, Vec<usize>> {
    let mut of_node = BTreeMap::<usize, Vec<usize>>::new();
    for &at in constraints {
        if let Some(node) = moved(&scene.constraints[at]) {
            of_node.entry(id(node)).or_default().push(at);
        }
    }
    of_node
}

/// Nodes that a constraint reads.
fn reads(constraint: &Constraint) -> impl Iterator<Item = &Node> {
    let sources = constraint.targets.iter().map(|target| &*target.node);
    sources.chain(constraint.aim_up_node.as_deref()).chain(constraint.ik_effector.as_deref())
}

/// The joints of a chain of two links: first, middle and end. `None` for other chains.
pub(super) fn chain(constraint: &Constraint) -> Option<[&Node; 3]> {
    let (first, end) = (constraint.node.as_deref()?, constraint.ik_end_node.as_deref()?);
    let middle = end.parent.as_deref()?;
    let above = middle.parent.as_deref()?;
    (above.element.element_id == first.element.element_id && !first.is_root).then_some([first, middle, end])
}

/// Nodes that a constraint moves.
pub(super) fn moves(constraint: &Constraint) -> impl Iterator<Item = usize> {
    let is_chain = constraint.type_ == ConstraintType::SingleChainIk;
    let middle = chain(constraint).filter(|_| is_chain).map(|[_, middle, _]| middle);
    moved(constraint).into_iter().chain(middle).map(id)
}

/// Depth-first search over the dependencies of nodes. It marks every node in a cycle (Tarjan's low links).
struct Visit<'a> {
    scene: &'a Scene,
    constraints: BTreeMap<usize, Vec<usize>>,
    /// State per node: not visited, on the path with its index there, or done.
    states: Vec<State>,
    /// Nodes on the path, each with the lowest path index that it reaches.
    path: Vec<(usize, usize)>,
    order: Vec<usize>,
    circular: BTreeSet<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    New,
    Open(usize),
    Done,
}

enum Task {
    Enter(usize),
    Leave,
}

impl<'a> Visit<'a> {
    fn new(scene: &'a Scene, constraints: &[usize]) -> Self {
        let states = vec![State::New; scene.nodes.len()];
        Self {
            scene,
            constraints: by_node(scene, constraints),
            states,
            path: Vec::new(),
            order: Vec::new(),
            circular: BTreeSet::new(),
        }
    }

    fn from(&mut self, constraint: &Constraint) {
        let mut tasks: Vec<Task> = moves(constraint).map(Task::Enter).collect();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(node) => self.enter(node, &mut tasks),
                Task::Leave => self.leave(),
            }
        }
    }

    fn enter(&mut self, node: usize, tasks: &mut Vec<Task>) {
        match self.states[node] {
            State::Done => {}
            State::Open(place) => {
                if let Some((_, low)) = self.path.last_mut() {
                    *low = place.min(*low);
                }
            }
            State::New => {
                let place = self.path.len();
                self.states[node] = State::Open(place);
                self.path.push((node, usize::MAX));
                tasks.push(Task::Leave);
                tasks.extend(parent(self.scene, node).map(Task::Enter));
                let own = self.constraints.get(&node).into_iter().flatten();
                let read = own.flat_map(|&at| reads(&self.scene.constraints[at])).filter(|node| !node.is_root);
                tasks.extend(read.map(|node| Task::Enter(id(node))));
            }
        }
    }

    fn leave(&mut self) {
        let Some((node, low)) = self.path.pop() else { return };
        self.states[node] = State::Done;
        self.order.push(node);
        if low <= self.path.len() {
            self.circular.insert(node);
        }
        if let Some((_, above)) = self.path.last_mut() {
            *above = low.min(*above);
        }
    }
}
