"""The plan of the faults of a soak. It comes from the seed; it is the same in each run with it."""

import collections
import signal

import soak_stage

Fault = collections.namedtuple("Fault", "at kind action")


def plan(run, seconds):
    """The faults in order. Each kind repeats, the first one early, so that a short run has most of them."""
    chance, faults = run.chance("faults"), []

    def every(kind, first, period, make):
        at = first
        while at < seconds - 8:
            faults.extend(Fault(moment, kind, action) for moment, action in make(at))
            at += period * chance.uniform(0.7, 1.3)

    def lasting(begin, end, least, most):
        return lambda at: [(at, begin), (at + chance.uniform(least, most), end)]

    def cut(at):
        relay = chance.choice(run.relays)
        if chance.random() < 0.4:
            return [(at, lambda: drop(run, relay))]
        return [(at, lambda: cut_relay(run, relay, True)), (at + chance.uniform(0.5, 6), lambda: cut_relay(run, relay, False))]

    def step(at):
        ahead = chance.choice((-3600, -90, -5, 20, 600, 3600))
        return [(at, lambda: step_clock(run, ahead)), (at + chance.uniform(3, 8), lambda: step_clock(run, 0))]

    def slow(at):
        milliseconds = chance.choice((5, 30, 200))
        return [(at, lambda: slow_disk(run, milliseconds)), (at + chance.uniform(2, 5), lambda: slow_disk(run, 0))]

    def stop(at):
        name = chance.randrange(3)
        return [(at, lambda: halt(run, name, True)), (at + chance.uniform(0.5, 2), lambda: halt(run, name, False))]

    every("cut", 4, 1.5, cut)
    # The homes have their first copy by then.
    every("burst", 17, 45, lasting(lambda: set_flag(run, "is_burst", True), lambda: set_flag(run, "is_burst", False), 18, 21))
    every("quiet", 40, 45, lasting(lambda: set_flag(run, "is_quiet", True), lambda: set_flag(run, "is_quiet", False), 6, 7))
    every("disk", 10, 40, slow)
    every("clock", 12, 25, step)
    every("stop", 45, 90, stop)
    if run.engine == "postgres":
        every("replica", 33, 90, lambda at: [(at, lambda: kill_replica(run))])
        every("database", 62, 240, lambda at: [(at, lambda: crash_database(run))])
    else:
        every("server", 150, 400, lambda at: [(at, lambda: kill_server(run))])
    return sorted(faults, key=lambda fault: fault.at)


def set_flag(run, name, value):
    setattr(run, name, value)


def slow_disk(run, milliseconds):
    if milliseconds:
        run.record.fault("times of a slow disk")
    soak_stage.write_number(run.stage.disk, milliseconds)


def drop(run, relay):
    run.record.fault("dropped connections")
    relay.drop()


def cut_relay(run, relay, is_cut):
    if is_cut:
        run.record.fault("cuts")
    relay.is_cut = is_cut


def step_clock(run, ahead):
    if ahead:
        run.record.fault("clock steps")
    run.record.steps.append(run.record.now())
    soak_stage.write_number(run.stage.clock, ahead)


def halt(run, name, is_halted):
    servers = list(run.stage.servers().values())
    if not servers:
        return
    if is_halted:
        run.record.fault("stops of a server", 2.5)
        run.halted = servers[name % len(servers)]
    run.signal(run.halted, signal.SIGSTOP if is_halted else signal.SIGCONT)


def kill_replica(run):
    run.record.fault("kills of a replica", 8)
    run.stage.kill_replica()


def crash_database(run):
    run.record.fault("crashes of PostgreSQL", 14)
    run.stage.stop_database()


def kill_server(run):
    run.record.fault("kills of the server", 5)
    run.stage.server.kill()
    run.stage.server.wait()
    run.stage.start_server()
