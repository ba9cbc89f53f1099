"""Which writes were acknowledged, and whether the database has them, each once."""

import collections
import threading


class Ledger:
    """The journal entries of a soak, whose texts are unique, and its runbooks. Safe on all threads."""

    def __init__(self, clock):
        self.clock = clock
        self.lock = threading.Lock()
        self.acknowledged = {}  # id: (version, text), the text `None` after a delete
        self.doubtful = collections.defaultdict(list)  # id: texts of writes without a response since then
        self.followers = []
        self.count = 0

    def began(self, key, text):
        """A write of a row that is there is on its way. Until `wrote`, the row may have either text."""
        with self.lock:
            self.doubtful[key].append(text)

    def wrote(self, key, version, text, is_followed=True):
        """The server, or a home, has acknowledged a write. A home does not know the version."""
        with self.lock:
            self.count += 1
            self.acknowledged[key] = (version, text)
            self.doubtful.pop(key, None)
            for follower in self.followers if is_followed else ():
                follower.expect(key, version, self.clock())

    def compare(self, rows):
        """What is wrong with `rows`, the pairs `(version, text)` by id of the database: lost, different and doubled writes."""
        lost, different = [], []
        for key, (version, text) in self.acknowledged.items():
            found = rows.get(key, (None, None))
            if found[1] == text or found[1] in self.doubtful.get(key, ()):
                continue
            (lost if text is not None and found[1] is None else different).append(
                f"{key}: acknowledged {text!r:.60} of version {version}, the database has {found}")
        texts = collections.Counter(text for _, text in rows.values() if text.startswith("soak "))
        return lost, different, [f"{count} rows have the text '{text}'" for text, count in texts.items() if count > 1]


class Deliveries:
    """What one follower of the changes has got, and how long it took where no fault explains a delay."""

    def __init__(self, name, record):
        self.name, self.record = name, record
        self.lock = threading.Lock()
        self.seen = {}  # id: version
        self.waiting = collections.defaultdict(list)  # id: (version, since)
        self.delays = []

    def expect(self, key, version, now):
        with self.lock:
            if self.seen.get(key, 0) >= version:
                self.delays.append(0)
            else:
                self.waiting[key].append((version, now))

    def got(self, key, version, now):
        """A change. Returns whether it is new."""
        with self.lock:
            if self.seen.get(key, 0) >= version:
                return False
            self.seen[key] = version
            waiting = self.waiting.pop(key, [])
            self.delays += [
                now - since for wanted, since in waiting if wanted <= version and not self.record.is_explained(since)]
            if left := [item for item in waiting if item[0] > version]:
                self.waiting[key] = left
            return True

    def oldest(self):
        """The acknowledged write that is missing for the longest time, as `(since, id, version)`."""
        with self.lock:
            return min(((since, key, version) for key, items in self.waiting.items() for version, since in items), default=None)
