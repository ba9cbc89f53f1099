"""Measures `shiftlog browse` with 100,000 journal entries on a pseudo-terminal of 80 x 24.

    bench_browse.py PROGRAM [ROUNDS]

Scripts/bench starts it and explains the goals. The entries are imported without a server, so all of them wait to be sent. A start
ends when the first rows are on the screen, and a key when the title names the row of the cursor. The searches are not timed: they
count for the memory.
"""

import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

ENTRIES = 100_000
KEYS = 30
# Milliseconds from the start of the program to its rows, and from a key to the new screen; megabytes at most.
START, KEY, MEMORY = 150, 30, 64
TITLE = rb"\D%s of " + f"{ENTRIES:,}".encode()


class Screen:
    """A run of `browse`."""

    def __init__(self, program, environment):
        self.began = time.perf_counter()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(program, [program, "browse", "--offline"], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def until(self, pattern):
        """Reads until `pattern` is drawn; returns the milliseconds since the last `press`, or the start."""
        drawn = b""
        while not re.search(pattern, drawn):
            if not select.select([self.terminal], [], [], 30)[0]:
                sys.exit(f"{pattern!r} is not drawn within 30 s, but {drawn[-300:]!r}.")
            drawn += os.read(self.terminal, 65536)
        return (time.perf_counter() - self.began) * 1000

    def rest(self, quiet=0.3):
        """Reads what is still drawn."""
        while select.select([self.terminal], [], [], quiet)[0]:
            os.read(self.terminal, 65536)

    def press(self, keys):
        self.began = time.perf_counter()
        os.write(self.terminal, keys)

    def peak(self):
        with open(f"/proc/{self.process}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) * 1024 / 1e6

    def quit(self):
        os.write(self.terminal, b"q")
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:  # the end of a terminal whose program has ended
            pass
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def run(program, environment):
    """Milliseconds of a start, those of each key, and megabytes."""
    screen = Screen(program, environment)
    # The line of the first row, in reverse, is drawn after the title.
    start = screen.until(rb"\x1b\[4;1H[^\n]*> [0-9a-f]{7}")
    screen.rest()
    keys, row = [], 1
    for key, step in ((b"j", 1), (b" ", 20)):
        for _ in range(KEYS):
            row += step
            screen.press(key)
            keys.append(screen.until(TITLE % f"{row:,}".encode()))
            screen.rest(0.02)
    for text in (b"retry 3", b"nowhere"):
        screen.press(b"/" + text)
        screen.rest()
        screen.press(b"\x1b")
        screen.rest()
    peak = screen.peak()
    screen.quit()
    return start, keys, peak


def main(program, rounds):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(
            os.environ, SHIFTLOG_HOME=home, SHIFTLOG_TOKEN_STORE="file", SHIFTLOG_SERVER="http://127.0.0.1:1", TERM="xterm")
        log = "".join(f"line {n} of a log: connection {n * 7919 % 10007} was reset, retry {n % 5}\n" for n in range(ENTRIES))
        subprocess.run(
            [program, "journal", "import", "-", "--offline"], input=log.encode(), env=environment, check=True,
            capture_output=True, timeout=600)
        results = [run(program, environment) for _ in range(rounds)]
    starts, keys, peaks = ([result[part] for result in results] for part in range(3))
    keys = [key for run in keys for key in run]
    figures = [("start", starts, "ms", START), ("key", keys, "ms", KEY), ("memory", peaks, "MB", MEMORY)]
    print(f"{'':8}{'median':>12}{'most':>12}{'goal':>8}")
    for name, values, unit, goal in figures:
        print(f"{name:8}{statistics.median(values):9.1f} {unit}{max(values):9.1f} {unit}{goal:8}")
    missed = [name for name, values, _, goal in figures if statistics.median(values) > goal]
    if max(peaks) > MEMORY:
        missed.append("memory of one run")
    print(f"missed: {', '.join(missed)}" if missed else "the goals are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5))
