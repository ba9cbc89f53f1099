"""A browser without a screen: follows redirects, keeps cookies, fills in forms."""

import html.parser
import http.cookiejar
import urllib.parse
import urllib.request

from processes import Failure


class Browser:
    """One page at a time; `url` and `text` are those of the page."""

    def __init__(self):
        # Without the proxies of the environment.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.url = self.text = ""

    def open(self, url, fields=None):
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        with self.opener.open(url, data, timeout=30) as response:
            self.url, self.text = response.url, response.read().decode()

    def submit(self, **fields):
        """Sends the form of the page: what it has, and `fields`."""
        form = Form(self.text)
        if not form.has_begun:
            raise Failure(f"{self.url} has no form: {self.text[:300]}")
        self.open(urllib.parse.urljoin(self.url, form.action or self.url), {**form.fields, **fields})

    def log_in(self):
        """As the user of django-oauth-toolkit's set-up, if the page asks for it."""
        if "/login/" in self.url:
            self.submit(username="ada", password="correct horse")


class Form(html.parser.HTMLParser):
    """The first form of a page, with its hidden fields and its texts."""

    def __init__(self, text):
        super().__init__()
        self.fields, self.action, self.has_begun, self.has_ended = {}, None, False, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "form" and not self.has_begun:
            self.has_begun, self.action = True, values.get("action")
        elif tag == "input" and self.has_begun and not self.has_ended and values.get("type") != "submit":
            self.fields[values["name"]] = values.get("value") or ""

    def handle_endtag(self, tag):
        self.has_ended = self.has_ended or (tag == "form" and self.has_begun)
