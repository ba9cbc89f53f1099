"""Authorities and certificates from openssl, and nginx that asks for one."""

import os
import subprocess

from foreign.servers import Server
from processes import free_port

# Port 1 takes any client, port 2 wants a certificate of our authority, port 3 has no TLS. Each answers with a JSON text.
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ }}
http {{
    access_log /dev/stderr;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type application/json;
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.key;
    server {{
        listen 127.0.0.1:{any} ssl;
        location /whoami {{ return 200 '"anyone over TLS"'; }}
    }}
    server {{
        listen 127.0.0.1:{known} ssl;
        ssl_client_certificate {folder}/authority.pem;
        ssl_verify_client on;
        location /whoami {{ return 200 '"$ssl_client_s_dn"'; }}
    }}
    server {{
        listen 127.0.0.1:{plain};
        location /whoami {{ return 200 '"anyone"'; }}
    }}
}}
"""


def new_key(path):
    """Writes an RSA key; the path."""
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path], check=True,
        capture_output=True)
    return path


class Certificates:
    """`NAME.pem` and `NAME.key` of two authorities, a server, and two clients, one of each authority."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("authority", "other"):
            self.openssl(
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self.path(f"{name}.key"),
                "-out", self.path(f"{name}.pem"))
        self.sign("server", "authority", "subjectAltName=IP:127.0.0.1")
        self.sign("client", "authority", "extendedKeyUsage=clientAuth")
        self.sign("stranger", "other", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return os.path.join(self.folder, name)

    def sign(self, name, authority, extension):
        self.openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"),
            "-out", self.path(f"{name}.csr"))
        with open(self.path(f"{name}.ext"), "w", encoding="utf-8") as file:
            file.write(extension + "\n")
        self.openssl(
            "x509", "-req", "-days", "2", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.pem"),
            "-CAkey", self.path(f"{authority}.key"), "-CAcreateserial", "-extfile", self.path(f"{name}.ext"),
            "-out", self.path(f"{name}.pem"))

    def openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=60)


class Nginx(Server):
    """Listens at three ports; `address` is that of any client over TLS, `known` that of clients with a certificate."""

    def __init__(self, folder):
        super().__init__("nginx", folder, lambda _: ["nginx", "-c", configuration], scheme="https")
        configuration = os.path.join(folder, "nginx.conf")
        known, plain = free_port(), free_port()
        self.known, self.plain = f"https://127.0.0.1:{known}", f"http://127.0.0.1:{plain}"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=folder, any=self.port, known=known, plain=plain))
