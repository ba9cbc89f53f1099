"""Strata's offline store in front of servers that are not Strata's, under faults.

    chaos_any_api.py PROGRAM PYTHON [--servers LIST] [--homes N] [--minutes M] [--seed N] [--keep]

PROGRAM is `any-api-home`, PYTHON has the packages of any_api/requirements.txt. One server after the other runs for M minutes; each is
a framework as it comes from PyPI, with a small program of any_api/. N homes add, edit, delete and synchronise notes, while their
connections are cut, answers are lost behind the effect, and homes and server are killed. In the end all sides must have the same
rows, each write that a home acknowledged must have reached the server or have been shown as refused or as a conflict, and no note may
be there twice. Triggers in the server's database record each effect. Status 1 otherwise, and for a run of a minute or more without a cut or
a kill. The counts of the faults are printed at the end.

Nothing but a look-up prevents a second copy where titles may repeat. No client can prevent it if the first request is executed after
the look-up. So only `rest`, where titles are unique, gets requests that arrive late and drops in the middle of a request; at the
others a request is executed or lost before its connection ends. At `jsonapi` the homes look for a note by all its fields, so a note
that another home edited before the look-up is made twice; these are counted, and are no problem.
"""

import collections
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from any_api.home import Died, Home
from any_api.ledger import Ledger
from arguments import Parser
from demo_stage import Interrupted, on_signal
from processes import Failure, end, ends_with_parent, free_port, listening
from relay import Relay

SOURCES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "any_api")

# `is_unique`: whether a title may be there once only; then a note is in a folder, too.
# `finds_edited`: whether the homes look for a note by its title; otherwise by all its fields.
Kind = collections.namedtuple("Kind", "module table is_unique finds_edited rows")
IN_FOLDERS = "SELECT title, body, name FROM notes_note LEFT JOIN notes_folder ON notes_folder.id = folder_id"
SERVERS = {
    "rest": Kind("rest_notes", "notes_note", True, True, IN_FOLDERS),
    "fastapi": Kind("fastapi_notes", "note", False, True, "SELECT title, body, NULL FROM note"),
    "jsonapi": Kind("jsonapi_notes", "notes_note", False, False, "SELECT title, body, NULL FROM notes_note"),
}
FAILED = 20  # problems of one server that are printed


class Wire(Relay):
    """A relay that can lose answers: the server has done the request, and the home does not learn of it."""

    loses_answers = False
    lost = 0

    def passes(self, source):
        if not self.loses_answers or source.getsockname()[1] == self.port:
            return True
        self.lost += 1
        self.drop()
        return False


class Server:
    """A framework's server on a port that it keeps."""

    def __init__(self, python, kind, folder):
        self.python, self.kind, self.folder = python, kind, folder
        self.database = f"{folder}/server.sqlite"
        self.port = free_port()
        self.process = None

    def start(self):
        variables = {**os.environ, "ANY_API_DATABASE": self.database, "PYTHONDONTWRITEBYTECODE": "1"}
        log = f"{self.folder}/server.log"
        offset = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                [self.python, "-m", "uvicorn", f"{self.kind.module}:app", "--port", str(self.port), "--no-access-log"],
                cwd=SOURCES, env=variables, stdout=file, stderr=file, stdin=subprocess.DEVNULL, preexec_fn=ends_with_parent)
        listening(self.process, log, r"running on (http://\S+)", offset=offset)

    def record_effects(self):
        """A row of `effect` for each row that is inserted, updated or deleted, whoever does it."""
        with sqlite3.connect(self.database, timeout=20) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE effect (at REAL, kind TEXT, key INTEGER, title TEXT, body TEXT)")
            for kind, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
                database.execute(
                    f"CREATE TRIGGER effect_{kind} AFTER {kind} ON {self.kind.table} BEGIN INSERT INTO effect VALUES"
                    f" ((julianday('now') - 2440587.5) * 86400, '{kind}', {row}.id, {row}.title, {row}.body); END")

    def rows(self):
        return self.read(self.kind.rows)

    def effects(self):
        return self.read("SELECT at, kind, key, title, body FROM effect ORDER BY rowid")

    def read(self, query):
        database = sqlite3.connect(self.database, timeout=20)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Run:
    """One server with its homes."""

    def __init__(self, options, name):
        self.kind, self.seconds, self.options = SERVERS[name], 60 * options.minutes, options
        self.folder = tempfile.mkdtemp(prefix=f"any-api-{name}-")
        self.server = Server(options.python, self.kind, self.folder)
        self.ledger = Ledger(self.kind.finds_edited)
        self.chance = random.Random(f"{options.seed} {name} faults")
        self.is_over = False
        self.homes = []
        for number in range(options.homes):
            chance = random.Random(f"{options.seed} {name} home {number}")
            self.homes.append(Home(self, options.program, name, f"home-{number}", Wire(self.server), chance))

    def run(self):
        self.server.start()
        self.server.record_effects()
        for home in self.homes:
            home.start()
        threads = [threading.Thread(target=home.work, daemon=True) for home in self.homes]
        for thread in threads:
            thread.start()
        self.hurt()
        self.is_over = True
        for thread in threads:
            thread.join(180)
            if thread.is_alive():
                raise Failure("a home does not answer")
        self.settle()

    # MARK: Faults, in the main thread: the kernel ends a server with the thread that started it.

    def hurt(self):
        ending = time.monotonic() + self.seconds
        while time.monotonic() < ending:
            time.sleep(self.chance.uniform(0.2, 1.6))
            wire = self.chance.choice(self.homes).wire
            if wire.is_cut:
                continue  # a second cut would end in the middle of the first
            faults = [self.cut, self.cut, self.lose, self.lose, self.kill_server]
            if self.kind.is_unique:
                faults += [self.drop, self.delay, self.stop_server]
            self.chance.choice(faults)(wire)

    def later(self, seconds, action):
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        timer.start()

    def cut(self, wire):
        """Nothing passes for a while, and nothing of it arrives later. What the server has already is done by then."""
        def lift():
            wire.drop()
            time.sleep(0.2)
            wire.is_cut = False

        self.ledger.count("cuts")
        wire.is_cut = True
        self.later(self.chance.uniform(1.5, 6), lift)

    def lose(self, wire):
        def lift():
            wire.loses_answers = False

        wire.loses_answers = True
        self.later(self.chance.uniform(0.5, 3), lift)

    def drop(self, wire):
        self.ledger.count("drops")
        wire.drop()

    def delay(self, wire):
        """What is sent arrives late, perhaps after the home has given it up."""
        def lift():
            wire.is_cut = False

        self.ledger.count("delays")
        wire.is_cut = True
        self.later(self.chance.uniform(0.5, 14), lift)  # an attempt has 10 seconds

    def kill_server(self, _):
        if self.chance.random() < 0.7:
            return
        self.ledger.count("kills of the server")
        self.server.kill()
        time.sleep(self.chance.uniform(0, 2))
        self.server.start()

    def stop_server(self, _):
        self.ledger.count("stops of the server")
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(self.chance.uniform(0.5, 4))
        self.server.process.send_signal(signal.SIGCONT)

    # MARK: The end

    def settle(self):
        """Without faults, until nothing waits anywhere and all homes have fetched since."""
        time.sleep(9)  # the last faults are over
        self.server.kill()
        self.server.start()
        for home in self.homes:
            home.wire.is_cut = home.wire.loses_answers = False
            self.ledger.faults["lost answers"] += home.wire.lost
            home.kill()
            home.start()
        started = time.monotonic()
        quiet = 0
        for _ in range(20):
            left = []
            for home in self.homes:
                home.ask("settle", keep=self.chance.choice(("local", "remote")))
                said = home.ask("sync", limit=180)
                if not said.get("ok"):
                    left.append(f"{home.name}: {said.get('error')}")
                state = home.ask("list")
                left += [f"{home.name}: {item}" for item in state["held"]]
                left += [f"{home.name}: {state['unsent']} unsent"] * (state["unsent"] > 0)
            quiet = 0 if left else quiet + 1
            if quiet == 2:
                break
            if left:
                time.sleep(2)  # a circuit may be open
        self.ledger.settled = time.monotonic() - started
        if quiet < 2:
            self.ledger.problem("does not settle: " + "; ".join(left)[:1000])
        rows = self.server.rows()
        there = collections.Counter(rows)
        for home in self.homes:
            shown = collections.Counter((row["title"], row["body"], row.get("folder")) for row in home.ask("list")["rows"])
            if shown != there:
                more, less = list((shown - there).elements())[:3], list((there - shown).elements())[:3]
                self.ledger.problem(
                    f"{home.name} shows {shown.total()} rows, the server has {there.total()}; only here: {more}, only there: {less}")
        self.ledger.check(rows, self.server.effects())
        self.ledger.check_faults(self.seconds)

    def close(self, keep):
        for home in self.homes:
            home.kill()
        if self.server.process:
            self.server.process.send_signal(signal.SIGCONT)
            end(self.server.process)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        print(f"kept: {self.folder}")


def parse():
    parser = Parser("Scripts/chaos any-api")
    parser.add_argument("program")
    parser.add_argument("python")
    parser.add_argument("--servers", default=",".join(SERVERS))
    parser.add_argument("--homes", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.servers = options.servers.split(",")
    for name in options.servers:
        if name not in SERVERS:
            parser.error(f"'{name}' is not a server; use {', '.join(SERVERS)}.")
    if options.homes < 1 or options.minutes <= 0:
        parser.error("--homes and --minutes must be above zero.")
    return options


def main():
    options = parse()
    if options.program == "-":  # only the arguments are checked
        return 0
    on_signal()
    print(f"any-api: seed {options.seed}, {options.homes} homes, {options.minutes:g} minutes for each server", flush=True)
    problems = 0
    for name in options.servers:
        run = Run(options, name)
        try:
            run.run()
        except (Failure, Died) as failure:
            run.ledger.problem(str(failure))
        except Interrupted as interruption:
            run.is_over = True
            run.close(keep=False)
            return 128 + interruption.number
        run.is_over = True
        run.close(keep=options.keep or bool(run.ledger.problems))
        for line in run.ledger.report():
            print(f"{name}: {line}")
        for problem in run.ledger.problems[:FAILED]:
            print(f"{name}: PROBLEM {problem}")
        print(f"{name}: {len(run.ledger.problems)} problems", flush=True)
        problems += len(run.ledger.problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
