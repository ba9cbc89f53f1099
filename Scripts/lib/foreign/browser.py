"""A browser without a screen: follows redirects, keeps cookies, fills in forms."""

import html.parser
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request

from processes import Failure


class Browser:
    """One page at a time; `url` and `text` are those of the page."""

    def __init__(self):
        self.redirects = Redirects()
        # Without the proxies of the environment.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), self.redirects)
        self.url = self.text = ""

    def open(self, url, fields=None, status=200):
        """Opens a page, which must have this status."""
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        try:
            response = self.opener.open(url, data, timeout=30)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            self.url, self.text = response.headers.get("Location", response.url), response.read().decode()
        if response.status != status:
            raise Failure(f"{response.url} has status {response.status} in place of {status}: {self.text[:300]}")

    def submit(self, status=200, **fields):
        """Sends the form of the page: what it has, and `fields`."""
        form = Form(self.text)
        if not form.has_begun:
            raise Failure(f"{self.url} has no form: {self.text[:300]}")
        self.open(urllib.parse.urljoin(self.url, form.action or self.url), {**form.fields, **fields}, status)

    def follow(self, label, status=200):
        """Opens the link of the page that has this text."""
        links = Links(self.text).urls
        if label not in links:
            raise Failure(f"{self.url} has no link '{label}': {self.text[:300]}")
        self.open(urllib.parse.urljoin(self.url, links[label]), status=status)

    def stopped(self, prefix, **fields):
        """Sends the form as `submit` does, up to the redirect to `prefix`; where that leads."""
        self.redirects.end = prefix
        try:
            self.submit(status=302, **fields)
        finally:
            self.redirects.end = None
        return self.url

    def log_in(self):
        """As the user of django-oauth-toolkit's set-up, if the page asks for it."""
        if "/login/" in self.url:
            self.submit(username="ada", password="correct horse")


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, except those to `end`."""

    end = None

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if self.end and newurl.startswith(self.end):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Links(html.parser.HTMLParser):
    """The links of a page by their texts."""

    def __init__(self, text):
        super().__init__()
        self.urls, self.url = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.url = dict(attrs).get("href") if tag == "a" else None

    def handle_data(self, data):
        if self.url:
            self.urls[data.strip()] = self.url

    def handle_endtag(self, tag):
        self.url = None


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
