"""A server in front of the service that forwards each request, over TLS if need be; and another site."""

import http.client
import http.server
import os
import ssl
import subprocess
import sys
import threading
import urllib.parse


class Web(http.server.ThreadingHTTPServer):
    """A server on a port of its own. It listens from the start, and answers in threads."""

    daemon_threads = True

    def __init__(self, handler, certificate=None):
        super().__init__(("127.0.0.1", 0), handler)
        self.port = self.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake belongs to the thread of the connection: one that a browser opens in advance must not stop the others.
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A browser that has its response, or opened a connection in advance, may reset it."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, fields, content):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


class Relay(Web):
    """Forwards requests to the service at `target`, an address like `http://127.0.0.1:8080`."""

    def __init__(self, target=None, certificate=None):
        self.target = target
        super().__init__(Forward, certificate)

    def passes(self, request, body, response, content):
        """Whether the response goes on; otherwise it is lost, and the connection ends."""
        return True


class Forward(Quiet):
    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.target).netloc, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if not self.server.passes(self, body, response, content):
            self.close_connection = True
            return
        left_out = ("connection", "transfer-encoding", "content-length", "server", "date")
        self.reply(
            response.status, [field for field in response.getheaders() if field[0].lower() not in left_out], content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = forward


class Recorder(Relay):
    """A relay that writes down what a browser sends; with `certificate`, the service is reached over https."""

    def __init__(self, certificate=None):
        self.seen = []
        self.scheme = "https" if certificate else "http"
        super().__init__(certificate=certificate)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def passes(self, request, body, response, content):
        self.seen.append((request.command, request.path, request.headers, response))
        return True

    def take(self, method=None, path=None):
        """Requests since the last time, as (method, path, header, response)."""
        seen, self.seen = self.seen, []
        return [one for one in seen if method in (None, one[0]) and path in (None, one[1].partition("?")[0])]


def new_certificate(folder):
    """The path of a certificate for 127.0.0.1 that no authority signed, with its key."""
    path = os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", path, "-out", f"{path}.public"], check=True, capture_output=True, timeout=60)
    with open(f"{path}.public", encoding="ascii") as public, open(path, "a", encoding="ascii") as file:
        file.write(public.read())
    return path


class Site(Web):
    """Another site. Its pages are empty: the script fills them as their author would. `/hidden` hides its origin."""

    def __init__(self):
        super().__init__(Page)

    def origin(self, host):
        """For a service at 127.0.0.1, `localhost` is another site; 127.0.0.1 is another origin of the same site."""
        return f"http://{host}:{self.port}"


class Page(Quiet):
    def do_GET(self):
        policy = "no-referrer" if self.path == "/hidden" else "origin"
        html = (
            f'<!doctype html><html lang="en"><head><title>Another site</title><meta name="referrer" content="{policy}">'
            '<link rel="icon" href="data:,"></head><body><p>Another site</p></body></html>')
        self.reply(200, [("Content-Type", "text/html; charset=utf-8")], html.encode())
