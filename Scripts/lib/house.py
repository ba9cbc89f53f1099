#!/usr/bin/env python3
"""Scripts/house [--since COMMIT] [--circles] [--clones]

Prints a table of measurements. Per module: files, lines of code (neither blank nor comment), types, the lines of the longest
file and function, and circular references between its folders. Then sums, tests and manifest. It checks no limit.

  --since COMMIT  also the lines added and deleted since COMMIT, per module
  --circles       also the types that cause each circle
  --clones        only the clones: the share of the tokens of Modules and Apps that stand at another place, too, in the same row of
                  at least 50 tokens, names and literals included, comments not; then the clones, longest first
"""
import pathlib
import re
import subprocess
import sys

from arguments import Parser

ROOT = pathlib.Path(__file__).resolve().parents[2]
LITERAL = re.compile(
    r'(?P<raw>#+"""(?:.|\n)*?"""#+|#+"(?:.|\n)*?"#+)'
    r'|(?P<block>"""(?:.|\n)*?""")'
    r'|(?P<text>"(?:\\.|[^"\\\n])*")'
    r"|(?P<line>//[^\n]*)"
    r"|(?P<comment>/\*(?:.|\n)*?\*/)")
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol)\s+(?!func\b|var\b|let\b)([A-Z]\w*)")
TOKEN = re.compile(LITERAL.pattern + r"|\w+|[^\w\s]")
# Tokens of the shortest clone.
CLONE = 50
FUNCTION = re.compile(r"\b(?:func\b|init\b[?!]?\s*[(<]|deinit\b|subscript\b)")
NAME = re.compile(r"\b[A-Z]\w*")


def masked(text):
    """The text with blanks instead of comments and literals; line breaks stay."""
    def blank(match):
        kept = re.sub(r"[^\n]", " ", match.group())
        return kept if match.lastgroup in ("line", "comment") else '"' + kept[2:] + '"'
    return LITERAL.sub(blank, text)


class Source:
    def __init__(self, path, module):
        self.path = path
        text = path.read_text()
        code = masked(text)
        self.code = sum(1 for line in code.splitlines() if line.strip())
        self.lines = text.count("\n")
        self.types = TYPE.findall(code)
        self.names = set(NAME.findall(code))
        self.function = longest_function(code)
        parts = path.relative_to(module).parts
        self.folder = parts[0] if len(parts) > 1 else "."


def longest_function(code):
    """Lines from a declaration to the end of its body."""
    longest = 0
    for match in FUNCTION.finditer(code):
        depth = 0
        place = match.end()
        opened = False
        while place < len(code):
            letter = code[place]
            if letter in "({[":
                if letter == "{" and depth == 0:
                    opened = True
                depth += 1
            elif letter in ")}]":
                depth -= 1
                if depth < 0 or (depth == 0 and opened):
                    break
            elif letter == "\n" and depth == 0 and not opened:
                rest = code[place:].lstrip()
                if not rest.startswith(("{", "where", "->", "async", "throws")):
                    break
            place += 1
        if opened:
            longest = max(longest, code.count("\n", match.start(), place) + 1)
    return longest


def circles(sources):
    """Strongly connected sets of folders, with the references between them."""
    home = {}
    for source in sources:
        for name in source.types:
            home.setdefault(name, set()).add(source.folder)
    edges = {}
    reasons = {}
    for source in sources:
        for name in source.names:
            for folder in home.get(name, ()):
                # Several folders may declare nested types of one name; such a name is no evidence of a reference.
                if folder != source.folder and len(home[name]) == 1 and name not in source.types:
                    edges.setdefault(source.folder, set()).add(folder)
                    reasons.setdefault((source.folder, folder), set()).add(name)
    order, low, index, stack, found = {}, {}, [0], [], []

    def visit(node):
        order[node] = low[node] = index[0]
        index[0] += 1
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            members = []
            while True:
                members.append(stack.pop())
                if members[-1] == node:
                    break
            if len(members) > 1:
                found.append(sorted(members))

    for folder in {source.folder for source in sources} - {"."}:
        if folder not in order:
            visit(folder)
    return [[m for m in members if m != "."] for members in found if len([m for m in members if m != "."]) > 1], reasons


def tokens(path):
    """`(text, place)` of each token of a file, without comments."""
    text = path.read_text()
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("line", "comment"):
            yield match.group(), match.start()


def clones():
    """The number of all tokens, and the clones: `(tokens, file, place in it, file and place of the first such row)`."""
    files = [path for base in ("Modules", "Apps") for path in sorted((ROOT / base).rglob("*.swift"))]
    rows = [list(tokens(path)) for path in files]
    firsts, found = {}, {}
    for file, row in enumerate(rows):
        words = [word for word, _ in row]
        for place in range(len(words) - CLONE + 1):
            first = firsts.setdefault(tuple(words[place:place + CLONE]), (file, place))
            # A row of equal tokens is no clone of itself.
            if first[0] != file or place - first[1] >= CLONE:
                found[file, place] = first
    runs = []
    for (file, place), first in sorted(found.items()):
        if runs and runs[-1][1] == file and place <= runs[-1][2] + runs[-1][0]:
            runs[-1][0] = place + CLONE - runs[-1][2]
        else:
            runs.append([CLONE, file, place, first])
    # The first of the equal rows is a clone as well.
    covered = {(file, place + step) for (file, place) in [*found, *found.values()] for step in range(CLONE)}

    def position(file, place):
        line = files[file].read_text().count("\n", 0, rows[file][place][1]) + 1
        return f"{files[file].relative_to(ROOT)}:{line}"

    listed = [(size, position(file, place), position(*first)) for size, file, place, first in sorted(runs, reverse=True)]
    return sum(map(len, rows)), len(covered), listed


def tell_clones():
    total, cloned, listed = clones()
    for size, here, there in listed:
        print(f"{size:5} tokens  {here} = {there}")
    print(f"{cloned:,} of {total:,} tokens, {cloned / total:.2%}, are in an exact clone of at least {CLONE} tokens")


def modules():
    """Every folder with sources of one target, by the layer table's paths."""
    found = []
    for base in ("Modules/System", "Modules/Concurrency", "Modules/HTTP", "Modules/Domain", "Modules/Presentation",
                 "Modules/Terminal", "Modules/Testing", "Modules/FeatureTesting"):
        found.append(ROOT / base)
    for base in ("Modules/Networking", "Modules/Data", "Modules/Service", "Modules/Programs", "Modules/Clients"):
        found += sorted(path for path in (ROOT / base).iterdir() if path.is_dir())
    found += sorted(path for path in (ROOT / "Modules/Features").iterdir() if path.is_dir())
    found += [ROOT / "Apps/CLI", ROOT / "Apps/Backend"]
    return [path for path in found if path.is_dir() and any(path.rglob("*.swift"))]


def changed(path, since):
    """Lines added and deleted below a path since a commit."""
    output = subprocess.run(
        ["git", "-C", str(ROOT), "diff", "--numstat", "--no-renames", since, "--", str(path)],
        capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    return (sum(int(row[0]) for row in rows if row[0] != "-"), sum(int(row[1]) for row in rows if row[1] != "-"))


def main():
    parser = Parser("Scripts/house")
    parser.add_argument("--since")
    parser.add_argument("--circles", action="store_true")
    parser.add_argument("--clones", action="store_true")
    arguments = parser.parse_args()
    if arguments.clones:
        return tell_clones()
    if arguments.since and subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", arguments.since + "^{commit}"],
            capture_output=True).returncode:
        print(f"'{arguments.since}' is not a commit of this repository; 'git log --oneline' lists them.", file=sys.stderr)
        sys.exit(64)
    since = arguments.since
    head = f"{'module':34} {'files':>5} {'code':>6} {'types':>5} {'file':>5} {'func':>5} {'circles':>7}"
    print(head + (f" {'added':>7} {'deleted':>7}" if since else ""))
    sums = [0, 0, 0, 0]
    closed = []
    for module in modules():
        sources = [Source(path, module) for path in sorted(module.rglob("*.swift"))]
        found, reasons = circles(sources)
        if module.parent.name == "Features":
            found = []  # the folders are modules; the compiler forbids circles
        row = [len(sources), sum(s.code for s in sources), sum(len(s.types) for s in sources)]
        name = str(module.relative_to(ROOT))
        line = f"{name:34} {row[0]:5} {row[1]:6} {row[2]:5} {max(s.lines for s in sources):5} " \
               f"{max(s.function for s in sources):5} {len(found):7}"
        if since:
            line += " {:7} {:7}".format(*changed(module, since))
        print(line)
        sums = [a + b for a, b in zip(sums, row + [len(found)])]
        closed += [(name, members, reasons) for members in found]
    line = f"{'Modules and Apps':34} {sums[0]:5} {sums[1]:6} {sums[2]:5} {'':5} {'':5} {sums[3]:7}"
    print(line + (" {:7} {:7}".format(*[a + b for a, b in zip(changed("Modules", since), changed("Apps", since))])
                  if since else ""))
    tests = [Source(path, ROOT / "Tests") for path in sorted((ROOT / "Tests").rglob("*.swift"))]
    line = f"{'Tests':34} {len(tests):5} {sum(s.code for s in tests):6} {sum(len(s.types) for s in tests):5} " \
           f"{max(s.lines for s in tests):5} {max(s.function for s in tests):5} {'':7}"
    print(line + (" {:7} {:7}".format(*changed("Tests", since)) if since else ""))
    print(f"{'Package.swift, lines':34} {'':5} {(ROOT / 'Package.swift').read_text().count(chr(10)):6}")
    print("file and func: lines of the longest; circles: sets of folders with circular type references")
    for name, members, reasons in closed:
        print(f"circle in {name}: {', '.join(members)}")
        if arguments.circles:
            for (here, there), names in sorted(reasons.items()):
                if here in members and there in members:
                    print(f"    {here} → {there}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
