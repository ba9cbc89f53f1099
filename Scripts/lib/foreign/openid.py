"""Cases in which users of other servers sign in to Strata's server: users of django-oauth-toolkit, and of authlib's provider classes.

Each case has a server with a database of its own.
"""

import contextlib
import os
import re
import secrets
import signal
import subprocess
import time
import urllib.parse

from foreign.browser import Browser
from foreign.servers import Server
from foreign.stage import LONG_SECRET, SECRET, Client, expect, hidden

LABEL = "Sign in with Example ID"
CALLBACK = "/signin/openid/callback"
USED = "This sign-in was started in another browser, was used before, or took longer than 10 minutes. Start it again."
NOT_SIGNED_IN = "Example ID did not sign you in, or its answer is not valid. Start again."
AWAY = "Example ID cannot be used at the moment. Try again later."
WRONG = "s%crt+ that is not the right one"


class Backend(Server):
    """A `shiftlog-server` whose users come from the provider."""

    def __init__(self, stage, name, provider, settings):
        def command(server):
            return [os.path.join(stage.binaries, "shiftlog-server"), "serve", "--port", str(server.port)]

        home = stage.path(name)
        os.makedirs(home)
        settings = {
            "SIGNING_SECRET": secrets.token_urlsafe(48), "PASSWORD_COST": "10", "LOG_LEVEL": "trace", "PASSWORD_LOGIN": "off",
            "OIDC_ISSUER": provider.address, "OIDC_NAME": "Example ID", "OIDC_ACCOUNTS": "create", "OIDC_CLIENT_ID": "strata",
            "OIDC_CLIENT_SECRET": SECRET, **settings}
        environment = {f"SHIFTLOG_{setting}": value for setting, value in settings.items()}
        super().__init__(name, stage.folder, command, {"HOME": home, "SHIFTLOG_HOME": home, **environment})

    def administer(self, *words, entered=""):
        done = subprocess.run(
            self.command(self)[:1] + list(words), input=entered, env={**os.environ, **self.environment}, text=True,
            capture_output=True, timeout=60)
        expect(done.returncode == 0, f"{' '.join(words)}: {done.stderr}")

    def begin(self, browser, page="/signin"):
        """From a page of the server to the question of the provider."""
        browser.open(self.address + page)
        browser.follow(LABEL)
        browser.log_in()

    def callback(self, browser):
        """Where the provider sends the browser, which does not go there yet."""
        self.begin(browser)
        return browser.stopped(self.address + CALLBACK, allow="Authorize")

    def reasons(self):
        return re.findall(r"reason=(.*) request_id=.* sign-in at the OpenID provider failed", self.log())


@contextlib.contextmanager
def backend(stage, name, provider=None, **settings):
    """A server for one case, at the toolkit unless another provider is given, without logins by password.

    Its log has all that is ever logged; no secret, state, verifier or token may be in it.
    """
    server = stage.start(Backend(stage, f"strata-{name}", provider or stage.openid(), settings))
    try:
        yield server
    finally:
        server.stop()
    hidden(server.log(), SECRET, WRONG)
    leaked = re.search(r"\b(state|code|code_verifier|access_token|id_token)\"?[=:] ?\"?[^\s<&\"]|eyJ", server.log())
    expect(not leaked, f"the log has what only the provider and this server may know: {leaked}")


def signed_in(browser, server, name="ada"):
    """Whether the page says so, also when it is opened again."""
    for _ in range(2):
        expect(f"as <strong>{name}</strong>" in browser.text, f"nobody is signed in at {browser.url}: {browser.text[-600:]}")
        browser.open(server.address + "/signin")


def refused(server, browser, sentence, reason):
    """The page says the sentence, the log the reason, and nobody is signed in."""
    expect(sentence in browser.text and "You are not signed in" in browser.text, f"another page: {browser.text[-600:]}")
    hidden(browser.text, SECRET, WRONG)
    said = server.reasons()
    expect(len(said) == 1 and reason in said[0], f"another reason: {said}")
    browser.open(server.address + "/signin")
    expect("<strong>" not in browser.text, "the browser is signed in all the same")


def created(stage):
    """a user signs in there for the first time, gets an account with the name from there, and is known the next time"""
    with backend(stage, "created") as server:
        for _ in range(2):
            browser = Browser()
            server.begin(browser)
            expect("Your name" in browser.text, f"no question for the name: {browser.text[-600:]}")
            browser.submit(allow="Authorize")
            signed_in(browser, server)
            browser.submit()
            expect("<strong>" not in browser.text, "the browser is not signed out")


def device(stage):
    """shiftlog logs in as a device that this user allows, and no password is there"""
    with backend(stage, "device") as server:
        variables = {"SHIFTLOG_SERVER": server.address, "SHIFTLOG_HOME": stage.path("device-home"), "SHIFTLOG_TOKEN_STORE": "file"}
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), os.path.join(stage.binaries, "shiftlog")]
        client = Client([*words, "login", "--device"])
        try:
            said = ""
            while not (found := re.search(r"\b[A-Z]{4}-[A-Z]{4}\b", said)):
                line = client.line()
                expect(line is not None, f"the login shows no code: {said}")
                said += line + "\n"
            browser = Browser()
            server.begin(browser, f"/device?user_code={found[0]}")
            browser.submit(allow="Authorize")
            expect(f'value="{found[0]}"' in browser.text, f"the page has lost the code: {browser.text[-900:]}")
            browser.submit()
            browser.submit(decision="allow")
            expect("The device is logged in" in browser.text, browser.text[-600:])
            status, lines = client.finish()
            expect(status == 0 and "ada" in " ".join(lines), f"status {status}: {lines}")
        finally:
            client.process.kill()
            client.process.wait()
        status, lines = Client([*words, "sessions", "list"]).finish()
        expect(status == 0, f"the session is not used: {lines}")


def taken(stage):
    """an administrator's account with the same name is another one, and the new user gets another name"""
    with backend(stage, "taken") as server:
        server.administer("create-user", "ada", "--role", "admin", "--password-stdin", entered="correct horse battery\n")
        browser = Browser()
        server.begin(browser)
        browser.submit(allow="Authorize")
        expect('href="/admin"' not in browser.text, "the new user is an administrator")
        signed_in(browser, server, "ada-2")


def elsewhere(stage):
    """a sign-in goes on to the page that it was started for, and to no other site"""
    with backend(stage, "elsewhere") as server:
        for path, end in (
                ("/device?user_code=BCDF-GHJK", "/device?user_code=BCDF-GHJK"), ("https://elsewhere.invalid/", "/signin"),
                ("//elsewhere.invalid/", "/signin"), ("/\\elsewhere.invalid/", "/signin")):
            browser = Browser()
            server.begin(browser, "/signin?" + urllib.parse.urlencode({"next": path}))
            browser.submit(allow="Authorize")
            expect(browser.url == server.address + end, f"'{path}' leads to {browser.url}")


def linked(stage):
    """with 'link' an unknown user is refused with the id for link-user, which lets them in until unlink-user"""
    with backend(stage, "linked", OIDC_ACCOUNTS="link") as server:
        browser = Browser()
        server.begin(browser)
        expect("Your name" not in browser.text, "the name is asked for, which nothing needs")
        browser.submit(allow="Authorize", status=403)
        subject = re.search(r"with your id there: (\S+?)<", browser.text)
        expect(subject is not None, f"no id on the page: {browser.text[-600:]}")
        refused(server, browser, "and no account here is linked to you", "no account is linked to")
        server.administer("create-user", "grace", "--role", "member", "--password-stdin", entered="correct horse battery\n")
        server.administer("link-user", "grace", "--openid-subject", subject[1])
        server.begin(browser)
        browser.submit(allow="Authorize")
        signed_in(browser, server, "grace")
        server.administer("unlink-user", "grace")
        browser.open(server.address + "/signin")
        expect("<strong>" not in browser.text, "the session has not ended with the link")
        server.begin(browser)
        browser.submit(allow="Authorize", status=403)


def replayed(stage):
    """the address that the provider sent the browser to works once"""
    with backend(stage, "replayed") as server:
        browser = Browser()
        url = server.callback(browser)
        browser.open(url)
        signed_in(browser, server)
        browser.submit()
        browser.open(url, status=400)
        refused(server, browser, USED, "not that of a sign-in of this browser")


def other_browser(stage):
    """it does not work in another browser, and still works in the first one"""
    with backend(stage, "other-browser") as server:
        first, other = Browser(), Browser()
        url = server.callback(first)
        other.open(url, status=400)
        refused(server, other, USED, "not that of a sign-in of this browser")
        first.open(url)
        signed_in(first, server)


def swapped(stage):
    """the code of one browser's sign-in does not work in the sign-in of another one"""
    with backend(stage, "swapped") as server:
        attacker, victim = Browser(), Browser()
        theirs = urllib.parse.parse_qs(urllib.parse.urlsplit(server.callback(attacker)).query)
        url = urllib.parse.urlsplit(server.callback(victim))
        query = urllib.parse.urlencode({**dict(urllib.parse.parse_qsl(url.query)), "code": theirs["code"][0]})
        victim.open(url._replace(query=query).geturl(), status=403)
        refused(server, victim, NOT_SIGNED_IN, "the token endpoint answered 400 with invalid_grant")


def cancelled(stage):
    """a user who says no at the provider sees a page that says so"""
    with backend(stage, "cancelled") as server:
        browser = Browser()
        server.begin(browser)
        browser.submit(status=403)
        # The toolkit promises to name itself in each answer (RFC 9207), and does not in this one.
        refused(server, browser, NOT_SIGNED_IN, "the response to the browser has no iss")


def symmetric(stage):
    """an id token that the client secret signs is refused"""
    with backend(stage, "symmetric", OIDC_CLIENT_ID="symmetric", OIDC_CLIENT_SECRET=LONG_SECRET) as server:
        browser = Browser()
        server.begin(browser)
        browser.submit(allow="Authorize", status=403)
        refused(server, browser, NOT_SIGNED_IN, "another algorithm than RS256, PS256, ES256 or EdDSA")


def wrong_secret(stage):
    """a wrong client secret is a page without it, and a log that has the reason and not the secret"""
    with backend(stage, "wrong-secret", OIDC_CLIENT_SECRET=WRONG) as server:
        browser = Browser()
        server.begin(browser)
        browser.submit(allow="Authorize", status=403)
        refused(server, browser, NOT_SIGNED_IN, "the token endpoint answered 401 with invalid_client")


def stopped(stage):
    """a provider that is stopped is a page of a second, before the sign-in and in the middle of it; it goes on afterwards"""
    with backend(stage, "stopped") as server, backend(stage, "stopped-before") as unprepared:
        browser, other = Browser(), Browser()
        url = server.callback(browser)
        stage.openid().kill()
        try:
            started = time.monotonic()
            browser.open(url, status=503)
            other.open(unprepared.address + "/signin")
            other.follow(LABEL, status=503)
            took = time.monotonic() - started
        finally:
            stage.openid().start()
        expect(took < 2, f"the pages take {took:.1f} s")
        for page, at in ((browser, server), (other, unprepared)):
            refused(at, page, AWAY, "no usable response of the provider")
            at.begin(page)
            page.submit(allow="Authorize")
            signed_in(page, at)


def hanging(stage):
    """a provider that does not answer is a page after ten seconds"""
    with backend(stage, "hanging") as server:
        browser = Browser()
        url = server.callback(browser)
        process = stage.openid().process
        process.send_signal(signal.SIGSTOP)
        try:
            started = time.monotonic()
            browser.open(url, status=503)
            took = time.monotonic() - started
        finally:
            process.send_signal(signal.SIGCONT)
        expect(9 <= took < 13, f"the page takes {took:.1f} s")
        refused(server, browser, AWAY, "no usable response of the provider")


def at_authlib(stage, algorithm):
    with backend(stage, algorithm, stage.other_openid(), OIDC_CLIENT_ID=algorithm) as server:
        for _ in range(2):
            browser = Browser()
            server.begin(browser)
            browser.submit(allow="yes")
            # What is no letter, digit or allowed sign of 'Ada L.' is left out.
            signed_in(browser, server, "adal.")


def es256(stage):
    """authlib's users sign in: a secret in the body, id tokens with ES256"""
    at_authlib(stage, "ES256")


def ps256(stage):
    """the same with PS256"""
    at_authlib(stage, "PS256")


def eddsa(stage):
    """the same with EdDSA"""
    at_authlib(stage, "EdDSA")


def cancelled_at_authlib(stage):
    """a user who says no at authlib, which names itself in the answer, sees the same page"""
    with backend(stage, "cancelled-at-authlib", stage.other_openid(), OIDC_CLIENT_ID="ES256") as server:
        browser = Browser()
        server.begin(browser)
        browser.submit(status=403)
        refused(server, browser, NOT_SIGNED_IN, "the provider sent no code")


OPENID = [
    created, device, taken, elsewhere, linked, replayed, other_browser, swapped, cancelled, symmetric, wrong_secret, stopped, hanging,
    es256, ps256, eddsa, cancelled_at_authlib]
