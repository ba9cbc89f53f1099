"""Runs the benchmarks and writes their output into Docs/Measurements.md; Scripts/measure explains the arguments.

Only the parts between the page's marks are written: the machine, and a section for each run. The table of claims is written by hand, and
`check_measurements.py` compares it with the pages.
"""

import datetime
import os
import re
import subprocess
import sys
import tempfile
import time

from processes import processor_times

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PAGE = os.path.join(ROOT, "Docs", "Measurements.md")
# Lines that a section keeps of what a command printed last.
KEPT = 60
# Each run: its command, and the quick one, or `None`. A clone is the commit that is checked out, in FOLDER.
CLONE = 'git clone --quiet . "$FOLDER/strata" && cd "$FOLDER/strata" && '
RUNS = {
    "traits": ("Scripts/check traits", "Scripts/check traits"),
    "scaffold": ("Scripts/bench scaffold 5", "Scripts/bench scaffold 1"),
    "building": ("Scripts/bench building 3", None),
    "first": (f"{CLONE}time swift build --product shiftlog-server && time swift build --product shiftlog", None),
    "package": (f"{CLONE}time Scripts/package && ls -l .build-package/packages && "
                "for file in .build-package/packages/*.deb; do dpkg-deb --contents $file | grep ' ./usr/bin/.'; done", None),
    "caching": ("Scripts/bench caching 15", "Scripts/bench caching 1"),
    "networking": ("Scripts/bench networking 15", "Scripts/bench networking 1"),
    "offline": ("Scripts/bench offline 5", "Scripts/bench offline 1"),
    "cli": ("Scripts/bench cli 15", "Scripts/bench cli 1"),
    "browse": ("Scripts/bench browse 5", "Scripts/bench browse 1"),
    "backend": ("Scripts/bench backend 3", "Scripts/bench backend 1"),
    "arena": ("Scripts/bench arena 3", "Scripts/bench arena 1"),
    "growth": ("Scripts/bench growth 3", None),
    "replicas": ("Scripts/bench replicas 3", "Scripts/bench replicas 1"),
    "distance": ("Scripts/bench distance 3", "Scripts/bench distance 1"),
    "simulate": ("Scripts/simulate --seeds 100000", "Scripts/simulate --seeds 1000 --triples 100000"),
}
# What no section shows: progress, and what dpkg says of the packages that a command installs.
NOISE = re.compile(
    r" +(\d+ min )?\d+ s  |==> |    Swift |\(Reading database|Selecting previously |Preparing to unpack |Unpacking |Setting up |Processing triggers ")
# Of the processors; above it other programs take a part.
BUSY = 0.3


def told(*command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False).stdout.strip()
    except OSError:
        return ""


def first(pattern, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found[1].strip().strip('"') if found else "unknown"


def processor():
    model = first(r"^model name\s*:(.*)", "/proc/cpuinfo")
    return f"{os.cpu_count()} cores, {model}"


def machine():
    """The table of machine and versions, of the last run."""
    memory = int(first(r"^MemTotal:\s+(\d+)", "/proc/meminfo")) / 1024 / 1024
    swift = re.search(r"Swift version (\S+)", told("swift", "--version"))
    lines = {
        "Processor": processor(),
        "Memory": f"{memory:.0f} GiB", "Kernel": f"Linux {os.uname().release}, {os.uname().machine}",
        "System": first(r"^PRETTY_NAME=(.*)", "/etc/os-release"), "Swift": swift[1] if swift else "unknown",
        "PostgreSQL": told("psql", "--version").rpartition(") ")[2].partition(" (")[0] or "not installed",
        "SQLite": told("sqlite3", "--version").partition(" ")[0] or "of the system",
    }
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in lines.items())


def commit():
    isClean = not told("git", "status", "--porcelain", "--", ".", ":!Docs/Measurements.md")
    return told("git", "rev-parse", "--short=8", "HEAD") + ("" if isClean else ", with changes")


def used_share():
    """The used share of the processors' time, over three seconds. The load average would tell of the last minute."""
    begin = processor_times()
    time.sleep(3)
    idle, total = (after - before for before, after in zip(begin, processor_times()))
    return 1 - idle / max(total, 1)


def run(name, command, isQuick):
    """The section of a run, and whether it succeeded."""
    before, started = used_share(), time.monotonic()
    print(f"==> {name}: {command}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="strata-measure-") as folder:
        done = subprocess.run(
            ["bash", "-c", f"set -eo pipefail; {command}"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=os.environ | {"FOLDER": folder, "NO_COLOR": "1"}, text=True, errors="replace", check=False)
        said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", done.stdout).replace(folder, "…").replace(ROOT + "/", "")
    lines = [line.rstrip() for line in said.splitlines() if line.strip() and not NOISE.match(line)]
    minutes = (time.monotonic() - started) / 60
    facts = [processor(), datetime.date.today().isoformat(), f"commit {commit()}", f"{minutes:.0f} minutes", f"processors {before:.0%} used before",
             "done" if done.returncode == 0 else f"status {done.returncode}: a goal is missed, or the command failed"]
    if isQuick:
        facts.append("quick: too few rounds for a figure")
    body = "\n".join(lines[-KEPT:])
    return f"### {name}\n\n`{command}`: {', '.join(facts)}.\n\n```text\n{body}\n```\n", done.returncode == 0


def between(text, mark, new):
    """The page with other text between the marks; `new` gets the old one."""
    match = re.search(rf"(<!-- {mark} -->\n)(.*?)(<!-- end -->)", text, re.DOTALL)
    if not match:
        sys.exit(f"Docs/Measurements.md has no mark '<!-- {mark} -->' with an '<!-- end -->'.")
    return text[:match.end(1)] + "\n" + new(match[2]) + "\n" + text[match.start(3):]


def with_section(old, name, section):
    """The sections with this one, in the order of the runs."""
    found = {match[1]: match[0] for match in re.finditer(r"^### (\w+)\n.*?(?=^### |\Z)", old, re.MULTILINE | re.DOTALL)}
    found[name] = section
    return "\n".join(found[one].strip() + "\n" for one in RUNS if one in found)


def main(arguments):
    isQuick = "--quick" in arguments
    names = [name for name in arguments if name != "--quick"]
    unknown = [name for name in names if name not in RUNS]
    if unknown:
        print(f"'{unknown[0]}' is nothing to measure; use {', '.join(RUNS)}.", file=sys.stderr)
        return 64
    chosen = {name: RUNS[name][isQuick] for name in RUNS if not names or name in names}
    if isQuick and names and None in chosen.values():
        print(f"'{next(name for name in chosen if chosen[name] is None)}' has no quick form.", file=sys.stderr)
        return 64
    if not isQuick and (used := used_share()) > BUSY:
        print(f"Other programs use {used:.0%} of the processors; wait until they have ended, or use --quick.", file=sys.stderr)
        return 1
    isGood = True
    for name, command in chosen.items():
        if command is None:
            continue
        section, isDone = run(name, command, isQuick and command != RUNS[name][0])
        isGood &= isDone
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        text = between(text, "machine", lambda _: machine())
        text = between(text, "runs", lambda old: with_section(old, name, section))
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    return 0 if isGood else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
