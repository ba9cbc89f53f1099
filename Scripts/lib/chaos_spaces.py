"""Two users, two spaces, many homes: members that come and go under faults.

    chaos_spaces.py PROGRAMS [--minutes M] [--homes N] [--seed S] [--keep]     the programs of a service with a feature Note, whose rows
                                                                               belong to a space

Half of the homes belong to alice, half to bob. Each adds, edits, synchronises and watches notes of two spaces, also of those that its
user is not in, while its connection is cut, its commands are killed, and the server is stopped and killed. A plan makes both users
leave the spaces and join them again: they are removed by their administrator, carol, or leave, are invited and accept. A trigger in the
server's database records each write whose author is no member at that moment.

In the end each user is in one of the spaces. Then `spaces_ledger.py` judges: every acknowledged write is at the server once and in its
space, or was refused with a sentence and is kept in the outbox of its home. A home has all rows of the space of its user, and no file of
it contains a text of the other, except its own refused writes until they are discarded. When both have left both spaces, no file of a
home contains any text. Status 1 otherwise.
"""

import collections
import contextlib
import json
import sqlite3
import sys

from chaos_homes import ADMINISTRATOR, USERS, Run, main, user_of
from demo_stage import expect
from spaces_ledger import SPACES, TEXT_IN_BYTES, End, Ledger, founder, space_of, text_in, text_of

JOINED, LEFT, REMOVED = "members joined", "members left", "members were removed"


class Spaces(Run):
    form, program = "spaces", "rota"
    needed = [
        (60, ["cuts"]), (60, ["kills of a command"]), (60, [JOINED]), (60, [LEFT, REMOVED]),
        (300, ["kills of the server"]), (300, [LEFT]), (300, [REMOVED])]

    def __init__(self, options):
        super().__init__(options)
        self.ledger = Ledger()
        self.ids = {}  # of the spaces, by name
        self.users = {}  # ids of the users, by name
        self.believed = {user: set(SPACES) for user in USERS}  # spaces of a user, as the plan knows them
        self.own = collections.defaultdict(list)  # (space, id) of the notes that a home added
        self.end = End()

    def members(self, space):
        status, document = self.ask(ADMINISTRATOR, "GET", f"/v1/spaces/{self.ids[space]}/members")
        expect(status == 200, f"the members of '{space}' got {status}: {document}")
        return {member["username"]: member["id"] for member in document["items"]}

    def invite(self, user, space):
        """The id of an invitation; `None` for a member."""
        status, document = self.ask(
            ADMINISTRATOR, "POST", f"/v1/spaces/{self.ids[space]}/invitations", {"username": user, "role": "editor"})
        expect(status in (201, 409), f"an invitation of {user} to '{space}' got {status}: {document}")
        return document["id"] if status == 201 else None

    def join(self, user, space):
        if invitation := self.invite(user, space):
            status, document = self.ask(user, "POST", f"/v1/space-invitations/{invitation}/accept")
            expect(status in (200, 404), f"'{space}' refused {user} with {status}: {document}")
        found = self.members(space)
        expect(user in found, f"{user} did not join '{space}'")
        self.users[user] = found[user]

    def remove(self, user, space):
        """404 if an earlier attempt got no answer, or the user has just left."""
        status, document = self.ask(ADMINISTRATOR, "DELETE", f"/v1/spaces/{self.ids[space]}/members/{self.users[user]}")
        expect(status in (204, 404), f"the removal of {user} from '{space}' got {status}: {document}")

    # The start

    def start(self):
        super().start()
        for space in SPACES:
            status, document = self.ask(ADMINISTRATOR, "POST", "/v1/spaces", {"name": self.ledger.name(space, *founder(space))})
            expect(status == 201, f"a new space got {status}: {document}")
            self.ids[space] = document["id"]
            for user in USERS:
                self.join(user, space)
        self.record_intrusions()
        for home in self.homes:
            self.stage.run("sync", home=home)

    def database(self):
        return contextlib.closing(sqlite3.connect(self.stage.database.removeprefix("sqlite:"), timeout=20))

    def record_intrusions(self):
        """In the transaction of the write, so that the membership is that of its moment."""
        with self.database() as database:
            database.execute("CREATE TABLE chaos_intrusion (author TEXT, space_id TEXT, text TEXT)")
            for kind in ("INSERT", "UPDATE"):
                database.execute(f"""
                    CREATE TRIGGER chaos_{kind} AFTER {kind} ON notes WHEN NOT EXISTS (
                        SELECT 1 FROM space_member WHERE space_id = NEW.space_id AND username = NEW.author)
                    BEGIN INSERT INTO chaos_intrusion VALUES (NEW.author, NEW.space_id, NEW.text); END""")
            database.commit()

    # What happens meanwhile

    def turn(self, home, chance):
        kind = chance.random()
        if kind < 0.1:
            self.watch(home, chance)
        elif kind < 0.25:
            self.perform(["sync"], home, chance)
        elif kind < 0.35:
            self.retry(home, chance)
        else:
            self.write(home, chance)

    def write(self, home, chance):
        """Now and then into a space that the user is not in: its id is enough for a command."""
        own, key = self.own[home], None
        if own and chance.random() < 0.3:
            space, key = chance.choice(own)
        else:
            mine = sorted(self.believed[user_of(home)])
            space = chance.choice(mine if mine and chance.random() < 0.85 else SPACES)
        write = self.ledger.begin(home, space, key)
        words = ["notes", "edit", key, "--text", write.text] if key else [
            "notes", "add", "--space-id", self.ids[space], "--text", write.text]
        if chance.random() < 0.5:
            words.append("--offline")
        outcome = self.perform([*words, "--json"], home, chance)
        if outcome.status == 0:
            if not key:
                key = json.loads(outcome.out)["id"]
                own.append((space, key))
            self.ledger.acknowledge(write, key)

    def retry(self, home, chance):
        """What a user does who finds refused writes: one of them is sent again."""
        outcome = self.perform(["outbox", "list", "--json"], home, chance)
        refused = [entry for entry in json.loads(outcome.out) if entry["state"] == "rejected"] if outcome.status == 0 else []
        for entry in refused:
            self.ledger.see(entry)
        if refused:
            self.perform(["outbox", "retry", chance.choice(refused)["id"]], home, chance)

    def actors(self):
        return [(self.move,)]

    def move(self):
        chance = self.chance("plan")
        while not self.is_over:
            self.rest(chance.uniform(1, 5))
            user, space = chance.choice(USERS), chance.choice(SPACES)
            home = chance.choice([home for home in self.homes if user_of(home) == user])
            goes, is_removed = chance.random() < 0.5, chance.random() < 0.5
            if user not in self.members(space):
                invitation = self.invite(user, space)
                if invitation and self.perform(["space-invitations", "accept", invitation], home, chance).status == 0:
                    self.count(JOINED)
            elif goes and is_removed:
                self.remove(user, space)
                self.count(REMOVED)
            elif goes and self.perform(["spaces", "leave", self.ids[space]], home, chance).status == 0:
                self.count(LEFT)
            for name in SPACES:
                change = self.believed[user].add if user in self.members(name) else self.believed[user].discard
                change(name)

    # The end

    def drain(self):
        """Each user is in one space then, and has been in the other."""
        for user, space in zip(USERS, self.chance("end").sample(SPACES, len(USERS))):
            self.join(user, space)
            for other in SPACES:
                if other != space:
                    self.remove(user, other)
            self.believed[user] = {space}
        super().drain()

    def settle(self, home):
        """Refused writes are sent again where the user is a member, and kept elsewhere."""
        left = []
        for item in super().settle(home):
            is_refused = item.get("state") == "rejected"
            if is_refused and space_of(text_of(item)) in self.believed[user_of(home)]:
                self.stage.run("outbox", "retry", item["id"], home=home, status=None)
            if not is_refused or space_of(text_of(item)) in self.believed[user_of(home)]:
                left.append(item)
        return left

    def set_aside(self, home, conflict):
        self.ledger.aside.add(conflict["entity_id"])

    def compare(self):
        members = {user: {space for space in SPACES if user in self.members(space)} for user in USERS}
        self.end = end = End(members=members)
        for home in self.homes:
            self.stage.run("sync", home=home, limit=180)
            end.held[home] = self.stage.json("outbox", "list", home=home)
            end.before[home] = self.texts(home)
        for home in self.homes:
            self.discard(home)
            self.look(home, end)
        names = {key: space for space, key in self.ids.items()}
        with self.database() as database:
            end.rows = [(key, names[space], author, text) for key, space, author, text in
                        database.execute("SELECT id, space_id, author, text FROM notes")]
            end.intrusions = [(author, names[space], text) for author, space, text in
                              database.execute("SELECT author, space_id, text FROM chaos_intrusion")]
        for entry in [entry for entries in end.held.values() for entry in entries]:
            self.ledger.see(entry)
        self.ledger.check(end)
        self.leave()
        if not self.ledger.refused:
            self.problem("nothing is proven: no write was refused to a user who is no member")
        self.problems += self.ledger.problems

    def texts(self, home):
        return [(name, *text_in(match)) for name, match in self.found(home, TEXT_IN_BYTES)]

    def discard(self, home):
        """All that the outbox has. An entry goes with an earlier one of its row."""
        for entry in self.stage.json("outbox", "list", home=home):
            self.stage.run("outbox", "discard", entry["id"], home=home, status=None)
        left = self.stage.json("outbox", "list", home=home)
        expect(not left, f"{home} cannot discard {left}"[:600])
        self.stage.run("sync", home=home, limit=180)

    def look(self, home, end):
        end.shown[home] = {item["id"]: item["text"] for item in self.stage.json("notes", "list", home=home, limit=180)}
        end.spaces[home] = {item["name"] for item in self.stage.json("spaces", "list", home=home)}
        end.after[home] = self.texts(home)

    def leave(self):
        """When its user is in no space any more, a home has nothing."""
        for user in USERS:
            for space in SPACES:
                self.remove(user, space)
        gone = End(members={user: set() for user in USERS})
        for home in self.homes:
            self.stage.run("sync", home=home, limit=180)
            self.look(home, gone)
            self.ledger.check_home(home, gone)

    def summary(self):
        return f"{len(self.homes)} homes of two users in two spaces, {self.ledger.report(self.end)}"


if __name__ == "__main__":
    sys.exit(main(Spaces))
