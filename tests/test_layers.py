"""A folder of src/ includes only what stands left of it in the data flow, plus base and comm; and
every function that the library exports, and every header under include/, keeps to the names' rule."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
LIBRARY = sys.argv[2]
# What each folder may include besides itself, base, comm and the public headers.
ALLOWED = {
    "base": set(),
    "comm": set(),
    "deck": set(),
    "setup": {"deck"},
    "sort": set(),
    "kernels": {"sort"},
    "fields": {"sort", "kernels"},
    "engine": {"deck", "setup", "sort", "kernels", "fields"},
    "output": {"deck", "setup", "sort", "kernels", "fields"},
    "molecular": {"sort", "kernels"},
    "cli": {"deck", "setup", "sort", "kernels", "fields", "engine", "output", "molecular"},
}


def faults():
    for path in sorted((ROOT / "src").rglob("*.[ch]*")):
        if path.suffix not in {".c", ".h", ".cpp", ".cu"}:
            continue
        folder = path.relative_to(ROOT / "src").parts[0]
        if folder not in ALLOWED:
            yield f"{path}: folder src/{folder} has no place in the data flow"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"/]+)/', line)
            if not found:
                continue
            other = found.group(1)
            if other not in ALLOWED[folder] | {folder, "base", "comm", "cellwise"}:
                yield f"{path}:{number}: src/{folder} includes {other}, which stands right of it"
    symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], text=True, check=True,
                             capture_output=True).stdout
    names = [line.split()[-1].split("@")[0] for line in symbols.splitlines()]
    if not any(name.startswith("cw_") for name in names):
        yield f"{LIBRARY}: exports no cw_ symbol"
    for name in names:
        if not name.startswith("cw_") and name != "CELLWISE_0":
            yield f"{LIBRARY}: exports '{name}', which has not the prefix cw_"


found = list(faults())
print("\n".join(found))
sys.exit(1 if found else 0)
