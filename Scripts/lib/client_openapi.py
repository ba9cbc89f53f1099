"""A Python client, generated from the OpenAPI document of a running server, and used without a change.

Scripts/client-openapi starts it and explains the options.
"""

import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

from arguments import Parser
from service import Failure, Service, expect


def generate(document, folder):
    path = os.path.join(folder, "openapi.json")
    with open(path, "w") as file:
        json.dump(document, file)
    tools = os.path.dirname(sys.executable)
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ.get("PATH", "")}
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", path, "--meta", "none", "--overwrite",
         "--output-path", os.path.join(folder, "generated")],
        env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"openapi-python-client failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    warnings = [line for line in done.stdout.splitlines() if "WARNING" in line]
    print(f"    a client is generated, with {len(warnings)} warnings", flush=True)
    for warning in warnings:
        print(f"        {warning}")
    sys.path.insert(0, folder)


def api(name):
    return importlib.import_module(f"generated.api.{name}")


def use(service):
    models = importlib.import_module("generated.models")
    types = importlib.import_module("generated.types")
    client_module = importlib.import_module("generated.client")
    stranger = client_module.Client(base_url=service.url)
    wrong = api("sessions.log_in").sync(
        client=stranger, body=models.Credentials(username="admin", password="wrong password"))
    expect(str(getattr(wrong, "code", "")).endswith("invalid_credentials"), "a wrong password is refused", wrong)
    tokens = api("sessions.log_in").sync(
        client=stranger, body=models.Credentials(username="admin", password=service.password))
    client = client_module.AuthenticatedClient(base_url=service.url, token=tokens.access_token)
    me = api("me.get_me").sync(client=client)
    expect(me.username == "admin", "it logs in, and the server knows its user")

    created = api("runbooks.create_runbook").sync(
        client=client, body=models.RunbookFields(title="Restart", body="Off and on.", tags=["power"]))
    expect(created.id and created.title == "Restart", "it creates a runbook")
    for number in range(4):
        api("runbooks.create_runbook").sync(
            client=client, body=models.RunbookFields(title=f"Runbook {number}", body="Text."))
    titles, cursor, pages = [], types.UNSET, 0
    while True:
        page = api("runbooks.list_runbooks").sync(client=client, limit=2, cursor=cursor)
        titles += [item.title for item in page.items]
        pages += 1
        if not page.next_cursor:
            break
        cursor = page.next_cursor
    expect(len(titles) == 5 and pages == 3, "it lists five runbooks in three pages", titles)

    found = api("runbooks.get_runbook").sync_detailed(client=client, id=created.id)
    tag = found.headers["ETag"]
    edit = models.RunbookFields(title="Restart", body="Off, wait, on.", tags=["power"])
    edited = api("runbooks.update_runbook").sync(client=client, id=created.id, if_match=tag, body=edit)
    expect(edited.body == "Off, wait, on." and edited.version > created.version, "it edits a runbook with If-Match")
    stale = api("runbooks.update_runbook").sync_detailed(client=client, id=created.id, if_match=tag, body=edit)
    expect(
        stale.status_code == 412 and str(stale.parsed.code).endswith("version_mismatch"),
        "an edit of an older version is refused as version_mismatch", stale)

    entry = models.CreateJournalEntryBody.from_dict({"text": "The disk is full.", "host": "web-1", "severity": "critical"}) \
        if hasattr(models, "CreateJournalEntryBody") else None
    if entry is None:
        raise Failure("the generated client has no body for a journal entry")
    entry = api("journal.create_journal_entry").sync(client=client, body=entry)
    content = bytes(range(256)) * 4096
    uploaded = api("journal.upload_attachment").sync_detailed(
        client=client, id=entry.id, idempotency_key="upload-1", body=models.UploadAttachmentBody(
            file=types.File(payload=io.BytesIO(content), file_name="disk.img", mime_type="application/octet-stream")))
    expect(uploaded.status_code == 201, "it uploads a file of 1 MiB", uploaded)
    listed = api("journal.list_attachments").sync(client=client, id=entry.id)
    expect([item.id for item in listed.items] == [uploaded.parsed.id], "it lists the file")
    whole = api("attachments.get_attachment_content").sync_detailed(client=client, id=uploaded.parsed.id)
    expect(whole.content == content, "it downloads the same bytes")
    part = api("attachments.get_attachment_content").sync_detailed(
        client=client, id=uploaded.parsed.id, range_="bytes=1000-1999")
    expect(part.status_code == 206 and part.content == content[1000:2000], "it downloads a part of them")
    ended = api("sessions.end_session").sync_detailed(client=client, target="current")
    expect(ended.status_code == 204, "it logs out")


def main(arguments):
    parser = Parser("Scripts/client-openapi")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args(arguments)
    if options.binary == "-":  # only the arguments are checked
        return 0
    folder = tempfile.mkdtemp(prefix="shiftlog-client-")
    try:
        with Service(options.binary) as service:
            generate(service.call("GET", "/openapi.json"), folder)
            use(service)
        service.remove()
    finally:
        if options.keep:
            print(f"client: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(str(failure))
