"""Compares the time of commands of `shiftlog` with that of `curl --version`.

    bench_cli.py PROGRAM [ROUNDS]

Scripts/bench starts it and explains the goals. A small server on loopback responds to the login and the first list; after that
no request is sent. A round runs each command four times, each time beside a run of curl; a ratio is the median of all pairs.
"""

import base64
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# Name, arguments, and the largest ratio to `curl --version`, of the elapsed time and of the processor's.
COMMANDS = [
    ("--version", ["--version"], 0.97),
    ("cached list", ["runbooks", "list"], 1.3),
    ("journal add", ["--offline", "journal", "add", "Tide gauge 3 is stuck"], 1.6),
]
PAIRS = 4
AT = "2026-11-21T09:05:00.000Z"
USER = {
    "id": "01a1fddf-c1af-70ef-925b-228a65d87a72", "username": "ada", "role": "member", "created_at": AT,
    "updated_at": AT,
}
# The client reads the user from the token, and leaves its signature to the server.
TOKEN = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"ES256"}', json.dumps({"sub": USER["id"]}).encode(), b"signature"))
SESSION = {"access_token": TOKEN, "refresh_token": "refresh", "token_type": "Bearer", "expires_in": 3600}
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


def main(program, rounds):
    curl = shutil.which("curl") or sys.exit("curl is not installed.")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        environment = dict(
            os.environ, SHIFTLOG_HOME=home, SHIFTLOG_TOKEN_STORE="file",
            SHIFTLOG_SERVER=f"http://127.0.0.1:{server.server_address[1]}")
        login = [program, "login", "--username", "ada", "--password-stdin"]
        subprocess.run(login, env=environment, input=b"secret\n", check=True, capture_output=True, timeout=60)
        runs = {name: [program, *arguments] for name, arguments, _ in COMMANDS}
        for command in list(runs.values()) * 2:
            timed(command, environment)
        asked = StandIn.asked
        pairs = {name: [] for name in runs}
        for _ in range(rounds * PAIRS):
            for name, command in runs.items():
                pairs[name].append((timed(command, environment), timed([curl, "--version"], environment)))
        if StandIn.asked != asked:
            sys.exit("The list was requested again: the runs took longer than it is fresh. Use fewer rounds.")
    return report(pairs)


def report(pairs):
    """Prints a line for each command; 0 if all ratios are within their goals."""
    failed = []
    print(f"{'':14}{'time':>9}{'curl':>9}{'ratio':>7}{'processor':>12}{'curl':>9}{'ratio':>7}   goal")
    for name, _, goal in COMMANDS:
        line, ratios = f"{name:14}", []
        for index, width in ((0, 6), (1, 9)):
            ours, others = ([pair[which][index] for pair in pairs[name]] for which in (0, 1))
            ratios.append(statistics.median(one / other for one, other in zip(ours, others)))
            line += f"{statistics.median(ours) * 1000:{width}.1f} ms{statistics.median(others) * 1000:6.1f} ms{ratios[-1]:7.2f}"
        print(f"{line}{goal:7.2f}")
        if max(ratios) > goal:
            failed.append(name)
    print(f"missed: {', '.join(failed)}" if failed else "the goals are met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
