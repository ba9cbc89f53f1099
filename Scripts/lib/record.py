"""Runs `shiftlog` against a real `shiftlog-server` on a pseudo-terminal, and draws what one sees as Docs/Pictures/terminal.svg.

Scripts/record starts it and explains the options. Ids and times are replaced by fixed ones, and the scene prints no address and no
folder, so two recordings differ only where the programs do. The picture is refused if it names this machine.
"""

import fcntl
import getpass
import hashlib
import os
import pty
import re
import select
import shlex
import socket
import struct
import subprocess
import sys
import termios
import time

import terminal_svg
from arguments import Parser
from processes import Failure, end, ends_with_parent, listening
from service import Service

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PICTURE = os.path.join(ROOT, "Docs", "Pictures", "terminal.svg")
TITLE = "shiftlog on a terminal: an edit without the server is queued, then merged with the edit of another user"
COLUMNS, ROWS = 88, 40
PASSWORD = "correct horse battery"
# What happens on stage: a command of a person, or a sentence and what is done to the server. `{entry}` is the first entry.
SCENE = [
    ("ada", "shiftlog journal add 'Disk of db1 is at 91 %' --host db1"),
    ("The server stops. Ada goes on.", "stop"),
    ("ada", "shiftlog journal edit {entry} --severity critical"),
    ("ada", "shiftlog journal list"),
    ("The server is back. Grace edits the same entry before Ada's edit arrives.", "start"),
    ("grace", "shiftlog sync"),
    ("grace", "shiftlog journal edit {entry} --text 'Disk of db1 is at 97 %'"),
    ("ada", "shiftlog sync"),
    ("ada", "shiftlog journal list"),
]
PEOPLE = {"ada": "member", "grace": "admin"}
IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class Stage:
    """The server, a home for each person, and the terminal that is drawn."""

    def __init__(self, service):
        self.service = service
        self.screen = terminal_svg.Screen(COLUMNS)
        self.ids = []
        for name, role in PEOPLE.items():
            service.create_user(name, role, PASSWORD)
            os.makedirs(os.path.join(service.home, name))
            login = [self.program(), "login", "--username", name, "--password-stdin"]
            done = subprocess.run(
                login, input=PASSWORD + "\n", text=True, env=self.environment(name), capture_output=True, timeout=60, check=False)
            if done.returncode != 0:
                raise Failure(f"'{name}' cannot log in: {done.stderr}")

    def program(self):
        return os.path.join(self.service.binaries, "shiftlog")

    def environment(self, name):
        home = os.path.join(self.service.home, name)
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "SHIFTLOG_HOME": home, "LANG": "C.UTF-8", "TZ": "UTC",
            "TERM": "xterm-256color", "SHIFTLOG_SERVER": self.service.url, "SHIFTLOG_TOKEN_STORE": "file",
        }

    def play(self):
        for number, (who, line) in enumerate(SCENE):
            self.screen.write("\n" if number and who not in PEOPLE else "")
            if who in PEOPLE:
                command = line.replace("{entry}", self.ids[0][-7:] if self.ids else "")
                self.screen.write(f"\x1b[2m{who} $\x1b[0m \x1b[1m{self.fixed(command)}\x1b[0m\n")
                self.screen.write(self.fixed(self.output(who, command)))
            else:
                self.screen.write(f"\x1b[2m# {who}\x1b[0m\n")
                if line == "stop":
                    end(self.service.process)
                else:
                    self.restart()

    def output(self, who, command):
        """What the command prints on a terminal, with its colours."""
        terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        process = subprocess.Popen(
            [self.program(), *shlex.split(command)[1:]], stdin=inside, stdout=inside, stderr=inside, env=self.environment(who),
            start_new_session=True, preexec_fn=ends_with_parent)
        os.close(inside)
        said, deadline = b"", time.monotonic() + 60
        try:
            while True:
                if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise Failure(f"'{command}' does not end: {said.decode(errors='replace')[-500:]}")
                try:
                    more = os.read(terminal, 65536)
                except OSError:  # the last program has closed it
                    more = b""
                if not more:
                    break
                said += more
        finally:
            end(process)
            os.close(terminal)
        text = said.decode()
        if process.wait() != 0:
            raise Failure(f"'{command}' ended with {process.returncode}: {text}")
        self.ids += [found for found in dict.fromkeys(IDENTIFIER.findall(text)) if found not in self.ids]
        return text.replace("\r\n", "\n")

    def restart(self):
        port = self.service.url.rpartition(":")[2]
        offset = os.path.getsize(self.service.log)
        with open(self.service.log, "ab") as log:
            self.service.process = subprocess.Popen(
                [f"{self.program()}-server", "serve", "--port", port], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.service.environment, preexec_fn=ends_with_parent)
        listening(self.service.process, self.service.log, offset=offset)

    def fixed(self, text):
        """The text with ids and times that are the same in each recording."""
        for number, found in enumerate(self.ids):
            other = hashlib.sha256(str(number).encode()).hexdigest()[:12]
            text = text.replace(found, f"019aa4d2-5c00-7{number:03d}-8000-{other}").replace(found[-7:], other[-7:])
        return re.sub(r"\b\d\d-\d\d \d\d:\d\d\b", "11-21 09:05", text)

    def picture(self):
        """The SVG, if its text says nothing of this machine."""
        names = {getpass.getuser(), socket.gethostname(), os.path.expanduser("~"), ROOT, self.service.home, "/tmp", "127.0.0.1"}
        told = [name for name in names - PEOPLE.keys() if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.screen.text())]
        if told:
            raise Failure(f"The picture would name {told[0]!r} of this machine.")
        return terminal_svg.svg(self.screen, TITLE)


def main(arguments):
    parser = Parser("Scripts/record")
    parser.add_argument("--binary", required=True)
    options = parser.parse_args(arguments)
    service = Service(options.binary)
    try:
        with service:
            stage = Stage(service)
            stage.play()
            picture = stage.picture()
    finally:
        service.remove()
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(picture)
    print(f"{os.path.relpath(PICTURE, ROOT)}: {len(stage.screen.lines)} lines, {len(picture.encode())} bytes")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failure as failure:
        sys.exit(str(failure))
