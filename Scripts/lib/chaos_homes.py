"""Homes of two users in front of one server, under faults: what the forms `owners`, `spaces` and `relations` of `Scripts/chaos` share.

A form is a subclass of `Run`: it says what a home does in a turn, and what must be true in the end. Meanwhile connections are cut,
commands are killed, and the server is stopped and killed. `main` reads the arguments, and prints what was found.
"""

import argparse
import http.client
import os
import random
import signal
import sys
import threading
import time

from arguments import Parser
from demo_stage import Failure, Interrupted, Stage, expect, on_signal
from fault_counter import FaultCounter
from relay import Relay


USERS = ("alice", "bob")
ADMINISTRATOR = "carol"
PASSWORD = "correct horse battery"
# Of a program that crashed: a bug, or one of the signals ILL, ABRT and SEGV.
CRASHES = (70, 134, 139, -4, -6, -11)
ROUNDS = 10  # in which a home must send all that it can
SHOWN = 20  # problems that are printed


class Run:
    form = ""  # its name in `Scripts/chaos`
    program = ""  # what the service calls its command line
    needed = ()  # as of `FaultCounter`
    drops = 0  # the share of cuts that end all connections, whatever is on its way
    killing = 0.2  # seconds within which a command is killed

    def __init__(self, options):
        self.options, self.seconds = options, 60 * options.minutes
        self.stage = self.new_stage()
        self.homes = [f"{USERS[number % 2]}-{number}" for number in range(options.homes)]
        self.relays = {}
        self.tokens = {}  # of the requests beside the homes, by user
        self.faults = FaultCounter(self.needed)
        self.problems = []
        self.lock = threading.Lock()
        self.is_over = False
        self.is_quiet = threading.Event()  # nothing needs the server any more, until `restart`

    def chance(self, name):
        """The random numbers of one thread, which follow from the seed."""
        return random.Random(f"{self.options.seed} {self.form} {name}")

    def count(self, fault):
        with self.lock:
            self.faults[fault] += 1

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    # What a form says

    @staticmethod
    def declare(parser):
        """The options of a form, besides those of all."""
        parser.add_argument("--homes", type=whole, default=10)

    @staticmethod
    def read(options, parser):
        """Refuses options with `parser.error`."""
        if options.homes < len(USERS):
            parser.error("--homes needs two or more, one for each user")

    @staticmethod
    def title(options):
        """Who writes, for the first line."""
        return f"{options.homes} homes of two users"

    def new_stage(self):
        return Stage(self.options.programs, None, 900, self.program)

    def turn(self, home, chance):
        """One command of a home."""
        raise NotImplementedError

    def compare(self):
        """Reports what is wrong in the end, when all homes have sent what they can."""
        raise NotImplementedError

    def summary(self):
        """How much was tried, for the line with the faults."""
        raise NotImplementedError

    def actors(self):
        """What else happens meanwhile: functions with arguments, for threads of their own, which return when `is_over` is set."""
        return []

    def set_aside(self, home, conflict):
        """A home takes the server's row in place of its own."""

    # The start

    def start(self):
        stage = self.stage
        stage.secret = stage.tool("new-secret")
        stage.start_server()
        for name in (ADMINISTRATOR, *USERS):
            role = "admin" if name == ADMINISTRATOR else "member"
            stage.tool("create-user", name, "--role", role, "--password-stdin", "--database", stage.database,
                       stdin=f"{PASSWORD}\n")
        plain = stage.environment
        stage.environment = lambda home: self.environment(plain, home)
        for home in self.homes:
            self.relays[home] = Relay(stage)
            stage.run("login", "--username", user_of(home), "--password-stdin", home=home, stdin=f"{PASSWORD}\n")

    def environment(self, plain, home):
        variables = plain(home)
        if home in self.relays:
            variables[f"{self.stage.variables}_SERVER"] = f"http://127.0.0.1:{self.relays[home].port}"
        return variables

    # The server, beside the homes

    def ask(self, user, method, path, body=None, fields=None, port=None):
        """Status and document of a request, which is repeated until the server answers. See `Stage.http`."""
        said = None
        for _ in range(60):
            try:
                if user not in self.tokens:
                    status, session = self.stage.http(
                        "POST", "/v1/sessions", body={"username": user, "password": PASSWORD, "device": "chaos"})
                    expect(status == 201, f"a plain login of {user} got {status}: {session}")
                    self.tokens[user] = session["access_token"]
                token = self.tokens[user]
                status, document = self.stage.http(method, path, body=body, token=token, fields=fields, port=port)
            except (Failure, http.client.HTTPException) as failure:
                said = failure
                time.sleep(0.5)
                continue
            if status == 401:
                with self.lock:
                    if self.tokens.get(user) == token:
                        del self.tokens[user]
            # A balancer says 502 for a replica that was killed.
            elif status in (429, 502, 503, 504) or (document or {}).get("code") == "idempotency_in_flight":
                said = document
                time.sleep(0.5)
            else:
                return status, document
        raise Failure(f"{method} {path} got no response for {user}: {said}")

    # What happens meanwhile

    def run(self):
        tasks = [(self.work, home) for home in self.homes] + [(self.cut, home) for home in self.homes]
        tasks += self.actors()
        threads = [threading.Thread(target=self.guard, args=task, daemon=True) for task in tasks]
        hurting = threading.Thread(target=self.guard, args=(self.hurt_server,), daemon=True)
        for thread in (*threads, hurting):
            thread.start()
        time.sleep(self.seconds)
        self.is_over = True
        for thread in threads:
            thread.join(180)
            expect(not thread.is_alive(), "a home did not end its command")
        self.is_quiet.set()
        hurting.join(60)

    def guard(self, action, *arguments):
        """A mistake of this program must not look like a quiet home."""
        try:
            action(*arguments)
        except Failure as failure:
            self.problem(str(failure))
        except Exception as error:
            self.problem(f"{' '.join([action.__name__, *arguments])}: {error!r}")

    def rest(self, seconds):
        """Sleeps, but not beyond the end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.is_over:
            time.sleep(0.1)

    def work(self, home):
        chance = self.chance(home)
        while not self.is_over:
            self.turn(home, chance)

    def perform(self, words, home, chance):
        """The outcome of a command, which is killed now and then."""
        process = self.stage.start(*words, home=home)
        if chance.random() < 0.1:
            time.sleep(chance.random() * self.killing)
            process.kill()
            self.count("kills of a command")
        return self.outcome(process, words, home)

    def outcome(self, process, words, home):
        """What a command ended with. A crash is a problem."""
        outcome = self.stage.finish(process, 120)
        if outcome.status in CRASHES:
            self.problem(f"{home}: {' '.join(words)} ended with {outcome.status}: {outcome.err[-200:]}")
        return outcome

    def watch(self, home, chance):
        process = self.stage.start("sync", "--watch", home=home)
        time.sleep(chance.uniform(1, 4))
        if is_killed := chance.random() < 0.3:
            self.count("kills of a command")
        process.send_signal(signal.SIGKILL if is_killed else signal.SIGINT)
        self.outcome(process, ["sync", "--watch"], home)

    def cut(self, home):
        chance = self.chance(f"cuts of {home}")
        while not self.is_over:
            self.rest(chance.uniform(2, 12))
            self.relays[home].is_cut = True
            self.count("cuts")
            self.rest(chance.uniform(0.5, 8))
            if self.drops and chance.random() < self.drops:
                self.relays[home].drop()
            self.relays[home].is_cut = False

    def hurt_server(self):
        chance = self.chance("server")
        while not self.is_over:
            self.rest(chance.uniform(5, 20))
            if chance.random() < 0.5:
                self.stage.server.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(0.5, 5))
                self.stage.server.send_signal(signal.SIGCONT)
                self.count("stops of the server")
            else:
                self.stage.server.kill()
                self.stage.server.wait()
                self.count("kills of the server")
                self.stage.start_server()
        self.is_quiet.wait(180)  # the kernel ends a server with the thread that started it

    # The end

    def restart(self):
        """The server, in the thread of the end."""
        self.stage.server.kill()
        self.stage.server.wait()
        self.stage.start_server()

    def drain(self):
        for _ in range(ROUNDS):
            left = [f"{home}: {item}" for home in self.homes for item in self.settle(home)]
            if not left:
                return
        self.problems += [f"stuck: {item}"[:600] for item in left]

    def settle(self, home):
        """Sends what waits, and ends conflicts in favour of the server. Returns what is left."""
        self.stage.run("sync", home=home, status=None, limit=180)
        for conflict in self.stage.json("conflicts", "list", home=home):
            self.set_aside(home, conflict)
            self.stage.run("conflicts", "resolve", conflict["id"], "--keep", "remote", home=home, status=None)
        return [item for words in (("outbox", "list"), ("conflicts", "list")) for item in self.stage.json(*words, home=home)]

    def found(self, home, pattern):
        """Pairs of a name and a match, for each file of a home and each match in its bytes."""
        for folder, _, names in os.walk(f"{self.stage.home}/{home}"):
            for name in sorted(names):
                with open(os.path.join(folder, name), "rb") as file:
                    for match in pattern.finditer(file.read()):
                        yield name, match


def user_of(home):
    return home.split("-")[0]


def whole(text):
    if not text.isdecimal() or not 0 < int(text) < 10_000_000:
        raise argparse.ArgumentTypeError(f"needs a whole number, not '{text}'")
    return int(text)


def arguments(kind):
    """PROGRAMS [--minutes M] [--seed S] [--keep] and those of the form; PROGRAMS is the folder of the service's programs."""
    parser = Parser("Scripts/chaos")
    parser.add_argument("programs")
    parser.add_argument("--minutes", type=whole, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--keep", action="store_true")
    kind.declare(parser)
    options = parser.parse_args()
    kind.read(options, parser)
    return options


def main(kind):
    """Runs a form. With `-` in place of the programs only the arguments are checked, before a build."""
    options = arguments(kind)
    if options.programs == "-":
        return 0
    on_signal()
    print(f"{kind.form}: seed {options.seed}, {kind.title(options)}, {options.minutes} minutes", flush=True)
    run = kind(options)
    try:
        run.start()
        run.run()
        run.restart()
        run.drain()
        run.compare()
    except Failure as failure:
        run.problem(str(failure))
    except Interrupted as interruption:
        return 128 + interruption.number
    finally:
        run.is_over = True
        is_kept = options.keep or bool(run.problems)
        run.stage.close(keep=is_kept)
        if is_kept:
            print(f"{kind.form}: all files are in {run.stage.home}", file=sys.stderr)
    for text in run.faults.missing(run.seconds):
        run.problem(text)
    print(f"{kind.form}: {run.summary()}; {run.faults}")
    for problem in run.problems[:SHOWN]:
        print(f"{kind.form}: {problem}")
    print(f"{kind.form}: {len(run.problems)} problems")
    return 1 if run.problems else 0
