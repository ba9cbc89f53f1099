"""Public symbols whose name nothing outside of their module mentions; `check_api.py unused` prints them.

Outside are other modules, apps, features, clients, examples, packages with default settings (Tests/Door, Tests/View), and the code in
documents but for decisions. Tests of the repository do not count: they see `package` symbols. A name is compared as a word, so a
common one counts as used; a type whose name nothing mentions may still be the result of a function. Decide each: `package`, or an example.
"""

import os
import re
import subprocess

import symbol_graph
from symbol_graph import ROOT


def sources():
    """`(path, code)` of everything that stands for a user."""
    listed = subprocess.run(["git", "ls-files", "--", "*.swift", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in listed.stdout.splitlines():
        is_test = path.startswith(("Tests/", "Scripts/Scaffold/Tests/")) and not path.startswith(("Tests/Door/", "Tests/View/"))
        if is_test or path.startswith("Docs/Decisions/") or not os.path.exists(os.path.join(ROOT, path)):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".md"):
            yield path, "\n".join(re.findall(r"`[^`\n]+`|```swift\n.*?```", text, re.DOTALL))
        else:
            yield path, re.sub(r"//[^\n]*", "", text)


def folders():
    """The folder of each module."""
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        return {name: f"Modules/{place}/" for name, place in re.findall(r'Module\(\s*"(Strata\w+)",\s*\.\w+,\s*at: "([^"]+)"', file.read())}


def unused(build):
    """`(module, entry)` of each symbol, and the number of all."""
    mentions, seen, found, homes = {}, 0, [], folders()
    for path, text in sources():
        for word in set(re.findall(r"\w+", text)):
            mentions.setdefault(word, set()).add(path)
    for module in symbol_graph.libraries():
        home = homes.get(module, "Modules/Features/Accounts/")
        for entry in symbol_graph.read(build, module) or []:
            if entry.kind == "swift.extension":
                continue
            seen += 1
            parts = re.sub(r"\(.*", "", entry.path).split(".")
            # An initialiser is used by the name of its type.
            name = (parts[-2] if parts[-1] == "init" and len(parts) > 1 else parts[-1]).strip("`")
            users = mentions.get(name, set())
            if re.fullmatch(r"\w+", name) and all(path.startswith(home) and path.endswith(".swift") for path in users):
                found.append((module, entry))
    return found, seen
