"""Compares the time of a cached list of `shiftlog` with that of `shiftlog --version`.

Scripts/bench starts it and explains the figures. A small server on loopback responds to the login and the first list; after
that no request is sent.
"""

import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

GOAL = 1.5
BLOCK = 4
AT = "2026-11-21T09:05:00.000Z"
SESSION = {"access_token": "access", "refresh_token": "refresh", "token_type": "Bearer", "expires_in": 3600}
USER = {
    "id": "01a1fddf-c1af-70ef-925b-228a65d87a72", "username": "ada", "role": "member", "created_at": AT,
    "updated_at": AT,
}
RUNBOOKS = [
    {
        "id": f"01a1fddf-db37-7d30-b13c-4739a9dc529{number}", "title": f"Tide gauge {number}", "tags": ["tide"],
        "body": "Read the gauge.\n", "version": 1, "updated_at": AT,
    }
    for number in range(5)
]


class StandIn(http.server.BaseHTTPRequestHandler):
    """Responds to the requests of a login and a list, and counts them."""

    protocol_version = "HTTP/1.1"
    answers = {"/v1/sessions": (201, SESSION), "/v1/me": (200, USER), "/v1/runbooks": (200, {"items": RUNBOOKS})}
    asked = 0

    def answer(self):
        StandIn.asked += 1
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, document = self.answers.get(self.path.split("?")[0], (404, {"status": 404, "title": "Not Found"}))
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *arguments):
        pass


def timed(command, environment):
    """Elapsed seconds and processor seconds of one run."""
    quiet = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    took = time.perf_counter() - start
    if status != 0:
        sys.exit(f"'{' '.join(command[1:])}' failed; run it by hand to see why.")
    return took, usage.ru_utime + usage.ru_stime


def main(binary, rounds):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        environment = dict(
            os.environ, SHIFTLOG_HOME=home, SHIFTLOG_TOKEN_STORE="file",
            SHIFTLOG_SERVER=f"http://127.0.0.1:{server.server_address[1]}")
        login = [binary, "login", "--username", "ada", "--password-stdin"]
        subprocess.run(login, env=environment, input=b"secret\n", check=True, capture_output=True, timeout=60)
        cached, version = [binary, "runbooks", "list"], [binary, "--version"]
        for command in (cached, cached, version):
            timed(command, environment)
        asked = StandIn.asked
        pairs = [(timed(cached, environment), timed(version, environment)) for _ in range(rounds * BLOCK)]
        if StandIn.asked != asked:
            sys.exit("The list was requested again: the runs took longer than it is fresh. Use fewer rounds.")
    ratios = []
    for index, name in enumerate(("time", "processor")):
        lists, versions = ([pair[which][index] * 1000 for pair in pairs] for which in (0, 1))
        ratios.append(statistics.median(one / other for one, other in zip(lists, versions)))
        print(
            f"{name}: cached 'runbooks list' {statistics.median(lists):.1f} ms (least {min(lists):.1f}), "
            f"'--version' {statistics.median(versions):.1f} ms (least {min(versions):.1f}), ratio {ratios[-1]:.2f}")
    print("the goal is met" if ratios[0] <= GOAL else f"the goal of {GOAL} is missed")
    return 0 if ratios[0] <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
