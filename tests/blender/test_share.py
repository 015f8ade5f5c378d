"""Files: compressed clips, Posepress and back, the zip."""

from __future__ import annotations

import os
import runpy
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import bpy
import posepress
import pytest
from posepress_blender.panels import sidebar
from posepress_blender.scene.curves import sources_of
from posepress_blender.tasks.job import Job
from posepress_blender.tasks.settings import CODECS, Settings
from posepress_blender.tasks.share import bring_in, export, send

from .conftest import ROOT, bake, key_pose, make_rig, off_mm


def test_compressed_clips_come_back_as_actions_within_the_tolerance(settings: Settings, tmp_path: Path) -> None:
    obj = make_rig()
    obj.rotation_euler = (0.2, 0.1, 0.7)
    obj.pose.bones["bone1"].rotation_mode = "ZXY"
    sources = [key_pose(obj)]
    sources.append(bake(obj, sources[0]))
    scene = bpy.context.scene
    for name in ("clips.posepress", "clips.glb"):
        path = str(tmp_path / name)
        sent = Job(export(obj, sources, settings, scene, path)).run()
        assert sent.size == Path(path).stat().st_size and sent.clips == [source.name for source in sources]
        back = Job(bring_in(obj, settings, scene, path)).run()
        assert len(back.results) == 2 and back.notes == []
        for source, result in zip(sources, back.results):
            assert result.action.frame_range[:] == source.action.frame_range[:]
            at_frames, _ = off_mm(obj, source, result)
            assert 0.0 < at_frames <= settings.tolerance_mm + 0.01, name


def test_what_cannot_come_back_or_be_written_is_said(settings: Settings, tmp_path: Path) -> None:
    obj = make_rig()
    path = str(tmp_path / "clips.posepress")
    scene = bpy.context.scene
    Job(export(obj, [key_pose(obj)], settings, scene, path)).run()
    turned = make_rig(6, "Turned")
    bpy.ops.object.mode_set(mode="EDIT")
    turned.data.edit_bones["bone2"].roll += 1.0
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(posepress.ClipError, match="bone2 rests .* mm off"):
        Job(bring_in(turned, settings, scene, path)).run()
    other = make_rig(2, "Other")
    for bone in other.data.bones:
        bone.name = f"x{bone.name}"
    with pytest.raises(posepress.ClipError, match="0 of the 2 bones"):
        Job(bring_in(other, settings, scene, path)).run()
    with pytest.raises(posepress.OptionError, match=r"\.posepress or \.glb"):
        Job(export(obj, sources_of(obj), settings, scene, str(tmp_path / "clips.fbx"))).run()
    with pytest.raises(posepress.ReadError):
        Job(bring_in(obj, settings, scene, str(tmp_path / "missing.glb"))).run()


@pytest.mark.skipif(os.name != "posix", reason="the program is a script for a shell")
def test_the_program_starts_with_the_file(settings: Settings, tmp_path: Path) -> None:
    program, seen, path = tmp_path / "program", tmp_path / "seen", str(tmp_path / "Rig.glb")
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > "{seen}.new"\nmv "{seen}.new" "{seen}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    obj = make_rig()
    sent = Job(send(obj, [key_pose(obj)], settings, bpy.context.scene, path, str(program))).run()
    for _ in range(200):
        if seen.exists():
            break
        time.sleep(0.02)
    assert seen.read_text() == path == sent.path
    file = posepress.read(path, rate=30)
    assert [clip.name for clip in file.clips] == sent.clips and file.clips[0].samples == 121


def test_codecs_of_the_list_exist() -> None:
    assert [posepress.Recipe(key).codec for key, _ in CODECS] == [key for key, _ in CODECS]


class Layout:
    """Stands for a layout: checks that what is drawn exists."""

    def __init__(self) -> None:
        self.operators: list[str] = []
        self.use_property_split = False

    def prop(self, data: Any, name: str, **_: Any) -> None:
        assert name in data.bl_rna.properties

    def operator(self, name: str, **_: Any) -> Any:
        kind, _, own = name.partition(".")
        getattr(getattr(bpy.ops, kind), own).get_rna_type()
        self.operators.append(name)
        return type("Properties", (), {})()

    def label(self, **_: Any) -> None:
        pass

    def separator(self) -> None:
        pass

    def row(self, **_: Any) -> Layout:
        return self

    box = column = row


def test_panel_and_menus_show_operators_and_results() -> None:
    obj = make_rig(3)
    key_pose(obj)
    bpy.ops.posepress.measure()
    layout = Layout()
    panel = type("Panel", (), {"layout": layout})()
    sidebar.POSEPRESS_PT_sidebar.draw(panel, bpy.context)
    assert len(layout.operators) == 8 and "posepress.show_worst" in layout.operators
    menu = type("Menu", (), {"layout": Layout()})()
    sidebar._draw_menu(menu, bpy.context)
    assert len(menu.layout.operators) == 3
    for name in ("DOPESHEET_MT_key", "GRAPH_MT_key"):
        assert sidebar._draw_menu in getattr(bpy.types, name)._dyn_ui_initialize()
    bpy.context.view_layer.objects.active = None
    assert not sidebar.POSEPRESS_PT_sidebar.poll(bpy.context)


def test_the_zip_has_a_valid_manifest_and_blender_accepts_it(tmp_path: Path) -> None:
    wheel = tmp_path / "posepress-0.1.0-cp310-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("posepress/__init__.py", "")
    script = ROOT / "scripts/blender_zip.py"
    path = tmp_path / "posepress.zip"
    subprocess.run([sys.executable, script, "0.1.0", path, wheel], check=True)
    assert runpy.run_path(str(script))["check"](path) == []
    with zipfile.ZipFile(path) as archive:
        text = archive.read("blender_manifest.toml").decode()
        assert 'version = "0.1.0"' in text and "./wheels/posepress-0.1.0" in text and 'platforms = ["linux-x64"]' in text
        assert "__init__.py" in archive.namelist() and "panels/operators.py" in archive.namelist()
    found = list(Path(bpy.utils.system_resource("SCRIPTS")).glob("addons*/bl_pkg/cli/blender_ext.py"))
    if not found:
        pytest.skip("this Blender has no command for extensions; the required fields were checked")
    done = subprocess.run([sys.executable, found[0], "validate", path], capture_output=True, text=True)
    assert done.returncode == 0 and "Success" in done.stdout, done.stdout + done.stderr


def test_the_zip_installs_with_its_wheel(tmp_path: Path) -> None:
    wheel = os.environ.get("POSEPRESS_WHEEL")
    if not wheel:
        pytest.skip("POSEPRESS_WHEEL does not name the wheel; scripts/blender.sh sets it")
    if not hasattr(bpy.ops.extensions, "package_install_files"):
        pytest.skip("this Blender has no extensions")
    path = tmp_path / "posepress.zip"
    subprocess.run([sys.executable, ROOT / "scripts/blender_zip.py", "0.1.0", path, wheel], check=True)
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    command = [sys.executable, Path(__file__).with_name("installed.py"), path]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "installed 0.1.0" in done.stdout, done.stdout + done.stderr
    assert list((tmp_path / "user").rglob("posepress/_posepress*"))
