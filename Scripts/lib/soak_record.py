"""What a soak has seen: requests, faults, and the invariants that broke."""

import collections
import contextlib
import sys
import threading
import time

# Requests may still fail so long after a fault has ended.
GRACE = 5


class Record:
    """Safe on all threads. Times are seconds since the load began."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.answers = collections.Counter()  # by actor and status
        self.faults = collections.Counter()
        self.broken = collections.Counter()  # by invariant
        self.examples = []  # (time, invariant, text), the first five of each invariant
        self.windows = []  # [begin, end] of faults that explain a failed request
        self.steps = []  # when a clock was set

    def restart(self):
        """The load begins. What broke before stays."""
        with self.lock:
            self.began = time.monotonic()
            self.answers.clear()
            self.examples = [(0, invariant, text) for _, invariant, text in self.examples]

    def now(self):
        return time.monotonic() - self.began

    def broke(self, invariant, text):
        with self.lock:
            self.broken[invariant] += 1
            if self.broken[invariant] > 5:
                return
            text = " ".join(text.split())
            self.examples.append((self.now(), invariant, text))
        print(f"BROKEN after {self.now():.1f} s: {invariant}: {text}", file=sys.stderr, flush=True)

    def first(self):
        return min(self.examples, default=None)

    def fault(self, kind, seconds=None):
        """Counts a fault. One that lasts for `seconds` explains requests that fail meanwhile and `GRACE` seconds later."""
        with self.lock:
            self.faults[kind] += 1
            if seconds:
                self.windows.append([self.now(), self.now() + seconds])

    def is_explained(self, since):
        """Whether a fault explains a failure now of what began `since`."""
        now = self.now()
        with self.lock:
            return any(begin <= now and end + GRACE >= since for begin, end in self.windows)

    def has_stepped(self, since):
        """Whether a clock was set after `since`."""
        return any(at > since for at in self.steps)

    @contextlib.contextmanager
    def reporting(self, actor):
        """An error of the soak itself must not end an actor silently."""
        try:
            yield
        except Exception as error:
            self.broke("the soak works", f"{actor}: {type(error).__name__}: {error}")

    # MARK: Requests

    def answered(self, actor, request, answer, since, allowed=()):
        """Judges the status of a response. `allowed` are the error statuses that the request asks for."""
        status = answer.status
        with self.lock:
            self.answers[actor, status] += 1
        if status < 500 and status != 429 or status in allowed:
            return
        text = f"{actor}: {request}: {status} {answer.body[:200].decode(errors='replace')}"
        if status == 500:
            self.broke("no 500", text)
        elif not self.is_explained(since):
            self.broke("no other refusal without a fault", text)

    def unanswered(self, actor, request, why, since):
        with self.lock:
            self.answers[actor, why] += 1
        if not self.is_explained(since):
            self.broke("each request has a response", f"{actor}: {request}: {why} after {self.now() - since:.1f} s")
