"""Looks at the servers of a soak each second, and says in the end which figures grew."""

import collections
import contextlib
import os
import re
import statistics
import subprocess
import threading
import time

from processes import processor_times

MB = 1 << 20
# A server has its ordinary memory between these seconds; later ones count as those of a warm server.
COLD, WARM = 8, 16
LEAST = 24 * MB
# Seconds of one window of samples, and of a run that shows a slow growth.
WINDOW, LONG = 6, 600
# A transaction that only reads may last so long; so may one that has begun and does not go on.
TRANSACTION = 8
DELIVERY = 3
BUSY = 0.8
# The log cannot be emptied while a transaction reads an old state of it, so it may be above the limit for as long as one may last. From
# the other size on, LogCheckpoint waits for its longest time.
WAL_LIMIT, WAL_MOST, WAL_GROWTH = 40 * MB, 160 * MB, 16 * MB
GROWTH = {"memory": 24 * MB, "threads": 6, "files": 24}

Sample = collections.namedtuple("Sample", "at memory threads files")


def sample_of(pid, at):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        text = file.read()
    return Sample(
        at, 1024 * int(re.search(r"RssAnon:\s+(\d+)", text).group(1)), int(re.search(r"Threads:\s+(\d+)", text).group(1)),
        len(os.listdir(f"/proc/{pid}/fd")))


class Watch:
    """Besides looking it keeps the machine from being full: the probe measures the server, not the queue for a processor."""

    def __init__(self, run):
        self.run, self.record = run, run.record
        self.samples = collections.defaultdict(list)  # by name and process id
        self.wal, self.resting = [], {}
        self.small_log = 0  # when the log was last within the limit
        self.open_since = {}  # read marks of SQLite
        self.oldest_read = self.oldest_session = 0
        # On a machine where a light read may take long, all does.
        self.delivery = max(DELIVERY, run.options.probe_ms / 250)
        self.times = processor_times(nice=True)
        self.shares = []  # of the processors, busy in each second

    def look(self):
        """Once a second."""
        now = self.record.now()
        self.pace()
        for name, pid in self.run.stage.servers().items():
            try:
                self.samples[name, pid].append(sample_of(pid, now))
            except (OSError, AttributeError):  # it has ended
                continue
            self.look_at_memory(name, self.samples[name, pid])
        if self.run.engine == "sqlite":
            self.look_at_sqlite(now)
        else:
            self.look_at_postgres(now)
        for follower in self.run.ledger.followers:
            if oldest := follower.oldest():
                waited = now - oldest[0]
                if waited > self.delivery and not self.record.is_explained(oldest[0]):
                    self.record.broke(
                        "long polls deliver in time", f"{follower.name}: {oldest[1]} of version {oldest[2]} after {waited:.1f} s")

    def pace(self):
        """Slows the clients down while the processors are busy for more than `BUSY`, down to a half."""
        before, self.times = self.times, processor_times(nice=True)
        idle, total = (now - then for now, then in zip(self.times, before))
        self.shares.append(1 - idle / max(1, total))
        factor = 0.8 if self.shares[-1] > BUSY else 1.1
        self.run.load = min(self.run.options.load, max(self.run.options.load / 2, self.run.load * factor))

    def look_at_memory(self, name, samples):
        """The least of a window, because a login takes 32 MiB for up to 5 seconds."""
        if samples[-1].at - samples[0].at < WARM + WINDOW:
            return
        base = self.base(samples)
        held = min(sample.memory for sample in samples[-WINDOW:])
        if held - base > self.run.memory:
            self.record.broke("memory is bounded", f"{name} holds {held / MB:.0f} MB for {WINDOW} s, {base / MB:.0f} MB before")

    def look_at_sqlite(self, now):
        size = self.run.stage.wal()
        self.wal.append((now, size))
        if size <= WAL_LIMIT:
            self.small_log = now
        if size > WAL_MOST or now - self.small_log > TRANSACTION:
            self.record.broke("the write-ahead log is bounded", f"{size / MB:.0f} MB, {now - self.small_log:.0f} s above {WAL_LIMIT / MB:.0f} MB")
        found = self.run.stage.stale_reads()
        self.open_since = {mark: self.open_since.get(mark, now) for mark in found}
        for mark, since in self.open_since.items():
            self.oldest_read = max(self.oldest_read, now - since)
            if now - since > TRANSACTION and not self.record.is_explained(since):
                self.record.broke("no transaction stays open", f"a read transaction at frame {mark[1]} is {now - since:.0f} s old")

    def look_at_postgres(self, now):
        try:
            sessions = self.run.stage.sessions()
        except Exception as error:  # the database is down
            if not self.record.is_explained(now - 1):
                self.record.broke("PostgreSQL can be asked", str(error))
            return
        for session in sessions:
            if not self.record.is_explained(now - session["seconds"]):
                self.oldest_session = max(self.oldest_session, session["seconds"])
                if session["seconds"] > TRANSACTION:
                    self.record.broke("no transaction stays open", f"{session}")

    # MARK: In the end

    def rest(self):
        """Samples of the servers without clients, after the memory of logins is given back."""
        time.sleep(WINDOW + 2)
        for name, pid in self.run.stage.servers().items():
            with contextlib.suppress(OSError, AttributeError):
                self.resting[name, pid] = sample_of(pid, self.record.now())

    def growth(self):
        """Rows `(name, figure, growth, slope in an hour, bound)` of the processes that lived for long enough.

        The growth is that of the median from the first third of the time to the last one, after the warm-up. Memory rises and
        falls with the load, so in a short run it is what is held without clients, more than in the first seconds.
        """
        rows = []
        for (name, pid), samples in self.samples.items():
            warm = [sample for sample in samples if sample.at - samples[0].at > WARM]
            if len(warm) < 4 * WINDOW:
                continue
            for figure, bound in GROWTH.items():
                values = [getattr(sample, figure) for sample in warm]
                if figure == "memory":
                    values = [min(values[at:at + WINDOW]) for at in range(0, len(values) - WINDOW + 1)]
                growth, slope = grown(values)
                if figure == "memory" and len(values) < LONG:
                    if (name, pid) not in self.resting:
                        continue
                    growth = self.resting[name, pid].memory - self.base(samples)
                rows.append((name, figure, growth, slope, bound))
        if values := [size for at, size in self.wal if at > WARM][4 * WINDOW:]:
            rows.append(("server", "log", *grown(values), WAL_GROWTH))
        return rows

    def base(self, samples):
        """The memory of the first seconds. One that was started again counts as the first ones, as the balancer gives it little."""
        firsts = [one for one in self.samples.values() if one[0].at < COLD]
        return max([LEAST, *(
            min((sample.memory for sample in one if COLD <= sample.at - one[0].at <= WARM), default=0) for one in [samples, *firsts])])


def grown(values):
    """The growth of the median from the first third to the last one, and the slope of a line through all in an hour."""
    third = max(1, len(values) // 3)
    growth = statistics.median(values[-third:]) - statistics.median(values[:third])
    return growth, statistics.linear_regression(range(len(values)), values).slope * 3600 if len(values) > 1 else 0


class Probe(threading.Thread):
    """Reads what the process of the probe measures."""

    def __init__(self, run, command, environment):
        super().__init__(daemon=True)
        self.record, self.times = run.record, []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.process.stdin.write(f"{run.password}\n")
        self.process.stdin.close()
        self.start()

    def run(self):
        for line in self.process.stdout:
            began, status, seconds = line.split()
            since = float(began) - self.record.began
            with self.record.lock:
                self.record.answers["probe", int(status)] += 1
            if status == "500":
                self.record.broke("no 500", "the probe: GET /v1/me: 500")
            if self.record.is_explained(since):
                continue
            self.times.append(float(seconds))
            if status not in ("200", "401", "500"):
                self.record.broke("no other refusal without a fault", f"the probe: GET /v1/me: {status} after {seconds} s")

    def close(self):
        self.process.kill()
        self.process.wait()

    def percentile(self, share):
        times = sorted(self.times)
        return times[min(len(times) - 1, int(len(times) * share))] if times else 0
