"""Reads and writes of `shiftlog-server` with 1, 2 and 3 replicas on PostgreSQL, beside pgbench on the same server.

Scripts/bench starts it. Each measurement has 28 connections that get one entry and 4 that create entries at the same time. pgbench
runs the statements of such requests, prepared and without HTTP, tokens and JSON: it is what the database can do.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading

import bench_backend
import cluster

READERS, WRITERS = 28, 4

READ = """\
\\set n random(1, 1000)
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT 1 FROM auth_session WHERE id = 'x' LIMIT 1;
SELECT * FROM journal_entries WHERE id = (SELECT id FROM bench_id WHERE n = :n);
COMMIT;
"""
WRITE = """\
BEGIN;
SELECT pg_advisory_xact_lock(91749106738273);
INSERT INTO bench_write (id, host, severity, text, at) VALUES (gen_random_uuid()::text, 'node3', 'warning', 'disk of node 3', 1);
INSERT INTO bench_log (id, at) VALUES (gen_random_uuid()::text, 1);
SELECT pg_notify('bench', 'x');
COMMIT;
"""


class Replicated(bench_backend.Server):
    """Replicas behind a balancer. `cluster.py` starts them."""

    def __init__(self, program, replicas, home, settings):
        self.folder = os.path.join(home, "cluster")
        super().__init__(
            f"{replicas} replicas",
            [sys.executable, "-B", cluster.__file__, "serve", "--program", program, "--folder", self.folder, "--port", "PORT",
             "--replicas", str(replicas)],
            settings, home)


def both(read, write):
    """Runs two measurements at the same time."""
    results = {}
    threads = [
        threading.Thread(target=lambda name=name, body=body: results.__setitem__(name, body()))
        for name, body in (("read", read), ("write", write))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results["read"], results["write"]


def wrk(server, kind, connections, script, seconds):
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{server.port}", "--", kind,
         server.tokens, server.ids],
        check=True, capture_output=True, text=True, timeout=seconds + 60).stdout
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    if failed:
        sys.exit(f"{server.name} failed at '{kind}': {failed[0]}.")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def pgbench(database, script, connections, seconds):
    text = database.run(
        "pgbench", "-h", database.folder, "-U", "postgres", "-n", "-M", "prepared", "-f", script, "-c", str(connections), "-j",
        "1", "-T", str(seconds), "postgres")
    return float(re.search(r"tps = ([\d.]+)", text)[1])


def prepare_pgbench(database, home):
    database.rows("SELECT 1 AS one")
    for statement in (
            "CREATE TABLE bench_id AS SELECT row_number() OVER () AS n, id FROM journal_entries",
            "CREATE UNIQUE INDEX ON bench_id (n)",
            "CREATE TABLE bench_write (id TEXT PRIMARY KEY, host TEXT, severity TEXT, text TEXT, at BIGINT)",
            "CREATE TABLE bench_log (id TEXT PRIMARY KEY, at BIGINT)", "VACUUM ANALYZE"):
        database.run("psql", "-h", database.folder, "-U", "postgres", "-q", "-X", "-c", statement)
    paths = []
    for name, text in (("read", READ), ("write", WRITE)):
        paths.append(os.path.join(database.folder, f"{name}.sql"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(paths[-1], 0o644)
    return paths


def main(program, script, rounds):
    if cluster.missing():
        sys.exit(f"Missing: sudo apt-get install {' '.join(cluster.missing())}")
    seconds, found = bench_backend.SECONDS, {}
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "cluster")
        settings = {
            "SHIFTLOG_LOG_LEVEL": "notice", "SHIFTLOG_SIGNING_SECRET": bench_backend.new_secret(program),
            "SHIFTLOG_ACCESS_TOKEN_SECONDS": "3600"}
        tokens = None
        for replicas in (1, 2, 3):
            server = Replicated(program, replicas, home, settings)
            try:
                server.wait()
                if tokens is None:
                    bench_backend.create_users(program, {**settings, "SHIFTLOG_DATABASE": cluster.address(folder)})
                # The issuer of the tokens is the address, which is another one each time.
                tokens = bench_backend.prepared(server, home)
                database = cluster.Database(folder)
                if replicas == 1:
                    read, write = prepare_pgbench(database, home)
                for _ in range(rounds):
                    found.setdefault("pgbench", []).append(both(
                        lambda: pgbench(database, read, READERS, seconds), lambda: pgbench(database, write, WRITERS, seconds)))
                    found.setdefault(server.name, []).append(both(
                        lambda: wrk(server, "get", READERS, script, seconds),
                        lambda: wrk(server, "create", WRITERS, script, seconds)))
            finally:
                bench_backend.stop({server.name: server})
    limit = [statistics.median(values) for values in zip(*found["pgbench"])]
    print(f"{'':14}{'reads/s':>10}{'of pgbench':>12}{'writes/s':>10}{'of pgbench':>12}")
    for name, values in found.items():
        reads, writes = (statistics.median(column) for column in zip(*values))
        print(f"{name:14}{reads:10,.0f}{reads / limit[0]:12.2f}{writes:10,.0f}{writes / limit[1]:12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
