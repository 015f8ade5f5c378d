"""A second implementation of Posepress' measures, written from the book's pages.

Usage: measures.py RIG.glb ORIGINAL.csv DECODED.csv REPORT.json

The two CSV files hold local transforms at four steps per sample (`posepress decode --rate`). The script computes shell, skin, seam and jitter
errors and the contacts with their slides, and compares them with the report. It ends with status 1 if one differs by more than 1 %, or a
contact by more than a sample.
"""

import csv
import json
import struct
import sys

import numpy as np

SUB_FRAMES = 4
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


def bind_pose(rig, names):
    model = {}
    for name in names:
        parent = model.get(rig.parents.get(name))
        model[name] = rig.bind[name] if parent is None else parent @ rig.bind[name]
    return model


def skinned(rig, model, vertices, steps=slice(None)):
    """Positions of vertices, steps x vertices x 3."""
    home = np.c_[rig.positions[vertices], np.ones(len(vertices))]
    total = 0
    for slot in range(4):
        for name in set(rig.influences[vertices, slot]):
            if name not in rig.inverse_binds:
                continue
            mask = rig.influences[vertices, slot] == name
            moved = np.einsum("...ij,vj->...vi", model[name][steps] @ rig.inverse_binds[name], home)[..., :3]
            total = total + moved * (rig.weights[vertices, slot] * mask)[:, None]
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


def stands_of(foot, secs, scale, limit, ground):
    """When each point stands on even ground, steps x points."""
    path = foot.path
    speed = np.linalg.norm(velocities(path, secs), axis=-1)
    length = max(3, SUB_FRAMES)
    step = np.linalg.norm(path[length:] - path[:-length], axis=-1) / (length * secs)
    side = np.full(speed.shape, np.inf)
    for offset in range(length + 1):
        side[offset : offset + len(step)] = np.minimum(side[offset : offset + len(step)], step)
    height = path[..., 1]
    counts = (height <= height.min(1, keepdims=True) + 0.025 * scale) & (height <= ground + 0.03 * scale)
    counts &= height >= ground - 0.12 * scale
    still = side < 0.2 * limit
    flags = [hold(((speed[:, p] < limit) | still[:, p]) & counts[:, p], ((speed[:, p] < 1.15 * limit) | still[:, p]) & counts[:, p])
             for p in range(path.shape[1])]
    return np.stack(flags, 1)


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


def source_of(foot, stands, first, last, secs):
    """The slide of the original, from sample to sample, by the point that moves least."""
    from_sample, to_sample = -(-first // SUB_FRAMES), last // SUB_FRAMES
    ends = (from_sample + 1, to_sample - 1) if to_sample - from_sample > 3 else (from_sample, to_sample)
    steps = []
    for sample in range(*ends):
        a, b = sample * SUB_FRAMES, (sample + 1) * SUB_FRAMES
        standing = [p for p in range(stands.shape[1]) if stands[a : b + 1, p].all()]
        moves = [foot.path[b, p] - foot.path[a, p] for p in standing]
        steps.append(min(moves, key=np.linalg.norm) * [1, 0, 1] if moves else np.zeros(3))
    way = np.cumsum(steps, 0)
    left_out = (last - first) / SUB_FRAMES - len(steps)
    return np.linalg.norm(way, axis=1).max() + np.linalg.norm(way[-1] / len(steps)) * max(left_out, 0)


class Check:
    def __init__(self):
        self.failed = False

    def value(self, what, ours, theirs, least=2e-5):
        off = abs(ours - theirs)
        good = off <= max(0.01 * abs(theirs), least)
        self.failed |= not good
        print(f"{'ok  ' if good else 'OFF '} {what}: here {ours * 1000:.4f} mm, Posepress {theirs * 1000:.4f} mm")

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
    skin = max(np.linalg.norm(skinned(rig, decoded, vertices, slice(s, s + 1)) - skinned(rig, original, vertices, slice(s, s + 1)), axis=-1).max()
               for s in range(len(errors)))
    check.value("skin", skin, clip["vertex_error"]["max_mm"] / 1000)
    check.value("jitter", jitter(original, decoded, far, rate), clip["jitter"]["max_mm"] / 1000)
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
    fastest = np.sort(np.concatenate([np.linalg.norm(velocities(s.path, secs)[:, 0], axis=-1) for s in soles]))
    limit = max(0.38 * scale, 0.065 * fastest[int(len(fastest) * 0.9)])
    ground = min(bind_low for bind_low in [skinned(rig, bind, s.points)[:, 1].min() for s in soles])
    for sole in soles:
        stands = stands_of(sole, secs, scale, limit, ground)
        here = contacts_of(stands, secs)
        theirs = [c for c in clip["slide"]["contacts"] if c["joint"] == sole.name]
        check.true(f"{sole.name}: {len(here)} contacts, Posepress {len(theirs)}", len(here) == len(theirs))
        moved = skinned(rig, decoded, sole.points)
        for (first, last), other in zip(here, theirs):
            sample = secs * SUB_FRAMES
            near = max(abs(first * secs - other["start_secs"]), abs(last * secs - other["end_secs"])) <= sample + 1e-4
            check.true(f"{sole.name} stands {first * secs:.3f}-{last * secs:.3f} s, Posepress {other['start_secs']:.3f}-{other['end_secs']:.3f} s", near)
            check.value("  slide", slide_of(sole, moved, stands, first, last), other["slide_mm"] / 1000)
            check.value("  source", source_of(sole, stands, first, last, secs), other["source_slide_mm"] / 1000)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
