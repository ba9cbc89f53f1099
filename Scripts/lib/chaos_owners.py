"""Two owners, many homes: private rows under faults.

    chaos_owners.py PROGRAMS [--minutes M] [--homes N] [--seed S] [--keep]     the programs of a service with a feature Memo, owned
                                                                               by its author

Half of the homes belong to alice, half to bob. Each adds, edits and synchronises memos, while its connection is cut, its
commands are killed, and the server is stopped and killed. In the end every acknowledged memo is at the server once, each
home has the rows of its owner, and no file of a home contains a text of the other owner. Status 1 otherwise.
"""

import collections
import json
import re
import sqlite3
import sys

from chaos_homes import USERS, Run, main, user_of


class Owners(Run):
    form = program = "owners"
    needed = [(60, ["cuts"]), (60, ["kills of a command"]), (300, ["kills of the server"])]

    def __init__(self, options):
        super().__init__(options)
        self.acknowledged = collections.defaultdict(set)  # ids by owner
        self.own = collections.defaultdict(list)  # ids by home
        self.written = collections.Counter()
        self.rows = 0

    def turn(self, home, chance):
        owner, own = user_of(home), self.own[home]
        self.written[home] += 1
        text = f"private {owner} {home} {self.written[home]}"
        words = ["memos", "add", "--text", text, "--json"]
        if own and chance.random() < 0.25:
            words = ["memos", "edit", chance.choice(own), "--text", text, "--json"]
        elif chance.random() < 0.3:
            words = ["sync"]
        if chance.random() < 0.5 and words[0] != "sync":
            words.append("--offline")
        outcome = self.perform(words, home, chance)
        if outcome.status == 0 and words[1:2] == ["add"]:
            key = json.loads(outcome.out)["id"]
            own.append(key)
            with self.lock:
                self.acknowledged[owner].add(key)

    def compare(self):
        for home in self.homes:
            self.stage.run("sync", home=home, limit=180)
        database = sqlite3.connect(self.stage.database.removeprefix("sqlite:"))
        rows = database.execute("SELECT id, author, text FROM memos").fetchall()
        self.rows = len(rows)
        there = collections.defaultdict(dict)
        for key, author, text in rows:
            there[author][key] = text
            if not text.startswith(f"private {author} "):
                self.problem(f"row {key} of {author} has the text '{text}'")
        for owner in USERS:
            for key in sorted(self.acknowledged[owner] - set(there[owner]))[:5]:
                self.problem(f"lost: {key} of {owner}")
        if not any(self.acknowledged.values()):
            self.problem("nothing is proven: no memo was acknowledged")
        for home in self.homes:
            owner = user_of(home)
            other = "bob" if owner == "alice" else "alice"
            shown = {item["id"]: item["text"] for item in self.stage.json("memos", "list", home=home, limit=180)}
            if shown != there[owner]:
                self.problem(f"{home} shows {len(shown)} rows, its owner has {len(there[owner])}")
            for name in sorted({name for name, _ in self.found(home, re.compile(f"private {other} ".encode()))}):
                self.problem(f"{home}: '{name}' contains a text of {other}")

    def summary(self):
        acknowledged = sum(len(keys) for keys in self.acknowledged.values())
        return f"{len(self.homes)} homes of two owners, {acknowledged} acknowledged memos, {self.rows} rows"


if __name__ == "__main__":
    sys.exit(main(Owners))
