"""Builds a program when its sources change, and restarts it when the build succeeded.

    watch.py PACKAGE PRODUCT COMMAND…     COMMAND runs the built PRODUCT in the foreground; it says 'listening on …' on standard error

Reads the times of all files every half second. A signal ends build and program, and this one after them.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time

from processes import ends_with_parent

POLL = 0.5
# Strata is there in a service that links to a checkout of it.
WATCHED = ("Package.swift", "Modules", "Apps", "Strata/Package.swift", "Strata/Modules")


class Ended(Exception):
    """A signal arrived; its argument is the number."""


def say(text):
    print(f"watch: {text}", file=sys.stderr, flush=True)


def files(package):
    """`{path: (time, size)}` of all sources; hidden files are those of editors."""
    found = {}
    for place in WATCHED:
        start = os.path.join(package, place)
        listed = [(os.path.dirname(start), [], [os.path.basename(start)])] if os.path.isfile(start) else os.walk(start)
        for folder, folders, names in listed:
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    status = os.stat(path)
                except OSError:
                    continue  # removed meanwhile
                if not name.startswith(".") and not name.endswith("~"):
                    found[path] = (status.st_mtime_ns, status.st_size)
    return found


def changed(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Group:
    """A command in a process group of its own: it ends with all that it started, and Ctrl-C reaches it through this program alone."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=ends_with_parent, **options)

    def end(self, seconds):
        for number, limit in ((signal.SIGTERM, seconds), (signal.SIGKILL, None)):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(limit)
            except ProcessLookupError:
                self.process.wait()
            except subprocess.TimeoutExpired:
                pass


class Server(Group):
    """The program; its standard error is passed on."""

    def __init__(self, command):
        super().__init__(command, stderr=subprocess.PIPE, text=True, errors="replace")
        # Of the first line with an address, or the end.
        self.has_answered = threading.Event()
        self.address = None
        # Whether a line told its end.
        self.is_missed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            sys.stderr.write(line)
            sys.stderr.flush()
            found = re.search(r"listening on (http\S+)", line)
            if found and not self.address:
                self.address = found.group(1)
                self.has_answered.set()
        self.has_answered.set()


class Watch:
    def __init__(self, package, product, command):
        self.package, self.product, self.command = package, product, command
        self.build = self.server = None

    def run(self):
        looked, seen = time.time(), files(self.package)
        self.round(["the start"], looked)
        while True:
            if self.server and not self.server.is_missed and self.server.process.poll() is not None:
                say(f"the server ended with {self.server.process.returncode}; the next change starts it again")
                self.server.is_missed = True
            time.sleep(POLL)
            before, looked, now = looked, time.time(), files(self.package)
            if now == seen:
                continue
            # An editor may be in the middle of several files.
            while (later := files(self.package)) != now:
                now = later
                time.sleep(0.1)
            names = changed(seen, now)
            # What changes from here on is in the next round.
            seen = now
            # A file may be older than its change, such as a copied one.
            saved = max((now[path][0] / 1e9 for path in names if path in now), default=before)
            self.round([os.path.relpath(path, self.package) for path in names], min(max(saved, before), time.time()))

    def round(self, names, since):
        """Builds, and restarts the server if that succeeded. Prints one line."""
        what = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        output = self.builds()
        if output is not None:
            state = "the old server goes on" if self.server and self.server.process.poll() is None else "no server runs"
            say(f"the build failed after {time.time() - since:.1f} s, {state}: {what}")
            problems = [line for line in output if "error: " in line]
            print("\n".join(list(dict.fromkeys(problems or output[-10:]))[:20]), file=sys.stderr, flush=True)
            return
        built = time.time() - since
        if self.server:
            self.server.end(15)
        self.server = Server(self.command)
        if not self.server.has_answered.wait(60):
            say(f"built after {built:.1f} s, but the server does not listen: {what}")
        elif self.server.address:
            say(f"{self.server.address} after {time.time() - since:.1f} s, the build took {built:.1f} s: {what}")
        else:
            self.server.is_missed = True
            say(f"built after {built:.1f} s, but the server ended with {self.server.process.wait()}: {what}")

    def builds(self):
        """`None` after a success, else the lines of the build."""
        self.build = Group(
            ["swift", "build", "--package-path", self.package, "--product", self.product],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        lines = []
        for line in self.build.process.stdout:
            lines.append(line.rstrip("\n"))
            if sys.stderr.isatty() and re.match(r"\[\d+/\d+\]", line):
                print(f"\r\033[K{line.rstrip()[:100]}", end="", file=sys.stderr, flush=True)
        status = self.build.process.wait()
        self.build = None
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        return None if status == 0 else lines

    def end(self):
        if self.build:
            self.build.end(5)
        if self.server:
            self.server.end(15)
            self.server.reader.join(2)


def main():
    def ended(number, _):
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)
        raise Ended(number)

    watch = Watch(os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ended)
    try:
        watch.run()
    except Ended as end:
        return 128 + end.args[0]
    finally:
        watch.end()


if __name__ == "__main__":
    sys.exit(main())
