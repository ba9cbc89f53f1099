"""Builds the documentation as one static site: the libraries from their symbol graphs, and every Markdown page of the repository.

    site.py OUTPUT [--build FOLDER]   writes the site; exit status 1 for a link to nothing, a snippet that is in no source, another host

DocC reads (site_docc.py), and this writes plain HTML (site_html.py): a page for each type, with its members. DocC's own renderer needs
JavaScript to show anything, makes two files for each of 5,000 symbols, and searches names only. The same input gives the same bytes.
Prints a line of counts.
"""

import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import check_docs
import site_check
import symbol_graph
from release_rules import stated
from site_docc import Documentation
from site_html import Page, escaped, listing, plain
from symbol_graph import ROOT

ASSETS = os.path.join(ROOT, "Scripts", "lib", "site")
# The kinds of symbols that have a page, and the kinds of members, each with the heading of its list.
TYPES = {"struct": "Structures", "class": "Classes", "enum": "Enumerations", "protocol": "Protocols", "extension": "Extensions"}
MEMBERS = {
    "Case": "Cases", "Associated Type": "Associated types", "Type Alias": "Type aliases", "Initializer": "Initializers",
    "Instance Property": "Properties", "Type Property": "Static properties", "Global Variable": "Variables",
    "Instance Method": "Methods", "Type Method": "Static methods", "Instance Subscript": "Subscripts",
    "Type Subscript": "Static subscripts", "Function": "Functions", "Operator": "Operators",
}
# The groups of the menu, and the beginnings of the paths of their pages. A title leads to the first of its pages.
GROUPS = {
    "Start": ("README.md", "Docs/Architecture.md"),
    "Tutorial": ("Docs/Tutorial/",),
    "Guides": ("Docs/Guides/",),
    "Cookbook": ("Docs/Examples/README.md", "Docs/Examples/Sources/", "Docs/Examples/Tests/replay/"),
    "Libraries": ("Modules/",),
    "Operations": ("Docs/Operations.md", "Docs/Packaging/"),
    "Decisions": ("Docs/Decisions/README.md", "Docs/Decisions/"),
    "Project": ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "Docs/Measurements.md"),
}


def section_of(name):
    return next((title for title, starts in GROUPS.items() if name.startswith(starts)), "Project")


def markdown_path(name):
    """Where the page of a Markdown file is; the README of a folder is its index."""
    return name[:-len("README.md")] + "index.html" if name.endswith("README.md") else name[:-len(".md")] + ".html"


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(set(listed.stdout.splitlines()))


def components(data):
    """The module and the names of a symbol: `["StrataHTTP", "HeaderFields", "Field"]`."""
    return [urllib.parse.unquote(part) for part in data["identifier"]["url"].split("/")[4:]]


def name_of(data):
    """The name of a type, without what DocC adds to tell two apart."""
    return ".".join(re.sub(r"-[\w.]+$", "", part) for part in components(data)[1:])


class Site:
    def __init__(self):
        self.markdown = [name for name in check_docs.files() if not name.startswith(".github/") and ".docc/" not in name]
        self.tracked = tracked()
        self.pages, self.places, self.files, self.index, self.problems, self.menus = {}, {}, {}, [], [], {}

    # MARK: Places

    def place(self, url):
        """Page and anchor of a DocC URL, or `None`."""
        return self.places.get(url.partition("#")[0].lower())

    def target(self, page, url):
        """Page and anchor of a relative link in a Markdown page; a file or folder that is no page gets one that shows it."""
        path, _, anchor = url.partition("#")
        folder = posixpath.dirname(page.source)
        name = posixpath.normpath(posixpath.join(folder, urllib.parse.unquote(path))) if path else page.source
        if f"{name}/README.md" in self.markdown:
            name += "/README.md"
        if name in self.markdown:
            return markdown_path(name), anchor
        if name in self.tracked or any(other.startswith(f"{name}/") for other in self.tracked):
            return self.source_path(name), ""
        self.problems.append(f"{page.source}: '{url}' leads to nothing.")
        return None

    def source_path(self, name):
        path = f"source/{name}.html"
        if path not in self.pages:
            page = self.pages[path] = Page(self, path, name, section_of(name), kind="Source")
            full = os.path.join(ROOT, name)
            if os.path.isdir(full):
                page.add(listing("\n".join(other for other in self.tracked if other.startswith(f"{name}/")), None))
            else:
                with open(full, encoding="utf-8") as file:
                    page.add(listing(file.read().rstrip("\n"), "swift" if name.endswith(".swift") else None))
        return path

    def picture(self, page, url):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), url))
        path = f"pictures/{posixpath.basename(name)}"
        self.files[path] = os.path.join(ROOT, name)
        return path

    # MARK: Pages

    def read(self, documentation):
        """Makes the pages. All places are known before the first page is written, because any can link to any."""
        self.documentation = documentation
        self.problems += documentation.problems
        symbols = {url: data for url, data in documentation.documents.items() if data["kind"] == "symbol"}
        types = {url: data for url, data in symbols.items() if self.takes_page(url, data)}
        members = self.placed_members(symbols, types)
        for url, data in types.items():
            self.symbol_page(self.pages[self.places[url][0]], data, members)
        for number, name in enumerate(self.markdown):
            self.article(name, documentation.documents[f"/documentation/strata/page-{number}"])

    def article(self, name, data):
        page = Page(self, markdown_path(name), data["metadata"]["title"], section_of(name), source=name)
        self.pages[page.path] = page
        page.top = page.anchor(check_docs.slug(page.title))
        page.add(page.body(data, 0).replace("<p>", '<p class="summary">', 1))
        # One entry of the index for each part of the page.
        title, url, text, headings = page.title, page.path, [], iter(page.headings)
        for section in data.get("primaryContentSections", []):
            for node in section.get("content", []):
                if node["type"] == "heading" and node["level"] <= 3 and node["text"] != "Overview":
                    self.index.append([title, page.section, url, " ".join(text)])
                    _, anchor, heading = next(headings)
                    title, url, text = f"{heading} – {page.title}", f"{page.path}#{anchor}", []
                else:
                    text.append(plain([node], data["references"]))
                    page.summary = page.summary or text[0]
        self.index.append([title, page.section, url, " ".join(text)])

    def takes_page(self, url, data):
        """Makes the page of a library or a type. An extended module has none: its types are on the page of the library."""
        kind, heading, (module, *names) = data["metadata"]["symbolKind"], data["metadata"]["roleHeading"], components(data)
        if heading == "Extended Module":
            self.places[url] = f"api/{module}/index.html", ""
            return False
        if kind != "module" and kind not in TYPES:
            return False
        path = f"api/{module}/{'.'.join(names) or 'index'}.html"
        self.places[url] = path, ""
        page = Page(self, path, name_of(data) or module, "Libraries", kind="Library" if kind == "module" else heading)
        page.module, page.summary = module, plain(data.get("abstract", []), data["references"])
        self.pages[path] = page
        return True

    def placed_members(self, symbols, types):
        """`{path: [(anchor, data)]}`: what each page lists; a type has a page instead of an anchor."""
        members = {}
        for url, data in symbols.items():
            above = url.rpartition("/")[0] if url in types else url
            while above not in self.places and above.count("/") > 2:
                above = above.rpartition("/")[0]
            if url in types:
                if above in self.places:
                    members.setdefault(self.places[above][0], []).append(("", data))
                continue
            if above == url:
                continue
            path, anchor = self.places[above][0], ""
            # What the compiler writes has no place in a file. Links to it lead to the type.
            if data["metadata"].get("externalID") in self.documentation.locations and not data["metadata"]["title"].startswith("_"):
                name = re.sub(r"[^\w.-]+", "-", components(data)[-1]).strip("-")
                anchor = self.pages[path].anchor(name or "operator")
                members.setdefault(path, []).append((anchor, data))
            self.places[url] = path, anchor
        return members

    def symbol_page(self, page, data, members):
        page.add(page.body(data, 0))
        library = page.kind == "Library"
        self.index.append([page.title, page.kind if library else f"{page.kind}, {page.module}", page.path, page.summary])
        if library:
            readme = markdown_path(f"{self.documentation.folders[page.module]}/README.md")
            page.add(f'<p><a href="{page.to(readme)}">How {page.module} works</a>: its parts, its guarantees and its tests.</p>')
        elif page.kind.startswith("Extended"):
            page.add(f"<p>What <code>{page.module}</code> adds to this type.</p>")
        for section in data.get("relationshipsSections", []):
            known = [data["references"][identifier] for identifier in section["identifiers"] if identifier in data["references"]]
            shown = sorted({self.named(page, other) for other in known if other["title"].split(".")[-1] not in symbol_graph.IMPLIED})
            if shown:
                page.add(f'<p class="relations"><span class="label">{escaped(section["title"])}</span> {", ".join(shown)}</p>')
        self.lists(page, sorted(members.get(page.path, []), key=lambda item: (components(item[1]), item[0])))
        location = self.documentation.locations.get(data["metadata"].get("externalID"))
        if location:
            page.add(f'<p class="source">Declared in <code>{escaped(location[0])}</code>, line {location[1]}.</p>')

    def lists(self, page, members):
        """The types below a type or library, then its members."""
        for kind, title in TYPES.items():
            rows = [data for anchor, data in members if not anchor and data["metadata"]["symbolKind"] == kind]
            if rows:
                page.add(page.heading(title, 2))
                page.add('<dl class="types">' + "".join(self.row(page, data) for data in rows) + "</dl>")
        for kind, title in MEMBERS.items():
            chosen = [(anchor, data) for anchor, data in members if anchor and data["metadata"]["roleHeading"] == kind]
            if chosen:
                page.add(page.heading(title, 2))
            for anchor, data in chosen:
                name = data["metadata"]["title"].removeprefix(f"{page.title.split('.')[-1]}.")  # `Level.low` of a case
                page.add(
                    f'<section class="member" id="{escaped(anchor)}"><h3><code>{escaped(name)}</code> {page.mark(anchor, name)}</h3>'
                    f"{page.body(data, 2)}</section>")
                title_of = name if page.kind == "Library" else f"{page.title}.{name}"
                summary = plain(data.get("abstract", []), data["references"])
                self.index.append([title_of, f"{kind}, {page.module}", f"{page.path}#{anchor}", summary])

    def row(self, page, data):
        path, anchor = self.places[data["variants"][0]["paths"][0].lower()]
        name = escaped(name_of(data)).replace(".", ".<wbr>")
        summary = page.inline(data.get("abstract", []), data["references"])
        return f'<dt><a href="{page.to(path, anchor)}"><code>{name}</code></a></dt><dd>{summary}</dd>'

    def named(self, page, known):
        url = page.link(known) if known.get("url") else None
        text = f"<code>{escaped(known['title'].removeprefix('Swift.'))}</code>"
        return f'<a href="{url}">{text}</a>' if url else text

    # MARK: Menu

    def group(self, title):
        """The pages of a group of the menu. The records of decisions are listed on their first page."""
        if title == "Libraries":
            return [self.pages[f"api/{module}/index.html"] for module in self.documentation.modules]
        chosen = []
        for start in GROUPS[title]:
            found = [name for name in self.markdown if name.startswith(start) and not name.startswith("Docs/Decisions/0")]
            chosen += sorted(found, key=lambda name: (name != f"{start}README.md", name.lower()))
        return [self.pages[markdown_path(name)] for name in dict.fromkeys(chosen)]

    def menu(self, page):
        """The groups, the pages of the page's group, and the types of its library. Pages of one folder share it but for the mark."""
        key = posixpath.dirname(page.path), page.section, page.module
        if key not in self.menus:
            lines = []
            for title in GROUPS:
                own = self.group(title)
                inner = "".join(self.entry(page, other) for other in own) if title == page.section else ""
                lines.append(f'<li><a class="group" href="{page.to(own[0].path)}">{title}</a>{inner and f"<ul>{inner}</ul>"}</li>')
            self.menus[key] = f"<ul>{''.join(lines)}</ul>"
        own = f'<a href="{page.to(page.path)}">'
        return self.menus[key].replace(own, own[:-1] + ' aria-current="page">', 1)

    def entry(self, page, other):
        inner = ""
        if other.module and other.module == page.module:
            types = [item for item in self.pages.values() if item.module == page.module and item.kind != "Library"]
            types.sort(key=lambda item: (item.title.lower(), item.path))
            inner = f"<ul>{''.join(self.entry_of(page, item) for item in types)}</ul>" if types else ""
        return self.entry_of(page, other, inner)

    def entry_of(self, page, other, inner=""):
        name = escaped(other.title).replace(".", ".<wbr>") if other.module else escaped(other.title)
        return f'<li><a href="{page.to(other.path)}">{name}</a>{inner}</li>'

    # MARK: Files

    def write(self, output):
        with open(os.path.join(ASSETS, "page.html"), encoding="utf-8") as file:
            template = file.read()
        for path, page in sorted(self.pages.items()):
            values = self.values(page)
            save(output, path, re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template))
        index = json.dumps(sorted(self.index), ensure_ascii=False, separators=(",", ":"))
        save(output, "search-index.js", f"var searchIndex = {index};\n")
        for name in ("style.css", "search.js", "icon.svg"):
            self.files[name] = os.path.join(ASSETS, name)
        for path, source in sorted(self.files.items()):
            os.makedirs(os.path.dirname(os.path.join(output, path)), exist_ok=True)
            shutil.copyfile(source, os.path.join(output, path))

    def values(self, page):
        """What stands in the template."""
        title, parts = escaped(page.title), [f'<a href="{page.to("index.html")}">Strata</a>', page.section]
        if page.module and page.kind != "Library":
            parts.append(f'<a href="{page.to(f"api/{page.module}/index.html")}">{page.module}</a>')
        tops = [(name, text) for level, name, text in page.headings if level == 2]
        contents = "".join(f'<li><a href="{page.to(page.path, name)}">{escaped(text)}</a></li>' for name, text in tops)
        return {
            "title": title, "name": title.replace(".", ".<wbr>") if page.kind else title, "anchor": page.top, "version": stated(),
            "kind": f'<p class="kind">{escaped(page.kind)}</p>' if page.kind else "", "summary": escaped(page.summary[:200]),
            "root": posixpath.relpath(".", posixpath.dirname(page.path) or ".") + "/", "trail": " / ".join(parts), "menu": self.menu(page),
            "contents": f'<aside class="contents" aria-label="On this page"><p class="label">On this page</p><ul>{contents}</ul></aside>'
            if len(tops) > 2 else "",
            "body": "\n".join(page.parts),
        }


def save(output, path, text):
    full = os.path.join(output, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    arguments, build = sys.argv[1:], os.path.join(ROOT, ".build")
    if "--build" in arguments:
        place = arguments.index("--build")
        build = arguments[place + 1]
        del arguments[place:place + 2]
    output = os.path.abspath(arguments[0])
    if os.path.isdir(output) and os.listdir(output) and not os.path.exists(os.path.join(output, "search-index.js")):
        raise SystemExit(f"'{output}' has files that are not of the site; name an empty or a new folder.")
    site = Site()
    with tempfile.TemporaryDirectory() as work:
        site.read(Documentation(os.path.realpath(build), site.markdown, work))
    shutil.rmtree(output, ignore_errors=True)
    site.write(output)
    broken, inside, outside = site_check.checked(output)
    problems = check_docs.snippets()[0] + site.problems + broken
    for problem in problems:
        print(problem, file=sys.stderr)
    sizes = [os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(output) for name in names]
    known = site.documentation
    print(f"{len(site.pages)} pages, {len(sizes)} files, {sum(sizes)} bytes; "
          f"{inside} links inside, {outside} to other hosts, {len(broken)} broken; "
          f"{len(known.modules)} libraries with {known.symbols} public symbols, {known.undocumented} without a sentence")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
