"""Builds Docs/Examples, runs each example against a server on this machine, and compares what it prints with its README.

They are built in .build-door, or in SWIFTPM_BUILD_DIR, where Scripts/check door has compiled Strata already.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from example_server import CONTENT, ExampleServer

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXAMPLES = os.path.join(ROOT, "Docs", "Examples")
SCRATCH = os.environ.get("SWIFTPM_BUILD_DIR") or os.path.join(ROOT, ".build-door")


def stated(folder):
    """What README says that the example prints."""
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        found = re.search(r"```text\n(.*?)```", file.read(), re.DOTALL)
    return found[1] if found else ""


def printed(name, *arguments):
    done = subprocess.run(
        [os.path.join(SCRATCH, "debug", name), *arguments], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + (f"status {done.returncode}: {done.stderr[-500:]}" if done.returncode else "")


def called(address, token, body=None):
    """Status and document of a call to the service."""
    request = urllib.request.Request(
        address + "/v1/notes", data=body and json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.status, json.load(response)


def service(folder):
    """What the service answers."""
    program = subprocess.Popen(
        [os.path.join(SCRATCH, "debug", "service"), os.path.join(folder, "notes.sqlite"), "t-1"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        line = program.stdout.readline()
        if "listening on " not in line:
            return "it does not listen: " + line + program.stderr.read()[-500:]
        address = line.split()[-1]
        status, note = called(address, "t-1", {"text": "first", "author": "ada"})
        kept = json.dumps({name: note[name] for name in ("author", "text")}, separators=(",", ":"))
        listed, notes = called(address, "t-1")
        return f"{status} {kept}\n{listed} {len(notes['items'])}\n"
    finally:
        program.terminate()
        program.wait(30)


def offline(folder):
    """What the script of the example prints; it starts its own server."""
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(folder, "run.py"), os.path.join(SCRATCH, "debug", "offline-any-api")],
        capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + (f"status {done.returncode}: {done.stderr[-500:]}" if done.returncode else "")


def main():
    if os.path.exists(os.path.join(ROOT, "Package.resolved")):
        shutil.copy(os.path.join(ROOT, "Package.resolved"), EXAMPLES)
    # SwiftPM's build plan does not notice new targets and files where another package had the folder before.
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(SCRATCH, "debug.yaml"))
    build = subprocess.run(
        ["swift", "build", "--build-tests", "--package-path", EXAMPLES, "--scratch-path", SCRATCH], capture_output=True,
        text=True, timeout=3600, check=False)
    if build.returncode != 0:
        errors = [line for line in (build.stdout + build.stderr).splitlines() if "error:" in line]
        print("\n".join(sorted(set(errors))[:40]) or build.stderr[-2000:])
        return 1
    problems = []
    sources = os.path.join(EXAMPLES, "Sources")
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data.bin")
        with open(data, "wb") as file:
            file.write(CONTENT)
        for name in sorted(os.listdir(sources)):
            server = ExampleServer()
            threading.Thread(target=server.serve_forever, daemon=True).start()
            wanted = stated(os.path.join(sources, name)).replace("ADDRESS", server.url)
            if name == "service":
                found = service(folder)
            elif name == "offline-any-api":
                found = offline(os.path.join(sources, name))
            else:
                found = printed(name, server.url, *([data] if name in ("transfers", "resumable-upload") else []))
            server.shutdown()
            if not wanted or found != wanted:
                problems.append(f"{name} must print:\n{wanted}and prints:\n{found}")
    test = subprocess.run(
        ["swift", "test", "--skip-build", "--package-path", EXAMPLES, "--scratch-path", SCRATCH], capture_output=True,
        text=True, timeout=600, check=False)
    if test.returncode != 0 or "Test run with 1 test" not in test.stdout + test.stderr:
        problems.append("The test of replay fails:\n" + (test.stdout + test.stderr)[-2000:])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
