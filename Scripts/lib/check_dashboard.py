"""Compares the Grafana dashboard and the alerts of `new-service --compose` with what real servers measure.

    check_dashboard.py SERVER [DATABASE]     the program, and the address of a PostgreSQL; without it metrics of PostgreSQL are skipped

Starts the server on PostgreSQL, or on SQLite, sends a few requests, and looks for each metric and label of the dashboard and the alerts
in its `/metrics`. Looks, too, whether the panels are well formed and have a place of their own. Prints a line for each problem.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from processes import end, listening

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.join(ROOT, "Scripts", "Scaffold", "Extras", "Compose", "Docs", "Packaging", "compose")
# Prometheus adds it, with these labels, to all that it asks.
ADDED, TARGET = "up", {"job", "instance"}
POSTGRES = "shiftlog_database_"
# Shiftlog has no jobs of its own; the tests of jobs compare these with the guide.
JOBS = "shiftlog_jobs_"
WORDS = {"by", "sum", "max", "rate", "topk", "vector", "or", "min", "increase", "histogram_quantile", "le"}


def measured(text):
    """`{metric: labels}` of a response of `/metrics`."""
    found = {ADDED: set()}
    for line in text.splitlines():
        match = re.match(r"([a-z_]+)(?:\{(.*)\})? \S+$", line)
        if match:
            found.setdefault(match.group(1), set()).update(re.findall(r"(\w+)=\"", match.group(2) or ""))
    return found


def used(expression):
    """`{metric: labels}` of a query; the labels of a `by` belong to every metric in it."""
    plain = re.sub(r"\[[^\]]*\]", "", expression)
    grouped = {name.strip() for group in re.findall(r"\bby \(([^)]*)\)", plain) for name in group.split(",")}
    plain = re.sub(r"\bby \([^)]*\)", "", plain)
    found = {}
    for name, selector in re.findall(r"\b([a-z_]{2,})\b(?!\()(?:\{([^}]*)\})?", re.sub(r'"[^"]*"', '""', plain)):
        if name not in WORDS and "=" not in name:
            found.setdefault(name, set()).update(re.findall(r"(\w+)[=!]", selector))
    for labels in found.values():
        labels |= grouped
    return found


def metric_problems(board, metrics, has_postgres):
    problems = []
    for panel in board["panels"]:
        for target in panel["targets"]:
            names = used(target["expr"])
            if not names:
                problems.append(f"'{panel['title']}' asks for no metric.")
            for name, labels in names.items():
                if name not in metrics:
                    if has_postgres or not name.startswith(POSTGRES):
                        problems.append(f"'{panel['title']}' asks for {name}, which the server does not have.")
                    continue
                for label in sorted(labels - metrics[name] - TARGET):
                    problems.append(f"'{panel['title']}' uses the label {label}, which {name} does not have.")
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    if label not in metrics[name] | TARGET:
                        problems.append(f"'{panel['title']}' shows the label {label}, which {name} does not have.")
    return problems


def alert_problems(rules, metrics, has_postgres):
    """Of the rules as text: one query and one sentence for each alert."""
    alerts = re.findall(r"- alert: (\w+)\n +expr: (.+)\n(?: +for: .+\n)? +annotations:\n +summary: \"(.+)\"\n", rules)
    problems = []
    if len(alerts) != rules.count("- alert:"):
        problems.append("An alert has not the form: alert, expr, for, annotations, summary.")
    for name, query, summary in alerts:
        shown = re.findall(r"\{\{ \$labels\.(\w+) \}\}", summary)
        panel = {"title": name, "targets": [{"expr": query, "legendFormat": " ".join(f"{{{{{label}}}}}" for label in shown)}]}
        problems += [problem for problem in metric_problems({"panels": [panel]}, metrics, has_postgres) if JOBS not in problem]
        if not summary.endswith("."):
            problems.append(f"The summary of '{name}' is no sentence.")
    return problems


def form_problems(board, sources):
    problems, cells, ids = [], {}, set()
    for panel in board["panels"]:
        title = panel["title"]
        if panel["id"] in ids:
            problems.append(f"'{title}' has the id of another panel.")
        ids.add(panel["id"])
        if f"uid: {panel['datasource']['uid']}\n" not in sources:
            problems.append(f"'{title}' asks a data source that datasource.yml does not have.")
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            problems.append(f"'{title}' is wider than the page.")
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if cells.setdefault((x, y), title) != title:
                    problems.append(f"'{title}' lies on '{cells[x, y]}'.")
        for target in panel["targets"]:
            text = target["expr"]
            if any(text.count(one) != text.count(other) for one, other in ("()", "{}", "[]")):
                problems.append(f"'{title}': the brackets of a query do not match.")
    return sorted(set(problems))


def asked(program, database):
    """What `/metrics` of a server says after a few requests."""
    with tempfile.TemporaryDirectory(prefix="dashboard-") as home:
        log = os.path.join(home, "log")
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "SHIFTLOG_HOME": home,
            "SHIFTLOG_SIGNING_SECRET": secrets.token_urlsafe(48)}
        if database:
            environment["SHIFTLOG_DATABASE"] = database
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [program, "serve", "--port", "0"], env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            url = listening(process, log)
            try:
                urllib.request.urlopen(url + "/v1/me", timeout=30)
            except urllib.error.HTTPError:
                pass  # 401, which is counted
            with urllib.request.urlopen(url + "/metrics", timeout=30) as response:
                return response.read().decode()
        finally:
            end(process)


def main():
    program, database = sys.argv[1], (sys.argv[2:] or [""])[0]
    with open(os.path.join(FOLDER, "dashboard.json"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(FOLDER, "datasource.yml"), encoding="utf-8") as file:
        sources = file.read()
    with open(os.path.join(FOLDER, "alerts.yml"), encoding="utf-8") as file:
        rules = file.read()
    board, metrics = json.loads(text), measured(asked(program, database))
    problems = form_problems(board, sources) + metric_problems(board, metrics, bool(database))
    problems += alert_problems(rules, metrics, bool(database))
    for old, new in (
            ("shiftlog_logins_total", "shiftlog_login_total"), ('{result="throttled"}', '{outcome="throttled"}'),
            ("$labels.bound", "$labels.limit"), ("        expr: up", "        query: up")):
        if not alert_problems(rules.replace(old, new), metrics, bool(database)):
            problems.append(f"Alerts with {new} instead of {old} passed; this check cannot fail.")
    for old, new in (
            ("shiftlog_http_requests_total", "shiftlog_http_request_total"), ("by (bound)", "by (bounds)"),
            ("{{result}}", "{{outcome}}"), ('"uid": "prometheus"', '"uid": "graphite"'), ('"x": 12', '"x": 11'),
            ('"id": 2,', '"id": 1,'), ("rate(shiftlog", "rate((shiftlog")):
        planted = json.loads(text.replace(old, new))
        if not form_problems(planted, sources) + metric_problems(planted, metrics, bool(database)):
            problems.append(f"A dashboard with {new} instead of {old} passed; this check cannot fail.")
    if not database:
        print("SKIPPED: without PostgreSQL its metrics were not looked for.", file=sys.stderr)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
