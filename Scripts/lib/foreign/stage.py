"""What the cases share: the client program, the servers, and the folder of a run."""

import contextlib
import os
import queue
import subprocess
import threading
import time
import urllib.parse

from foreign import servers
from foreign.certificates import Certificates, Nginx, new_key
from processes import Failure

# A form encodes each of these signs; a server that decodes once too often, or not at all, has another secret.
SECRET = "p+q %2Bs%t&u=v:w/x"
# An HMAC with SHA-256 takes no key below 32 bytes.
LONG_SECRET = SECRET * 2
PASSWORD = "p+q%2Bs:t@u/v"
LIMIT = 60


def expect(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def comes(condition, otherwise, seconds=10):
    """As `expect`, for what a server may log after the client has ended."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    expect(condition(), otherwise)


class Stage:
    """One run. A server starts with the first case that asks for it, and ends with the run."""

    def __init__(self, program, binaries, folder):
        self.program, self.binaries, self.folder, self.started = program, binaries, folder, []

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def start(self, server):
        self.started.append(server)
        return server.start()

    def close(self):
        for server in reversed(self.started):
            server.stop()

    # MARK: Servers

    def once(self, name, make):
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]

    def toolkit(self):
        def make():
            server = servers.uvicorn("toolkit", self.folder, "toolkit_server", {
                "FOREIGN_LIFE": "8", "FOREIGN_SECRET": SECRET, "FOREIGN_DATABASE": self.path("toolkit.sqlite")})
            server.environment["FOREIGN_ADDRESS"] = server.address
            return self.start(server)
        return self.once("_toolkit", make)

    def openid(self):
        """django-oauth-toolkit as an OpenID provider."""
        def make():
            server = servers.uvicorn("openid", self.folder, "toolkit_server", {
                "FOREIGN_LIFE": "60", "FOREIGN_SECRET": SECRET, "FOREIGN_DATABASE": self.path("openid.sqlite"),
                "FOREIGN_KEY": new_key(self.path("openid.key"))})
            server.environment["FOREIGN_ADDRESS"] = server.address
            return self.start(server)
        return self.once("_openid", make)

    def authlib(self):
        return self.once("_authlib", lambda: self.start(servers.flask("authlib", self.folder, "authlib_server", {
            "FOREIGN_SECRET": SECRET, "AUTHLIB_INSECURE_TRANSPORT": "1"})))

    def other_openid(self):
        """An OpenID provider of authlib's classes."""
        def make():
            server = servers.flask("authlib-openid", self.folder, "authlib_openid_server", {
                "FOREIGN_SECRET": SECRET, "AUTHLIB_INSECURE_TRANSPORT": "1"})
            server.environment["FOREIGN_ADDRESS"] = server.address
            return self.start(server)
        return self.once("_other_openid", make)

    def events(self):
        return self.once("_events", lambda: self.start(servers.uvicorn("events", self.folder, "events_server")))

    def proxy(self):
        return self.once("_proxy", lambda: self.start(servers.proxy("proxy", self.folder)))

    def strict_proxy(self):
        return self.once("_strict", lambda: self.start(
            servers.proxy("strict-proxy", self.folder, "--basic-auth", f"ada:{PASSWORD}")))

    def certificates(self):
        return self.once("_certificates", lambda: Certificates(self.folder))

    def nginx(self):
        self.certificates()
        return self.once("_nginx", lambda: self.start(Nginx(self.folder)))

    # MARK: The client

    def run(self, *words):
        """Status and lines of the client."""
        with self.client(*words) as client:
            return client.finish()

    def answers(self, *words):
        """The lines of the client, which must succeed."""
        status, lines = self.run(*words)
        expect(status == 0, f"status {status}: {' '.join(lines)}")
        return lines

    def refusal(self, *words):
        """What the client prints of its failure. It is short, and in one line."""
        status, lines = self.run(*words)
        return checked(status, lines)

    @contextlib.contextmanager
    def client(self, *words):
        client = Client([self.program, *map(str, words)])
        try:
            yield client
        finally:
            client.process.kill()
            client.process.wait()


def checked(status, lines):
    expect(status == 1, f"status {status}: {' '.join(lines)}")
    expect(
        len(lines) >= 2 and lines[-2].startswith("failed: ") and lines[-1].startswith("for a user: "),
        f"no two texts of one line: {' | '.join(lines)}")
    for text in lines[-2:]:
        expect(len(text) < 600, f"a long text: {text}")
        hidden(text, SECRET, PASSWORD)
    return " ".join(lines[-2:])


def hidden(text, *secrets):
    """Fails where `text` has one of the secrets, as it is or as a form has it."""
    for secret in secrets:
        for form in (secret, urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret)):
            expect(form not in text, f"the text has a secret: {text}")


class Client:
    """A running client. What it prints is read as it comes."""

    def __init__(self, words):
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        self.deadline = time.monotonic() + LIMIT
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self):
        """The next line; `None` at the end."""
        try:
            return self.lines.get(timeout=max(0.01, self.deadline - time.monotonic()))
        except queue.Empty:
            raise Failure(f"the client says nothing for {LIMIT} seconds") from None

    def opened(self):
        """The words behind `open`: what a user sees."""
        line = self.line()
        expect(line is not None and line.startswith("open "), f"the client asks for no browser: {line}")
        return line.split()[1:]

    def finish(self):
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        return self.process.wait(LIMIT), lines
