"""Runs `offline-any-api` against `server.py`: both are cut off and killed, and in the end both have the same tasks.

    run.py PROGRAM     PROGRAM is the built example

Prints a sentence for each thing that it found to be true, and ends with status 1 at the first that is not.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

FOLDER = os.path.dirname(os.path.realpath(__file__))


class Failure(Exception):
    """Something is not as it should be."""


def expect(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def until(condition, otherwise, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, otherwise)
        time.sleep(0.02)


class Stage:
    """A folder with the server's database and the client's."""

    def __init__(self, program, folder):
        self.program, self.folder = os.path.realpath(program), folder
        self.process, self.port = None, 0

    # MARK: The server

    def serve(self, *options):
        with open(f"{self.folder}/server.log", "ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-B", f"{FOLDER}/server.py", f"{self.folder}/server.sqlite", "--port", str(self.port), *options],
                stdout=subprocess.PIPE, stderr=errors, text=True)
        found = re.search(r"listening on http://\S+:(\d+)", self.process.stdout.readline())
        expect(found, "the server does not listen")
        self.port = int(found[1])

    def end_server(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def call(self, method, path, body=None):
        """A request of another client of the server."""
        request = urllib.request.Request(self.url + path, method=method, data=body and json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read() or b"null")

    def there(self):
        """The tasks at the server, from its database."""
        database = sqlite3.connect(f"{self.folder}/server.sqlite", timeout=10)
        try:
            return database.execute("SELECT id, title, done FROM task ORDER BY id").fetchall()
        finally:
            database.close()

    def titles(self):
        return sorted(title for _, title, _ in self.there())

    # MARK: The client

    def start(self, *words):
        return subprocess.Popen(
            [self.program, f"{self.folder}/tasks.sqlite", self.url, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def client(self, *words, status=0):
        """What the client prints."""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"'{' '.join(words)}' does not end") from None
        expect(process.returncode == status, f"'{' '.join(words)}' ended with {process.returncode}: {out[-300:]}{err[-500:]}")
        return out

    def here(self):
        """The tasks that the client shows, as (title, done)."""
        return sorted((line[4:], line[1] == "x") for line in self.client("list").splitlines())

    def state(self):
        return self.client("state").strip()

    def expect_equal(self):
        here, there = self.here(), sorted((title, bool(done)) for _, title, done in self.there())
        expect(here == there, f"the client has {here}, the server {there}")
        expect(len(set(there)) == len(there), f"a task is there twice: {there}")


def run(stage):
    stage.serve()
    for title in ("Water the plants", "Write the report", "Call Bob", "Book the train"):
        stage.call("POST", "/api/tasks", {"taskTitle": title})
    stage.client("sync")
    stage.expect_equal()
    print("The client has the server's 4 tasks, which are 2 pages.")

    stage.client("add", "Buy milk")
    stage.client("done", "Write the report")
    stage.client("sync")
    stage.expect_equal()
    expect(len(stage.there()) == 5, "the new task is missing")
    print("A new task has an id of the server; both sides have 5 tasks.")

    stage.end_server()
    for words in (("add", "Fix the bike"), ("rename", "Buy milk", "Buy oat milk"), ("delete", "Book the train")):
        stage.client(*words)
    expect(("Buy oat milk", False) in stage.here() and ("Book the train", False) not in stage.here(), "a write is not shown")
    expect(stage.state() == "3 unsent, 0 conflicts, 0 refused", stage.state())
    stage.client("sync", status=69)
    print("Cut off: 3 writes are shown at once and wait.")

    stage.serve()
    bob = next(key for key, title, _ in stage.there() if title == "Call Bob")
    stage.call("PATCH", f"/api/tasks/{bob}", {"is_done": True})
    stage.client("sync")
    stage.expect_equal()
    expect(stage.titles() == ["Buy oat milk", "Call Bob", "Fix the bike", "Water the plants", "Write the report"], str(stage.titles()))
    expect(("Call Bob", True) in stage.here(), "the edit of the other client is missing")
    print("Back: the writes and the edit of another client have met.")

    stage.end_server()
    stage.serve("--hold", "30")
    stage.client("add", "Pay the rent")
    process = stage.start("sync")
    until(lambda: "Pay the rent" in stage.titles(), "the new task does not reach the server")
    process.kill()
    process.communicate()
    expect(stage.state() == "1 unsent, 0 conflicts, 0 refused", stage.state())
    stage.end_server()
    stage.serve()
    stage.client("sync")
    stage.expect_equal()
    expect(stage.titles().count("Pay the rent") == 1, str(stage.titles()))
    print("Client killed before the answer: the task is there once.")

    stage.end_server()
    stage.serve("--die")
    stage.client("add", "Feed the cat")
    stage.client("sync", status=69)
    until(lambda: stage.process.poll() is not None, "the server was not killed")
    expect(stage.process.returncode == -signal.SIGKILL, "the server ended by itself")
    expect(stage.titles().count("Feed the cat") == 1, "the server did not store the task")
    stage.end_server()
    stage.serve()
    stage.client("sync")
    stage.expect_equal()
    expect(stage.titles().count("Feed the cat") == 1, str(stage.titles()))
    print("Server killed behind the effect: the task is there once.")

    stage.client("rename", "Fix the bike", "Fix the red bike")
    bike = next(key for key, title, _ in stage.there() if title == "Fix the bike")
    stage.call("PATCH", f"/api/tasks/{bike}", {"taskTitle": "Fix the blue bike"})
    stage.client("sync")
    expect(stage.state() == "0 unsent, 1 conflicts, 0 refused", stage.state())
    expect("Fix the blue bike" in stage.titles(), "the edit of the other client was overwritten")
    stage.client("keep", "local")
    stage.client("sync")
    stage.expect_equal()
    expect("Fix the red bike" in stage.titles(), str(stage.titles()))
    print("Edited on both sides: a conflict, which the user decides.")

    stage.client("add", "A title that this server does not take, since it is too long")
    stage.client("sync")
    expect("must have 1 to 40 characters." in stage.client("refused"), stage.client("refused"))
    stage.client("discard")
    stage.client("sync")
    stage.expect_equal()
    print("Refused by the server: kept, and shown with its reason.")

    expect(stage.state() == "0 unsent, 0 conflicts, 0 refused", stage.state())
    expect(len(stage.there()) == 7, str(stage.titles()))
    print("Both sides have the same 7 tasks, nothing is lost, nothing is there twice.")


def main():
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(sys.argv[1], folder)
        try:
            run(stage)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
        finally:
            stage.end_server()
    return 0


if __name__ == "__main__":
    sys.exit(main())
