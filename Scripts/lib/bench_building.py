"""Measures a clean build of a package that uses Strata's client, and builds after a change of one line in Domain.

    bench_building.py [ROUNDS]     default 3; status 0 if every limit is kept

The line is changed in this tree and restored. Processor time is printed beside the elapsed time, because it says more on a busy
machine.
"""

import os
import re
import sys
import tempfile

import bench_scaffold
import check_traits

SOURCE = os.path.join(bench_scaffold.ROOT, "Modules", "Domain", "Values", "UUIDv7.swift")
# Each change of one line: the text that is there, and what stands there in a round.
CHANGES = {
    "in a function's body": ("let high = time << 16 |", "let high = time << 16 | {round} - {round} |"),
    "a private property": ("    public static func string(at date: Date) ->", "    private static let added{round} = 0\n\\g<0>"),
    "a public function": ("    public static func string(at date: Date) ->", "    public static func added{round}() {{}}\n\\g<0>"),
}
CLIENTS = [
    ("client on URLSession", [], "StrataURLSession"), ("client on SwiftNIO", ["AsyncHTTP"], "StrataAsyncHTTP")]


def clients():
    """Clean builds; the libraries are in the package manager's cache."""
    for title, traits, transport in CLIENTS:
        with tempfile.TemporaryDirectory() as home:
            folder = os.path.join(home, "user")
            libraries = check_traits.fetched(traits, folder, f"import {transport}\n", [transport])
            seconds, text = bench_scaffold.run("swift", "build", "--package-path", folder)
        steps = max(int(step) for step in re.findall(r"^\[\d+/(\d+)\]", text, re.MULTILINE))
        print(f"{title:20} {len(libraries)} libraries, {steps} steps, {seconds.all:.0f} s "
            f"({seconds.worked:.0f} s of work)", flush=True)


def changes(rounds):
    with open(SOURCE, encoding="utf-8") as file:
        original = file.read()
    try:
        for title, command, tests in (
                ("programs", ["swift", "build"], None),
                ("programs and Domain's tests", ["swift", "build", "--build-tests"], "StrataDomainTests")):
            for change, (old, new) in CHANGES.items():
                print("A build of the unchanged tree, which is not measured.", file=sys.stderr)
                with open(SOURCE, "w", encoding="utf-8") as file:
                    file.write(original)
                for _ in range(2):
                    bench_scaffold.run(*command, tests=tests)
                times = []
                for number in range(1, rounds + 1):
                    text, count = re.subn(re.escape(old), new.format(round=number), original)
                    if count != 1:
                        raise SystemExit(f"{SOURCE} has not exactly one '{old}'; adapt CHANGES.")
                    with open(SOURCE, "w", encoding="utf-8") as file:
                        file.write(text)
                    times.append(bench_scaffold.run(*command, tests=tests)[0])
                bench_scaffold.tell(f"{title}: {change}, median of {rounds}", bench_scaffold.median(times), 15)
    finally:
        with open(SOURCE, "w", encoding="utf-8") as file:
            file.write(original)


def main():
    changes(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    clients()
    raise SystemExit(1 if bench_scaffold.failed else 0)


if __name__ == "__main__":
    main()
