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
    """The server on one database file. `targets` are the files with the requests of each kind."""

    def __init__(self, program, port, settings, home, database, targets):
        begin = time.monotonic()
        super().__init__(
            "strata", [program, "serve", "--port", str(port)],
            {**settings, "SHIFTLOG_DATABASE": f"sqlite:{database}"}, home)
        self.port, self.targets = port, targets
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
            "INSERT INTO journal_entry (id, host, severity, text, occurred_at, version, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows())
        database.execute(
            "INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket) "
            "SELECT 'journal_entries', id, version, occurred_at, 0, version % 256 FROM journal_entry ORDER BY id")
        database.execute("UPDATE sync_meta SET seq = ?, last_at = ?", (entries, 1_600_000_000_000 + entries * 31558))
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def requests(home, entries, changes_cursor):
    """Files with the targets of each kind of request, spread over all entries."""
    chance = random.Random(5)
    numbers = chance.sample(range(1, entries + 1), min(entries, TARGETS))
    at = replicas.checksummed(changes_cursor)

    def moment(number):
        time_part, thousandth = divmod(entry(number)[2], 1000)
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time_part)) + f".{thousandth:03d}Z"
        return replicas.cursor(["journal", text, "f"])

    # Pages begin in the middle, where none is the short last one.
    inner = [entries // 4 + number // 2 for number in numbers]
    return {
        "get": bench_backend.keep(home, "ids", [f"{entry(number)[0]} {number}" for number in numbers]),
        "page": bench_backend.keep(home, "pages", [f"/v1/journal/entries?limit=20&cursor={moment(number)}" for number in inner]),
        "host": bench_backend.keep(home, "hosts", [
            f"/v1/journal/entries?limit=20&host=host{number % hosts(entries)}&cursor={moment(number)}" for number in inner]),
        "changes": bench_backend.keep(home, "changes", [
            f"/v1/sync/changes?limit=50&cursor={at(number)}" for number in inner]),
    }


class Stage:
    """Users with their tokens in a database that is copied for each number of entries."""

    def __init__(self, program, home):
        self.program, self.home, self.port = program, home, bench_backend.free_port()
        self.base = os.path.join(home, "base.sqlite")
        self.settings = {
            "SHIFTLOG_LOG_LEVEL": "notice", "SHIFTLOG_ENVIRONMENT": "development", "SHIFTLOG_ACCESS_TOKEN_SECONDS": "36000",
            # The bound of connections for an address does not apply to a balancer.
            "SHIFTLOG_TRUSTED_PROXIES": "127.0.0.1", "SHIFTLOG_HOME": home,
            "SHIFTLOG_SIGNING_SECRET": subprocess.run(
                [program, "new-secret"], check=True, capture_output=True, text=True).stdout.strip(),
        }
        environment = {**os.environ, **self.settings, "SHIFTLOG_DATABASE": f"sqlite:{self.base}"}
        subprocess.run([program, "migrate"], env=environment, check=True, capture_output=True)
        for number in range(bench_backend.PEOPLE):
            subprocess.run(
                [program, "create-user", f"person{number}", "--role", "member", "--password-stdin"], env=environment,
                input=f"{bench_backend.PASSWORD}\n".encode(), check=True, capture_output=True)
        server = Server(program, self.port, self.settings, home, self.base, {})
        try:
            tokens = [self.token(server, number) for number in range(bench_backend.PEOPLE)]
            self.tokens = bench_backend.keep(home, "tokens", tokens)
            # A cursor of changes belongs to its user.
            self.first = bench_backend.keep(home, "first", tokens[:1])
            self.cursor = json.loads(server.send(
                "GET", "/v1/sync/changes?limit=1", Authorization=f"Bearer {tokens[0]}")[1])["cursor"]
        finally:
            server.stop()

    @staticmethod
    def token(server, number):
        status, body = server.send(
            "POST", "/v1/sessions", {"username": f"person{number}", "password": bench_backend.PASSWORD},
            **{"Idempotency-Key": f'"{number:032x}"'})
        if status != 201:
            sys.exit(f"a login failed with status {status}: {body.decode()}")
        return json.loads(body)["access_token"]

    def server(self, entries):
        database = os.path.join(self.home, "strata.sqlite")
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(database + suffix):
                os.remove(database + suffix)
        shutil.copy(self.base, database)
        fill(database, entries)
        server = Server(
            self.program, self.port, self.settings, self.home, database, requests(self.home, entries, self.cursor))
        server.tokens, server.first = self.tokens, self.first
        server.megabytes = os.path.getsize(database) / 1e6
        return server


def row(*cells):
    print("".join(str(cell).rjust(12) if place else str(cell).ljust(22) for place, cell in enumerate(cells)), flush=True)


def by_entries(stage, script, rounds, missed):
    """Prints a table for each figure, a column for each number of entries."""
    found = {}
    notes = {"database MB": [], "start s": [], "check after start s": [], "CPU of both s": [], "resident MB": []}
    for entries in ENTRIES:
        server = stage.server(entries)
        try:
            checked = server.settle()
            # Creations come last, because they add entries.
            for kind in KINDS:
                server.measure(kind, script, seconds=1)
                values = [server.measure(kind, script) for _ in range(rounds)]
                found[kind, entries] = [statistics.median(column) for column in zip(*values)]
                if sum(value[3] for value in values):
                    missed.append(f"{KINDS[kind]} with {entries:,} entries: {sum(value[3] for value in values)} errors")
            notes["database MB"].append(server.megabytes)
            notes["start s"].append(server.start)
            notes["check after start s"].append(checked[0])
            notes["CPU of both s"].append(checked[1])
            notes["resident MB"].append(server.resident())
        finally:
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
    for name, values in notes.items():
        row(name, *(f"{value:.1f}" for value in values))


def by_connections(stage, script, rounds, missed):
    """Prints a table for each kind of request, a line for each number of connections."""
    server = stage.server(MIDDLE)
    try:
        server.settle()
        for kind in ("get", "create"):
            row(f"{KINDS[kind]}, connections", "requests/s", "µs CPU", "p99 in ms", "errors", "resident MB")
            rates = []
            server.measure(kind, script, seconds=1)
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
