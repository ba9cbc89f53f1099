"""Compares the public API with the one that the last release kept in Docs/API, and demands the right number.

    check_api.py [check] [--as VERSION] [--build FOLDER]   one line for each change that the version is too small for; exit status 1.
                                                           Lines 'note: …' refuse nothing: libraries that Docs/API lacks, unused symbols
    check_api.py list [--build FOLDER]                     every change since the last release, and the number that it needs
    check_api.py sentences [--build FOLDER]                each public symbol without a doc comment; exit status 1 if there is one
    check_api.py unused [--build FOLDER]                   each public symbol that nothing outside of its module mentions
    check_api.py keep VERSION [--build FOLDER]             writes Docs/API, as Scripts/release does
    check_api.py --self-test                               plants breaks and harmless changes, and expects the verdict of each

VERSION is by default the one that the sources state. The modules are those of the last build (.build).

A break needs a greater major version, an addition a greater minor version. Before 1.0.0, and from one pre-release of a version to the
next, every change is allowed. So Docs/API stays that of the last release while pre-releases of the next are made.

What breaks: a symbol, a conformance or a default of a parameter that is gone; another type, label or effect; a requirement without
a default; a protocol that inherits another; availability that is raised; a new case of an enum, because a package's users switch
over all cases, unless the enum is `@nonexhaustive` (SE-0487). A parameter that is added with a default breaks too: the function has another
name, which a user may have passed on. Keep the old function beside it. Docs/Guides/Versions.md says so to users.
"""

import os
import re
import subprocess
import sys

import api_users
import symbol_graph
from release_rules import newest_tag, parsed, stated
from symbol_graph import ROOT, Entry

KEPT = os.path.join(ROOT, "Docs", "API")
BREAK, ADDITION = "break", "addition"


# Declarations


def masked(text):
    """The text with strings, arrows and operators crossed out, so that only real brackets are left. Its length is the same."""
    return re.sub(r'"(?:[^"\\\\]|\\\\.)*"|->| (?:<<|>>|[<>]=?) |(?<=func )[<>=!]+', lambda found: "~" * len(found[0]), text)


def parameters(text):
    """`(before, [parameter], after)` of a function, initialiser, subscript or case; `None` for anything else."""
    head = re.search(r"\b(?:func \S+?|init[?!]?|subscript|case \w+)(?=[<(])", text)
    if not head:
        return None
    mask = masked(text)
    place, depth = head.end(), 0
    while place < len(text) and (depth or mask[place] != "("):
        depth += (mask[place] == "<") - (mask[place] == ">")
        place += 1
    start, parts, depth, last = place + 1, [], 0, place + 1
    for place in range(start, len(text)):
        letter = mask[place]
        if letter == ")" and depth == 0:
            break
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append(text[last:place].strip())
            last = place + 1
    parts.append(text[last:place].strip())
    return text[:start], [part for part in parts if part], text[place:]


def without_defaults(text):
    """The declaration without the values of defaults, and which parameters have one."""
    split = parameters(text)
    if not split:
        return text, []
    before, parts, after = split
    return before + ", ".join(part.split(" = ", 1)[0] for part in parts) + after, [" = " in part for part in parts]


def without_effects(text):
    """The declaration of a function without `async` and `throws`."""
    split = parameters(text)
    if not split:
        return text
    before, parts, after = split
    return before + ", ".join(parts) + re.sub(r"^\)(?: async)?(?: (?:re)?throws(?:\([^)]*\))?)?", ")", after)


def property_of(text):
    """`(declaration, settable, effects)` of a property, or `None`."""
    match = re.fullmatch(r"((?:\S+ )*?)(let|var) (\w+|`\w+`: )?(.*?)(?: \{ (get)((?: async)?(?: throws(?:\([^)]*\))?)?)( set)?(?: nonmutating set)? \})?( \[.*\])?", text)
    if not match:
        return None
    settable = match[2] == "var" and (match[5] is None or match[7] is not None or "set" in text.rsplit("{", 1)[-1])
    return (match[1], match[3], match[4], match[8]), settable, match[6] or ""


def still_serves(old, new, is_requirement):
    """Whether a user of the old declaration can use the new one; a requirement is also implemented by users."""
    if old == new:
        return True
    first, had = without_defaults(old)
    second, has = without_defaults(new)
    if first == second:
        return all(now or not before for before, now in zip(had, has))
    if is_requirement:
        return False
    before, now = property_of(old), property_of(new)
    if before and now and before[0] == now[0]:
        return (now[1] or not before[1]) and now[2] in ("", before[2])
    # Fewer effects, or a typed error in place of any: `try` and `await` only become unnecessary.
    if without_effects(first) == without_effects(second):
        return (" async" not in second or " async" in first) and (not re.search(r"throws", second) or bool(re.search(r"throws(?!\()", first)))
    return False


def raised(old, new):
    """What a symbol needs that it did not need before."""
    def needs(marks):
        return {mark.split(" ")[1]: [int(part) for part in mark.split(" ")[2].split(".")] for mark in marks if mark.startswith("since ")}
    before, now = needs(old), needs(new)
    gone = sorted(mark for mark in new - old if mark.startswith("unavailable"))
    return gone + [f"since {system} {'.'.join(map(str, version))}" for system, version in now.items() if version > before.get(system, [0, 0])]


# Comparison


def compare(old, new):
    """`(BREAK or ADDITION, sentence)` for each change between two lists of entries."""
    changes = []
    before, now = by_path(old), by_path(new)
    protocols = {path for path, found in before.items() if any(re.search(r"\bprotocol ", entry.declaration) for entry in found)}
    closed = {path for path, found in before.items()
              if any(re.search(r"\benum ", entry.declaration) and "@nonexhaustive" not in entry.declaration for entry in found)}
    for path in sorted(before.keys() | now.keys()):
        gone, come = list(before.get(path, [])), list(now.get(path, []))
        for entry in list(gone):
            match = next((other for other in come if other.text == entry.text), None) or next(
                (other for other in come if still_serves(entry.declaration, other.declaration, "requirement" in entry.marks)), None)
            if match:
                gone.remove(entry)
                come.remove(match)
                changes += kept(entry, match, path in protocols)
        for entry in gone:
            if come:
                changes.append((BREAK, f"'{path}' was '{entry.declaration}' and is '{come.pop(0).declaration}'."))
            else:
                changes.append((BREAK, f"'{path}' is gone: '{entry.declaration}'."))
        for entry in come:
            parent = path.rpartition(".")[0]
            if parent in protocols and "requirement" in entry.marks and "default" not in entry.marks:
                changes.append((BREAK, f"'{path}' is a new requirement without a default."))
            elif parent in closed and re.match(r"(?:indirect )?case ", entry.declaration):
                changes.append((BREAK, f"'{path}' is a new case; a user's 'switch' does not have it."))
            else:
                changes.append((ADDITION, f"'{path}' is new: '{entry.declaration}'."))
    return changes


def by_path(entries):
    found = {}
    for entry in entries:
        found.setdefault(entry.path, []).append(entry)
    return found


def kept(old, new, is_protocol):
    """The changes of a symbol that is still there."""
    path = old.path
    changes = [(BREAK, f"'{path}' no longer conforms to '{name}'.") for name in sorted(old.conformances - new.conformances)]
    changes += [
        (BREAK, f"the protocol '{path}' now inherits '{name}', which implementations of users lack.") if is_protocol
        else (ADDITION, f"'{path}' now conforms to '{name}'.")
        for name in sorted(new.conformances - old.conformances)]
    changes += [(BREAK, f"'{path}' is now {mark}.") for mark in raised(old.marks, new.marks)]
    if "requirement" in new.marks and "requirement" not in old.marks and "default" not in new.marks:
        changes.append((BREAK, f"'{path}' is now a requirement without a default."))
    if "default" in old.marks and "default" not in new.marks and "requirement" in new.marks:
        changes.append((BREAK, f"the requirement '{path}' has no default any more."))
    if not changes and old.text != new.text:
        same = without_defaults(old.declaration) == without_defaults(new.declaration) and old.marks == new.marks
        if not same:
            changes.append((ADDITION, f"'{path}' was '{old.declaration}' and is '{new.declaration}', which serves the same calls."))
    return changes


def is_enough(version, base, level):
    """Whether a version after `base` may have a change of the level."""
    new, old = parsed(version), parsed(base)
    if old[0][0] == 0 or not old[1]:
        # Before 1.0.0, and after a pre-release, which promises nothing.
        return True
    return new[0][0] > old[0][0] if level == BREAK else new[0][:2] > old[0][:2]


# Files


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout


def kept_files():
    """Name and text of each file of Docs/API: of the newest tag, if it has them, so that an edit does not hide a change; else of the tree."""
    place = os.path.relpath(KEPT, ROOT)
    tag = newest_tag()
    listed = git("ls-tree", "--name-only", f"{tag}:{place}").split() if tag and git("ls-tree", tag, place) else []
    if listed:
        return [(name, git("show", f"{tag}:{place}/{name}")) for name in sorted(listed) if name.endswith(".txt")]
    files = []
    for name in sorted(os.listdir(KEPT)) if os.path.isdir(KEPT) else []:
        if name.endswith(".txt"):
            with open(os.path.join(KEPT, name), encoding="utf-8") as file:
                files.append((name, file.read()))
    return files


def stored():
    """`(version, {module: [Entry]})` as the last release kept them."""
    base, modules = None, {}
    for name, text in kept_files():
        first, *lines = text.splitlines()
        found = re.fullmatch(r"# Public API of (\w+) (\S+)\..*", first)
        if not found or base not in (None, found[2]):
            raise SystemExit(f"Docs/API/{name} is not as 'Scripts/release' writes it; restore Docs/API from the last tag.")
        base = found[2]
        modules[found[1]] = [Entry.parsed(line) for line in lines]
    if base is None:
        raise SystemExit("Docs/API has no file; 'check_api.py keep VERSION' writes it.")
    return base, modules


def all_changes(build):
    base, modules = stored()
    changes = []
    for module in symbol_graph.libraries():
        entries = symbol_graph.read(build, module)
        if entries is not None:
            changes += [(level, f"{module}: {text}") for level, text in compare(modules.pop(module, []), entries)]
    changes += [(BREAK, f"{module}: the library is gone.") for module in modules if module not in symbol_graph.OPTIONAL]
    return base, changes


def check(version, build):
    if not parsed(version):
        raise SystemExit(f"'{version}' is not a semantic version.")
    base, changes = all_changes(build)
    faults = [text for level, text in changes if not is_enough(version, base, level)]
    for text in faults:
        print(text)
    notes(build)
    if faults:
        level = BREAK if any(level == BREAK for level, _ in changes) else ADDITION
        print(f"'{version}' is too small after {base}: {'a break needs a greater major' if level == BREAK else 'an addition needs a greater minor'} "
              "version. Undo the changes, or raise the number in Modules/System/StrataVersion.swift.")
    return 1 if faults else 0


def notes(build):
    """Prints what is worth a look and refuses nothing."""
    _, modules = stored()
    missing = [name for name in symbol_graph.libraries() if name not in modules and symbol_graph.read(build, name)]
    if missing:
        print(f"note: Docs/API lacks {', '.join(missing)}; Scripts/release writes it.")
    found, seen = api_users.unused(build)
    print(f"note: {len(found)} of {seen} public symbols are mentioned in their own module only; 'check_api.py unused' lists them.")


def keep(version, build):
    if os.path.isdir(KEPT) and os.listdir(KEPT):
        base, _ = stored()
        if parsed(base)[1] and not parsed(version)[1]:
            print(f"Docs/API stays that of {base}: {version} is a pre-release.")
            return 0
    os.makedirs(KEPT, exist_ok=True)
    for module in symbol_graph.libraries():
        entries = symbol_graph.read(build, module)
        if entries is None:
            raise SystemExit(f"{module} is not built; install libpq-dev and run Scripts/test, so that Docs/API has all libraries.")
        if entries:
            with open(os.path.join(KEPT, f"{module}.txt"), "w", encoding="utf-8") as file:
                file.write(f"# Public API of {module} {version}. 'Scripts/release' writes this file, and 'Scripts/check api' compares it.\n")
                file.writelines(f"{entry.text}\n" for entry in entries)
    return 0


def sentences(build):
    faults, seen = [], 0
    for module in symbol_graph.libraries():
        entries = symbol_graph.read(build, module) or []
        seen += len(entries)
        faults += [f"{entry.file}:{entry.line}: '{entry.path}' is public and has no sentence." for entry in entries if not entry.documented]
    print("\n".join(sorted(faults)))
    print(f"{len(faults)} of {seen} public symbols have no sentence.")
    return 1 if faults or seen < 1000 else 0


def main(arguments):
    options = {}
    for option in ("--as", "--build"):
        if option in arguments:
            place = arguments.index(option)
            options[option] = arguments[place + 1]
            del arguments[place:place + 2]
    build = os.path.realpath(options.get("--build", os.path.join(ROOT, ".build")))
    match arguments:
        case ["--self-test"]:
            import api_planted
            return api_planted.run()
        case [] | ["check"]:
            return check(options.get("--as", stated()), build)
        case ["list"]:
            base, changes = all_changes(build)
            print("\n".join(f"{level}: {text}" for level, text in changes) or f"Nothing changed since {base}.")
        case ["sentences"]:
            return sentences(build)
        case ["unused"]:
            found, seen = api_users.unused(build)
            print("\n".join(f"{module}: {entry.path}" for module, entry in found))
            print(f"{len(found)} of {seen} public symbols are mentioned in their own module only.")
        case ["keep", version] if parsed(version):
            return keep(version, build)
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
