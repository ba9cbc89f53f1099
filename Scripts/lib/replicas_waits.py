"""How replicas of `shiftlog-server` wait for each other. `Scripts/replicas` starts it and explains the figures.

    replicas_waits.py waits SERVER DATABASE SECONDS        200 writes a second, and long polls at all replicas
    replicas_waits.py foreign SERVER DATABASE SECONDS      a transaction of another program that writes stays open
    replicas_waits.py standstill SERVER DATABASE SECONDS   a replica is stopped inside of a write
"""

import collections
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import uuid

from replicas import REPLICAS, Stage, milliseconds, percentile, psql

RATE = 200
# Goals in seconds: from the response to a write to the page of a long poll; a write beside a replica that stands still.
LONG_POLL, OTHERS = 0.1, 1
# A write while a foreign transaction is open.
BESIDE_FOREIGN = 1
# Seconds in which no transaction of a running replica does nothing, and the transactions of writes that do nothing for so long: they have an
# id from their begin.
STILL = 0.1
WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND state LIKE 'idle in transaction%' "
    f"AND state_change < clock_timestamp() - interval '{STILL} seconds'")


def query(database, sql):
    done = subprocess.run(["psql", "-XAt", database, "-c", sql], capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


class Follower(threading.Thread):
    """Follows the changes of a replica by long polls, until it is told that the writers have ended and has read all."""

    def __init__(self, connection, path="/v1/sync/changes?collections=journal_entries&limit=1000"):
        super().__init__(daemon=True)
        self.connection, self.path = connection, path
        self.seen, self.order, self.cursor = {}, [], None
        self.is_over, self.failure = False, None
        # To the present end, which is no latency.
        while self.page(0)["has_more"]:
            pass
        self.seen.clear()
        self.order.clear()
        self.start()

    def page(self, wait):
        cursor = f"&cursor={self.cursor}" if self.cursor else ""
        page = self.connection.send("GET", f"{self.path}{cursor}&wait={wait}")
        now = time.monotonic()
        for change in page["changes"]:
            self.order.append((change["id"], change["version"]))
            self.seen.setdefault(change["id"], now)
        self.cursor = page["cursor"]
        return page

    def run(self):
        try:
            while True:
                is_over = self.is_over
                page = self.page(1)
                if is_over and not page["changes"] and not page["has_more"]:
                    return
        except BaseException as error:  # a thread must not end silently
            self.failure = repr(error)

    def end(self):
        self.is_over = True
        self.join(60)
        if self.failure or self.is_alive():
            sys.exit(f"A reader of changes failed: {self.failure or 'it does not end'}")


class Writer(threading.Thread):
    """Creates entries at a replica, each under a key of its own: `rate` a second, or one after the other."""

    def __init__(self, replica, token, rate=None):
        super().__init__(daemon=True)
        self.replica, self.token, self.rate = replica, token, rate
        # `(begin, end, id, text)` of each.
        self.done, self.is_over, self.failure, self.repeated = [], False, None, 0

    def run(self):
        try:
            connection = self.replica.connection(self.token)
            due = time.monotonic() + random.random() / (self.rate or 1000)
            while not self.is_over:
                if self.rate:
                    time.sleep(max(0, due - time.monotonic()))
                    due = max(due + 1 / self.rate, time.monotonic() - 1)
                connection = self.write(connection)
        except BaseException as error:
            self.failure = repr(error)

    def write(self, connection):
        text, key, begin = str(uuid.uuid4()), str(uuid.uuid4()), time.monotonic()
        body = {"text": text, "host": self.replica.name, "severity": "info"}
        while True:
            try:
                entry, repetitions = connection.patiently("POST", "/v1/journal/entries", body, key)
                self.repeated += repetitions
                self.done.append((begin, time.monotonic(), entry["id"], text))
                return connection
            except OSError:
                # The same key: at most one takes effect.
                self.repeated += 1
                time.sleep(0.1)
                connection = self.replica.connection(self.token)


def end(writers):
    for writer in writers:
        writer.is_over = True
    for writer in writers:
        writer.join(120)
    failures = [f"at {writer.replica.name}: {writer.failure or 'it does not end'}" for writer in writers if writer.failure or writer.is_alive()]
    if failures:
        sys.exit("\n".join([f"{len(failures)} writers failed:", *failures]))


def compare(followers, writers):
    """What the readers missed or got twice, and whether all have one order, that of the versions."""
    expected = {identifier for writer in writers for _, _, identifier, _ in writer.done}
    problems = []
    for number, follower in enumerate(followers):
        counts = collections.Counter(identifier for identifier, _ in follower.order)
        missed, twice = len(expected - set(counts)), sum(count > 1 for count in counts.values())
        if missed or twice:
            problems.append(f"the reader at replica {number + 1} missed {missed} and got {twice} twice")
    if any(follower.order != followers[0].order for follower in followers):
        problems.append("the readers have different orders")
    if any(before >= after for follower in followers for (_, before), (_, after) in zip(follower.order, follower.order[1:])):
        problems.append("a reader got a smaller version after a larger one")
    return problems


def conclude(problems):
    for problem in problems:
        print(f"missed: {problem}")
    return 1 if problems else 0


def waits(server, database, seconds):
    with Stage(server, database, REPLICAS) as stage:
        token = stage.token(0)
        followers = [Follower(replica.connection(token)) for replica in stage.replicas]
        # Eight writers at the first two replicas; at the third, all changes are those of others.
        writers = [Writer(stage.replicas[number % 2], token, RATE / 8) for number in range(8)]
        begin = time.monotonic()
        for writer in writers:
            writer.start()
        time.sleep(seconds)
        end(writers)
        spent = time.monotonic() - begin
        for follower in followers:
            follower.end()
    problems = compare(followers, writers)
    ends = {identifier: moment for writer in writers for _, moment, identifier, _ in writer.done}
    print(f"{len(ends)} writes in {spent:.0f} s, {len(ends) / spent:.0f} a second; "
          f"a write in ms: {milliseconds([last - first for writer in writers for first, last, _, _ in writer.done])}")
    if len(ends) < 0.9 * RATE * seconds:
        problems.append(f"only {len(ends) / spent:.0f} writes a second, of {RATE}")
    for number, follower in enumerate(followers):
        times = [max(0, follower.seen[identifier] - moment) for identifier, moment in ends.items() if identifier in follower.seen]
        print(f"  from the response to a write to a long poll at replica {number + 1}, in ms: {milliseconds(times)}")
        if percentile(times, 0.99) > LONG_POLL:
            problems.append(f"the 99th percentile of the long poll at replica {number + 1}, goal {LONG_POLL * 1000:.0f} ms")
    return conclude(problems)


def foreign(server, database, seconds):
    psql(database, "CREATE TABLE foreign_note (id BIGINT)")
    with Stage(server, database, REPLICAS) as stage:
        token = stage.token(0)
        followers = [Follower(replica.connection(token)) for replica in stage.replicas]
        writers = [Writer(replica, token, 10) for replica in stage.replicas]
        other = subprocess.Popen(["psql", "-XAtq", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        other.stdin.write("BEGIN;\nINSERT INTO foreign_note VALUES (1);\nSELECT 'open';\n")
        other.stdin.flush()
        if other.stdout.readline().strip() != "open":
            sys.exit("The foreign transaction does not begin.")
        begin = time.monotonic()
        for writer in writers:
            writer.start()
        time.sleep(seconds)
        watcher = stage.replicas[0].connection(token)
        metrics = watcher.send("GET", "/metrics", is_text=True)
        ready = watcher.send("GET", "/health/ready", is_text=True)
        held = time.monotonic()
        read = [sum(moment < held for moment in list(follower.seen.values())) for follower in followers]
        other.stdin.write("COMMIT;\n")
        other.stdin.close()
        other.wait(30)
        released = time.monotonic()
        time.sleep(2)
        end(writers)
        for follower in followers:
            follower.end()
    beside = [last - first for writer in writers for first, last, _, _ in writer.done if first < held]
    before = {identifier for writer in writers for _, last, identifier, _ in writer.done if last < held}
    print(f"A foreign transaction was open for {held - begin:.0f} s; {len(beside)} writes beside it, in ms: {milliseconds(beside)}")
    problems = compare(followers, writers)
    if max(beside) > BESIDE_FOREIGN:
        problems.append(f"a write took {max(beside):.1f} s beside the foreign transaction, goal {BESIDE_FOREIGN} s")
    if any(read):
        problems.append(f"readers got {read} changes while an older transaction was open: a cursor may skip what that commits")
    ages = {name: float(value) for name, value in re.findall(r"^(\w*writer\w*)(?:\{[^}]*\})? ([\d.e+]+)$", metrics, re.MULTILINE)}
    print(f"  metrics: {ages or 'none'}\n  /health/ready: {ready.strip()[:600]}")
    # A replica looks every two seconds, and knows the time between two looks.
    if not any(0.8 * seconds - 4 <= value <= 1.2 * seconds + 10 for value in ages.values()):
        problems.append("no metric of /metrics tells the age of the oldest writer")
    if not re.search(r"writ|transaction", ready):
        problems.append("/health/ready does not say why synchronisation waits")
    for number, follower in enumerate(followers):
        late = [max(0, follower.seen[identifier] - released) for identifier in before if identifier in follower.seen]
        print(f"  reader at replica {number + 1}: {len(late)} changes after the end of the transaction, in ms: {milliseconds(late)}")
        if late and max(late) > BESIDE_FOREIGN:
            problems.append(f"the reader at replica {number + 1} waited for {max(late):.1f} s after the end, goal {BESIDE_FOREIGN} s")
    return conclude(problems)


def stop_inside_write(process, rows):
    """Stops a process so that one of its transactions has written and waits for it. Whether that succeeded.

    The replicas have one name at the database server. That of a process that is stopped is known by its standstill.

    - rows: Runs a query.
    """
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(STILL + 0.02)
    if rows(WAITING):
        return True
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(random.uniform(0.01, 0.03))
    return False


def standstill(server, database, seconds):
    with Stage(server, database, REPLICAS) as stage:
        token = stage.token(0)
        followers = [Follower(replica.connection(token)) for replica in stage.replicas[1:]]
        writers = [Writer(stage.replicas[number % REPLICAS], token) for number in range(4 * REPLICAS)]
        for writer in writers:
            writer.start()
        time.sleep(3)
        stuck = stage.replicas[0]
        try:
            if not any(stop_inside_write(stuck.process, lambda sql: query(database, sql)) for _ in range(200)):
                sys.exit("The replica could not be stopped inside of a write.")
            stopped = time.monotonic()
            time.sleep(seconds)
        finally:
            os.kill(stuck.process.pid, signal.SIGCONT)
        woken = time.monotonic()
        time.sleep(5)
        end(writers)
        for follower in followers:
            follower.end()
        counts = collections.Counter(text for text, in query(database, "SELECT text FROM journal_entries"))
    others = [writer for writer in writers if writer.replica is not stuck]
    spans = [(first, last) for writer in others for first, last, _, _ in writer.done if last > stopped and first < woken]
    worst = [last - max(first, stopped) for first, last in spans]
    ends = sorted(last for _, last in spans)
    gap = max((after - before for before, after in zip([stopped, *ends], ends)), default=seconds)
    written = [text for writer in writers for _, _, _, text in writer.done]
    print(f"A replica stood still inside of a write for {woken - stopped:.0f} s; {len(spans)} writes of the others meanwhile, in ms: "
          f"{milliseconds(worst)}; the longest time without one {gap * 1000:.0f} ms; "
          f"{sum(writer.repeated for writer in others)} of them sent again")
    problems = compare(followers, writers)
    lost, twice = sum(counts[text] == 0 for text in written), sum(count > 1 for count in counts.values())
    print(f"  {len(written)} acknowledged writes: {lost} lost, {twice} twice")
    if lost or twice:
        problems.append(f"{lost} lost, {twice} twice")
    if max(worst, default=seconds) > OTHERS:
        problems.append(f"a write of the other replicas took {max(worst, default=seconds):.1f} s, goal {OTHERS} s")
    return conclude(problems)


if __name__ == "__main__":
    form = {"waits": waits, "foreign": foreign, "standstill": standstill}[sys.argv[1]]
    sys.exit(form(sys.argv[2], sys.argv[3], int(sys.argv[4])))
