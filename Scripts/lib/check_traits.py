"""Resolves packages that use Strata, one for each set of traits, and compares the libraries that are fetched with a list.

Nothing is built. The versions are those of `Package.resolved`, so after a build the package manager takes them from its cache.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
# What the modules without a trait use, with the libraries of these libraries.
ALWAYS = {
    "swift-asn1", "swift-collections", "swift-crypto", "swift-log", "swift-metrics", "swift-subprocess", "swift-system",
}
# What AsyncHTTPClient brings. A new version of it may bring another; add it here after a look at it.
ASYNC_HTTP = {
    "async-http-client", "swift-algorithms", "swift-async-algorithms", "swift-atomics", "swift-certificates",
    "swift-configuration", "swift-distributed-tracing", "swift-http-structured-headers", "swift-http-types", "swift-nio",
    "swift-nio-extras", "swift-nio-http2", "swift-nio-ssl", "swift-nio-transport-services", "swift-numerics",
    "swift-service-context", "swift-service-lifecycle",
}
EXPECTED = {
    (): ALWAYS,
    ("AsyncHTTP",): ALWAYS | ASYNC_HTTP,
    ("Caching", "Offline", "Terminal"): ALWAYS | {"GRDB.swift", "swift-argument-parser"},
}


def fetched(traits, folder, source="", products=("StrataNetworking",)):
    """The libraries that a package with these traits fetches. Writes the package."""
    uses = ", ".join(f'.product(name: "{product}", package: "strata")' for product in products)
    os.makedirs(os.path.join(folder, "Sources", "user"))
    with open(os.path.join(folder, "Package.swift"), "w", encoding="utf-8") as file:
        file.write(f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "user", platforms: [.macOS(.v15)],
    dependencies: [.package(name: "strata", path: {json.dumps(ROOT)}, traits: {json.dumps(traits)})],
    targets: [
        .executableTarget(name: "user", dependencies: [{uses}])
    ])
""")
    with open(os.path.join(folder, "Sources", "user", "main.swift"), "w", encoding="utf-8") as file:
        file.write(source)
    if os.path.exists(os.path.join(ROOT, "Package.resolved")):
        shutil.copy(os.path.join(ROOT, "Package.resolved"), folder)
    done = subprocess.run(
        ["swift", "package", "--package-path", folder, "resolve"], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(f"A package with the traits {list(traits)} cannot be resolved: {done.stderr[-2000:]}")
    return set(os.listdir(os.path.join(folder, ".build", "checkouts")))


def guarded():
    """The traits that a product names in the error for a package without them."""
    named = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "Modules")):
        for name in files:
            if name.endswith(".swift"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    named.update(re.findall(r'#error\("Strata\w+ needs the trait \'(\w+)\'', file.read()))
    return named


def main():
    problems = []
    dump = subprocess.run(
        ["swift", "package", "--package-path", ROOT, "dump-package"], capture_output=True, text=True, timeout=300, check=True)
    traits = {trait["name"] for trait in json.loads(dump.stdout)["traits"]} - {"default"}
    for trait in sorted(traits ^ guarded()):
        problems.append(f"Trait '{trait}': Package.swift and the '#error' lines of Modules must name the same traits.")
    with tempfile.TemporaryDirectory() as home, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folders = [os.path.join(home, str(number)) for number in range(len(EXPECTED))]
        for (names, expected), found in zip(EXPECTED.items(), pool.map(fetched, EXPECTED, folders)):
            for library in sorted(found - expected):
                problems.append(f"A package with the traits {list(names)} fetches {library}, which it does not need.")
            for library in sorted(expected - found):
                problems.append(f"A package with the traits {list(names)} does not fetch {library}; is the list outdated?")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
