"""Starts a server on a port of 127.0.0.1 and reads its log."""

import os
import re
import socket
import subprocess
import sys
import time

from processes import Failure, end, ends_with_parent, free_port

SOURCES = os.path.dirname(os.path.realpath(__file__))


class Server:
    """A program that listens; `log` is what it prints."""

    def __init__(self, name, folder, command, environment=(), scheme="http"):
        """`command` is made from the port, which stays the same after another start."""
        self.name, self.command, self.environment = name, command, dict(environment)
        self.port = free_port()
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.path = os.path.join(folder, f"{name}.log")
        self.process = None

    def start(self, seconds=60):
        with open(self.path, "ab") as file:
            self.process = subprocess.Popen(
                self.command(self), cwd=SOURCES, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.environment},
                stdout=file, stderr=file, stdin=subprocess.DEVNULL, preexec_fn=ends_with_parent)
        deadline = time.monotonic() + seconds
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Failure(f"the server '{self.name}' does not listen: {self.log()[-1000:]}") from None
                time.sleep(0.05)

    def log(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def count(self, pattern):
        """How many lines of the log have `pattern`."""
        return sum(1 for line in self.log().splitlines() if re.search(pattern, line))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process:
            end(self.process, seconds=5)


def uvicorn(name, folder, module, environment=()):
    """A server of an application in this folder."""
    def command(server):
        return [sys.executable, "-m", "uvicorn", f"foreign.{module}:app", "--port", str(server.port)]

    environment = {"PYTHONPATH": os.path.dirname(SOURCES), **dict(environment)}
    return Server(name, folder, command, environment)


def flask(name, folder, module, environment=()):
    def command(server):
        return [sys.executable, "-m", "flask", "--app", module, "run", "--port", str(server.port)]

    return Server(name, folder, command, environment)


def proxy(name, folder, *options):
    def command(server):
        return [
            sys.executable, "-m", "proxy", "--hostname", "127.0.0.1", "--port", str(server.port), "--num-workers", "1",
            "--num-acceptors", "1", *options]

    return Server(name, folder, command)
