"""The readers of a soak: long reads, cancelled ones, slow ones, ranges, long polls, and requests that are wrong."""

import asyncio
import hashlib
import json
import random

from soak_http import Client, Lost, Wire
from soak_ledger import Deliveries


class Actor:
    """One client with a connection of its own. Its plan comes from the seed."""

    user, pace = "reader", 0.1

    def __init__(self, run, number):
        self.run, self.number = run, number
        self.name = f"{type(self).__name__} {number}"
        self.chance = run.chance(self.name)
        self.client = Client(run, self.name, self.user)

    async def work(self):
        while not self.run.is_over:
            await asyncio.sleep(self.chance.uniform(0, 2 * self.pace) / self.run.load)
            with self.run.record.reporting(self.name):
                await self.turn()

    def wire(self):
        return Wire("127.0.0.1", self.run.port, f"127.0.0.1:{self.run.port}")


class LongReads(Actor):
    """Pages of 500 changes without a cursor, and then some after it."""

    count, pace = 2, 0.1

    async def turn(self):
        path = "/v1/sync/changes?limit=500"
        for _ in range(self.chance.choice((1, 1, 1, 4))):
            answer = await self.client.send("GET", path)
            if not answer or answer.status != 200:
                return
            path = f"/v1/sync/changes?limit=500&cursor={answer.json['cursor']}"


class Searches(Actor):
    """Half of them find nothing, and so read every entry."""

    count, pace = 2, 0.15

    async def turn(self):
        word = self.chance.choice(("qqqqqq", "zzzzzz", f"base {self.chance.randint(0, 9999)}", "lorem"))
        await self.client.send("GET", f"/v1/journal/entries?limit=50&q={word.replace(' ', '%20')}")


class Snapshots(Actor):
    count, pace = 1, 3

    async def turn(self):
        answer = await self.client.send("GET", "/v1/sync/snapshot?limit=10000")
        if answer and answer.status == 200 and '"cursor"' not in answer.body[-2000:].decode(errors="replace"):
            self.run.record.broke("each response is complete", f"{self.name}: a snapshot has no last line")


class Cancelled(Actor):
    """Breaks off in the middle of a read, or asks for it within a few milliseconds."""

    count, pace = 2, 0.1
    paths = (
        "/v1/sync/changes?limit=1000", "/v1/journal/entries?q=qqqqqq", "/v1/sync/snapshot", "/v1/runbooks?limit=100",
        "/v1/sync/changes?wait=20&limit=1")

    async def turn(self):
        path = self.chance.choice(self.paths)
        if self.chance.random() < 0.3:
            milliseconds = self.chance.choice((1, 2, 5, 20, 60, 100))
            await self.client.send("GET", path, fields={"X-Request-Deadline-Ms": milliseconds}, allowed=(400, 503, 504))
            return
        wire = self.wire()
        try:
            await wire.open()
            await wire.write("GET", path, {"Authorization": f"Bearer {self.client.session.token}"})
            await asyncio.sleep(self.chance.choice((0, 0.001, 0.003, 0.01, 0.03, 0.2)))
        except OSError:
            pass
        finally:
            wire.close()


class SlowReaders(Actor):
    """Reads pages of 1 MiB at a few kilobytes a second, and gives up after some time or reads the rest at once."""

    count, pace = 6, 1

    async def turn(self):
        wire = self.wire()
        end = self.run.record.now() + self.chance.uniform(3, 20)
        try:
            await wire.open(receive_buffer=4096)
            path = self.chance.choice(("/v1/runbooks?limit=100", "/v1/sync/snapshot?limit=10000", "/v1/sync/changes?limit=1000"))
            await wire.write("GET", path, {"Authorization": f"Bearer {self.client.session.token}"})
            while self.run.record.now() < end and not self.run.is_over:
                if not await asyncio.wait_for(wire.reader.read(self.chance.randint(512, 8192)), 30):
                    return
                await asyncio.sleep(0.25)
        except (OSError, asyncio.TimeoutError):
            pass
        finally:
            wire.close()


class Ranges(Actor):
    """Reads parts of the uploaded files, and checks them."""

    count, pace = 1, 0.3

    async def turn(self):
        if not self.run.files:
            return
        key, content = self.chance.choice(list(self.run.files.items()))
        first = self.chance.randrange(len(content))
        last = min(len(content) - 1, first + self.chance.choice((0, 99, 65_536, len(content))))
        answer = await self.client.send(
            "GET", f"/v1/attachments/{key}/content", fields={"Range": f"bytes={first}-{last}"})
        if answer and answer.status < 300 and (answer.status != 206 or answer.body != content[first:last + 1]):
            self.run.record.broke(
                "each response is complete", f"{self.name}: bytes {first}-{last} of {key}: {answer.status}, {len(answer.body)} bytes")


class Followers(Actor):
    """Follows the changes with long polls. Each acknowledged write arrives soon, once and in order."""

    count, pace = 3, 0.001

    def __init__(self, run, number):
        super().__init__(run, number)
        self.deliveries, self.cursor, self.version = Deliveries(self.name, run.record), run.cursor, 0
        self.run.ledger.followers.append(self.deliveries)

    async def turn(self):
        path = f"/v1/sync/changes?limit=1000&wait=20&cursor={self.cursor}"
        answer = await self.client.send("GET", path, limit=60)
        if not answer or answer.status != 200:
            await asyncio.sleep(0.2)
            return
        page, record = answer.json, self.run.record
        if page["is_replacement"]:
            record.broke("each change is sent once", f"{self.name}: all rows are sent again")
        for change in page["changes"]:
            key, version = change["id"], change["version"]
            if not self.deliveries.got(key, version, record.now()) or version <= self.version:
                record.broke("each change is sent once", f"{self.name}: {key} of version {version} after {self.version}")
            self.version = version
        self.cursor = page["cursor"]


class Wrong(Actor):
    """Wrong input gets a 4xx at once, and leaves a connection that works or is closed."""

    count, pace = 1, 0.1

    def __init__(self, run, number):
        super().__init__(run, number)
        self.client.is_wrong = True

    async def turn(self):
        method, path, fields, body, allowed = self.chance.choice(self.requests())
        answer = await self.client.send(method, path, body, fields, allowed, limit=10)
        if answer and answer.status < 400 and "Upgrade" not in fields:
            self.run.record.broke("wrong input is refused", f"{self.name}: {method} {path[:80]}: {answer.status}")
        if answer and answer.status == 401:
            return
        # The next request on the same connection.
        await self.client.send("GET", "/health/live", limit=10)

    def requests(self):
        chance = self.chance
        noise = bytes(chance.randrange(256) for _ in range(chance.randint(1, 300)))
        odd = chance.choice(("%00", "%FF%FE", "..%2F..", "'%20OR%201=1--", "%F0%9F%98%80", "9" * 40, "-1", "1e9", "null"))
        json_type = {"Content-Type": "application/json"}
        deep = b"[" * chance.randint(10, 50_000)
        return [
            ("GET", f"/v1/journal/entries?limit={odd}", {}, None, ()),
            ("GET", f"/v1/journal/entries?cursor={odd}", {}, None, ()),
            ("GET", f"/v1/journal/entries/{'x' * chance.randint(129, 9000)}", {}, None, ()),
            ("GET", f"/v1/sync/changes?cursor={odd}", {}, None, ()),
            ("GET", f"/v1/sync/changes?wait={chance.choice((31, -1, 'x'))}", {}, None, ()),
            ("GET", "/v1/runbooks/00000000-0000-0000-0000-000000000000", {}, None, ()),
            ("GET", f"/v1/attachments/{chance.randrange(9)}/content", {"Range": "bytes=5-1"}, None, ()),
            ("POST", "/v1/journal/entries", json_type, noise, ()),
            ("POST", "/v1/journal/entries", json_type, deep, ()),
            ("POST", "/v1/journal/entries", json_type, b'{"host":"h","severity":"odd","text":"t"}', ()),
            ("POST", "/v1/journal/entries", {"Content-Type": "text/plain"}, b"{}", ()),
            ("POST", "/v1/runbooks", json_type, b'{"title":"t","body":"' + b"y" * 300_000 + b'"}', ()),
            ("POST", "/v1/sync/mutations", json_type, b'{"client_id":"c","mutations":[{}]}', ()),
            ("PUT", "/v1/runbooks/none", {**json_type, "If-Match": '"x"'}, b'{"title":"t","body":"b"}', ()),
            ("PUT", "/v1/runbooks/none", json_type, b'{"title":"t","body":"b"}', ()),
            ("DELETE", "/v1/nothing", {}, None, ()),
            ("BREW", "/v1/me", {}, None, (501,)),
            ("GET", "/v1/me", {"X-Request-Deadline-Ms": "x"}, None, ()),
            ("GET", "/health/live", {"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings", "HTTP2-Settings": "AAMAAABk"},
             None, (501,)),
        ]


READERS = [LongReads, Searches, Snapshots, Cancelled, SlowReaders, Ranges, Followers, Wrong]
