#!/usr/bin/env python3
"""Writes the third-party notices of each of BUNDLES: every crate that it is built from, its licence, and the text of it.

Which crates: from the normal dependencies of our own packages on through Cargo.lock, on every system. Where a crate may be taken under
one of several licences, it is taken under the first of PREFERRED that comes with it.
"""
import collections
import json
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is given to others: its notices, its name, the folder of its Cargo.lock, and the packages it is built from. Pages of reports hold the module for the web.
BUNDLES = [
    ("src/app/assets/third-party-notices.txt", "Posepress", ".", ["posepress", "posepress-page", "posepress-web"]),
    ("src/web/npm/third-party-notices.txt", "the npm package posepress", ".", ["posepress-web"]),
    ("src/python/third-party-notices.txt", "the Python package posepress", "src/python", ["posepress-python"]),
]
PREFERRED = ["MIT", "Apache-2.0", "BSD-3-Clause", "BSD-2-Clause", "ISC", "Zlib", "BSL-1.0", "CC0-1.0", "Unlicense", "0BSD"]
# Words in the names of files, where a crate has one for each licence.
FILE_WORDS = {"MIT": "mit", "Apache-2.0": "apache", "BSD-3-Clause": "bsd", "BSD-2-Clause": "bsd", "Zlib": "zlib", "BSL-1.0": "boost"}
LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|unlicense|notice|ofl|ufl)", re.IGNORECASE)
# Fonts have licences of their own.
LICENCE_FOLDERS = [".", "fonts", "LICENSES", "licenses"]
RULE = "=" * 80


def shipped(packages, folder, built_from):
    """Names and versions of the crates of others that these packages stand on, in the order of names."""
    lock = tomllib.loads((ROOT / folder / "Cargo.lock").read_text())["package"]
    by_name = collections.defaultdict(list)
    for package in lock:
        by_name[package["name"]].append(package)

    def find(line):
        name, *version = line.split()
        return next(p for p in by_name[name] if not version or p["version"] == version[0])

    own = [p for p in lock if "source" not in p]
    normal = {}
    for package in own:
        of = next((p for p in packages if p["name"] == package["name"] and p["source"] is None), None)
        normal[package["name"]] = {d["name"] for d in of["dependencies"] if d["kind"] is None} if of else set()
    found, waiting = {}, [by_name[name][0] for name in built_from]
    while waiting:
        package = waiting.pop()
        key = (package["name"], package["version"])
        if key in found:
            continue
        found[key] = package
        for line in package.get("dependencies", []):
            next_one = find(line)
            if package["name"] not in normal or next_one["name"] in normal[package["name"]]:
                waiting.append(next_one)
    return sorted(key for key, package in found.items() if "source" in package)


def texts(package):
    """The licence texts that a crate comes with, and the notices that go with them."""
    folder = pathlib.Path(package["manifest_path"]).parent
    folders = [folder / name for name in LICENCE_FOLDERS if (folder / name).is_dir()]
    files = sorted(f for inside in folders for f in inside.iterdir() if f.is_file() and LICENCE_FILE.match(f.name))
    if package.get("license_file"):
        files.append(folder / package["license_file"])
    notices = [f for f in files if f.name.lower().startswith("notice")]
    licences = [f for f in files if f not in notices]
    choices = re.split(r"\s+OR\s+|/", (package["license"] or "").strip("()"))
    if len(choices) > 1:
        for choice in (c for c in PREFERRED if c in choices):
            word = FILE_WORDS.get(choice, choice.lower())
            chosen = [f for f in licences if word in f.name.lower()]
            if chosen:
                licences = chosen
                break
    return ["\n".join(line.rstrip() for line in f.read_text(errors="replace").strip().splitlines()) for f in dict.fromkeys(licences + notices)]


def write(output, bundle, folder, built_from):
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    packages = json.loads(subprocess.run(command, cwd=ROOT / folder, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    of = {(p["name"], p["version"]): p for p in packages}
    crates = shipped(packages, folder, built_from)
    groups, lines, without = collections.OrderedDict(), [], []
    for key in crates:
        package = of[key]
        lines.append(f"{key[0]} {key[1]}  {package['license'] or 'see its text'}  {package['repository'] or ''}".rstrip())
        own = texts(package)
        if not own:
            without.append(key)
        for text in own:
            groups.setdefault(re.sub(r"\s+", " ", text), (text, []))[1].append(f"{key[0]} {key[1]}")
    head = [
        f"Third-party notices of {bundle}",
        "",
        f"{bundle[0].upper()}{bundle[1:]} is built from {len(crates)} crates of others. Each line is a crate, its version, the licences that it may be taken",
        "under, and where its source is. Below are the texts that the crates come with. A crate under the Mozilla Public License 2.0",
        "is built as it is published, and its source is at the address beside it.",
        "",
        *lines,
    ]
    if without:
        head += ["", "Without a text of their own; the licence in their line above is meant:", ""]
        for key in without:
            authors = ", ".join(of[key]["authors"]) or "its authors"
            head.append(f"{key[0]} {key[1]}  {of[key]['license']}  by {authors}")
        permission = (ROOT / "LICENSE-MIT").read_text().split("\n\n", 2)[2].strip()
        groups.setdefault("MIT", ("MIT License\n\n" + permission, ["The crates above under MIT without a text of their own"]))
    body = []
    for text, names in groups.values():
        body += ["", RULE, *names, RULE, "", text]
    (ROOT / output).write_text("\n".join(head + body) + "\n")
    print(f"{output}: {len(crates)} crates, {len(groups)} texts, {len(without)} without a text")


for each in BUNDLES:
    write(*each)
