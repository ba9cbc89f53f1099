"""A small client of HTTP/1.1 for a soak: it can read slowly, break off, and tell a lost response from a late one."""

import asyncio
import collections
import json
import socket
import time

Answer = collections.namedtuple("Answer", "status fields body")
LIMIT = 30
# The server closes a connection that is idle for 30 seconds.
IDLE = 20


class Lost(Exception):
    """The connection ended before the response was complete."""


class Wire:
    """One connection."""

    def __init__(self, host, port, authority):
        self.host, self.port, self.authority = host, port, authority
        self.reader = self.writer = None
        self.uses = self.used = 0

    async def open(self, receive_buffer=None):
        handle = socket.socket()
        handle.setblocking(False)
        if receive_buffer:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(handle, (self.host, self.port)), 10)
        except BaseException:
            handle.close()
            raise
        self.reader, self.writer = await asyncio.open_connection(sock=handle, limit=receive_buffer or 1 << 20)
        self.uses = 0

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None

    async def write(self, method, path, fields, body=b""):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.authority}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        if (body or method in ("POST", "PUT", "PATCH")) and "Content-Length" not in fields:
            lines.append(f"Content-Length: {len(body)}")
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await self.writer.drain()

    async def head(self):
        """The status and the fields of the next final response."""
        while True:
            text = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = text[:-4].split("\r\n")
            status = int(first.split(" ")[1])
            if status >= 200:
                return status, {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    async def body(self, method, status, fields):
        if method == "HEAD" or status in (204, 304):
            return b""
        if "chunked" in fields.get("transfer-encoding", ""):
            pieces = []
            while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
                pieces.append(await self.reader.readexactly(size))
                await self.reader.readexactly(2)
            await self.reader.readuntil(b"\r\n")
            return b"".join(pieces)
        return await self.reader.readexactly(int(fields.get("content-length", 0)))

    async def exchange(self, method, path, fields, body=b""):
        """Opens the connection if it is not open.

        A response that does not come on a connection used before may be one that the server has just closed as idle, so a
        read is sent once more on a new one.
        """
        # Also one that ended unseen, with the kill of a server.
        if self.writer and (time.monotonic() - self.used > IDLE or self.reader.at_eof()):
            self.close()
        while True:
            is_used = self.writer is not None and self.uses > 0
            try:
                if self.writer is None:
                    await self.open()
                await self.write(method, path, fields, body)
                status, found = await self.head()
                answer = Answer(status, found, await self.body(method, status, found))
                self.uses, self.used = self.uses + 1, time.monotonic()
                if found.get("connection", "").lower() == "close":
                    self.close()
                return answer
            except (OSError, EOFError, asyncio.LimitOverrunError, asyncio.TimeoutError, ValueError) as error:
                self.close()
                if not is_used or method not in ("GET", "HEAD"):
                    raise Lost(type(error).__name__) from error
            except asyncio.CancelledError:
                self.close()
                raise


class Session:
    """The access token of one user, for all its connections."""

    def __init__(self, run, user):
        self.run, self.user = run, user
        self.token, self.lock = None, asyncio.Lock()

    async def renew(self, refused):
        async with self.lock:
            if self.token != refused:
                return
            client = Client(self.run, f"login {self.user}")
            answer = await client.send("POST", "/v1/sessions", {"username": self.user, "password": self.run.password})
            client.wire.close()
            if answer and answer.status == 201:
                self.token = answer.json["access_token"]
            else:
                await asyncio.sleep(1)


class Client:
    """Sends requests of one actor over one connection, and gives every response to the record."""

    def __init__(self, run, actor, user=None, through=None):
        """`through` is the port of a relay; whether a response comes through it is not judged."""
        self.run, self.actor, self.is_cut, self.is_wrong = run, actor, through is not None, False
        self.session = run.sessions[user] if user else None
        self.wire = Wire("127.0.0.1", through or run.port, f"127.0.0.1:{run.port}")

    async def send(self, method, path, body=None, fields=None, allowed=(), limit=LIMIT, may_renew=True):
        """The response; `None` if there is none."""
        head = dict(fields or {})
        if self.session:
            if not self.session.token:
                await self.session.renew(None)
            token = self.session.token
            head["Authorization"] = f"Bearer {token}"
        data = body or b""
        if body is not None and not isinstance(body, bytes):
            data = json.dumps(body).encode()
            head.setdefault("Content-Type", "application/json")
        since, request = self.run.record.now(), f"{method} {path[:120]}"
        try:
            answer = await asyncio.wait_for(self.wire.exchange(method, path, head, data), limit)
        except (Lost, asyncio.TimeoutError) as error:
            if not self.is_cut:
                self.run.record.unanswered(self.actor, request, str(error) or "no response", since)
            return None
        self.run.record.answered(self.actor, request, answer, since, allowed)
        if 400 <= answer.status < 500 and answer.status not in (401, 429, *allowed) and not self.is_wrong:
            self.run.record.broke(
                "valid requests are accepted", f"{self.actor}: {request}: {answer.status} {answer.body[:200].decode(errors='replace')}")
        if answer.status == 401 and self.session and may_renew:
            await self.session.renew(token)
            return await self.send(method, path, body, fields, allowed, limit, may_renew=False)
        return Response(*answer)


class Response(Answer):
    @property
    def json(self):
        return json.loads(self.body)
