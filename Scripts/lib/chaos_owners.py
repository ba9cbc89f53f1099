"""Two owners, many homes: private rows under faults.

    chaos_owners.py BINARIES HOMES SECONDS [PROGRAM]     the programs of a service with a feature Memo, owned by its
                                                         author; what the service calls its command line

Half of the homes belong to alice, half to bob. Each adds, edits and synchronises memos, while its connection is cut, its
commands are killed, and the server is stopped and killed. In the end every acknowledged memo is at the server once, each
home has the rows of its owner, and no file of a home contains a text of the other owner. Status 1 otherwise.
"""

import collections
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time

from demo_stage import Failure, Stage, expect, on_signal
from relay import Relay


class Run:
    def __init__(self, binaries, homes, seconds, program="owners"):
        self.stage = Stage(binaries, None, 900, program)
        self.homes = [f"{('alice', 'bob')[number % 2]}-{number}" for number in range(homes)]
        self.seconds = seconds
        self.relays = {}
        self.acknowledged = collections.defaultdict(set)  # texts by owner
        self.faults = collections.Counter()
        self.problems = []
        self.lock = threading.Lock()
        self.is_over = False

    def start(self):
        stage = self.stage
        stage.secret = stage.tool("new-secret")
        for name in ("carol", "alice", "bob"):
            role = "admin" if name == "carol" else "member"
            stage.tool("create-user", name, "--role", role, "--password-stdin", "--database", stage.database,
                       stdin="correct horse battery\n")
        stage.start_server()
        plain = stage.environment
        stage.environment = lambda home: self.environment(plain, home)
        for home in self.homes:
            self.relays[home] = Relay(stage)
            stage.run("login", "--username", home.split("-")[0], "--password-stdin", home=home,
                      stdin="correct horse battery\n")

    def environment(self, plain, home):
        variables = plain(home)
        if home in self.relays:
            variables[f"{self.stage.variables}_SERVER"] = f"http://127.0.0.1:{self.relays[home].port}"
        return variables

    def count(self, fault):
        with self.lock:
            self.faults[fault] += 1

    # What happens meanwhile

    def work(self, home):
        owner, own, number = home.split("-")[0], [], 0
        chance = random.Random()
        while not self.is_over:
            number += 1
            text = f"private {owner} {home} {number}"
            words = ["memos", "add", "--text", text, "--json"]
            if own and chance.random() < 0.25:
                words = ["memos", "edit", chance.choice(own), "--text", text, "--json"]
            elif chance.random() < 0.3:
                words = ["sync"]
            if chance.random() < 0.5 and words[0] != "sync":
                words.append("--offline")
            process = self.stage.start(*words, home=home)
            if chance.random() < 0.1:
                time.sleep(chance.random() / 5)
                process.kill()
                self.count("kills of a command")
            outcome = self.stage.finish(process, 120)
            with self.lock:
                if outcome.status in (70, 134, 139, -4, -6, -11):
                    self.problems.append(f"{' '.join(words)} ended with {outcome.status}: {outcome.err[-200:]}")
                if outcome.status == 0 and words[1:2] == ["add"]:
                    self.acknowledged[owner].add(json.loads(outcome.out)["id"])
                    own.append(json.loads(outcome.out)["id"])

    def cut(self, home):
        while not self.is_over:
            time.sleep(random.uniform(2, 12))
            self.relays[home].is_cut = True
            self.count("cuts")
            time.sleep(random.uniform(0.5, 8))
            self.relays[home].is_cut = False

    def hurt_server(self):
        while not self.is_over:
            time.sleep(random.uniform(5, 20))
            if random.random() < 0.5:
                self.stage.server.send_signal(signal.SIGSTOP)
                time.sleep(random.uniform(0.5, 5))
                self.stage.server.send_signal(signal.SIGCONT)
                self.count("stops of the server")
            else:
                self.stage.server.kill()
                self.stage.server.wait()
                self.count("kills of the server")
                self.stage.start_server()

    def run(self):
        threads = [threading.Thread(target=self.work, args=(home,)) for home in self.homes]
        threads += [threading.Thread(target=self.cut, args=(home,)) for home in self.homes]
        threads.append(threading.Thread(target=self.hurt_server))
        for thread in threads:
            thread.start()
        time.sleep(self.seconds)
        self.is_over = True
        for thread in threads:
            thread.join(180)
            expect(not thread.is_alive(), "a home did not end its command")

    # The end

    def drain(self):
        # The kernel ends a server with the thread that started it.
        self.stage.server.kill()
        self.stage.server.wait()
        self.stage.start_server()
        for _ in range(10):
            left = []
            for home in self.homes:
                self.stage.run("sync", home=home, status=None, limit=180)
                for conflict in self.stage.json("conflicts", "list", home=home):
                    self.stage.run("conflicts", "resolve", conflict["id"], "--keep", "remote", home=home, status=None)
                for words in (("outbox", "list"), ("conflicts", "list")):
                    left += [f"{home}: {item}" for item in self.stage.json(*words, home=home)]
            if not left:
                return
        self.problems += [f"stuck: {item}"[:600] for item in left]

    def compare(self):
        for home in self.homes:
            self.stage.run("sync", home=home, limit=180)
        database = sqlite3.connect(self.stage.database.removeprefix("sqlite:"))
        rows = database.execute("SELECT id, author, text FROM memos").fetchall()
        there = collections.defaultdict(dict)
        for key, author, text in rows:
            there[author][key] = text
            if not text.startswith(f"private {author} "):
                self.problems.append(f"row {key} of {author} has the text '{text}'")
        for owner in ("alice", "bob"):
            for key in sorted(self.acknowledged[owner] - set(there[owner]))[:5]:
                self.problems.append(f"lost: {key} of {owner}")
        for home in self.homes:
            owner = home.split("-")[0]
            other = "bob" if owner == "alice" else "alice"
            shown = {item["id"]: item["text"] for item in self.stage.json("memos", "list", home=home, limit=180)}
            if shown != there[owner]:
                self.problems.append(f"{home} shows {len(shown)} rows, its owner has {len(there[owner])}")
            for folder, _, names in os.walk(f"{self.stage.home}/{home}"):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        if f"private {other} ".encode() in file.read():
                            self.problems.append(f"{home}: '{name}' contains a text of {other}")
        return len(rows)


def main():
    on_signal()
    run = Run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
    try:
        run.start()
        run.run()
        run.drain()
        rows = run.compare()
    finally:
        run.is_over = True
        run.stage.close(keep=bool(run.problems))
    faults = ", ".join(f"{count} {fault}" for fault, count in sorted(run.faults.items()))
    acknowledged = sum(len(keys) for keys in run.acknowledged.values())
    print(f"owners: {len(run.homes)} homes of two owners, {acknowledged} acknowledged memos, {rows} rows; {faults}")
    for problem in run.problems[:20]:
        print(f"owners: {problem}")
    print(f"owners: {len(run.problems)} problems")
    return 1 if run.problems or not acknowledged else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"owners: {failure}")
