"""Records what a version stores and sends, in Tests/Recorded/MAJOR.MINOR; `Scripts/record --version` starts it.

It runs the built programs: a server and the command line of two users, through a relay on 127.0.0.1 that keeps the bytes. It writes

    homes/ada/           SHIFTLOG_HOME of a client: rows, unsent writes, a conflict, a half upload, caches, settings, tokens
    server/sqlite.sql    the database of the server, and `server/attachments` its files
    server/postgres.sql  the same database on PostgreSQL, as pg_dump prints it
    wire.txt             the commands of a client, what it sent for them, and the responses
    facts.json           what the tests need to know: version, time, ids, keys

SQLite files are stored as the statements that make them, with `.sql` behind their name. ADDRESS stands for the server's host and port,
FOLDER for the folder in which the commands ran.
The tokens and keys in it belong to a server that is gone. A recording never changes: an existing target is refused.
"""

import argparse
import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from processes import Failure, end, ends_with_parent, listening

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PASSWORD = "correct horse battery"
# The server refuses a secret that looks like a placeholder.
SIGNING = hashlib.sha256(b"Strata recordings").hexdigest()
LARGEST = 200_000
# Bytes of a request that the relay lets through when it stops an upload.
STOP = 12_000
LEFT_OUT = {
    "host", "authorization", "x-api-key", "content-length", "connection", "transfer-encoding", "content-encoding", "accept-encoding",
    "date", "traceparent", "x-request-id", "user-agent", "server", "keep-alive", "ratelimit", "ratelimit-policy",
}


# The relay


class Relay:
    """Passes bytes on to the server, and keeps them by connection."""

    def __init__(self, port):
        self.target = port
        self.limit = None  # of bytes from a client, over all connections; then nothing passes until `cut`
        self.passed = 0
        self.connections = []
        self.sockets = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            kept = (bytearray(), bytearray())
            with self.lock:
                self.connections.append(kept)
                self.sockets += [client, server]
            for source, sink, stored, counts in ((client, server, kept[0], True), (server, client, kept[1], False)):
                threading.Thread(target=self.pass_on, args=(source, sink, stored, counts), daemon=True).start()

    def pass_on(self, source, sink, stored, counts):
        try:
            while data := source.recv(4096):
                if counts and self.limit is not None:
                    data = data[:max(0, self.limit - self.passed)]
                if counts:
                    self.passed += len(data)
                stored += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has ended the connection

    def stop_after(self, count):
        with self.lock:
            self.limit, self.passed = count, 0

    def cut(self):
        with self.lock:
            for one in self.sockets:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it has ended
            self.sockets.clear()

    def taken(self):
        """The exchanges since the last call, in the order of their connections."""
        with self.lock:
            connections, self.connections = self.connections, []
        return [pair for sent, received in connections for pair in zip(messages(sent), messages(received))]


def messages(stream):
    """The HTTP messages of one direction of a connection: first line, fields, body. Interim responses are left out."""
    found, place = [], 0
    while (stop := stream.find(b"\r\n\r\n", place)) >= 0:
        first, *lines = stream[place:stop].decode().split("\r\n")
        fields = [tuple(line.split(": ", 1)) for line in lines]
        values = {name.lower(): value for name, value in fields}
        place = stop + 4
        if re.match(r"HTTP/1\.1 1\d\d", first):
            continue
        if values.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(stream[place:stream.index(b"\r\n", place)].split(b";")[0], 16):
                place = stream.index(b"\r\n", place) + 2
                body += stream[place:place + size]
                place += size + 2
            place = stream.index(b"\r\n", place) + 4
        else:
            size = int(values.get("content-length", 0))
            body = bytes(stream[place:place + size])
            place += size
        if values.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        found.append((first, fields, body))
    return found


def block(mark, first, message):
    """A request or response as lines: the first one, the fields, and the body in one line, or quoted as a JSON string."""
    _, fields, body = message
    lines = [f"{mark} {first}"] + [f"{mark} {name.lower()}: {value}" for name, value in fields if name.lower() not in LEFT_OUT]
    text = body.decode()
    if text:
        isPlain = "\n" not in text and "\r" not in text
        lines.append(f"{mark}{mark} {text}" if isPlain else f'{mark}" {json.dumps(text, ensure_ascii=False)}')
    return lines


# The programs


class Stage:
    def __init__(self, binaries, folder):
        self.binaries, self.folder = binaries, folder
        self.process = None
        self.relay = None
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "TZ": "UTC", "LANG": "C.UTF-8", "NO_COLOR": "1",
            "SHIFTLOG_SIGNING_SECRET": SIGNING, "SHIFTLOG_PASSWORD_COST": "10", "SHIFTLOG_LOG_LEVEL": "warning",
            "SHIFTLOG_TOKEN_STORE": "file",
        }
        self.database = os.path.join(folder, "server.sqlite")

    def server(self, *arguments, given=None):
        done = subprocess.run(
            [os.path.join(self.binaries, "shiftlog-server"), *arguments], input=given, text=True, capture_output=True, timeout=120,
            env=self.environment | {"SHIFTLOG_DATABASE": f"sqlite:{self.database}"}, check=False)
        if done.returncode != 0:
            raise Failure(f"'shiftlog-server {' '.join(arguments)}' ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def start(self):
        log = os.path.join(self.folder, "server.log")
        with open(log, "wb") as file:
            self.process = subprocess.Popen(
                [os.path.join(self.binaries, "shiftlog-server"), "serve", "--port", "0"], stdin=subprocess.DEVNULL, stdout=file,
                stderr=file, env=self.environment | {"SHIFTLOG_DATABASE": f"sqlite:{self.database}"}, preexec_fn=ends_with_parent)
        port = int(listening(self.process, log).rpartition(":")[2])
        if self.relay is None:
            self.relay = Relay(port)
        self.relay.target, self.relay.limit = port, None

    def stop(self):
        self.relay.cut()
        if end(self.process) != 0:
            raise Failure("The server did not end well.")

    def home(self, name):
        return os.path.join(self.folder, "homes", name)

    def variables(self, name):
        return self.environment | {"SHIFTLOG_HOME": self.home(name), "SHIFTLOG_SERVER": f"http://{self.relay.address}"}

    def client(self, name, *arguments, given=None, status=0):
        done = subprocess.run(
            [os.path.join(self.binaries, "shiftlog"), *arguments], input=given, text=True, capture_output=True, timeout=120,
            env=self.variables(name), cwd=self.folder, check=False)
        if done.returncode != status:
            raise Failure(f"'{name}: shiftlog {' '.join(arguments)}' ended with {done.returncode}: {done.stdout} {done.stderr}")
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def login(self, name, user=None):
        self.client(name, "login", "--username", user or name, "--password-stdin", given=f"{PASSWORD}\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


# The content


def core_dump():
    """What is uploaded by half, more than the MiB that is sent as a form; the tests write the same file."""
    return "".join(f"{number} frame of db1\n" for number in range(70_000))


def fill(stage):
    """Brings rows into the server and the homes; returns what the tests need to know of them."""
    for name, role in (("ada", "admin"), ("bob", "member")):
        stage.server("create-user", name, "--role", role, "--password-stdin", given=f"{PASSWORD}\n")
        stage.login(name)

    def add(text, host, severity, *options):
        return stage.client(
            "ada", "journal", "add", text, "--host", host, "--severity", severity, "--at", "2026-11-21T09:05:00Z", "--json",
            *options)["id"]

    stage.client("ada", "config", "set", "profiles.work.server", f"http://{stage.relay.address}")
    runbook = stage.client(
        "ada", "runbooks", "create", "--title", "Restart", "--tag", "db", "--file", stage.write("restart.md", "# Restart\n1. Breathe.\n"),
        "--json")["id"]
    stage.client("ada", "runbooks", "list")
    full = add('Disk "/" full 🚒\n\tsecond line', "db1", "warning", "--runbook", runbook)
    gone, disputed, edited = add("Removed", "db1", "info"), add("Base", "web1", "info"), add("Edited", "web1", "critical")
    removed = add("Removed by the server", "web1", "info")
    attachment = stage.client(
        "ada", "attachments", "add", full, stage.write("disk.log", "no room\n"), "--json")["id"]
    key = stage.client("ada", "host-tokens", "create", "web1").strip()
    stage.client("ada", "request", "GET", "/v1/me")
    # A session that has ended, a refused login, and a row that only a machine wrote.
    stage.login("elsewhere", "bob")
    stage.client("elsewhere", "logout")
    stage.client("elsewhere", "login", "--username", "bob", "--password-stdin", given="wrong horse\n", status=77)
    stage.client(
        "elsewhere", "request", "POST", "/v1/journal/entries", "--header", f"X-API-Key: {key}", "--header", "Idempotency-Key: recorded-1",
        "--data", '{"id":"from-web1","text":"from the machine","occurred_at":"2026-11-21T09:06:00Z"}')

    stage.client("bob", "sync")
    stage.client("bob", "journal", "edit", disputed, "--text", "Theirs")
    stage.client("bob", "journal", "rm", removed)
    stage.client("bob", "sync")
    stage.client("ada", "journal", "edit", disputed, "--text", "Ours", "--offline")
    stage.client("ada", "sync")
    half_upload(stage, full)
    stage.client("ada", "journal", "edit", edited, "--severity", "warning", "--host", "web2", "--offline")
    stage.client("ada", "journal", "rm", gone, "--offline")
    queued = add("Waits for the network", "db1", "info", "--offline")
    return {
        "password": PASSWORD, "signing": SIGNING, "host_key": key, "runbook": runbook, "attachment": attachment, "full": full,
        "gone": gone, "disputed": disputed, "edited": edited, "removed": removed, "queued": queued,
    }


def half_upload(stage, entry):
    """Stops the network in the middle of an upload, so that home and server each keep their half."""
    path = stage.write("core.txt", core_dump())
    stage.relay.stop_after(STOP)
    adding = subprocess.Popen(
        [os.path.join(stage.binaries, "shiftlog"), "attachments", "add", entry, path], env=stage.variables("ada"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=stage.folder)
    drafts = os.path.join(stage.home("ada"), "state", "uploads", "default")
    try:
        wait("the upload stops", lambda: stage.relay.passed >= STOP and os.path.isdir(drafts) and any(
            not name.endswith(".lock") for name in os.listdir(drafts)))
    finally:
        adding.kill()
        adding.wait()
    stage.relay.cut()
    stage.relay.limit = None
    # The server writes what it has when the connection ends.
    database = sqlite3.connect(stage.database)
    wait("the server keeps a half", lambda: database.execute("SELECT max(received) FROM attachment_upload").fetchone()[0])
    database.close()


def wait(what, condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"Not within a minute: {what}.")
        time.sleep(0.05)


# Jobs that wait and that failed; this server has no kind of job, so a later one keeps them as well.
JOBS = """
INSERT INTO service_job (id, kind, job_key, queue_head, seq, state, payload, enqueued_at, due_at, attempt, failures, beat, error)
VALUES
    ('recorded-failed', 'recorded', 'one', NULL, 1, 'failed', '{"order":1}', 1795251600000, 1795251600000, 10, 10, 0, 'the mill is closed'),
    ('recorded-ready', 'recorded', NULL, NULL, 2, 'ready', '{"order":2}', 1795251600000, 1795251600000, 0, 0, 0, NULL);
"""

# Each runs in a home of its own in front of the recorded server; `{name}` is from the facts.
COMMANDS = [
    "login --username ada --password-stdin", "whoami --json", "sync --json", "journal list --json", "journal show {full} --json",
    "journal add Recorded --host web1 --at 2026-11-21T10:00:00Z --json", "journal edit {full} --severity critical --json",
    "runbooks list --json", "runbooks show {runbook} --json",
    "runbooks create --title Reboot --file {folder}/reboot.md --json",
    "attachments list {full} --json", "attachments get {attachment} -o {folder}/back.log --json",
    "attachments add {full} {folder}/more.log --json",
    "users list --json", "sessions list --json", "host-tokens list --json", "host-tokens create web2 --json", "status --json",
]

# Requests that no command makes, in the order in which they are sent: who, method, target, fields and body. `host` has a host token.
REQUESTS = [
    "- GET /v1/me", "- GET /health/live", "- GET /nowhere", "host GET /v1/journal/entries",
    "- POST /v1/oauth/device_authorization client_id=shiftlog",
    "- POST /v1/sessions {{\"username\":\"ada\",\"password\":\"wrong horse\"}}",
    "ada GET /v1/journal/entries", "ada GET /v1/journal/entries?host=db1&severity=critical&limit=1", "ada GET /v1/journal/entries?limit=0",
    "ada GET /v1/journal/entries/{edited}", "ada GET /v1/journal/entries/nowhere", "ada GET /v1/journal/entries/{removed}",
    'ada POST /v1/journal/entries {{"id":"by-rest","host":"web1","text":"by hand","later":1}}',
    'ada POST /v1/journal/entries {{"id":"by-rest","host":"web1","text":"another"}}', "ada POST /v1/journal/entries {{}}",
    'host POST /v1/journal/entries Idempotency-Key:recorded-1 '
    '{{"id":"from-web1","text":"from the machine","occurred_at":"2026-11-21T09:06:00Z"}}',
    'host POST /v1/journal/entries Idempotency-Key:recorded-1 {{"id":"from-web1","text":"another","occurred_at":"2026-11-21T09:06:00Z"}}',
    'ada PATCH /v1/journal/entries/by-rest {{"severity":"critical"}}',
    'ada PATCH /v1/journal/entries/by-rest If-Match:"1" {{"text":"too late"}}',
    "ada DELETE /v1/journal/entries/by-rest", "ada DELETE /v1/journal/entries/by-rest",
    "ada GET /v1/runbooks/{runbook}", 'ada PUT /v1/runbooks/{runbook} If-Match:"1" {{"title":"Restart","body":"# Again\\n","tags":[]}}',
    "ada GET /v1/attachments/{attachment}/content Range:bytes=1-2", "ada GET /v1/attachments/{attachment}/content Range:bytes=99-",
    "ada GET /v1/sync/changes", "ada GET /v1/sync/changes?collections=runes", "ada GET /v1/sync/changes?cursor=garbage",
    'ada POST /v1/users {{"username":"eve","password":"correct horse battery","role":"member"}}', "ada GET /v1/users/nowhere",
]


def ask(stage, facts):
    """Sends the requests through the relay."""
    client = http.client.HTTPConnection(stage.relay.address)
    with open(os.path.join(stage.home("wire"), "state", "tokens", "default", "tokens.json"), encoding="utf-8") as file:
        known = {"ada": {"Authorization": f"Bearer {json.load(file)['access_token']}"}, "host": {"X-API-Key": facts["host_key"]}, "-": {}}
    for line in REQUESTS:
        who, method, target, *rest = line.format(**facts).split(" ", 3)
        fields = dict(known[who])
        field, _, body = rest[0].partition(" ") if rest and re.match(r"[A-Z][A-Za-z-]*:", rest[0]) else ("", "", rest[0] if rest else "")
        if field:
            fields.update([field.split(":", 1)])
        if body:
            fields["Content-Type"] = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        client.request(method, target, body or None, fields)
        client.getresponse().read()
    client.close()


def play(stage, facts):
    """The commands with what the client sent and got, then the requests."""
    lines = []
    stage.relay.taken()
    stage.write("reboot.md", "# Reboot\n")
    stage.write("more.log", "more\n")
    for command in COMMANDS:
        words = [word.format(folder=stage.folder, **facts) for word in command.split(" ")]
        printed = stage.client("wire", *words, given=f"{PASSWORD}\n" if words[0] == "login" else None)
        lines.append(f"= {' '.join(words)}")
        if "--json" in words:
            lines.append(f"== {json.dumps(printed, ensure_ascii=False)}")
        lines += ["", *exchanges(stage)]
    ask(stage, facts)
    return "\n".join([*lines, "= requests", "", *exchanges(stage)])


def exchanges(stage):
    lines = []
    for request, response in stage.relay.taken():
        names = {name.lower() for name, _ in request[1]}
        who = "ada" if "authorization" in names else "host" if "x-api-key" in names else "-"
        method, target, _ = request[0].split(" ")
        lines += block(">", f"{who} {method} {target}", request)
        lines += [*block("<", response[0].split(" ")[1], response), ""]
    return lines


# The files


def statements(path):
    """A SQLite database as the statements that make it, its header's settings included."""
    database = sqlite3.connect(path)
    value = {name: database.execute(f"PRAGMA {name}").fetchone()[0]
             for name in ("page_size", "auto_vacuum", "encoding", "journal_mode", "application_id", "user_version")}
    if list(database.execute("PRAGMA foreign_key_check")):
        raise Failure(f"'{path}' has rows that refer to none.")
    # The rows come in the order of the tables' names, so none may look for the row that it refers to.
    lines = ["PRAGMA foreign_keys = OFF;"]
    lines += [f"PRAGMA {name} = {value[name]!r};" for name in ("page_size", "auto_vacuum", "encoding", "journal_mode")]
    lines += database.iterdump()
    lines += [f"PRAGMA {name} = {value[name]};" for name in ("application_id", "user_version")]
    database.close()
    return "\n".join(lines) + "\n"


def keep(source, target, told):
    """Copies a folder, its databases as statements. `told` replaces what is this run's own."""
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(("-wal", "-shm", ".lock", "-lock")):
                continue
            with open(path, "rb") as file:
                isDatabase = file.read(16) == b"SQLite format 3\0"
            to = os.path.join(target, os.path.relpath(path, source))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if isDatabase:
                write(to + ".sql", told(statements(path)))
            else:
                with open(path, encoding="utf-8") as file:
                    write(to, told(file.read()))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def postgres(stage, address):
    """The database on PostgreSQL, by the copy of the server itself; `address` is that of an empty database."""
    stage.server("copy", "--from", f"sqlite:{stage.database}", "--to", address)
    done = subprocess.run(
        ["pg_dump", "--no-owner", "--no-privileges", "--inserts", "--schema=public", address], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"pg_dump: {done.stderr}")
    # The commands of psql, comments, and the versions of the tools in them say nothing about the database. No recorded text has
    # lines of these kinds.
    lines = [line for line in done.stdout.split("\n") if line and not line.startswith(("\\", "--"))]
    left = re.compile(r"(SET |SELECT pg_catalog\.set_config|CREATE SCHEMA public|COMMENT ON SCHEMA|ALTER SCHEMA public)")
    return "\n".join(line.replace("public.", "") for line in lines if not left.match(line)) + "\n"


def record(binaries, address, target):
    if os.path.exists(target):
        raise Failure(f"'{os.path.relpath(target, ROOT)}' exists, and a recording does not change.")
    with tempfile.TemporaryDirectory(prefix="strata-record-") as folder:
        stage = Stage(binaries, folder)
        version = stage.server("--version").strip()
        try:
            stage.start()
            facts = {"version": version} | fill(stage)
            stage.stop()
            facts["recorded_at"] = int(time.time())
            with sqlite3.connect(stage.database) as database:
                database.executescript(JOBS)
            database.close()

            def told(text):
                # The last one is the name of a session's device.
                text = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", text).replace(folder, "FOLDER")
                return re.sub(rf"(?<=[\"' ]){re.escape(socket.gethostname())}(?=[\"' ])", "station", text)

            made = os.path.join(folder, "recording")
            keep(stage.home("ada"), f"{made}/homes/ada", told)
            write(f"{made}/server/sqlite.sql", told(statements(stage.database)))
            keep(stage.database + ".attachments", f"{made}/server/attachments", told)
            write(f"{made}/server/postgres.sql", told(postgres(stage, address)))
            stage.start()
            write(f"{made}/wire.txt", told(play(stage, facts)))
            stage.stop()
            write(f"{made}/facts.json", json.dumps(facts, indent=2) + "\n")
        finally:
            if stage.process:
                end(stage.process)
        for where, _, names in os.walk(made):
            for name in names:
                path = os.path.join(where, name)
                if os.path.getsize(path) > LARGEST:
                    raise Failure(f"'{os.path.relpath(path, made)}' has {os.path.getsize(path)} bytes, more than {LARGEST}.")
        shutil.copytree(made, target)


def main(arguments):
    parser = argparse.ArgumentParser(prog="Scripts/record --version", add_help=False, allow_abbrev=False)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--postgres", required=True)
    parser.add_argument("--target", required=True)
    options = parser.parse_args(arguments)
    try:
        record(os.path.realpath(options.binary), options.postgres, options.target)
    except Failure as failure:
        sys.exit(str(failure))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
