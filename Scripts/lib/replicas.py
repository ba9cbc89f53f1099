"""Three replicas of `shiftlog-server` on one PostgreSQL. `Scripts/replicas` starts it and explains the figures.

    replicas.py order SERVER DATABASE CHANGES    32 writers over three replicas, a reader of changes at each
    replicas.py pages SERVER DATABASE            pages of lists and of changes at random cursors

`replicas_waits.py` and `replicas_restore.py` have the other forms.
"""

import base64
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from processes import Failure, listening

PASSWORD = "correct-horse-9"
PUBLIC_URL = "http://replicas.example"
REPLICAS, WRITERS = 3, 32
# Before COMMIT, in a twentieth of the changes: up to so many seconds, and of each hundredth of them up to a second.
DELAY = 0.01
# The 99th percentile of a page in milliseconds, at most.
PAGE_MS = 20


class Refused(RuntimeError):
    def __init__(self, method, path, status, text):
        super().__init__(f"{method} {path}: {status} {text[:300]!r}")
        self.status = status


class Replica:
    def __init__(self, server, database, home, number, environment):
        self.log = os.path.join(home, f"replica{number}.log")
        self.name = f"replica-{number}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [server, "serve", "--port", "0", "--database", database], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=environment)
        self.port = None

    def wait(self):
        try:
            self.port = int(listening(self.process, self.log, r"listening on http://127\.0\.0\.1:(\d+)"))
        except Failure as failure:
            sys.exit(f"A replica does not start; its log is {self.log}. {failure}")

    def connection(self, token):
        return Connection(self.port, token)


class Connection:
    def __init__(self, port, token=None):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=90)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.token = token

    def send(self, method, path, body=None, key=None, is_text=False):
        """The decoded response, or its text.

        - key: An idempotency key.
        """
        # The name of PUBLIC_URL, which all replicas share, as behind a balancer.
        fields = {"Host": PUBLIC_URL.partition("//")[2]}
        if key:
            fields["Idempotency-Key"] = f'"{key}"'
        if body is not None:
            fields["Content-Type"] = "application/json"
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        self.http.request(method, path, json.dumps(body) if body is not None else None, fields)
        response = self.http.getresponse()
        text = response.read()
        if response.status >= 300:
            raise Refused(method, path, response.status, text)
        return text.decode() if is_text else json.loads(text or "null")

    def patiently(self, method, path, body=None, key=None):
        """As `send`, again where a client repeats: after 429, 503 and 504, and while the first request with the key runs. The response
        and the repetitions."""
        for repetitions in range(200):
            try:
                return self.send(method, path, body, key), repetitions
            except Refused as refusal:
                if refusal.status not in (409, 429, 503, 504) or refusal.status in (409, 504) and not key:
                    raise
                time.sleep(1 if refusal.status == 429 else 0.05)
        raise RuntimeError(f"{method} {path}: refused 200 times")


class Stage:
    """Replicas with some users, ended with the block."""

    def __init__(self, server, database, replicas, users=1, environment=None):
        """- environment: That of another stage, whose tokens and cursors are to be valid here. Default: a new one."""
        self.server, self.database, self.users = server, database, users
        self.home = tempfile.mkdtemp(prefix="replicas-")
        self.environment = environment
        self.replicas, self.count = [], replicas
        if environment:
            return
        secret = subprocess.run([server, "new-secret"], capture_output=True, text=True, check=True).stdout.strip()
        self.environment = dict(
            os.environ, SHIFTLOG_SIGNING_SECRET=secret, SHIFTLOG_HOME=self.home, SHIFTLOG_PUBLIC_URL=PUBLIC_URL, SHIFTLOG_LOG_LEVEL="warning",
            SHIFTLOG_ACCESS_TOKEN_SECONDS="7200",
            # The writers are few users. A 429 would make them wait a second, longer than what is measured.
            SHIFTLOG_RATE_USER="1000000,1000000", SHIFTLOG_RATE_KEYS="1000000,1000000")

    def __enter__(self):
        try:
            for number in range(self.users):
                self.create_user(f"user{number}")
            self.replicas = [
                Replica(self.server, self.database, self.home, number, self.environment)
                for number in range(self.count)]
            for replica in self.replicas:
                replica.wait()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for replica in self.replicas:
            replica.process.terminate()
        for replica in self.replicas:
            replica.process.wait(30)

    def create_user(self, name):
        done = subprocess.run(
            [self.server, "create-user", name, "--role", "admin", "--password-stdin", "--database", self.database],
            input=PASSWORD + "\n", text=True, capture_output=True, env=self.environment, check=False)
        if done.returncode != 0 and "taken" not in done.stderr:
            sys.exit(f"create-user: {done.returncode} {done.stderr}")

    def token(self, number):
        body = {"username": f"user{number}", "password": PASSWORD}
        return Connection(self.replicas[0].port).send("POST", "/v1/sessions", body)["access_token"]


def percentile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))]


def milliseconds(times):
    return "  ".join(
        f"{name} {percentile(times, share) * 1000:.1f}" for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1)))


# Order


def psql(database, sql):
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", database, "-c", sql], check=True)


def order(server, database, changes):
    users = 3
    with Stage(server, database, REPLICAS, users) as stage:
        # In the database, so that a transaction holds the place in the order that it took, and waits before its COMMIT.
        psql(database, f"""
            CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_sleep(random() * CASE WHEN random() < 0.01 THEN 1 ELSE {DELAY} END);
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON sync_change DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (random() < 0.05) EXECUTE FUNCTION slow_commit();""")
        tokens = [stage.token(number) for number in range(users)]
        written, lock, failures, times, repeated = {}, threading.Lock(), [], [], [0]
        left = [changes]

        def write(number):
            connection = stage.replicas[number % REPLICAS].connection(tokens[number % users])
            chance, client = random.Random(number), str(uuid.uuid4())
            sequence = 0
            while True:
                with lock:
                    count = min(left[0], chance.randint(1, 40))
                    left[0] -= count
                if count == 0:
                    return
                mutations = []
                for _ in range(count):
                    sequence += 1
                    mutations.append({
                        "id": str(uuid.uuid4()), "client_seq": sequence, "collection": "journal_entries",
                        "entity_id": str(uuid.uuid4()), "operation": "create", "at": "2026-01-01T00:00:00.000Z",
                        "fields": {
                            "host": f"host{number}", "severity": "info", "text": f"{number} {sequence}",
                            "occurred_at": "2026-01-01T00:00:00.000Z"}})
                begin = time.monotonic()
                answer, repetitions = connection.patiently(
                    "POST", "/v1/sync/mutations", {"client_id": client, "mutations": mutations})
                results, spent = answer["results"], time.monotonic() - begin
                with lock:
                    times.append(spent)
                    repeated[0] += repetitions
                    for mutation, result in zip(mutations, results):
                        if result["status"] != "applied":
                            failures.append(result)
                        else:
                            written[mutation["entity_id"]] = result["version"]

        done = threading.Event()
        read = [[] for _ in range(REPLICAS)]
        pages = [0] * REPLICAS

        def follow(number):
            connection = stage.replicas[number].connection(tokens[0])
            cursor, ended = "", False
            while True:
                # The writers have ended before the last page is asked for.
                ended = done.is_set()
                page = connection.send("GET", f"/v1/sync/changes?collections=journal_entries&limit=1000{cursor}")
                pages[number] += 1
                read[number] += [(change["id"], change["version"]) for change in page["changes"]]
                cursor = f"&wait=1&cursor={page['cursor']}"
                if ended and not page["changes"] and not page["has_more"]:
                    return

        def guarded(work, number):
            try:
                work(number)
            except BaseException as error:  # a thread must not end silently
                with lock:
                    failures.append(f"{work.__name__} {number}: {error!r}")
                    left[0] = 0

        readers = [threading.Thread(target=guarded, args=(follow, number)) for number in range(REPLICAS)]
        for reader in readers:
            reader.start()
        writers = [threading.Thread(target=guarded, args=(write, number)) for number in range(WRITERS)]
        start = time.monotonic()
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        seconds = time.monotonic() - start
        done.set()
        for reader in readers:
            reader.join()

    expected = set(written.items())
    missed = [len(expected - set(seen)) for seen in read]
    twice = [len(seen) - len({entity for entity, _ in seen}) for seen in read]
    print(f"{len(written)} changes of {WRITERS} writers over {REPLICAS} replicas in {seconds:.0f} s, "
          f"{len(times)} commits, {len(times) / seconds:.0f} a second, {repeated[0]} sent again after 503; "
          f"a batch in ms: {milliseconds(times)}")
    for number in range(REPLICAS):
        print(f"  reader at replica {number + 1}: {len(read[number])} in {pages[number]} pages, {missed[number]} missed, "
              f"{twice[number]} twice")
    same = all(seen == read[0] for seen in read)
    do_rise = all(before < after for seen in read for (_, before), (_, after) in zip(seen, seen[1:]))
    print(f"  the readers have {'one order' if same else 'DIFFERENT ORDERS'}, versions {'rise' if do_rise else 'DO NOT RISE'}; "
          f"{len(failures)} failures")
    for failure in failures[:5]:
        print(f"  {failure}")
    is_good = same and do_rise and len(written) == changes and not any(missed) and not any(twice) and not failures
    # `--planted` tells a broken order from other failures.
    sys.exit(0 if is_good else 3 if not same or not do_rise or any(missed) else 1)


# Pages


def cursor(values):
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def moved(known, moment):
    """A cursor of the same list of the journal as `known`, after another moment in milliseconds. The first value names the list."""
    name = json.loads(base64.urlsafe_b64decode(known + "=" * (-len(known) % 4)))[0]
    return cursor([name, f"={moment}", "f"])


def checksummed(cursor_text):
    """The fields of a cursor of the synchronisation, and a function that makes one with another version."""
    import hashlib
    fields = base64.urlsafe_b64decode(cursor_text + "=" * (-len(cursor_text) % 4))[8:].decode().split("\0")

    def text(version):
        joined = "\0".join(fields[:3] + [str(version), "", ""])
        digest = hashlib.sha256(f"strata-sync-cursor-2.{joined}".encode()).digest()[:8]
        return base64.urlsafe_b64encode(digest + joined.encode()).decode().rstrip("=")

    return text


def walked(connection):
    """The cursors of all pages of a round over all changes."""
    found, more, has_more = [], "", True
    while has_more:
        page = connection.send("GET", f"/v1/sync/changes?limit=1000{more}")
        has_more, more = page["has_more"], f"&cursor={page['cursor']}"
        # The last one is behind all changes.
        if has_more:
            found.append(page["cursor"])
    return found


def pages(server, database):
    def query(sql):
        done = subprocess.run(["psql", "-At", database, "-c", sql], capture_output=True, text=True, check=True)
        return [line.split("|") for line in done.stdout.splitlines()]

    entries, first, last = (int(value) for value in query(
        "SELECT count(*), min(occurred_at), max(occurred_at) FROM journal_entries")[0])
    chance = random.Random(5)
    with Stage(server, database, 1) as stage:
        connection = stage.replicas[0].connection(stage.token(0))
        cursors = walked(connection)

        known = {}

        def journal(more=""):
            """A page after a random moment."""
            if more not in known:
                known[more] = connection.send("GET", f"/v1/journal/entries?limit=1{more}")["next_cursor"]
            return f"/v1/journal/entries?limit=50{more}&cursor={moved(known[more], chance.randint(first, last))}"

        kinds = {
            # How the machine delays a request without a query.
            "nothing (/health/live)": lambda: "/health/live",
            "a page of 50 entries": journal,
            "50 entries of one host": lambda: journal(f"&host=host{chance.randint(0, 19)}"),
            "50 critical entries": lambda: journal("&severity=critical"),
            "50 changes": lambda: f"/v1/sync/changes?limit=50&cursor={chance.choice(cursors)}",
            "500 changes": lambda: f"/v1/sync/changes?limit=500&cursor={chance.choice(cursors)}",
        }
        print(f"{entries} entries, one replica, one connection; in ms:")
        missed = []
        for name, path in kinds.items():
            times = []
            for number in range(1050):
                target = path()
                begin = time.monotonic()
                connection.send("GET", target)
                # The first ones prepare statements.
                if number >= 50:
                    times.append(time.monotonic() - begin)
                if sum(times) > 60:
                    break
            print(f"  {name:22} {len(times):5} pages  {milliseconds(times)}", flush=True)
            if percentile(times, 0.99) * 1000 > PAGE_MS:
                missed.append(f"missed: the 99th percentile of {name}, goal {PAGE_MS} ms")
    print("\n".join(missed), end="\n" if missed else "")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "order":
        order(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        pages(sys.argv[2], sys.argv[3])
