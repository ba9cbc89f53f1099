"""The output of the demo: a line at the start and end of each step, then a table or a JSON document."""

import collections
import json
import textwrap
import time

from demo_stage import Failure

Result = collections.namedtuple("Result", "step status evidence seconds")


class Progress:
    def __init__(self, stream):
        self.stream = stream

    def run(self, step, stage, before):
        """Runs one step. If a step that it needs failed, it is skipped and counts as failed."""
        broken = [result.step.name for result in before if result.status != "ok" and result.step.name in step.needs]
        self.say(f"\n==> {step.name}")
        if broken:
            self.say(f"    skipped: needs '{broken[0]}'")
            return Result(step, "skipped", [f"needs '{broken[0]}'"], 0.0)
        began = time.monotonic()
        try:
            evidence, status = step.act(stage), "ok"
        except Failure as failure:
            evidence, status = [str(failure)], "FAILED"
        except Exception as error:  # an unexpected error must not end the other steps
            evidence, status = [f"{type(error).__name__}: {error}"], "FAILED"
        seconds = time.monotonic() - began
        for line in evidence:
            self.say(textwrap.fill(line, 112, initial_indent="    ", subsequent_indent="    "))
        self.say(f"    {status} in {seconds:.1f} s")
        return Result(step, status, evidence, seconds)

    def say(self, text):
        print(text, file=self.stream, flush=True)


def table(results):
    """One row per step: name, result, evidence; long evidence is wrapped."""
    name = max(len(result.step.name) for result in results)
    lines = ["", f"{'Step':<{name}}  {'Result':<7}  {'Time':>7}  Evidence", "-" * 130]
    for result in results:
        rows = [row for text in result.evidence for row in textwrap.wrap(text, max(40, 130 - name - 20)) or [""]]
        for index, row in enumerate(rows or [""]):
            head = (
                f"{result.step.name:<{name}}  {result.status:<7}  {result.seconds:>5.1f} s"
                if index == 0 else " " * (name + 18))
            lines.append(f"{head}  {row}".rstrip())
    good = sum(1 for result in results if result.status == "ok")
    lines += ["-" * 130, f"{good} of {len(results)} steps ok in {sum(result.seconds for result in results):.0f} s"]
    return "\n".join(lines)


def document(results, log, home):
    return json.dumps(
        {
            "ok": all(result.status == "ok" for result in results),
            "seconds": round(sum(result.seconds for result in results), 1),
            "input": {"path": log.path, "format": log.format, "lines": log.lines},
            "home": home,
            "steps": [
                {
                    "name": result.step.name,
                    "ok": result.status == "ok",
                    "status": result.status.lower(),
                    "seconds": round(result.seconds, 2),
                    "evidence": result.evidence,
                }
                for result in results
            ],
        },
        indent=2,
        ensure_ascii=False,
    )
