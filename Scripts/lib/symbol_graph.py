"""The public API of the built libraries, as `swift-symbolgraph-extract` tells it. Used by check_api.py; runs nothing itself.

A symbol becomes an `Entry`: its path in the module, its declaration, and what else a user relies on: conformances, whether it is a
requirement of a protocol and has a default, availability. Members that the compiler writes, such as `encode(to:)`, follow from a
conformance and have no entry. Names of parameters that no caller writes are left out.
"""

import functools
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TARGET_ARGUMENTS = ("-I", "-F", "-target")
# Left out of a build without libpq.
OPTIONAL = {"StrataPostgres"}
# Every type has these unless it says otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
ATTRIBUTES = re.compile(r"@(?:discardableResult|inlinable|usableFromInline|frozen|preconcurrency) ")


@dataclass
class Entry:
    path: str
    declaration: str
    marks: set = field(default_factory=set)
    conformances: set = field(default_factory=set)
    # Where it is and whether it has a sentence; not part of the API.
    file: str = ""
    line: int = 0
    documented: bool = True
    kind: str = ""

    @property
    def text(self):
        """Its line in Docs/API."""
        more = sorted(self.marks) + ([": " + ", ".join(sorted(self.conformances))] if self.conformances else [])
        return "\t".join([self.path, self.declaration] + (["; ".join(more)] if more else []))

    @classmethod
    def parsed(cls, line):
        path, declaration, *more = line.split("\t")
        entry = cls(path, declaration)
        for part in more[0].split("; ") if more else []:
            if part.startswith(": "):
                entry.conformances = set(part[2:].split(", "))
            else:
                entry.marks.add(part)
        return entry


def libraries():
    """The modules that another package may use: Strata's rows of the manifest, and logins."""
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        rows = re.findall(r'Module\(\s*"(Strata\w+)"', file.read())
    folder = os.path.join(ROOT, "Modules", "Features", "Accounts")
    parts = [part for part in ("Domain", "API", "Data", "Service", "Presentation") if os.path.isdir(os.path.join(folder, part))]
    return sorted(rows) + [f"Accounts{part}" for part in parts]


def arguments(build, module):
    """Where the compiler found the modules that the module imports."""
    plan = os.path.join(build, "debug.yaml")
    if not os.path.exists(plan):
        raise SystemExit(f"'{build}' has no build; run Scripts/test first.")
    with open(plan, encoding="utf-8") as file:
        found = re.search(rf'"C\.{module}-[^"]*\.module":\n(?:.*\n)*?    args: (\[.*\])\n', file.read())
    if not found and module in OPTIONAL:
        return None
    if not found:
        raise SystemExit(f"'{build}' has no build of {module}; run Scripts/test first.")
    given, kept, place = json.loads(found[1]), [], 0
    while place < len(given):
        if given[place] in TARGET_ARGUMENTS or given[place] == "-Xcc":
            kept += given[place:place + 2]
            place += 1
        place += 1
    return kept


def extract(build, module, folder):
    """Every symbol graph of the module: its own and those of what it extends."""
    run = subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-output-dir", folder, "-minimum-access-level", "public",
         "-skip-inherited-docs", "-skip-synthesized-members", "-emit-extension-block-symbols", *arguments(build, module)],
        cwd=ROOT, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        raise SystemExit(f"swift-symbolgraph-extract fails for {module}: {run.stderr.strip()[-600:]}")
    graphs = []
    for name in sorted(os.listdir(folder)):
        if name == f"{module}.symbols.json" or name.startswith(f"{module}@"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                graphs.append(json.load(file))
    return graphs


def declaration(symbol):
    """The declaration on one line, without names that no caller writes."""
    parts = []
    for fragment in symbol["declarationFragments"]:
        if fragment["kind"] == "internalParam" and len(parts) > 1 and parts[-1] == " ":
            parts.pop()
        elif fragment["kind"] == "internalParam":
            parts.append("_")
        else:
            parts.append(fragment["spelling"])
    text = ATTRIBUTES.sub("", re.sub(r"\s+", " ", "".join(parts)).strip())
    if symbol["kind"]["identifier"] in ("swift.protocol", "swift.class"):
        text = re.sub(r" : .*?(?= where |$)", "", text)
    limits = ", ".join(
        limit for limit in constraints(symbol.get("swiftExtension", {}).get("constraints")).split(", ") if limit not in text)
    return f"{text} [{limits}]" if limits else text


def constraints(listed):
    words = {"conformance": ":", "superclass": ":", "sameType": "=="}
    return ", ".join(sorted(f"{c['lhs']} {words[c['kind']]} {c['rhs']}" for c in listed or []))


def availability(symbol):
    for item in symbol.get("availability", []):
        domain = item.get("domain", "*")
        if item.get("isUnconditionallyUnavailable") or "obsoleted" in item:
            yield "unavailable" if domain == "*" else f"unavailable {domain}"
        if item.get("isUnconditionallyDeprecated") or "deprecated" in item:
            yield "deprecated"
        if "introduced" in item:
            version = item["introduced"]
            yield f"since {domain} {version['major']}.{version.get('minor', 0)}"


def entries(graphs):
    """The entries of a module, sorted."""
    symbols, conforming, required, origin, defaults = {}, {}, set(), {}, {}
    for graph in graphs:
        for symbol in graph["symbols"]:
            symbols[symbol["identifier"]["precise"]] = symbol
    for graph in graphs:
        for relation in graph["relationships"]:
            source, target, kind = relation["source"], relation["target"], relation["kind"]
            if kind in ("conformsTo", "inheritsFrom"):
                name = relation.get("targetFallback", "").split(".", 1)[-1]
                name = ".".join(symbols[target]["pathComponents"]) if target in symbols else name
                limits = constraints(relation.get("swiftConstraints"))
                if name and name not in IMPLIED:
                    conforming.setdefault(source, set()).add(f"{name} where {limits.replace(', ', ' & ')}" if limits else name)
            elif kind in ("requirementOf", "optionalRequirementOf"):
                required.add(source)
            elif kind == "defaultImplementationOf":
                defaults.setdefault(target, set()).add(source)
            if "sourceOrigin" in relation:
                origin[source] = relation["sourceOrigin"]["displayName"]
    result, extended, implementations = [], {}, {source for sources in defaults.values() for source in sources}
    for identifier, symbol in symbols.items():
        kind, place = symbol["kind"]["identifier"], symbol.get("location")
        # A default is a mark of its requirement. What the compiler writes has no place in a file.
        if identifier in implementations or place is None and (identifier in origin or kind != "swift.extension"):
            continue
        path = ".".join(symbol["pathComponents"])
        if any(part.startswith("_") for part in symbol["pathComponents"]):
            continue
        conformances = set(conforming.get(identifier, ()))
        if kind == "swift.extension":
            # One entry for all extensions of a type; they are only here for conformances.
            if conformances:
                extended.setdefault(path, Entry(path, f"extension {path}", kind=kind)).conformances |= conformances
            continue
        entry = Entry(path, declaration(symbol), set(availability(symbol)), conformances, kind=kind)
        if identifier in required or kind == "swift.associatedtype":
            entry.marks.add("requirement")
            whole = any(not symbols.get(source, {}).get("swiftExtension", {}).get("constraints") for source in defaults.get(identifier, ()))
            if whole or kind == "swift.associatedtype" and " = " in entry.declaration:
                entry.marks.add("default")
        if place:
            entry.file = os.path.relpath(place["uri"].removeprefix("file://"), ROOT)
            entry.line = place["position"]["line"] + 1
        # The sentence of a requirement is that of what implements it.
        entry.documented = "docComment" in symbol or identifier in origin
        result.append(entry)
    return sorted(result + list(extended.values()), key=lambda entry: entry.text)


@functools.cache
def read(build, module):
    """The entries of a module; `None` for one that this machine cannot build."""
    if arguments(build, module) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        return entries(extract(build, module, folder))
