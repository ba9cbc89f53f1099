"""Measures Scripts/new-feature and Scripts/new-service, and the first build of a new feature.

    bench_scaffold.py [ROUNDS]     default 5; status 0 if every limit is kept

The feature is added to this tree, built, tested, and removed again.
"""

import collections
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FEATURE, MODULE = "BenchVisit", "BenchVisits"
FIELDS = (
    "title:string(1..200) note:text? count:int(0..100) load:double done:bool startedAt:date device:uuid page:url? "
    "severity:enum(low,high) slug:string(3..40):unique")
failed = False


Seconds = collections.namedtuple("Seconds", "all worked")


def work():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def median(times):
    return Seconds(*(statistics.median(column) for column in zip(*times)))


def run(*command, tests=None, status=0):
    """Elapsed and processor seconds of a command. Exits with its output if it fails."""
    environment = dict(os.environ)
    environment.pop("STRATA_TESTS", None)
    if tests:
        environment["STRATA_TESTS"] = tests
    began, worked = time.monotonic(), work()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")
    seconds = Seconds(time.monotonic() - began, work() - worked)
    if done.returncode != status:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr)
        raise SystemExit(f"'{' '.join(command)[:200]}' ended with {done.returncode} instead of {status}.")
    return seconds, done.stdout


def tell(what, seconds, limit):
    global failed
    failed = failed or seconds.all > limit
    verdict = "ok" if seconds.all <= limit else "TOO SLOW"
    print(f"{what:55} {seconds.all:7.2f} s ({seconds.worked:.2f} s of work)   at most {limit} s   {verdict}", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    run("Scripts/list-features")  # builds the tool
    add = ["Scripts/new-feature", FEATURE, "--fields", FIELDS, "--policy", "offline"]
    times = {"write": [], "remove": []}
    for _ in range(rounds):
        times["write"].append(run(*add)[0])
        times["remove"].append(run("Scripts/remove-feature", FEATURE)[0])
    tell(f"new-feature, every field type, median of {rounds}", median(times["write"]), 2)
    tell(f"remove-feature, median of {rounds}", median(times["remove"]), 2)

    service = os.path.join(ROOT, "Scripts", "new-service")
    if os.path.exists(service):
        folder = tempfile.mkdtemp(prefix="scaffold-bench-")
        try:
            seconds = [
                run(service, "BenchOrders", "--output", os.path.join(folder, str(number)), "--no-git")[0]
                for number in range(min(rounds, 3))
            ]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        tell(f"new-service with the demo, median of {len(seconds)}", median(seconds), 5)

    print("Building the modules that all features need; this is not measured.", file=sys.stderr)
    run("swift", "build", "--build-tests", tests="RunbooksTests")
    run(*add)
    try:
        tests = f"{MODULE}Tests"
        built, _ = run("swift", "build", "--build-tests", tests=tests)
        tested, said = run("swift", "test", "--skip-build", "--no-parallel", tests=tests)
    finally:
        run("Scripts/remove-feature", FEATURE)
    ran = re.search(r"Test run with (\d+) tests?.*passed", said)
    if not ran or int(ran.group(1)) == 0:
        raise SystemExit("No test of the new feature ran.")
    tell(f"build and test of the new feature, {ran.group(1)} tests", Seconds(*map(sum, zip(built, tested))), 60)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
