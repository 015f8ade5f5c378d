"""A second implementation of Posepress' measures, written from the book's pages.

Usage: measures.py RIG.glb ORIGINAL.csv DECODED.csv REPORT.json
       measures.py --sampling RIG.glb SAMPLES.csv REPORT.json

The first two CSV files hold local transforms at four steps per sample (`posepress decode --rate`). The script computes the errors of shell,
skin, seam, bones, jitter and root and the contacts with their slides, and compares them with the report. With --sampling it compares the
samples, at eight steps each, with the curves of the file. It reads clips below 40 Hz. It ends with status 1 if a value differs by more than
1 %, or a contact by more than a sample.
"""

import csv
import json
import struct
import sys

import numpy as np

SUB_FRAMES = 4
ROUNDS = 100
COMPONENTS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Rig:
    """Nodes, and the skinned vertices of a GLB file."""

    def __init__(self, path):
        data = open(path, "rb").read()
        length = struct.unpack("<I", data[12:16])[0]
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]
        nodes = self.json["nodes"]
        self.names = [node.get("name", "") for node in nodes]
        self.parents = {self.names[c]: self.names[i] for i, node in enumerate(nodes) for c in node.get("children", [])}
        self.bind = {self.names[i]: local_matrix(node) for i, node in enumerate(nodes)}
        self.positions, self.influences, self.weights, self.inverse_binds = self.skin()

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        rows = [self.binary[start + i * stride :][: kind.itemsize * width] for i in range(accessor["count"])]
        values = np.frombuffer(b"".join(rows), kind).reshape(-1, width)
        return values / np.iinfo(kind).max if accessor.get("normalized") else values

    def skin(self):
        positions, influences, weights, binds = [], [], [], {}
        for node in self.json["nodes"]:
            if "skin" not in node:
                continue
            skin = self.json["skins"][node["skin"]]
            joints = np.array([self.names[j] for j in skin["joints"]])
            inverse = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
            binds.update(zip(joints, inverse))
            for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
                part = primitive["attributes"]
                positions.append(self.accessor(part["POSITION"]).astype(float))
                influences.append(joints[self.accessor(part["JOINTS_0"])])
                weights.append(self.accessor(part["WEIGHTS_0"]).astype(float))
        return np.vstack(positions), np.vstack(influences), np.vstack(weights), binds

    def ancestors(self, name):
        while name in self.parents:
            name = self.parents[name]
            yield name


def rotation_matrix(q):
    x, y, z, w = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
    rows += [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]
    rows += [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, -1).reshape(*x.shape, 3, 3)


def compose(translation, rotation, scale):
    matrix = np.zeros((*np.shape(translation)[:-1], 4, 4))
    matrix[..., :3, :3] = rotation_matrix(rotation) * np.asarray(scale)[..., None, :]
    matrix[..., :3, 3], matrix[..., 3, 3] = translation, 1
    return matrix


def local_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"]).reshape(4, 4).T
    return compose(node.get("translation", [0, 0, 0]), node.get("rotation", [0, 0, 0, 1]), node.get("scale", [1, 1, 1]))


def poses(rig, path):
    """Object-space matrices, steps x joints, of a CSV file."""
    rows = [row for row in list(csv.reader(open(path)))[1:] if row[3] != ""]
    names = list(dict.fromkeys(row[2] for row in rows))
    values = np.array([[float(x) for x in row[3:13]] for row in rows]).reshape(-1, len(names), 10)
    local = compose(values[..., :3], values[..., 3:7], values[..., 7:])
    model = {}
    for index, name in enumerate(names):
        parent = model.get(rig.parents.get(name))
        model[name] = local[:, index] if parent is None else parent @ local[:, index]
    return model


def curves(rig, clip, names, times):
    """Object-space matrices of the file's own curves, of a clip with linear and stepped tracks."""
    animation = next(a for a in rig.json["animations"] if a["name"] == clip)
    nodes = rig.json["nodes"]
    tracks = {(rig.names[c["target"]["node"]], c["target"]["path"]): animation["samplers"][c["sampler"]] for c in animation["channels"]}
    rest = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    model = {}
    for name in names:
        parts = []
        for path, usual in rest.items():
            track = tracks.get((name, path))
            parts.append(curve(rig, track, times, path) if track else
                         np.tile(nodes[rig.names.index(name)].get(path, usual), (len(times), 1)))
        local, parent = compose(*parts), model.get(rig.parents.get(name))
        model[name] = local if parent is None else parent @ local
    return model


def curve(rig, track, times, path):
    at, values = rig.accessor(track["input"])[:, 0].astype(float), rig.accessor(track["output"]).astype(float)
    before = np.clip(np.searchsorted(at, times + 1e-6, "right") - 1, 0, len(at) - 1)
    after = np.minimum(before + 1, len(at) - 1)
    if track.get("interpolation", "LINEAR") == "STEP":
        return values[before]
    part = np.clip((times - at[before]) / np.maximum(at[after] - at[before], 1e-12), 0, 1)[:, None]
    a, b = values[before], values[after]
    if path != "rotation":
        return a + (b - a) * part
    dot = (a * b).sum(1, keepdims=True)
    b, angle = np.where(dot < 0, -b, b), np.arccos(np.clip(np.abs(dot), 0, 1))
    near = angle < 1e-4
    sine = np.sin(np.where(near, 1, angle))
    mixed = np.where(near, a + (b - a) * part, (a * np.sin((1 - part) * angle) + b * np.sin(part * angle)) / sine)
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def bind_pose(rig, names):
    model = {}
    for name in names:
        parent = model.get(rig.parents.get(name))
        model[name] = rig.bind[name] if parent is None else parent @ rig.bind[name]
    return model


def skinned(rig, model, vertices, steps=slice(None)):
    """Positions of vertices, steps x vertices x 3."""
    home = np.c_[rig.positions[vertices], np.ones(len(vertices))]
    influences, weights = rig.influences[vertices], rig.weights[vertices]
    total = None
    for name in np.unique(influences):
        if name not in rig.inverse_binds:
            continue
        weight = np.where(influences == name, weights, 0).sum(1)
        of = np.flatnonzero(weight)
        matrices = (model[name][steps] @ rig.inverse_binds[name])[..., :3, :]
        if total is None:
            total = np.zeros((*matrices.shape[:-2], len(vertices), 3))
        total[..., of, :] += home[of] @ np.swapaxes(matrices, -1, -2) * weight[of, None]
    return total


def shells(rig, names, bind, least):
    """How far out the points of each joint are: at least `least`, with a mesh as far as the vertices that it moves."""
    far = {name: least for name in names}
    everything = np.arange(len(rig.positions))
    at_bind = skinned(rig, bind, everything)
    for name in names:
        weight = np.where(rig.influences == name, rig.weights, 0).sum(1)
        distance = np.linalg.norm(at_bind - bind[name][:3, 3], axis=1)
        counted = np.where(weight >= 0.1, distance, distance * 3 * weight)[weight > 0]
        far[name] = max(far[name], counted.max(initial=0))
    return far


def shell_errors(original, decoded, far):
    """The largest distance of three points per joint, steps x joints."""
    def error(name):
        d = decoded[name] - original[name]
        points = [d[:, :3, axis] * far[name] + d[:, :3, 3] for axis in range(3)]
        return np.linalg.norm(points, axis=-1).max(0)
    return np.stack([error(name) for name in original], 1)


def jitter(original, decoded, far, rate):
    d = {name: (decoded[name] - original[name])[::SUB_FRAMES] for name in original}
    second = {name: m[:-2] - 2 * m[1:-1] + m[2:] for name, m in d.items()}
    w, f = 2 * np.pi * 4 / rate, lambda x: 6 * x - 8 * np.sin(x) + np.sin(2 * x)
    gain = (f(np.pi) - f(w)) / (np.pi - w)
    worst = 0.0
    for name, m in second.items():
        square = (m[:, :3, 3] ** 2).sum(-1) + (m[:, :3, :3] ** 2).sum((-1, -2)) * far[name] ** 2 / 3
        window = min(round(rate / 2), len(square))
        sums = np.cumsum(np.r_[0, square])
        worst = max(worst, ((sums[window:] - sums[:-window]) / window).max())
    return np.sqrt(worst / gain)


def seam(original, decoded, rate):
    """Jumps of the error, and of its speed, from the last sample to the first."""
    pop = speed = 0.0
    for name, m in original.items():
        error = (decoded[name] - m)[::SUB_FRAMES, :3, 3]
        pop = max(pop, np.linalg.norm(error[-1] - error[0]))
        speed = max(speed, np.linalg.norm((error[1] - error[0]) - (error[-1] - error[-2])) * rate)
    return pop, speed


def bone_length(rig, original, decoded):
    def lengths(model, name):
        return np.linalg.norm(model[name][:, :3, 3] - model[rig.parents[name]][:, :3, 3], axis=1)
    bones = [name for name in original if rig.parents.get(name) in original]
    return max(np.abs(lengths(decoded, name) - lengths(original, name)).max() for name in bones)


def root_drift(original, decoded, joint):
    """Way, drift, turn in degrees and gain of a round's length, of the root after many rounds."""
    def rigid(m):
        out = m.copy()
        out[:3, :3] /= np.linalg.norm(m[:3, :3], axis=0)
        return out
    step, moved = (rigid(m[joint][-1]) @ np.linalg.inv(rigid(m[joint][0])) for m in (original, decoded))
    x = original[joint][0, :, 3]
    way = ROUNDS * np.linalg.norm(step @ x - x)
    drift = np.linalg.norm(np.linalg.matrix_power(moved, ROUNDS) @ x - np.linalg.matrix_power(step, ROUNDS) @ x)
    between = moved[:3, :3] @ step[:3, :3].T
    sine = np.linalg.norm([between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]]) / 2
    return way, drift, ROUNDS * np.degrees(np.arcsin(min(sine, 1))), np.linalg.norm(moved @ x - x) - np.linalg.norm(step @ x - x)


def spread(points, count):
    """The point farthest from the middle, then each time the one farthest from those taken, as seen from above."""
    flat = points * [1, 0, 1]
    taken, distance = [], np.full(len(points), np.inf)
    chosen = np.linalg.norm(flat - flat.mean(0), axis=1).argmax() if len(points) else 0
    while len(points) and len(taken) < count and distance[chosen] > 0:
        taken.append(chosen)
        distance = np.minimum(distance, np.hypot(*(points - points[chosen])[:, [0, 2]].T))
        chosen = distance.argmax()
    return taken


class Foot:
    """The sole points of a foot and where they are, at every step."""

    def __init__(self, rig, model, bind, heel, scale):
        self.name = heel
        toes = [n for n in model if heel in rig.ancestors(n) and "toe" in n.lower()]
        strongest = rig.influences[np.arange(len(rig.weights)), rig.weights.argmax(1)]
        everything = skinned(rig, bind, np.arange(len(rig.positions)))
        own = [(np.flatnonzero(strongest == joint), is_toe) for joint, is_toe in [(heel, False)] + [(t, True) for t in toes[:1]]]
        lowest = min(everything[vertices, 1].min() for vertices, _ in own if len(vertices))
        self.points, self.is_toe = [], []
        for vertices, is_toe in own:
            if len(vertices) == 0:
                continue
            floor = min(everything[vertices, 1].min() + 0.015 * scale, lowest + 0.03 * scale)
            low = vertices[everything[vertices, 1] <= floor]
            low = low[spread(everything[low], 12)]
            ahead = (everything[low] - bind[heel][:3, 3]) * [1, 0, 1]
            far = ahead[np.linalg.norm(ahead, axis=1).argmax()] if len(low) else np.zeros(3)
            in_front = ahead @ far > 0.4 * far @ far
            self.points += list(low)
            self.is_toe += [is_toe or (not toes and bool(front)) for front in in_front]
        self.points, self.is_toe = np.array(self.points), np.array(self.is_toe)
        self.path = skinned(rig, model, self.points)


def velocities(path, secs, half=3):
    steps = np.arange(len(path))
    before, after = np.clip(steps - half, 0, len(path) - 1), np.clip(steps + half, 0, len(path) - 1)
    return (path[after] - path[before]) / ((after - before) * secs)[:, None, None]


def runs(flags):
    edges = np.flatnonzero(np.diff(np.r_[0, flags.astype(int), 0]))
    return list(zip(edges[::2], edges[1::2] - 1))


def hold(starts, keeps):
    out = np.zeros(len(keeps), bool)
    for first, last in runs(keeps):
        out[first : last + 1] = starts[first : last + 1].any()
    return out


def round_and_round(path):
    """A loop three times, so that what crosses its seam is whole in the middle."""
    return np.concatenate([path[:-1]] * 3 + [path[:1]])


def upper_median(values):
    """The middle of sorted values, of two middles the upper one."""
    return np.sort(values)[len(values) // 2] if len(values) else 0.0


def about_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def turn_of(points, speeds):
    """The turn about the vertical that fits the velocities of points best, moments x points."""
    arm = points - points.mean(1, keepdims=True)
    moved = (arm[..., 2] * speeds[..., 0] - arm[..., 0] * speeds[..., 2]).sum(1)
    return moved / (arm[..., [0, 2]] ** 2).sum((1, 2))


def mean_turn(matrices, secs):
    """The mean turn about the vertical, by the axis that is most level at first."""
    axis = np.abs(matrices[0, 1, :3]).argmin()
    heading = np.unwrap(np.arctan2(matrices[:, 0, axis], matrices[:, 2, axis]))
    return (heading[-1] - heading[0]) / ((len(heading) - 1) * secs)


class Ground:
    """The motion of the ground at every moment, and how far a standing foot may differ from it."""

    def __init__(self, soles, hips, hips_turn, secs, scale, limit, height):
        at = np.arange(len(soles[0].path))
        lowest = np.stack([s.path[..., 1].min(1) for s in soles], 1)
        low = lowest <= height + 0.05 * scale
        turns = np.concatenate([turn_of(s.path, velocities(s.path, secs))[is_low] for s, is_low in zip(soles, low.T)])
        self.turn, self.share = self.turning(turns, hips_turn), 0
        carried = [self.carrying(s, foot_m, secs, scale) for s, foot_m in zip(soles, lowest.T)]
        moving = np.stack([speed - self.turned(place) for place, speed in carried], 1)
        across = np.linalg.norm(moving * [1, 0, 1], axis=-1)
        rise = upper_median(moving[low][:, 1]) / max(upper_median(across[low]), 1e-6) if low.any() else 0
        rise = rise if abs(rise) >= 0.06 else 0
        level = np.abs(moving[..., 1] - rise * across) < 1.15 * limit + 0.12 * across
        self.carry, self.low, self.limit = moving, low & level, limit
        usual = self.usual((hips[-1] - hips[0]) / ((len(hips) - 1) * secs))
        self.velocity, self.spread = np.zeros((len(at), 3)), np.full(len(at), limit)
        if usual is None and self.turn == 0:
            return
        usual = np.zeros(3) if usual is None else usual
        most = 40 * scale * secs
        (forwards, age), (backwards, before) = (self.follow(usual, level, order, most) for order in (at, at[::-1]))
        self.velocity = (forwards * before[:, None] + backwards * age[:, None]) / (age + before)[:, None] * [1, 0, 1]
        self.velocity[:, 1] = rise * np.linalg.norm(self.velocity, axis=1)
        off = np.linalg.norm(self.velocity - usual, axis=1)
        self.share = np.clip(1.5 * upper_median(off) / max(np.linalg.norm(usual), 0.86 * limit), 0.18, 0.4)

    @staticmethod
    def turning(feet, hips):
        """The turn of the ground that explains the most turns of low feet."""
        middle = upper_median(feet)
        along, still = (np.abs(feet - turn) <= 0.3 * abs(middle) for turn in (middle, 0))
        explains = along.sum() > 1.25 * still.sum() and 2 * along.sum() >= len(feet)
        return upper_median(feet[along]) if abs(middle) >= 0.3 and explains and hips * middle <= 0.4 * middle**2 else 0

    @staticmethod
    def carrying(sole, lowest, secs, scale):
        """The mean place and velocity of the points that are as low as the lowest, of the heel while it is down."""
        down = sole.path[..., 1] <= lowest[:, None] + 0.001 * scale
        heel = down & ~sole.is_toe
        counted = np.where(heel.any(1, keepdims=True), heel, down)
        mean = lambda values: np.where(counted[..., None], values, 0).sum(1) / counted.sum(1)[:, None]
        return mean(sole.path), mean(velocities(sole.path, secs))

    def moves(self):
        return bool(self.turn or self.velocity.any())

    def turned(self, places):
        """The velocity that the turn gives to places."""
        return self.turn * np.stack([places[..., 2], 0 * places[..., 1], -places[..., 0]], -1)

    def speed_at(self, places):
        """The velocity of the ground at places, moments x points."""
        return self.velocity[:, None] + self.turned(places)

    def limits(self, places):
        return np.maximum(self.spread[:, None], self.share * np.linalg.norm(self.speed_at(places), axis=-1))

    def place(self, path, secs):
        """The places on the ground of points, moments x points."""
        angle, origin = 0.0, np.zeros(3)
        out = np.empty_like(path)
        for at, velocity in enumerate(self.velocity):
            out[at] = origin + path[at] @ about_y(angle).T
            origin = origin - about_y(angle - self.turn * secs / 2) @ velocity * secs
            angle -= self.turn * secs
        return out

    def way(self, secs):
        """The way of the ground at the origin, from the first moment on."""
        return np.r_[np.zeros((1, 3)), np.cumsum(self.velocity * secs, 0)[:-1]]

    def usual(self, travel):
        low, across = self.carry[self.low], self.carry[self.low] * [1, 0, 1]
        if not len(low):
            return None
        ground = np.array([upper_median(axis) for axis in across.T])
        near = lambda: np.linalg.norm(across - ground, axis=1) <= max(self.limit, 0.4 * np.linalg.norm(ground))
        for _ in range(5):
            ground = across[near()].mean(0) if near().any() else ground
        still = (np.linalg.norm(across, axis=1) <= self.limit).sum()
        with_hips = travel * [1, 0, 1] @ ground > 0.4 * ground @ ground
        explains = near().sum() > 1.25 * still and (not with_hips or near().sum() >= 0.9 * len(low))
        moves = np.linalg.norm(ground) > 0.86 * self.limit and explains
        return ground + [0, upper_median(low[near(), 1]), 0] if moves else None

    def follow(self, usual, level, order, most):
        def seen(moment, base, reach, of):
            rows = self.carry[moment][of]
            off = np.linalg.norm(rows - base, axis=1)
            rows, weights = rows[off <= reach], 1 / (off[off <= reach] ** 2 + (0.2 * reach) ** 2)
            return weights @ rows / weights.sum() if len(rows) else None

        found, ages, now, unseen = np.tile(usual, (len(order), 1)), np.full(len(order), 1e6), None, 0
        for moment in order:
            near = seen(moment, now, max(self.limit, 0.3 * np.linalg.norm(now)), level[moment]) if now is not None else None
            if near is not None:
                change = near - now
                now, unseen = now + change * min(1, most / max(np.linalg.norm(change), 1e-9)), 0
            else:
                first = seen(moment, usual, max(self.limit, 0.4 * np.linalg.norm(usual)), self.low[moment])
                now, unseen = (first, 0) if first is not None else (now, unseen + 1)
            if now is not None:
                found[moment], ages[moment] = now, 1 + unseen
        return found, ages


class Still:
    """When each point of a foot is still and low in its foot, before surfaces are known: moments x points."""

    def __init__(self, foot, ground, secs, scale, roll):
        self.path = ground.place(foot.path, secs)
        self.speed = np.linalg.norm(velocities(foot.path, secs) - ground.speed_at(foot.path), axis=-1)
        length = max(3, SUB_FRAMES)
        step = np.linalg.norm(self.path[length:] - self.path[:-length], axis=-1) / (length * secs)
        side = np.full(self.speed.shape, np.inf)
        for offset in range(length + 1):
            side[offset : offset + len(step)] = np.minimum(side[offset : offset + len(step)], step)
        limit = ground.limits(foot.path)
        y = foot.path[..., 1]
        low = y <= y.min(1, keepdims=True) + 0.025 * scale
        at, last = np.arange(len(y)), len(y) - 1
        slower = np.minimum(self.speed[np.clip(at - SUB_FRAMES, 0, last)], self.speed[np.clip(at + SUB_FRAMES, 0, last)])
        rolls = self.speed < np.minimum(roll, 3 * slower)
        self.starts = low & ((self.speed < limit) | (side < 0.2 * limit))
        self.keeps = low & ((self.speed < 1.15 * limit) | (side < 0.2 * limit) | rolls)
        self.lowest = y.min(1)

    def flags(self, counts=True):
        starts, keeps = self.starts & counts, self.keeps & counts
        return np.stack([hold(starts[:, p], keeps[:, p]) for p in range(starts.shape[1])], 1)


class Surfaces:
    """Heights on which feet stand, and the stands that show them."""

    def __init__(self, feet, hips, moves, secs, scale, bind):
        self.scale, self.known, self.stands = scale, [], []
        stands = [stand for index in range(len(feet)) for stand in self.stands_of(feet, index, hips, moves, secs)]
        fits = lambda height, surface: -0.06 * scale <= height - surface <= 0.025 * scale
        bearing = [s for s in stands if s["bears"] and not s["falls"]]
        there = sum(s["length"] for s in bearing if fits(s["height"], bind))
        elsewhere = sum(s["length"] for s in bearing if not fits(s["height"], bind))
        trusted = elsewhere <= 2 * there or 2 * elsewhere <= len(hips)
        on_bind = lambda height: trusted and fits(height, bind)
        heights = []
        for stand in sorted(stands, key=lambda s: (not on_bind(s["height"]), -s["length"])):
            near_origin = trusted and np.linalg.norm(stand["place"]) <= 0.7 * scale
            near = [h for place, h in self.known if np.linalg.norm(place - stand["place"]) <= 0.3 * scale] + [bind] * int(near_origin)
            above = lambda surface: stand["height"] - surface
            hovers = any(0 <= above(h) < 0.1 * scale for h in near)
            above_any = hovers or any(0 <= above(h) < 0.1 * scale for h in heights + [bind] * int(trusted))
            rests = stand["length"] >= round(1 / secs) and above_any
            known = on_bind(stand["height"]) or any(fits(stand["height"], h) for h in heights)
            fitting = [h for h in near if fits(stand["height"], h)]
            conflicts = not fitting and ((hovers and not rests) or (near_origin and above(bind) < 0))
            long = stand["length"] >= round(0.15 / secs) or not (heights or trusted)
            if not conflicts and (known or rests or (long and stand["bears"] and not stand["falls"])):
                surface = fitting[0] if fitting else stand["height"]
                self.known.append((stand["place"], surface))
                heights.append(surface)
                self.stands.append(stand)
        self.everywhere = [bind] if any(on_bind(h) for h in heights) else []

    def stands_of(self, feet, index, hips, moves, secs):
        foot, scale = feet[index], self.scale
        flags = foot.flags()
        others = np.min([other.lowest for other in feet if other is not foot], 0)
        half = round(0.05 / secs)
        middle = np.clip(np.arange(len(hips)), half, len(hips) - 1 - half)
        fall = hips[middle + half, 1] - 2 * hips[middle, 1] + hips[middle - half, 1] < -5.9 * min(scale, 1) * (half * secs) ** 2
        for first, last in runs(flags.any(1)):
            run = np.arange(first, last + 1)
            carrier = np.where(flags[run], foot.path[run, :, 1], np.inf).argmin(1)
            carried = foot.path[run, carrier]
            height = carried[:, 1]
            speeds = np.where(flags[run], foot.speed[run], np.inf).min(1)
            at = height.argmin() if moves else speeds.argmin()
            far = np.flatnonzero(np.abs(height - height[at]) > 0.02 * scale)
            start, end = far[far < at].max(initial=-1) + 1, far[far > at].min(initial=len(run))
            run, carried = run[start:end], carried[start:end]
            if len(run) < round(0.03 / secs):
                continue
            bears = (foot.lowest[run] <= others[run] + 0.02 * scale).sum()
            yield {
                "foot": index, "first": run[0], "length": len(run), "place": carried[len(run) // 2][[0, 2]],
                "height": upper_median(carried[:, 1]), "bears": bears >= min(round(0.1 / secs), -(-len(run) // 2)),
                "falls": fall[run].sum() >= 0.6 * len(run),
            }

    def under(self, path):
        """Where points are on a surface."""
        on = lambda height: (path[..., 1] >= height - 0.12 * self.scale) & (path[..., 1] <= height + 0.035 * self.scale)
        found = np.zeros(path.shape[:2], bool)
        for height in self.everywhere:
            found |= on(height)
        for place, height in self.known:
            found |= on(height) & (np.linalg.norm(path[..., [0, 2]] - place, axis=-1) <= 0.35 * self.scale)
        return found

    def has_stand(self, foot, first, last):
        return any(s["foot"] == foot and s["first"] <= last and s["first"] + s["length"] > first for s in self.stands)


def contacts_of(stands, secs):
    union = stands.any(1)
    for first, last in runs(~union):
        if first > 0 and last < len(union) - 1 and (last - first + 1) < round(0.05 / secs):
            union[first : last + 1] = True
    return [(first, last) for first, last in runs(union) if last - first + 1 > round(0.03 / secs)]


def slide_of(foot, decoded, stands, first, last):
    """The largest horizontal drift of a point since it began to stand."""
    drift = (decoded - foot.path)[first : last + 1] * [1, 0, 1]
    worst = 0.0
    for point in range(stands.shape[1]):
        for start, end in runs(stands[first : last + 1, point]):
            since = np.linalg.norm(drift[start : end + 1, point] - drift[start, point], axis=-1)
            worst = max(worst, since.max())
    return worst


def a_moment_off(stands):
    """The same stands, and those in which every point begins a moment later or earlier."""
    none = np.zeros((1, stands.shape[1]), bool)
    return stands, stands & np.r_[none, stands[:-1]], stands | np.r_[stands[1:], none]


def source_of(foot, stands, first, last, ground, secs):
    """The slide of the original, from sample to sample, by the point that moves least over the ground, without the ground's turn."""
    way = ground.way(secs)
    from_sample, to_sample = -(-first // SUB_FRAMES), last // SUB_FRAMES
    ends = (from_sample + 1, to_sample - 1) if to_sample - from_sample > 2 else (from_sample, to_sample)
    steps = []
    for sample in range(*ends):
        a, b = sample * SUB_FRAMES, (sample + 1) * SUB_FRAMES
        standing = [p for p in range(stands.shape[1]) if stands[a : b + 1, p].all()]
        moves = [foot.path[b, p] - foot.path[a, p] - ground.turned((foot.path[a, p] + foot.path[b, p]) / 2) * (b - a) * secs for p in standing]
        moved = way[b] - way[a]
        off = [np.linalg.norm(move - moved) for move in moves]
        alike = [move for move, o in zip(moves, off) if o <= 1.05 * min(off) + 1e-5]
        steps.append((np.mean(alike, 0) if alike else moved) * [1, 0, 1])
    if ground.moves():
        steps = steps - np.mean(steps, 0)
    way = np.cumsum(steps, 0)
    left_out = (last - first) / SUB_FRAMES - len(steps)
    return np.linalg.norm(way, axis=1).max() + np.linalg.norm(way[-1] / len(steps)) * max(left_out, 0)


class Check:
    def __init__(self):
        self.failed = self.took_moment = False

    def value(self, what, ours, theirs, least=2e-5):
        off = abs(ours - theirs)
        good = off <= max(0.01 * abs(theirs), least)
        self.failed |= not good
        print(f"{'ok  ' if good else 'OFF '} {what}: here {ours * 1000:.4f} mm, Posepress {theirs * 1000:.4f} mm")

    def stand(self, what, ours, theirs):
        """Speeds at their limit may be on either side of it: one value of a clip may be that of points which stand a moment more or less."""
        off = abs(ours[0] - theirs) > max(0.01 * theirs, 2e-5)
        spare = off and not self.took_moment and min(ours) <= theirs <= max(ours)
        self.took_moment |= spare
        self.value(what, theirs if spare else ours[0], theirs)

    def true(self, what, good):
        self.failed |= not good
        print(f"{'ok  ' if good else 'OFF '} {what}")


def main(glb, original_csv, decoded_csv, report_json):
    rig, check = Rig(glb), Check()
    original, decoded = poses(rig, original_csv), poses(rig, decoded_csv)
    clip = json.load(open(report_json))["clips"][0]
    rate = clip["rate_hz"]
    secs = 1 / (rate * SUB_FRAMES)
    bind = bind_pose(rig, original)
    far = shells(rig, original, bind, 0.03)
    errors = shell_errors(original, decoded, far)
    check.value("shell, at samples", errors[::SUB_FRAMES].max(), clip["error"]["max_mm"] / 1000)
    between = errors[np.arange(len(errors)) % SUB_FRAMES != 0]
    check.value("shell, between samples", between.max(), clip["sub_frame_error"]["max_mm"] / 1000)
    vertices = np.arange(len(rig.positions))
    spans = [slice(start, start + 32) for start in range(0, len(errors), 32)]
    skin = max(np.linalg.norm(skinned(rig, decoded, vertices, s) - skinned(rig, original, vertices, s), axis=-1).max() for s in spans)
    check.value("skin", skin, clip["vertex_error"]["max_mm"] / 1000)
    check.value("jitter", jitter(original, decoded, far, rate), clip["jitter"]["max_mm"] / 1000)
    check.value("bone length", bone_length(rig, original, decoded), clip["loop"]["bone_length_mm"] / 1000, 1e-6)
    if clip["loop"]["looping"]:
        pop, speed = seam(original, decoded, rate)
        check.value("seam", pop, clip["loop"]["seam_pop_mm"] / 1000, 1e-6)
        check.value("speed at the seam", speed, clip["loop"]["seam_velocity_mm_s"] / 1000, 1e-4)
    if "root" in clip:
        way, drift, turn, gain = root_drift(original, decoded, clip["root"]["joint"])
        check.value("way of the root", way, clip["root"]["way_m"])
        check.value("root drift", drift, clip["root"]["drift_mm"] / 1000, 1e-4)
        check.value("speed of the root", gain / (len(errors) - 1) / secs, clip["root"]["speed_mm_s"] / 1000, 1e-5)
        check.true(f"heading {turn:.4f} degrees, Posepress {clip['root']['turn_degrees']:.4f}", abs(turn - clip["root"]["turn_degrees"]) < 0.01)
    feet = sorted({c["joint"] for c in clip["slide"]["contacts"]})
    contacts(rig, original, decoded, bind, clip, feet, secs, check)
    return check.failed


def contacts(rig, original, decoded, bind, clip, feet, secs, check):
    shared = next(a for a in rig.ancestors(feet[0]) if all(a in rig.ancestors(f) for f in feet))
    leg, joint = 0.0, feet[0]
    while rig.parents[joint] != shared:
        leg += np.linalg.norm(bind[joint][:3, 3] - bind[rig.parents[joint]][:3, 3])
        joint = rig.parents[joint]
    scale = 1.1 * leg / 0.9
    soles = [Foot(rig, original, bind, name, scale) for name in feet]
    around = clip["loop"]["looping"]
    period = len(soles[0].path) - 1
    hips = original[shared][:, :3, 3]
    for sole in soles:
        sole.moved = skinned(rig, decoded, sole.points)
        if around:
            sole.path, sole.moved = round_and_round(sole.path), round_and_round(sole.moved)
    hips = round_and_round(hips) if around else hips
    height = min(skinned(rig, bind, s.points)[:, 1].min() for s in soles)
    ground, roll = Ground(soles, hips, mean_turn(original[shared], secs), secs, scale, 0.38 * scale, height), 0.0
    if not ground.moves():
        fastest = np.sort(np.concatenate([np.linalg.norm(velocities(s.path, secs)[:, 0], axis=-1) for s in soles]))
        swing = fastest[len(fastest) * 9 // 10]
        ground.spread = np.maximum(ground.spread, 0.065 * swing)
        roll = min(0.13 * swing, 1.5 * ground.spread[0])
    print(f"     the ground moves at {np.linalg.norm(ground.velocity, axis=1).mean():.3f} m/s and turns at {ground.turn:.3f} rad/s")
    sample = secs * SUB_FRAMES
    still = [Still(sole, ground, secs, scale, roll) for sole in soles]
    surfaces = Surfaces(still, hips, ground.moves(), secs, scale, height)
    for index, (sole, foot) in enumerate(zip(soles, still)):
        stands = foot.flags(surfaces.under(foot.path))
        here = contacts_of(stands, secs)
        if not ground.moves():
            here = [span for span in here if surfaces.has_stand(index, *span)]
        shift = period if around else 0
        if around:
            whole = [(period, 2 * period)] if stands.any(1).all() else []
            here = whole or [(first, last) for first, last in here if period // 2 <= first < period // 2 + period]
        theirs = [c for c in clip["slide"]["contacts"] if c["joint"] == sole.name]
        if around:
            turned = lambda c: (round(c["start_secs"] / secs) - period // 2) % period
            here, theirs = sorted(here, key=lambda span: (span[0] - period // 2) % period), sorted(theirs, key=turned)
        check.true(f"{sole.name}: {len(here)} contacts, Posepress {len(theirs)}", len(here) == len(theirs))
        for (first, last), other in zip(here, theirs):
            start, end = (first - shift) * secs, (last - shift) * secs
            rounds = round((other["start_secs"] - start) / (period * secs)) * period * secs if around else 0
            start, end = start + rounds, end + rounds
            near = max(abs(start - other["start_secs"]), abs(end - other["end_secs"])) <= sample + 1e-4
            check.true(f"{sole.name} stands {start:.3f}-{end:.3f} s, Posepress {other['start_secs']:.3f}-{other['end_secs']:.3f} s", near)
            check.stand("  slide", [slide_of(sole, sole.moved, of, first, last) for of in a_moment_off(stands)], other["slide_mm"] / 1000)
            check.stand("  source", [source_of(sole, of, first, last, ground, secs) for of in a_moment_off(stands)], other["source_slide_mm"] / 1000)


def sampling(glb, samples_csv, report_json):
    """The samples against the curves of the file."""
    rig, check = Rig(glb), Check()
    samples = poses(rig, samples_csv)
    clip = json.load(open(report_json))["clips"][0]
    times = np.array(sorted({float(row[0]) for row in list(csv.reader(open(samples_csv)))[1:]}))
    far = shells(rig, samples, bind_pose(rig, samples), 0.03)
    found = shell_errors(curves(rig, clip["clip"], samples, times), samples, far).max()
    check.value("sampling", found, clip["sampling"]["max_mm"] / 1000)
    return check.failed


if __name__ == "__main__":
    sys.exit(sampling(*sys.argv[2:5]) if sys.argv[1] == "--sampling" else main(*sys.argv[1:5]))
