"""Writers of rows that name each other, by REST and in homes, under faults.

    chaos_relations.py PROGRAMS [--minutes M] [--writers N] [--replicas R] [--seed S] [--keep]

PROGRAMS is the folder of the programs of a service with three features: Team, Shift, whose team restricts the deletion, and Badge, which
goes with its team and has a second one that is cleared. Half of the writers are homes, half send requests with `Idempotency-Key` and
`If-Match`. All create, move and delete rows at random, rows of others, too. Meanwhile connections are cut and ended, commands are killed,
and the server is stopped and killed. With R replicas, these and their balancer are killed, and PostgreSQL is stopped at once.

In the end `relations_ledger.py` judges: no row names one that is not there, at the server and in each home; each acknowledged write had its
effect once, or a later one took its place; each refusal said why. Then each rule is tried once more while all is quiet. Status 1 otherwise.
"""

import json
import sqlite3
import sys
import time
import uuid

from chaos_homes import USERS, Run, main, user_of, whole
from demo_stage import ReplicatedStage, expect, rows
from relations_ledger import FIELDS, HOME, REFERENCES, REST, TEXTS, End, Event, Ledger
from relay import Relay

# How often a writer does what.
PLANS = {
    ("create", "teams"): 16, ("create", "shifts"): 12, ("create", "badges"): 20, ("edit", "teams"): 4, ("edit", "shifts"): 12,
    ("edit", "badges"): 14, ("delete", "teams"): 14, ("delete", "shifts"): 9, ("delete", "badges"): 3}
RECENT = 30  # rows of a kind that a writer chooses from: few enough that writers meet
PROBES = 5  # teams whose deletion is tried in the end, for each rule
HISTORY = "chaos_history"


class Relations(Run):
    form = program = "relations"
    drops, killing = 0.5, 1

    @staticmethod
    def declare(parser):
        parser.add_argument("--writers", type=whole, default=32)
        parser.add_argument("--replicas", type=whole)

    @staticmethod
    def read(options, parser):
        if options.writers < 2 * len(USERS):
            parser.error("--writers needs four or more, one for each user by REST and in a home")
        options.homes = options.writers // 2

    @staticmethod
    def title(options):
        engine = f"{options.replicas} replicas on PostgreSQL" if options.replicas else "SQLite"
        return f"{options.homes} homes and {options.writers - options.homes} writers by REST, {engine}"

    def __init__(self, options):
        ends = ["kills of a replica", "stops of PostgreSQL"] if options.replicas else ["kills of the server"]
        self.needed = [(60, [name]) for name in ("cuts", "kills of a command")] + [(300, [name]) for name in ends]
        super().__init__(options)
        self.clients = [f"{USERS[number % 2]}-{number}" for number in range(options.homes, options.writers)]
        self.ledger = Ledger()
        self.recent = {collection: [] for collection in TEXTS}  # ids that were made, for the writers by REST
        self.end = End()

    def new_stage(self):
        if not self.options.replicas:
            return super().new_stage()
        return ReplicatedStage(self.options.programs, None, 900, self.program, replicas=self.options.replicas)

    # The start

    def start(self):
        super().start()
        for name in self.clients:
            self.relays[name] = Relay(self.stage)
        self.record_history()

    def record_history(self):
        """In the transaction of the write. Of one row the numbers follow the order of the writes."""
        number = "BIGSERIAL" if self.options.replicas else "INTEGER PRIMARY KEY AUTOINCREMENT"
        names = ", ".join(f"{when}_{field} TEXT" for when in ("old", "new") for field in FIELDS)
        statements = [f"CREATE TABLE {HISTORY} (number {number}, kind TEXT, id TEXT, {names})"]
        for collection in TEXTS:
            for action in ("INSERT", "UPDATE", "DELETE"):
                old = self.columns(collection, "OLD" if action != "INSERT" else None)
                new = self.columns(collection, "NEW" if action != "DELETE" else None)
                row = "OLD" if action == "DELETE" else "NEW"
                columns = ", ".join(name.split()[0] for name in names.split(", "))
                values = ", ".join([f"'{collection}'", f"{row}.id", *old, *new])
                insert = f"INSERT INTO {HISTORY} (kind, id, {columns}) VALUES ({values})"
                name = f"chaos_{collection}_{action}"
                if self.options.replicas:
                    statements.append(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                                      f"$$ BEGIN {insert}; RETURN NULL; END $$")
                    statements.append(f"CREATE TRIGGER {name} AFTER {action} ON {collection} FOR EACH ROW EXECUTE FUNCTION {name}()")
                else:
                    statements.append(f"CREATE TRIGGER {name} AFTER {action} ON {collection} BEGIN {insert}; END")
        self.stage.execute(*statements)

    def columns(self, collection, row):
        """What the values of a row are in SQL: its text, its team and its second team."""
        names = [TEXTS[collection], *REFERENCES[collection]]
        found = [f"{row}.{name}" if row else "NULL" for name in names]
        return found + ["NULL"] * (len(FIELDS) - len(found))

    # What happens meanwhile

    def actors(self):
        return [(action, name) for name in self.clients for action in (self.request, self.cut)]

    def hurt_server(self):
        if not self.options.replicas:
            return super().hurt_server()
        chance = self.chance("server")
        faults = {
            "kills of a replica": self.stage.kill_replica, "stops of PostgreSQL": self.stage.stop_database,
            "kills of the balancer": self.stage.kill_balancer}
        while not self.is_over:
            self.rest(chance.uniform(5, 20))
            expect(self.stage.is_serving(), "the replicas ended")
            name = chance.choices(list(faults), (5, 3, 1))[0]
            faults[name]()
            self.count(name)

    def plan(self, chance, known):
        """What to do to which row: `(kind, collection, key, asked)`."""
        kind, collection = chance.choices(list(PLANS), PLANS.values())[0]
        if not known["teams"] or kind != "create" and not known[collection]:
            kind, collection = "create", "teams"
        key = None if kind == "create" else chance.choice(known[collection])
        asked = {}
        for field in REFERENCES[collection] if kind != "delete" else ():
            if kind == "create" and field == "team" or chance.random() < 0.6:
                asked[field] = chance.choice(known["teams"])
                if field == "backup" and kind == "edit" and chance.random() < 0.2:
                    asked[field] = None
        return kind, collection, key, asked

    def remember(self, write):
        with self.lock:
            if write.kind == "create":
                self.recent[write.collection] = [*self.recent[write.collection][1 - RECENT:], write.key]

    def forget(self, collection, key):
        with self.lock:
            if key in self.recent[collection]:
                self.recent[collection].remove(key)

    # The writers by REST

    def request(self, name):
        chance = self.chance(name)
        while not self.is_over:
            with self.lock:
                known = {collection: list(keys) for collection, keys in self.recent.items()}
            self.send(name, chance, *self.plan(chance, known))
            self.rest(chance.uniform(0, 2))

    def send(self, name, chance, kind, collection, key, asked):
        """Half of the requests change a version that they have read, the others whatever is there."""
        write = self.ledger.begin(name, REST, kind, collection, key, asked)
        path = f"/v1/{collection}" + (f"/{key}" if key else "")
        fields = {"Idempotency-Key": str(uuid.UUID(int=chance.getrandbits(128)))}
        port = self.relays[name].port
        if key:
            fields["If-Match"] = "*"
        if key and chance.random() < 0.5:
            status, row = self.ask(user_of(name), "GET", path, port=port)
            if status == 200:
                fields["If-Match"] = f'"{row["version"]}"'
        body = None if kind == "delete" else {TEXTS[collection]: write.text, **asked}
        method = {"create": "POST", "edit": "PATCH", "delete": "DELETE"}[kind]
        status, document = self.ask(user_of(name), method, path, body, fields, port)
        self.ledger.answer(write, status, document)
        if write.state == "acknowledged":
            self.remember(write)
        # Rows that are gone are named now and then.
        if (status == 404 or status == 204) and chance.random() < 0.8:
            self.forget(collection, key)
        return status, document

    # The homes

    def turn(self, home, chance):
        kind = chance.random()
        if kind < 0.05:
            self.watch(home, chance)
        elif kind < 0.2:
            self.perform(["sync"], home, chance)
        elif kind < 0.34:
            self.attend(home, chance)
        else:
            known = self.known(home)
            self.write(home, chance, *self.plan(chance, known))

    def known(self, home):
        """The newest rows of a home, from its file: a command would take as long as a write."""
        path = f"{self.stage.home}/{home}/state/offline/default.sqlite"
        try:
            return {collection: [row["id"] for row in rows(path, f"SELECT id FROM {collection} ORDER BY id DESC LIMIT {RECENT}")]
                    for collection in TEXTS}
        except sqlite3.OperationalError:  # not yet there
            return {collection: [] for collection in TEXTS}

    def write(self, home, chance, kind, collection, key, asked):
        write = self.ledger.begin(home, HOME, kind, collection, key, asked)
        words = [collection, {"create": "add", "edit": "edit", "delete": "rm"}[kind], *([key] if key else [])]
        if write.text:
            words += [f"--{TEXTS[collection]}", write.text]
        for field, value in asked.items():
            words += [f"--{field}", value] if value else ["--clear", field]
        if chance.random() < 0.5:
            words.append("--offline")
        outcome = self.perform([*words, "--json"], home, chance)
        if outcome.status == 0:
            self.ledger.acknowledge(write, json.loads(outcome.out)["id"] if kind == "create" else key)
            self.remember(write)
        elif outcome.status > 0:
            self.ledger.refuse_here(write, outcome.status, outcome.err)

    def attend(self, home, chance):
        """What a user does who finds conflicts and refused writes."""
        outcome = self.perform(["conflicts", "list", "--json"], home, chance)
        conflicts = json.loads(outcome.out) if outcome.status == 0 else []
        for conflict in conflicts:
            self.ledger.see_conflict(home, conflict)
        for conflict in chance.sample(conflicts, min(2, len(conflicts))):
            teams, key, fields = self.known(home)["teams"], conflict["entity_id"], set(conflict["fields"])
            if teams and fields and fields <= set(REFERENCES[conflict["collection"]]) and chance.random() < 0.6:
                self.write(home, chance, "edit", conflict["collection"], key, {field: chance.choice(teams) for field in fields})
                self.count("conflicts that got another team")
            elif conflict.get("remote") and chance.random() < 0.4:
                self.perform(["conflicts", "resolve", conflict["id"], "--keep", "local"], home, chance)
            else:
                self.set_aside(home, conflict)
                self.perform(["conflicts", "resolve", conflict["id"], "--keep", "remote"], home, chance)
        outcome = self.perform(["outbox", "list", "--json"], home, chance)
        entries = json.loads(outcome.out) if outcome.status == 0 else []
        refused = [entry for entry in entries if entry["state"] == "rejected"]
        for entry in refused:
            self.ledger.see_refused(home, entry)
        for entry in chance.sample(refused, min(2, len(refused))):
            action = chance.choice(("retry", "discard"))
            if action == "discard":
                self.ledger.drop(home, entry["entity_id"])
            self.perform(["outbox", action, entry["id"]], home, chance)

    # The end

    def restart(self):
        """The cluster starts again what it has ended."""
        if not self.options.replicas:
            return super().restart()
        expect(self.stage.is_serving(), "the replicas ended")
        time.sleep(5)

    def set_aside(self, home, conflict):
        self.ledger.see_conflict(home, conflict)
        self.ledger.drop(home, conflict["entity_id"])

    def settle(self, home):
        """Refused writes are discarded."""
        left = []
        for item in super().settle(home):
            if item.get("state") == "rejected":
                self.ledger.see_refused(home, item)
                self.ledger.drop(home, item["entity_id"])
                self.stage.run("outbox", "discard", item["id"], home=home, status=None)
            else:
                left.append(item)
        return left

    def compare(self):
        self.probe(self.chance("probes"))
        end = self.end = End(rows=self.server_rows())
        for home in self.homes:
            self.stage.run("sync", home=home, limit=180)
            end.shown[home] = {collection: self.values(collection, self.stage.json(collection, "list", home=home, limit=180))
                               for collection in TEXTS}
        end.history = [
            Event(row["kind"], row["id"], *(
                None if row[f"{when}_text"] is None else tuple(row[f"{when}_{field}"] for field in FIELDS) for when in ("old", "new")))
            for row in self.stage.rows(f"SELECT * FROM {HISTORY} ORDER BY number")]
        self.ledger.check(end)
        self.problems += self.ledger.problems
        self.demand()

    def values(self, collection, items):
        names = [TEXTS[collection], *REFERENCES[collection]]
        return {item["id"]: tuple(item.get(name) for name in names) + (None,) * (len(FIELDS) - len(names)) for item in items}

    def server_rows(self):
        return {collection: self.values(collection, self.stage.rows(f"SELECT * FROM {collection}")) for collection in TEXTS}

    def probe(self, chance):
        """Each rule, when no writer is under way: a deletion is refused with the number of shifts, or takes and clears all badges."""
        name = self.clients[0]
        team = self.send(name, chance, "create", "teams", None, {})[1]["id"]
        for field in ("team", "backup"):
            other = self.send(name, chance, "create", "teams", None, {})[1]["id"]
            asked = {"team": team, "backup": other} if field == "team" else {"team": other, "backup": team}
            self.send(name, chance, "create", "badges", None, asked)
        kept = self.send(name, chance, "create", "teams", None, {})[1]["id"]
        self.send(name, chance, "create", "shifts", None, {"team": kept})
        before = self.server_rows()
        shifts = [values[1] for values in before["shifts"].values()]
        is_restricted = {key: key in shifts for key in sorted(before["teams"], key=lambda key: (key not in (team, kept), key))}
        for key in [key for key, is_so in is_restricted.items() if is_so][:PROBES]:
            status, document = self.send(name, chance, "delete", "teams", key, {})
            count = shifts.count(key)
            if status != 409 or not (document or {}).get("detail", "").startswith(f"{count} shift"):
                self.problem(f"the deletion of a team with {count} shifts got {status}: {document}")
        gone = [key for key, is_so in is_restricted.items() if not is_so][:PROBES]
        for key in gone:
            status, document = self.send(name, chance, "delete", "teams", key, {})
            if status != 204:
                self.problem(f"the deletion of a team without shifts got {status}: {document}")
        after = self.server_rows()["badges"]
        for key, (text, team, backup) in before["badges"].items():
            expected = None if team in gone else (text, team, None if backup in gone else backup)
            if after.get(key) != expected:
                self.problem(f"after the deletion of {gone} the badge {key} is {after.get(key)} instead of {expected}")

    def demand(self):
        """Without one of these nothing is proven."""
        seen = {**self.ledger.told, **self.ledger.effects}
        needed = [
            "a restricted deletion, by REST", "a missing team, by REST", "a restricted deletion, by a home", "a conflict, by an outbox",
            "rows went with their team", "fields were cleared"]
        if self.seconds >= 300:
            needed += ["a deleted team, by an outbox", "a restricted deletion, by an outbox"]
        for kind in needed:
            if not seen.get(kind):
                self.problem(f"nothing is proven: 0 of '{kind}' in {self.seconds} seconds")

    def summary(self):
        return f"{self.title(self.options)}; {self.ledger.report(self.end)}"


if __name__ == "__main__":
    sys.exit(main(Relations))
