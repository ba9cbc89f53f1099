#!/usr/bin/env python3
"""Draws Docs/Pictures from the code: the modules from the manifest, a call from the list in `Pipeline.standard`.

draw.py          writes the pictures
draw.py --check  ends with 1 when a picture is not what the code says
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "Docs/Pictures"
STYLE = """<style>
  svg { background: #ffffff }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1c2733 }
  .small { font-size: 11px; fill: #51606f }
  .box { fill: #eef3f8; stroke: #8aa0b5 } .app { fill: #fdf1dc; stroke: #c99a3f } .leaf { fill: #e9f5ec; stroke: #6aa579 }
  .user { fill: #ffffff; stroke: #8aa0b5; stroke-dasharray: 4 3 } .edge { stroke: #9fb0c0; fill: none } .head { fill: #9fb0c0 }
  .band { fill: #f7f9fb; stroke: #d5dee6 }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117 } text { fill: #dde5ed } .small { fill: #9fb0c0 }
    .box { fill: #1b2733; stroke: #5b7085 } .app { fill: #33291a; stroke: #a8843c } .leaf { fill: #1a2c20; stroke: #4f8060 }
    .user { fill: #0d1117; stroke: #5b7085 } .edge { stroke: #4c5d6d } .head { fill: #4c5d6d } .band { fill: #131a21; stroke: #2a3642 }
  }
</style>
<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
<path class="head" d="M0 0 8 4 0 8z"/></marker></defs>"""


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def svg(width, height, title, parts):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    return "\n".join([head, f"<title>{escaped(title)}</title>", STYLE, *parts, "</svg>", ""])


def box(x, y, width, height, label, kind="box", small=None):
    middle = x + width / 2
    parts = [f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>']
    line = y + height / 2 + (4 if small is None else -3)
    parts.append(f'<text x="{middle}" y="{line:g}" text-anchor="middle">{escaped(label)}</text>')
    if small is not None:
        parts.append(f'<text class="small" x="{middle}" y="{y + height - 9}" text-anchor="middle">{escaped(small)}</text>')
    return "\n".join(parts)


# MARK: Modules

def layer_table():
    """The targets without tests, each with its dependencies. The same part of all features is one node, and so are all clients."""
    dump = json.loads(subprocess.run(
        ["swift", "package", "--package-path", str(ROOT), "--ignore-lock", "dump-package"],
        capture_output=True, text=True, check=True).stdout)
    targets = {t["name"]: t for t in dump["targets"] if t["type"] != "test"}
    features = {}
    for name, target in targets.items():
        match = re.match(r"Modules/Features/(\w+)/(\w+)$", target.get("path") or "")
        if match:
            features[name] = match.groups()
    clients = {name for name, target in targets.items() if (target.get("path") or "").startswith("Modules/Clients/")}
    uses = {}
    for name, target in targets.items():
        if name in features or name in clients or target["type"] == "system":
            continue
        uses[name] = {
            (d.get("target") or d.get("byName"))[0] for d in target["dependencies"] if d.get("target") or d.get("byName")}
    parts = ["Domain", "API", "Data", "Service", "Presentation"]
    for part in parts:
        members = [name for name, (_, layer) in features.items() if layer == part]
        used = set()
        for name in members:
            used |= {
                (d.get("target") or d.get("byName"))[0]
                for d in targets[name]["dependencies"] if d.get("target") or d.get("byName")}
        uses["Feature" + part] = used - set(members)
    if clients:
        uses["Clients"] = {
            (d.get("target") or d.get("byName"))[0]
            for name in clients for d in targets[name]["dependencies"] if d.get("target") or d.get("byName")}

    def node(name):
        return "Feature" + features[name][1] if name in features else "Clients" if name in clients else name
    return {name: {node(used) for used in used_ones} - {name} for name, used_ones in uses.items()}, \
        sorted({feature for feature, _ in features.values()})


def reduced(uses):
    """The edges that do not follow from a longer path."""
    reach = {}

    def closure(name):
        if name not in reach:
            reach[name] = set()
            for used in uses.get(name, ()):
                reach[name] |= {used} | closure(used)
        return reach[name]

    return {
        name: {u for u in used if not any(u in closure(other) for other in used if other != u)}
        for name, used in uses.items()}


def modules_picture():
    uses, features = layer_table()
    uses = {n: {u for u in used if u in uses} for n, used in uses.items() if "Testing" not in n and n != "FeatureTesting"}
    rank = {}

    def height(name):
        if name not in rank:
            rank[name] = 1 + max((height(used) for used in uses[name]), default=-1)
        return rank[name]

    for name in uses:
        height(name)
    rows = {}
    for name in uses:
        rows.setdefault(rank[name], []).append(name)
    # Every module above Domain may use the leaves; these lines would hide the others.
    leaves = {name for name, used in uses.items() if not used}
    edges = {
        name: {u for u in used if u not in leaves or name == "StrataDomain"} for name, used in reduced(uses).items()}
    width, row_height, box_height = 960, 84, 44
    top = max(rows)
    place = {}
    parts = []
    order = []
    for level in range(top, -1, -1):
        names = rows[level]
        if order:
            # Each module is drawn below the modules that use it.
            def wish(name):
                above = [place[n][0] for n in order if name in edges[n]]
                return sum(above) / len(above) if above else width / 2
            names.sort(key=lambda name: (wish(name), name))
        else:
            names.sort()
        gap = width / len(names)
        for index, name in enumerate(names):
            place[name] = (gap * (index + 0.5), (top - level) * row_height + 16, min(gap - 16, 190))
            order.append(name)
    for name in order:
        x, y, _ = place[name]
        for used in sorted(edges[name]):
            ox, oy, _ = place[used]
            parts.append(
                f'<path class="edge" marker-end="url(#to)" d="M{x:.0f} {y + box_height} C{x:.0f} {y + box_height + 24} '
                f'{ox:.0f} {oy - 26} {ox:.0f} {oy - 2}"/>')
    for name in order:
        x, y, w = place[name]
        if name.startswith("Feature"):
            parts.append(box(x - w / 2, y, w, box_height, f"… {name[7:]}", "box", "of each feature"))
        elif name == "Clients":
            parts.append(box(x - w / 2, y, w, box_height, name, "box", "of other APIs"))
        else:
            kind = "app" if name.startswith("shiftlog") else "leaf" if rank[name] == 0 else "box"
            parts.append(box(x - w / 2, y, w, box_height, name, kind))
    height_of_all = (top + 1) * row_height + 24
    parts.append(
        f'<text class="small" x="12" y="{height_of_all - 10}">An arrow means “depends on”; arrows that follow from others, and those to '
        f'the leaves (green), are left out. Features: {", ".join(features)}.</text>')
    return svg(width, height_of_all, "The modules of Strata and their dependencies", parts)


# MARK: A call

def pipeline():
    """Names in the order of `Pipeline.standard`, outermost first."""
    for path in sorted((ROOT / "Modules/Networking/Core").rglob("*.swift")):
        text = path.read_text()
        start = text.find("static func standard(")
        if start >= 0:
            break
    else:
        sys.exit("No 'static func standard(' in Modules/Networking/Core: the pipeline's list has moved; adapt draw.py.")
    body = text[start:text.index("\n    }\n", start)]
    found = re.findall(r"\b([A-Z]\w*)Interceptor\(|\bparts\.(interceptors|cache|attemptInterceptors),", body)
    names = [re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower() if kind else seam for kind, seam in found]
    if len(names) < 8:
        sys.exit(f"Only {len(names)} interceptors found in {path.relative_to(ROOT)}; adapt draw.py to the new form of the list.")
    return names


NOTES = {
    "event": "one event per call and attempt", "deadline": "total time of the call",
    "interceptors": "yours, around the call", "coalescing": "equal reads share one response",
    "cache": "a fresh response ends here", "redirect": "credentials stay at their origin",
    "auth": "adds the token; one refresh", "retry": "back-off, budget, Retry-After",
    "hedge": "a second copy of a slow request",
    "circuit breaker": "fails at once while the origin is down", "concurrency limit": "limits attempts at once per origin",
    "attempt timeout": "time limit of one attempt", "attemptInterceptors": "yours, around each attempt",
    "signing": "the signature of an API that wants one",
    "trace": "traceparent", "log": "one line, secrets redacted", "decompression": "gzip and deflate, with a size limit",
}
LABELS = {"interceptors": "your interceptors", "attemptInterceptors": "your interceptors", "cache": "cache"}


def call_picture():
    names = pipeline()
    width, step, high = 640, 40, 32
    parts = []
    top = 62
    retry = names.index("retry") if "retry" in names else len(names)
    if retry < len(names):
        y = top + (retry + 1) * step - 4
        parts.append(f'<rect class="band" x="20" y="{y}" width="{width - 40}" height="{(len(names) - retry - 1) * step + high + 10}" rx="8"/>')
        parts.append(f'<text class="small" x="{width - 32}" y="{y + 16}" text-anchor="end">each attempt</text>')
    parts.append(box(40, 14, 220, high, "APIClient.send(endpoint)", "app"))
    for index, name in enumerate(names):
        y = top + index * step
        kind = "user" if name in LABELS else "box"
        parts.append(f'<path class="edge" marker-end="url(#to)" d="M150 {y - step + high + (0 if index else -8)} V{y - 1}"/>')
        parts.append(box(40, y, 220, high, LABELS.get(name, name), kind))
        parts.append(f'<text class="small" x="276" y="{y + 20}">{escaped(NOTES.get(name, ""))}</text>')
    y = top + len(names) * step
    parts.append(f'<path class="edge" marker-end="url(#to)" d="M150 {y - step + high} V{y - 1}"/>')
    parts.append(box(40, y, 220, high, "transport", "leaf"))
    parts.append(f'<text class="small" x="276" y="{y + 20}">AsyncHTTPClient, or URLSession</text>')
    parts.append(f'<text class="small" x="40" y="{y + high + 26}">The response passes the same interceptors in reverse order.</text>')
    return svg(width, y + high + 40, "A call through the client's pipeline, outermost interceptor first", parts)


def main():
    pictures = {"modules.svg": modules_picture(), "call.svg": call_picture()}
    if sys.argv[1:] == ["--check"]:
        wrong = [n for n, text in pictures.items() if not (PICTURES / n).exists() or (PICTURES / n).read_text() != text]
        if wrong:
            sys.exit(f"Docs/Pictures: {', '.join(wrong)} is outdated; run Scripts/draw.")
        return
    PICTURES.mkdir(exist_ok=True)
    for name, text in pictures.items():
        (PICTURES / name).write_text(text)
        print(f"Docs/Pictures/{name}")


if __name__ == "__main__":
    main()
