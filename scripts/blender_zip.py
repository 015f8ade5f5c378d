#!/usr/bin/env python3
"""Writes the zip of the Blender extension, or checks one.

    blender_zip.py VERSION OUTPUT.zip WHEEL...
    blender_zip.py --check OUTPUT.zip
"""

import re
import sys
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src/blender"
PACKAGE = SOURCE / "posepress_blender"
MANIFEST = "blender_manifest.toml"
# The same bytes for the same contents.
DATE = (1980, 1, 1, 0, 0, 0)
# Blender's names of platforms, by the end of a wheel's name.
PLATFORMS = {"linux_x86_64": "linux-x64", "win_amd64": "windows-x64", "arm64": "macos-arm64", "x86_64": "macos-x64"}
REQUIRED = ("schema_version", "id", "version", "name", "tagline", "maintainer", "type", "blender_version_min", "license")


def platform(wheel):
    """Blender's name of the platform of a wheel."""
    tag = Path(wheel).stem.rsplit("-", 1)[-1]
    linux = re.sub(r"manylinux_\d+_\d+_", "linux_", tag.split(".")[0])
    found = next((name for end, name in PLATFORMS.items() if linux.endswith(end)), None)
    if found is None:
        sys.exit(f"{wheel}: no platform of Blender has the tag {tag}")
    return found


def manifest(version, wheels):
    """The manifest with version, wheels and platforms."""
    text = (SOURCE / MANIFEST).read_text()
    text = re.sub(r"# scripts/.*\n", "", text)
    text = text.replace('version = "0.0.0"', f'version = "{version}"')
    names = ", ".join(f'"./wheels/{Path(wheel).name}"' for wheel in wheels)
    platforms = ", ".join(f'"{name}"' for name in sorted({platform(wheel) for wheel in wheels}))
    return text.replace("wheels = []", f"platforms = [{platforms}]\nwheels = [{names}]")


def build(version, output, wheels):
    """Writes the zip."""
    files = {MANIFEST: manifest(version, wheels).encode()}
    files |= {name: (SOURCE / name).read_bytes() for name in ("LICENSE", "README.md")}
    files |= {str(path.relative_to(PACKAGE)): path.read_bytes() for path in PACKAGE.rglob("*.py")}
    files |= {f"wheels/{Path(wheel).name}": Path(wheel).read_bytes() for wheel in wheels}
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, DATE), files[name], zipfile.ZIP_DEFLATED)


def check(path):
    """The faults of a zip, by the fields that schema 1.0.0 asks for."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        fields = tomllib.loads(archive.read(MANIFEST).decode())
    faults = [f"the manifest lacks {name}" for name in REQUIRED if not fields.get(name)]
    faults += [f"{name} is not in the zip" for name in ("__init__.py", "LICENSE") if name not in names]
    faults += [f"{wheel} is not in the zip" for wheel in fields["wheels"] if wheel.removeprefix("./") not in names]
    faults += [] if fields["wheels"] else ["the manifest has no wheel"]
    faults += [] if re.fullmatch(r"\d+\.\d+\.\d+.*", fields["version"]) and fields["version"] != "0.0.0" else ["the version is not set"]
    faults += [] if len(fields["tagline"]) <= 64 and fields["tagline"][-1].isalnum() else ["the tagline is too long, or ends in a dot"]
    faults += [] if all(len(reason) <= 64 for reason in fields["permissions"].values()) else ["a permission is too long"]
    return faults


def main():
    if sys.argv[1] == "--check":
        faults = check(sys.argv[2])
        sys.exit("\n".join(faults) if faults else 0)
    build(sys.argv[1], sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    main()
