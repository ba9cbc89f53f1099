"""What writers did to rows that name each other, and whether all of it was kept: the checks of `Scripts/chaos relations`.

    relations_ledger.py --self-test     plants each fault in the end of a small run, and expects its line

Each write but a deletion has a text of its own. Triggers in the server's database record each change of a row in the transaction that makes
it. So a text that came twice, a write without effect, and a change that no writer asked for are found in this history.
"""

import collections
import dataclasses
import re
import sys
import threading

# By collection: the field with the text, and the fields that name teams.
TEXTS = {"teams": "name", "shifts": "title", "badges": "code"}
REFERENCES = {"teams": (), "shifts": ("team",), "badges": ("team", "backup")}
FIELDS = ("text", "team", "backup")
REST, HOME = "REST", "a home"
# What each refusal must say.
RESTRICTED = re.compile(r"name(s)? .*'(team)'; change or delete (it|them) first")
MISSING = re.compile(r"\b(team|backup) names (no|a deleted) team\b")
DELETED = "was deleted; choose another one for"
# A home applies the rule to its rows at once, and sends their writes before the deletion.
REFUSED_LATER = "rows were changed for a deletion that the server refused"


@dataclasses.dataclass
class Write:
    number: int
    text: str | None  # `None` for a deletion
    writer: str
    way: str  # REST or HOME
    kind: str  # create, edit or delete
    collection: str
    key: str | None  # the id of the row; `None` for a new one that was not acknowledged
    asked: dict  # values of the fields that name teams, by name
    state: str = "sent"  # then acknowledged, or refused
    is_told: bool = False  # a home showed that it is refused or in a conflict, and was told to drop it


@dataclasses.dataclass
class Event:
    """A change of a row at the server; the values are (text, team, backup), or `None` before an insert and after a deletion."""

    collection: str
    key: str
    old: tuple | None
    new: tuple | None


def empty(kind):
    return dataclasses.field(default_factory=kind)


@dataclasses.dataclass
class End:
    """What is there when all homes have sent what they can."""

    history: list = empty(list)  # events, in the order of each row
    rows: dict = empty(dict)  # collection: {id: values} at the server
    shown: dict = empty(dict)  # home: the same


class Ledger:
    """Written by all writers at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.writes = []
        self.told = collections.Counter()  # refusals and conflicts by kind
        self.seen = set()  # refused writes and conflicts of homes that were counted
        self.effects = collections.Counter()  # what deletions did to the rows that named a team
        self.problems = []

    # Meanwhile

    def begin(self, writer, way, kind, collection, key=None, asked=None):
        with self.lock:
            number = len(self.writes) + 1
            text = None if kind == "delete" else f"{writer} {number}."
            write = Write(number, text, writer, way, kind, collection, key, dict(asked or {}))
            self.writes.append(write)
            return write

    def acknowledge(self, write, key=None):
        """The server, or the home, has said that it keeps the write."""
        with self.lock:
            write.key, write.state = key or write.key, "acknowledged"

    def answer(self, write, status, document):
        """The answer to a request. A refusal has to say why, and to name the field."""
        document = document or {}
        if status in (200, 201, 204):
            self.acknowledge(write, document.get("id"))
            return
        said = document.get("detail") or ""
        named = {error.get("field") for error in document.get("errors") or []}
        kind = None
        if status == 422 and named and named <= {field for field, value in write.asked.items() if value}:
            kind = "a missing team"
        elif status == 409 and (write.kind, write.collection) == ("delete", "teams") and RESTRICTED.search(said):
            kind = "a restricted deletion"
        elif status == 404 and write.kind != "create":
            kind = "a row that is gone"
        elif status == 412 and write.kind != "create":
            kind = "a stale version"
        with self.lock:
            write.state = "refused"
            self.tell(write, REST, kind if said else None, f"{status} {document}")

    def refuse_here(self, write, status, said):
        """A command ended with a refusal, and its home keeps at most a write that the server has refused."""
        kind = None
        if status == 65 and write.kind == "delete":
            kind = "a restricted deletion" if RESTRICTED.search(said) else "a deletion in conflict"
        elif status == 66:
            kind = "a row that is gone"
        with self.lock:
            write.state = "refused"
            self.tell(write, HOME, kind if said.strip() else None, f"{status} {said}")

    def see_refused(self, home, entry):
        """An entry of an outbox that the server has refused for good."""
        said = entry.get("error") or ""
        kind = None
        if entry["operation"] == "delete" and RESTRICTED.search(said):
            kind = "a restricted deletion"
        elif entry["operation"] != "delete" and MISSING.search(said):
            kind = "a missing team"
        self.see(home, entry, kind, f"{entry['collection']} {entry['entity_id']}: {entry['operation']}: {said}")

    def see_conflict(self, home, conflict):
        said = conflict.get("reason") or ""
        kind = "a conflict"
        if DELETED in said:
            # The field is named twice: in the list for programs, and in the sentence.
            kind = "a deleted team" if all(f"'{field}'" in said for field in conflict["fields"]) and conflict["fields"] else None
        self.see(home, conflict, kind if said.strip() else None, f"{conflict['collection']} {conflict['entity_id']}: {said}")

    def see(self, home, item, kind, said):
        with self.lock:
            if (home, item["id"]) not in self.seen:
                self.seen.add((home, item["id"]))
                self.tell(home, "an outbox", kind, said)

    def tell(self, what, way, kind, said):
        if kind:
            self.told[f"{kind}, by {way}"] += 1
        else:
            self.problems.append(f"refused without a sentence that says why: {what}: {said}"[:600])

    def drop(self, home, key):
        """A home that has shown why is about to drop its writes of a row."""
        with self.lock:
            for write in self.writes:
                if write.writer == home and write.key == key:
                    write.is_told = True

    # The end

    def check(self, end):
        self.texts = {write.text: write for write in self.writes if write.text}
        self.by_row = collections.defaultdict(list)
        for write in self.writes:
            self.by_row[write.key].append(write)
        self.came = collections.Counter(
            event.new[0] for event in end.history if event.new and (event.old is None or event.old[0] != event.new[0]))
        # A write that is there tells the id of a row whose create was not acknowledged.
        for event in end.history:
            write = event.new and self.texts.get(event.new[0])
            if write and write.key is None:
                write.key = event.key
                self.by_row[event.key].append(write)
        self.check_references("the server", end.rows)
        self.check_history(end)
        for write in self.writes:
            self.check_write(write, end)
        for home, rows in end.shown.items():
            self.check_home(home, rows, end.rows)

    def check_references(self, where, rows):
        for collection, found in rows.items():
            for key, values in found.items():
                for field, team in zip(FIELDS[1:], values[1:]):
                    if team is not None and team not in rows["teams"]:
                        self.problems.append(f"dangling: {where} has {collection} {key}, whose {field} is {team}, which is not there")

    def check_home(self, home, rows, expected):
        self.check_references(home, rows)
        for collection in TEXTS:
            here, there = rows[collection], expected[collection]
            if here != there:
                wrong = sorted({key for key in here.keys() | there.keys() if here.get(key) != there.get(key)})
                self.problems.append(
                    f"{home} shows {len(here)} {collection}, the server has {len(there)}; different: "
                    + "; ".join(f"{key}: {here.get(key)}, there {there.get(key)}" for key in wrong[:3]))

    # What is at the server was asked for

    def check_history(self, end):
        last = collections.defaultdict(dict)
        self.gone = {event.key for event in end.history if event.new is None}
        for text, count in self.came.items():
            if count > 1:
                self.problems.append(f"twice: the write '{text}' had its effect {count} times")
        for event in end.history:
            if event.new is None:
                last[event.collection].pop(event.key, None)
                self.check_deletion(event)
                continue
            last[event.collection][event.key] = event.new
            if event.old is not None and event.old[0] == event.new[0]:
                self.check_clearing(event)
            else:
                self.check_change(event)
        for collection in TEXTS:
            if last[collection] != end.rows[collection]:
                wrong = sorted(last[collection].items() ^ end.rows[collection].items())
                self.problems.append(f"{collection}: the rows are not those that the history ends with: {wrong[:4]}")

    def check_change(self, event):
        """A row was made or has another text."""
        text = event.new[0]
        write = self.texts.get(text)
        if write is None or write.collection != event.collection:
            self.problems.append(f"at the server, and nobody wrote it: {event}")
        elif write.key != event.key:
            self.problems.append(f"'{text}' is in the row {event.key} instead of {write.key}")
        elif write.way == REST and write.state == "refused":
            self.problems.append(f"refused, and there all the same: {event}")
        else:
            for place, field in enumerate(REFERENCES[event.collection], 1):
                value, old = event.new[place], event.old[place] if event.old else None
                if write.way == REST:
                    # A row has the fields of its request, and keeps the others.
                    is_asked = value == write.asked.get(field, old)
                else:
                    is_asked = value == old or value in self.asked(event.key, field, by=write.writer) or field == "backup" and value is None
                if not is_asked:
                    self.problems.append(f"the {field} is not what '{text}' asked for: {event}, {write.asked}")

    def check_clearing(self, event):
        """A row has its text still: the deletion of a team took it out of the row, here or already in a home."""
        _, team, backup = event.new
        teams = {event.old[2]} | self.asked(event.key, "backup")
        if team == event.old[1] and backup is None and self.attempts(teams):
            self.effects["fields were cleared" if teams & self.gone else REFUSED_LATER] += 1
        else:
            self.problems.append(f"changed, and nobody asked for it: {event}")

    def check_deletion(self, event):
        """A row goes by its own deletion, or as a badge with a team that it named."""
        teams = {event.old[1]} | self.asked(event.key, "team")
        if self.attempts({event.key}):
            self.effects["rows were deleted"] += 1
        elif event.collection == "badges" and self.attempts(teams):
            self.effects["rows went with their team" if teams & self.gone else REFUSED_LATER] += 1
        else:
            self.problems.append(f"lost: deleted, and nobody asked for it: {event}")

    def attempts(self, keys):
        """Whether the deletion of one of these rows may have come to the server, or a home."""
        return any(
            write.kind == "delete" and not (write.way == REST and write.state == "refused") for key in keys for write in self.by_row[key]
            if key is not None)

    def asked(self, key, field, by=None):
        """The values that writers gave a field of a row. A home whose `add` was killed may have merged an edit into its row, which is then
        known by the edit alone; so with `by`, what that home asked for in such an `add` counts, too."""
        killed = [write for write in self.writes if by is not None and write.kind == "create" and write.key is None]
        return {write.asked[field] for write in [*self.by_row[key], *killed] if field in write.asked and by in (None, write.writer)}

    # What was acknowledged is at the server

    def check_write(self, write, end):
        if write.state != "acknowledged":
            return
        is_there = write.key in end.rows[write.collection]
        is_done = not is_there if write.kind == "delete" else self.came[write.text]
        if not is_done and (write.way == REST or not self.is_overtaken(write, is_there)):
            what = f"'{write.text}'," if write.text else f"the deletion by {write.writer} of"
            self.problems.append(f"lost: {what} {write.collection} {write.key}")

    def is_overtaken(self, write, is_there):
        """Whether a home has told why it dropped a write, or has put a later one in its place: an edit, also of a deletion that the
        server has refused."""
        if write.is_told:
            return True
        later = [other for other in self.by_row[write.key] if other.writer == write.writer and other.number > write.number]
        if any(other.state == "acknowledged" or self.came[other.text] for other in later if other.text):
            return True
        # A deletion in a home takes rows with it that were not sent yet.
        teams = self.asked(write.key, "team", by=write.writer) if write.collection == "badges" else set()
        return not is_there and any(
            other.kind == "delete" and other.writer == write.writer and other.number > write.number
            for key in {write.key} | teams for other in self.by_row[key])

    def report(self, end):
        kept = collections.Counter(write.way for write in self.writes if write.state == "acknowledged")
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.told.items()))
        effects = ", ".join(f"{count} {effect}" for effect, count in sorted(self.effects.items()))
        rows = ", ".join(f"{len(rows)} {collection}" for collection, rows in end.rows.items())
        return (f"acknowledged: {kept[REST]} writes by REST, {kept[HOME]} in homes; {len(end.history)} changes at the server: {effects}; "
                f"in the end {rows}; refused with a sentence: {told}")


# Planted faults


def sample():
    """A ledger of a home and a writer by REST, and its end."""
    ledger, home, rest = Ledger(), "alice-0", "bob-1"

    def done(*words, key, **more):
        write = ledger.begin(*words, **more)
        ledger.acknowledge(write, key)
        return write

    done(rest, REST, "create", "teams", key="t1")  # 1
    done(home, HOME, "create", "teams", key="t2")  # 2
    done(rest, REST, "create", "shifts", key="s1", asked={"team": "t1"})  # 3
    done(home, HOME, "create", "badges", key="b1", asked={"team": "t1", "backup": "t2"})  # 4
    done(home, HOME, "create", "badges", key="b2", asked={"team": "t2"})  # 5
    done(home, HOME, "create", "shifts", key="s2", asked={"team": "t1"})  # 6, merged into 7
    done(home, HOME, "edit", "shifts", key="s2", asked={"team": "t1"})  # 7
    done(rest, REST, "delete", "teams", key="t2")  # 8: b2 goes, b1 is cleared
    ledger.answer(ledger.begin(rest, REST, "delete", "teams", "t1"), 409, {
        "detail": "2 shifts name the team 't1' as 'team'; change or delete them first."})  # 9
    ledger.answer(ledger.begin(rest, REST, "create", "shifts", asked={"team": "t2"}), 422, {
        "detail": "The fields are not valid.", "errors": [{"field": "team", "message": "names no team: there is no 't2'"}]})  # 10
    dropped = done(home, HOME, "edit", "shifts", key="s2", asked={"team": "t2"})  # 11
    ledger.see_conflict(home, {"id": "c1", "collection": "shifts", "entity_id": "s2", "fields": ["team"],
                               "reason": f"The team 't2' {DELETED} 'team'."})
    ledger.drop(home, dropped.key)
    done(home, HOME, "delete", "shifts", key="s3")  # 12: made and deleted before it was sent
    killed = ledger.begin(home, HOME, "create", "teams")  # 13: its command was killed
    text = [write.text for write in ledger.writes]
    rows = {"teams": {"t1": (text[0], None, None), "t3": (killed.text, None, None)},
            "shifts": {"s1": (text[2], "t1", None), "s2": (text[6], "t1", None)}, "badges": {"b1": (text[3], "t1", None)}}
    history = [
        Event("teams", "t1", None, (text[0], None, None)), Event("teams", "t2", None, (text[1], None, None)),
        Event("shifts", "s1", None, (text[2], "t1", None)), Event("badges", "b1", None, (text[3], "t1", "t2")),
        Event("badges", "b2", None, (text[4], "t2", None)), Event("shifts", "s2", None, (text[6], "t1", None)),
        Event("badges", "b2", (text[4], "t2", None), None), Event("badges", "b1", (text[3], "t1", "t2"), (text[3], "t1", None)),
        Event("teams", "t2", (text[1], None, None), None), Event("teams", "t3", None, (killed.text, None, None))]
    return ledger, End(history, rows, {home: {collection: dict(found) for collection, found in rows.items()}})


def row(collection, key, values, *, also_here=True):
    """Another row in the end, at the server and in the home; `None` for none."""
    def plant(_, end):
        for place in [end.rows] + ([end.shown["alice-0"]] if also_here else []):
            place[collection].pop(key, None)
            if values:
                place[collection][key] = values
    return plant


def event(*values):
    return lambda _, end: end.history.append(Event(*values))


def all_of(*plants):
    def plant(ledger, end):
        for each in plants:
            each(ledger, end)
    return plant


def forget(key, text):
    """The events of a row, or those with its text."""
    def plant(_, end):
        end.history = [event for event in end.history if event.key != key or text and event.new and event.new[0] != text]
    return plant


def answered(status, document, *words, **more):
    return lambda ledger, _: ledger.answer(ledger.begin("bob-1", REST, *words, **more), status, document)


def deleted_here(collection, key):
    return lambda ledger, _: ledger.acknowledge(ledger.begin("alice-0", HOME, "delete", collection, key))


def edited_here(collection, key, values):
    def plant(ledger, end):
        ledger.acknowledge(ledger.begin("alice-0", HOME, "edit", collection, key))
        end.history.append(Event(collection, key, end.rows[collection][key], values))
        row(collection, key, values)(ledger, end)
    return plant


def killed_and_edited(backup):
    """A badge whose `add` with the backup t1 was killed, and then edited."""
    def plant(ledger, end):
        ledger.begin("alice-0", HOME, "create", "badges", asked={"team": "t1", "backup": "t1"})
        edit = ledger.begin("alice-0", HOME, "edit", "badges", "b9", {"team": "t1"})
        ledger.acknowledge(edit)
        event("badges", "b9", None, (edit.text, "t1", backup))(ledger, end)
        row("badges", "b9", (edit.text, "t1", backup))(ledger, end)
    return plant


def untold(ledger, _):
    for write in ledger.writes:
        write.is_told = False


def undeleted(ledger, _):
    """The deletion of t2 was refused, so no row may go with it."""
    ledger.writes[7].state = "refused"


PLANTED = [
    ("nothing", lambda *_: None, None),
    ("a row names a deleted team", all_of(
        row("badges", "b1", ("alice-0 4.", "t1", "t2")), lambda _, end: end.history.pop(7)),
     "dangling: the server has badges b1, whose backup"),
    ("a row of a home names a deleted team",
     lambda _, end: end.shown["alice-0"]["shifts"].update(s2=("alice-0 7.", "t2", None)), "dangling: alice-0 has shifts s2, whose team"),
    ("an acknowledged row never came", all_of(forget("s1", None), row("shifts", "s1", None)), "lost: 'bob-1 3.'"),
    ("a row of a home never came", all_of(forget("b2", None)), "lost: 'alice-0 5.', badges b2"),
    ("an acknowledged edit of a home never came", all_of(
        forget("s2", None), untold, row("shifts", "s2", None)), "lost: 'alice-0 11.'"),
    ("a write that was dropped with a sentence never came", lambda *_: None, None),
    ("the same without a sentence", untold, "lost: 'alice-0 11.'"),
    ("an acknowledged deletion had no effect", all_of(
        lambda _, end: end.history.pop(8), row("teams", "t2", ("alice-0 2.", None, None))), "lost: the deletion by bob-1 of teams t2"),
    ("an acknowledged deletion in a home had no effect", deleted_here("shifts", "s2"), "lost: the deletion by alice-0 of shifts s2"),
    ("the same, and an edit took its place", all_of(
        deleted_here("teams", "t1"), edited_here("teams", "t1", ("alice-0 15.", None, None))), None),
    ("a write had its effect twice", all_of(
        event("teams", "t9", None, ("bob-1 1.", None, None)), row("teams", "t9", ("bob-1 1.", None, None))), "twice: the write 'bob-1 1.'"),
    ("a row that nobody wrote", all_of(
        event("teams", "t9", None, ("bob-1 99.", None, None)), row("teams", "t9", ("bob-1 99.", None, None))), "nobody wrote it"),
    ("a shift goes with its team", all_of(
        event("shifts", "s1", ("bob-1 3.", "t1", None), None), row("shifts", "s1", None)), "lost: deleted, and nobody asked for it"),
    ("a badge goes, and its team was not deleted", all_of(
        event("badges", "b1", ("alice-0 4.", "t1", None), None), row("badges", "b1", None)), "lost: deleted, and nobody asked for it"),
    ("a badge goes with a team whose deletion was refused", undeleted, "lost: deleted, and nobody asked for it"),
    ("a field is cleared, and its team was not deleted", all_of(
        undeleted, lambda _, end: end.history.pop(6), row("badges", "b2", ("alice-0 5.", "t2", None)),
        lambda _, end: end.history.pop(7), row("teams", "t2", ("alice-0 2.", None, None))), "changed, and nobody asked for it"),
    ("a row changes without a write", all_of(
        event("shifts", "s1", ("bob-1 3.", "t1", None), ("bob-1 3.", "t3", None)), row("shifts", "s1", ("bob-1 3.", "t3", None))),
     "changed, and nobody asked for it"),
    ("a row does not have the team of its write", all_of(
        forget("s1", None), event("shifts", "s1", None, ("bob-1 3.", "t3", None)), row("shifts", "s1", ("bob-1 3.", "t3", None))),
     "the team is not what 'bob-1 3.' asked for"),
    ("a row of a killed command has what that asked for, and an edit", killed_and_edited("t1"), None),
    ("the same with a field that nobody asked for", killed_and_edited("t3"), "the backup is not what 'alice-0 15.' asked for"),
    ("a text is in another row", all_of(
        forget("s1", None), event("shifts", "s9", None, ("bob-1 3.", "t1", None)), row("shifts", "s1", None),
        row("shifts", "s9", ("bob-1 3.", "t1", None))), "instead of s1"),
    ("a refused write has an effect", all_of(
        event("shifts", "s9", None, ("bob-1 10.", "t1", None)), row("shifts", "s9", ("bob-1 10.", "t1", None))),
     "refused, and there all the same"),
    ("the server has a row that its history lacks", row("teams", "t9", ("bob-1 1.", None, None)), "not those that the history ends with"),
    ("a home lacks a row", lambda _, end: end.shown["alice-0"]["badges"].pop("b1"), "alice-0 shows 0 badges, the server has 1"),
    ("a home has a row that is gone",
     lambda _, end: end.shown["alice-0"]["shifts"].update(s9=("alice-0 7.", "t1", None)), "alice-0 shows 3 shifts"),
    ("a refusal has no sentence", answered(409, {}, "delete", "teams", "t1"), "refused without a sentence"),
    ("a refusal names no field", answered(422, {"detail": "No."}, "create", "shifts", asked={"team": "t2"}), "refused without a sentence"),
    ("a refusal names another field", answered(
        422, {"detail": "No.", "errors": [{"field": "title"}]}, "create", "shifts", asked={"team": "t2"}), "refused without a sentence"),
    ("the server fails", answered(500, {"detail": "The server failed."}, "create", "teams"), "refused without a sentence"),
    ("a restricted deletion names no field", answered(409, {"detail": "It is used."}, "delete", "teams", "t1"),
     "refused without a sentence"),
    ("an entry of an outbox has no sentence", lambda ledger, _: ledger.see_refused("alice-0", {
        "id": "m1", "collection": "shifts", "entity_id": "s2", "operation": "patch", "error": None}), "refused without a sentence"),
    ("a conflict has no sentence", lambda ledger, _: ledger.see_conflict("alice-0", {
        "id": "c2", "collection": "shifts", "entity_id": "s2", "fields": ["team"], "reason": ""}), "refused without a sentence"),
    ("a conflict with a deleted team names no field", lambda ledger, _: ledger.see_conflict("alice-0", {
        "id": "c2", "collection": "shifts", "entity_id": "s2", "fields": [], "reason": f"The team {DELETED} 'team'."}),
     "refused without a sentence"),
    ("a command is refused without a sentence", lambda ledger, _: ledger.refuse_here(
        ledger.begin("alice-0", HOME, "delete", "teams", "t1"), 65, "\n"), "refused without a sentence"),
]


def self_test():
    for description, plant, expected in PLANTED:
        ledger, end = sample()
        plant(ledger, end)
        ledger.check(end)
        found = ledger.problems
        if (expected is None) != (not found) or expected and not any(expected in line for line in found):
            sys.exit(f"Planted case '{description}': the findings are {found}, not '{expected}'.")
    print(f"{len(PLANTED)} planted cases are judged correctly.")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        sys.exit("use --self-test")
    self_test()
