"""Builds features of every name that is accepted, with fields of many.

Used by Scripts/check-names. Features are added and removed by the tool itself, some at a time; they are removed after a
failure and an interrupt, too.
"""

import argparse
import pathlib
import re
import subprocess
import sys

MATRIX = "Scripts/Scaffold/Tests/ScaffoldKitTests/NameMatrixTests.swift"

# What variables, parameters and types of the code around a field are called.
WORDS = """
error payload draft item page client repository store reader logger now scope body path query request response data value
name title key label count state status date time text note url uuid kind result task context token session statement
columns rows items next previous input output command environment settings home format print list show remove record entry
change base local remote merge conflict pending mutation queue engine cache endpoint route header first last builder
argument option flag parent child owner model view screen form field isEmpty tag line lines message reason old new known
fresh stale wire codec seconds string bool double digest clock gate random transport account sender receiver author
codingKeys updated created deleted identifier ids number step current selection search filter sort total detail
""".split()

KINDS = [
    "string(1..40)", "string(1..40)?", "text", "text?", "int(0..100)", "int?", "double", "double?", "bool", "bool?", "date",
    "date?", "uuid", "uuid?", "url", "url?", "enum(low,high)", "enum(low,high,middle)?", "string(2..8):unique", "text:redact",
]

POLICIES = ["remote", "cached", "offline"]

FIELDS = 14


def accepted(root):
    """The names of the matrix's first table."""
    text = (root / MATRIX).read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', text[:text.index("func `is accepted`")].rsplit("@Test(arguments:", 1)[1])


def request(number):
    """The fields and the policy of the feature of that number; every word meets every policy."""
    first = number // len(POLICIES) * FIELDS
    words = [WORDS[(first + place) % len(WORDS)] for place in range(FIELDS)]
    fields = {word: KINDS[(number * 7 + place) % len(KINDS)] for place, word in enumerate(words)}
    return fields, POLICIES[number % len(POLICIES)]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def add(arguments, name, number):
    """Whether a feature of that name was added; a field that is refused is left out, or is no choice."""
    fields, policy = request(number)
    while fields:
        text = " ".join(f"{word}:{kind}" for word, kind in fields.items())
        told = run(arguments.tool, "new-feature", name, "--policy", policy, "--fields", text, "--root", str(arguments.root))
        if told.returncode == 0:
            return True
        field = re.match(r"The field '(\w+)'", told.stderr)
        if not field or field.group(1) not in fields:
            print(f"refused: {told.stderr.strip()}")
            return False
        if fields[field.group(1)].startswith("enum"):
            fields[field.group(1)] = "text"
        else:
            del fields[field.group(1)]
    return False


def built(products=("shiftlog", "shiftlog-server")):
    """What the compiler says, once each."""
    for product in products:
        told = run("swift", "build", "--product", product)
        if told.returncode:
            return sorted(set(re.findall(r"(?m)^\S*(?:Modules|Apps)/\S+ error: .*$", told.stdout))) or [told.stdout[-2000:]]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--at-once", type=int, default=10)
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name] or accepted(arguments.root)
    faults = 0
    for start in range(0, len(names), arguments.at_once):
        added = []
        try:
            for number, name in list(enumerate(names))[start:start + arguments.at_once]:
                if add(arguments, name, number):
                    added.append(name)
            problems = built()
            for problem in problems:
                print(problem)
            faults += len(problems)
            print(f"{'does not build' if problems else 'builds'}: {', '.join(added)}", flush=True)
        finally:
            for name in reversed(added):
                told = run(arguments.tool, "remove-feature", name, "--root", str(arguments.root))
                if told.returncode:
                    print(told.stderr.strip())
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
