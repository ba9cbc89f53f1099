"""Whether each script that builds refuses a wrong argument with 64, before it builds or installs anything.

Runs the scripts with a `swift` and an `apt-get` that only leave a mark, and with stand-ins for the programs and Python packages
whose absence would end a script earlier. Prints what is wrong; status 1 if anything is.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
# Each of the last words is wrong, or one too many.
LINES = """
bench bogus
bench cli bogus
bench cli 3 1
bench distance 3 1 bogus
browser --bogus
browser --only bogus
chaos bogus
chaos any-api --bogus
chaos any-api --servers bogus
chaos clocks bogus
chaos homes --bogus
chaos jobs --bogus
chaos jobs --jobs bogus
chaos kills bogus
chaos kills 10 bogus
chaos owners --bogus
chaos relations --bogus
chaos relations --writers 3
chaos spaces --bogus
chaos spaces --homes 1
chaos points bogus
check bogus
check format bogus
check -bogus
client-openapi --bogus
conformance-cache --bogus
conformance-cache SUITE --tier bogus
conformance-openapi --bogus
conformance-openapi --seeds bogus
demo --bogus
demo --token-seconds 90
docs --bogus
foreign bogus
house --bogus
measure bogus
openapi --bogus
package --bogus
planted-bugs --bogus
record --bogus
release --bogus
replicas bogus
replicas order bogus
replicas waits 30 bogus
replicas restore bogus
simulate --bogus
simulate --seeds bogus
simulate --set bogus
soak --bogus
soak -1
soak bogus
soak --engine bogus
soak --engine sqlite --homes bogus
soak --engine sqlite --planted none --bogus
terminal --bogus
terminal --rows bogus
"""
MODULES = """\
import sys
from importlib.machinery import ModuleSpec
from unittest.mock import MagicMock

NAMES = ("selenium", "axe_core_python", "authlib", "requests", "openapi_spec_validator", "schemathesis", "openapi_python_client", "httpx")


class Anything:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, Anything, is_package=True) if name.split(".")[0] in NAMES else None

    @staticmethod
    def create_module(spec):
        return MagicMock()

    @staticmethod
    def exec_module(module):
        pass


sys.meta_path.insert(0, Anything)
"""


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("chromium", "chromedriver"):
            program(folder, name, "exit 1")
        program(folder, "node", "echo v22.0.0")
        for name in ("apt-get", "swift"):
            program(folder, name, f'[ "$1" = --version ] && echo "Swift version 6.3" && exit; echo {name} "$@" >>"$STRATA_MARK"; exit 1')
        (folder / "sitecustomize.py").write_text(MODULES)
        runner = folder / "suite/test-engine/client/runner.mjs"
        runner.parent.mkdir(parents=True)
        runner.touch()

        def wrong(line):
            """What is wrong with one run; `None` if nothing is."""
            script, *arguments = line.replace("SUITE", str(folder / "suite")).split()
            mark = folder / line.replace(" ", "+")
            environment = {
                **os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(folder), "STRATA_MARK": str(mark),
                "STRATA_CACHE_TESTS": str(folder / "suite")}
            done = subprocess.run([SCRIPTS / script, *arguments], env=environment, capture_output=True, text=True, timeout=60)
            if mark.exists():
                return f"runs '{mark.read_text().splitlines()[0]}'"
            if done.returncode != 64:
                return f"ends with {done.returncode} instead of 64: {done.stderr[-300:]}"
            return None if done.stderr.strip() else "does not say why"

        lines = LINES.split("\n")[1:-1]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = [f"Scripts/{line} {fault}" for line, fault in zip(lines, pool.map(wrong, lines)) if fault]
    print("\n".join(found) or f"{len(lines)} wrong arguments are refused before a build")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
