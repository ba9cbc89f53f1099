"""The writers of a soak. Each acknowledged write goes into the ledger, and is looked for in the database at the end."""

import asyncio
import hashlib
import uuid

from soak_http import Client
from soak_readers import Actor

# Characters of the text of a large runbook.
LARGE = 240_000


class Writer(Actor):
    user, written = "writer", 0

    async def work(self):
        while not self.run.is_over:
            await asyncio.sleep(self.chance.uniform(0, 2 * self.pace) / self.run.load)
            while self.run.is_quiet and not self.run.is_over:
                await asyncio.sleep(0.1)
            with self.run.record.reporting(self.name):
                await self.turn()

    def text(self):
        self.written += 1
        return f"soak {self.name} {self.written} " + "word " * self.chance.randint(0, 40)

    async def until_acknowledged(self, method, path, body, fields):
        """Sends a write with its key again until it has a response, as a client does that must not write twice."""
        for _ in range(40):
            # 409: the first one is still under way, because its connection was lost.
            answer = await self.client.send(method, path, body, fields, allowed=(409,), limit=15)
            if answer and answer.status < 500 and answer.status not in (401, 429) and b"idempotency_in_flight" not in answer.body:
                return answer
            await asyncio.sleep(0.5)
        return None


class Entries(Writer):
    """Creates, changes and deletes entries. One of two has a connection that is cut, so it repeats writes with their keys."""

    count, pace = 2, 0.08

    def __init__(self, run, number):
        super().__init__(run, number)
        self.client = Client(run, self.name, self.user, run.relays[0].port if number else None)
        self.own = []

    async def turn(self):
        text, fields = self.text().strip(), {"Idempotency-Key": str(uuid.UUID(int=self.chance.getrandbits(128)))}
        kind = self.chance.random()
        if kind < 0.6 or not self.own:
            body = {"host": f"host{self.number}", "severity": "info", "text": text}
            answer = await self.until_acknowledged("POST", "/v1/journal/entries", body, fields)
            if answer and answer.status == 201:
                self.own.append(answer.json["id"])
                self.run.ledger.wrote(answer.json["id"], answer.json["version"], text)
            return
        key = self.chance.choice(self.own)
        if kind < 0.9:
            self.run.ledger.began(key, text)
            answer = await self.until_acknowledged("PATCH", f"/v1/journal/entries/{key}", {"text": text}, fields)
            if answer and answer.status == 200:
                self.run.ledger.wrote(key, answer.json["version"], text)
                if not self.run.is_over and self.chance.random() < 0.3:
                    await self.read_back(key, answer.json["version"])
        else:
            self.own.remove(key)
            self.run.ledger.began(key, None)
            answer = await self.until_acknowledged("DELETE", f"/v1/journal/entries/{key}", None, fields)
            if answer and answer.status == 204:
                self.run.ledger.wrote(key, 0, None)

    async def read_back(self, key, version):
        answer = await self.client.send("GET", f"/v1/journal/entries/{key}")
        if answer and answer.status in (200, 404) and (answer.status == 404 or answer.json["version"] < version):
            self.run.record.broke("a read sees the writes before it", f"{self.name}: {key} of version {version}: {answer.body[:80]}")


class Batches(Writer):
    """Sends batches of mutations as an offline client does, a fifth of them twice."""

    count, pace = 1, 0.4

    def __init__(self, run, number):
        super().__init__(run, number)
        self.client_id, self.sequence = str(uuid.UUID(int=self.chance.getrandbits(128))), 0

    async def turn(self):
        batch = {"client_id": self.client_id, "mutations": []}
        for _ in range(self.chance.randint(1, 30)):
            self.sequence += 1
            batch["mutations"].append(mutation(self.chance, self.sequence, "hostb", self.text().strip()))
        for _ in range(self.chance.choice((1, 1, 1, 1, 2))):
            answer = await self.until_acknowledged("POST", "/v1/sync/mutations", batch, {})
        for sent, result in zip(batch["mutations"], answer.json["results"] if answer and answer.status == 200 else []):
            if result["status"] == "applied":
                self.run.ledger.wrote(sent["entity_id"], result["version"], sent["fields"]["text"])
            else:
                self.run.record.broke("valid requests are accepted", f"{self.name}: {result}")


def mutation(chance, sequence, host, text):
    return {
        "id": str(uuid.UUID(int=chance.getrandbits(128))), "client_seq": sequence, "collection": "journal_entries",
        "entity_id": str(uuid.UUID(int=chance.getrandbits(128))), "operation": "create", "at": "2026-01-01T00:00:00.000Z",
        "fields": {"host": host, "severity": "info", "text": text, "occurred_at": "2026-01-01T00:00:00.000Z"}}


class Runbooks(Writer):
    """Puts runbooks of 240 KB, half of them with a key: now and then one, and for some seconds as fast as all can."""

    count, pace = 12, 3

    async def turn(self):
        key = self.run.runbooks[self.number]
        while not self.run.is_over:
            title = self.text().strip()[:200]
            letter = self.chance.choice("abcdefgh")
            fields = {"If-Match": "*", "Content-Type": "application/json"}
            if self.chance.random() < 0.5:
                fields["Idempotency-Key"] = str(uuid.UUID(int=self.chance.getrandbits(128)))
            body = b'{"title":"%s","body":"%s"}' % (title.encode(), letter.encode() * LARGE)
            self.run.titles.setdefault(key, set()).add(title)
            answer = await self.client.send("PUT", f"/v1/runbooks/{key}", body, fields)
            if answer and answer.status == 200:
                self.run.titles[key] = {title}
            if not self.run.is_burst or self.run.is_quiet:
                return


class Uploads(Writer):
    """Attaches files, and breaks off some uploads in the middle."""

    count, pace = 1, 1

    async def turn(self):
        if not self.run.entries:
            return
        entry = self.chance.choice(self.run.entries)
        content = self.chance.randbytes(self.chance.choice((1, 5_000, 300_000, 2_000_000)))
        edge = f"edge{self.chance.getrandbits(64):x}"
        body = (f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="f{self.chance.randrange(999)}.bin"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n").encode() + content + f"\r\n--{edge}--\r\n".encode()
        fields = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        path = f"/v1/journal/entries/{entry}/attachments"
        if self.chance.random() < 0.3:
            await self.break_off(path, fields, body)
            return
        answer = await self.client.send("POST", path, body, fields)
        if answer and answer.status == 201:
            digest = hashlib.sha256(content).digest()
            self.run.digests[answer.json["id"]] = digest
            if len(self.run.files) < 20:
                self.run.files[answer.json["id"]] = content

    async def break_off(self, path, fields, body):
        wire = self.wire()
        try:
            await wire.open()
            fields = {**fields, "Authorization": f"Bearer {self.client.session.token}", "Content-Length": len(body)}
            await wire.write("POST", path, fields, b"")
            wire.writer.write(body[:self.chance.randrange(len(body))])
            await asyncio.sleep(self.chance.uniform(0, 0.5))
        except OSError:
            pass
        finally:
            wire.close()


class Logins(Writer):
    """Logs in, reads with the new session, refreshes it, and ends it. Some users do not exist."""

    count, pace, user = 1, 4, "guest"

    def __init__(self, run, number):
        super().__init__(run, number)
        self.client = Client(run, self.name)

    async def turn(self):
        is_wrong = self.chance.random() < 0.1
        credentials = {"username": f"ghost{self.chance.randrange(10**6)}" if is_wrong else "guest", "password": self.run.password}
        answer = await self.client.send("POST", "/v1/sessions", credentials)
        if not answer or is_wrong:
            return
        if answer.status != 201:
            if not self.run.record.is_explained(self.run.record.now() - 20):
                self.run.record.broke("valid logins are accepted", f"{self.name}: {answer.status} {answer.body[:200]}")
            return
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        token = answer.json
        body = f"grant_type=refresh_token&refresh_token={token['refresh_token']}".encode()
        renewed = await self.client.send("POST", "/v1/oauth/token", body, form)
        if renewed and renewed.status == 200:
            token = renewed.json
        head = {"Authorization": f"Bearer {token['access_token']}"}
        await self.client.send("GET", "/v1/sessions", fields=head)
        await self.client.send("DELETE", "/v1/sessions/current", fields=head)


class Lonely(Actor):
    """Writes one entry in the middle of each quiet time: a long poll that is not woken then stays asleep."""

    count, pace, user = 1, 0.1, "writer"

    async def turn(self):
        if not self.run.is_quiet:
            return
        await asyncio.sleep(1.5 + self.chance.random())
        text = f"soak {self.name} {self.run.record.now():.3f}"
        answer = await self.client.send(
            "POST", "/v1/journal/entries", {"host": "hostl", "severity": "info", "text": text})
        if answer and answer.status == 201:
            self.run.ledger.wrote(answer.json["id"], answer.json["version"], text)
        while self.run.is_quiet and not self.run.is_over:
            await asyncio.sleep(0.1)


WRITERS = [Entries, Batches, Runbooks, Uploads, Logins, Lonely]
