"""Jobs and webhooks of three replicas on PostgreSQL, under faults.

    chaos_jobs.py PROGRAM [--jobs N] [--webhooks N] [--replicas N] [--deaf SECONDS] [--pause SECONDS] [--seed N] [--keep]

PROGRAM is `jobs-worker`; with `-` only the arguments are checked, before a build. N jobs and webhooks are stored while the replicas work, replicas are killed and PostgreSQL is stopped at once,
a fault every few seconds as long as more than a hundredth of the jobs wait. The receiver of the webhooks fails for the first `--deaf` seconds: it answers 500, says nothing or ends the
connection. In the end each job must have had its effect once, no two attempts of a job may have run at the same time, jobs with
one key must have been done in order, a job that always fails must be set aside after 12 failures, and each webhook must have come
with a valid signature, in order. Status 1 otherwise, and for a run without a kill or a stop.
"""

import base64
import collections
import glob
import hashlib
import hmac
import http.server
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cluster
from arguments import Parser
from demo_stage import Interrupted, on_signal
from processes import Failure, end, ends_with_parent, listening

ATTEMPTS = 12  # of the policy in Count.swift
SHOWN = 10  # problems that are printed
QUIET = 180  # seconds without progress after which a run ends


class Receiver(http.server.ThreadingHTTPServer):
    """Accepts webhooks after `deaf` seconds, and only with a valid signature."""

    daemon_threads = True

    def __init__(self, key, deaf):
        super().__init__(("127.0.0.1", 0), Request)
        self.key, self.end = key, time.monotonic() + deaf
        self.lock = threading.Lock()
        self.numbers, self.ids, self.again, self.refused, self.forged = [], set(), 0, 0, 0

    def url(self):
        return f"http://127.0.0.1:{self.server_port}/hooks"

    def handle_error(self, request, client_address):
        """A replica that was killed ends its connection at any moment."""


class Request(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server, name = self.server, self.headers["Webhook-Id"]
        with server.lock:
            text = f"{name}.{self.headers['Webhook-Timestamp']}.".encode() + body
            expected = "v1," + base64.b64encode(hmac.new(server.key, text, hashlib.sha256).digest()).decode()
            late = abs(time.time() - int(self.headers["Webhook-Timestamp"])) > 300
            if late or not hmac.compare_digest(expected, self.headers["Webhook-Signature"]):
                server.forged += 1
                return self.answer(401)
            if time.monotonic() < server.end:
                server.refused += 1
                way = server.refused % 3
            else:
                way = 3
                if name in server.ids:
                    server.again += 1
                else:
                    server.ids.add(name)
                    server.numbers.append(json.loads(body)["data"])
        if way == 0:
            self.answer(500)
        elif way == 1:
            self.close_connection = True
            self.connection.close()
        elif way == 2:
            time.sleep(2)
            self.answer(503)
        else:
            self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.ledgers = f"{folder}/ledgers"
        os.makedirs(self.ledgers)
        os.chmod(self.ledgers, 0o755)
        key = secrets.token_bytes(32)
        self.receiver = Receiver(key, options.deaf)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        self.database = cluster.Database(folder)
        self.environment = {
            **os.environ, "JOBS_DATABASE": cluster.address(folder), "JOBS_LEDGERS": self.ledgers,
            "JOBS_RECEIVER": self.receiver.url(), "JOBS_SECRET": "whsec_" + base64.b64encode(key).decode(),
        }
        self.faults = collections.Counter()
        self.problems = []

    def go(self):
        log = f"{self.folder}/cluster.log"
        with open(log, "ab") as file:
            replicas = subprocess.Popen(
                [sys.executable, "-B", cluster.__file__, "serve", "--program", self.options.program, "--folder",
                 self.folder, "--replicas", str(self.options.replicas), "--variables", "JOBS"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                preexec_fn=ends_with_parent)
        try:
            listening(replicas, log)
            began = time.monotonic()
            filling = subprocess.Popen(
                [self.options.program, "fill", str(self.options.jobs), str(self.options.webhooks)],
                env=self.environment, preexec_fn=ends_with_parent)
            self.make_faults(replicas, filling)
            print(f"{self.options.jobs} jobs and {self.options.webhooks} webhooks in {time.monotonic() - began:.0f} s",
                  file=sys.stderr)
            self.check()
            if end(replicas, 60) != 0:
                self.problem("the replicas did not end with 0")
        finally:
            end(replicas, 60)

    def make_faults(self, replicas, filling):
        last, progress, due = None, time.monotonic(), time.monotonic() + self.options.pause
        while True:
            time.sleep(1)
            if replicas.poll() is not None:
                with open(f"{self.folder}/cluster.log", encoding="utf-8", errors="replace") as file:
                    raise Failure(f"the replicas ended: {file.read()[-800:]}")
            if filling.poll() not in (None, 0):
                raise Failure(f"storing the jobs ended with {filling.returncode}")
            try:
                waiting = self.database.rows("SELECT count(*) AS n FROM service_job WHERE state <> 'failed'")[0]["n"]
            except Failure:
                continue  # PostgreSQL is stopped
            if filling.poll() == 0 and waiting == 0:
                return
            now = time.monotonic()
            if waiting != last or filling.poll() is None or now < self.receiver.end:
                last, progress = waiting, now
            if now > progress + QUIET:
                raise Failure(f"{waiting} jobs wait, and none was done for {QUIET} s")
            if now > due and (filling.poll() is None or waiting > self.options.jobs / 100):
                due = now + self.options.pause * random.uniform(0.5, 1.5)
                stops = self.faults["kills of a replica"] > 0 and random.random() < 0.4
                self.faults["stops of PostgreSQL" if stops else "kills of a replica"] += 1
                replicas.send_signal(signal.SIGUSR2 if stops else signal.SIGUSR1)
                print(f"{now - self.receiver.end + self.options.deaf:.0f} s: {waiting} wait", file=sys.stderr)

    def problem(self, text):
        self.problems.append(text)

    def check(self):
        jobs = self.options.jobs
        rows = self.database.rows("SELECT job, number, key, failures FROM counted")
        effects = collections.Counter(row["number"] for row in rows)
        never = {number for number in range(1, jobs + 1) if number % 1000 == 0}
        for number in range(1, jobs + 1):
            expected = 0 if number in never else 1
            if effects[number] != expected:
                self.problem(f"job {number} had {effects[number]} effects, not {expected}")
        for row in rows:
            if row["number"] % 50 == 0 and row["failures"] < 2:
                self.problem(f"job {row['number']} was done after {row['failures']} failures, not 2")
        failed = self.database.rows("SELECT id, payload, failures FROM service_job WHERE state = 'failed'")
        for row in failed:
            number = json.loads(row["payload"])["number"]
            if number not in never or row["failures"] != ATTEMPTS:
                self.problem(f"job {number} was set aside after {row['failures']} failures")
        if len(failed) != len(never):
            self.problem(f"{len(failed)} jobs were set aside, not {len(never)}")
        attempts, unfinished = self.check_attempts()
        self.check_order(rows)
        received = self.receiver.numbers
        if received != list(range(1, self.options.webhooks + 1)):
            wrong = next((i for i, n in enumerate(received) if n != i + 1), len(received))
            self.problem(f"{len(received)} webhooks came; the order is wrong from number {wrong + 1} on")
        if self.receiver.forged:
            self.problem(f"{self.receiver.forged} webhooks had no valid signature")
        for fault in ("kills of a replica", "stops of PostgreSQL"):
            if not self.faults[fault]:
                self.problem(f"there were no {fault}; take more jobs or a shorter --pause")
        print(", ".join(f"{count} {name}" for name, count in self.faults.items()))
        print(f"{len(rows)} jobs done, {len(failed)} set aside after {ATTEMPTS} failures, {attempts} attempts, {unfinished} of them "
              f"ended with their replica; {self.together} at the same time as another of their job")
        print(f"{len(received)} webhooks received in order, {self.receiver.again} of them again; "
              f"{self.receiver.refused} refused in the first {self.options.deaf} s")

    def check_attempts(self):
        """An attempt without an end lasted at least until the last line of its process."""
        spans, unfinished, self.ends = collections.defaultdict(list), 0, {}
        for path in glob.glob(f"{self.ledgers}/*.ledger"):
            begun, last = {}, 0
            with open(path, encoding="ascii") as file:
                for line in file:
                    if not line.endswith("\n"):
                        break
                    event, job, attempt, moment = line.split()
                    last = int(moment)
                    if event == "begin":
                        begun[job, attempt] = last
                    elif event in ("done", "failed"):
                        spans[job].append((begun.pop((job, attempt)), last))
                        if event == "done":
                            self.ends[job] = last
            for (job, _), start in begun.items():
                spans[job].append((start, last))
                unfinished += 1
        self.together = 0
        for job, times in spans.items():
            times.sort()
            for (_, before), (after, _) in zip(times, times[1:]):
                if after < before:
                    self.together += 1
                    self.problem(f"two attempts of job {job} ran at the same time, for {(before - after) / 1e6:.1f} ms")
        return sum(map(len, spans.values())), unfinished

    def check_order(self, rows):
        """Of jobs whose replica was killed between the effect and its line the end is not known."""
        keys = collections.defaultdict(list)
        for row in rows:
            if row["key"] and row["job"] in self.ends:
                keys[row["key"]].append((row["number"], self.ends[row["job"]]))
        for key, entries in keys.items():
            ends = [moment for _, moment in sorted(entries)]
            if ends != sorted(ends):
                self.problem(f"the jobs of '{key}' were not done in their order")


def main():
    parser = Parser("Scripts/chaos jobs")
    parser.add_argument("program")
    for name, default in (("jobs", 100_000), ("webhooks", 200), ("replicas", 3), ("deaf", 60), ("pause", 10), ("seed", None)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.program == "-":
        return 0
    options.program = os.path.abspath(options.program)
    seed = options.seed if options.seed is not None else secrets.randbits(32)
    random.seed(seed)
    on_signal()
    folder = tempfile.mkdtemp(prefix="strata-jobs-")
    run = Run(options, folder)
    try:
        run.go()
    except (Failure, Interrupted) as failure:
        run.problem(str(failure) or "interrupted")
    for text in run.problems[:SHOWN]:
        print(f"WRONG: {text}")
    print(f"seed {seed}: {len(run.problems)} problems")
    if options.keep or run.problems:
        print(f"All files are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
