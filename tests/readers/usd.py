"""What usd-core makes of skeletal animation in USD.

    python usd.py write FOLDER   writes files that a reader must understand
    python usd.py play FILE...   prints how UsdSkel plays them: per time, the place of every joint and of every skinned point, in metres with
                                 Y up. Matrices act on columns, and lie column by column.
"""

import json
import math
import os
import sys

from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt

JOINTS = ["hips", "hips/spine", "hips/spine/head", "hips/leg"]
REST = [(0, 1, 0), (0, 0.5, 0), (0, 0.4, 0.1), (0.2, -0.1, 0)]
API = "SkelBindingAPI"


def moved(*at):
    return Gf.Matrix4d().SetTranslate(Gf.Vec3d(*at))


def turned(x, y, z):
    turn = Gf.Rotation(Gf.Vec3d(1, 0, 0), x) * Gf.Rotation(Gf.Vec3d(0, 1, 0), y) * Gf.Rotation(Gf.Vec3d(0, 0, 1), z)
    return Gf.Quatf(turn.GetQuat())


def new(path, rate=24, start=0, end=12, up="Y", metres=1.0):
    stage = Usd.Stage.CreateNew(path)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetStartTimeCode(start)
    stage.SetEndTimeCode(end)
    UsdGeom.SetStageUpAxis(stage, up)
    if metres:
        UsdGeom.SetStageMetersPerUnit(stage, metres)
    return stage


def skeleton(stage, root, size=1.0, rest=None):
    """A character: its root, and its skeleton, bound to no animation."""
    skel_root = UsdSkel.Root.Define(stage, root)
    skel = UsdSkel.Skeleton.Define(stage, f"{root}/Skel")
    UsdSkel.BindingAPI.Apply(skel.GetPrim())
    locals_ = [moved(*(size * x for x in at)) for at in REST]
    bind = []
    for joint, local in zip(JOINTS, locals_):
        above = joint.rpartition("/")[0]
        bind.append(local * bind[JOINTS.index(above)] if above else local)
    skel.CreateJointsAttr(JOINTS)
    skel.CreateBindTransformsAttr(bind)
    skel.CreateRestTransformsAttr(rest or locals_)
    return skel_root, skel


def animation(stage, path, codes, joints=JOINTS, size=1.0, scales=False, kind="f"):
    anim = UsdSkel.Animation.Define(stage, path)
    anim.CreateJointsAttr(joints)
    places = [JOINTS.index(joint) for joint in joints]
    translations, rotations = anim.CreateTranslationsAttr(), anim.CreateRotationsAttr()
    for code in codes:
        phase = 0.4 * code
        at = lambda j: Gf.Vec3f(*(size * (x + 0.05 * math.sin(phase + j)) for x in REST[j]))
        turn = lambda j: turned(40 * math.sin(phase + j), 25 * math.cos(phase * 0.7 + j), 10 * j)
        translations.Set(Vt.Vec3fArray([at(j) for j in places]), code)
        rotations.Set(Vt.QuatfArray([turn(j) for j in places]), code)
    one = anim.CreateScalesAttr()
    if scales:
        for code in codes:
            one.Set(Vt.Vec3hArray([Gf.Vec3h(1 + 0.1 * j + 0.02 * code) for j in places]), code)
    else:
        one.Set(Vt.Vec3hArray([Gf.Vec3h(1) for _ in places]))
    return anim


def bind(prim, anim):
    UsdSkel.BindingAPI.Apply(prim).CreateAnimationSourceRel().SetTargets([anim.GetPath()])


def mesh(stage, path, skel, points, shapes=()):
    """Faces of four corners, whose points follow two joints each."""
    geom = UsdGeom.Mesh.Define(stage, path)
    geom.CreatePointsAttr([Gf.Vec3f(*at) for at in points])
    geom.CreateFaceVertexCountsAttr([4] * (len(points) // 4))
    geom.CreateFaceVertexIndicesAttr(list(range(len(points))))
    geom.CreateOrientationAttr("leftHanded")
    binding = UsdSkel.BindingAPI.Apply(geom.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skel.GetPath()])
    # Joints in the mesh's own order.
    binding.CreateJointsAttr(["hips/spine", "hips", "hips/spine/head"])
    binding.CreateJointIndicesPrimvar(False, 2).Set([i for p in range(len(points)) for i in (p % 3, (p + 1) % 3)])
    binding.CreateJointWeightsPrimvar(False, 2).Set([w for _ in points for w in (0.75, 0.25)])
    binding.CreateGeomBindTransformAttr(moved(0, 0.25, 0))
    targets = []
    for name, offsets, indices in shapes:
        shape = UsdSkel.BlendShape.Define(stage, f"{path}/{name}")
        shape.CreateOffsetsAttr([Gf.Vec3f(*at) for at in offsets])
        if indices:
            shape.CreatePointIndicesAttr(indices)
        targets.append(shape.GetPath())
    if targets:
        binding.CreateBlendShapesAttr([name for name, _, _ in shapes])
        binding.CreateBlendShapeTargetsRel().SetTargets(targets)


def write(folder):
    at = lambda name: os.path.join(folder, name)

    for name in ("plain.usda", "binary.usdc"):
        stage = new(at(name))
        _, skel = skeleton(stage, "/Char")
        bind(skel.GetPrim(), animation(stage, "/Char/Walk", range(13)))
        stage.Save()
    UsdUtils.CreateNewUsdzPackage(at("binary.usdc"), at("package.usdz"))

    # Another order, and joints that are missing at a rest pose that is not the bind pose.
    stage = new(at("order.usda"), rate=30)
    rest = [moved(0.1 * j, 1, 0.2 * j) for j in range(4)]
    rest[3] = Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(1, 1, 0), 50)) * rest[3]
    _, skel = skeleton(stage, "/Char", rest=rest)
    bind(skel.GetPrim(), animation(stage, "/Char/Walk", range(13), joints=[JOINTS[2], JOINTS[0], "hips/none"][:2]))
    stage.Save()

    stage = new(at("half.usdc"))
    _, skel = skeleton(stage, "/Char")
    bind(skel.GetPrim(), animation(stage, "/Char/Grow", range(13), scales=True))
    stage.Save()

    # Centimetres because nothing else is said, Z up, samples that start later and end earlier than the stage.
    stage = new(at("z_up.usda"), up="Z", metres=None, start=1, end=20)
    _, skel = skeleton(stage, "/Char", size=100)
    bind(skel.GetPrim(), animation(stage, "/Char/Walk", [4, 5, 6, 9, 12], size=100))
    stage.Save()

    # The animation is inherited, and the prims above move too.
    stage = new(at("inherited.usda"), rate=60)
    world = UsdGeom.Xform.Define(stage, "/World")
    world.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    world.AddRotateXYZOp().Set(Gf.Vec3f(10, 20, 30), 0)
    world.GetPrim().GetAttribute("xformOp:rotateXYZ").Set(Gf.Vec3f(50, -20, 100), 12)
    pivot = UsdGeom.Xform.Define(stage, "/World/Pivot")
    pivot.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(0.5, 0, 0))
    spin = pivot.AddRotateYOp()
    spin.Set(0, 0)
    spin.Set(90, 12)
    pivot.AddTranslateOp(opSuffix="pivot", isInverseOp=True)
    skel_root, skel = skeleton(stage, "/World/Pivot/Char")
    # In double precision: usd-core takes the angle of a float quaternion from its cosine, which costs 3e-6 near no rotation.
    orient = skel_root.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    orient.Set(Gf.Quatd(turned(0, 0, 0)), 2)
    orient.Set(Gf.Quatd(turned(60, 10, 0)), 10)
    bind(skel_root.GetPrim(), animation(stage, "/Walk", range(13)))
    stage.Save()

    # Two variants; the selected one has the faster walk.
    stage = new(at("variants.usda"))
    _, skel = skeleton(stage, "/Char")
    for name, codes in (("slow", range(0, 13, 2)), ("fast", range(13))):
        animation(stage, f"/Char/{name}", codes)
    sets = skel.GetPrim().GetVariantSets().AddVariantSet("motion")
    for name in ("slow", "fast"):
        sets.AddVariant(name)
        sets.SetVariantSelection(name)
        with sets.GetVariantEditContext():
            bind(skel.GetPrim(), UsdSkel.Animation(stage.GetPrimAtPath(f"/Char/{name}")))
    sets.SetVariantSelection("slow")
    stage.Save()

    # A character in a file beside it, twice: one moved, one scaled and later.
    stage = new(at("instanced.usda"), end=20)
    for name, place, offset in (("A", moved(2, 0, 0), 0), ("B", moved(-2, 0, 1), 6)):
        xform = UsdGeom.Xform.Define(stage, f"/{name}")
        xform.AddTransformOp().Set(Gf.Matrix4d().SetScale(2) * place if name == "B" else place)
        char = stage.DefinePrim(f"/{name}/Char")
        char.GetReferences().AddReference("./plain.usda", "/Char", Sdf.LayerOffset(offset))
        char.SetInstanceable(True)
    stage.Save()

    # Blend shapes, a skin, and time codes that start late.
    stage = new(at("shapes.usda"), rate=30, start=101, end=113)
    _, skel = skeleton(stage, "/Char")
    anim = animation(stage, "/Char/Talk", range(101, 114))
    anim.CreateBlendShapesAttr(["smile", "frown"])
    weights = anim.CreateBlendShapeWeightsAttr()
    for code in range(101, 114):
        weights.Set(Vt.FloatArray([(code - 101) / 12, 0.5 - (code - 101) / 24]), code)
    bind(skel.GetPrim(), anim)
    points = [(x, y, 0.1 * z) for z in (0, 1) for x, y in ((0, 1), (0, 2), (1, 2), (1, 1))]
    shapes = [("frown", [(0, 0.1 * i, 0) for i in range(8)], None), ("smile", [(0.2, 0, 0), (0, 0, 0.3)], [1, 6])]
    mesh(stage, "/Char/Body", skel, points, shapes)
    stage.Save()

    # A pose: values without samples.
    stage = new(at("pose.usda"))
    _, skel = skeleton(stage, "/Char")
    anim = animation(stage, "/Char/Pose", [5])
    for attribute in (anim.GetTranslationsAttr(), anim.GetRotationsAttr()):
        value = attribute.Get(5)
        attribute.Clear()
        attribute.Set(value)
    bind(skel.GetPrim(), anim)
    stage.Save()


def columns(matrix, unit):
    """A matrix whose axes are not scaled by the unit of lengths."""
    return [x / unit if row < 3 else x for row in range(4) for x in matrix[row]]


def skinned(cache, binding, skel_query, code, to_world):
    """World places of the points of all meshes of a skeleton."""
    points = []
    for target in binding.GetSkinningTargets():
        prim = target.GetPrim()
        geom = UsdGeom.Mesh(prim)
        rest = geom.GetPointsAttr().Get(Usd.TimeCode.EarliestTime())
        if target.HasBlendShapes():
            query = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
            weights = skel_query.GetAnimQuery().ComputeBlendShapeWeights(code)
            own = target.GetBlendShapeMapper().Remap(weights) if target.GetBlendShapeMapper() else weights
            sub_weights, blends, subs = query.ComputeSubShapeWeights(own)
            query.ComputeDeformedPoints(sub_weights, blends, subs, query.ComputeBlendShapePointIndices(), query.ComputeSubShapePointOffsets(), rest)
        matrices = skel_query.ComputeSkinningTransforms(code)
        target.ComputeSkinnedPoints(matrices, rest, code)
        points.append([list(to_world.Transform(Gf.Vec3d(p))) for p in rest])
    return points


def play(path):
    stage = Usd.Stage.Open(path)
    raise_ = Gf.Matrix4d(1)
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        raise_.SetRotate(Gf.Rotation(Gf.Vec3d(1, 0, 0), -90))
    raise_ = raise_ * Gf.Matrix4d().SetScale(UsdGeom.GetStageMetersPerUnit(stage))
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    rate, start = stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode()
    skeletons = []
    cache = UsdSkel.Cache()
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        if not prim.IsA(UsdSkel.Root):
            continue
        root = UsdSkel.Root(prim)
        cache.Populate(root, Usd.TraverseInstanceProxies())
        skels = [p for p in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()) if p.IsA(UsdSkel.Skeleton)]
        bindings = cache.ComputeSkelBindings(root, Usd.TraverseInstanceProxies())
        for skel in skels:
            query = cache.GetSkelQuery(UsdSkel.Skeleton(skel))
            binding = next((b for b in bindings if b.GetSkeleton().GetPath() == skel.GetPath()), None)
            skeletons.append((skel, query, binding))
    samples = []
    half = any(a.GetScalesAttr().GetNumTimeSamples() > 1 for a in map(UsdSkel.Animation, stage.Traverse()) if a)
    steps = 1 if half else 2  # between samples usd-core rounds scales to half floats
    last = max(stage.GetEndTimeCode() - start, 0)
    for step in range(int(last * steps) + 1):
        code = start + step / steps
        joints, points = [], []
        xforms = UsdGeom.XformCache(code)
        for skel, query, binding in skeletons:
            to_world = xforms.GetLocalToWorldTransform(skel) * raise_
            joints += [columns(m * to_world, unit) for m in query.ComputeJointSkelTransforms(code)]
            points += skinned(cache, binding, query, code, to_world) if binding else []
        samples.append({"joints": joints, "points": points})
    names = [joint.rpartition("/")[2] for _, query, _ in skeletons for joint in query.GetJointOrder()]
    return {"file": os.path.basename(path), "rate_hz": rate * steps, "names": names, "samples": samples}


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    print(json.dumps([play(path) for path in sys.argv[2:]]))
