"""What homes wrote into two spaces whose members change, and whether the right ones have it: the checks of `Scripts/chaos spaces`.

    spaces_ledger.py --self-test     plants each fault in the end of a small run, and expects its line
"""

import collections
import dataclasses
import re
import sys
import threading

SPACES = ("ops", "dev")
# The text of a write, with the space and the home in it. The last group is missing where a file has the beginning alone.
TEXT = re.compile(rf"private ({'|'.join(SPACES)}) ([a-z]+-\d+ \d+\.)?")
TEXT_IN_BYTES = re.compile(TEXT.pattern.encode())
# In each sentence that refuses a write into a space that its user is not in.
REFUSAL = "not a member"


@dataclasses.dataclass
class Write:
    text: str
    home: str
    space: str
    key: str | None  # the id of the row; `None` for a new one that was not acknowledged
    is_acknowledged: bool = False


def empty(kind):
    return dataclasses.field(default_factory=kind)


@dataclasses.dataclass
class End:
    """What is there when all homes have sent what they can. Users, homes, spaces and rows go by their names and ids."""

    members: dict = empty(dict)  # user: spaces
    rows: list = empty(list)  # (id, space, author, text) at the server
    intrusions: list = empty(list)  # (author, space, text) of each insert and update whose author was not in the space at that moment
    held: dict = empty(dict)  # home: entries of its outbox
    before: dict = empty(dict)  # home: (file, space, text) while the outbox has these entries; the text is `None` for a beginning
    after: dict = empty(dict)  # home: the same after they were discarded
    shown: dict = empty(dict)  # home: {id: text} after they were discarded
    spaces: dict = empty(dict)  # home: names of the spaces that it shows


class Ledger:
    """Written by all homes at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.writes = []
        self.refused = set()  # texts that a home has shown with a sentence
        self.aside = set()  # rows whose conflict ended in favour of the server
        self.problems = []

    # Meanwhile

    def name(self, space, home, number):
        return f"private {space} {home} {number}."

    def begin(self, home, space, key=None):
        with self.lock:
            write = Write(self.name(space, home, len(self.writes) + 1), home, space, key)
            self.writes.append(write)
            return write

    def acknowledge(self, write, key):
        """The home has said that it keeps the write."""
        with self.lock:
            write.key, write.is_acknowledged = key, True

    def see(self, entry):
        """Takes note of an entry of an outbox that is shown as refused for good."""
        if entry["state"] == "rejected" and REFUSAL in (entry.get("error") or ""):
            with self.lock:
                self.refused.add(text_of(entry))

    # The end

    def check(self, end):
        self.check_rows(end)
        self.check_writes(end)
        for home, entries in end.held.items():
            self.check_held(home, entries, end.members[home.split("-")[0]])
        for home in end.shown:
            self.check_home(home, end)

    def check_rows(self, end):
        """Nothing is at the server twice, in another space, by another user, or by one who was no member."""
        writes = {write.text: write for write in self.writes}
        for text, count in collections.Counter(row[3] for row in end.rows).items():
            if count > 1:
                self.problems.append(f"twice: '{text}' is in {count} rows")
        for key, space, author, text in end.rows:
            write = writes.get(text)
            if write is None:
                self.problems.append(f"at the server, and no home wrote it: '{text}'")
            elif (write.space, write.home.split("-")[0]) != (space, author):
                self.problems.append(f"'{text}' is in the space '{space}', by {author}")
            elif write.key not in (None, key):
                self.problems.append(f"'{text}' is in the row {key} instead of {write.key}")
        for author, space, text in end.intrusions:
            self.problems.append(f"accepted from {author}, who was not in '{space}': '{text}'")

    def check_writes(self, end):
        """Of each row with acknowledged writes, the last of them is at the server or in the outbox of its home, or a later write is."""
        current = collections.defaultdict(set)
        for key, _, _, text in end.rows:
            current[key].add(text)
        for entries in end.held.values():
            for entry in entries:
                current[entry["entity_id"]].add(text_of(entry))
        later = collections.defaultdict(set)  # texts of the writes of a row from the last acknowledged one on
        for write in self.writes:
            if write.is_acknowledged:
                later[write.key] = {write.text}
            elif write.key in later:
                later[write.key].add(write.text)
        for key, texts in later.items():
            if not current[key] or not current[key] & texts and key not in self.aside:
                self.problems.append(f"lost: '{min(texts)}', row {key}")

    def check_held(self, home, entries, own):
        """What is left in an outbox was refused, with a sentence, for a space that the user is not in."""
        for entry in entries:
            text = text_of(entry)
            space = space_of(text)
            if space is None or space in own:
                self.problems.append(f"{home}: stays in the outbox of a member: '{text}', {entry['state']}: {entry.get('error')}")
            elif entry["state"] != "rejected" or REFUSAL not in (entry.get("error") or ""):
                self.problems.append(f"{home}: refused without a sentence: '{text}', {entry['state']}: {entry.get('error')}")

    def check_home(self, home, end):
        """A home has all rows of the spaces of its user, and no text of another, but for what waits in its own outbox."""
        own = end.members[home.split("-")[0]]
        expected = {key: text for key, space, _, text in end.rows if space in own}
        shown = end.shown[home]
        if shown != expected:
            more, less = sorted(set(shown.values()) - set(expected.values())), sorted(set(expected.values()) - set(shown.values()))
            self.problems.append(
                f"{home} shows {len(shown)} rows, its spaces have {len(expected)}; only here: {more[:3]}, only there: {less[:3]}")
        if end.spaces[home] != {self.name(space, *founder(space)) for space in own}:
            self.problems.append(f"{home} shows the spaces {sorted(end.spaces[home])}, and its user is in {sorted(own)}")
        self.check_files(home, end.before.get(home, []), own, {text_of(entry) for entry in end.held.get(home, [])})
        self.check_files(home, end.after[home], own, set())

    def check_files(self, home, found, own, unsent):
        """- found: (file, space, text) of each text in the files of a home."""
        for name, space, text in sorted(set(found), key=str):
            if space not in own and text not in unsent:
                what = f"'{text}'" if text else "the beginning of a text"
                self.problems.append(f"{home}: '{name}' contains {what} of '{space}', and its user is not in it")

    def report(self, end):
        acknowledged = sum(write.is_acknowledged for write in self.writes)
        held = sum(map(len, end.held.values()))
        return (f"{acknowledged} acknowledged writes, {len(end.rows)} rows, {len(self.refused)} writes refused to non-members, "
                f"{held} of them kept in the end")


def founder(space):
    """Home and number in the name of a space, which is a text of that space, too."""
    return "carol-0", SPACES.index(space)


def text_of(entry):
    return entry["fields"].get("text")


def text_in(match):
    """The space and the text of a match in the bytes of a file."""
    return match.group(1).decode(), match.group().decode() if match.group(2) else None


def space_of(text):
    match = TEXT.fullmatch(text or "")
    return match and match.group(1)


# Planted faults


def sample():
    """A ledger of two homes, and its end: alice is in ops and was in dev, bob is in dev."""
    ledger = Ledger()
    first = ledger.begin("alice-0", "ops")
    ledger.acknowledge(first, "row-1")
    refused = ledger.begin("alice-0", "dev")
    ledger.acknowledge(refused, "row-2")
    old = ledger.begin("bob-1", "dev")
    ledger.acknowledge(old, "row-3")
    new = ledger.begin("bob-1", "dev", "row-3")
    ledger.acknowledge(new, "row-3")
    killed = ledger.begin("bob-1", "dev")
    names = {space: {ledger.name(space, *founder(space))} for space in SPACES}
    entry = {"entity_id": "row-2", "state": "rejected", "fields": {"text": refused.text, "space_id": "2"},
             "error": "You are not a member of this space, or it was deleted."}
    return ledger, End(
        members={"alice": {"ops"}, "bob": {"dev"}},
        rows=[("row-1", "ops", "alice", first.text), ("row-3", "dev", "bob", new.text), ("row-4", "dev", "bob", killed.text)],
        intrusions=[], held={"alice-0": [entry], "bob-1": []},
        before={"alice-0": [("a.sqlite", "ops", first.text), ("a.sqlite", "dev", refused.text)], "bob-1": [("b.sqlite", "dev", old.text)]},
        after={"alice-0": [("a.sqlite", "ops", first.text)], "bob-1": [("b.sqlite", "dev", new.text)]},
        shown={"alice-0": {"row-1": first.text}, "bob-1": {"row-3": new.text, "row-4": killed.text}},
        spaces={"alice-0": names["ops"], "bob-1": names["dev"]})


def lose_the_row(_, end):
    end.rows = [row for row in end.rows if row[0] != "row-1"]
    end.shown["alice-0"] = {}


def lose_the_edit(ledger, end):
    end.rows[1] = (*end.rows[1][:3], ledger.writes[2].text)
    end.shown["bob-1"]["row-3"] = ledger.writes[2].text


def lose_the_edit_to_a_conflict(ledger, end):
    lose_the_edit(ledger, end)
    ledger.aside.add("row-3")


def lose_the_refused(_, end):
    end.held["alice-0"] = []
    end.before["alice-0"].pop()


def change_entry(**values):
    return lambda _, end: end.held["alice-0"][0].update(values)


def rejoin(_, end):
    """alice is in dev again, and her home has its rows: then nothing may stay in the outbox."""
    end.members["alice"] = set(SPACES)
    end.shown["alice-0"] |= end.shown["bob-1"]
    end.spaces["alice-0"] = end.spaces["alice-0"] | end.spaces["bob-1"]


def file(when, home, name, space, text):
    return lambda ledger, end: getattr(end, when)[home].append((name, space, text and text(ledger)))


PLANTED = [
    ("nothing", lambda *_: None, None),
    ("an acknowledged row is gone", lose_the_row, "lost: 'private ops alice-0 1.'"),
    ("the row has the text before an acknowledged edit", lose_the_edit, "lost: 'private dev bob-1 4.'"),
    ("the same, after a conflict that ended in favour of the server", lose_the_edit_to_a_conflict, None),
    ("a refused write is gone", lose_the_refused, "lost: 'private dev alice-0 2.'"),
    ("a refused write has no sentence", change_entry(error=None), "refused without a sentence"),
    ("a refused write has another sentence", change_entry(error="Try later."), "refused without a sentence"),
    ("a refused write still waits", change_entry(state="pending"), "refused without a sentence"),
    ("a write of a member stays in the outbox", rejoin, "stays in the outbox of a member"),
    ("a write is there twice", lambda _, end: end.rows.append(("row-9", "dev", "bob", end.rows[2][3])), "twice"),
    ("a row is in the other space",
     lambda _, end: end.rows.__setitem__(2, ("row-4", "ops", *end.rows[2][2:])), "is in the space 'ops'"),
    ("a row has another author",
     lambda _, end: end.rows.__setitem__(2, ("row-4", "dev", "alice", end.rows[2][3])), "by alice"),
    ("a text is in another row",
     lambda _, end: end.rows.__setitem__(0, ("row-7", *end.rows[0][1:])), "instead of row-1"),
    ("a row that no home wrote",
     lambda _, end: end.rows.append(("row-9", "dev", "bob", "private dev bob-1 99.")), "no home wrote it"),
    ("a write of one who is no member is accepted",
     lambda _, end: end.intrusions.append(("alice", "dev", "x")), "accepted from alice"),
    ("a home lacks a row of its space",
     lambda _, end: end.shown["bob-1"].pop("row-4"), "bob-1 shows 1 rows, its spaces have 2"),
    ("a home shows a row of a foreign space",
     lambda _, end: end.shown["bob-1"].update({"row-1": end.rows[0][3]}), "only here"),
    ("a home shows a space that was left",
     lambda _, end: end.spaces["alice-0"].update(end.spaces["bob-1"]), "shows the spaces"),
    ("a file has a text of a foreign space",
     file("after", "bob-1", "b.sqlite-wal", "ops", lambda ledger: ledger.writes[0].text), "'b.sqlite-wal' contains"),
    ("a file has the beginning of one", file("after", "bob-1", "log", "ops", None), "the beginning of a text"),
    ("a file has a discarded write",
     file("after", "alice-0", "a.sqlite", "dev", lambda ledger: ledger.writes[1].text), "'a.sqlite' contains"),
    ("a file has a foreign text beside the unsent one",
     file("before", "alice-0", "a.sqlite", "dev", lambda ledger: ledger.writes[3].text), "'a.sqlite' contains"),
]


def self_test():
    for description, plant, expected in PLANTED:
        ledger, end = sample()
        plant(ledger, end)
        ledger.check(end)
        found = ledger.problems
        if (expected is None) != (not found) or expected and not any(expected in line for line in found):
            sys.exit(f"Planted case '{description}': the findings are {found}, not '{expected}'.")
    for content, expected in ((b"..private dev bob-1 12.7", ("dev", "private dev bob-1 12.")), (b"private ops bob-1 1", ("ops", None))):
        found = [text_in(match) for match in TEXT_IN_BYTES.finditer(content)]
        if found != [expected]:
            sys.exit(f"In {content} the texts {found} are found, not {expected}.")
    print(f"{len(PLANTED)} planted cases are judged correctly.")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        sys.exit("use --self-test")
    self_test()
