"""Types into bash, zsh and fish on a pseudo-terminal, and checks what the completion of `shiftlog` offers.

    completions.py PROGRAM SHELL…

Commands, options, values, names of settings and profiles, and ids of entries, unsent writes and references with their titles; some titles would be
commands if a shell evaluated them.
Prints a line for each check, and ends with 1 if one failed.
"""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

# For one answer of a shell. The program gives up looking for ids after a second, which a busy machine may take.
SECONDS, TRIES = 10, 3
READY = "ready> "
# `{mark}` is a file that must not come into being.
TITLES = [
    "Disk of db1 is full",
    "$(touch {mark}) `touch {mark}` ; touch {mark} | touch {mark}",
    "it's \"quoted\" \\ and [a] * ? ~ ! # {{a,b}} $HOME %s",
    "colons: 10:20:30 and a\ttab\nand a second line",
    "漢字 שלום 👩‍🔬",
    "long " * 60,
]
SETUP = {
    "bash": [
        "bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'; bind 'set completion-query-items 0'",
        "bind 'set enable-bracketed-paste off'; source {script}; PS1={prompt}",
    ],
    "zsh": [
        "fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump",
        "LISTMAX=1000; unsetopt beep list_ambiguous prompt_sp; PROMPT={prompt}",
    ],
    "fish": ["source {script}; function fish_prompt; printf %s {prompt}; end"],
}
START = {"bash": ["--noprofile", "--norc", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}
NAME = {"bash": "shiftlog.bash", "zsh": "_shiftlog", "fish": "shiftlog.fish"}


class Shell:
    """An interactive shell that has the completion script."""

    def __init__(self, name, folder, environment):
        self.name, self.text, self.lines = name, "", 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(name, [name, *START[name]], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
        # The quotes keep the prompt of an echoed line from being taken for the prompt.
        words = {"script": f"{folder}/{NAME[name]}", "folder": folder, "prompt": "'ready''> '"}
        self.type("\r".join(line.format(**words) for line in SETUP[name]) + "\r")
        self.until(lambda text: READY in text)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def until(self, holds):
        """Reads until `holds` is true of the text since the last line; returns whether it came to be."""
        end = time.monotonic() + SECONDS
        while not holds(plain(self.text)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                return False
            try:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                return False
        return True

    def complete(self, typed, *expected):
        """Whether all of `expected` are shown after `typed` and a tab, in a new line; and what is shown."""
        for _ in range(TRIES):
            self.text = ""
            self.type(typed + "\t")
            found = self.until(lambda text: all(part in text[len(typed):] for part in expected))
            shown = plain(self.text)
            self.empty()
            if found:
                break
        return found, shown

    def empty(self):
        """Leaves nothing of the line. The prompt alone does not tell when: it is drawn again below a list. An interrupt would take along
        what is typed before the shell has seen it."""
        self.lines += 1
        # The quotes keep the echoed line from being taken for its output.
        self.type(f"\x15echo 'the''line'{self.lines}\r")
        self.until(lambda text: READY in text.partition(f"theline{self.lines}")[2])

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def plain(text):
    """What is seen of it: without control sequences, as far as words are concerned."""
    text = re.sub(r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[P_^][^\x1b]*\x1b\\", "", text)
    return re.sub(r"\x1b\[[0-9;?>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>78M]|[\x07\x0f]", "", text)


def checks(shell, ids):
    """What is typed, and what must be shown after it."""
    whole = next(iter(ids))
    # fish shows the end of ids that begin alike.
    ends = [one[-25:] for one in ids]
    titles = ["Disk of db1 is full", "touch ", "colons: 10:20:30", "漢字"]
    return [
        ("commands", "shiftlog jour", ["nal"]),
        ("subcommands", "shiftlog journal ", ["list", "add", "import"]),
        ("options", "shiftlog journal list --sev", ["erity"]),
        ("values", "shiftlog journal list --severity ", ["info", "warning", "critical"]),
        ("ids and titles", "shiftlog journal show ", [*ends, *titles]),
        ("the rest of an id", f"shiftlog journal show {whole[:-4]}", [whole[-4:]]),
        ("ids of edit", "shiftlog journal edit ", ends),
        ("the entry of attachments", "shiftlog attachments list ", [*ends, *titles]),
        ("the entry of a file", f"shiftlog attachments get {whole[:-4]}", [whole[-4:]]),
        ("unsent writes", "shiftlog outbox show ", ["pending, create journal_entries"]),
        ("settings", "shiftlog config set ", ["server", "token_store", "Address of the server"]),
        ("profiles", "shiftlog journal list --profile ", ["night", "ops", "127.0.0.1:2"]),
    ]


def main(program, shells):
    failed = False
    with tempfile.TemporaryDirectory(prefix="completions-") as folder:
        mark = f"{folder}/evaluated"
        environment = {
            "PATH": f"{os.path.dirname(os.path.abspath(program))}:{os.environ.get('PATH', '/usr/bin:/bin')}", "HOME": folder,
            "SHIFTLOG_HOME": f"{folder}/home", "SHIFTLOG_TOKEN_STORE": "file", "SHIFTLOG_SERVER": "http://127.0.0.1:1",
            "TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
        }
        ids = {}
        for title in TITLES:
            add = [program, "journal", "add", "--offline", "--", title.format(mark=mark)]
            out = subprocess.run(add, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout
            ids[out[:36]] = title
        os.makedirs(f"{folder}/home/config", exist_ok=True)
        profiles = {name: {"server": f"http://127.0.0.1:{number}"} for number, name in enumerate(["ops", "night", f"$(touch {mark})"], 1)}
        with open(f"{folder}/home/config/config.json", "w", encoding="utf-8") as file:
            json.dump({"profiles": profiles}, file)
        for name in shells:
            script = subprocess.run([program, "completion", name], env=environment, check=True, capture_output=True, timeout=60)
            with open(f"{folder}/{NAME[name]}", "wb") as file:
                file.write(script.stdout)
            shell = Shell(name, folder, environment)
            for what, typed, expected in checks(name, ids):
                found, shown = shell.complete(typed, *expected)
                print(f"{name}: {what}: {'ok' if found else 'FAILED'}", flush=True)
                if not found:
                    missing = [part for part in expected if part not in shown[len(typed):]]
                    print(f"  {typed!r} does not offer {missing}; shown: {shown!r}", flush=True)
                    failed = True
            shell.close()
            if os.path.exists(mark):
                print(f"{name}: a title was evaluated: FAILED", flush=True)
                os.remove(mark)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
