"""Runs the scaffolder commands of the guides as dry runs, so that each of them works."""

import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
GUIDES = os.path.join(ROOT, "Docs", "Guides")


def commands(name):
    """`(line number, words)` of each `new-feature`, `new-client` and `new-service` in the shell blocks of a guide."""
    language = None
    with open(os.path.join(GUIDES, name), encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            fence = re.match(r"```(\w*)", text)
            if fence:
                language = fence.group(1) or (None if language else "text")
            elif language == "sh" and re.match(r"Scripts/new-(feature|client|service)\b", text):
                yield number, shlex.split(text)


def run(words, folder):
    words = [os.path.join(folder, "service") if word.startswith("../") else word for word in words]
    words += [] if "--dry-run" in words else ["--dry-run"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)


def with_entity_of_the_tree(words, made):
    """A dry run makes no feature, so references to those of earlier lines go to one that the tree has."""
    for name in made:
        words = [word.replace(f"reference({name}", "reference(Runbook") for word in words]
    return words


def main():
    problems, seen = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(GUIDES)):
            if not name.endswith(".md"):
                continue
            made = []
            for number, words in commands(name):
                seen += 1
                done = run(with_entity_of_the_tree(words, made), folder)
                made.append(words[1])
                if done.returncode != 0:
                    problems.append(f"Docs/Guides/{name}:{number}: status {done.returncode}: {done.stderr.strip()[-300:]}")
        if run(["Scripts/new-feature", "class", "--fields", "x:nothing"], folder).returncode == 0:
            problems.append("An illegal feature was accepted; this check cannot fail.")
        if run(["Scripts/new-client", "Tides", "--base-url", "ftp://tides.example"], folder).returncode == 0:
            problems.append("An illegal client was accepted; this check cannot fail.")
    for problem in problems:
        print(problem)
    if seen == 0:
        print("No scaffolder command found in the guides; the pattern of this check is outdated.")
    return 1 if problems or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
