"""Used by the steps of the demo: the two programs, their homes, plain requests to the server, and the log to import."""

import collections
import contextlib
import datetime
import json
import os
import re
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import cluster
from processes import Failure, ends_with_parent, listening

DEFAULT_INPUT = "/var/log/dpkg.log"

# The demo imports `copy`, because the log itself may grow.
Log = collections.namedtuple("Log", "path copy format lines")
Outcome = collections.namedtuple("Outcome", "status out err seconds")


class Interrupted(BaseException):
    def __init__(self, number):
        self.number = number


def on_signal():
    def stop(number, _frame):
        raise Interrupted(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def expect(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


# The log


def find_input(path, copy=None):
    """The log to import, with its format and the number of its non-blank lines.

    With `copy` it is copied there, and the lines of the copy are counted.
    """
    chosen = path or DEFAULT_INPUT
    try:
        if copy:
            shutil.copyfile(chosen, copy)
        with open(copy or chosen, "rb") as file:
            lines = [line for line in file.read().split(b"\n") if line.strip(b" \t\v\f\r")]
    except OSError as error:
        hint = "" if path else "; name a log of this machine with --input FILE"
        raise Failure(f"'{chosen}' cannot be read: {error.strerror}{hint}.")
    if not lines:
        raise Failure(f"'{chosen}' has no lines; name another log with --input FILE.")
    return Log(
        os.path.abspath(chosen), copy, format_of([line.decode(errors="replace") for line in lines[:200]]), len(lines))


def format_of(lines):
    if all(line.lstrip().startswith("{") for line in lines):
        return "journald-json"
    actions = "startup|status|install|upgrade|configure|trigproc|remove|purge|conffile"
    dpkg = re.compile(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d ({actions}) ")
    if sum(1 for line in lines if dpkg.match(line)) * 2 >= len(lines):
        return "dpkg"
    return "lines"


# The stage


class Stage:
    """A temporary folder with a server and the homes of the clients."""

    def __init__(self, binaries, log, token_seconds, program="shiftlog"):
        self.binaries = binaries
        self.program = program
        self.variables = program.upper().replace("-", "_")
        self.log = log
        self.token_seconds = token_seconds
        self.home = tempfile.mkdtemp(prefix=f"{program}-demo-")
        self.database = f"sqlite:{self.home}/server/{program}.sqlite"
        os.makedirs(f"{self.home}/server")
        self.passwords = {"alice": secrets.token_urlsafe(18), "bob": secrets.token_urlsafe(18)}
        self.secret = None
        self.port = 0
        self.server = None
        self.children = []
        self.notes = {}  # values that one step stores for later steps

    # Programs

    def environment(self, home):
        """An environment without the settings of the caller, so neither its server nor its tokens are used."""
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "HOME": f"{self.home}/{home}",
            f"{self.variables}_HOME": f"{self.home}/{home}",
            f"{self.variables}_SERVER": f"http://127.0.0.1:{self.port}",
        }

    def start(self, *arguments, home="alice", stdin=None):
        """Starts the command line; `finish` waits for it."""
        os.makedirs(f"{self.home}/{home}", exist_ok=True)
        process = subprocess.Popen(
            [f"{self.binaries}/{self.program}", *arguments],
            env=self.environment(home),
            cwd=self.home,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=ends_with_parent,
        )
        process.began = time.monotonic()
        process.words = [self.program, *arguments]
        process.input = stdin.encode() if stdin is not None else None
        self.children.append(process)
        return process

    def finish(self, process, limit=60):
        try:
            out, err = process.communicate(process.input, timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"'{' '.join(process.words)}' did not end within {limit} seconds")
        finally:
            if process.poll() is not None:
                self.children.remove(process)
        seconds = time.monotonic() - process.began
        return Outcome(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"), seconds)

    def run(self, *arguments, home="alice", stdin=None, status=0, limit=60):
        """Runs the command line and expects an exit status; `None` takes any."""
        outcome = self.finish(self.start(*arguments, home=home, stdin=stdin), limit)
        if status is not None and outcome.status != status:
            said = (outcome.err.strip() or outcome.out.strip())[-400:]
            raise Failure(f"'{self.program} {' '.join(arguments)}' ended with {outcome.status} instead of {status}: {said}")
        return outcome

    def json(self, *arguments, home="alice", limit=60):
        outcome = self.run(*arguments, "--json", home=home, limit=limit)
        try:
            return json.loads(outcome.out)
        except ValueError:
            raise Failure(f"'{self.program} {' '.join(arguments)} --json' printed no JSON document: {outcome.out[:200]!r}")

    def tool(self, *arguments, stdin=None):
        """Runs a command of the server program, except `serve`."""
        done = subprocess.run(
            [f"{self.binaries}/{self.program}-server", *arguments],
            env=self.server_environment(),
            cwd=f"{self.home}/server",
            input=(stdin or "").encode(),
            capture_output=True,
            timeout=60,
        )
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip()[-400:]
            raise Failure(f"'{self.program}-server {' '.join(arguments)}' ended with {done.returncode}: {said}")
        return done.stdout.decode().strip()

    # The server

    def server_environment(self):
        environment = self.environment("server")
        environment[f"{self.variables}_DATABASE"] = self.database
        environment[f"{self.variables}_ACCESS_TOKEN_SECONDS"] = str(self.token_seconds)
        if self.secret:
            environment[f"{self.variables}_SIGNING_SECRET"] = self.secret
        return environment

    def start_server(self):
        """Starts the server on its previous port, or a free one, and waits until it listens."""
        path = f"{self.home}/server/stderr.log"
        offset = os.path.getsize(path) if os.path.exists(path) else 0
        with open(path, "ab") as errors:
            self.server = subprocess.Popen(
                self.serve_command(),
                env=self.server_environment(),
                cwd=f"{self.home}/server",
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                preexec_fn=ends_with_parent,
            )
        self.port = int(listening(self.server, path, r"listening on http://127\.0\.0\.1:(\d+)", offset=offset))
        return self.port

    def serve_command(self):
        return [f"{self.binaries}/{self.program}-server", "serve", "--port", str(self.port), "--database", self.database]

    def stop_server(self):
        """Sends SIGTERM to the server, as an init system does; returns its exit status."""
        self.server.send_signal(signal.SIGTERM)
        try:
            return self.server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
            raise Failure("the server did not end within 30 seconds of SIGTERM")

    def is_serving(self):
        return self.server is not None and self.server.poll() is None

    # The database of the server

    def rows(self, query):
        """What a query finds, as dictionaries."""
        return rows(self.database.removeprefix("sqlite:"), query)

    def execute(self, *statements):
        """Changes the database beside the server, in one transaction."""
        with contextlib.closing(sqlite3.connect(self.database.removeprefix("sqlite:"), timeout=20)) as database:
            for statement in statements:
                database.execute(statement)
            database.commit()

    # Plain requests to the server

    def http(self, method, path, form=None, body=None, token=None, port=None, fields=None):
        """Sends one request; returns `(status, document)`. The document is `None` if the body is not JSON.

        `port` is that of one replica, or of a relay; default: of the server, or of the balancer. `fields` are more header fields.
        """
        headers = {"Accept": "application/json", "Host": f"127.0.0.1:{self.port}", **(fields or {})}
        data = None
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{port or self.port}{path}", data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode(errors="replace")
        except OSError as error:
            raise Failure(f"{method} {path} got no response: {error}")
        try:
            return status, json.loads(text)
        except ValueError:
            return status, None

    def metric(self, name, **labels):
        """The sum of a counter over all its label sets with `labels`; a value that ends in `*` is a prefix."""
        total, seen = 0.0, False
        for line in "\n".join(self.metrics()).splitlines():
            match = re.fullmatch(rf"{name}(?:\{{(.*)\}})? ([0-9.e+]+)(?: \d+)?", line)
            if not match:
                continue
            seen = True
            found = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group(1) or ""))
            if all(_fits(found.get(key, ""), value) for key, value in labels.items()):
                total += float(match.group(2))
        return int(total) if seen or not labels else 0

    def metrics(self):
        """What `/metrics` says, a text of each server."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
            return [answer.read().decode()]

    def server_entries(self):
        """Every journal entry of the server by id, read page by page in a separate session."""
        status, session = self.http(
            "POST", "/v1/sessions", body={"username": "alice", "password": self.passwords["alice"], "device": "demo"})
        expect(status == 201, f"a plain login got {status}: {session}")
        entries, cursor, pages = {}, None, 0
        while True:
            query = {"limit": 200, **({"cursor": cursor} if cursor else {})}
            status, page = self.http(
                "GET", f"/v1/journal/entries?{urllib.parse.urlencode(query)}", token=session["access_token"])
            if status == 401:  # the access token of the demo expires after seconds
                status, session = self.http(
                    "POST", "/v1/oauth/token",
                    form={"grant_type": "refresh_token", "refresh_token": session["refresh_token"]})
                expect(status == 200, f"the refresh of a plain session got {status}: {session}")
                continue
            expect(status == 200, f"the server's journal got {status}: {page}")
            pages += 1
            for entry in page["items"]:
                expect(entry["id"] not in entries, f"the server lists the entry {entry['id']} twice")
                entries[entry["id"]] = entry
            cursor = page["next_cursor"]
            if not cursor:
                return entries, pages

    # Files of a client

    def token_file(self, home="alice"):
        """The only file below the state folder that contains a refresh token."""
        found = []
        for folder, _, names in os.walk(f"{self.home}/{home}/state/tokens"):
            for name in sorted(names):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    if "refresh_token" in file.read():
                        found.append(path)
        expect(len(found) == 1, f"{len(found)} files contain a refresh token: {found}")
        return found[0]

    def tokens(self, home="alice"):
        with open(self.token_file(home), encoding="utf-8") as file:
            return json.load(file)

    def mode(self, path):
        return oct(os.stat(path).st_mode & 0o777)[2:].rjust(4, "0")

    def write(self, name, text):
        path = f"{self.home}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def wait_for_expiry(self, home="alice"):
        """Waits until the present access token has expired."""
        time.sleep(self.token_seconds + 1.2)

    # The end

    def close(self, keep):
        """Ends the processes that this demo started, and deletes its folder unless `keep` is set."""
        processes = self.children + ([self.server] if self.is_serving() else [])
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)


class ReplicatedStage(Stage):
    """A stage whose server is several replicas behind a balancer, on one PostgreSQL."""

    def __init__(self, binaries, log, token_seconds, program="shiftlog", replicas=3):
        super().__init__(binaries, log, token_seconds, program)
        self.replicas = replicas
        self.database = cluster.address(f"{self.home}/server")

    def serve_command(self):
        return [
            sys.executable, "-B", cluster.__file__, "serve", "--program", f"{self.binaries}/{self.program}-server",
            "--folder", f"{self.home}/server", "--port", str(self.port), "--variables", self.variables,
            "--replicas", str(self.replicas),
        ]

    def rows(self, query):
        return cluster.Database(f"{self.home}/server").rows(query)

    def execute(self, *statements):
        cluster.Database(f"{self.home}/server").execute("; ".join(statements))

    def metrics(self):
        return cluster.metrics(f"{self.home}/server")

    def ports(self):
        """The ports of the replicas."""
        return cluster.ports(f"{self.home}/server")

    def kill_replica(self):
        """Kills one of the replicas; the cluster starts it again."""
        self.server.send_signal(signal.SIGUSR1)

    def stop_database(self):
        """Stops PostgreSQL at once, as a crash does; the cluster starts it again."""
        self.server.send_signal(signal.SIGUSR2)

    def kill_balancer(self):
        """Kills the balancer with all its connections; the cluster starts it again."""
        self.server.send_signal(signal.SIGHUP)


def rows(path, query):
    """What a query finds in an SQLite file, as dictionaries."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(query)]


def _fits(value, wanted):
    return value.startswith(wanted[:-1]) if wanted.endswith("*") else value == wanted


def moment(text):
    """An RFC 3339 time as a value, so that different texts of one time are equal."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
