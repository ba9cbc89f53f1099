"""Builds and runs Tests/Door, a package with default settings that uses Strata as README.md says.

Door implements each public protocol with a copy of its signatures, and has README's two programs, which run against a server on this
machine. It is built in .build-door, or in SWIFTPM_BUILD_DIR. The first build takes ten minutes on two cores, a later one
seconds.

With --protocols it builds nothing and only says which public protocols Door leaves out. With --view it builds and tests Tests/View
instead, a view of a list in a package without a trait, in .build-view.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
DOOR = os.path.join(ROOT, "Tests", "Door")
# A folder that other packages with the same dependencies build in saves most of the time.
SHARED = os.environ.get("SWIFTPM_BUILD_DIR")
SCRATCH = SHARED or os.path.join(ROOT, ".build-door")
MODULES = os.path.join(ROOT, "Modules")
FEATURES = os.path.join(MODULES, "Features")
VIEW = os.path.join(ROOT, "Tests", "View")
# Public protocols that Door need not implement, each with the reason.
EXCEPTIONS = {}
# README's programs, each with how it begins there, and what stands there in place of the arguments.
PROGRAMS = {
    "stars": (r"`Sources/stars/main\.swift`:\n\n", ['"https://api.github.com"']),
    "notes": (r"<td>\n\n(?=```swift\nimport Strata)", ['"https://api.example.com"', '"notes.sqlite"']),
}


class Answer(http.server.BaseHTTPRequestHandler):
    """The responses that README's programs need."""

    notes = []

    def do_GET(self):
        found = {"/repos/swiftlang/swift": {"full_name": "swiftlang/swift", "stargazers_count": 7}, "/notes": self.notes}
        self.answer(200 if self.path in found else 404, found.get(self.path, {}))

    def do_POST(self):
        note = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.notes.append({**note, "id": len(self.notes) + 1})
        self.answer(201, self.notes[-1])

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def differs_from_readme(name):
    """Whether the program is another than README's, but for the arguments."""
    start, values = PROGRAMS[name]
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        found = re.search(start + r"```swift\n(.*?)```", file.read(), re.DOTALL)
    with open(os.path.join(DOOR, "Sources", name, "main.swift"), encoding="utf-8") as file:
        program = file.read()
    for number, value in enumerate(values, 1):
        program = program.replace(f"CommandLine.arguments[{number}]", value)
    return not found or found[1] != program


def sources(folder):
    """The text of each Swift file in a folder, without comments."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and os.path.join(place, name) != FEATURES]
        for name in names:
            if name.endswith(".swift"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    yield re.sub(r"//.*", "", file.read())


def forgotten_protocols():
    """A sentence for each public protocol that Door does not implement, and for each exception that is none any more."""
    declared = {name for text in sources(MODULES) for name in re.findall(r"^public protocol (\w+)", text, re.MULTILINE)}
    if len(declared) < 40:
        return [f"Only {len(declared)} public protocols are found in Modules; has their spelling changed?"]
    implemented = set()
    for text in sources(os.path.join(DOOR, "Sources", "door")):
        types = r"^(?:final )?(?:struct|class|actor|enum|extension) [\w.]+(?:<[^>]*>)?\s*:\s*([^{]*)\{"
        for names in re.findall(types, text, re.MULTILINE):
            implemented |= {name.split("<")[0].strip() for name in names.split(",")}
    return [
        f"Tests/Door implements no '{name}'. Copy its signatures into a type there, or name it in EXCEPTIONS with the reason."
        for name in sorted(declared - implemented - EXCEPTIONS.keys())
    ] + [
        f"EXCEPTIONS names '{name}', which is no public protocol or is implemented in Tests/Door; remove it."
        for name in sorted(EXCEPTIONS.keys() & implemented | EXCEPTIONS.keys() - declared)
    ]


def run(program, *arguments):
    """What a program prints."""
    done = subprocess.run(
        [os.path.join(SCRATCH, "debug", program), *arguments], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() or f"status {done.returncode}: {done.stderr[-500:]}"


def view_fails():
    """Why the test of Tests/View fails; `None` when it passes."""
    if os.path.exists(os.path.join(ROOT, "Package.resolved")):
        shutil.copy(os.path.join(ROOT, "Package.resolved"), VIEW)
    test = subprocess.run(
        ["swift", "test", "--package-path", VIEW, "--scratch-path", SHARED or os.path.join(ROOT, ".build-view")],
        capture_output=True, text=True, timeout=3600, check=False)
    output = test.stdout + test.stderr
    if test.returncode == 0 and "Test run with 1 test" in output:
        return None
    found = [line for line in output.splitlines() if "error:" in line or "recorded an issue" in line]
    return "Tests/View: " + ("\n".join(sorted(set(found))[:40]) or output[-2000:])


def main():
    if sys.argv[1:] == ["--view"]:
        failure = view_fails()
        print(failure or "", end="")
        return 1 if failure else 0
    problems = forgotten_protocols()
    if problems or sys.argv[1:] == ["--protocols"]:
        print("\n".join(problems) or "Each public protocol is implemented in Tests/Door.")
        return 1 if problems else 0
    problems += [
        f"Tests/Door/Sources/{name}/main.swift is not README's program; copy it, with CommandLine.arguments[1] as URL."
        for name in PROGRAMS if differs_from_readme(name)]
    if os.path.exists(os.path.join(ROOT, "Package.resolved")):
        shutil.copy(os.path.join(ROOT, "Package.resolved"), DOOR)
    build = subprocess.run(
        ["swift", "build", "--package-path", DOOR, "--scratch-path", SCRATCH], capture_output=True, text=True, timeout=3600,
        check=False)
    if build.returncode != 0:
        errors = [line for line in (build.stdout + build.stderr).splitlines() if "error:" in line]
        print("\n".join(sorted(set(errors))[:40]) or build.stderr[-2000:])
        return 1
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "notes.sqlite")
        for found, wanted in (
            (run("stars", address), "swiftlang/swift 7"),
            # Port 9 has no server: the note is stored, and the next run sends it before its own.
            (run("stars", "http://127.0.0.1:9"), "GET /repos/swiftlang/swift: no connection: connection refused (after 3 attempts)"),
            (run("notes", "http://127.0.0.1:9", store), "milk"),
            (run("notes", address, store), "milk\nmilk"),
            (run("door"), "door: /echo/hello ada 35 200 0 ada"),
        ):
            if found != wanted:
                problems.append(f"Expected '{wanted}', got '{found}'.")
    server.shutdown()
    if [note["text"] for note in Answer.notes] != ["milk", "milk"]:
        problems.append(f"Expected two notes on the server, got {Answer.notes}.")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
