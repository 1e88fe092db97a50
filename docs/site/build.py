"""Builds the documentation as one site: guide, deck reference, commands, library.

Usage: build.py PROGRAM FOLDER     PROGRAM: the cellwise that was built; FOLDER/html/index.html: the site

The guide's pages are the repository's Markdown, with links to what is no page made to point at a
copy. The pages of deck keys and commands are asked of the program. Any warning of Doxygen's, such as
a function without a comment or a page that is not there, is an error.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.S | re.M)


def pages():
    """The Markdown files of the guide, the front page first."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found += [ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    found += sorted((ROOT / "src").rglob("README.md")) + [ROOT / "tests" / "fuzz" / "README.md"]
    return [page for page in found if page != ROOT / "docs" / "README.md"]


class Links:
    """Rewrites a page's links for the flat folder that the site is, and notes what must be copied."""

    def __init__(self, known):
        self.known, self.copied, self.broken = set(known), set(), []

    def rewritten(self, page, text):
        parts = FENCE.split(text)
        return "".join(
            part if k % 2 else LINK.sub(lambda match: self.one(page, match), part)
            for k, part in enumerate(parts)
        )

    def one(self, page, match):
        picture, label, target, anchor = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = (page.parent / target).resolve()
        if path.is_dir() and (path / "README.md") in self.known:
            path = path / "README.md"
        if not path.exists():
            self.broken.append(f"{page.relative_to(ROOT)}: the link to {target} leads nowhere")
            return label
        if path == ROOT / "docs" / "README.md":
            return f"[{label}](@ref index)"
        if path in self.known:
            return f"[{label}](@ref {page_id(path)})"
        if path.suffix == ".md":
            return label  # no page of the site: Doxygen would look for one
        if path.is_dir():
            return f"[{label}](files.html)" if path == ROOT / "include" / "cellwise" else label
        self.copied.add(path)
        return f"{picture}[{label}]({path.relative_to(ROOT).as_posix()}{anchor or ''})"


def unlisted(known):
    """Guide pages that docs/README.md does not list."""
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in known:
        if page.parent == ROOT / "docs" and f"({page.name})" not in text:
            yield f"docs/README.md: found no link to {page.name}"


def page_id(path):
    return "page_" + re.sub(r"\W", "_", path.relative_to(ROOT).with_suffix("").as_posix())


def with_id(page, text):
    """The page with a name behind its title; the front page is the site's."""
    if page == ROOT / "README.md":
        return re.sub(r"\A# (.*)$", r"\\mainpage \1", text, count=1, flags=re.M)
    return re.sub(r"\A# (.*)$", rf"# \1 {{#{page_id(page)}}}", text, count=1, flags=re.M)


def rank(name):
    """Pages in the order of the tree: front page, guide, reference, what developers read."""
    kinds = ("page_README", "page_docs", "page_keys", "page_commands")
    return next((k for k, kind in enumerate(kinds) if name.startswith(kind)), len(kinds))


def cell(text):
    return re.sub(r"([\\|<>*_`@#])", r"\\\1", text)


def key_table(keys):
    rows = ["| key | type | default | unit | meaning |", "| --- | --- | --- | --- | --- |"]
    for key in keys:
        default = "*required*" if key["required"] else cell(key["default"])
        meaning = cell(key["text"]) + (f" ({cell(key['range'])})" if key["range"] else "")
        rows.append(
            f"| {cell(key['key'])} | {cell(key['type'])} | {default} | {cell(key['unit'])} | {meaning} |"
        )
    return "\n".join(rows) + "\n"


def keys_page(program):
    """The deck's reference, from `cellwise keys --json`."""
    output = subprocess.run([program, "keys", "--json"], check=True, capture_output=True, text=True)
    found = json.loads(output.stdout)
    lines = [
        "# Keys of a deck {#page_keys}\n",
        "All keys, as `cellwise keys` prints them. L is the deck's unit of length, c = 1.\n",
    ]
    for section in dict.fromkeys(key["section"] for key in found["keys"]):
        brackets = "[[{}]]" if section == "particles.species" else "[{}]"
        lines.append(f"## {brackets.format(section)}\n")
        lines.append(key_table(key for key in found["keys"] if key["section"] == section))
    for problem in found["problems"]:
        lines.append(f"## Problem \"{problem['name']}\"\n\n{cell(problem['text'])}\n")
        if problem["keys"]:
            lines.append(key_table(problem["keys"]))
    lines.append("## [setup] with any problem\n\n" + key_table(found["any_problem"]))
    return "\n".join(lines)


def commands_page(program):
    """Every command's help, as it prints it."""
    overview = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    lines = ["# Commands {#page_commands}\n", f"```\n{overview}```\n"]
    for name in re.findall(r"^  (\S+)  ", overview.split("Commands:")[1], re.M):
        text = subprocess.run([program, name, "--help"], check=True, capture_output=True, text=True)
        lines.append(f"## cellwise {name}\n\n```\n{text.stdout}```\n")
    return "\n".join(lines)


def doxygen(work, files, version):
    settings = (SITE / "Doxyfile").read_text(encoding="utf-8")
    inputs = " ".join(f'"{file}"' for file in files)
    settings += f'\nINPUT = {inputs} "{ROOT}/include/cellwise"\nOUTPUT_DIRECTORY = "{work}"\n'
    settings += f'PROJECT_NUMBER = {version}\nSTRIP_FROM_PATH = "{ROOT}"\n'
    settings += f'HTML_EXTRA_STYLESHEET = "{SITE}/style.css"\nSTRIP_FROM_INC_PATH = "{ROOT}/include"\n'
    settings += f'INCLUDE_PATH = "{ROOT}/include"\nLAYOUT_FILE = "{SITE}/layout.xml"\n'
    settings += f'FILTER_PATTERNS = *.h="{sys.executable} {SITE}/header_filter.py"\n'
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, cwd=work)
    return done.returncode, done.stderr


def build(program, work):
    shutil.rmtree(work, ignore_errors=True)
    source = work / "source"
    source.mkdir(parents=True)
    links = Links(pages())
    texts = {page_id(page): with_id(page, links.rewritten(page, page.read_text("utf-8"))) for page in pages()}
    texts["page_keys"], texts["page_commands"] = keys_page(program), commands_page(program)
    files = [source / f"{name}.md" for name in sorted(texts, key=rank)]
    for file in files:
        file.write_text(texts[file.stem], encoding="utf-8")
    for path in links.copied:
        copy = work / "html" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    status, warnings = doxygen(work, files, version.stdout.split()[1])
    links.broken += unlisted(pages())
    sys.stderr.write("".join(f"{line}\n" for line in links.broken) + warnings)
    return bool(status or warnings.strip() or links.broken)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if not shutil.which("doxygen"):
        print("skipped: doxygen is not installed (scripts/bootstrap docs installs it)")
        sys.exit(77)
    work = Path(sys.argv[2]).resolve()
    if build(str(Path(sys.argv[1]).resolve()), work):
        sys.exit("docs/site/build.py: the documentation has the faults above")
    print(f"{work}/html/index.html")


if __name__ == "__main__":
    main()
