"""Measures a light read ten times a second, from a process of its own: soak_probe.py PORT HOST USER, the password on standard input.

Prints `START STATUS SECONDS` for each, times of the monotonic clock. The time begins when the request is due, so that a late
request counts as a slow one.
"""

import http.client
import json
import signal
import socket
import sys
import time


def main():
    # A terminal sends it to all; the soak ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    port, host, user = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    password = sys.stdin.readline().strip()
    connection, token = None, None
    due = time.monotonic()
    while True:
        time.sleep(max(0, due - time.monotonic()))
        status = 0
        try:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.connect()
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if token is None:
                connection.request("POST", "/v1/sessions", json.dumps({"username": user, "password": password}),
                                   {"Host": host, "Content-Type": "application/json"})
                response = connection.getresponse()
                text = response.read()
                if response.status == 201:
                    token = json.loads(text)["access_token"]
                # A password takes its time; that is no light read.
                due = time.monotonic() + (0.1 if token else 1)
                continue
            connection.request("GET", "/v1/me", headers={"Host": host, "Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            response.read()
            status = response.status
        except (OSError, http.client.HTTPException):
            if connection:
                connection.close()
            connection = None
        print(f"{due:.4f} {status} {time.monotonic() - due:.4f}", flush=True)
        if status == 401:
            token = None
        # After a slow response the next one is due at once, not all that were missed.
        due = max(due + 0.1, time.monotonic() - 1)


if __name__ == "__main__":
    main()
