"""`shiftlog login --device` on a terminal, allowed by a real browser."""

import concurrent.futures
import os
import pty
import re
import select
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from browser_relay import Relay
from browser_rows import database
from service import Failure, expect

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


def environment(service, home, url=None):
    os.makedirs(home, exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "SHIFTLOG_HOME": home, "LANG": "C.UTF-8",
        "NO_COLOR": "1", "TERM": "xterm", "SHIFTLOG_SERVER": url or service.url, "SHIFTLOG_TOKEN_STORE": "file",
    }


def fill(window, code, username, password):
    """Sends the form of the page. Without `code` that of the link stays."""
    for name, value in (("user_code", code), ("username", username), ("password", password)):
        if value is not None:
            field = window.one(f"[name={name}]")
            field.clear()
            field.send_keys(value)
    window.send("button[type=submit]")


class Terminal:
    """A `login --device` on a terminal of its own."""

    def __init__(self, binaries, variables, *arguments):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [os.path.join(binaries, "shiftlog"), "login", *arguments], stdin=slave, stdout=slave, stderr=slave,
            env=variables, start_new_session=True)
        os.close(slave)
        self.text = ""

    def read(self, seconds):
        """Whether more text came."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.master, 65536)
        except OSError:
            return False
        self.text += more.decode(errors="replace")
        return bool(more)

    def code(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.search(r"Open (\S+) in a browser and type the code ([A-Z]{4}-[A-Z]{4})", self.text)
            if found and "Waiting" in self.text:
                return found.groups()
            self.read(0.5)
        raise Failure(f"the terminal shows no code: {self.text}")

    def end(self, seconds=120):
        """The exit status."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.process.kill()
                raise Failure(f"the login does not end: {self.text}")
            self.read(0.2)
        while self.read(0.1):
            pass
        os.close(self.master)
        return self.process.returncode


def decide(window, service, page, code, decision):
    window.open(f"{page}?user_code={code}")
    fill(window, None, "admin", service.password)
    shown = window.one("dd.code").text
    expect(shown == code, "the page shows the code of the terminal", shown)
    window.send(f"button[value={decision}]")
    window.one("[role=status]")


def logins(window, service, binaries):
    """Each end of a login."""
    def start(name, *arguments):
        return Terminal(binaries, environment(service, os.path.join(service.home, name)), "--device", *arguments)

    terminal = start("granted")
    page, code = terminal.code()
    expect(f"?user_code={code}" in terminal.text, "the terminal shows the link with the code", terminal.text)
    window.open(page)
    fill(window, "BCDF-GHJK", "admin", service.password)
    expect("No device waits with this code" in window.text(), "a wrong code is told on the page", window.text())
    decide(window, service, page, code, "allow")
    status = terminal.end()
    expect(status == 0 and "logged in as admin" in terminal.text, "granted: the terminal is logged in", terminal.text)

    terminal = start("refused")
    decide(window, service, *terminal.code(), "refuse")
    status = terminal.end()
    expect(status == 77 and "refused in the browser" in terminal.text, f"refused: the login ends with {status}", terminal.text)

    terminal = start("expired")
    page, code = terminal.code()
    with database(service) as rows:
        rows.execute("UPDATE device_grant SET expires_at = created_at WHERE session_id IS NULL")
    status = terminal.end()
    expect(status != 0 and "expired" in terminal.text, f"expired: the login ends with {status}", terminal.text)
    window.open(f"{page}?user_code={code}")
    fill(window, None, "admin", service.password)
    expect("No device waits with this code" in window.text(), "expired: the page does not know the code", window.text())

    terminal = start("limited", "--timeout", "7")
    terminal.code()
    started = time.monotonic()
    status = terminal.end()
    expect(status == 75 and "--timeout" in terminal.text, f"--timeout 7: the login ends with {status}", terminal.text)
    expect(time.monotonic() - started < 12, "--timeout 7: it ends in time")

    guesses(window, service)
    stock_client(service)
    lost(service, binaries)
    window.logs("logins", [service.url])


def guesses(window, service):
    """Ten wrong codes lock the account that guesses out, also with a right code."""
    service.create_user("guesser", role="member")
    codes = service.call("POST", "/v1/oauth/device_authorization", {"device_name": "build host"})
    for number in range(10):
        window.open(f"{service.url}/device")
        fill(window, f"BCDF-GHJ{'BCDFGHJKLM'[number]}", "guesser", service.password)
        if "No device waits" not in window.text():
            raise Failure(f"guess {number + 1}: {window.text()}")
    window.open(codes["verification_uri_complete"])
    fill(window, None, "guesser", service.password)
    expect(
        not window.all("button[value=allow]") and "wait" in window.text(), "ten guesses: the right code is refused, too",
        window.text())


def allow(service, user_code):
    """Allows a device without a browser."""
    def post(fields):
        request = urllib.request.Request(f"{service.url}/device", data=urllib.parse.urlencode(fields).encode())
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read().decode()

    question = post({"user_code": user_code, "username": "admin", "password": service.password})
    ticket = re.search(r'name="ticket" value="([^"]*)"', question)
    if not ticket or "is logged in" not in post({"ticket": ticket.group(1), "decision": "allow"}):
        raise Failure(f"the device is not allowed: {question[-400:]}")


def stock_client(service):
    """The grant by authlib, as it is."""
    import requests
    from authlib.integrations.requests_client import OAuth2Session
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    codes = requests.post(f"{service.url}/v1/oauth/device_authorization", data={"client_id": "authlib"}, timeout=30).json()
    session = OAuth2Session(client_id="authlib", token_endpoint_auth_method="none")
    allow(service, codes["user_code"])
    token = session.fetch_token(
        f"{service.url}/v1/oauth/token", grant_type=GRANT, device_code=codes["device_code"])
    me = session.get(f"{service.url}/v1/me").json()
    renewed = session.refresh_token(f"{service.url}/v1/oauth/token", refresh_token=token["refresh_token"])
    expect(
        me["username"] == "admin" and renewed["access_token"] != token["access_token"],
        "authlib performs the grant and the refresh unmodified")


class Lossy(Relay):
    """Forwards requests; the first tokens of each device code are lost on the way back."""

    def __init__(self, service):
        self.lost = {}
        self.lock = threading.Lock()
        super().__init__(service.url)

    def passes(self, request, body, response, content):
        device = urllib.parse.parse_qs(body.decode(errors="replace")).get("device_code", [""])[0]
        if not device or response.status != 200:
            return True
        with self.lock:
            self.lost[device] = self.lost.get(device, 0) + 1
            return self.lost[device] > 1


def lost(service, binaries, count=50):
    """Logins whose first tokens are lost, eight at a time."""
    relay = Lossy(service)
    url = f"http://127.0.0.1:{relay.port}"

    def one(number):
        home = os.path.join(service.home, f"lost-{number}")
        terminal = Terminal(binaries, environment(service, home, url), "--device")
        allow(service, terminal.code()[1])
        return terminal.end() == 0 and "logged in as admin" in terminal.text

    before = relay_metric(service)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(one, range(count)))
    answers = list(relay.lost.values())
    relay.shutdown()
    expect(done == count and len(answers) == count and min(answers) >= 2,
           f"lost responses: {done} of {count} logins whose first tokens were lost are logged in", answers)
    counted = relay_metric(service) - before
    expect(counted == count, f"lost responses: the server counted {counted} logins", counted)


def relay_metric(service):
    with urllib.request.urlopen(f"{service.url}/metrics", timeout=30) as response:
        found = re.search(r'^shiftlog_logins_total\{result="succeeded"\} (\d+)', response.read().decode(), re.M)
    return int(found.group(1)) if found else 0
