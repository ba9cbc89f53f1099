"""Pages of other origins: what they may read, what their forms may do, which cookies go along, and that they frame no page."""

import contextlib
import itertools
import json
import tempfile
import time

import browser_device
from browser_relay import Recorder, Site, new_certificate
from browser_rows import database, set_aside_job
from service import Failure, Service, expect

FETCH = """
    const [url, options, names, done] = arguments;
    fetch(url, options).then(
        async r => done({status: r.status, type: r.type, text: await r.text(),
                         fields: Object.fromEntries(names.map(name => [name, r.headers.get(name)]))}),
        e => done({error: String(e)}));
"""
FORM = """
    const [url, fields] = arguments;
    window.isOld = true;
    const form = document.createElement('form');
    Object.assign(form, {method: 'post', action: url});
    for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement('input');
        Object.assign(input, {type: 'hidden', name, value});
        form.append(input);
    }
    document.body.append(form);
    form.submit();
"""
FRAME = """
    const [url, done] = arguments;
    const frame = document.createElement('iframe');
    frame.onload = () => done(frame);
    frame.src = url;
    document.body.append(frame);
"""
# Each runs a script in a page whose policy allows it.
INJECTIONS = {
    "an element 'script'": "const e = document.createElement('script'); e.textContent = 'window.ran = 1'; document.body.append(e)",
    "an attribute 'onerror'": "document.body.insertAdjacentHTML('beforeend', '<img alt=\"\" src=\"data:,x\" onerror=\"window.ran = 1\">')",
    "a link 'javascript:'":
        "const e = document.createElement('a'); e.href = 'javascript:void (window.ran = 1)'; document.body.append(e); e.click()",
}
PAGES = ("/admin", "/signin", "/device", "/password-reset", "/docs")
# What Chromium says of a refusal that is asked for here.
REFUSALS = (
    r"blocked by CORS policy|net::ERR_FAILED|net::ERR_BLOCKED_BY_RESPONSE|status of (401|403|404|412|429)|Content Security Policy"
    r"|Refused to display|net::ERR_BLOCKED_BY_ORB")


class Stage:
    """A service behind a recorder, and two other sites, of which the setting names the first."""

    def __init__(self, window, service, relay, listed, other):
        self.window, self.service, self.relay, self.listed, self.other = window, service, relay, listed, other
        self.origins = [relay.url, *(site.origin(host) for site in (listed, other) for host in ("localhost", "127.0.0.1"))]
        self.is_secure = relay.scheme == "https"
        self.has_setting = not self.is_secure

    def call(self, method, path, body=None, token=None):
        """As `Service.call`, past the recorder."""
        return self.service.call(method, path, body, token, {"Host": self.relay.url.partition("//")[2]})

    def senders(self):
        """Pages that are not the service's, as (what they are, address, whether they are of its site)."""
        is_same = not self.is_secure  # Another scheme is another site.
        found = [
            ("another site", self.other.origin("localhost") + "/", False),
            ("another port", self.other.origin("127.0.0.1") + "/", is_same),
            ("a page that hides its origin", self.other.origin("localhost") + "/hidden", False),
        ]
        if self.has_setting:
            found.append(("an origin of the setting", self.listed.origin("localhost") + "/", False))
        return found

    def fetch(self, path, method="GET", fields=None, body=None, names=(), **options):
        """What `fetch` gives the page that is open."""
        options |= {"method": method, "headers": fields or {}}
        if body is not None:
            options["body"] = json.dumps(body)
            options["headers"]["Content-Type"] = "application/json"
        return self.window.driver.execute_async_script(FETCH, self.relay.url + path, options, list(names))

    def post(self, path, fields):
        """Sends a form from the page that is open; the request, and the text of the page that follows."""
        self.relay.take()
        self.window.driver.execute_script(FORM, self.relay.url + path, fields)
        self.window.wait_for_another_page(path)
        sent = self.relay.take("POST", path)
        if len(sent) != 1:
            raise Failure(f"the form for {path} was sent {len(sent)} times")
        return *sent[0], self.window.text()

    def sign_in(self):
        self.window.open(f"{self.relay.url}/signin?next=%2Fadmin")
        browser_device.fill(self.window, None, "admin", self.service.password)
        self.window.one("nav")

    def token(self):
        """The token of the forms of the session."""
        self.window.open(f"{self.relay.url}/admin")
        return self.window.one("form[action='/signout'] [name=form_token]").get_attribute("value")

    def rows(self):
        """What a form could change."""
        with database(self.service) as rows:
            return {query: rows.execute(query).fetchall() for query in (
                "SELECT id, user_id, ended_at FROM auth_session ORDER BY id", "SELECT * FROM app_user ORDER BY id",
                "SELECT id, state FROM service_job ORDER BY id", "SELECT id, ticket_hash, decided_at FROM device_grant ORDER BY id")}

    def logs(self, name):
        self.window.logs(name, self.origins, expected=REFUSALS)


def origins(window, binaries):
    """Over http, as in development, and over https; the setting names origins on the first server only."""
    for scheme in ("http", "https"):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            relay = stack.enter_context(Recorder(new_certificate(folder) if scheme == "https" else None))
            listed, other = stack.enter_context(Site()), stack.enter_context(Site())
            settings = {"PUBLIC_URL": relay.url, "MAIL_FROM": "shiftlog@example.org", "LOGIN_FAILURES": "3"}
            if scheme == "http":
                settings["CORS_ORIGINS"] = f"{listed.origin('localhost')},{listed.origin('127.0.0.1')}"
            service = stack.enter_context(Service(binaries, settings))
            relay.target = service.url
            stage = Stage(window, service, relay, listed, other)
            print(f"    -- {relay.url}", flush=True)
            stage.sign_in()
            if stage.has_setting:
                reads(stage)
            refused_reads(stage)
            cookies(stage)
            frames(stage)
            injections(stage)
            forms(stage)
        service.remove()


# MARK: CORS

def reads(stage):
    """A page of an origin of the setting logs in, writes with preflights and reads each response."""
    exposed = ("ETag", "Retry-After", "WWW-Authenticate", "X-Request-Id")
    for host in ("localhost", "127.0.0.1"):
        origin = stage.listed.origin(host)
        stage.window.open(origin)
        stage.relay.take()
        login = stage.fetch("/v1/sessions", "POST", body={"username": "admin", "password": stage.service.password})
        expect(login.get("status") in (200, 201), f"{origin} logs in by fetch and reads its token", login)
        bearer = {"Authorization": f"Bearer {json.loads(login['text'])['access_token']}"}
        entry = {"host": "web-1", "text": f"of {host}", "occurred_at": "2026-01-01T00:00:00Z"}
        made = stage.fetch("/v1/journal/entries", "POST", bearer | {"Idempotency-Key": f"k-{host}"}, entry, exposed)
        expect(made.get("status") == 201 and made["fields"]["ETag"] and made["fields"]["X-Request-Id"],
               f"a create with Authorization and Idempotency-Key: 201, ETag {made.get('fields', {}).get('ETag')} and X-Request-Id are read",
               made)
        path, tag = f"/v1/journal/entries/{json.loads(made['text'])['id']}", made["fields"]["ETag"]
        stage.relay.take()
        match = bearer | {"If-Match": tag}
        written = stage.fetch(path, "PATCH", match, {"text": "changed"}, exposed)
        stale = stage.fetch(path, "PATCH", match, {"text": "lost"}, exposed)
        expect(written.get("status") == 200 and written["fields"]["ETag"] not in (None, tag),
               f"a change with If-Match: 200, ETag {written.get('fields', {}).get('ETag')} is read", written)
        expect(stale.get("status") == 412 and "code" in json.loads(stale["text"]), "with the old tag: 412, the problem is read", stale)
        # Chromium repeats the preflight of a request with If-Match; it keeps those of others for the ten minutes.
        preflights = {(one[2]["Access-Control-Request-Headers"], one[3].status) for one in stage.relay.take("OPTIONS", path)}
        expect(preflights == {("authorization,content-type,if-match", 204)}, "their preflight asked for Authorization and If-Match",
               preflights)
        for _ in range(3):
            me = stage.fetch("/v1/me", fields=bearer)
        asked = [one[0] for one in stage.relay.take()]
        expect(me.get("status") == 200 and asked == ["OPTIONS", "GET", "GET", "GET"], "three reads need one preflight", (me, asked))
        none = stage.fetch("/v1/me", names=exposed)
        expect(none.get("status") == 401 and none["fields"]["WWW-Authenticate"],
               "without a token: 401, WWW-Authenticate is read, and the session of the browser does not count", none)
        for _ in range(4):
            busy = stage.fetch("/v1/sessions", "POST", body={"username": f"locked-{host}", "password": "wrong"}, names=exposed)
        expect(busy.get("status") == 429 and busy["fields"]["Retry-After"],
               f"after failed logins: 429, Retry-After {busy.get('fields', {}).get('Retry-After')} is read", busy)
        cookie_with_fetch(stage, host)
    stage.logs("cors")


def cookie_with_fetch(stage, host):
    """The cookie stays away by default. With `credentials: include` the page reads nothing, whether it went along or not."""
    stage.relay.take()
    stage.fetch("/v1/me")
    refused = stage.fetch("/admin", credentials="include")
    sent = [bool(one[2]["Cookie"]) for one in stage.relay.take()]
    of_site = host == "127.0.0.1"
    expect("error" in refused and sent == [False, of_site],
           "by default fetch sends no cookie; with credentials 'include' "
           + ("it goes to another port of this site, and the page cannot read" if of_site else "neither, and the page cannot read"),
           (refused, sent))


def refused_reads(stage):
    """A page of an origin that the setting does not name reads nothing, and its write stops at the preflight."""
    token = stage.call("POST", "/v1/sessions", {"username": "admin", "password": stage.service.password})["access_token"]
    entry = {"host": "web-1", "text": "as it was", "occurred_at": "2026-01-01T00:00:00Z"}
    made = stage.call("POST", "/v1/journal/entries", entry, token)
    path = f"/v1/journal/entries/{made['id']}"
    sites = [stage.other] if stage.has_setting else [stage.other, stage.listed]
    for origin in [site.origin(host) for site in sites for host in ("localhost", "127.0.0.1")]:
        stage.window.open(origin)
        stage.relay.take()
        simple = stage.fetch("/health/ready")
        opaque = stage.fetch("/health/ready", mode="no-cors")
        ready = [one[3].status for one in stage.relay.take()]
        expect("error" in simple and opaque.get("type") == "opaque" and opaque["text"] == "" and ready == [200, 200],
               f"{origin} is not in the setting: it reads no response, one of mode 'no-cors' neither", (simple, opaque, ready))
        bearer = {"Authorization": f"Bearer {token}"}
        answers = [stage.fetch("/v1/me", fields=bearer),
                   stage.fetch(path, "PATCH", bearer | {"If-Match": '"1"'}, {"text": "changed"}), stage.fetch(path, "DELETE", bearer),
                   stage.fetch("/v1/sessions", "POST", body={"username": "admin", "password": stage.service.password})]
        asked = [one[0] for one in stage.relay.take()]
        expect(all("error" in one for one in answers) and set(asked) == {"OPTIONS"},
               f"its {len(answers)} requests with a token or JSON stop at the preflight", (answers, asked))
    expect(stage.call("GET", path, token=token)["text"] == "as it was", "the entry is as it was")
    stage.logs("no-cors")


# MARK: Cookies

def cookies(stage):
    window, relay = stage.window, stage.relay
    for page in ("/admin", "/docs"):
        window.open(relay.url + page)
        shown = window.driver.execute_script("return document.cookie")
        expect(shown == "", f"a script on {page} reads no cookie", shown)
    name = "__Host-shiftlog" if stage.is_secure else "shiftlog"
    found = window.driver.execute_cdp_cmd("Network.getCookies", {"urls": [relay.url]})["cookies"]
    expect([cookie["name"] for cookie in found] == [name], f"the only cookie is '{name}'", found)
    cookie = found[0]
    hours = (cookie["expires"] - time.time()) / 3600
    attributes = {key: cookie.get(key) for key in ("httpOnly", "secure", "sameSite", "path", "domain")}
    wanted = {"httpOnly": True, "secure": stage.is_secure, "sameSite": "Lax", "path": "/", "domain": "127.0.0.1"}
    expect(attributes == wanted and 11.9 < hours < 12.1,
           f"HttpOnly, {'' if stage.is_secure else 'not '}Secure, SameSite=Lax, Path=/, this host only, {hours:.1f} hours", cookie)
    for what, address, is_same in stage.senders():
        window.open(address)
        relay.take()
        window.driver.execute_async_script(
            "const [url, done] = arguments; const image = new Image(); image.onerror = () => done(); image.src = url;",
            f"{relay.url}/admin")
        image = [bool(one[2]["Cookie"]) for one in relay.take("GET", "/admin")]
        window.driver.execute_async_script(FRAME, f"{relay.url}/admin")
        frame = [bool(one[2]["Cookie"]) for one in relay.take("GET", "/admin")]
        stage.fetch("/admin", mode="no-cors", credentials="include")
        fetched = [bool(one[2]["Cookie"]) for one in relay.take("GET", "/admin")]
        expect(image == frame == fetched == [is_same],
               f"{what}: the cookie {'goes' if is_same else 'does not go'} along with an image, a frame and a fetch",
               (image, frame, fetched))
        window.driver.execute_script("window.isOld = true; location.href = arguments[0]", f"{relay.url}/admin")
        window.wait_for_another_page("the link")
        linked = [bool(one[2]["Cookie"]) for one in relay.take("GET", "/admin")]
        expect(linked == [True] and window.all("nav"), f"{what}: a link shows the page to its user, as SameSite=Lax allows", linked)
    window.open(stage.other.origin("127.0.0.1"))
    window.driver.execute_script("document.cookie = arguments[0]", f"{name}=slp_planted; path=/{'; secure' if stage.is_secure else ''}")
    held = window.driver.execute_cdp_cmd("Network.getCookies", {"urls": [relay.url]})["cookies"]
    expect([one["value"] for one in held] == [cookie["value"]], "a script of another port of this host cannot replace the cookie", held)
    stage.logs("cookies")


# MARK: Pages

def frames(stage):
    """A frame of the service's page stays empty; one of another page does not."""
    window = stage.window

    def shown(url):
        frame = window.driver.execute_async_script(FRAME, url)
        window.driver.switch_to.frame(frame)
        text = window.driver.execute_script("return location.protocol + ' ' + document.body.innerText")
        window.driver.switch_to.default_content()
        return text

    for what, address, _ in stage.senders():
        window.open(address)
        control = shown(stage.listed.origin("127.0.0.1"))
        expect("Another site" in control, f"{what} shows another page in a frame", control)
        for page in PAGES:
            found = shown(stage.relay.url + page)
            if not found.startswith("chrome-error:"):
                raise Failure(f"not so: {what} cannot frame {page}: {found[:300]}")
        print(f"    {what} cannot frame {', '.join(PAGES)}", flush=True)
    stage.logs("frames")


def injections(stage):
    """Markup that another mistake would let into a page runs no script."""
    window = stage.window

    def ran(url, script):
        window.open(url)
        window.driver.execute_script(script)
        time.sleep(0.3)
        return window.driver.execute_script("return window.ran === 1")

    for name, script in INJECTIONS.items():
        expect(ran(stage.other.origin("127.0.0.1"), script), f"{name} runs on a page without a policy")
        for page in PAGES:
            if ran(stage.relay.url + page, script):
                raise Failure(f"not so: {name} runs on {page}")
        print(f"    {name} runs on none of {', '.join(PAGES)}", flush=True)
    stage.logs("injections")


def forms(stage):
    """Forms of other pages, and forms without their token, change nothing; the same form with the token of its page does."""
    stage.service.create_user("victim", role="member")
    stage.service.create_user("mallory", role="member")
    credentials = {"username": "victim", "password": stage.service.password}
    access = stage.call("POST", "/v1/sessions", credentials)["access_token"]
    victim = stage.call("GET", "/v1/me", token=access)["id"]
    codes = stage.call("POST", "/v1/oauth/device_authorization", {"device_name": "build host"})
    set_aside_job(stage.service, "job")
    token = stage.token()
    full = {"form_token": token}
    # The first and the last have a password in place of a token.
    sent = [
        ("/signin", {"username": "mallory", "password": stage.service.password}), ("/signout", full),
        ("/admin", full | {"action": "end_sessions", "id": victim}), ("/admin", full | {"action": "discard_job", "id": "job"}),
        ("/device", full | {"user_code": codes["user_code"]}),
        ("/device", {"user_code": codes["user_code"], "username": "admin", "password": stage.service.password}),
    ]
    before = stage.rows()
    for (what, address, is_same), (path, fields) in itertools.product(stage.senders(), sent):
        stage.window.open(address)
        _, _, header, response, text = stage.post(path, fields)
        found = (response.status, "Not accepted" in text, response.getheader("Set-Cookie"), bool(header["Cookie"]))
        if found != (403, True, None, is_same):
            raise Failure(f"not so: a form of {what} for {path} is refused: {found} {header} {text[:300]}")
    count = len(sent) * len(stage.senders())
    expect(stage.rows() == before and stage.token() == token,
           f"{count} forms of {len(stage.senders())} foreign pages for /signin, /signout, /admin and /device, with the right token and"
           " password: 403, no cookie, no row changed, the session is there")

    wrong = 0
    for path, fields in sent[1:5]:
        bare = {name: value for name, value in fields.items() if name != "form_token"} | {"other": "x"}
        for forged in ({}, {"form_token": ""}, {"form_token": "x"}, {"form_token": token[:-2]}):
            stage.window.open(f"{stage.relay.url}/admin")
            _, _, header, response, text = stage.post(path, bare | forged)
            # Without a token, /device asks for name and password, and says that they are wrong.
            status = 200 if path == "/device" and not forged else 403
            if response.status != status or not header["Cookie"]:
                raise Failure(f"not so: the token {forged} is refused by {path}: {response.status} {text[:300]}")
            wrong += 1
    expect(stage.rows() == before and stage.token() == token,
           f"{wrong} forms of the own origin without a token or with a wrong one: refused, no row changed, the session is there")

    for path, fields in sent[2:4]:
        stage.window.open(f"{stage.relay.url}/admin")
        status = stage.post(path, fields)[3].status
        expect(status == 303, f"the same form with its token, from the own page, is taken: {fields['action']}", status)
    after = stage.rows()
    changed = [key for key in before if before[key] != after[key]]
    expect(len(changed) == 2, "it ended the sessions and discarded the job", changed)
    stage.window.open(f"{stage.relay.url}/admin")
    stage.window.send("form[action='/signout'] button")
    stage.window.one("[name=password]")
    left = stage.window.driver.execute_cdp_cmd("Network.getCookies", {"urls": [stage.relay.url]})["cookies"]
    expect(left == [], "after the sign-out the browser has no cookie", left)
    stage.logs("forms")
