"""What DocC says of the libraries and of every Markdown page, as JSON. Used by site.py.

DocC gets the symbol graphs of the built libraries, the page of each library with its tasks (`Modules/…/NAME.docc`), and the Markdown
files of the repository. It reads doc comments and pages, and resolves the links to symbols.
"""

import itertools
import json
import os
import re
import shutil
import subprocess

import symbol_graph
from symbol_graph import ROOT

COLUMNS = re.compile(
    r'<table>\n<tr><th>(.*?)</th><th>(.*?)</th></tr>\n<tr valign="top"><td>\n(.*?)</td><td>\n(.*?)</td></tr>\n</table>', re.DOTALL)


def prepared(name):
    """The text of a Markdown page as DocC reads it: a picture is a link to `picture:`, columns are directives.

    DocC keeps one title for each URL, so every link gets a number: `link:7:Growing.md`. It forgets the links of a summary, so the page
    gets a sentence in its place, which the site leaves out.
    """
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        text = file.read()
    text = COLUMNS.sub(r"@Row {\n@Column {\n**\1**\n\n\3}\n@Column {\n**\2**\n\n\4}\n}", text)
    fence, result, numbers = None, [], itertools.count()

    def target(found):
        return f"](link:{next(numbers)}:{found[2]})" if found[2] else found[0]
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or line.strip() == fence):
            fence = None if fence else mark[1]
        elif fence is None:
            line = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", r"[\1](picture:\2)", line)
            line = re.sub(r"(`+).+?\1|\]\(([^)\s]+)\)", target, line)
        result.append(line)
    result.insert(1, "\nThe summary.\n")
    return "\n".join(result) + "\n"


def program():
    """`docc` on PATH, or that of the toolchain."""
    swift = shutil.which("swift")
    found = shutil.which("docc") or swift and os.path.join(os.path.dirname(os.path.realpath(swift)), "docc")
    if not found or not os.path.exists(found):
        raise SystemExit("docc is missing; it is a part of the Swift toolchain from 5.5 on.")
    return found


class Documentation:
    """`documents`: the JSON of each page by its URL; `modules`: the libraries with a public symbol; `problems`: what is to be mended."""

    def __init__(self, build, markdown, work):
        self.build, self.markdown, self.work = build, markdown, work
        self.modules, self.locations, self.problems, self.symbols, self.undocumented = [], {}, [], 0, 0
        with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
            rows = re.findall(r'Module\(\s*"(Strata\w+)", \.\w+, at: "([^"]+)"', file.read())
        self.folders = {name: f"Modules/{place}" for name, place in rows}
        self.catalog, self.graphs = os.path.join(work, "Strata.docc"), os.path.join(work, "graphs")
        os.makedirs(self.catalog)
        os.makedirs(self.graphs)
        self.extract()
        self.write_catalog()
        self.documents = self.convert()

    def extract(self):
        """The symbol graphs of the libraries, and where each symbol is declared."""
        for module in symbol_graph.libraries():
            if symbol_graph.arguments(self.build, module) is None:
                continue
            folder = os.path.join(self.work, module)
            os.makedirs(folder)
            found = symbol_graph.extract(self.build, module, folder)
            symbols = [symbol for graph in found for symbol in graph["symbols"]]
            if not symbols:
                continue
            entries = symbol_graph.entries(found)
            self.modules.append(module)
            self.symbols += len(entries)
            self.undocumented += sum(not entry.documented for entry in entries)
            for symbol in symbols:
                if "location" in symbol:
                    name = symbol["location"]["uri"].removeprefix("file://")
                    line = symbol["location"]["position"]["line"] + 1
                    self.locations[symbol["identifier"]["precise"]] = os.path.relpath(name, os.path.dirname(self.build)), line
            for name in os.listdir(folder):
                shutil.move(os.path.join(folder, name), os.path.join(self.graphs, name))

    def write_catalog(self):
        for module in self.modules:
            landing = f"{self.folders[module]}/{module}.docc/{module}.md"
            if os.path.exists(os.path.join(ROOT, landing)):
                shutil.copy(os.path.join(ROOT, landing), self.catalog)
            else:
                self.problems.append(f"{module} has no page with its tasks; write {landing}.")
        for number, name in enumerate(self.markdown):
            with open(os.path.join(self.catalog, f"page-{number}.md"), "w", encoding="utf-8") as file:
                file.write(prepared(name))
        with open(os.path.join(self.catalog, "Strata.md"), "w", encoding="utf-8") as file:
            # DocC leaves out a page that no list of topics names. The site does not show this root.
            file.write("# Strata\n\n@Metadata {\n  @TechnologyRoot\n}\n\nThe root.\n\n## Topics\n\n### Pages\n\n")
            file.writelines(f"- <doc:page-{number}>\n" for number in range(len(self.markdown)))

    def convert(self):
        diagnostics, output = os.path.join(self.work, "diagnostics.json"), os.path.join(self.work, "out")
        run = subprocess.run(
            [program(), "convert", self.catalog, "--additional-symbol-graph-dir", self.graphs, "--output-dir", output,
             "--no-transform-for-static-hosting", "--fallback-display-name", "Strata", "--fallback-bundle-identifier", "strata",
             "--diagnostics-file", diagnostics], capture_output=True, text=True, timeout=600)
        if run.returncode != 0:
            raise SystemExit(f"docc fails: {(run.stdout + run.stderr).strip()[-1500:]}")
        with open(diagnostics, encoding="utf-8") as file:
            for told in json.load(file)["diagnostics"]:
                self.diagnostic(told["summary"], os.path.basename(told.get("source", "")))
        documents = {}
        for place, _, names in os.walk(os.path.join(output, "data", "documentation")):
            for name in names:
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    data = json.load(file)
                documents[data["variants"][0]["paths"][0].lower()] = data
        return dict(sorted(documents.items()))

    def diagnostic(self, summary, source):
        """A page with a link to no symbol is a problem. Doc comments are those of the last build, so theirs are only told."""
        if summary.endswith("missing documentation"):
            return
        number = re.fullmatch(r"page-(\d+)\.md", source)
        where = self.markdown[int(number[1])] if number else source
        (self.problems.append if source.endswith(".md") else print)(f"{where}: {summary.rstrip('.')}.")
