"""A shiftlog-server with a temporary home, for the scripts that test it from outside."""

import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
import urllib.request

from processes import Failure, end, listening


def expect(condition, sentence, found=""):
    """Prints the sentence, or fails with what was found instead."""
    if not condition:
        raise Failure(f"not so: {sentence} {str(found)[:600]}")
    print(f"    {sentence}", flush=True)


class Service:
    """The server, and its administrator `admin`."""

    def __init__(self, binaries, settings=None, program="shiftlog"):
        self.program = program
        self.binaries = binaries
        self.home = tempfile.mkdtemp(prefix=f"{program}-service-")
        self.password = secrets.token_urlsafe(18)
        variables = program.upper().replace("-", "_")
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.home, "LANG": "C.UTF-8", "NO_COLOR": "1",
            f"{variables}_HOME": self.home, f"{variables}_LOG_LEVEL": "warning",
            f"{variables}_SIGNING_SECRET": secrets.token_urlsafe(48),
        }
        for name, value in (settings or {}).items():
            self.environment[f"{variables}_{name}"] = value
        self.log = os.path.join(self.home, "server.log")
        self.url = None
        self.process = None

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.binaries, f"{self.program}-server"), "serve", "--port", "0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        try:
            self.url = listening(self.process, self.log)
        except Failure:
            self.__exit__()
            raise
        self.create_user()
        return self

    def __exit__(self, *_):
        end(self.process)

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)

    def create_user(self, name="admin", role="admin", password=None):
        """Creates an account; an account that is there gets the password back."""
        program = os.path.join(self.binaries, f"{self.program}-server")
        for command in (["create-user", name, "--role", role], ["set-password", name]):
            done = subprocess.run(
                [program, *command, "--password-stdin"], input=password or self.password, text=True,
                env=self.environment, capture_output=True)
            if done.returncode == 0:
                return
        raise Failure(f"The account '{name}' cannot be created: {done.stderr}")

    def call(self, method, path, body=None, token=None, headers=None):
        """The decoded response; `urllib.error.HTTPError` for a failure."""
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
        return json.loads(text) if text else None

    def token(self, name="admin", password=None):
        credentials = {"username": name, "password": password or self.password}
        return self.call("POST", "/v1/sessions", credentials)["access_token"]

    def memory(self):
        """Bytes of the process that belong to no file: the least of 15 seconds; a login takes 32 MiB for up to 5."""
        samples = []
        for _ in range(150):
            with open(f"/proc/{self.process.pid}/status") as status:
                samples.append(int(re.search(r"RssAnon:\s+(\d+) kB", status.read()).group(1)) * 1024)
            time.sleep(0.1)
        return min(samples)
