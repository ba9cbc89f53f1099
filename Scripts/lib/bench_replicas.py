"""Reads and writes of `shiftlog-server` on SQLite, and with one and three replicas on PostgreSQL, beside pgbench on the same server.

    bench_replicas.py near SERVER SCRIPT ROUNDS                        reads alone and writes alone; `Scripts/bench replicas`
    bench_replicas.py far SERVER SCRIPT ROUNDS DELAY MILLISECONDS      writes; the database is so far away and back, by the program DELAY;
                                                                       `Scripts/bench distance`

Each measurement has 32 connections. wrk opens them to the replicas themselves, a third to each: a balancer would take its share of
the processors. pgbench runs the very statements of the request, prepared, without HTTP, tokens and JSON (`bench_statements.py`
takes them from the server's log): it is what the database can do. Beside each figure stands how idle the processors were: one near 0 %
is bound by them, and says nothing about connections, flushes or distance.
"""

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import urllib.parse

import bench_backend
import bench_statements
import cluster
from processes import ends_with_parent, processor_times

CONNECTIONS = bench_backend.PEOPLE
SECONDS = bench_backend.SECONDS
HOST = "replicas.example"
PROJECTED = 1000  # rows that the statements of a read find
# Goals. The last is a ratio of medians, and rounds differ by some percent.
WRITES_TO_PGBENCH, READS_TO_SQLITE, THREE_TO_ONE, FAR_THREE_TO_ONE = 0.5, 0.5, 0.97, 2.5
# A contender that leaves less of the processors idle is bound by them.
BOUND = 0.1


class Plain:
    """What any service would have to do at least, for comparison: three inserts and a sequence, or one select."""

    TABLES = """
        CREATE SEQUENCE plain_version;
        CREATE TABLE plain_entry (id TEXT PRIMARY KEY, host TEXT, severity TEXT, text TEXT, version BIGINT);
        CREATE TABLE plain_change (id TEXT PRIMARY KEY, version BIGINT UNIQUE);
        CREATE TABLE plain_answer (id TEXT PRIMARY KEY, body TEXT)"""
    TEXTS = {
        "create": """\\set i :i + 1
\\set u 1000000000000000 + :run * 1000000000 + :i * 100 + :client_id
BEGIN;
INSERT INTO plain_change (id, version) VALUES (:u::text, nextval('plain_version'));
INSERT INTO plain_entry (id, host, severity, text, version) VALUES (:u::text, 'node3', 'warning', 'disk of node 3 is full', 1);
INSERT INTO plain_answer (id, body) VALUES (:u::text, '{"text":"disk of node 3 is full","host":"node3","severity":"warning"}');
COMMIT;
""",
        "get": f"""\\set row random(1, {PROJECTED})
SELECT * FROM journal_entries WHERE id = 'bench-' || :row::text;
""",
    }

    def __init__(self, kind):
        self.text = self.TEXTS[kind]

    @staticmethod
    def options(run):
        return ["-D", "i=0", "-D", f"run={run}"]


class Replica(bench_backend.Server):
    """A server that has its public name from the requests, as behind a balancer."""

    def __init__(self, name, program, settings, home):
        super().__init__(name, [program, "serve", "--port", "PORT"], settings, home)

    def send(self, method, path, body=None, **headers):
        return super().send(method, path, body, Host=HOST, **headers)


def load(servers, kind, script, seconds=SECONDS):
    """Requests a second of all servers together."""
    shares = [CONNECTIONS // len(servers) + (place < CONNECTIONS % len(servers)) for place in range(len(servers))]
    running = [
        subprocess.Popen(
            ["wrk", "-t1", f"-c{share}", f"-d{seconds}s", "--timeout", "10s", "-H", f"Host: {HOST}", "-s", script,
             f"http://127.0.0.1:{server.port}", "--", kind, servers[0].tokens, servers[0].ids],
            stdout=subprocess.PIPE, text=True, preexec_fn=ends_with_parent)
        for server, share in zip(servers, shares)]
    total = 0
    for server, process in zip(servers, running):
        text = process.communicate(timeout=seconds + 60)[0]
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text) or re.search(r"Socket errors: (.*)", text)
        if failed or process.returncode != 0:
            sys.exit(f"{server.name} failed at '{kind}': {failed[0] if failed else text[-300:]}.")
        total += float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return total


class PGBench:
    def __init__(self, database, folder, scripts, name="request"):
        """- name: Of its files."""
        self.database, self.folder, self.scripts, self.runs, self.name = database, folder, scripts, 0, name
        # Since version 15. A client of a serialisable transaction repeats it, as the server does.
        repeats = "--max-tries" in database.run("pgbench", "--help")
        self.more = ["--max-tries", "100"] if repeats else []
        for name, script in scripts.items():
            path = self.path(name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(script.text)
            os.chmod(path, 0o644)

    def path(self, name):
        return os.path.join(self.database.folder, f"{self.name}-{name}.sql")

    def measure(self, name, seconds=SECONDS):
        """Transactions a second."""
        self.runs += 1
        text = self.database.run(
            "pgbench", "-h", self.folder, "-U", "postgres", "-n", "-M", "prepared", "-f", self.path(name), "-c",
            str(CONNECTIONS), "-j", "2", "-T", str(seconds), *self.more, *self.scripts[name].options(self.runs), "postgres")
        return float(re.search(r"tps = ([\d.]+)", text)[1])


class Stage:
    """A database with people and entries, SQLite beside it, and replicas. Ended with the block."""

    def __init__(self, program, home):
        self.program, self.home = program, home
        self.database = cluster.Database(home)
        self.settings = {
            "SHIFTLOG_LOG_LEVEL": "notice", "SHIFTLOG_SIGNING_SECRET": bench_backend.new_secret(program),
            "SHIFTLOG_ACCESS_TOKEN_SECONDS": "36000", "SHIFTLOG_PUBLIC_URL": f"http://{HOST}", "SHIFTLOG_HOME": home}
        self.servers = []

    def __enter__(self):
        self.database.start()
        return self

    def __exit__(self, *_):
        bench_backend.stop({server.name: server for server in self.servers})
        self.database.stop(signal.SIGINT)

    def start(self, name, address):
        server = Replica(name, self.program, {**self.settings, "SHIFTLOG_DATABASE": address}, self.home)
        self.servers.append(server)
        server.wait()
        return server

    def fill(self, address, name):
        """A server on a new database with people and entries."""
        settings = {**self.settings, "SHIFTLOG_DATABASE": address}
        subprocess.run([self.program, "migrate"], env={**os.environ, **settings}, check=True, capture_output=True)
        bench_backend.create_users(self.program, settings)
        server = self.start(name, address)
        folder = os.path.join(self.home, name)
        os.makedirs(folder)
        bench_backend.prepared(server, folder)
        return server

    def psql(self, sql):
        self.database.run("psql", "-h", self.database.folder, "-U", "postgres", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-c", sql)

    def scripts(self, server):
        """The statements of a durable POST and of a GET, as scripts of pgbench."""
        with open(server.tokens, encoding="utf-8") as file:
            bearer = {"Authorization": f"Bearer {file.readline().strip()}"}
        with open(server.ids, encoding="utf-8") as file:
            ids = [line.split()[0] for line in file]
        numbers = iter(range(10_000))

        def create():
            mark = f"recorded {next(numbers)} of node 3"
            status, body = server.send(
                "POST", "/v1/journal/entries", {"text": mark, "host": "node3", "severity": "warning"}, **bearer,
                **{"Idempotency-Key": f'"{mark.replace(" ", "-")}"'})
            if status != 201:
                sys.exit(f"an entry was refused with status {status}: {body.decode()}")
            return mark

        def get():
            mark = ids[next(numbers) % len(ids)]
            status, body = server.send("GET", f"/v1/journal/entries/{mark}", **bearer)
            if status != 200:
                sys.exit(f"an entry cannot be read, status {status}: {body.decode()}")
            found.append(mark)
            return mark

        found, samples = [], {}
        for _ in range(5):  # opens connections and prepares statements
            create(), get()
        with bench_statements.Recorder(self.database) as recorder:
            for name, send in (("create", create), ("get", get)):
                found.clear()
                samples[name] = [recorder.sample(send) for _ in range(bench_statements.SAMPLES)]
        trips = {name: self.trips(server, send) for name, send in (("create", create), ("get", get))}
        # Rows whose ids pgbench can make up, as the ids of others.
        self.psql(f"""
            INSERT INTO journal_entries SELECT (made.entry).* FROM (
                SELECT jsonb_populate_record(e, jsonb_build_object('id', 'bench-' || row_number() OVER ())) AS entry
                FROM journal_entries e LIMIT {PROJECTED}) AS made""")
        self.psql("VACUUM ANALYZE")
        usual = bench_statements.usual(samples["get"])
        read = tuple(found[samples["get"].index(sample)] for sample in usual)
        scripts = {
            "create": bench_statements.Script(samples["create"]),
            "get": bench_statements.Script(samples["get"], {read: "('bench-' || :row::text)"}),
        }
        scripts["get"].text = f"\\set row random(1, {PROJECTED})\n{scripts['get'].text}"
        for name, title in (("create", "POST of an entry"), ("get", "GET of an entry")):
            scripts[name].tell(f"{title}, {trips[name]:.1f} round trips")
        return scripts

    @staticmethod
    def trips(server, send, count=20):
        """Batches of statements that the server sends for a request."""
        def total():
            text = server.send("GET", "/metrics")[1].decode(errors="replace")
            return float(re.search(r"^shiftlog_database_round_trips_total (\S+)$", text, re.MULTILINE)[1])

        begin = total()
        for _ in range(count):
            send()
        return (total() - begin) / count

    def retries(self):
        """What the replicas count of repeated transactions."""
        found = {}
        for server in self.servers:
            text = server.send("GET", "/metrics")[1].decode(errors="replace")
            for name, value in re.findall(r"^shiftlog_(\w*(?:retr|conflict|serial)\w*(?:\{[^}]*\})?) ([\d.e+]+)$", text, re.MULTILINE):
                if not name.startswith("sync_mutations"):
                    found[name] = found.get(name, 0) + float(value)
        return {name: value for name, value in found.items() if value}


def observed(measure, *words):
    """`(what it measures a second, share of the processors' time that is idle meanwhile)`."""
    begin = processor_times()
    rate = measure(*words)
    idle, total = (after - before for before, after in zip(begin, processor_times()))
    return rate, idle / max(total, 1)


def medians(found, place):
    """- place: 0 for the rates, 1 for the idle shares."""
    return {key: statistics.median(pair[place] for pair in pairs) for key, pairs in found.items()}


def row(*cells):
    print("".join(str(cell).rjust(12) if place else str(cell).ljust(32) for place, cell in enumerate(cells)), flush=True)


def judge(goals):
    """- goals: `(words, ratio, at least)`."""
    missed = [f"{words}: {ratio:.2f}, goal {goal}" for words, ratio, goal in goals if ratio < goal]
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def near(program, script, rounds):
    with tempfile.TemporaryDirectory() as home, Stage(program, home) as stage:
        sqlite = stage.fill(f"sqlite:{home}/sqlite.db", "SQLite")
        address = cluster.address(home)
        replicas = [stage.fill(address, "replica1")]
        # Before the others start, so that the log has the statements of one.
        scripts = stage.scripts(replicas[0])
        replicas += [stage.start(f"replica{number}", address) for number in (2, 3)]
        pgbench = PGBench(stage.database, stage.database.folder, scripts)
        stage.psql(Plain.TABLES)
        plain = PGBench(stage.database, stage.database.folder, {kind: Plain(kind) for kind in ("create", "get")}, "plain")
        contenders = {
            "SQLite": lambda kind, seconds=SECONDS: load([sqlite], kind, script, seconds),
            "pgbench, the same statements": pgbench.measure,
            "PostgreSQL, one replica": lambda kind, seconds=SECONDS: load(replicas[:1], kind, script, seconds),
            "PostgreSQL, three replicas": lambda kind, seconds=SECONDS: load(replicas, kind, script, seconds),
            # At the end: the goals have nothing to do with it.
            "pgbench, least possible": plain.measure,
        }
        found = {}
        for kind in ("create", "get"):
            for measure in contenders.values():
                measure(kind, 1)
            for _ in range(rounds):
                for name, measure in contenders.items():
                    found.setdefault((name, kind), []).append(observed(measure, kind))
        retries = stage.retries()
    rates, idle = medians(found, 0), medians(found, 1)
    names = list(contenders)

    def ratio(kind, name, other):
        return rates[name, kind] / rates[other, kind]

    print(f"per second, {CONNECTIONS} connections, medians of {rounds} rounds of {SECONDS} s")
    row("", "POST", "of pgbench", "idle", "get one", "of SQLite", "of pgbench", "idle")
    for name in names:
        row(name, f"{rates[name, 'create']:,.0f}", f"{ratio('create', name, names[1]):.2f}", f"{idle[name, 'create']:.0%}",
            f"{rates[name, 'get']:,.0f}", f"{ratio('get', name, names[0]):.2f}", f"{ratio('get', name, names[1]):.2f}",
            f"{idle[name, 'get']:.0%}")
    print("least possible: three inserts and a sequence in a transaction; one select")
    print("repeated transactions: " + (", ".join(f"{name} {value:,.0f}" for name, value in retries.items()) or "none counted"))
    return judge([
        ("writes of one replica, of pgbench", ratio("create", names[2], names[1]), WRITES_TO_PGBENCH),
        ("reads of one replica, of SQLite", ratio("get", names[2], names[0]), READS_TO_SQLITE),
        ("writes of three replicas, of one", ratio("create", names[3], names[2]), THREE_TO_ONE),
        ("reads of three replicas, of one", ratio("get", names[3], names[2]), THREE_TO_ONE),
    ])


def away(database, delay, microseconds):
    """Starts the relay, and returns its process and the folder of its socket. The round trip takes so many microseconds more."""
    folder = os.path.join(database.folder, "far")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o711)
    process = subprocess.Popen(
        [delay, f"{folder}/.s.PGSQL.5432", f"{database.folder}/.s.PGSQL.5432", str(microseconds // 2)],
        stdout=subprocess.PIPE, text=True)
    if not process.stdout.readline():
        sys.exit("The relay to the database did not start.")
    return process, folder


def latency(database, folder):
    """Milliseconds of `SELECT 1`."""
    path = os.path.join(database.folder, "one.sql")
    with open(path, "w", encoding="utf-8") as file:
        file.write("SELECT 1;\n")
    os.chmod(path, 0o644)
    text = database.run("pgbench", "-h", folder, "-U", "postgres", "-n", "-M", "prepared", "-f", path, "-T", "1", "postgres")
    return float(re.search(r"latency average = ([\d.]+) ms", text)[1])


def far(program, script, rounds, delay, milliseconds):
    with tempfile.TemporaryDirectory() as home, Stage(program, home) as stage:
        relay, folder = away(stage.database, delay, round(1000 * float(milliseconds)))
        try:
            # People and entries are made without the delay.
            first = stage.fill(cluster.address(home), "near")
            scripts = stage.scripts(first)
            address = cluster.address(home).replace(
                urllib.parse.quote(stage.database.folder, safe=""), urllib.parse.quote(folder, safe=""))
            replicas = [stage.start(f"replica{number}", address) for number in (1, 2, 3)]
            for replica in replicas:
                replica.tokens, replica.ids = first.tokens, first.ids
            pgbench = PGBench(stage.database, folder, scripts)
            contenders = {
                "pgbench, the same statements": lambda seconds=SECONDS: pgbench.measure("create", seconds),
                "one replica": lambda seconds=SECONDS: load(replicas[:1], "create", script, seconds),
                "three replicas": lambda seconds=SECONDS: load(replicas, "create", script, seconds),
            }
            trip = latency(stage.database, folder)
            found = {}
            for measure in contenders.values():
                measure(1)
            for _ in range(rounds):
                for name, measure in contenders.items():
                    found.setdefault(name, []).append(observed(measure))
        finally:
            relay.terminate()
            relay.wait()
    rates, idle = medians(found, 0), medians(found, 1)
    names = list(contenders)
    print(f"per second, {CONNECTIONS} connections, medians of {rounds} rounds of {SECONDS} s; 'SELECT 1' takes {trip:.2f} ms")
    row("", "POST", "of pgbench", "of one", "idle")
    for name in names:
        row(name, f"{rates[name]:,.0f}", f"{rates[name] / rates[names[0]]:.2f}", f"{rates[name] / rates[names[1]]:.2f}",
            f"{idle[name]:.0%}")
    if bound := [name for name in names if idle[name] < BOUND]:
        print(f"bound by the {os.cpu_count()} processors: {', '.join(bound)}")
    return judge([("writes of three replicas, of one", rates[names[2]] / rates[names[1]], FAR_THREE_TO_ONE)])


def main(form, program, script, rounds, *more):
    if "postgresql" in cluster.missing():
        sys.exit("Missing: sudo apt-get install postgresql")
    return near(program, script, int(rounds)) if form == "near" else far(program, script, int(rounds), *more)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
