"""Uses every feature that Scripts/new-feature created here, in both programs.

    feature_round.py BINARIES RECORDS [PROGRAM]     the folder of the built programs, .scaffold/features,
                                                    and what a service calls its command line

Each feature: add, list, show, edit, remove. What is written offline is queued, sent, and merged where two homes edited the
same; what is cached is read without the server and refused when it is old; what is remote needs the server. Prints a line
for each, and ends with status 1 at the first that does not do what it should.
"""

import json
import os
import re
import sys
import uuid

from demo_stage import Failure, Stage, expect, on_signal


class Field:
    """A field of the record: `severity:enum(low,high)?:unique`."""

    def __init__(self, text):
        match = re.fullmatch(r"(\w+):(\w+)(?:\((.*)\))?(\?)?((?::\w+)*)", text)
        self.name, self.kind, self.details, self.is_optional, self.flags = match.groups()
        # `reference(Depot,cascade)`
        self.target = (self.details or "").split(",")[0]
        words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", self.name)
        self.option = "--" + "-".join(word.lower() for word in words)
        self.key = "_".join(word.lower() for word in words)

    def value(self, number, ids):
        """A value for the command line; each number gives another one."""
        low, high = (int(bound) for bound in self.details.split("..")) if ".." in (self.details or "") else (None, None)
        if self.kind == "string":
            low, high = (1, 200) if low is None else (low, high)
            return f"{number:x}".rjust(max(low, 1), "v")[:high] if high < 12 else f"value {number}".ljust(low, ".")
        if self.kind == "int":
            return str(number if low is None else low + number % (high - low + 1))
        return {
            "text": f"first line {number}\nsecond line",
            "double": f"{number}.5",
            "bool": "true" if number % 2 else "false",
            "date": f"2026-11-21T09:{number % 60:02}:00Z",
            "uuid": str(uuid.UUID(int=number + 1)),
            "url": f"https://example.org/{number}",
            "enum": (self.details or "").split(",")[number % ((self.details or "").count(",") + 1)],
            "reference": ids.get(self.target, str(uuid.UUID(int=7))),
        }[self.kind]


class Feature:
    def __init__(self, record):
        self.name, self.policy = record["name"], record["policy"]
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", record["plural"])
        self.command = "-".join(word.lower() for word in words)
        self.fields = [Field(text) for text in re.findall(r"\w+:\w+(?:\([^)]*\))?\??(?::\w+)*", record["fields"])]
        self.editable = next(field for field in self.fields if field.kind in ("string", "text", "int", "double", "date"))

    def references(self, others=()):
        """The features that it refers to, directly and indirectly. It is created after them."""
        found = {field.target for field in self.fields if field.kind == "reference"}
        return found.union(*(other.references(others) for other in others if other.name in found))

    @property
    def name_field(self):
        """What names an item to people, as `Entity.nameField` has it: the first unique line, else the first line."""
        lines = [field for field in self.fields if field.kind == "string" and not field.is_optional and ":redact" not in field.flags]
        return next((field for field in lines if ":unique" in field.flags), lines[0] if lines else None)

    def options(self, number, ids):
        return [part for field in self.fields for part in (field.option, field.value(number, ids))]


def drive(stage, feature, ids, shown):
    call, edited = feature.command, feature.editable
    added = stage.json(call, "add", *feature.options(1, ids))
    key = added["id"]
    for field in feature.fields:
        expect(field.key in added, f"'{call} add' left out '{field.key}': {sorted(added)}")
    settle(stage, feature)
    expect(server(stage, feature, key)[0] == 200, f"the server does not have the {feature.name}")
    expect(any(item["id"] == key for item in stage.json(call, "list")), f"'{call} list' lacks the new item")
    refused = stage.run(call, "show", str(uuid.UUID(int=99)), status=66)
    expect(refused.err.strip(), f"'{call} show' of an unknown id prints no error")

    change = lambda number: (edited.option, edited.value(number, ids))
    stage.run(call, "edit", key, *change(2))
    settle(stage, feature)
    expect(same(edited, server(stage, feature, key)[1], 2, ids), f"the edit of '{edited.name}' is not on the server")

    evidence = {"offline": offline, "cached": cached, "remote": remote}[feature.policy](stage, feature, key, change, ids)
    stage.run(call, "rm", key)
    settle(stage, feature)
    expect(server(stage, feature, key)[0] == 404, f"the removed {feature.name} is still on the server")
    # One stays, for the features that refer to it.
    ids[feature.name] = stage.json(call, "add", *feature.options(9, ids))["id"]
    settle(stage, feature)
    if feature.name_field:
        shown[feature.name] = feature.name_field.value(9, ids)
    refer(stage, feature, ids, shown)
    return evidence


def refer(stage, feature, ids, shown):
    """What an item refers to is shown by its name, and found by it."""
    call, key = feature.command, ids[feature.name]
    for field in feature.fields:
        if field.kind != "reference" or field.target not in shown:
            continue
        name = shown[field.target]
        found = [item["id"] for item in stage.json(call, "list", field.option, name)]
        expect(found == [key], f"'{call} list {field.option} {name}' has {found} instead of {key}")
        expect(f"{name} ({ids[field.target]})" in stage.run(call, "show", key).out, f"'{call} show' lacks the name '{name}'")
        stage.run(call, "list", field.option, "no such name", status=66)
        stage.run(call, "edit", key, field.option, "no such name", status=66)


def offline(stage, feature, key, change, ids):
    call, edited = feature.command, feature.editable
    stop(stage)
    stage.run(call, "edit", key, *change(3))
    shown = stage.json(call, "show", key)
    expect(same(edited, shown, 3, ids), f"the offline edit is not shown: {shown}")
    expect(shown.get("sync_state") == "queued", f"it is not queued: {shown.get('sync_state')}")
    fresh = stage.json(call, "add", *feature.options(4, ids))
    stage.start_server()
    stage.run("sync", limit=120)
    expect(same(edited, server(stage, feature, key)[1], 3, ids), "the queued edit did not reach the server")
    expect(server(stage, feature, fresh["id"])[0] == 200, "the offline item did not reach the server")

    for keep, theirs, ours in (("local", 5, 6), ("remote", 7, 8)):
        for home in ("alice", "bob"):
            stage.run("sync", home=home, limit=120)
        stage.run(call, "edit", key, *change(ours), "--offline", home="bob")
        stage.run(call, "edit", key, *change(theirs))
        stage.run("sync")
        stage.run("sync", home="bob", status=None)
        conflicts = stage.json("conflicts", "list", home="bob")
        expect(len(conflicts) == 1, f"bob has {len(conflicts)} conflicts instead of 1")
        expect(conflicts[0]["fields"] == [edited.key], f"the conflict is in {conflicts[0]['fields']}")
        stage.run("conflicts", "resolve", conflicts[0]["id"], "--keep", keep, home="bob")
        for home in ("bob", "alice"):
            stage.run("sync", home=home, limit=120)
        wanted = ours if keep == "local" else theirs
        expect(same(edited, server(stage, feature, key)[1], wanted, ids), f"--keep {keep} did not reach the server")
        expect(same(edited, stage.json(call, "show", key), wanted, ids), f"--keep {keep} did not reach the other home")
    stage.run(call, "rm", fresh["id"])
    return "written without the server, sent later; a conflict resolved both ways"


def cached(stage, feature, key, change, ids):
    call = feature.command
    stage.run(call, "show", key)
    stage.run(call, "list", home="bob")
    stage.run(call, "show", key, home="bob")
    stage.run(call, "edit", key, *change(3))
    stage.run(call, "edit", key, *change(4), home="bob", status=65)
    stage.run(call, "show", key, "--refresh", home="bob")
    stage.run(call, "edit", key, *change(4), home="bob")
    stage.run(call, "show", key, "--refresh")
    stage.run(call, "list", "--refresh")
    stop(stage)
    expect(any(item["id"] == key for item in stage.json(call, "list", "--offline")), "the list is not stored")
    stage.run(call, "show", key, "--offline")
    stage.run(call, "edit", key, *change(5), status=69)
    stage.start_server()
    return "read without the server; an edit of an old version refused, then made again"


def remote(stage, feature, key, change, ids):
    call = feature.command
    stop(stage)
    stage.run(call, "list", status=69)
    stage.run(call, "edit", key, *change(3), status=69)
    stage.start_server()
    stage.run(call, "show", key)
    return "refused without the server"


# Comparing


def same(field, document, number, ids):
    """Whether a document has the values of this number."""
    seen, wrote = document.get(field.key), field.value(number, ids)
    return float(seen) == float(wrote) if field.kind in ("int", "double") else seen is not None and str(seen)[:16] == wrote[:16]


def settle(stage, feature):
    if feature.policy == "offline":
        stage.run("sync", limit=120)


def stop(stage):
    status = stage.stop_server()
    expect(status == 0, f"the server ended with {status} after SIGTERM")


def server(stage, feature, key):
    status, session = stage.http(
        "POST", "/v1/sessions", body={"username": "alice", "password": stage.passwords["alice"], "device": "round"})
    expect(status == 201, f"a plain login got {status}: {session}")
    return stage.http("GET", f"/v1/{feature.command}/{key}", token=session["access_token"])


def main():
    on_signal()
    binaries, records, *program = sys.argv[1:]
    features = []
    for name in sorted(os.listdir(records)):
        with open(os.path.join(records, name), encoding="utf-8") as file:
            features.append(Feature(json.load(file)))
    features.sort(key=lambda feature: len(feature.references(features)))
    stage = Stage(os.path.abspath(binaries), None, 900, *program)
    try:
        stage.secret = stage.tool("new-secret")
        stage.start_server()
        for name in ("alice", "bob"):
            stage.tool(
                "create-user", name, "--role", "member", "--password-stdin", "--database", stage.database,
                stdin=stage.passwords[name] + "\n")
            stage.run("login", "--username", name, "--password-stdin", home=name, stdin=stage.passwords[name] + "\n")
        ids, shown = {}, {}
        if any("Runbook" in feature.references() for feature in features):
            title = "What a reference points to"
            runbook = stage.write("runbook.md", f"# {title}\n\nText.\n")
            ids["Runbook"] = stage.json("runbooks", "create", "--title", title, "--file", runbook)["id"]
        for feature in features:
            print(f"{feature.name} ({feature.policy}): {drive(stage, feature, ids, shown)}", flush=True)
        expect(stage.stop_server() == 0, "the server did not end with 0 after SIGTERM")
        print(f"{len(features)} features used in both programs")
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        raise SystemExit(1)
    finally:
        stage.close(False)


main()
