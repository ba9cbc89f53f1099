"""Hostile names of users, devices, hosts, jobs and of the service itself, on each page that shows them."""

import datetime
import time
import urllib.error
import urllib.parse

import browser_device
from browser_relay import Site
from browser_report import Reporter
from browser_rows import database, reset_token, set_aside_job
from service import Failure, Service, expect

# A name of a device whose marks would stand over the row above.
MARKED = "camera" + "\u0301" * 20

# What a page would do with them: run them, read them as markup or as a template, reorder or overlap their neighbours, or grow.
NAMES = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus=alert(1) autofocus x='",
    "</title></style></bdi></table><script>alert(1)</script>", "<svg/onload=alert(1)>", "javascript:alert(1)",
    "{{token}}{{{style}}}", "&lt;b&gt;&amp;", "\u202enimda\u202c", "\u2067admin", "\u05de\u05e0\u05d4\u05dc (admin)",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f600", MARKED, "W" * 200, "\u05e9" * 100,
    "\u200b\u200e\u00a0x", "a\tb\nc",
)
# The longest text that a page shows whole, in scalars.
LONGEST = 200
# Those of a device that is asked about.
QUESTIONS = (NAMES[1], NAMES[8], MARKED, "W" * 100)
# Chromium tells it when a page calls one of these.
RAN = "a script of a name ran"
WATCH = f"for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => console.error('{RAN}');"


def shown(name):
    """A name as a page shows it: without what reorders its neighbours, and cut off."""
    kept = "".join("\ufffd" if c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" else c for c in name)
    return kept if len(kept) <= LONGEST else kept[:LONGEST] + "…"


def names(window, binaries):
    """Each page with its policy; then again without it, where nothing but the escaping stops a script."""
    window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    control(window)
    settings = {
        "MAIL_FROM": "shiftlog@example.org", "PAGE_NAME": NAMES[1], "OIDC_ISSUER": "http://127.0.0.1:9", "OIDC_CLIENT_ID": "none",
        "OIDC_NAME": NAMES[0],
    }
    with Service(binaries, settings) as service:
        accepted = fill(service)
        store(service)
        reporter = Reporter(service, binaries)
        reporter.command("sync")
        report = reporter.page()
        for has_policy in (True, False):
            window.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": not has_policy})
            visit = Visit(window, service, report, has_policy)
            visit.signed_out()
            visit.lists(accepted)
            visit.devices()
            visit.viewer()
            visit.report()
        window.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    service.remove()


def control(window):
    """A page that does not escape runs a name, and the console shows it."""
    with Site() as site:
        window.open(site.origin("127.0.0.1"))
        window.driver.get_log("browser")
        window.driver.execute_async_script(
            "document.body.insertAdjacentHTML('beforeend', arguments[0]); setTimeout(arguments[1], 500);", NAMES[1])
        told = [entry["message"] for entry in window.driver.get_log("browser")]
        window.logs("names-control", [site.origin("127.0.0.1")])
    expect(any(RAN in message for message in told), "a page that does not escape a name runs it, and the console tells", told)


# MARK: Rows

def fill(service):
    """Sends the names to what accepts names, as a client does; those that were accepted, by the list of /admin."""
    token = service.token()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    def accepted(path, field, more):
        taken = []
        for name in (*NAMES, "W" * 255):
            try:
                service.call("POST", path, more | {field: name}, token)
                taken.append(name)
            except urllib.error.HTTPError as refusal:
                if refusal.code != 422:
                    raise Failure(f"{path} answers {refusal.code} to the {field} {ascii(name)}: {refusal.read()}") from None
        print(f"    {path} accepts {len(taken)} of {len(NAMES) + 1} hostile texts as {field}; to the others it says 422", flush=True)
        return taken

    accepted("/v1/users", "username", {"role": "member", "password": service.password})
    accepted("/v1/host-tokens", "name", {})
    accepted("/v1/journal/entries", "host", {"text": "x", "occurred_at": now})
    return {
        "sessions": accepted("/v1/sessions", "device", {"username": "admin", "password": service.password}),
        "journal_entries": accepted("/v1/journal/entries", "text", {"host": "web-1", "occurred_at": now, "severity": "critical"}),
        "runbooks": accepted("/v1/runbooks", "title", {"body": "x"}),
    }


def store(service):
    """Users and jobs that no API makes, as an older version or an owner's code could."""
    for number, name in enumerate(NAMES):
        with database(service) as rows:
            rows.execute(
                "INSERT INTO app_user (id, username, role, password_hash, created_at, updated_at)"
                " SELECT ?, ?, 'admin', password_hash, 1, 1 FROM app_user WHERE username = 'admin'", (f"user-{number}", name))
        set_aside_job(service, f"job-{number}", key=name, error=name)


# MARK: Pages

class Visit:
    """A browser on each page; with the policy also in each look, with axe-core."""

    def __init__(self, window, service, report, has_policy):
        self.window, self.service, self.path_of_report, self.has_policy = window, service, report, has_policy
        self.origins = [service.url]

    def check(self, name, *texts, where="document.body.innerText", status=None, origins=None):
        """The page shows the texts, and no element and no attribute is made of one."""
        window, origins = self.window, origins or self.origins
        found = window.driver.execute_script(f"return {where}")
        # `innerText` has some spaces as others.
        missing = [text for text in texts if " ".join(text.split()) not in " ".join(found.split())]
        made = window.driver.execute_script(
            "return [...document.querySelectorAll('script:not([src]), img[src=x], [onerror], [onload], [onfocus], [autofocus]')]"
            ".map(e => e.outerHTML)")
        if missing or made:
            raise Failure(f"not so: names are text on {name}: missing {ascii(missing)}, markup {made}, in {ascii(found)[:1500]}")
        if self.has_policy:
            window.check(f"names-{name}", origins, status=status)
        else:
            window.logs(f"names-{name}, without the policy", origins, status=status)
        print(f"    {name}, {'with' if self.has_policy else 'without'} the policy: no name is markup", flush=True)

    def cells(self, name, names):
        """A list of /admin: each name is in a cell, and on the buttons of its row."""
        found = self.window.driver.execute_script("return [...document.querySelectorAll('td bdi')].map(e => e.textContent)")
        missing = [ascii(one) for one in names if shown(one) not in found]
        labels = self.window.driver.execute_script(
            "return [...document.querySelectorAll('tbody tr')].filter(row => [...row.querySelectorAll('button')].some("
            "b => b.getAttribute('aria-label') !== b.textContent + ': ' + row.cells[0].textContent)).map(row => row.innerHTML)")
        expect(not missing and not labels, f"{name}: {len(names)} names are the text of cells and buttons", (missing, labels))
        self.check(name)

    def open(self, path):
        self.window.open(self.service.url + path)

    def signed_out(self):
        """The forms of a browser without a session, with names in what was typed and in the address."""
        hostile = urllib.parse.quote(NAMES[1])
        self.window.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.open(f"/signin?next={hostile}")
        self.check("signin", NAMES[1], where="document.title")
        expect(self.window.one("a.button").text == f"Sign in with {NAMES[0]}", "the name of the provider is text")
        self.open(f"/device?user_code={hostile}")
        self.check("device", NAMES[1][:20], where="document.querySelector('[name=user_code]').value")
        self.open(f"/password-reset?token={hostile}")
        self.check("reset-dead")
        self.open(f"/signin/openid/callback?error={hostile}&state={hostile}")
        self.check("callback", status=400)
        self.open(f"/{hostile}")
        # A page of JSON names no icon, so Chromium asks for one a moment later.
        time.sleep(1)
        self.window.logs("names-problem", self.origins, status=404)
        self.open("/signin")
        browser_device.fill(self.window, None, NAMES[1], "wrong")
        self.check("signin-error", NAMES[1], where="document.querySelector('[name=username]').value")
        self.open(f"/password-reset?token={reset_token(self.service, NAMES[0])}")
        self.check("reset-form", NAMES[0], where="document.querySelector('[autocomplete=username]').value")

    def lists(self, accepted):
        """The pages of a user with a hostile name who is signed in."""
        self.open("/signin?next=%2Fadmin")
        browser_device.fill(self.window, None, NAMES[0], self.service.password)
        expect(f"Signed in as {NAMES[0]}" in self.window.text(), "a user with a hostile name is signed in", self.window.text())
        self.cells("users", NAMES)
        user = self.service.call("GET", "/v1/me", token=self.service.token())["id"]
        self.open(f"/admin?view=sessions&user={user}")
        self.cells("sessions", accepted["sessions"])
        self.open("/admin?view=sessions&user=user-1")
        self.check("sessions-title", NAMES[1], where="document.querySelector('h1').textContent")
        self.open("/admin?view=jobs")
        self.cells("jobs", NAMES)
        self.open("/admin?view=settings")
        self.cells("settings", [NAMES[0], NAMES[1]])
        for table in ("journal_entries", "runbooks"):
            self.open(f"/admin?view=table&table={table}")
            self.cells(table, accepted[table])
        self.open(f"/admin?view={urllib.parse.quote(NAMES[0])}&done={urllib.parse.quote(NAMES[0])}")
        self.check("admin-no-view", status=404)
        self.open("/signin")
        self.check("signed-in", NAMES[0])

    def devices(self):
        """/device asks about devices with hostile names."""
        for name in QUESTIONS:
            codes = self.service.call("POST", "/v1/oauth/device_authorization", {"device_name": name})
            self.window.open(codes["verification_uri_complete"])
            self.window.send("button[type=submit]")
            self.check(
                "device-question", shown(name), NAMES[0],
                where="[...document.querySelectorAll('dd')].map(e => e.textContent).join(' ')")
        self.window.send("button[value=refuse]")
        self.check("device-refused", NAMES[1], where="document.title")

    def viewer(self):
        """/docs shows what the API says of users, with an address that names another document."""
        window = self.window
        self.open("/docs?url=//localhost:9/x&configUrl=//localhost:9/x#/users/listUsers")
        window.one(".opblock.is-open .parameters")
        window.one(".btn.authorize").click()
        window.one(".dialog-ux .auth-container")
        field = window.driver.execute_script(
            "return [...document.querySelectorAll('.dialog-ux .auth-container')].find(e => e.textContent.includes('bearer'))"
            ".querySelector('input')")
        field.send_keys(self.service.token())
        window.driver.execute_script("arguments[0].closest('.auth-container').querySelector('.authorize').click()", field)
        window.one(".dialog-ux .btn-done").click()
        window.one(".opblock.is-open .try-out__btn").click()
        window.one(".opblock.is-open .execute").click()
        window.one(".opblock.is-open .live-responses-table .response-col_status")
        self.check("docs", NAMES[0], NAMES[4], where="document.querySelector('.live-responses-table').innerText")
        expect(NAMES[1] in window.driver.title, "the title of /docs is text", window.driver.title)

    def report(self):
        """The page of `shiftlog report`."""
        self.window.open(self.path_of_report)
        self.check("report", *(shown(name) for name in NAMES[:9]), origins=[self.path_of_report])
