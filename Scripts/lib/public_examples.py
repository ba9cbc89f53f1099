"""Compares Tests/Conformance/PublicAPIs with the documents of the services, or writes it.

    public_examples.py FOLDER           one line for each file that is not as the documents have it; exit status 1
    public_examples.py --write FOLDER   writes the files

FOLDER has the three documents at the commits that SOURCES names: fixtures3.json, platform-swagger.v3.json, schema.json. No check runs
this: the documents are not part of the repository. Values are those of the documents; spaces and line breaks are ours.

Mastodon's document is under the GNU Free Documentation License, which a copy would bring into this repository. So its file has only the
SHA-256 of each example, as JSON with sorted keys and without spaces.
"""

import hashlib
import json
import os
import re
import sys

from release_rules import ROOT

PLACE = os.path.join(ROOT, "Tests", "Conformance", "PublicAPIs")
# By name: source, commit, file, licence.
SOURCES = {
    "stripe": ("https://github.com/stripe/openapi", "f6c2a48fbac2819d1feba8143d942ffc65e1c0d2", "openapi/fixtures3.json",
               "MIT, Copyright (c) 2011- Stripe, Inc. (https://stripe.com)"),
    "jira": ("https://github.com/salto-io/jira-swaggers", "e9edd0efc751bbc5b2a2c33f8755f9ed04e14158", "platform-swagger.v3.json",
             "Apache-2.0, Atlassian (http://www.apache.org/licenses/LICENSE-2.0.html)"),
    "mastodon": ("https://github.com/abraham/mastodon-openapi", "89b11e724f5015e232d160749e3b2fd4006e100d", "dist/schema.json",
                 "GFDL-1.3: the examples are not copied; these are digests"),
}
STRIPE = [
    "customer", "deleted_customer", "payment_intent", "refund", "balance", "subscription", "coupon", "webhook_endpoint", "event",
    "reporting.report_run"]
# By file: operations by our name.
JIRA = {
    "jira-issues": {"GetIssue": "get /issue/{issueIdOrKey}", "CreateIssue": "post /issue"},
    "jira": {
        "AddComment": "post /issue/{issueIdOrKey}/comment", "ListChanges": "get /issue/{issueIdOrKey}/changelog",
        "ListUpdatedWorklogs": "get /worklog/updated", "CreateVersion": "post /version",
        "Assign": "put /issue/{issueIdOrKey}/assignee", "GetTask": "get /task/{taskId}", "DeleteWebhooks": "delete /webhook",
        "AddAttachment": "post /issue/{issueIdOrKey}/attachments"},
}
MASTODON = {
    "GetAccount": "get /api/v1/accounts/{id}", "FollowAccount": "post /api/v1/accounts/{id}/follow",
    "ListFollowers": "get /api/v1/accounts/{id}/followers", "ListNotifications": "get /api/v1/notifications",
    "PostStatus": "post /api/v1/statuses", "DeleteStatus": "delete /api/v1/statuses/{id}",
    "TagTimeline": "get /api/v1/timelines/tag/{hashtag}", "UnblockDomain": "delete /api/v1/domain_blocks",
    "SaveMarkers": "post /api/v1/markers", "Search": "get /api/v2/search", "UploadMedia": "post /api/v2/media",
    "GetMedia": "get /api/v1/media/{id}"}


def examples(document, line, base=""):
    """The examples of an operation: `request`, and each response by its status."""
    method, path = line.split(" ")
    operation = document["paths"][base + path][method]
    bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
    found = {}
    for name, body in bodies.items():
        for content in body.get("content", {}).values():
            example = content.get("example")
            for named in content.get("examples", {}).values():
                example = named["value"] if "value" in named else document["components"]["examples"][named["$ref"].split("/")[-1]]["value"]
            if example is not None:
                # Atlassian's document has its responses as text.
                found[name] = json.loads(example) if isinstance(example, str) else example
    return found


def text(value, indent=0, width=130):
    """JSON that fills its lines."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= width or not isinstance(value, (dict, list)) or not value:
        return flat
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {text(item, indent + 2, width)}" for key, item in value.items()]
    else:
        parts = [text(item, indent + 2, width) for item in value]
    parts = [f"{part}," for part in parts[:-1]] + parts[-1:]
    lines = []
    for part in parts:
        fits = lines and "\n" not in lines[-1] + part and indent + 3 + len(lines[-1]) + len(part) <= width
        lines[-1:] = [f"{lines[-1]} {part}"] if fits else lines[-1:] + [part]
    first, last = "{}" if isinstance(value, dict) else "[]"
    pad = " " * indent
    return "\n".join([first] + [f"{pad}  {line}" for line in lines] + [pad + last])


def files(folder):
    """The text of each file, by its name."""
    documents = {}
    for name, source in SOURCES.items():
        with open(os.path.join(folder, os.path.basename(source[2])), encoding="utf-8") as file:
            documents[name] = json.load(file)
    contents = {"stripe": {"examples": {name: documents["stripe"]["resources"][name] for name in STRIPE}}}
    for name, operations in JIRA.items():
        contents[name] = {
            "examples": {key: examples(documents["jira"], line, "/rest/api/3") for key, line in operations.items()}}
    contents["mastodon"] = {"digests": {
        f"{key} {status}": hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        for key, line in MASTODON.items() for status, value in examples(documents["mastodon"], line).items()
        if re.fullmatch("request|20.", status)}}
    return {
        name: text(dict(zip(("source", "commit", "file", "licence"), SOURCES[name.partition("-")[0]])) | content) + "\n"
        for name, content in contents.items()}


def main(arguments):
    writes = arguments[:1] == ["--write"]
    if len(arguments) != 1 + writes:
        raise SystemExit(__doc__)
    faults = 0
    for name, wanted in files(arguments[-1]).items():
        path = os.path.join(PLACE, f"{name}.json")
        if writes:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != wanted:
                print(f"{os.path.relpath(path, ROOT)} is not as the document has it; 'public_examples.py --write {arguments[-1]}'.")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
