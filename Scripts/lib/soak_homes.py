"""Homes of `shiftlog` in a soak: they write, search, attach, synchronise and watch through a relay that cuts, and are killed."""

import contextlib
import json
import signal
import threading
import time

from demo_stage import Failure
from relay import Relay

# Statuses of a command that the faults explain: rejected, not found, unreachable, timed out.
EXPECTED = {0, 65, 66, 69, 75, 130}
KILLED = {-signal.SIGKILL, 137}
# Seconds that a refresh token works after its first use. A command that was killed in a refresh leaves it to the next one.
GRACE = 30


class Home(threading.Thread):
    pace = 5

    def __init__(self, run, number):
        super().__init__(daemon=True, name=f"home-{number}")
        self.run_of, self.number = run, number
        self.stage, self.record, self.ledger = run.stage, run.record, run.ledger
        self.relay = Relay(run.stage)
        self.chance = run.chance(self.name)
        self.user = f"ops{number % run.users}"
        # Two of ten have a clock that is wrong by up to an hour.
        self.clock = self.chance.randint(-3600, 3600) if number % 5 == 4 else 0
        self.own, self.written = [], 0
        # When the last command began that certainly had a session, and when the first later one was killed. 'journal add' is done
        # without one.
        self.certain, self.killed = 0, None

    def log_in(self):
        """Again if it takes too long: passwords are slow on a busy machine."""
        words = ["login", "--username", self.user, "--password-stdin"]
        for status in (None, None, 0):
            outcome = self.stage.run(*words, home=self.name, stdin=f"{self.run_of.password}\n", status=status, limit=150)
            if outcome.status == 0:
                return

    def prepare(self):
        self.log_in()
        self.finish(["sync"], False, 0)

    def run(self):
        self.rest(self.chance.uniform(0, self.pace))
        while not self.run_of.is_over:
            with self.record.reporting(self.name):
                if not self.run_of.is_quiet:
                    self.turn()
            # In a burst the server has enough to do.
            self.rest(self.chance.uniform(0, 2 * self.pace) / self.run_of.load * (3 if self.run_of.is_burst else 1))

    def rest(self, seconds):
        end = self.record.now() + seconds
        while self.record.now() < end and not self.run_of.is_over:
            time.sleep(0.1)

    def turn(self):
        self.written += 1
        text = f"soak {self.name} {self.written}"
        chance, kind = self.chance, self.chance.random()
        is_killed, delay = chance.random() < 0.15, chance.uniform(0, 0.3)
        if kind < 0.4:
            words = ["journal", "add", text, "--host", self.name] + ["--offline"] * (chance.random() < 0.4)
        elif kind < 0.5 and self.own:
            key = chance.choice(self.own)
            words = ["journal", "edit", key, "--text", text] + ["--offline"] * (chance.random() < 0.4)
            self.ledger.began(key, text)
        elif kind < 0.65:
            words = ["sync"]
        elif kind < 0.75:
            words = ["journal", "list", "--search", chance.choice(("lorem", "qqqqqq", self.name)), "--limit", "200"]
        elif kind < 0.82 and self.run_of.entries:
            words = ["attachments", "add", chance.choice(self.run_of.entries), self.run_of.attachment]
        elif kind < 0.86 and self.run_of.files:
            words = ["attachments", "get", chance.choice(list(self.run_of.files)), "--output", f"{self.stage.home}/{self.name}/got"]
        elif kind < 0.9:
            words = ["runbooks", "list", "--limit", "5"]
        else:
            words, is_killed, delay = ["sync", "--watch"], chance.random() < 0.5, chance.uniform(1, 5)
            return self.watch(words, is_killed, delay)
        outcome = self.finish(words, is_killed, delay)
        if outcome and outcome.status == 0 and words[0] == "journal" and words[1] in ("add", "edit"):
            key = json.loads(outcome.out)["id"]
            self.ledger.wrote(key, 0, text, is_followed=False)
            if words[1] == "add":
                self.own.append(key)

    def finish(self, words, is_killed, delay):
        process = self.stage.start(*words, "--json", home=self.name)
        if is_killed:
            time.sleep(delay)
            process.kill()
            self.was_killed()
            self.record.fault("kills of a command")
        try:
            outcome = self.stage.finish(process, 120)
        except Failure as failure:
            self.record.broke("commands end", f"{self.name}: {failure}")
            return None
        self.judge(words, outcome, is_killed)
        return outcome

    def watch(self, words, is_killed, delay):
        process = self.stage.start(*words, home=self.name)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL if is_killed else signal.SIGINT)
        if is_killed:
            self.was_killed()
        try:
            self.judge(words, self.stage.finish(process, 60), is_killed)
        except Failure as failure:
            self.record.broke("commands end", f"{self.name}: {failure}")

    def was_killed(self):
        """The first kill counts: it may have left a refresh behind, however many kills follow."""
        if self.killed is None:
            self.killed = self.record.now()

    def judge(self, words, outcome, is_killed):
        with self.record.lock:
            self.record.answers["home", f"exit {outcome.status}"] += 1
        if outcome.status == 77 and self.has_lost_session(outcome):
            return self.log_in()
        if outcome.status == 0 and words == ["sync"]:
            self.certain, self.killed = self.record.now() - outcome.seconds, None
        if outcome.status not in EXPECTED and not (is_killed and outcome.status in KILLED):
            self.record.broke(
                "commands end", f"{self.name}: {' '.join(words)} ended with {outcome.status}: {(outcome.err or outcome.out)[-300:]}")

    def has_lost_session(self, outcome):
        """Whether a fault explains that the session has ended."""
        if self.record.has_stepped(self.certain - 10):
            # A token that was refreshed just before the clock of the server was set is refused just after it.
            self.record.fault("sessions lost at a clock step")
        elif self.killed and self.record.now() > self.killed + GRACE:
            # A command that began in the grace may have reached the server after it, behind a relay that cuts.
            self.record.fault("sessions lost after a kill")
        else:
            return False
        self.certain, self.killed = self.record.now(), None
        return True

    def settle(self):
        """Sends what waits and resolves conflicts; what is left then is a problem."""
        left = []
        for _ in range(5):
            outcome = self.stage.run("sync", home=self.name, status=None, limit=180)
            if outcome.status == 77 and self.has_lost_session(outcome):
                self.log_in()
            with contextlib.suppress(Failure):
                for conflict in self.stage.json("conflicts", "list", home=self.name):
                    self.stage.run("conflicts", "resolve", conflict["id"], "--keep", "remote", home=self.name, status=None)
                left = [item for words in (("outbox", "list"), ("conflicts", "list"))
                        for item in self.stage.json(*words, home=self.name)]
                if not left:
                    return
        self.record.broke("homes are equal to the server", f"{self.name}: cannot be sent: {str(left)[:300]}")

    def catch_up(self):
        outcome = self.stage.run("sync", home=self.name, status=None, limit=180)
        if outcome.status:
            self.record.broke("homes are equal to the server", f"{self.name}: the last sync ended with {outcome.status}: {outcome.err[:300]}")
