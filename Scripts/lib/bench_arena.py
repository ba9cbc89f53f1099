"""Three profiles of HttpArena (github.com/MDA2AV/HttpArena) on Strata, Hummingbird alone, Go with net/http and fasthttp, and FastAPI.

Scripts/bench starts it and explains the figures. The paths, the mixes of requests and the form of the data are those of HttpArena at
commit 28606baf. The data set of 50 items and the 100,000 rows of the database are made here, by the same rules. Each server has a
database of its own with the same rows, and answers `expected` before anything is measured. All run at once, one of them under load, and
each round measures each of them.
"""

import csv
import http.client
import json
import os
import random
import signal
import statistics
import sys
import tempfile

from bench_backend import SECONDS, Server, stop
from cluster import Database, address, missing
from processes import Failure

# HttpArena has 4,096 connections for the JSON and the CRUD profile on 64 cores, and 256 for api-4 on 4: always 64 a core.
CONNECTIONS = 64 * (os.cpu_count() or 1)
# Of each server, in all its processes.
DATABASE_CONNECTIONS = 12
PROFILES = ("json", "api-4", "crud")
ITEMS, ROWS = 50, 100_000
CATEGORIES = ["electronics", "tools", "clothing", "books", "sports", "toys", "office", "garden"]
ADJECTIVES = ["Alpha", "Pro", "Core", "Edge", "Nano", "Ultra", "Flex", "Prime", "Nova", "Solid"]
NOUNS = ["Widget", "Valve", "Relay", "Link", "Gadget", "Driver", "Sensor", "Switch", "Gear", "Module"]
TAGS = ["fast", "new", "popular", "sale", "limited", "premium", "eco", "compact", "heavy-duty", "wireless"]
MISSING_ID, NEW_ID = 999_999, 200_001
# Of a read that may find its item in the cache: the item is kept for 200 ms, and a busy machine can take longer.
TRIES = 20


class Entry(Server):
    """A server with the paths of HttpArena."""

    PROBE = "/baseline11?a=1&b=2"

    def load(self, profile, script, seconds=SECONDS):
        return self.measure(profile, CONNECTIONS, seconds, script, profile)

    def fields(self, path):
        """Status, header fields and JSON of a GET."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
            return response.status, response.headers, json.loads(body) if response.status == 200 else None
        finally:
            connection.close()

    def require(self, what, found, wanted):
        if found != wanted:
            sys.exit(f"{self.name} does not do the same job: {what} is {str(found)[:300]}, and not {str(wanted)[:300]}.")

    def check(self, expected):
        """Each path answers with the status, the type and the JSON that it should."""
        self.require("the sum", self.send("GET", "/baseline11?a=13&b=42"), (200, b"55"))
        for path, wanted in expected.items():
            status, headers, found = self.fields(path)
            self.require(path, (status, headers.get_content_type(), found), (200, "application/json", wanted))

    def check_writes(self):
        """The cache keeps an item, and a PUT removes it. Changes the database."""
        path = f"/crud/items/{NEW_ID}"
        self.require("a missing item", self.send("GET", f"/crud/items/{MISSING_ID}")[0], 404)
        self.require("a PUT of a missing item", self.put(MISSING_ID, "None")[0], 404)
        new = {"id": NEW_ID, "name": "Bench Test", "category": "test", "price": 25, "quantity": 10}
        for name in ("Bench Test", "Bench Again"):
            new["name"] = name
            status, body = self.send("POST", "/crud/items", new)
            self.require("a POST", (status, json.loads(body)), (201, new))
        stored = {**new, "active": True, "tags": ["bench"], "rating": {"score": 0, "count": 0}}
        self.until_hit(path, stored)
        changed = {"id": NEW_ID, "name": "Bench Changed", "price": 30, "quantity": 5}
        status, body = self.put(NEW_ID, "Bench Changed")
        self.require("a PUT", (status, json.loads(body)), (200, changed))
        status, headers, found = self.fields(path)
        self.require("an item after its PUT", (status, headers["X-Cache"], found), (200, "MISS", {**stored, **changed}))

    def put(self, number, name):
        return self.send("PUT", f"/crud/items/{number}", {"name": name, "price": 30, "quantity": 5})

    def until_hit(self, path, wanted):
        seen = set()
        for _ in range(TRIES):
            status, headers, found = self.fields(path)
            self.require(path, (status, found), (200, wanted))
            seen.add(headers["X-Cache"])
            if headers["X-Cache"] == "HIT":
                break
        self.require(f"X-Cache of {path}", seen, {"MISS", "HIT"})


def data():
    """The items of the data set and the rows of the table, always the same."""
    chance = random.Random(42)

    def item(number, name, most_quantity, most_tags):
        return {
            "id": number, "name": name, "category": chance.choice(CATEGORIES), "price": chance.randint(1, 500),
            "quantity": chance.randint(1, most_quantity), "active": chance.random() < 0.5,
            "tags": chance.sample(TAGS, chance.randint(1, most_tags)),
            "rating": {"score": chance.randint(1, 50), "count": chance.randint(1, 500)}}

    items = [item(number, f"{ADJECTIVES[number % 10]} {NOUNS[number * 7 % 10]}", 100, 4) for number in range(1, ITEMS + 1)]
    names = [one["name"] for one in items]
    return items, [item(number, f"{chance.choice(names)} {number}", 1000, 4) for number in range(1, ROWS + 1)]


def expected(items, rows):
    """The JSON of paths that the profiles use."""
    def priced(count, m):
        chosen = [{**one, "total": one["price"] * one["quantity"] * m} for one in items[:count]]
        return {"items": chosen, "count": len(chosen)}

    def found(least, most, limit):
        chosen = [row for row in rows if least <= row["price"] <= most][:limit]
        return {"items": chosen, "count": len(chosen)}

    def page(category, number, limit):
        chosen = [row for row in rows if row["category"] == category][(number - 1) * limit:number * limit]
        return {"items": chosen, "total": len(chosen), "page": number, "limit": limit}

    return {
        **{f"/json/{count}?m={m}": priced(count, m) for count, m in ((1, 3), (12, 7), (22, 2), (31, 5), (50, 1))},
        **{f"/async-db?min=10&max=50&limit={limit}": found(10, 50, limit) for limit in (5, 50)},
        "/async-db?min=9000&max=9001&limit=5": found(9000, 9001, 5),
        "/crud/items?category=office&page=3&limit=10": page("office", 3, 10),
        "/crud/items?category=electronics&page=1&limit=5": page("electronics", 1, 5),
        "/crud/items/1": rows[0], "/crud/items/42": rows[41],
    }


def filled(home, rows):
    """A running PostgreSQL whose database `seed` has the rows. Nothing waits for the disk: HttpArena's database is in memory."""
    database = Database(home)
    database.start()
    path = os.path.join(database.folder, "items.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [row["id"], row["name"], row["category"], row["price"], row["quantity"], row["active"], json.dumps(row["tags"]),
             row["rating"]["score"], row["rating"]["count"]] for row in rows)
    os.chmod(path, 0o644)
    for name, statements in (
            ("postgres", ["ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE seed"]),
            ("seed", [
                "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL, "
                "quantity INTEGER NOT NULL, active BOOLEAN NOT NULL, tags JSONB NOT NULL, rating_score INTEGER NOT NULL, "
                "rating_count INTEGER NOT NULL)",
                f"COPY items FROM '{path}' CSV", "VACUUM ANALYZE items"])):
        for statement in statements:
            psql(database, name, statement)
    return database


def psql(database, name, sql):
    database.run("psql", "-h", database.folder, "-U", "postgres", "-d", name, "-q", "-X", "-v", "ON_ERROR_STOP=1", "-c", sql)


def started(program, peers, home, database, items):
    """The servers by name, each on a copy of `seed`, and the one of FastAPI that the CRUD profile loads."""
    dataset = os.path.join(home, "dataset.json")
    with open(dataset, "w", encoding="utf-8") as file:
        json.dump(items, file)

    go = os.path.join(peers, "arena")
    uvicorn = [sys.executable, "-m", "uvicorn", "arena:app", "--app-dir", os.path.join(peers, "app"), "--port", "PORT",
               "--no-access-log", "--log-level", "warning", "--workers"]
    commands = {
        "Strata": ([program, "strata", "PORT"], 1), "Hummingbird": ([program, "hummingbird", "PORT"], 1),
        "net/http": ([go, "nethttp", "127.0.0.1:PORT"], 1), "fasthttp": ([go, "fasthttp", "127.0.0.1:PORT"], 1),
        "FastAPI": ([*uvicorn, "2"], 2),
        # The cache of the CRUD profile must be one for all requests.
        "FastAPI, one": ([*uvicorn, "1"], 1),
    }
    servers = {}
    try:
        for number, (name, (command, processes)) in enumerate(commands.items()):
            psql(database, "postgres", f"CREATE DATABASE arena{number} TEMPLATE seed")
            servers[name] = Entry(name.replace("/", " "), command, {
                "DATASET_PATH": dataset, "DATABASE_URL": address(home).replace("/postgres?", f"/arena{number}?"),
                "DATABASE_MAX_CONN": str(DATABASE_CONNECTIONS // processes)}, home)
        for server in servers.values():
            server.wait()
    except BaseException:
        stop(servers)
        raise
    return servers, servers.pop("FastAPI, one")


def measured(servers, single, script, rounds):
    """Medians of requests a second and p99, for each profile and server."""
    found = {}
    for profile in PROFILES:
        # The CRUD profile changes the rows, so it is the last.
        chosen = {**servers, "FastAPI": single} if profile == "crud" else servers
        for server in chosen.values():
            server.load(profile, script, 1)
        for _ in range(rounds):
            for name, server in chosen.items():
                found.setdefault((profile, name), []).append(server.load(profile, script))
    return {pair: tuple(map(statistics.median, zip(*values))) for pair, values in found.items()}


def tell(names, found, rounds):
    def row(*cells):
        print("".join(str(cell).rjust(15) if place else str(cell).ljust(20) for place, cell in enumerate(cells)))

    print(f"medians of {rounds} rounds of {SECONDS} s, {CONNECTIONS} connections, for the {os.cpu_count()} cores that load, servers and "
          "PostgreSQL share")
    row("requests a second", *names, *(f"to {name}" for name in names[1:]))
    for profile in PROFILES:
        rates = [found[profile, name][0] for name in names]
        row(profile, *(f"{rate:,.0f}" for rate in rates), *(f"{rates[0] / rate:.2f}" for rate in rates[1:]))
    row("p99 in ms", *names)
    for profile in PROFILES:
        row(profile, *(f"{found[profile, name][1]:.1f}" for name in names))


def main(program, peers, script, rounds):
    if "postgresql" in missing():
        sys.exit("Missing: sudo apt-get install postgresql")
    items, rows = data()
    wanted = expected(items, rows)
    with tempfile.TemporaryDirectory() as home:
        database = filled(home, rows)
        try:
            servers, single = started(program, peers, home, database, items)
            try:
                for server in [*servers.values(), single]:
                    server.check(wanted)
                    if server is not servers["FastAPI"]:
                        server.check_writes()
                found = measured(servers, single, script, rounds)
            finally:
                stop({**servers, "single": single})
        finally:
            database.stop(signal.SIGINT)
    tell(list(servers), found, rounds)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:4], int(sys.argv[4])))
    except Failure as failure:
        sys.exit(str(failure))
