"""The page of `shiftlog report`."""

import os
import subprocess

import browser_device
from service import Failure


class Reporter:
    """A home in which `admin` is logged in."""

    def __init__(self, service, binaries):
        self.folder = os.path.join(service.home, "report")
        self.environment = browser_device.environment(service, self.folder)
        self.program = os.path.join(binaries, "shiftlog")
        self.command("login", "--username", "admin", "--password-stdin", text=service.password + "\n")

    def command(self, *arguments, text=None):
        done = subprocess.run(
            [self.program, *arguments], input=text, env=self.environment, text=True, capture_output=True, timeout=120)
        if done.returncode != 0:
            raise Failure(f"shiftlog {arguments[0]} {arguments[1:2]} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def page(self):
        """The address of a new report of the last twelve hours."""
        path = os.path.join(self.folder, "report.html")
        self.command("--offline", "report", "--since", "12h", "--format", "html", "-o", path)
        return f"file://{path}"
