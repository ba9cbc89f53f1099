"""Requests that schemathesis generates from the OpenAPI document of a running server.

Scripts/conformance-openapi starts it and explains the options.
"""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time

from openapi_spec_validator import OpenAPIV31SpecValidator

from arguments import Parser
from service import Failure, Service

HERE = os.path.dirname(os.path.abspath(__file__))
HOOKS = os.path.join(HERE, "conformance_openapi_hooks.py")
GROWTH = 32 * 1024 * 1024
# All but two. `positive_data_acceptance` wants success for each request that fits the schema; JSON Schema cannot say which
# cursors, versions, keys and tokens exist. `max_response_time` measures the machine.
CHECKS = ",".join([
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection", "missing_required_header", "unsupported_method",
    "allow_header_conformance", "use_after_free", "ensure_resource_availability", "ignored_auth",
    "object_level_authorization",
])
# RFC 6585, section 3: 428 is the status of a request without If-Match; 412 may come before the body is looked at.
SETTINGS = """
[checks]
missing_required_header.expected-statuses = [400, 401, 403, 404, 406, 415, 422, 428]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 412, 413, 415, 422, 428]
"""


def seeds(text):
    return [int(seed) for seed in text.split(",")]


def parse(arguments):
    parser = Parser("Scripts/conformance-openapi")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--seeds", type=seeds, default="1,2,3")
    parser.add_argument("--examples", type=int, default=70)
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args(arguments)


def run(service, seed, with_token, options):
    """One run of schemathesis; returns its report."""
    name = f"seed {seed}, {'with' if with_token else 'without'} token"
    report = os.path.join(service.home, name.replace(", ", "-").replace(" ", "-") + ".json")
    environment = {
        **service.environment, "SCHEMATHESIS_HOOKS": HOOKS, "STRATA_BINARIES": os.path.abspath(options.binary),
        "STRATA_PASSWORD": service.password if with_token else "", "STRATA_URL": service.url, "PYTHONPATH": HERE,
    }
    settings = os.path.join(service.home, "schemathesis.toml")
    with open(settings, "w") as file:
        file.write(SETTINGS)
    started = time.monotonic()
    output = report.replace(".json", ".txt")
    with open(output, "wb") as log:
        subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", settings, "run",
             f"{service.url}/openapi.json", "--checks", CHECKS,
             "--phases", "examples,coverage,fuzzing,stateful", "--seed", str(seed), "--workers", "2",
             "--max-examples", str(options.examples), "--continue-on-failure", "--no-shrink", "--no-color", "--warnings", "off",
             "--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "60",
             "--report", "json", "--report-json-path", report],
            env=environment, cwd=service.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        with open(report) as file:
            document = json.load(file)
    except (OSError, ValueError):
        with open(output, errors="replace") as log:
            raise Failure(f"schemathesis ended without a report:\n{log.read()[-2000:]}")
    cases = document["test_cases"]["generated"]
    findings = collections.Counter()
    for failure in document.get("failures") or []:
        findings[f"{failure['title']}  {', '.join(failure['operations'])}"] += failure["count"]
    for error in document.get("errors") or []:
        # An error of schemathesis itself is printed and is no finding about the service.
        print(f"    schemathesis: {error.get('title')}, {error.get('count')} times", flush=True)
    memory = service.memory()
    print(f"{name}: {cases} cases, {sum(findings.values())} findings, {time.monotonic() - started:.0f} s,"
          f" memory {memory / 1048576:.0f} MB", flush=True)
    for finding, count in sorted(findings.items()):
        print(f"    {count} × {finding}", flush=True)
    return cases, sum(findings.values()), memory


def main(arguments):
    options = parse(arguments)
    if options.binary == "-":  # only the arguments are checked
        return 0
    with Service(options.binary, {"TRUSTED_PROXIES": "127.0.0.1"}) as service:
        faults = list(OpenAPIV31SpecValidator(service.call("GET", "/openapi.json")).iter_errors())
        print(f"openapi-spec-validator: {len(faults)} faults", flush=True)
        for fault in faults:
            print(f"    {fault.message}")
        process = service.process.pid
        results, memory = [], []

        def runs(with_token):
            """The runs with a token, or without; both kinds at the same time, each until it has half of the cases."""
            cases = rounds = 0
            while rounds < len(options.seeds) or cases < options.cases / 2:
                seed = options.seeds[rounds] if rounds < len(options.seeds) else max(options.seeds) + rounds
                results.append(run(service, seed, with_token, options))
                cases, rounds = cases + results[-1][0], rounds + 1
                # The first run fills caches, pools and tables to their bounds.
                memory.append(results[-1][2])

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(runs, True), pool.submit(runs, False)]:
                done.result()
        cases, findings, _ = (sum(numbers) for numbers in zip(*results))
        growth = service.memory() - memory[0]
        same = service.process.poll() is None
        print(f"total: {cases} cases, {findings} findings, process {process} {'still runs' if same else 'has ended'},"
              f" memory grew by {growth / 1048576:.1f} MB since the first run")
        if options.keep:
            print(f"reports: {service.home}")
    if not options.keep:
        service.remove()
    return 0 if not faults and not findings and same and growth < GROWTH else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(str(failure))
