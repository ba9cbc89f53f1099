"""A window of Chromium that writes down what a page does."""

import importlib.util
import json
import os
import re
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from service import Failure

LOOKS = {
    "light": ("light", 1280, 900), "dark": ("dark", 1280, 900), "narrow": ("light", 360, 740),
    "narrow-dark": ("dark", 360, 740),
}


def axe_source():
    folder = importlib.util.find_spec("axe_core_python").submodule_search_locations[0]
    with open(os.path.join(folder, "axe.min.js"), encoding="utf-8") as file:
        return file.read()


class Window:
    """Chromium without a screen. It finds no host but this machine, whose certificates it takes as they are."""

    def __init__(self, pictures=None):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
                "--disable-component-update", "--no-first-run", "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"):
            options.add_argument(argument)
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Driver(shutil.which("chromedriver")))
        # axe-core needs more than the usual 30 seconds for `/docs` where the processors are busy.
        self.driver.set_script_timeout(100)
        self.axe = axe_source()
        self.pictures = pictures
        self.checked = 0
        self.requests = 0
        self.findings = []
        self.minor = set()
        if pictures:
            os.makedirs(pictures, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def look(self, name):
        scheme, width, height = LOOKS[name]
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        # The buttons of Swagger UI change their colours slowly.
        time.sleep(1)

    def open(self, url):
        self.driver.get(url)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, seconds=30):
        WebDriverWait(self.driver, seconds).until(
            lambda _: self.all(selector), f"no {selector} on {self.driver.current_url}")
        return self.all(selector)[0]

    def text(self):
        return self.driver.execute_script("return document.body.innerText")

    def send(self, selector):
        """Clicks a button that leads to another page, and waits for that page."""
        self.driver.execute_script("window.isOld = true")
        self.one(selector).click()
        self.wait_for_another_page(selector)

    def wait_for_another_page(self, what):
        """Waits until the page that was marked with `window.isOld` has made room for one that is loaded."""
        WebDriverWait(self.driver, 60, ignored_exceptions=[WebDriverException]).until(
            lambda driver: driver.execute_script("return !window.isOld && document.readyState === 'complete'"),
            f"{what} leads nowhere")

    def check(self, name, origins, status=None):
        """Looks at the page in each look: accessibility, width, console and requests; `status` as in `logs`."""
        for look in LOOKS:
            self.look(look)
            where = f"{name}, {look}"
            self.driver.execute_script(self.axe)
            found = self.driver.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations), e => done(String(e)));")
            if isinstance(found, str):
                raise Failure(f"axe-core failed on {where}: {found}")
            for defect in found:
                if defect["impact"] not in ("serious", "critical"):
                    self.minor.add(f"{defect['impact']}: {defect['id']}: {name.split('-')[0]}")
                    continue
                nodes = "; ".join(node["html"][:120] for node in defect["nodes"][:3])
                sentence = f"{where}: {defect['impact']}: {defect['id']}, {defect['help']}: {len(defect['nodes'])} × {nodes}"
                self.findings.append(sentence)
            wide = self.driver.execute_script(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                self.findings.append(f"{where}: {wide} pixels wider than the screen")
            self.picture(f"{name}-{look}")
            self.checked += 1
        self.look("light")
        self.logs(name, origins, status)

    def logs(self, name, origins, status=None, expected=None):
        """The console and the requests since the last time. With `status`, the last page has that one, and the console may say so.

        `expected` is a pattern of what the console may say as well.
        """
        statuses = []
        for entry in self.driver.get_log("browser"):
            if status and f"status of {status}" in entry["message"]:
                continue
            if expected and re.search(expected, entry["message"]):
                continue
            # Chromium says that it did what the sign-out asked for.
            if re.search(r"Clear-Site-Data header on '[^']*/signout': Cleared data types", entry["message"]):
                continue
            self.findings.append(f"{name}: console: {entry['message'][:300]}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.responseReceived" and message["params"]["type"] == "Document":
                statuses.append(message["params"]["response"]["status"])
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            self.requests += 1
            if not url.startswith((*origins, "data:", "blob:", "chrome:", "about:")):
                self.findings.append(f"{name}: a request to {url[:200]}")
        if status and statuses[-1:] != [status]:
            self.findings.append(f"{name}: the status is {statuses[-1:]}, not {status}")

    def picture(self, name):
        if self.pictures:
            self.driver.save_screenshot(os.path.join(self.pictures, f"{name}.png"))
