"""Checks the documents: links, quoted commands, named tests.

    check_docs.py links       every relative link and anchor in a Markdown file resolves
    check_docs.py commands    every script and program in a shell block exists and has the subcommands and long
                              options that the line uses
    check_docs.py cases       every test in a table of Tests/**/*-cases.md exists in the suite that the table names
    check_docs.py snippets    every block of Swift in Docs/Tutorial, and every block below a comment `from FILE`, is in that file, line
                              by line; so is the Swift in the rows of a table below such a comment, apart from spaces. Scripts/check
                              examples compiles the files
"""

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAMS = ("shiftlog", "shiftlog-server")
SHELLS = ("sh", "bash", "shell", "console")


def files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True)
    # These pages are copied into services; their links resolve only there.
    return [
        name for name in sorted(set(listed.stdout.splitlines()))
        if os.path.exists(os.path.join(ROOT, name)) and not name.startswith(("Scripts/Scaffold/Service/", "Scripts/Scaffold/Extras/"))]


def lines(name):
    """`(number, text, language)` of each line; outside fenced blocks the language is `None`."""
    language, fence = None, ""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        for number, text in enumerate(file.read().splitlines(), 1):
            opened = re.match(r"\s*(```+|~~~+)\s*([\w+-]*)", text)
            if language is None and opened:
                language, fence = opened.group(2) or "text", opened.group(1)
            elif language is not None and text.strip().startswith(fence):
                language = None
            else:
                yield number, text, language


# Links


def slug(heading):
    """The anchor GitHub gives a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(name):
    found = {}
    for _, text, language in lines(name):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", text) if language is None else None
        if heading:
            base = slug(heading.group(1))
            count = found.get(base, 0)
            found[base] = count + 1
            if count:
                found[f"{base}-{count}"] = 1
    return set(found)


def links():
    problems, seen = [], 0
    for name in files():
        for number, text, language in lines(name):
            if language is not None:
                continue
            prose = re.sub(r"`[^`]*`", "", text)
            targets = re.findall(r"\]\(\s*<?([^)\s>]+)", prose) + re.findall(r"^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$", prose)
            for target in targets:
                seen += 1
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                path, _, anchor = target.partition("#")
                place = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                if not os.path.exists(os.path.join(ROOT, place)):
                    problems.append(f"{name}:{number}: the link '{target}' points to '{place}', which does not exist.")
                elif anchor and place.endswith(".md") and anchor not in anchors(place):
                    problems.append(f"{name}:{number}: '{place}' has no heading with the anchor '{anchor}'.")
    return problems, seen


# Commands


def grammar(program):
    """The program's command tree: `{"names": {subcommand: tree}, "options": {long names}}`."""
    path = os.path.join(ROOT, ".build", "debug", program)
    if not os.path.exists(path):
        raise SystemExit(f"'{path}' is not built; run Scripts/test or Scripts/demo first.")
    told = subprocess.run([path, "--experimental-dump-help"], capture_output=True, text=True, timeout=60)
    try:
        return tree(json.loads(told.stdout)["command"])
    except (ValueError, KeyError):
        raise SystemExit(f"'{program} --experimental-dump-help' printed no JSON: {told.stderr.strip()[:200]}")


def tree(command):
    names = [name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])]
    return {
        "names": {sub["commandName"]: tree(sub) for sub in command.get("subcommands", [])},
        "options": set(names) | {"help", "version", "h"},
    }


def commands():
    problems, seen, known = [], 0, {}
    for name in files():
        for number, text, language in lines(name):
            if language not in SHELLS:
                continue
            for words in calls(text):
                if words[0].startswith((".ci/", "Scripts/")):
                    seen += 1
                    if not os.access(os.path.join(ROOT, words[0]), os.X_OK):
                        problems.append(f"{name}:{number}: '{words[0]}' is not a script of this repository.")
                elif words[0] in PROGRAMS:
                    seen += 1
                    if words[0] not in known:
                        known[words[0]] = grammar(words[0])
                    wrong = unknown(words[1:], known[words[0]])
                    if wrong:
                        problems.append(f"{name}:{number}: '{words[0]}' does not have {wrong}: {text.strip()}")
    return problems, seen


def calls(text):
    """The simple commands of a shell line, without prompt and leading variables."""
    text = re.sub(r"^\s*\$ ", "", text)
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;()<>")
        lexer.whitespace_split = True
        lexer.commenters = "#"
        words = list(lexer)
    except ValueError:
        return
    call = []
    for word in words + [";"]:
        if word and set(word) <= set("|&;()"):
            while call and re.match(r"\w+=", call[0]):
                call.pop(0)
            if call and call[0] in ("sudo", "exec", "time"):
                call.pop(0)
            if call:
                call[0] = re.sub(r"^\./", "", call[0])
                yield call
            call = []
        else:
            call.append(word)


def unknown(words, tree):
    """The first subcommand or option in `words` that the tree does not have, or `None`."""
    options = set(tree["options"])
    for word in words:
        if word.startswith("--") and len(word) > 2:
            if word[2:].split("=")[0] not in options:
                return f"the option '{word}'"
        elif tree["names"] and re.fullmatch(r"[a-z][a-z-]*", word):
            if word not in tree["names"]:
                return f"the command '{word}'"
            tree = tree["names"][word]
            options |= tree["options"]
    return None


# Cases


def suites():
    """The names of the tests in the files that declare or extend each suite of `Tests`."""
    found = {}
    for place, _, names in os.walk(os.path.join(ROOT, "Tests")):
        for name in names:
            if not name.endswith(".swift"):
                continue
            with open(os.path.join(place, name), encoding="utf-8") as file:
                text = file.read()
            tests = set(re.findall(r"\bfunc `([^`\n]+)`", text))
            for suite in re.findall(r"\b(?:struct|class|enum|actor|extension)\s+(\w+)", text):
                found.setdefault(suite, set()).update(tests)
    return found


def cases():
    """The last cell of each row has suites in backticks, each followed by its tests; or starts with 'Not applicable: '."""
    problems, seen, known = [], 0, suites()
    for name in files():
        if not re.fullmatch(r"Tests/[\w/-]+-cases\.md", name):
            continue
        for number, text, language in lines(name):
            cells = re.split(r"(?<!\\)\|", text.strip()) if language is None else []
            if len(cells) < 4 or re.fullmatch(r"[\s:-]*", cells[-2]) or cells[-2].strip() == "Test":
                continue
            wrong, count = misnamed(cells[-2], known)
            seen += count
            problems += [f"{name}:{number}: {problem}" for problem in wrong]
    if not misnamed("`UnknownTests`: `this test does not exist`", known)[0]:
        problems.append("A test that does not exist was found; this check cannot fail.")
    return problems, seen


def misnamed(cell, known):
    """The problems of a cell, and the number of tests in it."""
    spans = re.findall(r"`([^`]+)`", cell)
    tests = [span for span in spans if " " in span]
    if not tests and not cell.strip().startswith("Not applicable: "):
        return [f"'{cell.strip()}' names no test; name one, or begin with 'Not applicable: '."], 0
    wrong, suite = [], None
    for span in spans:
        if " " not in span:
            suite = span.rsplit("/", 1)[-1] if span.endswith("Tests") else suite
        elif suite is None:
            wrong.append(f"the test '{span}' does not follow a suite.")
        elif span not in known.get(suite, ()):
            wrong.append(f"'{suite}' has no test '{span}'.")
    return wrong, len(tests)


# Snippets


def blocks(name):
    """`(number, language, code, file)` of each fenced block; `file` is that of a comment `from FILE` in the line above, or `None`."""
    start, language, code, source, comment = 0, None, [], None, None
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        for number, text in enumerate(file.read().splitlines(), 1):
            fence = re.match(r"```(\w*)", text)
            if language is None and fence:
                start, language, code, source = number, fence[1] or "text", [], comment
            elif language is not None and text == "```":
                yield start, language, code, source
                language = None
            elif language is not None:
                code.append(text)
            found = re.fullmatch(r"<!-- from (\S+) -->", text.strip())
            comment = found[1] if found else comment if not text.strip() else None


def is_part(code, source):
    """Whether the lines are in the source, one after the other, with the same indentation relative to each other."""
    wanted = textwrap.dedent("\n".join(code)).strip("\n").splitlines()
    given = source.splitlines()
    return bool(wanted) and any(
        textwrap.dedent("\n".join(given[start:start + len(wanted)])).splitlines() == wanted
        for start in range(len(given) - len(wanted) + 1) if given[start].strip() == wanted[0].strip())


def spans(name):
    """`(number, code, file)` of the Swift in each row of a table below a comment `from FILE`: what calls, declares or begins with a point."""
    source, number = None, 0
    for number, text, language in lines(name):
        found = re.fullmatch(r"<!-- from (\S+) -->", text.strip())
        if found and language is None:
            source = found[1]
        elif source and text.strip() and not text.startswith("|"):
            source = None
        elif source and text.startswith("|"):
            for code in re.findall(r"`([^`]+)`", text.partition("|")[2].partition("|")[2]):
                if re.match(r"[.@]|(struct|enum|case|let|var|static|typealias|for|import) ", code) or "(" in code:
                    yield number, code, source


def is_written(code, source):
    """Whether the pieces of the code, between points of omission and the labels of a name, are in the source one after the other, apart
    from spaces."""
    place = 0
    for piece in re.split("…|(?<=:)(?=\\w+:|\\))", code):
        wanted = re.sub(r"\s", "", piece)
        place = source.find(wanted, place)
        if place < 0:
            return False
        place += len(wanted)
    return True


def snippets():
    problems, seen = [], 0
    for name in files():
        for number, code, source in spans(name):
            seen += 1
            with open(os.path.join(ROOT, os.path.dirname(name), source), encoding="utf-8") as file:
                if not is_written(code, re.sub(r"\s", "", file.read())):
                    problems.append(f"{name}:{number}: '{code}' is not in '{source}'.")
        for number, language, code, source in blocks(name):
            if source is None:
                if name.startswith("Docs/Tutorial/") and language == "swift":
                    problems.append(f"{name}:{number}: the block names no file; write '<!-- from FILE -->' above it.")
                continue
            seen += 1
            path = os.path.normpath(os.path.join(ROOT, os.path.dirname(name), source))
            if not os.path.isfile(path):
                problems.append(f"{name}:{number}: there is no file '{source}'.")
                continue
            with open(path, encoding="utf-8") as file:
                if not is_part(code, file.read()):
                    problems.append(f"{name}:{number}: these lines are not in '{source}'.")
    if is_part(["let a = 1", "let c = 3"], "let a = 1\nlet b = 2\nlet c = 3\n"):
        problems.append("Lines that a file does not have were found in it; this check cannot fail.")
    if is_written("b(2…1)", "leta=b(1,2)"):
        problems.append("Code that a file does not have was found in it; this check cannot fail.")
    return problems, seen


def main():
    problems, seen = {"links": links, "commands": commands, "cases": cases, "snippets": snippets}[sys.argv[1]]()
    for problem in problems:
        print(problem)
    if seen == 0:
        print(f"No {sys.argv[1]} found in any document; the pattern of this check is outdated.")
    return 1 if problems or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
