"""What a request costs `shiftlog-server` on SQLite as the journal grows, and as the number of connections grows.

Scripts/bench starts it and explains the goals. Processor time of the server for each request is the figure that a busy machine
does not spoil. Each number of entries has a database of its own, filled by SQL while no server runs.
"""

import hashlib
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import bench_backend
import replicas

ENTRIES = [1_000, 10_000, 100_000, 1_000_000, 5_000_000]
CONNECTIONS = [1, 8, 32, 128, 512, 1_000, 4_000]
# Entries of the database that all numbers of connections are measured on.
MIDDLE = 100_000
# At most this ratio of processor time for a request to that with the fewest entries.
FLAT = 1.25
# At least this ratio of requests a second with the most connections to the best.
STEADY = 0.8
SECONDS = 4
# Different targets of a measurement, at most.
TARGETS = 50_000
KINDS = {
    "get": "get one", "unchanged": "304", "list": "list of 20", "page": "20 from the middle", "host": "20 of one host",
    "changes": "50 changes", "create": "durable POST",
}


class Server(bench_backend.Server):
    """The server on one database file."""

    def __init__(self, program, settings, home, database):
        begin, self.database = time.monotonic(), database
        super().__init__(
            "strata", [program, "serve", "--port", "PORT"],
            {**settings, "SHIFTLOG_DATABASE": f"sqlite:{database}"}, home)
        self.wait()
        self.start = time.monotonic() - begin

    def cpu(self):
        """Seconds of processor time since the start."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self):
        """Waits until the server has nothing to do: after a start it checks the file. Seconds, and those of processor time."""
        begin, busy = time.monotonic(), True
        while busy and time.monotonic() - begin < 600:
            before = self.cpu()
            time.sleep(1)
            busy = self.cpu() - before > 0.02
        return time.monotonic() - begin, self.cpu()

    def measure(self, kind, script, connections=bench_backend.PEOPLE, seconds=SECONDS):
        """Requests a second, microseconds of processor time for each, p99 in milliseconds, errors."""
        self.cache()
        self.drain()
        before = self.cpu()
        # wrk opens all connections first, and counts a response after the time limit as an error.
        text = subprocess.run(
            ["wrk", f"-t{min(2, connections)}", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s", script,
             f"http://127.0.0.1:{self.port}", "--", kind if kind in ("get", "unchanged", "list", "create") else "path",
             self.first if kind == "changes" else self.tokens, self.targets.get(kind, self.targets["get"])],
            check=True, capture_output=True, text=True, timeout=seconds + 120).stdout
        spent = self.cpu() - before
        requests = int(re.search(r"(\d+) requests in", text)[1])
        errors = sum(map(int, re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", text)))
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", text).groups()
        return (float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), spent / max(1, requests) * 1e6,
                float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit], errors)

    def cache(self):
        """Reads the database into the system's cache. Some virtual machines drop a file from it that was not read for a minute."""
        with open(self.database, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass

    def drain(self):
        """Waits until the connections of the last measurement are closed: one with a request stays open until it has its response, and
        4,000 new ones besides would be above the server's bound."""
        for _ in range(300):
            status, text = self.send("GET", "/metrics")
            found = re.search(rb"http_connections_open (\d+)", text)
            if status != 200 or not found:
                sys.exit(f"GET /metrics: {status}, without the open connections")
            if int(found[1]) <= 1:  # that of this request
                return
            time.sleep(0.1)
        sys.exit(f"{int(found[1]):,} connections of the last measurement are open after 30 s")

    def warm(self, kind, script):
        if errors := self.measure(kind, script, seconds=1)[3]:
            sys.exit(f"{KINDS[kind]}: {errors:,} requests of the first second failed; the server's output is in {self.log}")

    def stop(self):
        bench_backend.stop({self.name: self})


def entry(number):
    """Id, noise and time of an entry, as in `large_journal.sql`: the ids are UUIDs of version 7, in the order of time."""
    at = 1_600_000_000_000 + number * 31557 + number * 7919 % 1000
    noise = hashlib.md5(str(number).encode()).hexdigest()
    time_part = f"{at:012x}"
    return f"{time_part[:8]}-{time_part[8:]}-7{noise[:3]}-8{noise[3:6]}-{noise[6:18]}", noise, at


def hosts(entries):
    """400, and fewer where these would have less than a page."""
    return min(400, entries // 50)


def fill(path, entries):
    """Puts a journal and its changes into a migrated database without users' entries."""
    severities = ["info", "info", "info", "warning", "critical"]

    def rows():
        for number in range(1, entries + 1):
            name, noise, at = entry(number)
            text = f"Entry {number} of a large journal: {(noise + ' ') * (1 + number % 4)}"
            yield name, f"host{number * 31 % hosts(entries)}", severities[number % 5], text, at, number, at

    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -262144")
        database.execute("BEGIN")
        database.executemany(
            "INSERT INTO journal_entries (id, host, severity, text, occurred_at, version, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows())
        database.execute(
            "INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket) "
            "SELECT 'journal_entries', id, version, occurred_at, 0, version % 256 FROM journal_entries ORDER BY id")
        database.execute("UPDATE sync_meta SET seq = ?, last_at = ?", (entries, 1_600_000_000_000 + entries * 31558))
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def requests(home, entries, changes_cursor, list_cursor):
    """Files with the targets of each kind of request, spread over all entries.

    - list_cursor: The cursor of a first page, by its filter.
    """
    chance = random.Random(5)
    numbers = chance.sample(range(1, entries + 1), min(entries, TARGETS))
    at = replicas.checksummed(changes_cursor)

    known = {more: list_cursor(more) for more in ["", *(f"&host=host{number}" for number in range(hosts(entries)))]}

    def page(number, more=""):
        return f"/v1/journal/entries?limit=20{more}&cursor={replicas.moved(known[more], entry(number)[2])}"

    # Pages begin in the middle, where none is the short last one.
    inner = [entries // 4 + number // 2 for number in numbers]
    return {
        "get": bench_backend.keep(home, "ids", [f"{entry(number)[0]} {number}" for number in numbers]),
        "page": bench_backend.keep(home, "pages", [page(number) for number in inner]),
        "host": bench_backend.keep(home, "hosts", [
            # A page of the fewest entries needs half of them behind it.
            page(entries // 2 + number // 2, f"&host=host{number % hosts(entries)}") for number in numbers]),
        "changes": bench_backend.keep(home, "changes", [
            f"/v1/sync/changes?limit=50&cursor={at(number)}" for number in inner]),
    }


class Stage:
    """Users in a database that is copied for each number of entries."""

    def __init__(self, program, home):
        self.program, self.home = program, home
        self.base = os.path.join(home, "base.sqlite")
        self.settings = {
            "SHIFTLOG_LOG_LEVEL": "notice", "SHIFTLOG_ENVIRONMENT": "development", "SHIFTLOG_ACCESS_TOKEN_SECONDS": "36000",
            # The bound of connections for an address does not apply to a balancer.
            "SHIFTLOG_TRUSTED_PROXIES": "127.0.0.1", "SHIFTLOG_HOME": home,
            "SHIFTLOG_SIGNING_SECRET": bench_backend.new_secret(program),
        }
        settings = {**self.settings, "SHIFTLOG_DATABASE": f"sqlite:{self.base}"}
        subprocess.run([program, "migrate"], env={**os.environ, **settings}, check=True, capture_output=True)
        bench_backend.create_users(program, settings)

    @staticmethod
    def token(server, number):
        status, body = server.send(
            "POST", "/v1/sessions", {"username": f"person{number}", "password": bench_backend.PASSWORD},
            **{"Idempotency-Key": f'"{number:032x}"'})
        if status != 201:
            sys.exit(f"a login failed with status {status}: {body.decode()}")
        return json.loads(body)["access_token"]

    def server(self, entries):
        home = tempfile.mkdtemp(dir=self.home)
        database = os.path.join(home, "strata.sqlite")
        shutil.copy(self.base, database)
        fill(database, entries)
        server = Server(self.program, self.settings, home, database)
        try:
            server.megabytes = os.path.getsize(database) / 1e6
            server.checked = server.settle()
            tokens = [self.token(server, number) for number in range(bench_backend.PEOPLE)]
            server.tokens = bench_backend.keep(home, "tokens", tokens)
            # A cursor of changes belongs to its user.
            server.first = bench_backend.keep(home, "first", tokens[:1])

            def first(path):
                status, page = server.send("GET", path, Authorization=f"Bearer {tokens[0]}")
                if status != 200:
                    sys.exit(f"{path} failed with status {status}: {page.decode()}")
                return json.loads(page)

            server.targets = requests(
                home, entries, first("/v1/sync/changes?limit=1")["cursor"],
                lambda more: first(f"/v1/journal/entries?limit=1{more}")["next_cursor"])
        except BaseException:
            server.stop()
            raise
        return server


def row(*cells):
    print("".join(str(cell).rjust(12) if place else str(cell).ljust(22) for place, cell in enumerate(cells)), flush=True)


def by_entries(stage, script, rounds, missed):
    """Prints a table for each figure, a column for each number of entries.

    All servers run at the same time, and each kind of request is measured on one after the other: a machine that becomes slower in
    between is not taken for growth.
    """
    found = {}
    servers = {}
    try:
        for entries in ENTRIES:
            print(f"    fills a database with {entries:,} entries", flush=True)
            servers[entries] = stage.server(entries)
        # Creations come last, because they add entries.
        for kind, name in KINDS.items():
            print(f"    measures '{name}' with each", flush=True)
            for server in servers.values():
                server.warm(kind, script)
            values = [{entries: server.measure(kind, script) for entries, server in servers.items()} for _ in range(rounds)]
            for entries in ENTRIES:
                measured = [value[entries] for value in values]
                found[kind, entries] = [statistics.median(column) for column in zip(*measured)]
                if errors := sum(value[3] for value in measured):
                    missed.append(f"{KINDS[kind]} with {entries:,} entries: {errors} errors")
        resident = [server.resident() for server in servers.values()]
    finally:
        for server in servers.values():
            server.stop()
    for place, title, form in ((1, "µs CPU a request", ",.0f"), (0, "requests a second", ",.0f"), (2, "p99 in ms", ".1f")):
        row(title, *(f"{entries:,}" for entries in ENTRIES), *(["last/first"] if place == 1 else []))
        for kind, name in KINDS.items():
            values = [found[kind, entries][place] for entries in ENTRIES]
            row(name, *(f"{value:{form}}" for value in values), *([f"{values[-1] / values[0]:.2f}"] if place == 1 else []))
            if place == 1 and max(values[1:]) > FLAT * values[0]:
                worst = max(range(len(values)), key=values.__getitem__)
                missed.append(
                    f"{name}: {values[worst] / values[0]:.2f} times the processor time with {ENTRIES[worst]:,} entries, goal {FLAT}")
    row("server", *(f"{entries:,}" for entries in ENTRIES))
    for name, values in {
        "database MB": [server.megabytes for server in servers.values()],
        "start s": [server.start for server in servers.values()],
        "check after start s": [server.checked[0] for server in servers.values()],
        "CPU of both s": [server.checked[1] for server in servers.values()], "resident MB": resident,
    }.items():
        row(name, *(f"{value:.1f}" for value in values))


def by_connections(stage, script, rounds, missed):
    """Prints a table for each kind of request, a line for each number of connections."""
    server = stage.server(MIDDLE)
    try:
        for kind in ("get", "create"):
            row(f"{KINDS[kind]}, connections", "requests/s", "µs CPU", "p99 in ms", "errors", "resident MB")
            rates = []
            server.warm(kind, script)
            for connections in CONNECTIONS:
                values = [server.measure(kind, script, connections, SECONDS + connections // 1000) for _ in range(rounds)]
                rate, cpu, p99, _ = (statistics.median(column) for column in zip(*values))
                errors = sum(value[3] for value in values)
                rates.append(rate)
                row(f"{connections:,}", f"{rate:,.0f}", f"{cpu:,.0f}", f"{p99:.1f}", errors, f"{server.resident():.0f}")
                if errors:
                    missed.append(f"{KINDS[kind]} with {connections:,} connections: {errors} errors")
            if rates[-1] < STEADY * max(rates):
                missed.append(
                    f"{KINDS[kind]} with {CONNECTIONS[-1]:,} connections: {rates[-1] / max(rates):.2f} of the best, goal {STEADY}")
    finally:
        server.stop()


def main(program, script, rounds):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS[-1] + 200
    if hard != resource.RLIM_INFINITY and hard < needed:
        sys.exit(f"The hard limit of open files is {hard}; raise it to {needed} or more ('ulimit -Hn').")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed) if soft != resource.RLIM_INFINITY else soft, hard))
    missed = []
    with tempfile.TemporaryDirectory() as home:
        stage = Stage(program, home)
        by_entries(stage, script, rounds, missed)
        by_connections(stage, script, rounds, missed)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
