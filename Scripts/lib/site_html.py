"""Turns what DocC says about a page (its render JSON) into plain HTML. Used by site.py; reads and writes no files.

A `Page` resolves the links of its content through the site, which knows where every symbol and every file has its page.
"""

import html
import posixpath
import re
import urllib.parse

from check_docs import slug

KEYWORDS = (
    "actor as associatedtype async await break case catch class continue convenience default defer deinit do else enum extension "
    "fallthrough false for func get guard if import in indirect init inout internal is isolated lazy let mutating nil nonisolated "
    "nonmutating open override package private protocol public repeat required rethrows return self Self set some any sending static "
    "struct subscript super switch throw throws true try typealias unowned var weak where while")
SWIFT = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*")|(?P<number>\b\d[\d_.]*\b)|'
    r"(?P<attribute>[@#]\w+)|(?P<keyword>(?<![.`\w])(?:" + KEYWORDS.replace(" ", "|") + r")\b(?![`:]))|(?P<type>\b[A-Z]\w*)", re.DOTALL)
SHELL = re.compile(
    r"(?P<comment>(?:^|(?<=\s))#[^\n]*)|(?P<string>'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\")|(?P<keyword>(?<=\s)--?[a-z][\w-]*)", re.MULTILINE)
ASIDES = {"note": "Note", "important": "Important", "tip": "Tip", "warning": "Warning", "experiment": "Experiment"}


def escaped(text):
    return html.escape(text, quote=True)


def colored(code, language):
    """The code as HTML, with classes for what a reader tells apart by colour."""
    pattern = {"swift": SWIFT, "sh": SHELL, "bash": SHELL, "shell": SHELL}.get(language)
    if not pattern:
        return escaped(code)
    parts, place = [], 0
    for found in pattern.finditer(code):
        parts += [escaped(code[place:found.start()]), f'<span class="{found.lastgroup}">{escaped(found[0])}</span>']
        place = found.end()
    return "".join(parts) + escaped(code[place:])


def listing(code, language):
    # A region that scrolls must be reachable by keyboard.
    return f'<pre tabindex="0"><code>{colored(code, language)}</code></pre>'


def plain(nodes, references):
    """The text of content, for the search."""
    parts = []
    for node in nodes:
        if "inlineContent" in node or "content" in node or "items" in node:
            parts.append(plain(node.get("inlineContent") or node.get("content") or node.get("items") or [], references))
        elif node.get("type") == "reference":
            known = references.get(node["identifier"], {})
            parts.append(node.get("overridingTitle") or known.get("title", ""))
        elif node.get("type") == "table":
            parts.append(" ".join(plain(cell, references) for row in node["rows"] for cell in row))
        elif node.get("type") == "codeListing":
            parts.append(" ".join(node["code"]))
        elif node.get("type") in ("row", "tabNavigator"):
            parts.append(" ".join(plain(column["content"], references) for column in node.get("columns", [])))
        else:
            parts.append(node.get("text") or node.get("code") or "")
    inline = any(node.get("type") in ("text", "codeVoice", "reference") for node in nodes)
    return re.sub(r"\s+", " ", ("" if inline else " ").join(part for part in parts if part)).strip()


class Page:
    """One HTML file: its path in the site, its title, and what `add` was given."""

    def __init__(self, site, path, title, section, kind="", source=None):
        self.site, self.path, self.title, self.section, self.kind = site, path, title, section, kind
        # The Markdown file, which its links are relative to; or the library of a symbol.
        self.source, self.module, self.summary = source, None, ""
        self.top, self.headings, self.parts, self.counts = "page-top", [], [], {}

    def add(self, text):
        self.parts.append(text)

    def anchor(self, wanted):
        """An anchor that the page does not have yet."""
        count = self.counts.get(wanted, 0)
        self.counts[wanted] = count + 1
        return f"{wanted}-{count}" if count else wanted

    def to(self, path, anchor=""):
        """The relative URL of a page of the site; site_check.py checks that both exist."""
        relative = posixpath.relpath(path, posixpath.dirname(self.path) or ".") if path != self.path or not anchor else ""
        return escaped(urllib.parse.quote(relative, safe="/.-_~()") + (f"#{urllib.parse.quote(anchor, safe='-_.')}" if anchor else ""))

    def link(self, reference):
        """The URL of a reference of DocC, or `None` where there is nothing to link to."""
        url = re.sub(r"^link:\d+:", "", reference.get("url", ""))
        if reference.get("type") == "topic" or url.startswith("/documentation/"):
            place = self.site.place(url)
            return self.to(*place) if place else None
        if re.match(r"(https?|mailto):", url):
            return escaped(url)
        place = self.site.target(self, url)
        return self.to(*place) if place else None

    # MARK: Inline

    def inline(self, nodes, references):
        return "".join(self.one(node, references) for node in nodes)

    def one(self, node, references):
        kind = node["type"]
        if kind == "text":
            return escaped(node["text"])
        if kind == "codeVoice":
            return f"<code>{escaped(node['code'])}</code>"
        if kind == "image":
            return self.image(node, references)
        if kind == "reference":
            return self.reference(node, references)
        tag = {"emphasis": "em", "strong": "strong", "newTerm": "dfn", "inlineHead": "strong", "superscript": "sup", "subscript": "sub",
               "strikethrough": "s"}[kind]
        return f"<{tag}>{self.inline(node['inlineContent'], references)}</{tag}>"

    def reference(self, node, references):
        known = references.get(node["identifier"], {"title": node.get("overridingTitle", node["identifier"])})
        shown = node.get("overridingTitleInlineContent") or known.get("titleInlineContent")
        text = self.inline(shown, references) if shown else escaped(node.get("overridingTitle") or known["title"])
        if known.get("kind") == "symbol" and not shown:
            text = f"<code>{text}</code>"
        picture = re.fullmatch(r"link:\d+:picture:(.*)", known.get("url", ""))
        if picture:
            path = self.site.picture(self, picture[1])
            return f'<img src="{self.to(path)}" alt="{escaped(known["title"])}" loading="lazy">'
        url = self.link(known)
        return f'<a href="{url}">{text}</a>' if url and node.get("isActive", True) else text

    # MARK: Blocks

    def blocks(self, nodes, references, level=0):
        return "\n".join(filter(None, (self.block(node, references, level) for node in nodes)))

    def block(self, node, references, level=0):
        kind = node["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(node['inlineContent'], references)}</p>"
        if kind == "heading":
            return self.heading(node["text"], min(node["level"] + level, 6))
        if kind == "codeListing":
            return listing("\n".join(node["code"]), node.get("syntax"))
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            start = f' start="{node["start"]}"' if node.get("start", 1) != 1 else ""
            return f"<{tag}{start}>" + "".join(f"<li>{self.item(item, references)}</li>" for item in node["items"]) + f"</{tag}>"
        if kind == "termList":
            return "<dl>" + "".join(
                f"<dt>{self.inline(item['term']['inlineContent'], references)}</dt>"
                f"<dd>{self.blocks(item['definition']['content'], references)}</dd>" for item in node["items"]) + "</dl>"
        if kind == "aside":
            name = node.get("name") or ASIDES.get(node["style"], "Note")
            if self.source:  # A quotation, which DocC takes for a note.
                return f"<blockquote>{self.blocks(node['content'], references)}</blockquote>"
            return f'<div class="aside"><p class="label">{escaped(name)}</p>{self.blocks(node["content"], references)}</div>'
        if kind == "table":
            return self.table(node, references)
        if kind == "row":
            columns = "".join(f"<div>{self.blocks(column['content'], references)}</div>" for column in node["columns"])
            return f'<div class="columns">{columns}</div>'
        if kind == "thematicBreak":
            return "<hr>"
        raise SystemExit(f"{self.path}: '{kind}' is content that the site cannot show yet; add it to site_html.py.")

    def item(self, item, references):
        """One paragraph stands in its list item without `<p>`."""
        content = item["content"]
        if content and content[0]["type"] == "paragraph":
            return self.inline(content[0]["inlineContent"], references) + self.blocks(content[1:], references)
        return self.blocks(content, references)

    def table(self, node, references):
        aligned = node.get("alignments", [])

        def cells(row, tag):
            for place, cell in enumerate(row):
                side = aligned[place] if place < len(aligned) else "unset"
                style = f' class="{side}"' if side in ("right", "center") else ""
                yield f"<{tag}{style}>{self.item({'content': cell}, references)}</{tag}>"
        head, *rows = node["rows"]
        return (
            '<div class="table" tabindex="0"><table><thead><tr>' + "".join(cells(head, "th")) + "</tr></thead><tbody>"
            + "".join("<tr>" + "".join(cells(row, "td")) + "</tr>" for row in rows) + "</tbody></table></div>")

    def image(self, node, references):
        known = references.get(node["identifier"], {})
        return escaped(known.get("alt", ""))

    def heading(self, text, level, anchor=None):
        name = self.anchor(anchor or slug(text))
        if level <= 3:
            self.headings.append((level, name, text))
        return f'<h{level} id="{escaped(name)}">{escaped(text)} {self.mark(name, text)}</h{level}>'

    def mark(self, anchor, text):
        """The link beside a heading, to copy its address."""
        return f'<a class="anchor" href="{self.to(self.path, anchor)}" aria-label="Link to {escaped(text)}">#</a>'

    # MARK: Symbols

    def declaration(self, section, references):
        """The declaration; the names of types are links."""
        texts = []
        for token in section["declarations"][0]["tokens"]:
            text = escaped(token["text"])
            known = references.get(token.get("identifier", ""))
            url = self.link(known) if known and known.get("url") else None
            if url:
                text = f'<a href="{url}">{text}</a>'
            elif token["kind"] in ("keyword", "attribute", "number", "string"):
                text = f'<span class="{token["kind"]}">{text}</span>'
            elif token["kind"] == "typeIdentifier":
                text = f'<span class="type">{text}</span>'
            elif token["kind"] == "identifier":
                text = f"<b>{text}</b>"
            texts.append(text)
        return '<pre class="declaration" tabindex="0"><code>' + "".join(texts) + "</code></pre>"

    def body(self, data, level, with_declaration=True):
        """Declaration, sentence, explanation and parameters of a symbol, or the content of an article."""
        references, parts = data["references"], []
        if with_declaration:
            parts += [
                self.declaration(section, references) for section in data.get("primaryContentSections", [])
                if section["kind"] == "declarations"]
        if data.get("abstract") and not self.source:
            parts.append(f'<p class="summary">{self.inline(data["abstract"], references)}</p>')
        for section in data.get("primaryContentSections", []):
            if section["kind"] == "content":
                content = [
                    node for node in section["content"]
                    if not (node["type"] == "heading" and node["text"] in ("Overview", "Discussion", "Return Value", "Mentioned In"))]
                title = section["content"][0].get("text")
                if title == "Return Value":
                    parts.append('<p class="label">Returns</p>')
                parts.append(self.blocks(content, references, level))
            elif section["kind"] == "parameters":
                parts.append('<p class="label">Parameters</p><dl class="parameters">' + "".join(
                    f"<dt><code>{escaped(item['name'])}</code></dt><dd>{self.blocks(item['content'], references)}</dd>"
                    for item in section["parameters"]) + "</dl>")
        return "\n".join(parts)
