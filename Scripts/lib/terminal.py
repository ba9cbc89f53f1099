"""Drives `shiftlog browse` in a terminal, step by step.

Scripts/terminal starts it and explains the options.
"""

import os
import re
import sys
import time

import terminal_faults  # noqa: F401  its steps come after those of terminal_steps
from arguments import Parser
from demo_stage import Interrupted, on_signal
from processes import Failure
from terminal_stage import Screens
from terminal_steps import STEPS


def run(step, number, stage, folder):
    """Runs one step, prints its line of the table, and keeps the screen; returns whether the step is right."""
    began = time.monotonic()
    try:
        seen, failure = step.act(stage), None
        no_secret(stage)
    except Failure as error:
        seen, failure = str(error), error
    # Without what could end the cell of a table.
    seen = re.sub(r"\s+", " ", seen).replace("|", "\\|")
    print(f"| {number} | {step.name} | {'' if not failure else '**not so:** '}{seen} | {time.monotonic() - began:.1f} s |", flush=True)
    if folder:
        stage.terminal.save(folder, f"{number:02}-{re.sub(r'[^a-z0-9]+', '-', step.name.lower()).strip('-')[:60]}")
    if failure:
        print(f"\nThe screen:\n{stage.terminal.screen()}", file=sys.stderr)
    return not failure


def no_secret(stage):
    """No screen shows a password or a token of the session."""
    shown = stage.terminal.screen()
    tokens = stage.tokens()
    values = [*stage.passwords.values(), *(value for name, value in tokens.items() if name.endswith("_token"))]
    if any(value in shown for value in values):
        raise Failure("the screen shows a password or a token")


def main(arguments):
    parser = Parser("Scripts/terminal")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--binary")
    parser.add_argument("--screens")
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args(arguments)
    if not 1_000 <= options.rows <= 1_000_000:
        parser.error(f"--rows is {options.rows}; use 1000 to 1000000.")
    if options.check:
        return 0
    if options.screens:
        os.makedirs(options.screens, exist_ok=True)
    on_signal()
    stage = Screens(options.binary, options.rows)
    done = 0
    try:
        stage.open()
        print("| # | Step | Seen | Time |\n|---|---|---|---|", flush=True)
        for number, step in enumerate(STEPS, 1):
            if not run(step, number, stage, options.screens):
                return 1
            done = number
    except Interrupted as interruption:
        print(f"Interrupted by signal {interruption.number}.", file=sys.stderr)
        return 130
    finally:
        stage.close(keep=False)
    print(f"\n{done} steps, each with the screen that was expected")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(str(failure))
