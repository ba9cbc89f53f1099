"""Cases in front of proxy.py, and of nginx that asks for a certificate of the client."""

from foreign.stage import PASSWORD, comes, expect
from processes import free_port


def through(stage, proxy, *credentials, address=None):
    return ("proxy", address or stage.nginx().address, stage.certificates().path("authority.pem"), proxy.port, *credentials)


def tunnels(proxy):
    return proxy.count(r"CONNECT 127\.0\.0\.1:\d+ - [1-9]")


def tunnel(stage):
    """an https request goes through a tunnel of proxy.py"""
    before = tunnels(stage.proxy())
    expect(stage.answers(*through(stage, stage.proxy())) == ["anyone over TLS"], "another answer")
    comes(lambda: tunnels(stage.proxy()) == before + 1, "the proxy has made no tunnel")


def credentials(stage):
    """a proxy that wants a user gets the password with + % : @ /"""
    proxy = stage.strict_proxy()
    expect(stage.answers(*through(stage, proxy, "ada", PASSWORD)) == ["anyone over TLS"], "another answer")
    comes(lambda: tunnels(proxy) == 1, "the proxy has made no tunnel")


def without_credentials(stage):
    """without a user it refuses the tunnel, and the sentence says where to give one"""
    said = stage.refusal(*through(stage, stage.strict_proxy()))
    expect("asks for a user and a password (407)" in said and "AsyncHTTPOptions(proxy:)" in said, said)


def wrong_credentials(stage):
    """a wrong password is refused with a sentence that does not have it"""
    said = stage.refusal(*through(stage, stage.strict_proxy(), "ada", PASSWORD + PASSWORD))
    expect("does not accept the user and the password (407)" in said, said)


def plain(stage):
    """an http request goes to the proxy with its whole URL"""
    for proxy, words in ((stage.proxy(), ()), (stage.strict_proxy(), ("ada", PASSWORD))):
        lines = stage.answers(*through(stage, proxy, *words, address=stage.nginx().plain))
        expect(lines == ["anyone"], f"{lines}")
        comes(lambda: proxy.count("GET 127.*whoami") == 1, "the proxy has no such request")


def unreachable(stage):
    """a server that the proxy cannot reach is a sentence with the proxy in it"""
    said = stage.refusal(*through(stage, stage.proxy(), address=f"https://127.0.0.1:{free_port()}"))
    expect("refused to connect to the server" in said and str(stage.proxy().port) in said, said)


def known(stage, name):
    path = stage.certificates().path
    return ("certificate", stage.nginx().known, path("authority.pem"), path(f"{name}.pem"), path(f"{name}.key"))


def certificate(stage):
    """nginx takes a client with a certificate of its authority"""
    expect(stage.answers(*known(stage, "client")) == ["CN=client"], "another name")


def no_certificate(stage):
    """without a certificate nginx refuses the request, and the sentence says so"""
    said = stage.refusal("get", stage.nginx().known, stage.certificates().path("authority.pem"))
    expect("certificate" in said.lower() and "400" in said, said)


def strange_certificate(stage):
    """nginx refuses a certificate of another authority, and the sentence says so"""
    said = stage.refusal(*known(stage, "stranger"))
    expect("certificate" in said.lower(), said)


def strange_server(stage):
    """a server whose authority is not trusted gets no request"""
    said = stage.refusal("get", stage.nginx().address + "/strange", stage.certificates().path("other.pem"))
    expect("not from an authority that is trusted here" in said, said)
    expect(stage.nginx().count("GET /strange") == 0, "nginx got the request")


PROXY = [tunnel, credentials, without_credentials, wrong_credentials, plain, unreachable]
NGINX = [certificate, no_certificate, strange_certificate, strange_server]
