"""A service of several replicas behind a balancer, on a PostgreSQL of its own, as one process for demos and tests.

    cluster.py serve --program PATH --folder FOLDER [--port N] [--replicas N]
    cluster.py mirror --folder FOLDER FILE

`serve` starts everything in FOLDER, prints `listening on http://127.0.0.1:PORT` on standard error, and ends it all at SIGTERM.
Started again with the same folder, it has the same data. The settings of the program come from the environment; its database
is the address that `address(FOLDER)` returns. Faults are made by signals:

    SIGUSR1  kills a replica, and starts it again within three seconds
    SIGUSR2  stops PostgreSQL with `-m immediate`, and starts it again within three seconds
    SIGHUP   kills the balancer with all its connections, and starts it again
    SIGALRM  stops a replica with SIGSTOP inside of a write, and continues it a minute later; one at a time

`mirror` copies what the service stores about its journal into an SQLite file, for tests that look past both programs.
"""

import argparse
import glob
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from processes import Failure, ends_with_parent, free_port

BALANCER = """\
global
    maxconn 4000
defaults
    mode http
    timeout connect 2s
    timeout client 10m
    timeout server 10m
    timeout check 3s
    option redispatch
    retries 3
    option httpchk
    http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host 127.0.0.1:{port}
    default-server inter 200ms fall 2 rise 1
frontend service
    bind 127.0.0.1:{port}
    # Tests reach it through relays at other ports.
    http-request set-header Host 127.0.0.1:{port}
    default_backend replicas
backend replicas
    balance roundrobin
{servers}
"""


def address(folder):
    return f"postgres://postgres@/postgres?host={urllib.parse.quote(database_folder(folder), safe='')}"


def database_folder(folder):
    return os.path.join(os.path.abspath(folder), "pg")


def missing():
    """The Debian packages that are not installed."""
    return [name for name, found in [("postgresql", _postgres_tools()), ("haproxy", _haproxy())] if not found]


def ports(folder):
    """The ports of the replicas."""
    with open(os.path.join(folder, "replicas.json"), encoding="utf-8") as file:
        return json.load(file)


def metrics(folder):
    """What `/metrics` of each replica says."""
    texts = []
    for port in ports(folder):
        with urllib.request.urlopen(_request(port, "/metrics"), timeout=30) as answer:
            texts.append(answer.read().decode())
    return texts


def _postgres_tools():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    initdb = found[-1] if found else shutil.which("initdb")
    return os.path.dirname(initdb) if initdb else None


def _haproxy():
    return shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin")


def _request(port, path):
    # Any other host is refused, because all replicas have one public address.
    return urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": "127.0.0.1"})


def _let_through(folder):
    """Lets other users reach what is below a temporary folder; they still cannot list it."""
    while folder != "/":
        state = os.stat(folder)
        if not state.st_mode & 0o001 and state.st_uid == os.geteuid():
            os.chmod(folder, state.st_mode & 0o777 | 0o011)
        folder = os.path.dirname(folder)


class Database:
    """A PostgreSQL that listens on a socket in its folder only."""

    def __init__(self, folder):
        self.folder = database_folder(folder)
        self.tools = _postgres_tools()
        self.process = None

    def start(self):
        if not os.path.exists(self.folder):
            os.makedirs(self.folder, 0o700)
            if os.geteuid() == 0:
                shutil.chown(self.folder, "postgres")
                _let_through(os.path.dirname(self.folder))
            self.run("initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        # A file that is left of a server that was killed names a process that may be another one by now.
        with open(os.path.join(os.path.dirname(self.folder), "postgres.log"), "ab") as log:
            self.process = subprocess.Popen(
                self.command("postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-c", "listen_addresses="),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=ends_with_parent)
        deadline = time.monotonic() + 60
        while subprocess.run(
                self.command("pg_isready", "-q", "-h", self.folder, "-U", "postgres"), cwd=self.folder).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure("PostgreSQL did not start; its log is postgres.log in the folder")
            time.sleep(0.05)

    def stop(self, number):
        """SIGINT is the fast way, SIGQUIT is `-m immediate`: no checkpoint, as after a crash."""
        if self.process:
            self.process.send_signal(number)
            self.process.wait(timeout=60)

    def run(self, *words):
        done = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True)
        if done.returncode != 0:
            raise Failure(f"{words[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
        return done.stdout.decode()

    def command(self, name, *words):
        """The server refuses to run as root. Debian's package has a user for it."""
        switch = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return [*switch, os.path.join(self.tools, name), *words]

    def rows(self, query):
        text = self.run("psql", "-h", self.folder, "-U", "postgres", "-AtX", "-c", f"SELECT json_agg(r) FROM ({query}) r")
        return json.loads(text.strip() or "null") or []

    def execute(self, statements):
        """Runs statements with semicolons between them, in one transaction."""
        self.run("psql", "-h", self.folder, "-U", "postgres", "-qX", "-c", statements)


# How long a replica stands still after SIGALRM, in seconds.
STANDSTILL = 60
# Seconds in which no transaction of a running replica does nothing. The replicas have one name at PostgreSQL, so the transaction of a
# stopped one is known by its standstill.
STILL = 0.1


class Cluster:
    def __init__(self, options):
        self.folder = os.path.abspath(options.folder)
        self.program = os.path.abspath(options.program)
        self.port = options.port or free_port()
        self.ports = [free_port() for _ in range(options.replicas)]
        self.environment = {
            **os.environ, f"{options.variables}_DATABASE": address(self.folder),
            f"{options.variables}_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
        }
        self.database = Database(self.folder)
        self.replicas = [None] * options.replicas
        self.balancer = None
        self.still = None  # the process that is stopped
        self.wanted = []  # signals that came in, in order

    def serve(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
            signal.signal(number, lambda number, _: self.wanted.append(number))
        try:
            os.makedirs(self.folder, exist_ok=True)
            self.database.start()
            for place in range(len(self.replicas)):
                self.start_replica(place)
            with open(f"{self.folder}/replicas.json", "w", encoding="utf-8") as file:
                json.dump(self.ports, file)
            self.start_balancer()
            self.await_ready()
            print(f"listening on http://127.0.0.1:{self.port}", file=sys.stderr, flush=True)
            return self.attend()
        finally:
            self.end()

    def attend(self):
        due = []  # (time, what starts again)
        while True:
            now = time.monotonic()
            for moment, start in [entry for entry in due if entry[0] <= now]:
                due.remove((moment, start))
                start()
            for place, replica in enumerate(self.replicas):
                if not replica or replica.poll() is None:
                    continue
                if replica.returncode != 69:  # its database was not there when it started
                    raise Failure(f"replica {place + 1} ended by itself with {replica.returncode}")
                self.replicas[place] = None
                due.append((now + 1, lambda place=place: self.start_replica(place)))
            if not self.wanted:
                time.sleep(0.02)
                continue
            number = self.wanted.pop(0)
            later = now + random.uniform(0, 3)
            if number == signal.SIGUSR1:
                running = [place for place, replica in enumerate(self.replicas) if replica and replica is not self.still]
                if running:
                    place = random.choice(running)
                    self.kill(self.replicas[place])
                    self.replicas[place] = None
                    due.append((later, lambda place=place: self.start_replica(place)))
            elif number == signal.SIGUSR2:
                if self.database.process:
                    self.database.stop(signal.SIGQUIT)
                    self.database.process = None
                    due.append((later, self.database.start))
            elif number == signal.SIGHUP:
                self.kill(self.balancer)
                self.start_balancer()
            elif number == signal.SIGALRM:
                if self.stop_inside_write():
                    due.append((time.monotonic() + STANDSTILL, self.go_on))
            else:
                return self.drain()

    def stop_inside_write(self):
        """Stops a replica when one of its transactions has written and waits for it. Whether one was found within 20 seconds."""
        if self.still or not self.database.process:
            return False
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not self.wanted:
            places = [place for place, replica in enumerate(self.replicas) if replica and replica.poll() is None]
            if not places:
                return False
            place = random.choice(places)
            replica = self.replicas[place]
            replica.send_signal(signal.SIGSTOP)
            time.sleep(STILL + 0.02)
            try:
                waiting = self.database.rows(
                    "SELECT pid FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND state LIKE 'idle in transaction%' "
                    f"AND state_change < clock_timestamp() - interval '{STILL} seconds'")
            except Failure:
                waiting = []
            if waiting:
                self.still = replica
                print(f"replica {place + 1} stands still inside of a write", file=sys.stderr, flush=True)
                return True
            replica.send_signal(signal.SIGCONT)
            time.sleep(random.uniform(0.01, 0.03))
        return False

    def go_on(self):
        if self.still and self.still.poll() is None:
            self.still.send_signal(signal.SIGCONT)
        self.still = None

    def start_replica(self, place):
        with open(f"{self.folder}/replica-{place + 1}.log", "ab") as log:
            self.replicas[place] = subprocess.Popen(
                [self.program, "serve", "--port", str(self.ports[place])], env=self.environment, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=ends_with_parent)

    def start_balancer(self):
        servers = "\n".join(
            f"    server replica{place + 1} 127.0.0.1:{port} check" for place, port in enumerate(self.ports))
        path = f"{self.folder}/haproxy.cfg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(BALANCER.format(port=self.port, servers=servers))
        with open(f"{self.folder}/haproxy.log", "ab") as log:
            self.balancer = subprocess.Popen(
                [_haproxy(), "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=ends_with_parent)

    def await_ready(self):
        deadline = time.monotonic() + 60
        for port in [*self.ports, self.port]:
            while True:
                try:
                    with urllib.request.urlopen(_request(port, "/health/ready"), timeout=5) as answer:
                        if answer.status == 200:
                            break
                except OSError:
                    pass
                for place, replica in enumerate(self.replicas):
                    if replica.poll() is not None:
                        with open(f"{self.folder}/replica-{place + 1}.log", encoding="utf-8", errors="replace") as log:
                            raise Failure(f"replica {place + 1} ended with {replica.returncode}: {log.read()[-400:]}")
                if time.monotonic() > deadline:
                    raise Failure(f"port {port} is not ready after a minute")
                time.sleep(0.05)

    def drain(self):
        """The status is that of the first replica that did not end with 0."""
        self.go_on()
        running = [replica for replica in self.replicas if replica]
        for replica in running:
            replica.send_signal(signal.SIGTERM)
        statuses = [replica.wait(timeout=60) for replica in running]
        self.replicas = [None] * len(self.replicas)
        return next((status for status in statuses if status), 0)

    def kill(self, process):
        process.kill()
        process.wait()

    def end(self):
        for process in [*self.replicas, self.balancer]:
            if process and process.poll() is None:
                self.kill(process)
        if self.database.process and self.database.process.poll() is None:
            self.database.stop(signal.SIGINT)


MIRRORED = [
    ("journal_entries", "id, host, severity, text, version"),
    ("sync_change", "collection, entity_id, version, deleted"),
    ("sync_mutation", "id, result"),
    ("sync_meta", "seq, base"),
]


def mirror(folder, file):
    database = Database(folder)
    new = f"{file}.new"
    if os.path.exists(new):
        os.remove(new)
    copy = sqlite3.connect(new)
    for table, columns in MIRRORED:
        copy.execute(f"CREATE TABLE {table} ({columns})")
        names = columns.split(", ")
        rows = [[row[name] for name in names] for row in database.rows(f"SELECT {columns} FROM {table}")]
        copy.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", rows)
    copy.commit()
    copy.close()
    os.replace(new, file)


def main():
    parser = argparse.ArgumentParser(prog="cluster.py", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve")
    serve.add_argument("--program", required=True)
    serve.add_argument("--port", type=int, default=0)
    serve.add_argument("--replicas", type=int, default=3)
    serve.add_argument("--variables", default="SHIFTLOG")
    copy = commands.add_parser("mirror")
    copy.add_argument("file")
    for command in (serve, copy):
        command.add_argument("--folder", required=True)
    options = parser.parse_args()
    if missing():
        print(f"Missing: sudo apt-get install {' '.join(missing())}", file=sys.stderr)
        return 69
    try:
        if options.command == "mirror":
            mirror(options.folder, options.file)
            return 0
        return Cluster(options).serve()
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
