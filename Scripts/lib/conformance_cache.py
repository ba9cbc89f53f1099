"""The public HTTP cache tests through `shiftlog cache-proxy`.

Scripts/conformance-cache starts it and explains the options.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from arguments import Parser
from processes import Failure, end, listening

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVERS = os.path.join(HERE, "conformance")
BASELINE = os.path.join(HERE, "..", "..", "Tests", "Conformance", "cache-tests.json")
MODES = ["private", "shared"]
TIERS = ["memory", "disk", "both"]
LIMIT = 300
PASSED = {"pass", "yes"}


def parse(arguments):
    parser = Parser("Scripts/conformance-cache")
    parser.add_argument("suite")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--tier", choices=TIERS)
    parser.add_argument("--id")
    parser.add_argument("--write-baseline", action="store_true")
    options = parser.parse_args(arguments)
    if options.write_baseline and (options.mode or options.tier or options.id):
        parser.error("--write-baseline takes no --mode, --tier or --id: the list contains the tests that pass in every tier.")
    return options


class Server:
    """A process that prints the address it listens on."""

    def __init__(self, command, log, pattern, environment):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
        try:
            self.url = listening(self.process, log, pattern, seconds=20)
        except Failure:
            self.end()
            raise

    def text(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def end(self):
        """Ends the process; returns its exit status."""
        return end(self.process, 15)


def run(options, mode, tier, only=None):
    """The result of each test: {id: {suite, kind, outcome, detail}}."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as home:
        names = ["npm_config_base", "npm_config_id", "npm_package_config_id", "npm_config_protocol", "npm_config_port"]
        environment = {key: value for key, value in os.environ.items() if key not in names}
        suite = {
            **environment, "npm_config_protocol": "http", "npm_config_port": "0", "npm_config_id": "",
            "npm_package_config_id": "", "npm_config_pidfile": os.path.join(home, "origin.pid")}
        servers = []
        try:
            origin = Server(
                ["node", "--import", os.path.join(DRIVERS, "loopback.mjs"),
                 os.path.join(options.suite, "test-engine", "server", "server.mjs")],
                os.path.join(home, "origin.log"), r"Listening on (http://127\.0\.0\.1:\d+)/", suite)
            servers.append(origin)
            proxy = Server(
                [options.binary, "cache-proxy", "--listen", "127.0.0.1:0", "--origin", origin.url, "--mode", mode,
                 "--tier", tier, "--retries", "0"],
                os.path.join(home, "proxy.log"), r"listening on (http://127\.0\.0\.1:\d+)",
                {**environment, "SHIFTLOG_HOME": os.path.join(home, "shiftlog")})
            servers.append(proxy)
            client = subprocess.run(
                ["node", "--no-warnings", os.path.join(DRIVERS, "client.mjs"), options.suite, proxy.url, mode]
                + ([only] if only else []),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT,
                env=suite)
            if client.returncode != 0:
                raise Failure(f"The client of the suite failed:\n{client.stderr[-2000:]}")
            if only:
                print(client.stderr)
            if proxy.process.poll() is not None:
                raise Failure(f"The proxy ended during the tests:\n{proxy.text()[-2000:]}")
            report = json.loads(client.stdout)
            status = proxy.end()
            if status != 0:
                raise Failure(f"The proxy ended with status {status}:\n{proxy.text()[-2000:]}")
            return report
        except subprocess.TimeoutExpired as error:
            raise Failure(f"The client of the suite took more than {LIMIT} seconds.") from error
        finally:
            for server in reversed(servers):
                server.end()


def counts(test):
    """Whether a test must pass to be in the list; the other checks are informational."""
    return test["kind"] in ("required", "optimal") or test["suite"] == "cc-request"


def passed(report):
    return {name for name, test in report.items() if counts(test) and test["outcome"] in PASSED}


def score(report, kind=None, suite=None):
    chosen = [
        test for test in report.values()
        if (test["kind"] == kind if kind else test["suite"] == suite and test["kind"] == "check")]
    return f"{sum(test['outcome'] in PASSED for test in chosen)}/{len(chosen)}"


def show(mode, tier, report):
    print(
        f"{mode:8}{tier:8}required {score(report, kind='required'):9}optimal {score(report, kind='optimal'):9}"
        f"cc-request {score(report, suite='cc-request')}")
    for kind in ("required", "optimal", "check"):
        for name, test in sorted(report.items()):
            if test["kind"] == kind and counts(test) and test["outcome"] not in PASSED:
                print(f"    {kind:9} {test['outcome']:16} {name}  {test['detail'][:150]}")


def baseline():
    try:
        with open(BASELINE) as file:
            return json.load(file)
    except FileNotFoundError:
        return {mode: [] for mode in MODES}


def write_baseline(reports):
    lists = {}
    for mode in MODES:
        lists[mode] = sorted(set.intersection(*(passed(reports[mode, tier]) for tier in TIERS)))
    with open(BASELINE, "w") as file:
        json.dump(lists, file, indent=2)
        file.write("\n")
    print("\n" + ", ".join(f"{mode}: {len(lists[mode])} tests" for mode in MODES) + " in the list now")


def regressions(options, reports):
    """The tests of the list that failed twice: at first, and alone. The suite measures time, so a test may fail by chance."""
    lost = []
    expected = baseline()
    for (mode, tier), report in reports.items():
        for name in expected[mode]:
            if name not in report:
                lost.append(f"{mode} {tier}: {name} is not in this version of the suite")
            elif name not in passed(report):
                again = run(options, mode, tier, name)
                if name in passed(again):
                    print(f"{mode} {tier}: {name} failed at first ({report[name]['detail']}) and passed alone")
                else:
                    lost.append(f"{mode} {tier}: {name}: {again[name]['detail']}")
    return lost


def main():
    options = parse(sys.argv[1:])
    if options.binary == "-":  # only the arguments are checked
        return 0
    options.suite = os.path.abspath(options.suite)
    pairs = [
        (mode, tier) for mode in MODES if options.mode in (None, mode)
        for tier in TIERS if options.tier in (None, tier)]
    try:
        if options.id:
            failed = False
            for mode, tier in pairs:
                report = run(options, mode, tier, options.id)
                for name, test in report.items():
                    print(f"{mode} {tier}: {name}: {test['outcome']} {test['detail']}")
                failed = failed or any(test["outcome"] not in PASSED for test in report.values())
            return 1 if failed else 0
        with concurrent.futures.ThreadPoolExecutor(len(pairs)) as pool:
            reports = dict(zip(pairs, pool.map(lambda pair: run(options, *pair), pairs)))
        for (mode, tier), report in reports.items():
            show(mode, tier, report)
        if options.write_baseline:
            write_baseline(reports)
            return 0
        lost = regressions(options, reports)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    for line in lost:
        print(f"REGRESSION {line}", file=sys.stderr)
    if not lost:
        print("every test of the list passes")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
