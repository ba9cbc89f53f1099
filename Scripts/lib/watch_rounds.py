"""Drives `Scripts/watch` of a service through its rounds, with a `swift` that builds in no time. All processes are real.

    watch_rounds.py      prints a line for each round; ends with status 1 at the first that is not as it should be
"""

import os
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from processes import Failure

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SERVICE = os.path.join(ROOT, "Scripts", "Scaffold", "Service", "Scripts")

# The source is the program: its first line is the version that the server tells, or an error. A build with the file `hold` waits for
# a line in the pipe `go`. Two builds at a time are noted.
SWIFT = r"""#!/bin/bash
set -eu
case "$*" in *--version*) echo 'Swift version 6.3'; exit;; *--show-bin-path*) echo "$FAKE/bin"; exit;; esac
mkdir "$FAKE/building" || { echo overlap >>"$FAKE/overlaps"; exit 1; }
trap 'rmdir "$FAKE/building"' EXIT
trap 'exit 143' TERM
version=$(head -n 1 "$FAKE/service/Apps/Main.swift")
echo "$$ $version" >>"$FAKE/builds"
if [[ -e $FAKE/hold ]]; then rm "$FAKE/hold"; echo held >"$FAKE/held"; read -r _ <"$FAKE/go"; fi
if [[ $version == error* ]]; then echo "Main.swift:1:1: error: $version"; exit 1; fi
mkdir -p "$FAKE/bin"
printf '#!/bin/bash\ntrap "exit 0" TERM\necho "listening on http://127.0.0.1:1/%s/$$" >&2\nwhile :; do read -r -t 3600 _ <>"$FAKE/idle" || true; done\n' \
    "$version" >"$FAKE/bin/new"
chmod +x "$FAKE/bin/new"
mv "$FAKE/bin/new" "$FAKE/bin/shiftlog-server"
"""


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Stage:
    """A service in a temporary folder, and a run of its `Scripts/watch`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="watch-")
        service = os.path.join(self.folder, "service")
        os.makedirs(os.path.join(service, "Scripts"))
        os.makedirs(os.path.join(service, "Apps"))
        os.makedirs(os.path.join(self.folder, "path"))
        for name in ("watch", "strata", "run-server", "new-secret"):
            shutil.copy(os.path.join(SERVICE, name), os.path.join(service, "Scripts", name))
        os.symlink(ROOT, os.path.join(service, "Strata"))
        for name in ("go", "idle"):
            os.mkfifo(os.path.join(self.folder, name))
        swift = os.path.join(self.folder, "path", "swift")
        with open(swift, "w", encoding="utf-8") as file:
            file.write(SWIFT)
        os.chmod(swift, 0o755)
        self.service, self.process = service, None

    def start(self):
        environment = {
            "PATH": os.path.join(self.folder, "path") + ":" + os.environ["PATH"], "HOME": self.folder, "FAKE": self.folder}
        self.process = subprocess.Popen(
            [os.path.join(self.service, "Scripts", "watch")], env=environment, stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(
            target=lambda source, lines: [lines.put(line) for line in source] + [lines.put(None)],
            args=(self.process.stderr, self.lines), daemon=True).start()

    def write(self, text):
        """Saves the source as editors do: a new file takes the place of the old one."""
        place = os.path.join(self.service, "Apps", "Main.swift")
        with open(place + "~", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(place + "~", place)

    def line(self, pattern):
        """The match in the next line that has one."""
        seen = []
        while True:
            try:
                line = self.lines.get(timeout=30)
            except queue.Empty:
                line = None
            if line is None:
                raise Failure(f"no line like '{pattern}' in: {''.join(seen)}")
            seen.append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def answered(self, version):
        """The process id of the server of that version, once its round was told."""
        number = int(self.line(rf"^listening on \S+/{version}/(\d+)").group(1))
        self.line(rf"^watch: \S+/{version}/\d+ after \d+\.\d s, the build took \d+\.\d s: ")
        return number

    def built(self):
        """`(process id, version)` of each build."""
        with open(os.path.join(self.folder, "builds"), encoding="utf-8") as file:
            return [(int(line.split()[0]), line.split()[1]) for line in file]

    def hold(self):
        open(os.path.join(self.folder, "hold"), "w", encoding="utf-8").close()
        os.mkfifo(os.path.join(self.folder, "held"))

    def wait_for_held(self):
        place = os.path.join(self.folder, "held")
        with open(place, encoding="utf-8") as file:
            file.read()
        os.remove(place)

    def go(self):
        with open(os.path.join(self.folder, "go"), "w", encoding="utf-8") as file:
            file.write("\n")

    def end(self, number):
        os.kill(self.process.pid, number)
        return self.process.wait(30)

    def remove(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def expect(condition, sentence, found=""):
    if not condition:
        raise Failure(f"not so: {sentence} {found}")
    print(f"    {sentence}", flush=True)


def ended(numbers):
    """Waits until none of the processes is there."""
    for number in numbers:
        try:
            handle = os.pidfd_open(number)
        except ProcessLookupError:
            continue
        ready, _, _ = select.select([handle], [], [], 20)
        os.close(handle)
        if not ready:
            return False
    return True


def rounds(stage):
    stage.write("one")
    stage.start()
    first = stage.answered("one")
    expect(is_alive(first), "the server of the first build runs")

    stage.write("two")
    second = stage.answered("two")
    expect(not is_alive(first) and is_alive(second), "a saved change replaces the server")

    stage.write("error-three")
    stage.line(r"^watch: the build failed after \d+\.\d s, the old server goes on: Apps/Main\.swift$")
    stage.line(r"^Main\.swift:1:1: error: error-three$")
    expect(is_alive(second), "after a failed build the old server goes on")

    stage.hold()
    stage.write("four")
    stage.wait_for_held()
    stage.write("five")
    stage.write("six")
    stage.go()
    stage.answered("four")
    last = stage.answered("six")
    versions = [version for _, version in stage.built()]
    expect(versions == ["one", "two", "error-three", "four", "six"], "changes during a build are in one build after it", versions)
    expect(not os.path.exists(os.path.join(stage.folder, "overlaps")), "one build runs at a time")

    os.kill(last, signal.SIGKILL)
    stage.line(r"^watch: the server ended with -9; the next change starts it again$")
    stage.write("seven")
    last = stage.answered("seven")
    expect(is_alive(last), "a change starts a server again that ended by itself")

    stage.hold()
    stage.write("eight")
    stage.wait_for_held()
    build = stage.built()[-1][0]
    status = stage.end(signal.SIGINT)
    expect(status == 130 and ended([build, last]), "Ctrl-C ends the build and the server", status)
    expect(not os.path.exists(os.path.join(stage.folder, "building")), "the build could clean up")


def killed(stage):
    stage.write("one")
    stage.start()
    server = stage.answered("one")
    stage.end(signal.SIGKILL)
    expect(ended([server]), "when the watch is killed, the server ends, too")


def main():
    for part in (rounds, killed):
        stage = Stage()
        try:
            part(stage)
        except Failure as failure:
            print(failure)
            return 1
        finally:
            stage.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
