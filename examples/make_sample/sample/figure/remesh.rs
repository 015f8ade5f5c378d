use super::surface::Surface;
use glam::Vec3;

/// The target of a remesh.
pub struct Shape<'a> {
    /// Moves a point onto the surface.
    pub project: &'a dyn Fn(Vec3) -> Vec3,
    /// Wanted edge length at a place, metres.
    pub edge_length_m: &'a dyn Fn(Vec3) -> f32,
}

/// Makes triangles nearly equilateral with the wanted size: collapses short edges, flips edges towards valence six and
/// relaxes along the surface (Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling", 2004).
///
/// The surface must start finer than wanted, since edges are never split.
pub fn remesh(surface: &Surface, shape: &Shape<'_>, rounds: usize) -> Surface {
    let mut mesh = Editable::new(surface);
    for _ in 0..rounds {
        mesh.collapse_short_edges(shape);
        mesh.flip_towards_valence_six();
        mesh.relax(shape);
    }
    mesh.into_surface()
}

struct Editable {
    positions: Vec<Vec3>,
    /// `None` after removal.
    triangles: Vec<Option<[u32; 3]>>,
    /// Triangles around every vertex.
    around: Vec<Vec<u32>>,
}

/// Edges shorter than this multiple of the wanted length collapse ...
const SHORTEST: f32 = 0.8;
/// ... unless the collapse makes an edge longer than this multiple of the wanted length.
const LONGEST: f32 = 4.0 / 3.0;
/// Smallest allowed cosine between the normals of a triangle before and after a change.
const LEAST_TURN_COS: f32 = 0.3;

impl Editable {
    fn new(surface: &Surface) -> Self {
        let mut around = vec![Vec::new(); surface.positions.len()];
        for (index, triangle) in surface.triangles.iter().enumerate() {
            triangle.iter().for_each(|&v| around[v as usize].push(index as u32));
        }
        let triangles = surface.triangles.iter().copied().map(Some).collect();
        Self { positions: surface.positions.clone(), triangles, around }
    }

    fn corners(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize].expect("a triangle around a vertex is alive")
    }

    fn at(&self, vertex: u32) -> Vec3 {
        self.positions[vertex as usize]
    }

    /// Each edge once, smaller vertex first, sorted.
    fn edges(&self) -> Vec<(u32, u32)> {
        let triangles = self.triangles.iter().flatten();
        let mut edges: Vec<_> =
            triangles.flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).map(|(a, b)| (a.min(b), a.max(b))).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.around[vertex as usize].iter().flat_map(|&t| self.corners(t));
        let mut out: Vec<_> = corners.filter(|&v| v != vertex).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    fn sharing(&self, a: u32, b: u32) -> Vec<u32> {
        self.around[a as usize].iter().copied().filter(|&t| self.corners(t).contains(&b)).collect()
    }

    fn collapse_short_edges(&mut self, shape: &Shape<'_>) {
        let length = |mesh: &Self, (a, b): (u32, u32)| mesh.at(a).distance(mesh.at(b));
        let mut edges = self.edges();
        edges.sort_by(|&x, &y| length(self, x).total_cmp(&length(self, y)).then(x.cmp(&y)));
        for (a, b) in edges {
            let gone = self.around[a as usize].is_empty() || self.around[b as usize].is_empty();
            if gone || self.sharing(a, b).len() != 2 {
                continue;
            }
            let middle = self.at(a).midpoint(self.at(b));
            let wanted = (shape.edge_length_m)(middle);
            if length(self, (a, b)) < SHORTEST * wanted {
                self.collapse(a, b, (shape.project)(middle), LONGEST * wanted);
            }
        }
    }

    /// Moves both vertices to `to` and merges them, unless that folds the surface or makes an edge longer than `longest_m`.
    fn collapse(&mut self, a: u32, b: u32, to: Vec3, longest_m: f32) {
        let (near_a, near_b) = (self.neighbours(a), self.neighbours(b));
        let common = near_a.iter().filter(|v| near_b.binary_search(v).is_ok()).count();
        let stretched = |v: &u32| *v != a && *v != b && self.at(*v).distance(to) > longest_m;
        if common != 2 || near_a.iter().chain(&near_b).any(stretched) {
            return;
        }
        let dying = self.sharing(a, b);
        let moved = |v: u32| if v == a || v == b { to } else { self.at(v) };
        let survivors = self.around[a as usize].iter().chain(&self.around[b as usize]).filter(|t| !dying.contains(t));
        if survivors.into_iter().any(|&t| {
            let corners = self.corners(t);
            turns_over(corners.map(|v| self.at(v)), corners.map(moved))
        }) {
            return;
        }
        for &triangle in &dying {
            for v in self.corners(triangle) {
                self.around[v as usize].retain(|t| *t != triangle);
            }
            self.triangles[triangle as usize] = None;
        }
        for triangle in std::mem::take(&mut self.around[b as usize]) {
            let corners = self.corners(triangle).map(|v| if v == b { a } else { v });
            self.triangles[triangle as usize] = Some(corners);
            self.around[a as usize].push(triangle);
        }
        self.positions[a as usize] = to;
    }

    fn flip_towards_valence_six(&mut self) {
        for (a, b) in self.edges() {
            if let [first, second] = self.sharing(a, b)[..] {
                self.flip_if_better(a, b, first, second);
            }
        }
    }

    fn flip_if_better(&mut self, a: u32, b: u32, first: u32, second: u32) {
        let opposite = |t: u32| self.corners(t).into_iter().find(|&v| v != a && v != b);
        let (Some(c), Some(d)) = (opposite(first), opposite(second)) else { return };
        let excess = |v: u32, change: i32| (self.around[v as usize].len() as i32 + change - 6).pow(2);
        let before = excess(a, 0) + excess(b, 0) + excess(c, 0) + excess(d, 0);
        let after = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
        if after >= before || !self.sharing(c, d).is_empty() {
            return;
        }
        // Keep the winding: in `first` the edge runs from `x` to `y`.
        let follows = |t: u32, x: u32, y: u32| {
            let [p, q, r] = self.corners(t);
            [(p, q), (q, r), (r, p)].contains(&(x, y))
        };
        let (x, y) = if follows(first, a, b) { (a, b) } else { (b, a) };
        let (new_first, new_second) = ([c, x, d], [d, y, c]);
        let normal = |t: [u32; 3]| normal(t.map(|v| self.at(v)));
        let old = normal(self.corners(first)).normalize_or_zero() + normal(self.corners(second)).normalize_or_zero();
        let faces = |t: [u32; 3]| normal(t).normalize_or_zero().dot(old.normalize_or_zero()) > 0.7;
        if !faces(new_first) || !faces(new_second) {
            return;
        }
        self.triangles[first as usize] = Some(new_first);
        self.triangles[second as usize] = Some(new_second);
        self.around[y as usize].retain(|t| *t != first);
        self.around[x as usize].retain(|t| *t != second);
        self.around[d as usize].push(first);
        self.around[c as usize].push(second);
    }

    /// Moves every vertex towards the mean of its neighbours, then back onto the surface.
    fn relax(&mut self, shape: &Shape<'_>) {
        let moved: Vec<Vec3> = (0..self.positions.len())
            .map(|vertex| {
                let near = self.neighbours(vertex as u32);
                if near.is_empty() {
                    return self.positions[vertex];
                }
                let mean = near.iter().map(|&v| self.at(v)).sum::<Vec3>() / near.len() as f32;
                (shape.project)(self.positions[vertex].lerp(mean, 0.6))
            })
            .collect();
        self.positions = moved;
    }

    /// Drops removed vertices and triangles. The others keep their order.
    fn into_surface(self) -> Surface {
        let mut renamed = vec![u32::MAX; self.positions.len()];
        let mut positions = Vec::new();
        for (vertex, triangles) in self.around.iter().enumerate().filter(|(_, t)| !t.is_empty()) {
            debug_assert!(!triangles.is_empty());
            renamed[vertex] = positions.len() as u32;
            positions.push(self.positions[vertex]);
        }
        let triangles = self.triangles.into_iter().flatten().map(|t| t.map(|v| renamed[v as usize])).collect();
        Surface { positions, triangles }
    }
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

fn turns_over(before: [Vec3; 3], after: [Vec3; 3]) -> bool {
    normal(before).normalize_or_zero().dot(normal(after).normalize_or_zero()) < LEAST_TURN_COS
}
