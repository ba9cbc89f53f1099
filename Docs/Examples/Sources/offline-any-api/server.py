"""A task list over HTTP by its own rules, with Python's standard library only.

    server.py DATABASE [--port N] [--hold SECONDS | --die]

The server gives the ids. A list is read by offset, three tasks a page, without ETags; one task has an ETag, and `If-Match` is
obeyed by PATCH only. There is no idempotency key, so a POST that is sent twice makes two tasks. Names mix camel and snake case.

--hold SECONDS   stores each write at once and answers it later
--die            stores the next write and is killed before the answer
"""

import argparse
import http.server
import json
import os
import re
import signal
import sqlite3
import time
import urllib.parse

TABLE = """CREATE TABLE IF NOT EXISTS task (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 1)"""
PAGE = 3


def shown(row):
    return {"id": row[0], "taskTitle": row[1], "is_done": bool(row[2])}


def tag(row):
    return f'"{row[0]}-{row[3]}"'


class Refusal(Exception):
    """A status and the sentence that explains it."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urllib.parse.urlsplit(self.path)
        found = re.fullmatch(r"/api/tasks(?:/(\d+))?", url.path)
        database = sqlite3.connect(self.server.database, timeout=10)
        try:
            with database:  # a transaction
                if not found:
                    raise Refusal(404, f"There is no {url.path}.")
                fields = json.loads(body) if body else {}
                query = dict(urllib.parse.parse_qsl(url.query))
                route = getattr(self, f"{self.command.lower()}_{'one' if found[1] else 'all'}", None)
                if route is None:
                    raise Refusal(405, f"{self.command} is not possible here.")
                status, document, etag = route(database, found[1] and int(found[1]), fields, query)
        except Refusal as refusal:
            status, document, etag = refusal.args[0], {"message": refusal.args[1]}, None
        finally:
            database.close()
        if self.command != "GET" and status < 300:
            if self.server.dies:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(self.server.hold)
        self.answer(status, document, etag)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any

    def answer(self, status, document, etag):
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        if data:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(data)

    # MARK: Routes: each answers with a status, a document and an ETag.

    def get_all(self, database, _, __, query):
        rows = database.execute(
            "SELECT * FROM task ORDER BY id LIMIT ? OFFSET ?", (PAGE, int(query.get("offset", 0)))).fetchall()
        total = database.execute("SELECT count(*) FROM task").fetchone()[0]
        return 200, {"tasks": [shown(row) for row in rows], "totalCount": total}, None

    def get_one(self, database, key, *_):
        row = self.row(database, key)
        return 200, shown(row), tag(row)

    def post_all(self, database, _, fields, __):
        key = database.execute(
            "INSERT INTO task (title, done) VALUES (?, ?)", (self.title(fields), bool(fields.get("is_done")))).lastrowid
        return 201, shown(self.row(database, key)), None

    def patch_one(self, database, key, fields, _):
        row = self.row(database, key)
        wanted = self.headers.get("If-Match")
        if wanted not in (None, "*", tag(row)):
            raise Refusal(412, "The task has changed.")
        title = self.title(fields) if "taskTitle" in fields else row[1]
        database.execute(
            "UPDATE task SET title = ?, done = ?, version = version + 1 WHERE id = ?",
            (title, bool(fields.get("is_done", row[2])), key))
        row = self.row(database, key)
        return 200, shown(row), tag(row)

    def delete_one(self, database, key, *_):
        self.row(database, key)
        database.execute("DELETE FROM task WHERE id = ?", (key,))
        return 204, None, None

    # MARK: Checks

    def row(self, database, key):
        row = database.execute("SELECT * FROM task WHERE id = ?", (key,)).fetchone()
        if row is None:
            raise Refusal(404, f"There is no task {key}.")
        return row

    def title(self, fields):
        title = fields.get("taskTitle")
        if not isinstance(title, str) or not 1 <= len(title) <= 40:
            raise Refusal(422, "taskTitle must have 1 to 40 characters.")
        return title


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        """A client may be killed in the middle of a call."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hold", type=float, default=0)
    parser.add_argument("--die", action="store_true")
    options = parser.parse_args()
    with sqlite3.connect(options.database) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(TABLE)
    server = Server(("127.0.0.1", options.port), Handler)
    server.database, server.hold, server.dies = options.database, options.hold, options.die
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
