"""Loads real programs for some minutes, injects faults, and checks invariants each second. Scripts/soak explains it."""

import asyncio
import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import random
import secrets
import signal
import sys
import threading
import time

import cluster
import soak_faults
import soak_planted
import soak_readers
import soak_stage
import soak_table
import soak_watch
import soak_writers
from arguments import Parser
from demo_stage import Failure, Interrupted, expect, on_signal
from soak_homes import Home
from soak_http import Client, Session
from soak_ledger import Ledger
from soak_record import Record

HTTP_USERS = ("reader", "writer", "guest", "probe")


class Run:
    """One engine."""

    def __init__(self, engine, options):
        self.engine, self.seed, self.load, self.options = engine, options.seed, options.load, options
        self.memory = options.memory * soak_watch.MB
        self.record = Record()
        self.ledger = Ledger(self.record.now)
        self.password, self.users, self.port = secrets.token_urlsafe(18), 4, 0
        self.is_over = self.is_quiet = self.is_burst = False
        self.halted = self.probe = None
        self.sessions = {user: Session(self, user) for user in HTTP_USERS}
        self.runbooks, self.entries, self.cursor = [], [], None
        self.files, self.digests, self.titles = {}, {}, {}
        self.homes, self.actors, self.relays = [], [], []
        kind = soak_stage.SQLiteSoakStage if engine == "sqlite" else soak_stage.PostgresSoakStage
        self.stage = kind(options.programs)
        self.watch = soak_watch.Watch(self)
        self.loop = asyncio.new_event_loop()

    def chance(self, name):
        return random.Random(f"{self.seed} {self.engine} {name}")

    def signal(self, pid, number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    def on_loop(self, work, limit):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(limit)

    # MARK: The beginning

    def start(self):
        stage = self.stage
        stage.secret = stage.tool("new-secret")
        stage.start_server()
        self.port = stage.port
        users = [*HTTP_USERS, *(f"ops{number}" for number in range(self.users))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self.create_user, users))
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.homes = [Home(self, number) for number in range(self.options.homes)]
        self.relays = [home.relay for home in self.homes]
        for session in self.sessions.values():
            self.on_loop(session.renew(None), 60)
        self.on_loop(self.fill(), 300)
        self.attachment = stage.write("attachment.bin", "attached " * 4000)
        plain = stage.environment
        stage.environment = lambda home: self.environment(plain, home)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(Home.prepare, self.homes))
        kinds = [*soak_readers.READERS, *soak_writers.WRITERS]
        self.actors = [kind(self, number) for kind in kinds for number in range(kind.count)]

    def create_user(self, name):
        self.stage.tool("create-user", name, "--role", "member", "--password-stdin", stdin=f"{self.password}\n")

    def environment(self, plain, home):
        variables = plain(home)
        owner = next((one for one in self.homes if one.name == home), None)
        if owner:
            variables["SHIFTLOG_SERVER"] = f"http://127.0.0.1:{owner.relay.port}"
            if owner.clock:
                variables.update(LD_PRELOAD=self.stage.library, FAULTS_CLOCK=str(owner.clock))
        return variables

    async def fill(self):
        """Ten thousand entries, and the runbooks that are written."""
        chance, client, sequence = self.chance("fill"), Client(self, "fill", "writer"), 0
        for _ in range(0, self.options.entries, 100):
            batch = []
            for _ in range(100):
                sequence += 1
                text = f"base {sequence} {'lorem ipsum ' * chance.randint(1, 15)}".strip()
                batch.append(soak_writers.mutation(chance, sequence, f"host{sequence % 40}", text))
            answer = await client.send("POST", "/v1/sync/mutations", {"client_id": "fill", "mutations": batch})
            expect(answer and answer.status == 200, f"the entries cannot be written: {answer}")
            self.entries += [item["entity_id"] for item in batch[:2]]
        for number in range(soak_writers.Runbooks.count):
            body = {"title": f"runbook {number}", "body": "x" * soak_writers.LARGE, "tags": []}
            answer = await client.send("POST", "/v1/runbooks", body)
            expect(answer and answer.status == 201, f"a runbook cannot be written: {answer}")
            self.runbooks.append(answer.json["id"])
        # A cursor belongs to its user.
        client, has_more = Client(self, "fill", "reader"), True
        while has_more:
            page = await client.send("GET", f"/v1/sync/changes?limit=1000{f'&cursor={self.cursor}' if self.cursor else ''}")
            expect(page and page.status == 200, f"the changes cannot be read: {page}")
            self.cursor, has_more = page.json["cursor"], page.json["has_more"]

    # MARK: The load

    def go(self, seconds):
        """Until the time is over, or 5 seconds after an invariant broke."""
        self.record.restart()
        self.probe = soak_watch.Probe(
            self, [sys.executable, "-B", f"{os.path.dirname(__file__)}/soak_probe.py", str(self.port), f"127.0.0.1:{self.port}", "probe"],
            {"PATH": os.environ.get("PATH", "/usr/bin:/bin")})
        faults = soak_faults.plan(self, seconds)
        tasks = [asyncio.run_coroutine_threadsafe(actor.work(), self.loop) for actor in self.actors]
        for home in self.homes:
            home.start()
        shown = looked = 0
        while (now := self.record.now()) < seconds:
            while faults and faults[0].at <= now:
                faults.pop(0).action()
            if now >= looked:
                self.watch.look()
                looked = int(now) + 1
            if now >= shown + 10:
                shown += 10
                print(soak_table.progress(self), file=sys.stderr, flush=True)
            if not self.stage.is_serving():
                self.record.broke("servers run", "the server ended by itself")
            first = self.record.first()
            if first and now > first[0] + 5 and not self.options.go_on:
                break
            time.sleep(0.05)
        self.end_load(tasks)

    def end_load(self, tasks):
        soak_faults.step_clock(self, 0)
        soak_faults.slow_disk(self, 0)
        if self.halted:
            self.signal(self.halted, signal.SIGCONT)
        for relay in self.relays:
            relay.is_cut = False
        self.is_over = True
        limit = time.monotonic() + 60
        for task in tasks:
            with contextlib.suppress(concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
                task.result(max(0.1, limit - time.monotonic()))
            task.cancel()
        for home in self.homes:
            home.join(max(1, limit + 60 - time.monotonic()))
            if home.is_alive():
                self.record.broke("commands end", f"{home.name} did not end its command")
        self.probe.close()

    # MARK: The end

    def settle(self):
        """Compares the homes and the ledger with the database, when all have sent what they have."""
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(Home.settle, self.homes))
            list(pool.map(Home.catch_up, self.homes))
        rows = {row["id"]: (row["version"], row["text"]) for row in self.stage.rows("SELECT id, version, text FROM journal_entries")}
        for kind, problems in zip(("lost", "different", "doubled"), self.ledger.compare(rows)):
            for text in problems:
                self.record.broke("acknowledged writes are there once", f"{kind}: {text}")
        for home in self.homes:
            local = soak_stage.local_rows(self.stage, home.name)
            if local != rows:
                odd = [key for key in {*local, *rows} if local.get(key) != rows.get(key)]
                self.record.broke(
                    "homes are equal to the server", f"{home.name}: {len(odd)} rows, such as {odd[0]}: "
                    f"{local.get(odd[0])} instead of {rows.get(odd[0])}")
        for row in self.stage.rows("SELECT id, title FROM runbooks"):
            if row["id"] in self.titles and row["title"] not in self.titles[row["id"]]:
                self.record.broke("acknowledged writes are there once", f"runbook {row['id']} has the title '{row['title']}'")
        self.on_loop(self.check_files(), 300)
        return len(rows)

    async def check_files(self):
        client = Client(self, "files", "reader")
        for key, digest in list(self.digests.items())[-200:]:
            answer = await client.send("GET", f"/v1/attachments/{key}/content")
            if not answer or answer.status != 200 or hashlib.sha256(answer.body).digest() != digest:
                self.record.broke("acknowledged writes are there once", f"file {key}: {answer.status if answer else 'no response'}")
        client.wire.close()

    def check_idle(self):
        """What is left open when all clients have ended."""
        self.watch.rest()
        engine = self.engine
        left = self.stage.stale_reads() if engine == "sqlite" else self.stage.sessions()
        if left:
            self.record.broke("no transaction stays open", f"without clients: {left}")
        # A response that no client has read counts too.
        if failures := self.stage.metric("shiftlog_http_requests_total", status="500"):
            self.record.broke("no 500", f"{failures} by the count of the servers")
        if engine == "postgres" and self.stage.metric("shiftlog_database_connections_waiting"):
            self.record.broke("no transaction stays open", "transactions wait for a connection without clients")

    def close(self, keep):
        self.is_over = True
        if self.probe:
            self.probe.close()
        if self.halted:
            self.signal(self.halted, signal.SIGCONT)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.stage.close(keep)


def soak(engine, options):
    run, seconds = Run(engine, options), options.seconds
    try:
        print(f"{engine}: starting", file=sys.stderr, flush=True)
        began = time.monotonic()
        run.start()
        print(f"{engine}: filled in {time.monotonic() - began:.0f} s; load for {seconds:.0f} s, seed {options.seed}", file=sys.stderr, flush=True)
        run.go(seconds)
        rows = 0
        if not run.record.broken["no 500"]:
            run.check_idle()
            rows = run.settle()
        soak_table.judge(run)
        print(soak_table.table(run, rows))
        run.close(keep=options.keep or bool(run.record.broken))
        return run.record
    except BaseException as error:
        run.close(keep=options.keep or isinstance(error, Exception))
        raise


def main():
    parser = Parser("Scripts/soak")
    parser.add_argument("minutes", type=float, nargs="?", default=60)
    parser.add_argument("--engine", choices=("sqlite", "postgres", "both"), default="both")
    parser.add_argument("--programs")
    parser.add_argument("--planted", metavar="NAME")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--load", type=float, default=1)
    parser.add_argument("--homes", type=int, default=20)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--probe-ms", type=float, default=250)
    parser.add_argument("--memory", type=int, default=96)
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.minutes <= 0 or options.homes < 1 or options.load <= 0:
        parser.error("MINUTES, --homes and --load must be above zero")
    if options.programs == "-":  # only the arguments are checked
        return 0
    options.seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    engines = ("sqlite", "postgres") if options.engine == "both" else (options.engine,)
    options.seconds = 60 * options.minutes / len(engines)
    needs_cluster = "postgres" in engines if not options.planted else options.planted not in ("list", "check")
    if needs_cluster and cluster.missing():
        print(f"Missing: sudo apt-get install {' '.join(cluster.missing())}", file=sys.stderr)
        return 69
    on_signal()
    if options.planted:
        options.seconds = 60 * options.minutes
        return soak_planted.run(pathlib.Path(__file__).resolve().parents[2], options.planted, options, soak)
    return 1 if any([soak(engine, options).broken for engine in engines]) else 0


if __name__ == "__main__":
    try:
        status = main()
    except Failure as failure:
        status = f"soak: {failure}"
    except Interrupted as interrupted:
        status = 128 + interrupted.number
    sys.stdout.flush()
    sys.exit(status)
