"""The site of Scripts/docs in a real browser, opened from the disk."""

import os
import pathlib

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from service import Failure, expect

# A page of each kind: a text with pictures, tables and code; a library; a type with members; lists; long tables.
PAGES = {
    "start": "index.html", "guide": "Docs/Guides/Resilience.html", "operations": "Docs/Operations.html",
    "tutorial": "Docs/Tutorial/*.html", "decision": "Docs/Decisions/0001-layers-in-the-manifest.html",
    "library": "api/StrataNetworking/index.html", "type": "api/StrataNetworking/ClientOptions.html",
}


def site(window, folder):
    """Pages of each kind in each look; then the search with the keyboard alone, on a wide and on a narrow screen."""
    folder = pathlib.Path(folder).resolve()
    origins = [folder.as_uri()]
    for name, pattern in PAGES.items():
        found = sorted(folder.glob(pattern))
        if not found:
            raise Failure(f"the site has no page '{pattern}'")
        window.open(found[0].as_uri())
        window.one("h1")
        window.check(f"site-{name}", origins)
    for look in ("light", "narrow"):
        search(window, folder, look)
        window.check(f"site-search-{look}", origins)
        follow(window)
        window.logs(f"site-found-{look}", origins)


def search(window, folder, look):
    """A page that is not on top, so that the index is found from below, and the results of a word."""
    window.look(look)
    window.open((folder / "Docs/Operations.html").as_uri())
    window.one("form[role=search]")
    type_keys(window, "/")
    focused = window.driver.execute_script("return document.activeElement.id")
    expect(focused == "page-search", f"/ leads to the search, {look}", focused)
    type_keys(window, "zzzzzz")
    results(window, "Nothing has")
    type_keys(window, *[Keys.BACKSPACE] * 6, "RetryPolicy")
    first = results(window, "RetryPolicy").splitlines()[0]
    expect("RetryPolicy" in first, f"the search finds a type first, {look}", first)


def follow(window):
    """Escape empties the search; an arrow and Enter lead to the first result."""
    type_keys(window, Keys.ESCAPE)
    expect(not window.one("#page-found").is_displayed(), "Escape closes the results")
    type_keys(window, "RetryPolicy")
    results(window, "RetryPolicy")
    type_keys(window, Keys.ARROW_DOWN, Keys.ENTER)
    WebDriverWait(window.driver, 30).until(
        lambda driver: "RetryPolicy" in driver.title, f"the result leads to '{window.driver.title}'")
    expect("RetryPolicy" in window.one("h1").text, "an arrow and Enter lead to the page of the type")


def type_keys(window, *keys):
    window.driver.switch_to.active_element.send_keys(*keys)


def results(window, text):
    """The results once they have the text."""
    WebDriverWait(window.driver, 30).until(
        lambda _: text in window.one("#page-found").text, f"the results have no '{text}' but '{window.one('#page-found').text[:200]}'")
    return window.one("#page-found").text
