"""What a soak prints: a line of progress, and a table of the invariants with figures and bounds."""

import statistics

import soak_stage
from soak_watch import GROWTH, MB, TRANSACTION, WAL_LIMIT, WAL_MOST

INVARIANTS = (
    "no 500", "no other refusal without a fault", "each request has a response", "each response is complete",
    "wrong input is refused", "valid requests are accepted", "valid logins are accepted", "a read sees the writes before it",
    "acknowledged writes are there once", "each change is sent once", "long polls deliver in time",
    "homes are equal to the server", "commands end", "no transaction stays open", "memory is bounded",
    "the write-ahead log is bounded", "memory, threads, files and log are flat", "the probe is fast", "servers run",
    "PostgreSQL can be asked", "the soak works")


def elapsed(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def progress(run):
    record = run.record
    with record.lock:
        answers = dict(record.answers)
    total = sum(answers.values())
    errors = sum(count for (_, status), count in answers.items() if isinstance(status, int) and status >= 500)
    memory = "+".join(f"{samples[-1].memory / MB:.0f}" for (_, pid), samples in list(run.watch.samples.items())[-3:])
    log = f", log {run.watch.wal[-1][1] / MB:.1f} MB" if run.watch.wal else ""
    return (f"{run.engine} {elapsed(record.now())}: {total} requests, {run.ledger.count} writes acknowledged, {errors} of 5xx; "
            f"memory {memory} MB{log}; {100 * run.watch.shares[-1]:.0f} % busy, load {run.load:.1f}; probe p99 {run.probe.percentile(0.99) * 1000:.0f} ms; "
            f"{sum(record.faults.values())} faults" + (f"; BROKEN: {', '.join(record.broken)}" if record.broken else ""))


def judge(run):
    """The invariants that only the whole time shows."""
    for name, figure, growth, slope, bound in run.watch.growth():
        if growth > bound:
            run.record.broke(
                "memory, threads, files and log are flat", f"{name}: {figure} grew by {shown(figure, growth)}, bound {shown(figure, bound)}")
    delay, count = delivery(run)
    if delay > most_delivery(run):
        run.record.broke("long polls deliver in time", f"p99 {delay:.0f} ms of {count} deliveries without a fault")
    p99 = run.probe.percentile(0.99) * 1000
    if p99 > run.options.probe_ms:
        run.record.broke("the probe is fast", f"p99 {p99:.0f} ms of {len(run.probe.times)} reads")


def delivery(run):
    """The 99th percentile in milliseconds, and the number of deliveries, without those that a fault explains."""
    delays = sorted(delay for follower in run.ledger.followers for delay in follower.delays)
    return (delays[int(len(delays) * 0.99)] * 1000 if delays else 0), len(delays)


def most_delivery(run):
    """A long poll looks again after two seconds by itself, so wakes that are lost show in the percentile only."""
    return 4 * run.options.probe_ms


def shown(figure, value):
    return f"{value / MB:.1f} MB" if figure in ("memory", "log") else f"{value:.0f}"


def figures(run, rows):
    """The figure and the bound of each invariant that has one."""
    with run.record.lock:
        answers = dict(run.record.answers)
    statuses = {}
    for (_, status), count in answers.items():
        statuses[status] = statuses.get(status, 0) + count
    watch = run.watch
    # The first samples are those of a server that starts.
    peaks = [max(sample.memory for sample in samples) / MB for samples in watch.samples.values()]
    flat = "; ".join(
        f"{name} {figure} {'+' if growth >= 0 else ''}{shown(figure, growth)}" for name, figure, growth, _, _ in watch.growth())
    delay, deliveries = delivery(run)
    found = {
        "no 500": (statuses.get(500, 0), "0"),
        "no other refusal without a fault": (
            ", ".join(f"{statuses[status]} × {status}" for status in (429, 501, 502, 503, 504, 507) if status in statuses) or "none", "in faults"),
        "each request has a response": (f"{sum(answers.values())} requests", ""),
        "acknowledged writes are there once": (f"{run.ledger.count} acknowledged, {rows} rows", "0 lost, 0 doubled"),
        "long polls deliver in time": (
            f"p99 {delay:.0f} ms of {deliveries}", f"p99 {most_delivery(run):.0f} ms, {watch.delivery:.0f} s"),
        "homes are equal to the server": (f"{len(run.homes)} homes", "all"),
        "no transaction stays open": (f"oldest {max(watch.oldest_read, watch.oldest_session):.0f} s", f"{TRANSACTION} s"),
        "memory is bounded": (f"peak {max(peaks, default=0):.0f} MB", f"first seconds + {run.memory / MB:.0f} MB for 6 s"),
        "memory, threads, files and log are flat": (
            flat or "too short to say", ", ".join(f"{name} {shown(name, bound)}" for name, bound in GROWTH.items())),
        "the probe is fast": (
            f"p50 {run.probe.percentile(0.5) * 1000:.0f}, p99 {run.probe.percentile(0.99) * 1000:.0f}, "
            f"max {run.probe.percentile(1) * 1000:.0f} ms of {len(run.probe.times)}", f"p99 {run.options.probe_ms:.0f} ms"),
    }
    if watch.wal:
        found["the write-ahead log is bounded"] = (f"peak {max(size for _, size in watch.wal) / MB:.1f} MB", f"{WAL_LIMIT / MB:.0f} MB for {TRANSACTION} s, {WAL_MOST / MB:.0f} MB")
    return found


def table(run, rows):
    record, found = run.record, figures(run, rows)
    lines = [f"{run.engine}, {elapsed(record.now())}, seed {run.seed}: "
             f"processors {100 * statistics.fmean(run.watch.shares or [0]):.0f} % busy, without 'nice'; "
             + ", ".join(f"{count} {fault}" for fault, count in sorted(record.faults.items()))]
    for invariant in (*INVARIANTS, *(name for name in record.broken if name not in INVARIANTS)):
        if invariant not in found and not record.broken[invariant]:
            continue
        figure, bound = found.get(invariant, ("", ""))
        mark = f"BROKEN × {record.broken[invariant]}" if record.broken[invariant] else "ok"
        lines.append(f"  {mark:12} {invariant:40} {figure}{f'  (bound: {bound})' if bound else ''}")
    if record.broken:
        at, invariant, text = record.first()
        lines += [f"First after {at:.1f} s: {invariant}: {text}"]
        lines += [f"  {at:7.1f} s  {invariant}: {text}" for at, invariant, text in sorted(record.examples)[1:20]]
        lines += ["The servers' logs:", *(f"  {line}" for line in soak_stage.excerpt(run.stage)), f"All files are in {run.stage.home}"]
    return "\n".join(lines)
