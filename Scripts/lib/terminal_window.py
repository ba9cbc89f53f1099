"""A terminal of tmux that a script types into and reads the screen of.

The tmux server has a socket and a configuration of its own, so that neither the sessions nor the settings of the user are touched.
"""

import os
import re
import subprocess
import time

from processes import Failure


class Terminal:
    """One terminal, in which a shell runs whose prompt is `$ `."""

    def __init__(self, folder, environment, width=80, height=24):
        self.socket = os.path.join(folder, "tmux.sock")
        # The last thing that was typed, for messages.
        self.typed = ""
        self.screens = 0
        shell = ["/bin/bash", "--noprofile", "--norc", "-i"]
        self._tmux(
            "new-session", "-d", "-x", str(width), "-y", str(height), *shell,
            environment={**environment, "PS1": "$ ", "HISTFILE": "/dev/null", "LC_ALL": "C.UTF-8"})
        self.shows(r"^\$ *$")

    def _tmux(self, *arguments, environment=None):
        done = subprocess.run(
            ["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *arguments], capture_output=True, timeout=30,
            env=environment or {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise Failure(f"'tmux {arguments[0]}' ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode(errors="replace")

    # Typing

    def press(self, *keys):
        """Keys by their names in tmux, such as `Enter`, `Escape`, `C-c` and `j`."""
        self.typed = " ".join(keys)
        self._tmux("send-keys", *keys)

    def type(self, text):
        """Characters as they are."""
        self.typed = text
        self._tmux("send-keys", "-l", "--", text)

    def paste(self, text):
        """A paste, in brackets where the program asked for them."""
        self.typed = f"a paste of {len(text)} characters"
        self._tmux("set-buffer", "--", text)
        self._tmux("paste-buffer", "-p", "-r")

    def command(self, line):
        """A line for the shell, on an empty screen."""
        self.type(f"clear; {line}")
        self.press("Enter")
        self.typed = line

    def resize(self, width, height):
        self.typed = f"a size of {width}x{height}"
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    # Reading

    def screen(self, styles=False):
        """The text of the screen; with `styles` also the escape sequences of its colours."""
        return self._tmux("capture-pane", "-p", *(["-e"] if styles else []))

    def ask(self, format):
        """What tmux knows of the terminal, such as `#{alternate_on}`."""
        return self._tmux("display-message", "-p", format).strip()

    def shows(self, *patterns, without=(), seconds=30):
        """Waits until the screen has each of `patterns` and none of `without`; returns the texts of the patterns.

        A pattern is a regular expression whose `^` and `$` are the ends of a line.
        """
        deadline = time.monotonic() + seconds
        while True:
            shown = self.screen()
            found = [re.search(pattern, shown, re.MULTILINE) for pattern in patterns]
            left = [pattern for pattern in without if re.search(pattern, shown, re.MULTILINE)]
            if all(found) and not left:
                return [match.group(0).strip() for match in found]
            if time.monotonic() > deadline:
                missing = [pattern for pattern, match in zip(patterns, found) if not match]
                words = [f"no {missing!r}"] if missing else []
                words += [f"still {left!r}"] if left else []
                raise Failure(f"after {self.typed!r} the screen has {' and '.join(words)} within {seconds} s")
            time.sleep(0.05)

    def asks(self, format, expected, seconds=30):
        """Waits until tmux answers `expected`."""
        deadline = time.monotonic() + seconds
        while (answer := self.ask(format)) != expected:
            if time.monotonic() > deadline:
                raise Failure(f"after {self.typed!r} {format} is {answer!r} and not {expected!r} within {seconds} s")
            time.sleep(0.05)

    def save(self, folder, name):
        with open(os.path.join(folder, f"{name}.txt"), "w", encoding="utf-8") as file:
            file.write(self.screen())

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=30)
