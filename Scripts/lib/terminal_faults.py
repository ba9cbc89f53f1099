"""The steps of Scripts/terminal in which something fails: the server, the program itself, the files of the home."""

import contextlib
import glob
import os
import signal
import sqlite3

from terminal_steps import SCREEN, add, expect, row, show_all, step

# The user of Debian that owns no file.
NOBODY = 65534


# The server


@step("the server is killed: r says so at once, and the rows stay")
def dead(stage):
    stage.browse()
    stage.kill_server()
    # After a good synchronisation the next is due within a minute; r does not wait for it.
    stage.terminal.press("r")
    said, title, _ = stage.terminal.shows(r"^Not current: .*", SCREEN + r".*offline.*", r"^> [0-9a-f]{7}")
    row(stage, "ordinary row 20,")
    show_all(stage)
    return f"{title}; {said}; a search works"


@step("an entry that is added while the server is dead is kept")
def queued(stage):
    seen = add(stage, "written while it was dead", outcome=r"^Saved: .*queued.*")
    stage.terminal.shows(SCREEN + r".*1 unsent", r"^> [0-9a-f]{7}.* queued +written while it was dead")
    return seen


@step("r while the server is dead")
def reload(stage):
    stage.terminal.press("r")
    seen, _ = stage.terminal.shows(r"^Not current: .*", r"^> [0-9a-f]{7}")
    return seen


@step("another start while the server is dead")
def restart(stage):
    stage.leave()
    stage.browse()
    title = stage.terminal.shows(SCREEN + r".*1 unsent.*offline.*", r" queued +written while it was dead", seconds=150)[0]
    return title


@step("the server is back: the entry is sent once")
def back(stage):
    stage.start_server()
    stage.terminal.shows(SCREEN + r".*synced", without=[r" queued ", r"unsent", r"offline"], seconds=120)
    found = stage.waits_for("written while it was dead")
    return f"{len(found)} entry on the server, no key typed"


# The program


@step("^Z in a form, then fg")
def suspended(stage):
    terminal = stage.terminal
    terminal.press("a")
    terminal.shows(r"^> host")
    terminal.press("Down", "Down")
    terminal.type("typed before the stop")
    terminal.shows(r"^> text +typed before the stop")
    terminal.press("C-z")
    terminal.shows(r"Stopped")
    stage.is_restored()
    terminal.command("fg")
    terminal.shows(r"^> text +typed before the stop")
    terminal.asks("#{alternate_on}", "1")
    terminal.press("C-s")
    terminal.shows(r"^Saved: ", r"typed before the stop")
    return "the shell has its terminal; fg shows the form with its text, which is saved"


@step("^Z, a resize, then fg")
def resized_while_stopped(stage):
    terminal = stage.terminal
    terminal.press("C-z")
    terminal.shows(r"Stopped")
    terminal.resize(120, 30)
    terminal.command("fg")
    terminal.shows(SCREEN, r"│ host")
    terminal.resize(80, 24)
    terminal.shows(SCREEN, without=["│"])
    return "the details are beside the list of the wider screen"


@step("^C in a form")
def interrupted(stage):
    terminal = stage.terminal
    stage.leave()
    terminal.command(f"{stage.program} browse; echo status $?")
    terminal.shows(SCREEN, r"^> [0-9a-f]{7}")
    terminal.press("e")
    terminal.shows(r"^> host")
    terminal.type("typed")
    terminal.press("C-c")
    seen, = terminal.shows(r"^status 130$")
    stage.is_restored()
    return seen


@step("SIGTERM, SIGHUP and SIGQUIT restore the terminal")
def ended(stage):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        stage.browse()
        stage.kill(number)
        stage.is_restored()
    return "its own screen, cursor, wrapping and echo after each"


@step("kill -9 after a save without a network")
def killed(stage):
    terminal = stage.terminal
    stage.browse("--offline")
    add(stage, "saved before the kill")
    terminal.press("a")
    terminal.shows(r"^> host")
    terminal.type("lost")
    stage.kill(signal.SIGKILL)
    terminal.asks("#{pane_current_command}", "bash")
    stage.browse()
    terminal.shows(r"saved before the kill")
    stage.waits_for("saved before the kill")
    return "the next start shows what was saved and sends it"


@step("q after the kill -9 restores the terminal")
def restored(stage):
    stage.leave()
    return "its own screen, a cursor, wrapping, echo"


@step("kill -9 while it sends, ten times")
def killed_often(stage):
    for number in range(10):
        stage.browse("--offline")
        add(stage, f"burst {number} of ten")
        stage.leave()
        stage.browse()
        stage.kill(signal.SIGKILL)
        stage.terminal.asks("#{pane_current_command}", "bash")
    stage.browse()
    stage.terminal.shows(SCREEN + r".*synced", without=[r"unsent"], seconds=60)
    found = sorted(entry["text"] for entry in stage.waits_for("burst ", count=10))
    expect(found == [f"burst {number} of ten" for number in range(10)], f"the server has {found}")
    stage.leave()
    return "the server has each of the ten once"


# The home


def database(stage):
    """The store of the rows."""
    found = glob.glob(f"{stage.home}/alice/state/**/*.sqlite", recursive=True)
    expect(found, "the home has no database")
    return found


@step("the store is locked by another process")
def locked(stage):
    terminal = stage.terminal
    stage.browse()
    with contextlib.ExitStack() as stack:
        for path in database(stage):
            connection = stack.enter_context(contextlib.closing(sqlite3.connect(path, isolation_level=None)))
            connection.execute("BEGIN IMMEDIATE")
        terminal.press("a")
        terminal.shows(r"^> host")
        terminal.press("Down", "Down")
        terminal.type("written meanwhile")
        terminal.press("C-s")
        seen, _ = terminal.shows(r"^Another process is using.*", r"^> text +written meanwhile", seconds=120)
    terminal.press("C-s")
    terminal.shows(r"^Saved: ", r"written meanwhile")
    stage.leave()
    return f"{seen}; the form keeps the text, and ^S saves it later"


@step("a home that cannot be written")
def read_only(stage):
    """Modes do not bind root, which therefore starts the program as another user."""
    terminal = stage.terminal
    if os.geteuid() == 0:
        os.chmod(stage.home, 0o711)
        prefix = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups env "
    else:
        prefix = ""
    folder = os.path.join(stage.home, "locked")
    os.makedirs(folder, mode=0o755)
    os.chmod(folder, 0o555)
    terminal.command(f"{prefix}{stage.variables}_HOME={folder} {stage.program} browse; echo status $?")
    seen, status = terminal.shows(r"^.*(cannot|permission).*", r"^status \d+$")
    os.chmod(folder, 0o755)
    stage.is_restored()
    return f"{seen} ({status})"


@step("a home without a login")
def no_login(stage):
    stage.browse(home="empty", rows=r"There are no journal entries on this machine yet; a adds one\.")
    seen = stage.terminal.shows(r".*login.*")[0]
    stage.leave()
    return seen


@step("nothing is lost at the end")
def end(stage):
    stage.browse()
    add(stage, "the last entry")
    stage.leave()
    stage.run("sync")
    server = set(stage.server_entries()[0])
    here = {entry["id"] for entry in stage.json("journal", "list", "--limit", "1000")}
    expect(server == here, f"{len(server - here)} entries are only on the server, {len(here - server)} only here")
    return f"the server and the home have the same {len(server)} entries"
