"""Doxygen's input filter for the public headers: prints a header with its comments as Doxygen's.

The headers are written to be read as they stand. A comment before a declaration becomes /** */, one
behind it /**< */; lines set off by two or more spaces (formulas, lists of arguments) stay as they
are laid out; "Errors:" starts a paragraph; declarations right under one comment share it, and so do
members in one line.
"""

import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
SET_OFF = re.compile(r"^ {2,}\S")
# A comment and two or more declarations of functions right under it.
SHARED = re.compile(r"(/\*\*(?!<)(?:(?!\*/).)*\*/\n)((?:CW_API (?:[^;]*);\n){2,})", re.S)

# Several members in one line with a comment behind them.
MEMBERS = re.compile(r"^  ((?:const )?\w+) ([^;()]*,[^;()]*); *(/\*\*<(?:(?!\*/).)*\*/)$", re.M)


def escaped(text):
    for character, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, written)
    return re.sub(r'([\\@#%"])', r"\\\1", text)


def stripped(body, margin):
    """Lines of a comment without the margin (a regular expression) of all but the first."""
    lines = body.strip("\n").split("\n")
    return [(re.sub(margin, "", line) if k else line.strip()).rstrip() for k, line in enumerate(lines)]


def prose(body):
    """The comment in Doxygen's language."""
    out, set_off = [], False
    for line in stripped(body, r"^\s*\* ?"):
        now = bool(SET_OFF.match(line))
        if now != set_off:
            out.append("<pre>" if now else "</pre>")
        if not now and line.startswith("Errors: "):
            out.append("@par Errors")
            line = line[len("Errors: ") :]
        out.append(escaped(line))
        set_off = now
    if set_off:
        out.append("</pre>")
    return "\n * ".join(out)


def converted(source):
    def replace(match):
        body, start = match.group(1), match.start()
        before = source[source.rfind("\n", 0, start) + 1 : start]
        if before.strip():
            return "/**< " + escaped(" ".join(stripped(body, r"^\s*(\* ?)?"))) + " */"
        return "/** " + prose(body) + " */"

    return COMMENT.sub(replace, source)


def one_a_line(match):
    kind, names, comment = match.groups()
    return "  " + " ".join(f"{kind} {name.strip()}; {comment}" for name in names.split(","))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = converted(file.read())
    text = re.sub(r"^/\*\*", "/** @file\n *", text, count=1)
    text = SHARED.sub(lambda match: match.group(1) + "/**@{*/\n" + match.group(2) + "/**@}*/\n", text)
    text = MEMBERS.sub(one_a_line, text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
