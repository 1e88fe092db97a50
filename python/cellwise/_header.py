"""The installed headers as declarations that cffi understands.

A small preprocessor: comments, #ifdef, #include <cellwise/...> and macros, which is all that the
headers use. Anything else that it meets is an error and not a guess."""
import pathlib
import re

_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.S)
_WORD = re.compile(r"[A-Za-z_]\w*")


class HeaderError(ImportError):
    """A header of cellwise is missing, or holds what this package does not understand."""


def _without_comments(text):
    return _COMMENT.sub(lambda m: m.group(0) if m.group(0)[0] == '"' else " ", text)


def _split_arguments(text, at):
    """Arguments of a macro call whose '(' stands at `at`, and where reading goes on."""
    depth, start, found, quoted = 0, at + 1, [], False
    for k in range(at, len(text)):
        c = text[k]
        if c == '"' and text[k - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        if (c == "," and depth == 1) or depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
        if depth == 0:
            return found, k + 1
    raise HeaderError("a macro call is not closed: " + text[at:at + 60])


class Preprocessor:
    """Collects the text of headers, with the macros expanded that they define."""

    def __init__(self, folders):
        self.folders = [pathlib.Path(folder) for folder in folders]
        # Functions with variable arguments and attributes say nothing about the binary interface.
        self.macros = {"CW_API": (None, ""), "CW_PRINTF": (["a", "b"], "")}
        self.seen, self.output = set(), []

    def include(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        for folder in self.folders:
            if (folder / name).is_file():
                self.text((folder / name).read_text(encoding="utf-8"), name)
                return
        raise HeaderError(f"{name} is not in {', '.join(map(str, self.folders))}: set "
                          "CELLWISE_INCLUDE to the folder that holds cellwise/*.h")

    def text(self, text, name):
        lines = _without_comments(text.replace("\\\n", " ")).split("\n")
        active, pending = [True], []
        for line in lines:
            word = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
            if not word:
                if all(active):
                    pending.append(line)
                continue
            if all(active):
                self.output.append(self.expand("\n".join(pending)))
                pending = []
            self.directive(word.group(1), word.group(2).strip(), active, name)
        if len(active) != 1:
            raise HeaderError(f"{name}: #if without #endif")
        self.output.append(self.expand("\n".join(pending)))

    def directive(self, word, rest, active, name):
        if word in ("ifdef", "ifndef"):
            active.append((rest in self.macros) == (word == "ifdef"))
        elif word == "if":
            active.append(self.condition(rest, name))
        elif word == "else":
            active[-1] = not active[-1]
        elif word == "endif":
            active.pop()
        elif not all(active):
            return
        elif word == "define":
            self.define(rest, name)
        elif word == "undef":
            self.macros.pop(rest, None)
        elif word == "include":
            found = re.match(r"<(cellwise/[\w.]+)>", rest)
            if found:
                self.include(found.group(1))
        else:
            raise HeaderError(f"{name}: #{word} is not understood")

    def condition(self, text, name):
        found = re.fullmatch(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?", text)
        if not found:
            raise HeaderError(f"{name}: #if {text} is not understood")
        return (found.group(2) in self.macros) != (found.group(1) == "!")

    def define(self, text, name):
        found = re.match(r"(\w+)(\(([^)]*)\))?(.*)", text, re.S)
        if not found:
            raise HeaderError(f"{name}: #define {text} is not understood")
        key, call, parameters, body = found.groups()
        if key in ("CW_API", "CW_PRINTF"):
            return
        names = [p.strip() for p in parameters.split(",")] if call else None
        self.macros[key] = (names, body.strip())

    def expand(self, text, depth=0):
        if depth > 20:
            raise HeaderError("macros that expand to themselves")
        result, at = [], 0
        while True:
            word = _WORD.search(text, at)
            if not word:
                return "".join(result) + text[at:]
            result.append(text[at:word.start()])
            at = word.end()
            macro = self.macros.get(word.group(0))
            opening = re.compile(r"\s*\(").match(text, at)
            if macro is None or (macro[0] is not None and not opening):
                result.append(word.group(0))
                continue
            body = macro[1]
            if macro[0] is not None:
                values, at = _split_arguments(text, opening.end() - 1)
                table = dict(zip(macro[0], values))
                body = _WORD.sub(lambda m: table.get(m.group(0), m.group(0)), body)
            result.append(self.expand(body, depth + 1))


def declarations(folders):
    """The declarations of cellwise/coordination.h and what it includes, for FFI.cdef."""
    preprocessor = Preprocessor(folders)
    for header in ("cellwise/version.h", "cellwise/coordination.h"):
        preprocessor.include(header)
    text = "\n".join(preprocessor.output)
    return re.sub(r"\n\s*\n+", "\n", text)
