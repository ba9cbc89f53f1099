"""The server, the homes and the hostile texts of Scripts/terminal."""

import contextlib
import datetime
import os
import signal
import sqlite3
import subprocess
import time

from demo_stage import Stage
from processes import Failure
from terminal_window import Terminal

LONG = "begin of the long text " + "0123456789" * 998 + " finis"
# Hosts, texts, and what the list must show of them. A longer text is cut to its column.
HOSTILE = [
    ("esc", "\x1b[2J\x1b[1;1H\x1b]0;owned\x07\x1b[31mred", r"\\x1B\[2J\\x1B\[1;1H\\x1B\]0;owned\\x07\\x1B\[…$"),
    ("c1", "\x9b2J\x9d0;owned\x9c and \x90q\x9c", r"\\x9B2J\\x9D0;owned\\x9C and \\x90q\\x9C$"),
    ("back", "typed\b\b\b\b\b\x7fover\rthe row", r"typed\\x08\\x08\\x08\\x08\\x08\\x7Fover\\rth…$"),
    ("lines", "first line\nsecond line\tafter a tab", r"first line\\nsecond line\\tafter a tab$"),
    ("rtl", "\u202eoverride \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", r"\\u\{202E\}override "),
    ("wide", "漢字かな交じり文 한국어 🚀🚀 end of wide", r"漢字かな交じり文 한국어 🚀🚀 end of w…$"),
    ("marks", "Zal" + "g\u0301\u0327" * 8 + "o end of marks", r"end of marks"),
    ("emoji", "family 👨‍👩‍👧‍👦 flag 🇩🇪 end of emoji", r"end of emoji"),
    ("secret", "password=hunter2 Authorization: Bearer eyJhbGciOi", r"password=hunter2 Authorization: Beare…$"),
    ("long", LONG, r"begin of the long text 0123456789\d*…$"),
]
# Rows without anything special, of which every third is a warning.
ORDINARY = 40


class Screens(Stage):
    """A server with rows, the home of `alice`, and a terminal in which she types."""

    def __init__(self, binaries, rows):
        super().__init__(os.path.abspath(binaries), None, 900)
        self.rows = rows
        self.terminal = None
        self.token = None
        # Everything that was on a screen at the end of a step.
        self.shown = []

    def environment(self, home):
        return {**super().environment(home), f"{self.variables}_TOKEN_STORE": "file"}

    def open(self):
        """Starts the server with its rows and the terminal, and logs `alice` in."""
        self.secret = self.tool("new-secret")
        self.start_server()
        for name, role in (("alice", "admin"), ("bob", "member")):
            self.tool(
                "create-user", name, "--role", role, "--password-stdin", "--database", self.database,
                stdin=self.passwords[name] + "\n")
        self.log_in("bob")
        now = datetime.datetime.now(datetime.timezone.utc)
        texts = [(host, text) for host, text, _ in HOSTILE]
        texts += [(f"web{number}", f"ordinary row {number}, disk {number * 7 % 10}") for number in range(ORDINARY)]
        for number, (host, text) in enumerate(texts):
            self.post(host, text, now - datetime.timedelta(minutes=number + 1), "warning" if number % 3 == 0 else "info")
        self.run("login", "--username", "alice", "--password-stdin", stdin=self.passwords["alice"] + "\n")
        environment = self.environment("alice")
        del environment["NO_COLOR"]
        environment["PATH"] = f"{self.binaries}:{environment['PATH']}"
        self.terminal = Terminal(self.home, environment)

    def log_in(self, name):
        status, session = self.http(
            "POST", "/v1/sessions", body={"username": name, "password": self.passwords[name], "device": "terminal"})
        if status != 201:
            raise Failure(f"the login of {name} got {status}: {session}")
        self.token = session["access_token"]

    # Rows on the server

    def post(self, host, text, at, severity):
        """Creates an entry. This server refuses control characters; another may not, so they are put into its database."""
        body = {
            "host": host, "text": text, "severity": severity, "occurred_at": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        status, made = self.http("POST", "/v1/journal/entries", body=body, token=self.token)
        if status == 422:
            status, made = self.http("POST", "/v1/journal/entries", body={**body, "text": "refused"}, token=self.token)
            with contextlib.closing(sqlite3.connect(self.database.removeprefix("sqlite:"), timeout=30)) as database, database:
                changed = database.execute("UPDATE journal_entries SET text = ? WHERE text = 'refused'", (text,)).rowcount
            if changed != 1:
                raise Failure(f"{changed} rows of the server have the text {text[:40]!r}")
        if status != 201:
            raise Failure(f"the server answers {status} to {text[:40]!r}: {made}")

    def on_server(self, text):
        """The entries of the server with a text that begins so."""
        return [entry for entry in self.server_entries()[0].values() if entry["text"].startswith(text)]

    def waits_for(self, text, count=1, seconds=60):
        """Waits until the server has `count` entries with a text that begins so, and returns them."""
        deadline = time.monotonic() + seconds
        while len(found := self.on_server(text)) != count:
            if time.monotonic() > deadline:
                raise Failure(f"the server has {len(found)} entries {text!r} after {seconds} s, and not {count}")
            time.sleep(0.2)
        return found

    def change_on_server(self, entry, text):
        status, changed = self.http("PATCH", f"/v1/journal/entries/{entry['id']}", body={"text": text}, token=self.token)
        if status != 200:
            raise Failure(f"the change by bob got {status}: {changed}")

    def kill_server(self):
        self.server.send_signal(signal.SIGKILL)
        self.server.wait(timeout=20)

    # The program in the terminal

    def browse(self, *options, before="", home=None, rows=r"^> [0-9a-f]{7}"):
        """Starts `browse` and waits for its rows."""
        place = f"{self.variables}_HOME={self.home}/{home} " if home else ""
        self.terminal.command(" ".join([place + before + f"{self.program} browse", *options]).strip())
        return self.terminal.shows(r"^journal entries  \S+ of \S+", rows)

    def leave(self, *keys):
        """Ends `browse`; the terminal must be as before."""
        self.terminal.press(*(keys or ("q",)))
        self.is_restored()

    def is_restored(self):
        """The shell has a terminal with its own screen, a cursor, line wrapping, an echo and whole lines."""
        terminal = self.terminal
        terminal.asks("#{alternate_on} #{cursor_flag} #{wrap_flag}", "0 1 1")
        terminal.command("stty -a | tr ' ' '\\n' | grep -xE -- '-?(echo|icanon|isig);?' | tr '\\n' ' '; echo asked")
        terminal.shows(r"^isig icanon echo asked$")

    def process(self):
        """The number of the `browse` that runs in the terminal."""
        shell = self.terminal.ask("#{pane_pid}")
        done = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", shell], capture_output=True, text=True, timeout=10)
        found = [line.split()[0] for line in done.stdout.splitlines() if line.split()[1:] == [self.program]]
        if len(found) != 1:
            raise Failure(f"{len(found)} processes of {self.program} run in the terminal: {done.stdout}")
        return int(found[0])

    def kill(self, number):
        self.terminal.typed = f"signal {number}"
        os.kill(self.process(), number)

    def close(self, keep):
        if self.terminal:
            self.terminal.close()
        super().close(keep)
