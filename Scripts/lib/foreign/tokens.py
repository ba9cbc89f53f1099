"""Cases in front of two authorization servers: django-oauth-toolkit, and authlib's provider classes."""

import json
import os
import shutil
import time
import urllib.parse

from foreign.browser import Browser
from foreign.stage import SECRET, checked, expect

# A token of 8 seconds is renewed when half of its life is over.
DUE = 4.3
REFUSED = "the token endpoint refuses this client (invalid_client"


def service(stage, server, way, secret=SECRET, calls=1, path="/token"):
    return (server.address, server.address + path, way, "reports", secret, calls)


def basic_at_toolkit(stage):
    """django-oauth-toolkit takes a client secret with + and % as Basic"""
    expect(stage.answers("service", *service(stage, stage.toolkit(), "basic", path="/token/")) == ["nobody"], "another name")


def body_at_toolkit(stage):
    """django-oauth-toolkit takes the same secret in the body"""
    expect(stage.answers("service", *service(stage, stage.toolkit(), "body", path="/token/")) == ["nobody"], "another name")


def basic_at_authlib(stage):
    """authlib, which decodes Basic in another way, takes the secret as Basic"""
    expect(stage.answers("service", *service(stage, stage.authlib(), "basic")) == ["reports"], "another name")


def body_at_authlib(stage):
    """authlib takes the secret in the body"""
    expect(stage.answers("service", *service(stage, stage.authlib(), "body")) == ["reports"], "another name")


def wrong_secret(stage):
    """a wrong secret is refused at both servers with a sentence that does not have it"""
    for server, path in ((stage.toolkit(), "/token/"), (stage.authlib(), "/token")):
        for way in ("basic", "body"):
            said = stage.refusal("service", *service(stage, server, way, SECRET + SECRET, path=path))
            expect(REFUSED in said and "check client id, secret and scope" in said, f"{server.name}, {way}: {said}")


def logged_in(stage, folder, allow=True, is_discovered=True):
    """A login by the browser; status and lines behind the URL."""
    browser, address = Browser(), stage.toolkit().address
    endpoints = () if is_discovered else (address + "/authorize/", address + "/token/")
    with stage.client("login", address, "tides", folder, *endpoints) as client:
        url, = client.opened()
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
        expect(url.startswith(address + "/authorize/?"), f"another page: {url}")
        expect(query["code_challenge_method"] == ["S256"] and len(query["code_challenge"][0]) == 43, f"no PKCE: {url}")
        browser.open(url)
        browser.log_in()
        browser.submit(**({"allow": "Authorize"} if allow else {}))
        expect("You can close this window." in browser.text, f"the browser ends at {browser.url}: {browser.text[:300]}")
        return client.finish()


def code(stage):
    """a user logs in with the browser: discovery, PKCE, redirect to the loopback address"""
    status, lines = logged_in(stage, stage.path("code"))
    expect((status, lines) == (0, ["ada"]), f"status {status}: {lines}")
    # The session is on the disk now, and needs no browser.
    expect(stage.answers("login", stage.toolkit().address, "tides", stage.path("code")) == ["ada"], "the session is not used")


def cancelled(stage):
    """a login that the user cancels in the browser ends with its sentence"""
    said = checked(*logged_in(stage, stage.path("cancelled"), allow=False, is_discovered=False))
    expect("the login was refused in the browser" in said and "begin the login again" in said, said)


def unnamed(stage):
    """the same where the metadata promise that answers name their server, and this one does not (RFC 9207)"""
    said = checked(*logged_in(stage, stage.path("cancelled"), allow=False))
    expect("access_denied" in said and "does not name its server" in said and "begin the login again" in said, said)


def device_at_toolkit(stage, action="accept"):
    """a user allows a device in the browser of django-oauth-toolkit"""
    server, browser = stage.toolkit(), Browser()
    with stage.client("device", server.address, server.address + "/device-authorization/", server.address + "/token/", "tv") as client:
        page, user_code = client.opened()
        browser.open(page)
        browser.log_in()
        browser.submit(user_code=user_code)
        time.sleep(1.5)  # at least one poll comes too early
        browser.submit(action=action)
        status, lines = client.finish()
    expect(server.count(r'"POST /token/ HTTP/1.1" 400') > 0, "no poll came before the decision")
    if action == "accept":
        expect((status, lines) == (0, ["ada"]), f"status {status}: {lines}")
    return status, lines


def refused_at_toolkit(stage):
    """a device that the user refuses there ends with its sentence"""
    said = checked(*device_at_toolkit(stage, "deny"))
    expect("the login was refused in the browser" in said, said)


def device_at_authlib(stage, decision="allow"):
    """a device polls authlib more slowly when it is told to, and is allowed"""
    server, browser = stage.authlib(), Browser()
    before = server.count("POST /token ")
    started = time.monotonic()
    with stage.client("device", server.address, server.address + "/device", server.address + "/token", "tv") as client:
        page, user_code = client.opened()
        while server.count("POST /token ") == before and time.monotonic() < started + 20:
            time.sleep(0.05)
        browser.open(urllib.parse.urljoin(page, decision), {"user_code": user_code})
        status, lines = client.finish()
    # Five seconds more than the one that the server asked for at first.
    polls, took = server.count("POST /token ") - before, time.monotonic() - started
    expect(polls == 2 and took >= 7, f"{polls} polls in {took:.1f} s")
    if decision == "allow":
        expect((status, lines) == (0, ["ada"]), f"status {status}: {lines}")
    return status, lines


def refused_at_authlib(stage):
    """a device that the user refuses at authlib ends with its sentence"""
    said = checked(*device_at_authlib(stage, "refuse"))
    expect("the login was refused in the browser: " in said and "; begin it again and allow it there" in said, said)


def session(stage, folder, rounds=1, calls=1, token="/token/"):
    address = stage.toolkit().address
    return ("session", address, address + token, "tides", folder, rounds, calls, DUE)


def file(folder):
    return os.path.join(folder, "default", "tokens.json")


def refresh_token(folder):
    with open(file(folder), encoding="utf-8") as tokens:
        found = [value for name, value in json.load(tokens).items() if name.startswith("refresh") and isinstance(value, str)]
    expect(len(found) == 1, f"no refresh token in {file(folder)}")
    return found[0]


def renewals(stage):
    return stage.toolkit().count(r'"POST (/slow)?/token/ HTTP/1.1" 200')


def rotation(stage):
    """tokens are renewed twice in a row, and the server takes each refresh token once"""
    folder, old = stage.path("rotation"), stage.path("rotation-old")
    expect(logged_in(stage, folder)[0] == 0, "no login")
    shutil.copytree(folder, old)
    before = renewals(stage)
    time.sleep(DUE)
    expect(stage.answers(*session(stage, folder, rounds=2)) == ["ada", "ada"], "another name")
    expect(renewals(stage) - before == 2, f"{renewals(stage) - before} renewals in place of 2")
    expect(refresh_token(folder) != refresh_token(old), "the refresh token is the same")


def reuse(stage):
    """a refresh token that was used before ends the session with its sentence, and the newest token of that session does, too"""
    folder, old = stage.path("rotation"), stage.path("rotation-old")
    expect(os.path.exists(file(old)), "the case before has failed")
    for name in (old, folder):
        time.sleep(DUE)
        known = refresh_token(name)
        said = stage.refusal(*session(stage, name))
        expect("he session has ended; log in again" in said, f"{os.path.basename(name)}: {said}")
        expect(known not in said and not os.path.exists(file(name)), "the session is still there")


def slow(stage):
    """eight calls at once with an old token, and a token endpoint that takes three seconds: one refresh"""
    folder = stage.path("slow")
    expect(logged_in(stage, folder)[0] == 0, "no login")
    time.sleep(DUE)
    before, started = renewals(stage), time.monotonic()
    lines = stage.answers(*session(stage, folder, calls=8, token="/slow/token/"))
    expect(lines == ["ada"] * 8 and time.monotonic() - started >= 3, f"{lines}")
    expect(renewals(stage) - before == 1, f"{renewals(stage) - before} renewals in place of 1")


def slow_service(stage):
    """eight first calls of a service at the same slow endpoint: one request for tokens"""
    before = renewals(stage)
    lines = stage.answers("service", *service(stage, stage.toolkit(), "basic", calls=8, path="/slow/token/"))
    expect(lines == ["nobody"] * 8, f"{lines}")
    expect(renewals(stage) - before == 1, f"{renewals(stage) - before} requests in place of 1")


TOOLKIT = [
    basic_at_toolkit, body_at_toolkit, code, cancelled, unnamed, device_at_toolkit, refused_at_toolkit, rotation, reuse, slow,
    slow_service]
AUTHLIB = [basic_at_authlib, body_at_authlib, device_at_authlib, refused_at_authlib, wrong_secret]
