"""The steps of Scripts/terminal with a server that answers: rows, search, filters, details, forms, conflicts, sizes.

Each returns what was seen, or raises `Failure`. They share one terminal and one home, so that their order matters.
"""

import collections
import os

from processes import Failure
from terminal_stage import HOSTILE, ORDINARY

Step = collections.namedtuple("Step", "name act")
STEPS = []
ALL = len(HOSTILE) + ORDINARY
SCREEN = r"^journal entries  "


def step(name):
    def register(act):
        STEPS.append(Step(name, act))
        return act

    return register


def expect(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def row(stage, text, seconds=30):
    """Searches a row, so that the cursor is on it."""
    stage.terminal.press("Escape")
    stage.terminal.shows(SCREEN, without=[r"^/\S"])
    stage.terminal.type(f"/{text}")
    stage.terminal.press("Enter")
    return stage.terminal.shows(rf"^/{text}", r"^> [0-9a-f]{7}", SCREEN + r"1 of 1 ", seconds=seconds)


def show_all(stage, count=r"\d+"):
    stage.terminal.press("Escape")
    return stage.terminal.shows(SCREEN + rf"\d+ of {count} ", r"^> [0-9a-f]{7}", without=[r"^/\S"])


# Rows


@step("start: the rows of the server")
def start(stage):
    stage.browse()
    title, = stage.terminal.shows(SCREEN + rf"1 of {ALL}  ·  all sent · synced.*")
    return title


@step("hostile texts are shown and not obeyed")
def hostile(stage):
    terminal = stage.terminal
    for host, _, shown in HOSTILE:
        terminal.shows(rf"^[> ] [0-9a-f]{{7}}  \d\d-\d\d \d\d:\d\d +{host} .*{shown}")
    title = terminal.ask("#{pane_title}")
    expect("owned" not in title, f"the title of the window is {title!r}")
    lines = terminal.screen().splitlines()
    expect(len(lines) == 24 and lines[0].startswith("journal entries"), f"the screen has {len(lines)} lines: {lines[:1]}")
    return f"{len(HOSTILE)} rows, each on its own line; the title of the window is unchanged"


@step("j, k, Space, G and g move")
def moves(stage):
    terminal = stage.terminal
    for keys, place in ((["j"], 2), (["Down"], 3), (["k"], 2), (["Space"], 22), (["G"], ALL), (["PPage"], ALL - 20), (["g"], 1)):
        terminal.press(*keys)
        terminal.shows(SCREEN + rf"{place} of {ALL} ")
    return f"2, 3, 2, 22, {ALL}, {ALL - 20}, 1"


@step("search while typing")
def search(stage):
    terminal, counts = stage.terminal, []
    for typed, count in (("/ordinary row", ORDINARY), (" 1", 11), ("2", 1)):
        terminal.type(typed)
        terminal.shows(SCREEN + rf"1 of {count} ")
        counts.append(str(count))
    terminal.shows(r"^/ordinary row 12$", r"ordinary row 12, disk 4")
    terminal.press("BSpace")
    terminal.shows(SCREEN + "1 of 11 ")
    return f"{', '.join(counts)} rows letter by letter, 11 after Backspace"


@step("a search without a row")
def nothing(stage):
    stage.terminal.type("zzz")
    return stage.terminal.shows(r"No journal entries are like this; Esc shows all\.")[0]


@step("Esc takes the search back")
def search_back(stage):
    return show_all(stage, ALL)[0]


@step("a paste of 5,000 characters in the search")
def pasted_search(stage):
    stage.terminal.type("/")
    stage.terminal.paste("\x1b[31m" + "x" * 5000)
    stage.terminal.shows(r"^/.*x{60}", "No journal entries are like this")
    show_all(stage, ALL)
    return "the list of it is empty, Esc shows all"


@step("filter by a column")
def filtered(stage):
    terminal = stage.terminal
    terminal.press("f")
    terminal.shows(r"^Only journal entries with", r"^> host")
    terminal.press("Down", "w", "Enter")
    found, _, title = terminal.shows(r"^severity=warning$", r"^> [0-9a-f]{7}.*warning", SCREEN + rf"1 of {(ALL + 2) // 3} ")
    terminal.shows(without=[r"^[> ] [0-9a-f]{7}.* info "])
    return f"{found}, {title}"


@step("a filter that cannot be read")
def filter_refused(stage):
    stage.terminal.press("f")
    stage.terminal.shows(r"^> host")
    stage.terminal.press("Down", "Down", "Down")
    stage.terminal.shows(r"^> since")
    stage.terminal.type("w")
    stage.terminal.press("Enter")
    seen = stage.terminal.shows(r"^Some filters cannot be read\.", r"^> since  +w$", r"12h")[0]
    stage.terminal.press("Escape")
    stage.terminal.shows(r"^severity=warning$")
    show_all(stage, ALL)
    return f"{seen} The reason is at its field"


# Details


@step("Enter opens an entry")
def details(stage):
    row(stage, "ordinary row 5,")
    stage.terminal.press("Enter")
    stage.terminal.shows(r"^host  +web5$", r"^severity  +\w+$", r"^ordinary row 5, disk 5$", r"n/p next")
    return "host, severity and text, each on its line"


@step("the entry of 10,000 characters")
def long_text(stage):
    terminal = stage.terminal
    terminal.press("Escape")
    row(stage, "begin of the long")
    terminal.press("Enter")
    more, = terminal.shows(r"↓ \d+ more lines")
    terminal.press("G")
    terminal.shows(r"finis$", without=[r"more lines"])
    terminal.press("g")
    terminal.shows(r"↓ \d+ more lines", r"^host  +long")
    terminal.press("Escape")
    show_all(stage, ALL)
    return f"{more}; G shows its end"


@step("attachments beside the list at 120x30")
def attachments(stage):
    terminal = stage.terminal
    entry = stage.on_server("ordinary row 7,")[0]
    path = stage.write("plan \x1b[31m.txt", "a plan")
    stage.run("attachments", "add", entry["id"], path)
    terminal.resize(120, 30)
    row(stage, "ordinary row 7,")
    return terminal.shows(r"│ attachments$", r"│ plan \[31m\.txt .*")[1].lstrip("│ ")


@step("Enter, n and p in the details beside the list")
def beside(stage):
    terminal = stage.terminal
    show_all(stage, ALL)
    terminal.press("Enter")
    terminal.shows(r"┃ host  +esc")
    terminal.press("n")
    terminal.shows(r"┃ host  +c1")
    terminal.press("p")
    terminal.shows(r"┃ host  +esc")
    terminal.press("Escape")
    terminal.shows(r"│ host  +esc", without=["┃"])
    return "the bar is thick while the details have the keys"


@step("resize to 200x60")
def large(stage):
    terminal = stage.terminal
    terminal.resize(200, 60)
    terminal.shows(r"│ host  +esc", r"web39 ")
    lines = terminal.screen().splitlines()
    bars = sum(1 for line in lines if "│" in line)
    expect(bars == 57, f"{bars} of the 57 lines of the list have the bar")
    return f"all {ALL} rows, {bars} lines with a bar"


@step("resize to 40x10")
def small(stage):
    terminal = stage.terminal
    terminal.resize(40, 10)
    terminal.shows(r"^> [0-9a-f]{7}", r"\? keys  q quit$", without=["│"])
    lines = terminal.screen().splitlines()
    expect(len(lines) == 10 and all(len(line) <= 40 for line in lines), f"the lines are {lines}")
    return "rows, the cursor, and the keys ? and q"


@step("? at 40x10 scrolls")
def small_help(stage):
    terminal = stage.terminal
    terminal.press("?")
    terminal.shows(r"^Keys$", r"↑/↓ scroll", without=[r"^q +quit"])
    terminal.press("G")
    terminal.shows(r"Esc leaves it\.$")
    terminal.press("x")
    terminal.shows(SCREEN)
    return "the last key after G; another key goes back"


@step("resize to 15x4 and 80x24")
def tiny(stage):
    stage.terminal.resize(15, 4)
    seen, = stage.terminal.shows(r"^Too small$")
    stage.terminal.resize(80, 24)
    stage.terminal.shows(SCREEN + rf"1 of {ALL} ", r"^> [0-9a-f]{7}")
    return f"{seen}, then the list again"


@step("? shows the keys")
def keys(stage):
    stage.terminal.press("?")
    stage.terminal.shows(r"^Keys$", r"^q +quit$", r"^/ +search as you type", r"^Any key goes back$")
    stage.terminal.press("Escape")
    stage.terminal.shows(SCREEN)
    return "all on one screen"


@step("unknown keys do nothing")
def unknown(stage):
    terminal = stage.terminal
    before = terminal.screen().splitlines()[2:]
    for key in ("x", "Z", "F5", "F12", "M-x", "C-Left", "IC", "0", "é"):
        terminal.press(key)
    terminal.type("\x1b[999;999;999u\x1b[<0;3;3M")
    # A known key after them tells that they were read.
    terminal.press("j")
    terminal.shows(SCREEN + rf"2 of {ALL} ")
    terminal.press("k")
    terminal.shows(SCREEN + rf"1 of {ALL} ")
    after = terminal.screen().splitlines()[2:]
    expect(before == after, f"the screen differs: {[pair for pair in zip(before, after) if pair[0] != pair[1]]}")
    return "the screen is the same"


# Forms


def add(stage, text, outcome=r"^Saved: .*", seconds=30):
    """Adds an entry through the form; returns the outcome."""
    terminal = stage.terminal
    terminal.press("a")
    terminal.shows(r"^Add one journal entry", r"^> host")
    terminal.press("Down", "Down")
    terminal.shows(r"^> text")
    terminal.type(text)
    terminal.press("C-s")
    return terminal.shows(outcome, rf"^> [0-9a-f]{{7}}.*{text}", seconds=seconds)[0]


@step("a adds an entry")
def added(stage):
    seen = add(stage, "written in a terminal")
    stage.waits_for("written in a terminal")
    return f"{seen}; the cursor is on it, and the server has it"


@step("a form refuses what is not valid")
def refused(stage):
    terminal = stage.terminal
    terminal.press("a")
    terminal.shows(r"^> host")
    terminal.press("C-s")
    seen = terminal.shows(r"^> text", r"^ +must .*")[1]
    terminal.type("no time")
    terminal.press("Down")
    terminal.press("C-u")
    terminal.type("yesterdayish")
    terminal.press("C-s")
    terminal.shows(r"^Some fields cannot be read\.", r"^> occurred +yesterdayish")
    terminal.press("Escape")
    terminal.shows(r"Discard what you typed\?")
    terminal.press("y")
    terminal.shows(SCREEN)
    return f"text: {seen}"


@step("a paste with escape sequences in a form")
def pasted_form(stage):
    terminal = stage.terminal
    terminal.press("a")
    terminal.shows(r"^> host")
    terminal.press("Down", "Down")
    terminal.shows(r"^> text")
    terminal.paste("pasted \x1b[31mred\x07 line\nsecond q line")
    terminal.shows(r"pasted \[31mred line\\nsecond q line")
    terminal.press("C-s")
    terminal.shows(r"^Saved: ", r"^> [0-9a-f]{7}.*pasted \[31mred line")
    text = stage.waits_for("pasted ")[0]["text"]
    expect(text == "pasted [31mred line\nsecond q line", f"the server has {text!r}")
    return "control characters are left out, the line break stays, no letter is a key"


@step("e edits an entry")
def edited(stage):
    terminal = stage.terminal
    row(stage, "ordinary row 9,")
    terminal.press("e")
    terminal.shows(r"^Edit ", r"^> host +web9$")
    terminal.press("Down", "Down")
    terminal.type(" and edited")
    terminal.press("C-s")
    seen = terminal.shows(r"^Saved: .*", r"^> [0-9a-f]{7}.*row 9, disk 3 and edited")[0]
    stage.waits_for("ordinary row 9, disk 3 and edited")
    show_all(stage)
    return seen


@step("the history of an entry stands below its fields")
def history(stage):
    terminal = stage.terminal
    row(stage, "ordinary row 9,")
    terminal.press("Enter")
    terminal.press("G")
    seen = terminal.shows(r"^changes$", r"^\d{4}-.* alice  changed text$", r"^\d{4}-.* bob  created$")[1]
    terminal.press("Escape")
    show_all(stage)
    return seen


@step("Esc in a form asks first")
def discarded(stage):
    terminal = stage.terminal
    row(stage, "ordinary row 10,")
    terminal.press("e")
    terminal.shows(r"^> host +web10$")
    terminal.type("typed")
    terminal.press("Escape")
    terminal.shows(r"Discard what you typed\? y yes, any other key no")
    terminal.press("n")
    terminal.shows(r"^> host +web10typed$")
    terminal.press("Escape")
    terminal.shows(r"Discard what you typed\?")
    terminal.press("y")
    terminal.shows(r"^> [0-9a-f]{7}.* web10 ")
    show_all(stage)
    return "n returns to the text, y drops it"


@step("d deletes after a question")
def deleted(stage):
    terminal = stage.terminal
    row(stage, "ordinary row 11,")
    terminal.press("d")
    terminal.shows(r"Delete this journal entry\? y yes, any other key no")
    terminal.press("Enter")
    terminal.shows(r"^> [0-9a-f]{7}.* web11 ", without=["Delete this"])
    terminal.press("d", "y")
    terminal.shows("No journal entries are like this")
    stage.waits_for("ordinary row 11,", count=0)
    show_all(stage)
    return "Enter keeps it, y deletes it here and on the server"


@step("a row that another process adds")
def foreign(stage):
    stage.run("journal", "add", "written beside the screen", "--host", "other")
    stage.terminal.shows(r"^[> ] [0-9a-f]{7}.* other .*written beside the screen")
    return "it comes without a key"


# Conflicts


def conflict(stage, text):
    """Lets alice and bob change the same field of the entry `text`, and shows her the row."""
    stage.leave()
    entry = stage.on_server(text)[0]
    stage.browse("--offline")
    row(stage, text)
    stage.terminal.press("e")
    stage.terminal.shows(r"^> host ")
    stage.terminal.press("Down", "Down")
    stage.terminal.type(" here")
    stage.terminal.press("C-s")
    stage.terminal.shows(r"^Saved: ", r"^> [0-9a-f]{7}.* queued ")
    stage.leave()
    stage.change_on_server(entry, f"{entry['text']} there")
    stage.browse()
    row(stage, text)
    stage.terminal.shows(r"^> [0-9a-f]{7}.* conflicted ", r"1 conflict", r"^c settle conflict")
    stage.terminal.press("c")
    return stage.terminal.shows(
        r"^text$", r"^  before +" + text, r"^  local .* here$", r"^  server .* there$", r"l keep local  r keep the server's  Esc back")


@step("c shows a conflict, r keeps the server's side")
def conflict_remote(stage):
    sides = conflict(stage, "ordinary row 13,")
    terminal = stage.terminal
    terminal.press("r")
    terminal.shows(r"Keep the server's side\?", r"^  server .* there$")
    terminal.press("n")
    terminal.shows(r"r keep the server's", without=[r"\?"])
    terminal.press("r", "y")
    seen = terminal.shows(r"The server's side is kept\.", r"^> [0-9a-f]{7}.* there", without=[" conflicted "])[0]
    show_all(stage)
    return f"{'; '.join(sides[2:4])}; {seen}"


@step("l keeps the local side of a conflict")
def conflict_local(stage):
    conflict(stage, "ordinary row 14,")
    terminal = stage.terminal
    terminal.press("l")
    terminal.shows(r"Keep the local side\? It is sent to the server\.")
    terminal.press("y")
    seen = terminal.shows(r"The local side is kept\.", r"^> [0-9a-f]{7}.* here", without=[" conflicted "])[0]
    stage.waits_for("ordinary row 14, disk 8 here")
    show_all(stage)
    return f"{seen} The server has it"


# Colours and other terminals


@step("NO_COLOR")
def colours(stage):
    terminal = stage.terminal
    styles = terminal.screen(styles=True)
    expect("\x1b[" in styles, "without NO_COLOR the screen has no style")
    stage.leave()
    stage.browse(before="NO_COLOR=1 ")
    styles = terminal.screen(styles=True)
    expect("\x1b[" not in styles, f"with NO_COLOR the screen has {styles.count(chr(27))} styles")
    stage.leave()
    return "no style on the screen; the cursor is the mark >"


@step("TERM=dumb, a pipe and --json are refused")
def refusals(stage):
    terminal = stage.terminal
    for line, status in (
            ("TERM=dumb shiftlog browse", 64), ("shiftlog browse | cat; (exit ${PIPESTATUS[0]})", 64),
            ("shiftlog browse </dev/null", 64), ("shiftlog browse --json", 64)):
        terminal.command(f"{line}; echo status $?")
        terminal.shows(r"journal list|browse shows a screen", rf"^status {status}$")
    return "a sentence that names what to use instead, status 64"


@step("other kinds of terminals")
def kinds(stage):
    for kind in ("vt100", "linux", "xterm-256color"):
        stage.browse(before=f"TERM={kind} ")
        stage.leave()
    return "vt100, linux, xterm-256color: rows, and q restores the screen"


@step("a home with many rows")
def many(stage):
    terminal, log = stage.terminal, os.path.join(stage.home, "large.log")
    with open(log, "w", encoding="utf-8") as file:
        file.writelines(f"line {number} of a log: retry {number % 1000}\n" for number in range(stage.rows))
    stage.run("journal", "import", log, "--offline", home="large", limit=600)
    all_rows = f"{stage.rows:,}"
    stage.browse("--offline", home="large")
    terminal.shows(SCREEN + rf"1 of {all_rows} ", seconds=60)
    terminal.press("G")
    terminal.shows(SCREEN + rf"{all_rows} of {all_rows} ", r"^> [0-9a-f]{7}.*line \d+ of a log")
    terminal.press("g", "Space")
    terminal.shows(SCREEN + rf"21 of {all_rows} ", r"^> [0-9a-f]{7}")
    terminal.type("/retry 999")
    terminal.shows(SCREEN + rf"1 of {stage.rows // 1000} ", r"retry 999$")
    terminal.press("Escape")
    terminal.shows(SCREEN + rf"1 of {all_rows} ")
    stage.leave()
    return f"1 of {all_rows}; G, Space and a search of {stage.rows // 1000} rows"
