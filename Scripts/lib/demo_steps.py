"""The steps of the demo, in order. Each returns its evidence as sentences, or raises Failure."""

import collections
import glob
import os
import re
import statistics
import threading
import time

from demo_stage import expect, moment

Step = collections.namedtuple("Step", "name act needs")
STEPS = []
REPLICA_STEPS = []  # the steps that need several replicas


def step(name, needs=(), replicas=False):
    def register(act):
        STEPS.append(Step(name, act, tuple(needs)))
        if replicas:
            REPLICA_STEPS.append(STEPS[-1])
        return act

    return register


# Start


@step("Start the server")
def start(stage):
    stage.secret = stage.tool("new-secret")
    expect(len(stage.secret) >= 32, f"'new-secret' printed only {len(stage.secret)} characters")
    port = stage.start_server()
    for name, role in (("alice", "admin"), ("bob", "member")):
        stage.tool(
            "create-user", name, "--role", role, "--password-stdin", "--database", stage.database,
            stdin=stage.passwords[name] + "\n")
    live, ready = stage.http("GET", "/health/live")[0], stage.http("GET", "/health/ready")[0]
    expect((live, ready) == (200, 200), f"/health/live responds with {live}, /health/ready with {ready}")
    return [
        f"listening on a free port, {port}; live and ready respond with 200",
        f"access tokens expire after {stage.token_seconds} s here; users alice (admin) and bob (member) created",
    ]


@step("Log in", ["Start the server"])
def log_in(stage):
    wrong = stage.run("login", "--username", "alice", "--password-stdin", stdin="not the password\n", status=77)
    stage.run("login", "--username", "alice", "--password-stdin", stdin=stage.passwords["alice"] + "\n")
    me = stage.json("whoami")
    expect(me.get("username") == "alice", f"whoami prints {me}")
    mode = stage.mode(stage.token_file())
    expect(mode == "0600", f"the token file has mode {mode}")
    return [
        f"a wrong password exits 77: \"{_line(wrong.err)}\"",
        f"whoami: {me['username']}, {me.get('role')}; the token file has mode {mode}",
    ]


# Real input


@step("Import runbooks", ["Log in"])
def import_runbooks(stage):
    folder = os.path.join(os.path.dirname(__file__), "..", "..", "Docs", "Samples", "runbooks")
    files = sorted(glob.glob(os.path.join(folder, "*.md")))
    titles = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            body = file.read()
        title = body.split("\n", 1)[0].lstrip("# ").strip()
        made = stage.json("runbooks", "create", "--title", title, "--file", os.path.abspath(path))
        shown = stage.json("runbooks", "show", made["id"])
        expect(shown["body"].strip() == body.strip(), f"'{title}' came back different from {path}")
        titles[title] = made["id"]
    stage.notes["runbooks"] = titles
    return [f"{len(files)} Markdown files became runbooks and were read back unchanged: {', '.join(titles)}"]


@step("Import a real log", ["Log in"])
def import_log(stage):
    log = stage.log
    outcome, accepted, known, rejected = _import(stage)
    expect(
        (accepted + rejected, known) == (log.lines, 0),
        f"{log.path} has {log.lines} non-blank lines; the import reports {_line(outcome.out)!r}")
    expect(accepted > 0, f"no line could be read as '{log.format}': {_line(outcome.err)}")
    stage.run("sync", limit=600)
    entries = stage.json("journal", "list", "--limit", "1000000", limit=120)
    expect(len(entries) == accepted, f"{accepted} lines were accepted, the journal has {len(entries)} entries")
    evidence = [
        f"{accepted} of {log.lines} lines of {log.path} (format {log.format}) are entries, in {outcome.seconds:.1f} s: "
        f"\"{_line(outcome.out)}\"",
    ]
    if rejected:
        evidence.append(f"{rejected} rejected, each reported by number: \"{_line(outcome.err)}\"")
    if log.format != "lines":
        _, added, known, _ = _import(stage)
        expect((added, known) == (0, accepted), f"importing the same file again added {added} and knew {known}")
        evidence.append(f"importing the same file again adds nothing: {known} lines were known")
    return evidence + _compare(stage)


# Cache


@step("List twice, once from the cache", ["Import runbooks"])
def list_twice(stage):
    first = stage.run("runbooks", "list", "--refresh")
    before = stage.metric("shiftlog_http_requests_total", route="/v1/runbooks*")
    time.sleep(1.1)  # so that the age is at least a second
    second = stage.run("runbooks", "list")
    after = stage.metric("shiftlog_http_requests_total", route="/v1/runbooks*")
    expect(before > 0, "the server's metrics count no request for /v1/runbooks")
    expect(after == before, f"the second list made {after - before} requests")
    expect(second.out == first.out, "the second list differs from the first")
    for title in stage.notes["runbooks"]:
        expect(title in second.out, f"'{title}' is missing from the list")
    age = _line(second.err)
    expect(any(word in age for word in ("cache", "ago")), f"the second list does not show its age: {age!r}")
    return [
        f"first {first.seconds * 1000:.0f} ms, second {second.seconds * 1000:.0f} ms with the same rows: \"{age}\"",
        f"the server counted {before} requests for runbooks before the second list and {after} after it",
    ]


# Tokens


EIGHT = [
    ("whoami",), ("whoami", "--json"), ("sessions", "list"), ("users", "list"), ("runbooks", "list", "--refresh"),
    ("runbooks", "list", "--refresh", "--json"), ("host-tokens", "list"), ("sync",),
]


@step("Eight commands, one refresh", ["Log in"])
def single_flight(stage):
    old = stage.tokens()["refresh_token"]
    # A token is refreshed after half of its lifetime. If the eight commands take longer than that, a second refresh is correct.
    for attempt in range(1, 4):
        stage.wait_for_expiry()
        before = stage.metric("shiftlog_token_refreshes_total")
        began = time.monotonic()
        running = [stage.start(*words) for words in EIGHT]
        outcomes = [stage.finish(process) for process in running]
        seconds = time.monotonic() - began
        refreshes = stage.metric("shiftlog_token_refreshes_total") - before
        if refreshes == 1 or seconds < stage.token_seconds / 2:
            break
    statuses = [outcome.status for outcome in outcomes]
    expect(statuses == [0] * 8, f"the eight ended with {statuses}: {_line(' '.join(o.err for o in outcomes))}")
    expect(refreshes == 1, f"the server counted {refreshes} refreshes in {seconds:.1f} s, at attempt {attempt}")
    new = stage.tokens()["refresh_token"]
    expect(new != old, "the refresh token was not rotated")
    stage.notes["old refresh token"] = old
    return [
        f"the access token had expired; 8 processes at once took {seconds:.1f} s and all ended with 0",
        f"shiftlog_token_refreshes_total rose from {before} to {before + 1}; the refresh token was rotated",
    ]


@step("Replay a stolen refresh token", ["Eight commands, one refresh"])
def replay(stage):
    # Until its successor is used, the previous token still works, for a client whose response was lost.
    stage.wait_for_expiry()
    stage.run("whoami")
    status, answer = stage.http(
        "POST", "/v1/oauth/token",
        form={"grant_type": "refresh_token", "refresh_token": stage.notes["old refresh token"]})
    code = (answer or {}).get("error") or (answer or {}).get("code")
    expect(status == 400 and code == "invalid_grant", f"the replay got {status} {answer}")
    stage.wait_for_expiry()
    ended = stage.run("whoami", status=77)
    stage.run("login", "--username", "alice", "--password-stdin", stdin=stage.passwords["alice"] + "\n")
    me = stage.json("whoami")
    expect(me.get("username") == "alice", f"after the new login whoami prints {me}")
    return [
        "the old token got 400 invalid_grant, and its session was ended",
        f"the next command exits 77: \"{_line(ended.err)}\"; a new login works",
    ]


# Offline


@step("Stop the server", ["Log in", "Import a real log"])
def stop_server(stage):
    stage.run("runbooks", "list", "--refresh")
    entry = stage.json("journal", "add", "Before the outage", "--host", "demo-host")
    stage.notes["edited"] = entry["id"]
    stage.run("sync")
    status = stage.stop_server()
    expect(status == 0, f"the server ended with {status} after SIGTERM")
    return ["SIGTERM; the server drained and ended with 0"]


@step("Read while it is down", ["Stop the server", "Import runbooks"])
def read_offline(stage):
    runbooks = stage.run("runbooks", "list", "--refresh")
    expect(any(title in runbooks.out for title in stage.notes["runbooks"]), f"no runbook listed: {runbooks.out!r}")
    expect("stale" in runbooks.err + runbooks.out, f"the list is not marked stale: {runbooks.err!r}")
    journal = stage.run("journal", "list", "--limit", "5")
    nothing = stage.run("runbooks", "list", home="empty", status=None)
    expect(nothing.status in (69, 77), f"a home without a copy ends with {nothing.status}")
    return [
        f"runbooks list exits 0 and prints: \"{_line(runbooks.err)}\"",
        f"journal list needs no server ({journal.seconds * 1000:.0f} ms); a home without a copy exits {nothing.status}",
    ]


@step("Write while it is down", ["Stop the server"])
def write_offline(stage):
    texts = ["Server unreachable from the jump host", "Switched to the spare uplink", "Waiting for the provider"]
    added = [stage.run("journal", "add", text, "--host", "demo-host", "--severity", "warning") for text in texts]
    for outcome in added:
        expect("queued" in outcome.out + outcome.err, f"'journal add' does not say queued: {outcome.out + outcome.err!r}")
    edited = stage.run("journal", "edit", stage.notes["edited"], "--severity", "critical")
    expect("queued" in edited.out + edited.err, f"'journal edit' does not say queued: {edited.out + edited.err!r}")
    document = stage.json("journal", "add", "Written for a program", "--host", "demo-host")
    expect(document.get("queued") is True, f"'journal add --json' prints {document}")
    waiting = stage.json("outbox", "list")
    expect(len(waiting) == len(texts) + 2, f"the outbox has {len(waiting)} entries instead of {len(texts) + 2}")
    stage.notes["offline texts"] = texts + ["Written for a program"]
    return [
        f"{len(texts) + 1} entries added and one edited, exit 0 each: \"{_line(added[0].out or added[0].err)}\"",
        f"the outbox holds {len(waiting)} mutations",
    ]


@step("Restart and synchronise", ["Write while it is down"])
def synchronise(stage):
    port = stage.start_server()
    report = stage.run("sync", limit=300)
    waiting = stage.json("outbox", "list")
    expect(waiting == [], f"{len(waiting)} mutations are still in the outbox")
    entries, _ = stage.server_entries()
    texts = [entry["text"] for entry in entries.values()]
    for text in stage.notes["offline texts"]:
        expect(texts.count(text) == 1, f"'{text}' is on the server {texts.count(text)} times")
    severity = entries[stage.notes["edited"]]["severity"]
    expect(severity == "critical", f"the entry edited offline has severity {severity} on the server")
    return [
        f"same port, {port}; \"{_line(report.out or report.err)}\"; the outbox is empty",
        f"each of the {len(stage.notes['offline texts'])} entries written offline is on the server once, and so is the edit",
    ] + _compare(stage)


# Conflicts


@step("Two homes, one runbook", ["Restart and synchronise", "Import runbooks"])
def runbook_conflict(stage):
    stage.run("login", "--username", "bob", "--password-stdin", home="bob", stdin=stage.passwords["bob"] + "\n")
    identifier = next(iter(stage.notes["runbooks"].values()))
    for home in ("alice", "bob"):
        stage.run("runbooks", "list", "--refresh", home=home)
        stage.run("runbooks", "show", identifier, "--refresh", home=home)
    evidence = []
    for winner, loser in (("alice", "bob"), ("bob", "alice")):
        first = stage.write("first.md", f"# Edited by {winner}\n\nThis text was there first.\n")
        second = stage.write("second.md", f"# Edited by {loser}\n\nThis text came second.\n")
        stage.run("runbooks", "edit", identifier, "--file", first, home=winner)
        refused = stage.run("runbooks", "edit", identifier, "--file", second, home=loser, status=65)
        kept = stage.json("runbooks", "show", identifier, "--refresh", home=loser)
        expect("there first" in kept["body"], f"the refused edit changed the runbook: {kept['body'][:80]!r}")
        if not evidence:
            evidence.append(f"{loser} edited an old version: exit 65, \"{_line(refused.err)}\"")
            # First resolution: keep the present text. Second resolution: read it, then write again.
            evidence.append(f"resolved by keeping {winner}'s text")
        else:
            stage.run("runbooks", "edit", identifier, "--file", second, home=loser)
            evidence.append(f"resolved the other way: {loser} read the new version and wrote again")
    both = [stage.json("runbooks", "show", identifier, "--refresh", home=home)["body"] for home in ("alice", "bob")]
    expect(both[0] == both[1], "the two homes show different texts")
    refusals = stage.metric("shiftlog_http_requests_total", status="412")
    expect(refusals >= 2, f"the server counted {refusals} responses with 412")
    return evidence + [f"the server counted {refusals} responses with 412; both homes show the same text"]


@step("Two homes, one journal entry", ["Restart and synchronise", "Two homes, one runbook"])
def entry_conflict(stage):
    stage.run("sync", home="bob", limit=300)
    evidence = []
    for keep in ("local", "remote"):
        entry = stage.json("journal", "add", f"Agreed text, {keep}", "--host", "demo-host")
        for home in ("alice", "bob"):
            stage.run("sync", home=home, limit=120)
        stage.run("journal", "edit", entry["id"], "--text", f"bob's text, {keep}", "--offline", home="bob")
        stage.run("journal", "edit", entry["id"], "--text", f"alice's text, {keep}")
        stage.run("sync")
        clash = stage.run("sync", home="bob", status=None)
        expect(clash.status in (0, 65), f"the sync with a conflict ends with {clash.status}: {_line(clash.err)}")
        conflicts = stage.json("conflicts", "list", home="bob")
        expect(len(conflicts) == 1, f"bob has {len(conflicts)} conflicts instead of 1")
        expect(conflicts[0]["fields"] == ["text"], f"the conflict is in {conflicts[0]['fields']}")
        stage.run("conflicts", "resolve", conflicts[0]["id"], "--keep", keep, home="bob")
        for home in ("bob", "alice"):
            stage.run("sync", home=home, limit=120)
        expect(stage.json("conflicts", "list", home="bob") == [], "the resolved conflict is still listed")
        wanted = f"bob's text, {keep}" if keep == "local" else f"alice's text, {keep}"
        server = stage.server_entries()[0][entry["id"]]["text"]
        seen = {home: stage.json("journal", "show", entry["id"], home=home)["text"] for home in ("alice", "bob")}
        expect(
            server == wanted and set(seen.values()) == {wanted},
            f"after --keep {keep}: the server has {server!r}, alice {seen['alice']!r}, bob {seen['bob']!r}")
        evidence.append(f"--keep {keep}: both homes and the server have \"{wanted}\"")
    return ["the same field edited in two homes is a conflict; neither edit is lost"] + evidence + _compare(stage, "bob")


@step("Three replicas, one service", ["Restart and synchronise"], replicas=True)
def one_service(stage):
    first, second, third = stage.ports()
    login = {"username": "alice", "password": stage.passwords["alice"], "device": "demo"}
    status, session = stage.http("POST", "/v1/sessions", body=login, port=first)
    expect(status == 201, f"a login at the first replica got {status}: {session}")
    token, cursor, more = session["access_token"], None, True
    while more:
        page = stage.http("GET", f"/v1/sync/changes?limit=500{cursor or ''}", token=token, port=second)[1]
        cursor, more = f"&cursor={page['cursor']}", page["has_more"]
    delays = []
    for number in range(10):
        heard = []

        def wait(from_here=cursor):
            answer = stage.http("GET", f"/v1/sync/changes?limit=500&wait=20{from_here}", token=token, port=second)
            heard.append((time.monotonic(), answer))

        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.1)
        entry = {"text": f"Written at another replica, {number}", "host": "demo-host", "severity": "info"}
        status, made = stage.http("POST", "/v1/journal/entries", body=entry, token=token, port=first)
        expect(status == 201, f"an entry at the first replica got {status}: {made}")
        written = time.monotonic()
        waiting.join()
        cursor = f"&cursor={heard[0][1][1]['cursor']}"
        delays.append(max(0, heard[0][0] - written) * 1000)
    expect(max(delays) < 1000, f"a long poll at another replica answered after {max(delays):.0f} ms")

    latest = session
    for port in (second, first):  # once could be the repetition of a request whose answer was lost
        status, latest = stage.http("POST", "/v1/oauth/token", form=_refresh(latest), port=port)
        expect(status == 200, f"a refresh at another replica got {status}: {latest}")
    replayed = stage.http("POST", "/v1/oauth/token", form=_refresh(session), port=third)[0]
    expect(replayed == 400, f"a replayed refresh token got {replayed}")
    began = time.monotonic()
    while stage.http("GET", "/v1/me", token=latest["access_token"], port=first)[0] == 200:
        expect(time.monotonic() - began < 5, "the session goes on at the first replica after a replay at the third")
    ended = (time.monotonic() - began) * 1000
    statuses = [
        stage.http("POST", "/v1/sessions", body={"username": "carol", "password": f"guess {n}"}, port=stage.ports()[n % 3])[0]
        for n in range(11)]
    expect(statuses == [401] * 10 + [429], f"eleven wrong passwords at three replicas got {statuses}")
    return [
        f"a long poll answers {statistics.median(delays):.0f} ms (median of 10) after a write at another replica is answered",
        f"a refresh token replayed at another replica gets {replayed}; {ended:.0f} ms later the session has ended at the third",
        "eleven wrong passwords over three replicas: ten get 401, the eleventh 429",
    ]


def _refresh(session):
    return {"grant_type": "refresh_token", "refresh_token": session["refresh_token"]}


@step("Kill a replica", ["Restart and synchronise"], replicas=True)
def kill_a_replica(stage):
    shares = [_counter(text, "shiftlog_http_requests_total") for text in stage.metrics()]
    expect(all(shares), f"a replica served no request: {shares}")
    maintainers = [_counter(text, "shiftlog_database_maintainer") for text in stage.metrics()]
    expect(sum(maintainers) == 1, f"{sum(maintainers)} replicas do the background work instead of one")
    stage.kill_replica()
    texts = [f"Written beside a killed replica, {number}" for number in range(10)]
    for text in texts:
        stage.run("journal", "add", text, "--host", "demo-host")
        stage.run("sync")
    stored = [entry["text"] for entry in stage.server_entries()[0].values()]
    expect(all(stored.count(text) == 1 for text in texts), "an entry is not on the server once")
    return [
        f"the replicas served {', '.join(str(share) for share in shares)} requests; one does the background work",
        f"one killed with SIGKILL: {len(texts)} entries written and sent meanwhile, each is stored once",
    ]


@step("Nothing left behind", ["Start the server"])
def tidy(stage):
    if not stage.is_serving():
        stage.start_server()
    status = stage.stop_server()
    expect(status == 0, f"the server ended with {status} after SIGTERM")
    said = ""
    for log in glob.glob(f"{stage.home}/server/*.log"):
        with open(log, encoding="utf-8", errors="replace") as file:
            said += file.read()
    for name, password in stage.passwords.items():
        expect(password not in said, f"the server's log contains the password of {name}")
    expect(stage.secret not in said, "the server's log contains the signing secret")
    expect(not stage.children, "a command is still running")
    return ["the server ended with 0, no command is running", "no password and no signing secret in the server's log"]


# Evidence


FIELDS = ("host", "severity", "text", "runbook_id", "version")


def _compare(stage, home="alice"):
    """Compares the journal of a home with the server's, row by row. The server is read without the command line."""
    local = {entry["id"]: entry for entry in stage.json("journal", "list", "--limit", "1000000", home=home, limit=120)}
    server, pages = stage.server_entries()
    missing, extra = server.keys() - local.keys(), local.keys() - server.keys()
    expect(not missing and not extra, f"{len(missing)} rows only on the server, {len(extra)} only in {home}'s journal")
    for identifier, row in server.items():
        mine = local[identifier]
        different = [field for field in FIELDS if mine.get(field) != row.get(field)]
        if moment(mine["occurred_at"]) != moment(row["occurred_at"]):
            different.append("occurred_at")
        expect(not different, f"entry {identifier} differs in {', '.join(different)}: {mine} and {row}")
    return [f"compared row by row: {len(local)} here, {len(server)} on the server in {pages} page{'' if pages == 1 else 's'}, 0 differences"]


def _import(stage):
    """Imports the log; returns the outcome and the numbers of accepted, known and rejected lines."""
    outcome = stage.run(
        "journal", "import", stage.log.copy, "--format", stage.log.format, "--host", "demo-host", status=None, limit=600)
    counts = re.search(r"done: (\d+) accepted, (\d+) already known, (\d+) rejected", outcome.out)
    expect(counts, f"the import ended with {outcome.status} and printed no counts: {_line(outcome.err or outcome.out)}")
    accepted, known, rejected = (int(count) for count in counts.groups())
    expect(outcome.status == (65 if rejected else 0), f"the import ended with {outcome.status}: {_line(outcome.err)}")
    return outcome, accepted, known, rejected


def _counter(metrics, name):
    """The sum of a metric over its label sets, in the text of one server."""
    return sum(int(float(value)) for value in re.findall(rf"^{name}(?:{{.*}})? ([0-9.e+]+)$", metrics, re.MULTILINE))


def _line(text):
    """The last non-blank line, shortened for the table."""
    lines = [line.strip() for line in text.replace("\r", "\n").splitlines() if line.strip()]
    return (lines[-1] if lines else "")[:200]
