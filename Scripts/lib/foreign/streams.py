"""Cases in front of sse-starlette."""

import threading
import time

from foreign.stage import expect
from relay import Relay


def numbers(first, last):
    return [f"{number} number {number} true" for number in range(first, last + 1)]


def received(stage, query, first=1, last=20, address=None):
    lines = stage.answers(
        "events", address or stage.events().address, f"/numbers?{query}", first - 1 or "", last - first + 1)
    expect(lines == numbers(first, last), f"other events: {lines}")


def connections(stage):
    return stage.events().count("GET /numbers")


def separators(stage):
    """each event comes with its id and its lines, whatever ends a line"""
    for name in ("lf", "cr", "crlf"):
        received(stage, f"sep={name}&ends=20")


def comments(stage):
    """comments between the events are passed over"""
    received(stage, "pace=0.7", last=4)


def ends(stage):
    """a stream that the server ends after each third event goes on behind the last one"""
    before = connections(stage)
    received(stage, "ends=3")
    expect(connections(stage) - before == 7, f"{connections(stage) - before} connections in place of 7")


def since(stage):
    """a stream begins behind the event that an earlier run has seen"""
    received(stage, "ends=50", first=8)


def cut(stage):
    """a stream whose connection is cut five times goes on behind the last event"""
    relay, before = Relay(stage.events()), connections(stage)
    is_over = threading.Event()

    def drop():
        for _ in range(5):
            is_over.wait(0.4)
            relay.drop()

    cutter = threading.Thread(target=drop, daemon=True)
    cutter.start()
    received(stage, "pace=0.05", last=60, address=f"http://127.0.0.1:{relay.port}")
    is_over.set()
    cutter.join()
    expect(connections(stage) - before >= 4, f"{connections(stage) - before} connections")


def killed(stage):
    """a stream goes on when the server was killed and is there again"""
    server = stage.events()
    with stage.client("events", server.address, "/numbers?pace=0.1", "", 15) as client:
        lines = [client.line() for _ in range(3)]
        server.kill()
        time.sleep(0.5)
        server.start()
        status, rest = client.finish()
    expect((status, lines + rest) == (0, numbers(1, 15)), f"status {status}: {lines + rest}")


EVENTS = [separators, comments, ends, since, cut, killed]
