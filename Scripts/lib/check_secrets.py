"""Searches every file of the repository for secrets and for the paths and hosts of one machine.

It finds private keys, tokens with known patterns, home folders and checkouts, and hosts that are neither public references nor
reserved for examples (RFC 2606, RFC 6761, RFC 5737).
"""

import ipaddress
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

SECRETS = [
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\n\s*[A-Za-z0-9+/]{40}")),
    ("an access key of a cloud", re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a token of a code host", re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20})\b")),
    ("a token of a chat service", re.compile(r"\bxox[abpors]-[0-9A-Za-z-]{20,}")),
    ("a password in a URL", re.compile(r"\b[a-z][a-z0-9+]*://[^\s/:@\"'\\]+:[^\s/:@\"'\\$(]{8,}@[a-z0-9-]+\.[a-z]")),
]

# The current home and checkout, and the usual ones of build machines.
PLACES = {os.path.expanduser("~"), ROOT, "/root", "/work", "/workspace", "/builds", "/home/runner", "/home/ubuntu"}
MACHINE = re.compile(
    r"(?<![\w.$)}/])(?:/Users/\w+|" + "|".join(sorted(re.escape(place) for place in PLACES)) + r")/[\w.-]")

HOST = re.compile(r"\bhttps?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])")

# Hosts of dependencies, standards and manuals.
PUBLIC = {
    "github.com", "api.github.com", "www.swift.org", "swift.org", "docs.swift.org", "download.swift.org", "www.apache.org",
    "www.rfc-editor.org", "datatracker.ietf.org", "www.w3.org", "www.sqlite.org", "sqlite.org", "prometheus.io",
    "no-color.org", "json-schema.org", "spec.openapis.org", "fetch.spec.whatwg.org", "semver.org", "keepachangelog.com", "man7.org", "www.freedesktop.org",
    "specifications.freedesktop.org", "systemd.io", "opensource.org", "www.iana.org", "iana.org",
    # APIs whose responses and signatures are test cases.
    "docs.github.com", "stripe.com", "iam.amazonaws.com", "your-domain.atlassian.net",
    "avatar-management--avatars.server-location.prod.public.atl-paas.net",
    # curl's cases of NO_PROXY.
    "local.com", "www.local.com", "www.notlocal.com", "192.168.7.1", "192.169.0.1", "10.0.0.0", "10.0.0.1", "10.0.0.11",
    "10.9.9.9", "10.200.0.1", "10.255.0.1",
    # Targets that no webhook may reach.
    "10.1.2.3", "169.254.169.254",
}

# Reserved for documentation, tests or the local machine.
RESERVED = (".example", ".test", ".invalid", ".localhost", ".local", ".internal")
EXAMPLES = ("example.com", "example.org", "example.net")


def files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(set(listed.stdout.splitlines()))


def is_allowed(host):
    host = host.lower().rstrip(".")
    if "." not in host or host in PUBLIC or host.endswith(RESERVED):
        return True
    if host.startswith("["):
        return True
    if any(host == name or host.endswith("." + name) for name in EXAMPLES):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    documentation = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
    return address.is_loopback or address.is_unspecified or any(
        address in ipaddress.ip_network(network) for network in documentation)


def main():
    problems, seen = [], 0
    for name in files():
        path = os.path.join(ROOT, name)
        if not os.path.isfile(path) or os.path.realpath(path) == os.path.realpath(__file__):
            continue
        with open(path, "rb") as file:
            data = file.read()
        if b"\0" in data[:8000]:
            continue
        seen += 1
        text = data.decode("utf-8", errors="replace")
        found = [(match.start(), what) for what, pattern in SECRETS for match in pattern.finditer(text)]
        found += [(match.start(), f"the path '{match.group(0)}…' of one machine") for match in MACHINE.finditer(text)]
        found += [
            (match.start(), f"the host '{match.group(1)}', which is neither a public reference nor an example")
            for match in HOST.finditer(text) if not is_allowed(match.group(1))]
        for start, what in sorted(found):
            problems.append(f"{name}:{text.count(chr(10), 0, start) + 1}: this looks like {what}.")
    for problem in problems:
        print(problem)
    if seen < 50:
        print(f"Only {seen} files were searched; the list of files is incomplete.")
    return 1 if problems or seen < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
