"""The programs of a soak: the server on SQLite, or three replicas on PostgreSQL, with a clock that can be set."""

import contextlib
import os
import re
import sqlite3
import subprocess

from demo_stage import Failure, ReplicatedStage, Stage

LIBRARY = os.path.join(os.path.dirname(__file__), "faults.c")


def prepare(stage, binaries):
    """Gives the stage a server program whose clock is ahead, and whose disk is slow, by the number in a file.

    A client is the plain program.
    """
    stage.programs = f"{stage.home}/programs"
    stage.clock, stage.disk = f"{stage.home}/clock", f"{stage.home}/disk"
    stage.library = f"{stage.home}/faults.so"
    os.makedirs(stage.programs)
    for compiler in ("cc", "clang"):
        with contextlib.suppress(OSError):
            if subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", stage.library, LIBRARY]).returncode == 0:
                break
    else:
        raise Failure("there is no C compiler for Scripts/lib/faults.c; the toolchain includes clang")
    os.symlink(os.path.join(os.path.abspath(binaries), stage.program), f"{stage.programs}/{stage.program}")
    server = f"{stage.programs}/{stage.program}-server"
    with open(server, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nLD_PRELOAD='{stage.library}' FAULTS_CLOCK='@{stage.clock}' FAULTS_SYNC='@{stage.disk}' "
                   f"exec '{os.path.abspath(binaries)}/{stage.program}-server' \"$@\"\n")
    os.chmod(server, 0o755)
    stage.binaries = stage.programs


def write_number(path, number):
    """In one step: a program may read the file at any time."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(f"{number}\n")
    os.replace(f"{path}.new", path)


class SQLiteSoakStage(Stage):
    def __init__(self, binaries):
        super().__init__(binaries, None, 900)
        prepare(self, binaries)
        self.file = self.database.removeprefix("sqlite:")

    def servers(self):
        """The process ids of the servers, by name."""
        return {"server": self.server.pid} if self.is_serving() else {}

    def logs(self):
        return [f"{self.home}/server/stderr.log"]

    def wal(self):
        """Bytes of the write-ahead log."""
        try:
            return os.path.getsize(f"{self.file}-wal")
        except OSError:
            return 0

    def stale_reads(self):
        """Transactions that read an old state, as `(slot, frame)`: the locked read marks of the write-ahead log before its end.

        The log cannot be moved into the database beyond the oldest of them (sqlite.org/walformat.html, the WAL-index).
        """
        try:
            inode = str(os.stat(f"{self.file}-shm").st_ino)
            with open(f"{self.file}-shm", "rb") as file:
                head = [int.from_bytes(word, "little") for word in iter(lambda: file.read(4), b"")][:34]
        except OSError:
            return []
        last, moved, marks = head[4], head[24], head[25:30]
        locked = set()
        with open("/proc/locks", encoding="utf-8") as file:
            for fields in map(str.split, file):
                if fields[1] == "POSIX" and fields[5].split(":")[-1] == inode:
                    end = 10_000 if fields[7] == "EOF" else int(fields[7])
                    locked.update(slot for slot in range(5) if int(fields[6]) <= 123 + slot <= end)
        # Slot 0 is for transactions that began when the whole log had been moved.
        return sorted((slot, marks[slot]) for slot in locked if (marks[slot] if slot else moved) < last)


class PostgresSoakStage(ReplicatedStage):
    def __init__(self, binaries):
        super().__init__(binaries, None, 900)
        prepare(self, binaries)

    def servers(self):
        found = {}
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{int(name)}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                if parent != self.server.pid:
                    continue
                with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                    words = file.read().split("\0")
                if words[0].endswith("-server") and "--port" in words:
                    port = int(words[words.index("--port") + 1])
                    found[f"replica {self.ports().index(port) + 1}"] = int(name)
        return dict(sorted(found.items()))

    def logs(self):
        return [f"{self.home}/server/replica-{number}.log" for number in (1, 2, 3)]

    def sessions(self):
        """The sessions of the servers that are in a transaction, with its seconds without progress."""
        return self.rows(
            "SELECT pid, state, wait_event, left(query, 120) AS query, "
            "extract(epoch FROM clock_timestamp() - state_change)::float AS seconds FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND "
            "(state LIKE 'idle in transaction%' OR state = 'active' AND wait_event IN ('ClientRead', 'ClientWrite'))")


def excerpt(stage, lines=8):
    """The last different lines of each log at the worst level that is there."""
    text = []
    for path in stage.logs():
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            every = file.readlines()[-50_000:]
        for levels in ("error|critical", "warning"):
            found = {}
            for line in (line.strip() for line in every if re.search(rf"^\S+ ({levels})", line)):
                found[re.sub(r"^\S+|\w+_id=\S+", "", line)] = line
            if found:
                text += [f"{os.path.basename(path)}: {line[:300]}" for line in list(found.values())[-lines:]]
                break
    return text


def local_rows(stage, home):
    """The journal of a home as `(version, text)` by id, read from its database."""
    for folder, _, names in os.walk(f"{stage.home}/{home}/state/journal"):
        for name in names:
            if name.endswith((".sqlite", ".db")):
                with contextlib.closing(sqlite3.connect(f"file:{folder}/{name}?mode=ro", uri=True, timeout=10)) as database:
                    with contextlib.suppress(sqlite3.OperationalError):
                        return {key: (version, text) for key, version, text in database.execute(
                            "SELECT id, version, text FROM journal_entries")}
    raise Failure(f"{home} has no journal")
