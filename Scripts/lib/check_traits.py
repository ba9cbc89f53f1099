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
    ("Client",): ALWAYS | ASYNC_HTTP | {"GRDB.swift"},
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


def guarded(target):
    """The trait that the `#error` of a module names, for a package without it; `None` for a module without an `#error`.

    The compiler ends at the first import that it cannot resolve. So the `#error` is in the first file, in the order of paths,
    that imports a library with a condition.
    """
    libraries = {uses["product"][0] for uses in target["dependencies"] if uses.get("product", [None])[-1]}
    paths = sorted(
        os.path.join(folder, name) for folder, _, files in os.walk(os.path.join(ROOT, target["path"]))
        for name in files if name.endswith(".swift"))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if libraries & set(re.findall(r"^(?:@?\w+ )*import (?:\w+ )?(\w+)", text, re.MULTILINE)):
            found = re.search(r"#error\(\"" + target["name"] + r" needs the trait '(\w+)'", text)
            return found[1] if found else None
    return None


def main():
    problems = []
    dump = subprocess.run(
        ["swift", "package", "--package-path", ROOT, "--ignore-lock", "dump-package"], capture_output=True, text=True, timeout=300, check=True)
    manifest = json.loads(dump.stdout)
    traits = {trait["name"] for trait in manifest["traits"]} - {"default"}
    for trait in sorted(traits ^ {guarded(target) for target in manifest["targets"]} - {None}):
        problems.append(
            f"Trait '{trait}': its module must have an '#error' with this name in the first file that imports a library of it.")
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
