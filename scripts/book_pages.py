#!/usr/bin/env python3
"""The generated pages of the book. scripts/book.sh calls it: --write or --check, the program, the program that lists the keys."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs/book/src/reference"
SAMPLE = "src/app/assets/sample.glb"
MARK = "<!-- written by scripts/book.sh -->"

# What each key of `report --json` means. A key without a line here fails, and so does a line without a key.
MEANING = json.loads((ROOT / "scripts/report_keys.json").read_text())

# Reports that have every key between them.
REPORTS = [
    "--clip walk --codec press --pixels --tiers",
    "--clip walk --codec linear-keys --tolerance-mm 6",
    "--clip walk --codec automatic:quick",
    "--clip run --codec variable-rate --compensation additive",
    "--clip run --codec wavelet --pin 'head on neck'",
    "--clip walk_root_motion --codec press",
]


def run(*line):
    result = subprocess.run([str(part) for part in line], cwd=ROOT, capture_output=True, text=True)
    if result.returncode not in (0, 3):  # 3: a gate was not met, which these reports are about
        sys.exit(f"{' '.join(map(str, line))}: {result.stderr}")
    return result.stdout


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


# ---- commands ----


def sections(help_text):
    """Help by its headings; what stands before the first is under an empty one."""
    parts, heading = {"": []}, ""
    for line in help_text.splitlines():
        if re.fullmatch(r"[A-Z][\w ]*:", line):
            heading = line[:-1]
            parts[heading] = []
        else:
            parts[heading].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in parts.items()}


def commands(program):
    own = {"", "Arguments", "Commands", "Options"}
    top = sections(run(program, "--help"))
    names = re.findall(r"^  (\w+) ", top["Commands"], re.M)
    page = [
        "# Commands\n",
        "`posepress help COMMAND` prints the same. Options of recipes, contacts, sources, exports, tiers and the screen are many commands'",
        "own, and stand in [Settings](settings.md).\n",
        "```text\n" + top["Commands"] + "\n```",
    ]
    for name in names:
        if name == "help":
            continue
        parts = sections(run(program, "help", name))
        page.append(f"\n## posepress {name}\n")
        shown = [parts[""]] + [f"{part}:\n{parts[part]}" for part in ("Arguments", "Commands", "Options") if parts.get(part)]
        page.append("```text\n" + "\n\n".join(shown) + "\n```")
        for inner in re.findall(r"^  (\w+) ", parts.get("Commands", ""), re.M):
            if inner != "help":
                page.append(f"\n### posepress {name} {inner}\n")
                page.append("```text\n" + run(program, name, inner, "--help").strip() + "\n```")
        others = [part for part in parts if part not in own and not part.startswith("Exit")]
        if others:
            page.append("\nAlso takes the options under: " + ", ".join(others) + ".")
    page.append("\n## The window\n")
    page.append("```text\n" + top[""] + "\n\nOptions:\n" + top["Options"] + "\n```")
    return "\n".join(page)


# ---- settings ----


def settings(program):
    page = [
        "# Settings\n",
        "Every setting of recipes, compensation, contacts, sources, exports, tiers and the screen. The key is that of a recipe file, in SI",
        "units; the option is that of the command line, in the unit that its name says. `posepress settings` prints the same.\n",
    ]
    text = run(program, "settings")
    options = {}
    for group in json.loads(run(program, "settings", "--json"))["groups"]:
        for setting in group["settings"]:
            options[setting["option"]] = setting
    for group in re.split(r"\n\n(?=[A-Z]\w+: )", text.strip()):
        heading, *blocks = re.split(r"\n\n", group)
        name, where = heading.split(": ", 1)
        page.append(f"\n## {name}\n\n*{where[0].upper() + where[1:]}.*\n")
        rows = []
        for block in blocks:
            title, *lines = block.splitlines()
            key, option = title.split(", --")
            facts, choices = [], []
            for line in lines:
                if line.startswith("      "):
                    choices.append(line.strip())
                else:
                    facts.append(line.strip())
            default = next((fact[9:-1] for fact in facts if fact.startswith("Default: ")), "–")
            takes = next((fact[6:-1] for fact in facts if fact.startswith("Takes ")), "")
            if not takes:
                takes = ", ".join(f"`{choice['key']}`" for choice in options[option].get("options", []))
            only = next((" " + fact for fact in facts if fact.startswith("Only with ")), "")
            rows.append([f"`--{option}`", f"`{key}`", cell(facts[0] + only), cell(default), cell(takes)])
        page.append(table(["option", "key", "what it does", "default", "takes"], rows))
        for setting in (options[block.splitlines()[0].split(", --")[1]] for block in blocks):
            choices = setting.get("options") or []
            if choices:
                page.append(f"\n### --{setting['option']}\n")
                named = [[f"`{choice['key']}`", cell(choice["label"]), cell(choice["help"])] for choice in choices]
                page.append(table(["value", "name", "what it does"], named))
    return "\n".join(page)


# ---- codecs ----


def codecs(program):
    all_codecs = json.loads(run(program, "codecs", "--json"))["codecs"]
    page = [
        "# Codecs\n",
        "`--codec ID:PRESET` chooses one, `--set KEY=VALUE` changes a parameter. `posepress codecs ID` prints the same.",
        "[Pick a codec](../how-to/pick-a-codec.md) says when to use which.\n",
    ]
    rows = []
    for codec in all_codecs:
        promise = "yes" if codec["promises_tolerance"] else "no"
        rows.append([f"[`{codec['name']}`](#{codec['name']})", cell(codec["summary"]), promise, cell(codec["source"])])
    page.append(table(["codec", "what it does", "holds the tolerance", "source"], rows))
    for codec in all_codecs:
        page.append(f"\n## {codec['name']}\n\n{codec['summary']} Four bytes name it in a container: `{codec['id']}`.\n")
        if codec["presets"]:
            presets = [[f"`{p['name']}`", cell(p.get("help", p.get("summary", "")))] for p in codec["presets"]]
            page.append(table(["preset", "what it is"], presets) + "\n")
        rows, lists = [], []
        for param in codec["params"]:
            options = param.get("options") or []
            takes = ", ".join(f"`{option['key']}`" for option in options)
            if not takes and "min" in param:
                takes = f"{param['min']:g} to {param['max']:g} {param.get('unit', '')}"
            default = json.dumps(param["default"]) if not isinstance(param["default"], str) else param["default"]
            if len(default) > 80:
                lists.append((param["key"], param["default"]))
                default = "below"
            help_text = cell(f"{param['label']}. {param['help']}")
            rows.append([f"`{param['key']}`", help_text, f"`{cell(default)}`", cell(takes)])
        if rows:
            page.append(table(["parameter", "what it does", "default", "takes"], rows))
        for key, default in lists:
            lines = default if isinstance(default, list) else str(default).splitlines()
            page.append(f"\n### {codec['name']}: default of {key}\n\n```text\n" + "\n".join(map(str, lines)) + "\n```")
        for param in codec["params"]:
            if param.get("options"):
                named = [[f"`{o['key']}`", cell(f"{o['label']}. {o['help']}")] for o in param["options"]]
                page.append(f"\n### {codec['name']}: {param['key']}\n\n" + table(["value", "what it does"], named))
    return "\n".join(page)


# ---- the report as JSON ----


def kind(value):
    names = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "object", type(None): "null"}
    return names[type(value)]


def keys_of(value, place, found):
    if isinstance(value, dict):
        for key, inner in value.items():
            name = re.sub(r"(bit_rates|values)\..*", r"\1.*", f"{place}.{key}" if place else key)
            found.setdefault(name, kind(inner))
            keys_of(inner, name, found)
    elif isinstance(value, list):
        for inner in value:
            keys_of(inner, place + "[]", found)


def report(program):
    found = {}
    for line in REPORTS:
        keys_of(json.loads(run(program, "report", SAMPLE, *shlex.split(line), "--json")), "", found)
    unknown, gone = found.keys() - MEANING.keys(), MEANING.keys() - found.keys()
    if unknown or gone:
        sys.exit(f"scripts/report_keys.json: keys without a meaning {sorted(unknown)}, meanings without a key {sorted(gone)}")
    page = [
        "# The report as JSON\n",
        "`posepress report`, `verify` and `compare` with `--json` print one object. Lengths end in `_mm`, times in `_secs`.",
        "A key keeps its meaning; new keys may come. Keys that do not apply to a clip are absent or `null`.\n",
        table(["key", "type", "meaning"], [[f"`{key}`", found[key], cell(MEANING[key])] for key in found]),
    ]
    return "\n".join(page)


# ---- errors ----


ERROR_ENUM = re.compile(r"((?:^///[^\n]*\n)*)(?:^#\[[^\n]*\n)*^pub enum (\w*(?:Error|Mismatch))\b[^{]*\{(.*?)^\}", re.M | re.S)
DERIVED = re.compile(r"((?:^ {4}///[^\n]*\n)*)^ {4}#\[error\((.*?)\)\]\n(?: {4}#\[[^\n]*\n)* {4}(\w+)", re.M | re.S)
VARIANT = re.compile(r"((?:^ {4}///[^\n]*\n)+)(?: {4}#\[[^\n]*\n)*^ {4}(\w+)", re.M)


def docs_of(comment):
    return cell(re.sub(r"\[`([^`]*)`\](\([^)]*\))?", r"`\1`", comment.replace("///", " ")))


def messages(name, body, text):
    """What each variant says: of `#[error(...)]`, or of a `Display` written by hand."""
    for about, message, variant in DERIVED.findall(body):
        yield about, message, variant
    display = re.search(rf"impl Display for {name} \{{(.*?)^\}}", text, re.M | re.S)
    if display:
        about = {variant: comment for comment, variant in VARIANT.findall(body)}
        for variant, message in re.findall(r"Self::(\w+)[^=]*=>.*?write!\(\s*f,\s*(\"(?:[^\"\\]|\\.)*\")", display.group(1), re.S):
            yield about.get(variant, ""), message, variant


def errors():
    page = [
        "# Errors\n",
        "What the readers, decoders, recipes and projects refuse. Words in braces are filled in: names, numbers, places. The variants are for",
        "those who call the libraries.\n",
        "A file that cannot be read gives `FILE: WHAT (at PLACE). ADVICE`: what was found and expected, the byte, line or node, and what to do.",
        "These messages are made where the file is read, and are not listed here.\n",
        "| status | meaning |\n|---|---|\n| 0 | done |\n| 1 | bad input, or a disk that fails |\n| 2 | wrong usage |\n| 3 | a quality gate was not met |",
    ]
    for path in sorted((ROOT / "src").rglob("*.rs")):
        text = path.read_text()
        for docs, name, body in ERROR_ENUM.findall(text):
            rows = []
            for about, message, variant in messages(name, body, text):
                literal = re.search(r'"((?:[^"\\]|\\.)*)"', message, re.S)
                words = re.sub(r"\\\n\s*", "", literal.group(1)).replace('\\"', '"') if literal else ""
                if words in ("", "{0}"):  # the message of another error
                    continue
                rows.append([cell(words), docs_of(about), f"`{variant}`"])
            if rows:
                page.append(f"\n## {name}\n\n{docs_of(docs)}\n\n" + table(["message", "when", "variant"], rows))
    return "\n".join(page)


def main():
    mode, program, keys = sys.argv[1:4]
    pages = {
        "commands.md": commands(Path(program).resolve()),
        "settings.md": settings(Path(program).resolve()),
        "codecs.md": codecs(Path(program).resolve()),
        "report.md": report(Path(program).resolve()),
        "errors.md": errors(),
        "keys.md": run(Path(keys).resolve()),
    }
    differ = []
    for name, text in pages.items():
        path = REFERENCE / name
        text = f"{MARK}\n{text.rstrip()}\n"
        if mode == "--check":
            if not path.exists() or path.read_text() != text:
                differ.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if differ:
        sys.exit(f"docs/book/src/reference: {', '.join(differ)} differ from the program; write them with scripts/book.sh --pages")


main()
