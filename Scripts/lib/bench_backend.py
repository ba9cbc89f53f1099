"""Compares `shiftlog-server` with a Go service, FastAPI and Hummingbird alone.

Scripts/bench starts it and explains the figures. All servers run at once, one of them under load: wrk with 32 connections of
32 people. Each round measures each kind of request on each server, so that a slow moment of the machine meets them all.
"""

import http.client
import json
import os
import re
import secrets
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from processes import free_port

SECONDS = 4
PEOPLE = 32
ENTRIES = 1000
PASSWORD = "correct-horse-9"
KINDS = {"live": "live", "get": "get one", "unchanged": "304", "list": "list of 20", "create": "durable POST"}
# At least this ratio to the throughput of a peer.
GOALS = [
    ("live", "bare", 0.8), ("get", "go", 1.0), ("unchanged", "go", 1.0), ("list", "go", 1.0), ("get", "fastapi", 5.0),
    ("unchanged", "fastapi", 5.0), ("list", "fastapi", 5.0), ("create", "go", 2.0),
]
P99_TO_GO = 1.2
LOADED_MB, LATER_MB = 64, 48


class Server:
    """One of the programs that are compared."""

    PROBE = "/health/live"  # is 200 once it serves

    def __init__(self, name, command, environment, home):
        self.name, self.port, self.tokens, self.ids = name, free_port(), None, None
        with open(os.path.join(home, f"{name}.log"), "wb") as log:
            self.process = subprocess.Popen(
                [word.replace("PORT", str(self.port)) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=dict(os.environ, **environment))
        self.log = log.name

    def wait(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.send("GET", self.PROBE)[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{self.name} does not answer; its log is {self.log}.")

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def resident(self):
        """Megabytes of the process and its children."""
        processes, total = [self.process.pid], 0
        while processes:
            process = processes.pop()
            try:
                with open(f"/proc/{process}/status") as status:
                    total += int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
                with open(f"/proc/{process}/task/{process}/children") as children:
                    processes += map(int, children.read().split())
            except (OSError, TypeError):
                pass
        return total / 1024

    def load(self, kind, script, seconds=SECONDS):
        """Requests a second and the 99th percentile in milliseconds."""
        return self.measure(KINDS[kind], PEOPLE, seconds, script, kind, self.tokens or os.devnull, self.ids or os.devnull)

    def measure(self, title, connections, seconds, script, *words):
        """The same with `words` as arguments of the script."""
        text = subprocess.run(
            ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script, f"http://127.0.0.1:{self.port}", "--",
             *words],
            check=True, capture_output=True, text=True, timeout=seconds + 60).stdout
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text) or re.search(r"Socket errors: (.*)", text)
        if failed:
            sys.exit(f"{self.name} failed at '{title}': {failed[0]}.")
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)\b", text).groups()
        return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]

    def check(self, token, entry):
        """Each kind of request answers as it should, before anything is measured."""
        bearer, path = {"Authorization": f"Bearer {token}"}, f"/v1/journal/entries/{entry['id']}"
        new = {"text": "disk of node 3 is 91 % full", "host": "node3", "severity": "warning"}
        found = [
            self.send("GET", path)[0] in (401, 422), self.send("GET", path, **bearer)[0] == 200,
            self.send("GET", path, **bearer, **{"If-None-Match": f'"{entry["version"]}"'})[0] == 304,
            len(json.loads(self.send("GET", "/v1/journal/entries?limit=20", **bearer)[1])["items"]) == 20,
            self.send("POST", "/v1/journal/entries", new, **bearer, **{"Idempotency-Key": '"0123456789abcdef"'})[0] == 201,
        ]
        if not all(found):
            sys.exit(f"{self.name} does not do the same job: {found}.")


def keep(home, name, lines):
    path = os.path.join(home, name)
    with open(path, "w") as file:
        file.write("".join(f"{line}\n" for line in lines))
    return path


def prepared(strata, home):
    """People and entries of Strata's server: tokens and entries."""
    tokens = []
    for number in range(PEOPLE):
        status, body = strata.send(
            "POST", "/v1/sessions", {"username": f"person{number}", "password": PASSWORD},
            **{"Idempotency-Key": f'"{secrets.token_hex(16)}"'})
        if status != 201:
            sys.exit(f"a login failed with status {status}: {body.decode()}")
        tokens.append(json.loads(body)["access_token"])
    for number in range(ENTRIES):
        status, body = strata.send(
            "POST", "/v1/journal/entries",
            {"text": f"reading {number} of the tide gauge is late", "host": f"node{number % 7}", "severity": "info"},
            Authorization=f"Bearer {tokens[number % PEOPLE]}", **{"Idempotency-Key": f'"{secrets.token_hex(16)}"'})
        if status != 201:
            sys.exit(f"an entry was refused with status {status}: {body.decode()}")
    entries, cursor = [], ""
    while cursor is not None:
        page = json.loads(strata.send(
            "GET", f"/v1/journal/entries?limit=200{cursor and '&cursor=' + cursor}", Authorization=f"Bearer {tokens[0]}")[1])
        entries += page["items"]
        cursor = page["next_cursor"]
    strata.tokens, strata.ids = keep(home, "strata.tokens", tokens), keep(home, "ids", [f"{entry['id']} {entry['version']}" for entry in entries])
    return tokens, entries


def peer_tokens(home):
    """Tokens like ours, and the file with the key that verifies them."""
    import jwt
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), int(time.time())
    path = os.path.join(home, "public.pem")
    with open(path, "wb") as file:
        file.write(key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    claims = {"aud": "shiftlog", "iat": now, "exp": now + 86400, "role": "member", "client_id": "shiftlog", "iss": "peer"}
    return path, [
        jwt.encode(dict(claims, sub=secrets.token_hex(16), sid=secrets.token_hex(16), jti=secrets.token_hex(16),
                        name=f"person{number}"), key, "ES256", headers={"typ": "at+jwt", "kid": "peer"})
        for number in range(PEOPLE)]


def copied(entries, path):
    columns = ["author", "host", "id", "occurred_at", "severity", "text", "updated_at", "version"]
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(
            "CREATE TABLE entry (id TEXT NOT NULL PRIMARY KEY, author TEXT NOT NULL, host TEXT, occurred_at TEXT NOT NULL, "
            "severity TEXT NOT NULL, text TEXT NOT NULL, updated_at TEXT NOT NULL, version INTEGER NOT NULL)")
        database.execute("CREATE INDEX entry_time ON entry (occurred_at, id)")
        database.executemany(
            f"INSERT INTO entry ({', '.join(columns)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [[entry.get(column) for column in columns] for entry in entries])
    database.close()


def new_secret(program):
    return subprocess.run([program, "new-secret"], check=True, capture_output=True, text=True).stdout.strip()


def create_users(program, settings):
    for number in range(PEOPLE):
        subprocess.run(
            [program, "create-user", f"person{number}", "--role", "member", "--password-stdin"],
            env={**os.environ, **settings}, input=f"{PASSWORD}\n".encode(), check=True, capture_output=True)


def started(program, bare, peers, home):
    """The servers, each with the same people and entries."""
    database = os.path.join(home, "strata.sqlite")
    settings = {
        "SHIFTLOG_DATABASE": f"sqlite:{database}", "SHIFTLOG_LOG_LEVEL": "notice", "SHIFTLOG_ENVIRONMENT": "development",
        "SHIFTLOG_ACCESS_TOKEN_SECONDS": "3600",
        "SHIFTLOG_SIGNING_SECRET": new_secret(program),
    }
    subprocess.run([program, "migrate"], env={**os.environ, **settings}, check=True, capture_output=True)
    create_users(program, settings)
    servers = {"strata": Server("strata", [program, "serve", "--port", "PORT"], settings, home)}
    try:
        servers["strata"].wait()
        tokens, entries = prepared(servers["strata"], home)
        key, others = peer_tokens(home)
        token_file = keep(home, "peer.tokens", others)
        for name in ("go", "fastapi"):
            copied(entries, os.path.join(home, f"{name}.sqlite"))
        servers["go"] = Server(
            "go", [os.path.join(peers, "entries"), "127.0.0.1:PORT", os.path.join(home, "go.sqlite"), key], {}, home)
        servers["fastapi"] = Server(
            "fastapi",
            [sys.executable, "-m", "uvicorn", "entries:app", "--app-dir", os.path.join(peers, "app"), "--port", "PORT",
             "--workers", "2", "--no-access-log", "--log-level", "warning"],
            {"DATABASE": os.path.join(home, "fastapi.sqlite"), "PUBLIC_KEY": key}, home)
        servers["bare"] = Server("bare", [bare, "PORT"], {}, home)
        for name, server in servers.items():
            server.wait()
            if name in ("go", "fastapi"):
                server.tokens, server.ids = token_file, servers["strata"].ids
                server.check(others[0], entries[0])
        servers["strata"].check(tokens[0], entries[0])
    except BaseException:
        stop(servers)
        raise
    return servers


def stop(servers):
    for server in servers.values():
        server.process.terminate()
    for server in servers.values():
        try:
            server.process.wait(20)
        except subprocess.TimeoutExpired:
            server.process.kill()
            server.process.wait()


def measured(servers, script, rounds):
    """Medians: requests a second and p99 of each kind and server."""
    found = {}
    for kind in KINDS:
        for _ in range(rounds):
            for name, server in servers.items():
                if kind == "live" or name != "bare":
                    found.setdefault((kind, name), []).append(server.load(kind, script))
    return {pair: tuple(map(statistics.median, zip(*values))) for pair, values in found.items()}


def main(program, bare, peers, script, rounds):
    with tempfile.TemporaryDirectory() as home:
        servers = started(program, bare, peers, home)
        try:
            idle = {name: server.resident() for name, server in servers.items()}
            for name, server in servers.items():
                server.load("live" if name == "bare" else "get", script, 2)
            found = measured(servers, script, rounds)
            loaded = {name: server.resident() for name, server in servers.items()}
            time.sleep(10)
            later = {name: server.resident() for name, server in servers.items()}
        finally:
            stop(servers)
    return tell(servers, found, idle, loaded, later)


def tell(servers, found, idle, loaded, later):
    def row(*cells):
        print("".join(str(cell).rjust(14) if place else str(cell).ljust(22) for place, cell in enumerate(cells)))

    names, missed = list(servers), []
    row("requests a second", *names, *(f"to {name}" for name in names[1:]))
    for kind, title in KINDS.items():
        rates = [found.get((kind, name), (0, 0))[0] for name in names]
        row(title, *(f"{rate:,.0f}" if rate else "" for rate in rates),
            *(f"{rates[0] / rate:.2f}" if rate else "" for rate in rates[1:]))
    row("p99 in ms", *names)
    for kind, title in KINDS.items():
        row(title, *(f"{found[kind, name][1]:.2f}" if (kind, name) in found else "" for name in names))
    row("resident MB", *names)
    for title, sizes in (("idle", idle), ("loaded", loaded), ("10 s later", later)):
        row(title, *(f"{sizes[name]:.0f}" for name in names))
    for kind, peer, goal in GOALS:
        ratio = found[kind, "strata"][0] / found[kind, peer][0]
        if ratio < goal:
            missed.append(f"{KINDS[kind]}: {ratio:.2f} of {peer}, goal {goal}")
    for kind, title in KINDS.items():
        ratio = found[kind, "strata"][1] / found[kind, "go"][1]
        if ratio > P99_TO_GO:
            missed.append(f"p99 of {title}: {ratio:.2f} of go, goal {P99_TO_GO}")
    if loaded["strata"] > LOADED_MB or later["strata"] > LATER_MB:
        missed.append(f"memory: {loaded['strata']:.0f} MB, 10 s later {later['strata']:.0f} MB; goals {LOADED_MB} and {LATER_MB}")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5], int(sys.argv[5])))
