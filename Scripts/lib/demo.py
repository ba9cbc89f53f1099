"""The demo: real programs, a real log, and evidence for every step.

Scripts/demo starts it, builds the programs and explains the options.
"""

import sys

import cluster
from arguments import Parser
from demo_steps import REPLICA_STEPS, STEPS
from demo_stage import Failure, Interrupted, ReplicatedStage, Stage, find_input, on_signal
from demo_table import Progress, document, table


def parse(arguments):
    parser = Parser("Scripts/demo")
    parser.add_argument("--input")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--token-seconds", type=int, default=5)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--binaries")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if not 3 <= options.token_seconds <= 60:
        parser.error(f"--token-seconds is {options.token_seconds}; use 3 to 60.")
    return options


def readable(path, copy=None):
    """The log to import; `None`, and a message on standard error, if it cannot be read."""
    try:
        return find_input(path, copy)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return None


def main():
    options = parse(sys.argv[1:])
    replicated = options.database == "postgres"
    if options.check:
        if replicated and cluster.missing():
            print(f"Missing: sudo apt-get install {' '.join(cluster.missing())}", file=sys.stderr)
            return 69
        return 0 if readable(options.input) else 66

    on_signal()
    progress = Progress(sys.stderr if options.json else sys.stdout)
    stage = (ReplicatedStage if replicated else Stage)(options.binaries, None, options.token_seconds)
    results = []
    try:
        log = stage.log = readable(options.input, f"{stage.home}/input.log")
        if not log:
            return 66
        for step in [step for step in STEPS if replicated or step not in REPLICA_STEPS]:
            results.append(progress.run(step, stage, results))
    except Interrupted as interruption:
        print(f"\nInterrupted by signal {interruption.number}; stopping the server.", file=sys.stderr)
        return 130
    finally:
        stage.close(keep=options.keep)

    home = stage.home if options.keep else None
    if options.json:
        print(document(results, log, home))
    else:
        print(table(results))
        if home:
            print(f"\nKept: {home}")
    return 0 if all(result.status == "ok" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
