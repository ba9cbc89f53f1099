"""Plants faults in a copy of the sources, builds it, and soaks it: the soak must find each within its minutes.

The copy and its build are in .build-planted, which is kept, so that only the first build is long. A debug build is enough.
"""

import pathlib
import shutil
import subprocess
import sys

SQLITE = "Modules/Service/SQLite"
CORE = "Modules/Service/Core"

# name: (engine, what is wrong, [(file, right, wrong)], the invariants of which one must break)
FAULTS = {
    "open-transaction": (
        "sqlite", "a read that is given up leaves its connection inside a transaction",
        [(f"{SQLITE}/SQLiteConnection.swift", "defer { rollBack() }\n        try run(\"BEGIN\")",
          "defer { try? run(\"COMMIT\") }\n        try run(\"BEGIN\")"),
         (f"{SQLITE}/ReadConnections.swift", "if let connection, !connection.isInTransaction, !state.isClosed", "if let connection, !state.isClosed")],
        ("no 500", "no transaction stays open")),
    "kept-writes": (
        "sqlite", "the queue of writes keeps those that have ended until it is empty",
        [(f"{SQLITE}/WriteQueue.swift", "waiting[next] = nil\n", "\n"),
         (f"{SQLITE}/WriteQueue.swift", "next == waiting.count || next >= 64 && next * 2 >= waiting.count", "next == waiting.count"),
         (f"{SQLITE}/PendingWrite.swift", "state = .ended\n            return (continuation, result)", "return (continuation, result)")],
        ("memory is bounded",)),
    "leaked-permit": (
        "sqlite", "a call that fails keeps its permit",
        [("Modules/Concurrency/FairSemaphore.swift", "defer { release() }\n        return try await body()",
          "let result = try await body()\n        release()\n        return result")],
        ("each request has a response", "no other refusal without a fault", "the probe is fast")),
    "leaked-connection": (
        "postgres", "a cancelled call keeps its connection to the database",
        [("Modules/Service/Postgres/PostgresPool.swift", "defer { permits.release() }", "defer { if !Task.isCancelled { permits.release() } }")],
        ("each request has a response", "no other refusal without a fault", "the probe is fast")),
    "lost-wake": (
        # Each half alone costs two seconds at most: a long poll looks again by itself.
        "sqlite", "a commit does not wake one of the long polls, which do not look by themselves",
        [(f"{CORE}/Store/CommitSignal.swift", "for waiter in waiters.values {", "for waiter in waiters.values.dropFirst() {"),
         (f"{CORE}/Sync/SyncFeature.swift", "(isBehind ? wait : interval)", "(isBehind ? wait : .seconds(600))")],
        ("long polls deliver in time",)),
    "unbounded-buffer": (
        "sqlite", "the text of each response is kept",
        [(f"{CORE}/Responses/EncodedJSON.swift", "import StrataDomain\n",
          "import StrataConcurrency\nimport StrataDomain\n\nprivate let texts = Mutex<[JSONText]>([])\n"),
         (f"{CORE}/Responses/EncodedJSON.swift", "(self.text, self.tag, self.nextCursor) = (text, tag, nextCursor)\n",
          "(self.text, self.tag, self.nextCursor) = (text, tag, nextCursor)\n        texts.withLock { $0.append(text) }\n")],
        ("memory is bounded", "memory, threads, files and log are flat")),
    "row-not-sent": (
        "sqlite", "each 97th change is not sent",
        [(f"{CORE}/Sync/ChangesReader.swift", "WHERE version > \\(round.after) AND version <=",
          "WHERE version > \\(round.after) AND version % 97 <> 0 AND version <=")],
        ("long polls deliver in time", "homes are equal to the server")),
}


def stale(root, names):
    """What no longer fits the code: a text that is not there exactly once."""
    for name in names:
        for path, right, _ in FAULTS[name][2] if name in FAULTS else ():
            text = (root / path).read_text() if (root / path).is_file() else ""
            if text.count(right) != 1:
                yield f"{name}: '{right}' is not once in {path}"


def copy_sources(root, copy):
    """Makes the copy equal to the sources. Files that are equal keep their time, so that they are not built again."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], stdout=subprocess.PIPE, check=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()}
    names |= {"Package.resolved"} & {path.name for path in root.iterdir()}
    for old in copy.rglob("*"):
        inside = old.relative_to(copy)
        if old.is_file() and inside.parts[0] != ".build" and str(inside) not in names:
            old.unlink()
    for name in names:
        source, target = root / name, copy / name
        if not target.is_file() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def plant(copy, name):
    for path, right, wrong in FAULTS[name][2]:
        text = (copy / path).read_text()
        (copy / path).write_text(text.replace(right, wrong))


def build(copy):
    """The folder of the programs; `None` if they cannot be built."""
    command = ["swift", "build", "--package-path", copy]
    with open(copy / "build.log", "w", encoding="utf-8") as log:
        for product in ("shiftlog-server", "shiftlog"):
            if subprocess.run([*command, "--product", product], stdout=log, stderr=log, timeout=5400).returncode != 0:
                return None
    return str(copy / ".build" / "debug")


def run(root, wanted, options, soak):
    """Status 0 when each fault was found, and the programs without a fault pass."""
    if wanted not in ("all", "list", "check", "none", *FAULTS):
        print(f"There is no fault '{wanted}'; Scripts/soak --planted list prints them.", file=sys.stderr)
        return 64
    names = list(FAULTS) if wanted in ("all", "list", "check") else [wanted]
    if wanted == "list":
        for name, (engine, wrong, _, found_by) in FAULTS.items():
            print(f"{name} ({engine}): {wrong}; breaks '{found_by[0]}'")
        return 0
    unfit = list(stale(root, names))
    if unfit or wanted == "check":
        print("\n".join(unfit) or f"{len(names)} faults can be planted")
        return 1 if unfit else 0
    copy, missed = root / ".build-planted", []
    copy.mkdir(exist_ok=True)
    for name in names if wanted != "all" else ["none", *names]:
        engine, wrong, _, found_by = FAULTS.get(name, ("sqlite", "nothing", [], ()))
        print(f"{name}: building a copy where {wrong}{' is wrong' if name == 'none' else ''}", file=sys.stderr, flush=True)
        copy_sources(root, copy)
        if name != "none":
            plant(copy, name)
        options.programs = build(copy)
        if not options.programs:
            print(f"{name}: NOT BUILT; the log is {copy}/build.log")
            missed.append(name)
            continue
        record = soak(engine, options)
        first = record.first()
        is_found = any(record.broken[invariant] for invariant in found_by) if found_by else not record.broken
        if not is_found:
            missed.append(name)
        print(f"{name}: {'found' if is_found else 'MISSED'}" if found_by else f"none: {'passed' if is_found else 'FAILED'}", end="")
        print(f" after {first[0]:.0f} s: {first[1]}" if first else "", flush=True)
    copy_sources(root, copy)
    planted = [name for name in names if name in FAULTS]
    print(f"{len(planted) - len(set(planted) & set(missed))} of {len(planted)} planted faults were found")
    return 1 if missed else 0
