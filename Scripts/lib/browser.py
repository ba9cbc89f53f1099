"""The pages of the server, the report and the site of the documentation in a real browser.

Scripts/browser starts it and explains the options.
"""

import datetime
import secrets
import sys

from selenium.webdriver.common.keys import Keys

import browser_device
import browser_names
import browser_origins
import browser_site
from arguments import Parser
from browser_report import Reporter
from browser_rows import reset_token
from browser_window import Window
from service import Failure, Service, expect


def docs(window, service):
    """The page in its states; then one request with the keyboard alone."""
    origins = [service.url]
    window.open(f"{service.url}/")
    window.one(".opblock")
    expect(window.driver.current_url.endswith("/docs"), "/ leads to /docs")
    window.check("docs", origins)
    window.open("about:blank")
    window.open(f"{service.url}/docs#/runbooks/listRunbooks")
    window.one(".opblock.is-open .parameters")
    window.check("docs-operation", origins)
    window.one(".btn.authorize").click()
    window.one(".dialog-ux .auth-container")
    window.check("docs-authorize", origins)

    window.open("about:blank")
    window.open(f"{service.url}/docs")
    window.one(".opblock")
    token = service.token()

    def press(*keys):
        window.driver.switch_to.active_element.send_keys(*keys)

    def tab_to(condition, what, limit=400):
        for _ in range(limit):
            press(Keys.TAB)
            if window.driver.execute_script(f"const e = document.activeElement; return Boolean({condition})"):
                return
        raise Failure(f"the Tab key does not reach {what}")

    tab_to("e.matches('.btn.authorize')", "Authorize")
    outline = window.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    expect(outline != "none", "the focus is visible")
    press(Keys.ENTER)
    window.one(".dialog-ux .auth-container")
    tab_to("e.matches('.dialog-ux input') && e.closest('.auth-container').textContent.includes('bearer')", "the token")
    press(token)
    tab_to("e.matches('.dialog-ux .authorize') && e.closest('.auth-container').textContent.includes('bearer')", "Authorize")
    press(Keys.ENTER)
    tab_to("e.matches('.dialog-ux .btn-done')", "Close")
    press(Keys.ENTER)
    tab_to("e.closest('.opblock-summary-control') && e.closest('[id$=getMe]')", "the operation")
    press(Keys.ENTER)
    window.one(".opblock.is-open .try-out__btn")
    tab_to("e.matches('.try-out__btn')", "Try it out")
    press(Keys.ENTER)
    window.one(".opblock.is-open .execute")
    tab_to("e.matches('.execute')", "Execute")
    press(Keys.ENTER)
    window.one(".opblock.is-open .live-responses-table .response-col_status")
    shown = window.one(".opblock.is-open .live-responses-table").text
    expect("200" in shown and '"username": "admin"' in shown, "a request is authorized and sent by keyboard alone", shown)
    window.check("docs-response", origins)


def device(window, service):
    """The page in its states."""
    origins = [service.url]

    def codes():
        return service.call("POST", "/v1/oauth/device_authorization", {"device_name": "build host"})

    page = f"{service.url}/device"
    window.open(page)
    window.check("device-form", origins)
    browser_device.fill(window, "BCDF-BCDF", "admin", "wrong password")
    expect("wrong" in window.one("[role=alert]").text, "a wrong password is told on the page")
    window.check("device-error", origins)
    for decision, words in (("allow", "is logged in"), ("refuse", "Refused")):
        window.open(codes()["verification_uri_complete"])
        browser_device.fill(window, None, "admin", service.password)
        window.one("button[value=allow]")
        if decision == "allow":
            window.check("device-question", origins)
        window.send(f"button[value={decision}]")
        window.one("[role=status]")
        expect(words in window.text(), f"after '{decision}' the page says: {words}", window.text())
        window.check(f"device-{decision}", origins)
    window.open(codes()["verification_uri_complete"])
    browser_device.fill(window, None, "admin", service.password)
    window.one("button[value=allow]")
    window.driver.execute_script("document.querySelector('[name=ticket]').value = 'sldt_other'")
    window.send("button[value=allow]")
    expect("Too late" in window.text(), "a ticket that is not valid any more says so")
    window.check("device-late", origins)


def administration(window, service):
    """Sign-in, each list of /admin, addresses that name nothing, /device in this session, the end of a session, and sign-out."""
    origins = [service.url]
    window.open(f"{service.url}/admin?view=jobs")
    expect(window.all("a[href='/password-reset']"), "the form of a sign-in leads to a new password")
    window.check("signin", origins)
    browser_device.fill(window, None, "admin", "wrong password")
    expect("wrong" in window.one("[role=alert]").text, "a wrong password is told on the page")
    window.check("signin-error", origins)
    browser_device.fill(window, None, "admin", service.password)
    window.one("nav")
    expect(window.driver.current_url.endswith("/admin?view=jobs"), "a login leads back to the page that was asked for")
    paths = [link.get_attribute("href") for link in window.driver.find_elements("css selector", "nav a")]
    for number, path in enumerate(paths):
        window.open(path)
        window.check(f"admin-{number}", origins)
    window.open(f"{service.url}/signin?next=%2Fadmin%3Fview%3Djobs")
    expect(window.driver.current_url.endswith("/admin?view=jobs"), "a browser that is signed in goes on at once")
    for name, query, status in (
            ("view", "view=bogus", 404), ("page", "page=abc", 404), ("user", "view=sessions&user=gone", 404),
            ("cursor", "view=table&table=journal_entries&cursor=dead", 400)):
        window.open(f"{service.url}/admin?{query}")
        expect("Back" in window.text(), f"/admin?{query} is a page that leads back", window.text())
        window.check(f"admin-no-{name}", origins, status=status)
    codes = service.call("POST", "/v1/oauth/device_authorization", {"device_name": "build host"})
    window.open(codes["verification_uri_complete"])
    expect(not window.all("[name=password]"), "/device asks a browser with a session for the code alone")
    window.check("device-session", origins)
    window.send("button[type=submit]")
    expect("Logs in as" in window.text(), "the session and the code lead to the question", window.text())
    window.check("device-session-question", origins)
    credentials = {"username": "admin", "password": service.password, "device": browser_names.MARKED}
    service.call("POST", "/v1/sessions", credentials)
    window.open(f"{service.url}/admin")
    window.send("td a")
    window.check("admin-sessions", origins)
    expect(not covers_row_above(window), "the marks of a device's name stay in their row")
    window.send(f"button[aria-label^='End: {browser_names.MARKED}']")
    expect(window.one("[role=status]").text == "The session has ended.", "the page says that the session has ended")
    expect(browser_names.MARKED not in window.text(), "the session is gone from the list")
    window.check("admin-done", origins)
    window.send("form[action='/signout'] button")
    window.one("[name=password]")
    window.logs("signout", origins)


def covers_row_above(window):
    """Whether the row above that of `MARKED` looks different without the name."""
    name, above = window.driver.execute_script(
        "const name = [...document.querySelectorAll('td bdi')].find(e => e.textContent === arguments[0]);"
        "const row = name.closest('tr');"
        "return [name, row.previousElementSibling || document.querySelector('thead tr')];", browser_names.MARKED)
    shown = above.screenshot_as_png
    window.driver.execute_script("arguments[0].style.visibility = 'hidden'", name)
    return above.screenshot_as_png != shown


def resets(window, service):
    """/password-reset: the form for a name, what follows it, a link that is dead, and one that sets a password."""
    origins = [service.url]
    page = f"{service.url}/password-reset"
    window.open(page)
    window.check("reset", origins)
    window.one("[name=username]").send_keys("nobody")
    window.send("button[type=submit]")
    expect("under way" in window.text(), "a reset for a name that no account has is answered as any other", window.text())
    window.check("reset-sent", origins)
    window.open(f"{page}?token=slp_other")
    expect("cannot be used" in window.text(), "a dead link says so", window.text())
    window.check("reset-dead", origins)
    user, password = "forgetful", secrets.token_urlsafe(18)
    service.create_user(user, role="member")
    window.open(f"{page}?token={reset_token(service, user)}")
    shown = window.one("[autocomplete=username]").get_attribute("value")
    expect(shown == user, "the form of a link tells password managers whose password it is", shown)
    window.check("reset-form", origins)
    for name in ("password", "repeated"):
        window.one(f"[name={name}]").send_keys(password)
    window.send("button[type=submit]")
    expect("is set" in window.text(), "the link sets the password", window.text())
    window.check("reset-set", origins)
    window.send("a[href='/signin']")
    browser_device.fill(window, None, user, password)
    expect(f"as {user}" in window.text(), "the page leads to a sign-in with it", window.text())
    window.send("form[action='/signout'] button")
    window.logs("reset-signin", origins)


def report(window, service, binaries):
    """The report of a few hundred entries that the server has, and one that it does not have."""
    reporter = Reporter(service, binaries)
    now = datetime.datetime.now(datetime.timezone.utc)
    for number in range(60):
        at = (now - datetime.timedelta(minutes=11 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        severity = "critical" if number % 17 == 0 else "warning" if number % 5 == 0 else "info"
        reporter.command(
            "journal", "add", f"Line {number} of the shift", "--host", f"web-{number % 4}", "--severity", severity, "--at", at)
    reporter.command(
        "--offline", "journal", "add", "Written while the server was away", "--host", "web-9", "--severity", "critical")
    page = reporter.page()
    window.open(page)
    expect("Line 17 of the shift" in window.text(), "the report shows a critical entry in full")
    window.check("report", [page])


def served(window, options):
    """What a server and its programs have to show."""
    with Service(options.binary, {"MAIL_FROM": "shiftlog@example.org"}) as service:
        if options.only in (None, "pages"):
            docs(window, service)
            device(window, service)
            administration(window, service)
            resets(window, service)
            report(window, service, options.binary)
        if options.only in (None, "device"):
            browser_device.logins(window, service, options.binary)
    service.remove()


def main(arguments):
    parser = Parser("Scripts/browser")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--binary")
    parser.add_argument("--pictures")
    parser.add_argument("--only", choices=["pages", "device", "origins", "site"])
    parser.add_argument("--site")
    options = parser.parse_args(arguments)
    if options.check:
        return 0
    with Window(options.pictures) as window:
        if options.only in (None, "pages", "device"):
            served(window, options)
        if options.only in (None, "origins"):
            browser_origins.origins(window, options.binary)
            browser_names.names(window, options.binary)
        if options.only in (None, "site"):
            browser_site.site(window, options.site)
        print(f"pages: {window.checked} looked at, {window.requests} requests, {len(window.findings)} findings", flush=True)
        for defect in sorted(window.minor):
            print(f"    not serious: {defect}")
        for finding in window.findings:
            print(f"    {finding}")
        return 1 if window.findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(str(failure))
