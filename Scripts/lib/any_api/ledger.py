"""What the homes wrote, what they showed, and whether the server has it: the checks of `Scripts/chaos any-api`."""

import collections
import threading

from fault_counter import FaultCounter

# In a run of so many seconds, at least one fault of each list must have happened: without it the run proves nothing.
NEEDED = [
    (60, ["cuts"]), (60, ["kills of a home", "kills of the server"]),
    (300, ["kills of a home"]), (300, ["kills of the server"]), (300, ["lost answers"])]


class Write:
    def __init__(self, home, action, title, body, folder):
        self.home, self.action, self.title, self.body, self.folder = home, action, title, body, folder
        # Neither when the home was killed before it answered: it may have been done.
        self.is_done = self.is_void = False


class Ledger:
    """Written by all homes at once."""

    def __init__(self, finds_edited):
        self.finds_edited = finds_edited
        self.lock = threading.Lock()
        self.writes, self.live = [], {}
        self.held = collections.defaultdict(set)  # texts that were shown as refused or as a conflict, by home and title
        self.faults = FaultCounter(NEEDED)
        self.figures = collections.Counter()
        self.problems = []
        self.settled = 0

    # MARK: Meanwhile

    def count(self, name):
        with self.lock:
            self.faults[name] += 1

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    def titles(self):
        """Titles of notes that may be there; in order, so that a seed chooses the same."""
        with self.lock:
            return list(self.live)

    def began(self, home, action, title, body, folder):
        with self.lock:
            self.writes.append(Write(home, action, title, body, folder))
            if action == "delete":
                self.live.pop(title, None)
            return len(self.writes) - 1

    def refused(self, number):
        """The home has said that it did nothing."""
        with self.lock:
            self.writes[number].is_void = True

    def done(self, number):
        """The home has said that it keeps the write."""
        with self.lock:
            write = self.writes[number]
            write.is_done = True
            self.figures[write.action] += 1
            if write.action == "add":
                self.live[write.title] = True

    def shown(self, home, item):
        with self.lock:
            if item["body"] not in self.held[home, item["title"]]:
                self.figures[item["kind"]] += 1
            self.held[home, item["title"]].add(item["body"])

    # MARK: The end

    def check(self, rows, effects):
        written, inserts, deleted, alive = collections.defaultdict(set), collections.Counter(), set(), collections.Counter()
        twice, last, edited, unrecognised = {}, {}, set(), set()
        for at, kind, _, title, body in effects:
            self.figures[kind] += 1
            if kind == "DELETE":
                deleted.add(title)
                alive[title] -= 1
                continue
            written[title].add(body)
            if kind == "UPDATE":
                edited.add(title)
                continue
            inserts[title] += 1
            alive[title] += 1
            if alive[title] > 1 and title in edited and not self.finds_edited:
                self.figures["unrecognised"] += 1
                unrecognised.add(title)
            elif alive[title] > 1:
                twice[title] = at - last[title]
            last[title] = at
        for title, seconds in twice.items():
            self.problem(f"twice: '{title}' is inserted again after {seconds:.2f} seconds")
        for title, count in collections.Counter(title for title, _, _ in rows).items():
            if count > 1 and title not in twice and title not in unrecognised:
                self.problem(f"twice: '{title}' is there {count} times")
        self.figures["again"] = sum(1 for title in inserts if inserts[title] > 1 and title not in twice and title not in unrecognised)
        folders = {write.title: write.folder for write in self.writes if write.action == "add"}
        for title, _, folder in rows:
            if folder != folders.get(title):
                self.problem(f"'{title}' is in the folder '{folder}' and was added to '{folders.get(title)}'")
        self.check_effects(effects)
        self.check_writes(written, deleted)

    def check_faults(self, seconds):
        """The run had the faults that it must have at its length."""
        for text in self.faults.missing(seconds):
            self.problem(text)

    def check_effects(self, effects):
        """Nothing is at the server that no home wrote."""
        texts = {(write.title, write.body) for write in self.writes}
        removals = {write.title for write in self.writes if write.action == "delete"}
        for _, kind, _, title, body in effects:
            if kind == "DELETE" and title not in removals:
                self.problem(f"deleted and not asked for: '{title}'")
            if kind != "DELETE" and (title, body) not in texts:
                self.problem(f"at the server, and no home wrote it: '{title}' '{body[:60]}'")

    def check_writes(self, written, deleted):
        """Each acknowledged write is at the server, was shown, or was replaced by a later one of its home before it was sent."""
        later = collections.defaultdict(list)
        for write in reversed(self.writes):
            followers = later[write.home, write.title]
            if write.is_done and not self.is_accounted(write, followers, written, deleted):
                self.problem(f"lost: {write.action} of '{write.title}' '{write.body[:60]}' by {write.home}")
            if not write.is_void:
                followers.append(write.action)

    def is_accounted(self, write, followers, written, deleted):
        held = self.held[write.home, write.title]
        if write.action == "delete":
            return write.title in deleted or write.title not in written or bool(held)
        if write.body in written[write.title] or write.body in held or "delete" in followers:
            return True
        if write.action == "add":
            # An edit before the first run makes one request of both.
            return bool(followers) and (bool(written[write.title]) or bool(held))
        return bool(followers) or write.title in deleted

    def report(self):
        figure = self.figures
        yield (
            f"{figure['add']} added, {figure['edit']} edited, {figure['delete']} deleted by the homes; "
            f"{figure['INSERT']} inserts, {figure['UPDATE']} updates, {figure['DELETE']} deletes at the server")
        yield (
            f"{figure['conflict']} conflicts, {figure['refused']} refusals and {figure['missing']} held deletions shown; {figure['again']} notes made again after a deletion, "
            f"{figure['unrecognised']} after an edit")
        yield str(self.faults)
        yield f"settled in {self.settled:.0f} seconds"
