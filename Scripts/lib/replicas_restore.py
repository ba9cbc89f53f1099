"""Clients with old cursors after a dump was restored into a new cluster, and after copies to SQLite and back.

    replicas_restore.py SERVER FOLDER      makes PostgreSQL clusters in FOLDER

The first cluster has used up many transaction ids, the others begin with small ones. Clients have cursors from before the dump,
from its moment, and from after it. Each must have the rows of the database in the end. `Scripts/replicas` starts it.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid

import cluster
from replicas import Refused, Stage
from processes import Failure

PATH = "/v1/sync/changes?collections=journal_entries&limit=100"


class Client:
    """The rows of a client by its cursor. It starts again when the server asks for it."""

    def __init__(self, name):
        self.name, self.rows, self.cursor, self.fresh, self.starts = name, {}, None, None, 0

    def follow(self, connection):
        while True:
            try:
                page = connection.send("GET", PATH + (f"&cursor={self.cursor}" if self.cursor else ""))
            except Refused as refusal:
                if refusal.status not in (409, 410) or not self.cursor:
                    raise
                self.cursor, self.fresh = None, None
                self.starts += 1
                continue
            if self.cursor is None:
                self.fresh = set()
            for change in page["changes"]:
                if change["operation"] == "delete":
                    self.rows.pop(change["id"], None)
                else:
                    self.rows[change["id"]] = (change["version"], change["data"]["text"])
                    if self.fresh is not None:
                        self.fresh.add(change["id"])
            self.cursor = page["cursor"]
            if page["has_more"]:
                continue
            if self.fresh is not None:
                self.rows = {key: value for key, value in self.rows.items() if key in self.fresh}
                self.fresh = None
            if not page["changes"]:
                return

    def converge(self, connection, rows, place):
        deadline = time.monotonic() + 30
        while True:
            self.follow(connection)
            if self.rows == rows:
                return
            if time.monotonic() > deadline:
                odd = [key for key in {*self.rows, *rows} if self.rows.get(key) != rows.get(key)]
                raise Failure(
                    f"{place}: the client '{self.name}' has {len(odd)} other rows, such as {odd[0]}: {self.rows.get(odd[0])} "
                    f"instead of {rows.get(odd[0])}")
            time.sleep(0.2)


class Writing:
    """Creates, edits and deletes entries."""

    def __init__(self, connection):
        self.connection, self.entries = connection, []

    def create(self, count, words):
        for number in range(count):
            body = {"text": f"{words} {number}", "host": "node", "severity": "info"}
            self.entries.append(self.connection.patiently("POST", "/v1/journal/entries", body, str(uuid.uuid4()))[0])

    def change(self, words):
        """Edits every third entry and deletes every seventh."""
        kept = []
        for number, entry in enumerate(self.entries):
            path = f"/v1/journal/entries/{entry['id']}"
            if number % 7 == 0:
                # The version is not asked for: a later one may be there.
                self.send("DELETE", path, entry)
                continue
            if number % 3 == 0:
                entry = self.send("PATCH", path, entry, {"text": f"{words}, edit of {number}"})
            kept.append(entry)
        self.entries = kept

    def send(self, method, path, entry, body=None):
        connection = self.connection
        fields = {"Host": "replicas.example", "Authorization": f"Bearer {connection.token}", "If-Match": f'"{entry["version"]}"',
                  "Content-Type": "application/json"}
        for _ in range(50):
            connection.http.request(method, path, json.dumps(body) if body else None, fields)
            response = connection.http.getresponse()
            text = response.read()
            if response.status != 503:
                break
            time.sleep(0.05)
        if response.status >= 300:
            raise Refused(method, path, response.status, text)
        return json.loads(text or "null")


def postgres_rows(database):
    return {row["id"]: (row["version"], row["text"]) for row in database.rows("SELECT id, version, text FROM journal_entries")}


def sqlite_rows(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
        return {key: (version, text) for key, version, text in file.execute("SELECT id, version, text FROM journal_entries")}


def transaction_id(database):
    return int(database.rows("SELECT pg_current_xact_id()::text AS id")[0]["id"])


def started(folder, name):
    path = os.path.join(folder, name)
    os.makedirs(path)
    database = cluster.Database(path)
    database.start()
    return database, cluster.address(path)


def live(stage, clients, place, rows, may_start=()):
    """Writes, changes and follows there: each client must have the rows of the database each time.

    - may_start: Names of the clients that may start again. Default: none.
    """
    token = stage.token(0)
    connection = stage.replicas[-1].connection(token)
    writing = Writing(stage.replicas[0].connection(token))
    before = [client.starts for client in clients]
    for words in ("first", "second"):
        writing.create(40, f"{place} {words}")
        writing.change(f"{place} {words}")
        for client in clients:
            client.converge(connection, rows(), place)
    started_again = [client.name for client, starts in zip(clients, before) if client.starts > starts]
    print(f"    {place}: {len(clients)} clients have its {len(rows())} rows; started again: {', '.join(started_again) or 'none'}", flush=True)
    if without_reason := [name for name in started_again if name not in may_start]:
        raise Failure(f"{place}: the database has what these clients had, but they started again: {', '.join(without_reason)}")


def copy(server, stage, origin, goal):
    done = subprocess.run([server, "copy", "--from", origin, "--to", goal], env=stage.environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"copy ended with {done.returncode}: {done.stderr[-600:]}")


def main(server, folder):
    databases = []
    try:
        old, old_address = started(folder, "old")
        databases.append(old)
        burn = os.path.join(old.folder, "burn.sql")
        with open(burn, "w", encoding="utf-8") as file:
            file.write("SELECT pg_current_xact_id();\n")
        os.chmod(burn, 0o644)
        old.run("pgbench", "-h", old.folder, "-U", "postgres", "-n", "-f", burn, "-c", "8", "-t", "10000", "postgres")
        subprocess.run([server, "migrate", "--database", old_address], check=True, capture_output=True)

        clients = [Client("from before"), Client("from the dump"), Client("from after")]
        early, present, ahead = clients
        dump = os.path.join(old.folder, "dump")
        with Stage(server, old_address, 2) as first:
            token = first.token(0)
            writing, reader = Writing(first.replicas[0].connection(token)), first.replicas[1].connection(token)
            writing.create(150, "old")
            early.converge(reader, postgres_rows(old), "old")
            writing.create(150, "old, more")
            writing.change("old")
            present.converge(reader, postgres_rows(old), "old")
            old.run("pg_dump", "-h", old.folder, "-U", "postgres", "-Fc", "-f", dump, "postgres")
            # The new cluster will never have these.
            writing.create(60, "lost")
            writing.change("lost")
            ahead.converge(reader, postgres_rows(old), "old")

        new, new_address = started(folder, "new")
        databases.append(new)
        text = os.path.join(new.folder, "dump")
        os.rename(dump, text)
        ids = (transaction_id(old), transaction_id(new))
        if ids[1] >= ids[0]:
            raise Failure(f"the new cluster has larger transaction ids than the old one: {ids}")
        new.run("pg_restore", "-h", new.folder, "-U", "postgres", "-d", "postgres", text)
        print(f"    restored from transaction {ids[0]} to {ids[1]}", flush=True)
        with Stage(server, new_address, 2, environment=first.environment) as stage:
            live(stage, clients, "restored", lambda: postgres_rows(new), [ahead.name])

        file = os.path.join(folder, "copy.sqlite")
        copy(server, stage, new_address, f"sqlite:{file}")
        with Stage(server, f"sqlite:{file}", 1, environment=first.environment) as stage:
            live(stage, clients, "copied to SQLite", lambda: sqlite_rows(file))

        last, last_address = started(folder, "last")
        databases.append(last)
        copy(server, stage, f"sqlite:{file}", last_address)
        with Stage(server, last_address, 2, environment=first.environment) as stage:
            live(stage, clients, "copied to PostgreSQL", lambda: postgres_rows(last))
        return 0
    except Failure as failure:
        print(f"missed: {failure}")
        return 1
    finally:
        for database in databases:
            database.stop(signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
