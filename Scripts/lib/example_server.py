"""The server of the examples: an API that is not Strata's, in the forms that foreign APIs have."""

import base64
import hashlib
import hmac
import http.server
import json
import sys
import urllib.parse

REPOSITORY = {"full_name": "ada/engine", "stargazers_count": 42}
CONTENT = bytes(number % 251 for number in range(300_000))
DIGEST = "sha-256=:" + base64.b64encode(hashlib.sha256(CONTENT).digest()).decode() + ":"


class ExampleServer(http.server.ThreadingHTTPServer):
    """Answers the examples. Each run of an example has a server of its own."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.has_broken_off = False
        self.polls = 0
        self.challenge = None
        self.uploaded = b""
        self.todos = {7: "Write the report"}

    def handle_error(self, request, client_address):
        """A client that has its response may reset the connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, fields=(), media_type="application/json"):
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while (size := int(self.rfile.readline(), 16)) > 0:
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        name = self.command.lower() + url.path.replace("/", "_").replace(".", "_").replace("-", "_").rstrip("_")
        if url.path.startswith("/todos"):
            return self.todo(url.path.removeprefix("/todos").strip("/"))
        route = getattr(self, name, None)
        if route is None:
            self.body()
            return self.answer(404, {"message": f"There is no {url.path}."})
        return route(query)

    # MARK: Resumable uploads (draft-ietf-httpbis-resumable-upload)

    def post_recordings(self, _):
        """Begins an upload without content."""
        begins = self.body() == b"" and self.headers["Upload-Complete"] == "?0"
        fields = [("Location", "/recordings/1"), ("Upload-Complete", "?0"), ("Upload-Offset", "0")]
        self.answer(201 if begins else 400, None, fields if begins else ())

    def head_recordings_1(self, _):
        size = len(self.server.uploaded)
        self.answer(200, None, [("Upload-Offset", str(size)), ("Upload-Complete", "?1" if size == len(CONTENT) else "?0")])

    def patch_recordings_1(self, _):
        """Takes 100,000 bytes of the first request, and breaks off."""
        if int(self.headers["Upload-Offset"]) != len(self.server.uploaded):
            self.body()
            return self.answer(409)
        if not self.server.has_broken_off:
            self.server.has_broken_off = True
            self.server.uploaded = self.rfile.read(100_000)
            self.close_connection = True
            return None
        self.server.uploaded += self.body()
        right = self.server.uploaded == CONTENT and self.headers["Upload-Complete"] == "?1"
        return self.answer(201 if right else 400, len(self.server.uploaded), [("Upload-Complete", "?1")])

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

    # MARK: Tasks

    def todo(self, key):
        """A list of tasks to which the server gives the ids."""
        todos, body, key = self.server.todos, self.body(), int(key or 0)
        if self.command == "GET":
            return self.answer(200, [{"id": number, "title": title} for number, title in todos.items()])
        if self.command == "DELETE":
            return self.answer(204 if todos.pop(key, None) else 404)
        if self.command == "POST":
            key = max(todos) + 1
        elif key not in todos:
            return self.answer(404)
        todos[key] = json.loads(body)["title"]
        return self.answer(201 if self.command == "POST" else 200, {"id": key, "title": todos[key]})

    # MARK: Calls

    def get_repos_ada_engine(self, _):
        status = 200 if self.headers["Authorization"] == "Bearer t-123" else 401
        self.answer(status, REPOSITORY)

    def get_search(self, query):
        right = query == {"topic": ["clocks & gears"], "min_stars": ["5"], "sort": ["stars", "name"]}
        self.answer(200 if right else 422, [REPOSITORY, {"full_name": "ada/loom", "stargazers_count": 7}])

    def get_invoices_7(self, _):
        self.answer(200, {"invoiceId": 7, "createdAt": 1_795_255_200_000, "status": "void", "dueAt": None})

    def patch_invoices_7(self, _):
        self.answer(204 if self.body() == b'{"dueAt":null}' else 422)

    def get_invoices_8(self, _):
        self.answer(404, {"message": "There is no invoice 8.", "supportId": "S-99"})

    def get_tenant(self, _):
        self.answer(200, self.headers["X-Tenant"])

    def post_signed(self, _):
        body = self.body()
        text = "\n".join(["POST", "/signed", self.headers["X-Time"], hashlib.sha256(body).hexdigest()])
        code = base64.b64encode(hmac.new(b"hunter2", text.encode(), "sha256").digest()).decode()
        right = self.headers["Authorization"] == f"HMAC ada:{code}"
        self.answer(200 if right else 401, json.loads(body))

    def get_reports(self, _):
        """Signed with AWS Signature Version 4."""
        time, names = self.headers["X-Amz-Date"], ["host", "x-amz-content-sha256", "x-amz-date"]
        query = "&".join(sorted(self.path.partition("?")[2].split("&")))
        fields = "".join(f"{name}:{self.headers[name]}\n" for name in names)
        parts = ["GET", "/reports", query, fields, ";".join(names), hashlib.sha256(b"").hexdigest()]
        scope = f"{time[:8]}/eu-central-1/s3/aws4_request"
        request = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        key = b"AWS4hunter3"
        for part in [*scope.split("/"), f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{request}"]:
            key = hmac.new(key, part.encode(), "sha256").digest()
        wanted = f"AWS4-HMAC-SHA256 Credential=AKEXAMPLE/{scope}, SignedHeaders={';'.join(names)}, Signature={key.hex()}"
        self.answer(200 if self.headers["Authorization"] == wanted else 403, ["a & b.txt"])

    # MARK: Pages and streams

    def get_items(self, query):
        page = int(query.get("page", ["1"])[0])
        ids = list(range(2 * page - 1, min(2 * page, 5) + 1))
        link = [("Link", f'</items?page={page + 1}>; rel="next"')] if page < 3 else []
        self.answer(200, [{"id": number} for number in ids], link)

    def get_search_items(self, query):
        start = int(query.get("after", ["0"])[0])
        ids = list(range(start + 1, min(start + 2, 5) + 1))
        self.answer(200, {"items": [{"id": number} for number in ids], "next": str(ids[-1]) if ids[-1] < 5 else None})

    def get_changes(self, _):
        start = int(self.headers.get("Last-Event-ID") or 0)
        words = ["one", "two", "three", "four", "five", "six"][start:start + 2]
        text = "retry: 100\n\n" + "".join(
            f'id: {start + number + 1}\ndata: {{"text":"{word}"}}\n\n' for number, word in enumerate(words))
        self.answer(200, text.encode(), media_type="text/event-stream")

    def get_export(self, _):
        rows = "".join(f'{{"id":{number}}}\n' for number in range(1000))
        self.answer(200, rows.encode(), media_type="application/x-ndjson")

    # MARK: Transfers

    def post_files(self, _):
        body = self.body()
        begin = body.index(b"\r\n\r\n", body.index(b'name="file"')) + 4
        self.answer(200, body.rindex(b"\r\n--") - begin)

    def get_content(self, _):
        start = int(self.headers.get("Range", "bytes=0-")[6:].split("-")[0])
        fields = [("ETag", '"c1"'), ("Repr-Digest", DIGEST), ("Accept-Ranges", "bytes")]
        if start:
            fields.append(("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"))
        rest = CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(rest)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        if not self.server.has_broken_off:
            self.server.has_broken_off = True
            self.wfile.write(rest[:100_000])
            self.close_connection = True
            return
        self.wfile.write(rest)

    # MARK: OAuth

    def get__well_known_oauth_authorization_server(self, _):
        base = self.server.url
        self.answer(200, {
            "issuer": base, "token_endpoint": base + "/oauth/token", "authorization_endpoint": base + "/authorize",
            "device_authorization_endpoint": base + "/device_authorization", "response_types_supported": ["code"]})

    def post_device_authorization(self, _):
        self.body()
        self.answer(200, {
            "device_code": "d-1", "user_code": "WDJB-MJHT", "verification_uri": self.server.url + "/device",
            "expires_in": 600, "interval": 1})

    def get_authorize(self, query):
        self.server.challenge = query["code_challenge"][0]
        answer = urllib.parse.urlencode({"code": "c-1", "state": query["state"][0], "iss": self.server.url})
        self.answer(302, None, [("Location", query["redirect_uri"][0] + "?" + answer)])

    def post_oauth_token(self, _):
        form = {name: values[0] for name, values in urllib.parse.parse_qs(self.body().decode()).items()}
        kind = form.get("grant_type")
        if kind == "client_credentials":
            pair = base64.b64decode(self.headers.get("Authorization", "Basic ")[6:]).decode()
            identity = [urllib.parse.unquote_plus(part) for part in pair.split(":")]
            return self.token("reports") if identity == ["reports", "p+%s"] else self.answer(401, {"error": "invalid_client"})
        if kind == "urn:ietf:params:oauth:grant-type:device_code":
            self.server.polls += 1
            return self.token("ada") if self.server.polls > 1 else self.answer(400, {"error": "authorization_pending"})
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        right = base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.server.challenge and form.get("code") == "c-1"
        return self.token("ada") if right else self.answer(400, {"error": "invalid_grant"})

    def token(self, name):
        self.answer(200, {"access_token": f"a-{name}", "token_type": "Bearer", "expires_in": 3600})

    def get_whoami(self, _):
        given = self.headers.get("Authorization", "")
        self.answer(200 if given.startswith("Bearer a-") else 401, given.removeprefix("Bearer a-"))
