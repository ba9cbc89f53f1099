"""Checks the packaging samples for required lines, and the units with systemd-analyze, if that is installed.

    check_packaging.py            everything in Docs/Packaging, and compose.yaml of `new-service --compose`
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.join(ROOT, "Docs", "Packaging")
COMPOSE = os.path.join(ROOT, "Scripts", "Scaffold", "Extras", "Compose", "compose.yaml")

# In tenths, as for `systemd-analyze security --threshold`: the exposure level may be 1.5 at most.
THRESHOLD = 15

# Directives that the server's unit must have.
SERVER = {
    "CapabilityBoundingSet": "", "DynamicUser": "yes", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes",
    "NoNewPrivileges": "yes", "NotifyAccess": "main", "PrivateDevices": "yes", "PrivateTmp": "yes", "ProtectHome": "yes",
    "ProtectSystem": "strict", "RestrictNamespaces": "yes", "RestrictSUIDSGID": "yes",
    "SystemCallArchitectures": "native", "Type": "notify", "UMask": "0077",
}

# Directives that the socket unit must have. It needs the address filter too.
SOCKET = {"Accept": "no", "IPAddressAllow": "localhost", "IPAddressDeny": "any"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def directives(text):
    """`{name: [values]}` of a unit, of all its sections."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"([A-Za-z]+)=(.*)$", line)
        if match:
            found.setdefault(match.group(1), []).append(match.group(2).strip())
    return found


def unit_problems(text):
    """The problems of the server's unit."""
    found = directives(text)
    problems = [
        f"{name}= has to be '{value}'" for name, value in SERVER.items() if found.get(name) != [value]]
    if not re.fullmatch(r"[1-9][0-9]?", "".join(found.get("WatchdogSec", []))):
        problems.append("WatchdogSec= has to be 1 to 99 seconds")
    if not any("AF_UNIX" in value.split() for value in found.get("RestrictAddressFamilies", [])):
        problems.append("RestrictAddressFamilies= has to contain AF_UNIX, for the notifications to systemd")
    if not any(value.startswith("settings.json:") for value in found.get("LoadCredential", [])):
        problems.append("LoadCredential= has to pass settings.json, which contains the secret")
    if re.search(r"SIGNING_SECRET=", text):
        problems.append("the unit or its environment must not contain a secret")
    return problems


def socket_problems(text, environment):
    """The problems of the socket unit. It must have one socket, at the address in server.env."""
    found = directives(text)
    problems = [
        f"{name}= has to be '{value}'" for name, value in SOCKET.items() if found.get(name) != [value]]
    listening = {name: values for name, values in found.items() if name.startswith("Listen")}
    usual = ":".join(re.findall(r"(?m)^\w+_HTTP_(?:HOST|PORT)=(.+)$", environment))
    if listening != {"ListenStream": [usual]}:
        problems.append("there must be exactly one ListenStream=, with the address in server.env")
    return problems


def proxy_problems(proxy, environment):
    """The problems of nginx.conf and server.env that hide the client's address from the server."""
    problems = []
    if proxy.count("{") != proxy.count("}") or "proxy_pass http://127.0.0.1:" not in proxy:
        problems.append("nginx.conf: the braces do not match, or proxy_pass is missing")
    fields = dict(re.findall(r"(?m)^\s*proxy_set_header (\S+) (.+);$", proxy))
    for name, value in {
        "Host": "$host", "X-Forwarded-For": "$remote_addr", "X-Forwarded-Proto": "$scheme", "X-Forwarded-Host": "$host",
        "Forwarded": '""',
    }.items():
        if fields.get(name) != value:
            problems.append(f"nginx.conf: proxy_set_header {name} has to be {value}")
    names = re.findall(r"(?m)^\s*server_name (\S+);$", proxy)
    if re.findall(r"(?m)^\w+_PUBLIC_URL=https://(\S+)$", environment) != names:
        problems.append("server.env: the public URL has to be the server_name of nginx.conf")
    if re.findall(r"(?m)^\w+_TRUSTED_PROXIES=(.+)$", environment) != ["127.0.0.1,::1"]:
        problems.append("server.env: the proxy on this machine has to be trusted")
    return problems


def analysis_problems(path, text):
    """The problems that systemd-analyze reports. A stub replaces the program, which is not installed here."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        stub = os.path.join(folder, "program")
        with open(stub, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(stub, 0o755)
        for other in units():
            with open(os.path.join(folder, os.path.basename(other)), "w", encoding="utf-8") as file:
                unit = text if other == path else read(other)
                file.write(re.sub(r"^ExecStart=\S+", f"ExecStart={stub}", unit, flags=re.M))
        copy = os.path.join(folder, os.path.basename(path))
        done = run(["systemd-analyze", "verify", copy])
        if done.returncode or done.stderr.strip():
            problems.append(f"systemd-analyze verify: {done.stderr.strip() or done.returncode}")
        if path.endswith("-server.service"):
            done = run(["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={THRESHOLD}", copy])
            level = (done.stdout.strip().splitlines() or ["no answer"])[-1].lstrip("→ ")
            if done.returncode:
                problems.append(f"systemd-analyze security: {level}; at most {THRESHOLD / 10} is allowed")
            else:
                print(level, file=sys.stderr)
    return problems


def compose_problems(text, known):
    """The problems of compose.yaml, read line by line: there is no YAML in Python's library."""
    problems = []
    for name in re.findall(r"(?m)^\s+(SHIFTLOG_[A-Z_]+):", text):
        if name not in known:
            problems.append(f"'{name}' is not a setting of Docs/Operations.md")
    for image in re.findall(r"(?m)^\s+image: (\S+/\S+)$", text):
        if not re.search(r":[v0-9]", image):
            problems.append(f"the image {image} needs a version")
    for port in re.findall(r"(?m)^\s+ports: \[(.*)\]$", text):
        if not port.startswith('"127.0.0.1:'):
            problems.append(f"the port {port} is open to other machines")
    services, _, declared = text.partition("\nsecrets:\n")
    named = set(re.findall(r"(?m)^\s+secrets: \[(\w+)\]$", services))
    if named != set(re.findall(r"(?m)^  (\w+): \{file: \.local/compose/", declared)):
        problems.append("the secrets that services use are not the files at its end")
    if services.count("healthcheck:") != services.count("restart:") or "/health/ready" not in services:
        problems.append("a service has no health check")
    return problems


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def units():
    return sorted(
        path for kind in ("service", "socket", "timer") for path in glob.glob(os.path.join(FOLDER, f"*.{kind}")))


def settings():
    """The variables that Docs/Operations.md documents."""
    return set(re.findall(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`", read(os.path.join(ROOT, "Docs", "Operations.md"))))


def main():
    problems = []
    found = units()
    server = [path for path in found if path.endswith("-server.service")]
    sockets = [path for path in found if path.endswith("-server.socket")]
    if len(server) != 1 or len(sockets) != 1 or len(found) < 4:
        problems.append("Docs/Packaging: a server unit, its socket, a sync unit and a timer are required.")
    for path in server:
        problems += [f"{os.path.basename(path)}: {problem}." for problem in unit_problems(read(path))]
        if not unit_problems(read(path).replace("NoNewPrivileges=yes", "")):
            problems.append("A unit without NoNewPrivileges passed; this check cannot fail.")
        for line in ("Type=notify", "WatchdogSec=30", " AF_UNIX"):
            if not unit_problems(read(path).replace(line, "")):
                problems.append(f"A unit without {line} passed; this check cannot fail.")
    environment = read(os.path.join(FOLDER, "server.env"))
    for path in sockets:
        problems += [f"{os.path.basename(path)}: {problem}." for problem in socket_problems(read(path), environment)]
        for line in ("ListenStream=[::]:1\n[Install]", "ListenDatagram=1\n[Install]"):
            if not socket_problems(read(path).replace("[Install]", line), environment):
                problems.append(f"A socket unit with {line.split()[0]} passed; this check cannot fail.")
    if shutil.which("systemd-analyze"):
        for path in found:
            problems += [f"{os.path.basename(path)}: {problem}" for problem in analysis_problems(path, read(path))]
        for path in server:
            if not analysis_problems(path, read(path).replace("ProtectSystem=strict", "ProtectSystem=maybe")):
                problems.append("A unit with a wrong value passed systemd-analyze; this check cannot fail.")
    else:
        print("SKIPPED: systemd-analyze is not installed; the units were read, not verified.", file=sys.stderr)

    known = settings()
    texts = [os.path.join(FOLDER, "server.env"), os.path.join(FOLDER, "Containerfile")] + found
    for path in texts:
        text = read(path)
        for name in re.findall(r"(?m)(?:^|Environment=|ENV |\s)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=", text):
            if name not in known:
                problems.append(f"{os.path.basename(path)}: '{name}' is not a setting of Docs/Operations.md.")
    container = read(os.path.join(FOLDER, "Containerfile"))
    if not re.search(r"(?m)^USER [1-9]\d*", container):
        problems.append("Containerfile: the server must run as a numeric user id that is not root.")
    if re.search(r"(?m)^FROM [^:]+(:latest)?( AS .*)?$", container):
        problems.append("Containerfile: every base image needs a version.")
    for line in ("STOPSIGNAL SIGTERM", "HEALTHCHECK ", "/health/ready"):
        if line not in container:
            problems.append(f"Containerfile: '{line.strip()}' is missing.")
    compose = read(COMPOSE)
    problems += [f"compose.yaml: {problem}." for problem in compose_problems(compose, known)]
    for old, new in (
            ("SHIFTLOG_PUBLIC_URL", "SHIFTLOG_PUBLIC"), ("postgres:17-bookworm", "postgres"), ("127.0.0.1:3000:", "3000:"),
            ("secrets: [settings]", "secrets: [setting]"), ("    healthcheck:\n", "")):
        if not compose_problems(compose.replace(old, new, 1), known):
            problems.append(f"A compose.yaml with '{new.strip()}' instead of '{old.strip()}' passed; this check cannot fail.")
    for package in ("libpq-dev", "libpq5"):
        if package not in container.split():
            problems.append(f"Containerfile: a server with PostgreSQL needs {package}.")
    proxy = read(os.path.join(FOLDER, "nginx.conf"))
    problems += [f"{problem}." for problem in proxy_problems(proxy, environment)]
    for line in ("X-Forwarded-For $remote_addr", 'Forwarded ""', "Host $host", "}"):
        if not proxy_problems(proxy.replace(line, "", 1), environment):
            problems.append(f"A proxy without {line} passed; this check cannot fail.")
    if not proxy_problems(proxy, re.sub(r"(?m)^\w+_TRUSTED_PROXIES=.*$", "", environment)):
        problems.append("A server.env without trusted proxies passed; this check cannot fail.")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
