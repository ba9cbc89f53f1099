"""A home of `Scripts/chaos any-api`: one process of `any-api-home`, which takes a JSON object a line and answers with one."""

import json
import os
import queue
import subprocess
import threading
import time

from processes import Failure, ends_with_parent

# Notes that are there at once, about; more would make each full list long.
CROWD = 150
TOO_LONG = "x" * 401


class Died(Exception):
    """The process of a home ended before it answered."""


class Home:
    def __init__(self, run, program, kind, name, wire, chance):
        self.run, self.program, self.kind, self.name, self.wire, self.chance = run, program, kind, name, wire, chance
        self.ledger = run.ledger
        self.folder = f"{run.folder}/{name}"
        os.makedirs(self.folder)
        self.process, self.lines, self.asked, self.written = None, None, 0, 0

    # MARK: The process

    def start(self):
        with open(f"{self.folder}/errors.log", "ab") as errors:
            self.process = subprocess.Popen(
                [self.program, self.kind, f"{self.folder}/notes.sqlite", f"http://127.0.0.1:{self.wire.port}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=ends_with_parent)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True).start()

    def read(self, output, lines):
        for line in output:
            lines.put(line)
        lines.put(None)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def send(self, action, **values):
        self.asked += 1
        try:
            self.process.stdin.write(json.dumps({"n": self.asked, "do": action, **values}) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Died(f"{self.name} ended") from None
        return self.asked

    def ask(self, action, limit=60, **values):
        """What the home answers. Answers to earlier calls, which were not waited for, are counted."""
        number, deadline = self.send(action, **values), time.monotonic() + limit
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise Failure(f"{self.name} does not answer '{action}' within {limit} seconds") from None
            if line is None:
                raise Died(f"{self.name} ended")
            said = json.loads(line)
            self.note(said)
            if said["n"] == number:
                return said

    def note(self, said):
        """Counts runs of the engine, and remembers what the home shows as refused or as a conflict."""
        if said.get("did") == "sync":
            self.ledger.count("runs" if said["ok"] else "runs that failed")
        for item in said.get("held", []):
            self.ledger.shown(self.name, item)

    # MARK: The load

    def work(self):
        while not self.run.is_over:
            time.sleep(self.chance.expovariate(1.6))
            try:
                self.turn()
            except Died:
                self.revive()
            except Failure as failure:
                self.ledger.problem(str(failure))
                return
            except Exception as error:  # a mistake of this program must not look like a quiet home
                self.ledger.problem(f"{self.name}: {error!r}")
                return

    def revive(self):
        status = self.process.wait()
        if status != -9:
            with open(f"{self.folder}/errors.log", encoding="utf-8", errors="replace") as file:
                self.ledger.problem(f"{self.name} ended with {status}: {file.read()[-400:]}")
        time.sleep(self.chance.uniform(1, 2))  # the server has done by then what this process sent
        self.start()

    def turn(self):
        kind = self.chance.random()
        if kind < 0.3:
            self.send("sync")
        elif kind < 0.36:
            self.ask("settle", keep=self.chance.choice(("local", "remote")))
        elif kind < 0.42:
            self.ask("list")
        else:
            self.write()
        if self.chance.random() < 0.04:
            # Often in the middle of a run, and of a write.
            if self.chance.random() < 0.5:
                self.send("sync")
                time.sleep(self.chance.uniform(0, 0.2))
            self.ledger.count("kills of a home")
            self.process.kill()

    def write(self):
        self.written += 1
        text, titles = f"{self.name} text {self.written}", self.ledger.titles()
        kind, folder = self.chance.random(), None
        if kind < 0.45 and len(titles) < CROWD or len(titles) < 5:
            action, title = "add", f"{self.name} note {self.written}"
            if self.run.kind.is_unique:
                folder = f"{self.name} folder {self.written // 8}"
            if self.chance.random() < 0.05:
                text = f"{text} {TOO_LONG}"
        elif kind < 0.8:
            action, title = "edit", self.chance.choice(titles)
            if self.chance.random() < 0.03:
                text = f"{text} {TOO_LONG}"
        else:
            action, title = "delete", self.chance.choice(titles)
        number = self.ledger.began(self.name, action, title, text, folder)
        said = self.ask(action, title=title, body=text, folder=folder)
        if said["ok"]:
            return self.ledger.done(number)
        self.ledger.refused(number)
        if said.get("error") != "absent":
            self.ledger.problem(f"{self.name} could not {action} '{title}': {said.get('error')}")
