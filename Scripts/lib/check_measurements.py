"""Compares the figures that the first pages state with the table of Docs/Measurements.md.

    check_measurements.py               prints a line for each figure without a row, and each row that is outdated
    check_measurements.py --self-test   plants each fault and expects its line

A figure is a number with a unit: a time, a size, a rate, a share, a count of runs, files or libraries. Code blocks have none. A row names
the words of the claim, the pages that have them, what is known about it, and the command that repeats it.
"""

import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
MEASUREMENTS = "Docs/Measurements.md"
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Docs/Packaging/README.md", "Docs/Guides/Products.md"]

DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?"
TIME = r"(?:seconds?|minutes?|hours?)"
# A setting, `every five minutes`, is no figure.
FIGURE = re.compile(
    rf"(?<![\w.,#-])(?<!every )(?:"
    rf"(?:{DIGITS}|two|three|four|five|six|seven|eight|nine|ten|fifteen|thirty)(?: to (?:{DIGITS}|ten|fifteen|thirty))? {TIME}"
    rf"|{DIGITS}(?: to {DIGITS})?(?: (?:times|(?:ms|µs|ns|s|min|[kKMG]i?B)(?![\w/])|%|(?:\w+ )?(?:runs|libraries|files|requests))|/s)"
    r")(?!\w)")


def prose(text):
    """The text without code, its lines joined by spaces."""
    text = re.sub(r"^```.*?^```", " ", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"`[^`\n]*`", "``", text))


def rows(page):
    """The rows of the table of claims: words, pages, what is known, command."""
    found = re.search(r"^\| Claim \|[^\n]*\n\|[-| ]+\|\n((?:\|[^\n]*\n)+)", page, re.MULTILINE)
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()] if found else []
    return [(row[0].strip(), re.findall(r"\]\(\.\./([^)#]+)\)|\]\(((?!\.\.)[^)#]+)\)", row[1]), *row[2:]) for row in cells if len(row) == 4]


def faults(pages, page, exists):
    """A line for each figure and row that is wrong. `pages` are texts by path, `exists` knows the scripts."""
    result, claims = [], rows(page)
    if not claims:
        return [f"{MEASUREMENTS} has no table of claims."]
    for words, links, known, command in claims:
        if not known:
            result.append(f"{MEASUREMENTS}: '{words}' does not say what is known about it.")
        scripts = re.findall(r"`(Scripts/[\w-]+)[^`]*`", command)
        if "`" not in command or not all(exists(script) for script in scripts):
            result.append(f"{MEASUREMENTS}: '{words}' has no command that repeats it.")
        for up, beside in links:
            name = up or f"Docs/{beside}"
            if words not in prose(pages.get(name, "")):
                result.append(f"{MEASUREMENTS}: {name} does not say '{words}' any more.")
    for name, text in pages.items():
        text = prose(text)
        own = [words for words, links, *_ in claims if name in {up or f"Docs/{beside}" for up, beside in links}]
        spans = [match.span() for words in own for match in re.finditer(re.escape(words), text)]
        for match in FIGURE.finditer(text):
            if not any(start <= match.start() and match.end() <= end for start, end in spans):
                around = text[max(0, match.start() - 40):match.end() + 20]
                result.append(f"{name}: the figure '{match[0]}' ('…{around}…') has no row in {MEASUREMENTS}.")
    return result


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


PLANTED_PAGE = """# Measurements

| Claim | On | Known | Repeat it |
|---|---|---|---|
| takes six to ten minutes | [README](../README.md) | measured | `Scripts/there` |
"""
PLANTED = [
    ("It takes six\nto ten minutes.", {}, None),
    ("It takes six to ten minutes. A call takes 3 ms.", {}, "'3 ms'"),
    ("It takes six to ten minutes, or 1,445/s.", {}, "'1,445/s'"),
    ("It takes six to ten minutes, with 64 MB.", {}, "'64 MB'"),
    ("It takes six to ten minutes. It is 2.5 times as fast.", {}, "'2.5 times'"),
    ("It takes six to ten minutes; 100,000 simulated runs.", {}, "'100,000 simulated runs'"),
    ("It takes six to ten minutes, later ten minutes.", {}, "'ten minutes'"),
    ("It takes six to ten minutes.\n```text\n3 ms\n```\n`4 ms`, every five minutes, Swift 6.2 and 3 replicas.", {}, None),
    ("It takes a while.", {}, "any more"),
    ("It takes six to ten minutes.", {"`Scripts/there`": "`Scripts/gone`"}, "no command"),
    ("It takes six to ten minutes.", {"`Scripts/there`": "by hand"}, "no command"),
    ("It takes six to ten minutes.", {"| measured |": "|  |"}, "what is known"),
    ("It takes six to ten minutes.", {"| Claim |": "| Words |"}, "no table"),
]


def self_test():
    for number, (text, changes, expected) in enumerate(PLANTED, 1):
        page = PLANTED_PAGE
        for old, new in changes.items():
            page = page.replace(old, new)
        found = faults({"README.md": text}, page, lambda name: name == "Scripts/there")
        if (expected is None) != (not found) or expected and not any(expected in line for line in found):
            sys.exit(f"Planted case {number}: the findings are {found}, not '{expected}'.")
    print(f"{len(PLANTED)} planted cases are judged correctly.")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    pages = {name: read(name) for name in PAGES}
    found = faults(pages, read(MEASUREMENTS), lambda name: os.access(os.path.join(ROOT, name), os.X_OK))
    print("\n".join(found))
    if not any(FIGURE.search(prose(text)) for text in pages.values()):
        found.append("")
        print("No figure found on the first pages; the pattern of this check is outdated.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
