"""Checks a built site: every link and anchor in it, and that no page loads anything from another host.

    site_check.py FOLDER        one line for each problem; exit status 1 if there is one
    site_check.py --self-test   plants a fault of each kind in a site of two pages, and expects it to be found
"""

import html
import os
import posixpath
import re
import sys
import tempfile
import urllib.parse

TAG = re.compile(r"<(\w+)((?:\s+[\w-]+(?:=(?:\"[^\"]*\"|[\w-]+))?)*)\s*/?>")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
FOREIGN = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


def read(folder):
    """`{path: text}` of the pages, styles and scripts, and the paths of all files."""
    texts, paths = {}, set()
    for place, _, names in os.walk(folder):
        for name in names:
            path = posixpath.normpath(os.path.relpath(os.path.join(place, name), folder))
            paths.add(path)
            if name.endswith((".html", ".css", ".svg")):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    texts[path] = file.read()
    return texts, paths


def checked(folder):
    """`(problems, links inside, links to other hosts)` of the site."""
    texts, paths = read(folder)
    problems, inside, outside, anchors, links = [], 0, 0, {}, []
    for path, text in sorted(texts.items()):
        if not path.endswith(".html"):
            # A namespace is a name, and loads nothing.
            loaded = re.findall(r"url\([^)]*\)|@import[^;]*|(?<!xmlns)(?:href|src)=\"[^\"]*\"", text)
            problems += [f"{path}: {what} loads from another host." for what in loaded if FOREIGN.search(what)]
            continue
        known = anchors[path] = set()
        for tag, attributes in TAG.findall(text):
            given = {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
            if "id" in given:
                if given["id"] in known:
                    problems.append(f"{path}: two elements have the id '{given['id']}'.")
                known.add(given["id"])
            for name in ("href", "src", "srcset", "action"):
                if name not in given:
                    continue
                if re.match(r"[a-z][a-z0-9+.-]*:|//", given[name]):
                    outside += 1
                    if tag != "a":
                        problems.append(f"{path}: <{tag}> loads '{given[name]}' from another host.")
                else:
                    links.append((path, given[name]))
    for path, link in links:
        inside += 1
        target, _, anchor = link.partition("#")
        target, anchor = urllib.parse.unquote(target), urllib.parse.unquote(anchor)
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        if place not in paths:
            problems.append(f"{path}: the link '{link}' leads to no file.")
        elif anchor and anchor not in anchors.get(place, ()):
            problems.append(f"{path}: '{place}' has no anchor '{anchor}'.")
    return problems, inside, outside


PAGE = '<a href="style.css">s</a> <a href="b/c%20d.html#x">c</a> <a href="#y">y</a> <h2 id="y">Y</h2> <a href="https://example.com/">e</a>'
PLANTED = {
    "": "",
    '<a href="d.html">d</a>': "leads to no file",
    '<a href="b/c%20d.html#z">z</a>': "has no anchor 'z'",
    '<p id="y">twice</p>': "two elements have the id 'y'",
    '<img src="https://example.com/i.png" alt="">': "from another host",
    '<script src="//example.com/s.js"></script>': "from another host",
    '<link rel="stylesheet" href="http://example.com/s.css">': "from another host",
    "@font-face { src: url(https://example.com/f.woff2) }": "loads from another host",
}


def self_test():
    problems = []
    for fault, expected in PLANTED.items():
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "b"))
            texts = {"a.html": PAGE + (fault if fault.startswith("<") else ""), "b/c d.html": '<h1 id="x">C</h1>',
                     "style.css": "" if fault.startswith("<") else fault}
            for path, text in texts.items():
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = checked(folder)[0]
        if len(found) != (1 if fault else 0) or not all(expected in problem for problem in found):
            problems.append(f"'{fault}' must give one problem with '{expected}', and gives {found}.")
    return problems


def main():
    if sys.argv[1] == "--self-test":
        problems = self_test()
        print(*problems, sep="\n", end="\n" if problems else "")
        return 1 if problems else 0
    problems, inside, outside = checked(sys.argv[1])
    for problem in problems:
        print(problem)
    return 1 if problems or not inside else 0


if __name__ == "__main__":
    sys.exit(main())
