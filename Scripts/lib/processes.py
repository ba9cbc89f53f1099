"""Programs that the scripts start: a free port, the address a program listens on, its end; how busy the processors are."""

import ctypes
import os
import re
import signal
import socket
import subprocess
import time


class Failure(Exception):
    """A reason why a script cannot go on, as a message."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor_times(nice=False):
    """`(idle, all)` of all processors, in ticks. Waiting for the disk is idle; with `nice`, so are processes of a lower priority."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[3] + ticks[4] + (ticks[1] if nice else 0), sum(ticks)


def ends_with_parent():
    """As `preexec_fn`: lets the kernel end this child when its parent is killed."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    except (AttributeError, OSError):
        pass  # no prctl here: only the clean-up of the script ends the child


def listening(process, log, pattern=r"listening on (http://\S+)", seconds=60, offset=0):
    """What the group of `pattern` matches in the log of a program, which begins at `offset`; waits for it."""
    name = os.path.basename(process.args[0])
    deadline = time.monotonic() + seconds
    while True:
        with open(log, encoding="utf-8", errors="replace") as file:
            file.seek(offset)
            said = file.read()
        found = re.search(pattern, said)
        if found:
            return found.group(1)
        if process.poll() is not None:
            raise Failure(f"'{name}' ended with {process.returncode}: {said.strip()[-1000:]}")
        if time.monotonic() > deadline:
            raise Failure(f"'{name}' did not listen within {seconds} seconds: {said.strip()[-1000:]}")
        time.sleep(0.02)


def end(process, seconds=20):
    """Sends SIGTERM, and SIGKILL after `seconds`; returns the exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode
