"""A second authorization server: authlib's provider classes in Flask, with everything in the memory of the process.

It reads the credentials of a client in another way than django-oauth-toolkit, and says `slow_down` to a device. FOREIGN_SECRET is the
secret of the client `reports`; `tv` has none. Whoever posts a code to /allow or /refuse is the user ada.
"""

import hmac
import os
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from flask import Flask, jsonify, request

app = Flask(__name__)
devices, decisions, tokens = {}, {}, {}


class Client(ClientMixin):
    def __init__(self, name, secret, grant):
        self.name, self.secret, self.grant = name, secret, grant

    def get_client_id(self):
        return self.name

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_client_secret(self, client_secret):
        return hmac.compare_digest(self.secret.encode(), client_secret.encode())

    def check_endpoint_auth_method(self, method, endpoint):
        return (method == "none") != bool(self.secret)

    def check_grant_type(self, grant_type):
        return grant_type == self.grant


class Token(dict, TokenMixin):
    def is_expired(self):
        return False

    def is_revoked(self):
        return False

    def get_scope(self):
        return self.get("scope", "")


class Device(DeviceCodeGrant):
    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        """The first poll is told so."""
        credential["polls"] = credential.get("polls", 0) + 1
        return credential["polls"] == 1


class DeviceAuthorization(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return request.host_url + "allow"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            client_id=client_id, scope=scope, user_code=data["user_code"], expires_at=time.time() + data["expires_in"])


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return tokens.get(token_string)


def save_token(token, made_for):
    tokens[token["access_token"]] = Token(token, user=made_for.user, client=made_for.client.name)


clients = {
    "reports": Client("reports", os.environ["FOREIGN_SECRET"], grants.ClientCredentialsGrant.GRANT_TYPE),
    "tv": Client("tv", "", DeviceCodeGrant.GRANT_TYPE)}
server = AuthorizationServer(app, clients.get, save_token)
server.register_grant(
    type("ClientCredentials", (grants.ClientCredentialsGrant,), {
        "TOKEN_ENDPOINT_AUTH_METHODS": ["client_secret_basic", "client_secret_post"]}))
server.register_grant(Device)
server.register_endpoint(DeviceAuthorization)
protected = ResourceProtector()
protected.register_token_validator(Validator())


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/device")
def device():
    return server.create_endpoint_response("device_authorization")


@app.post("/<any(allow, refuse):decision>")
def decide(decision):
    decisions[request.form["user_code"]] = ("ada", decision == "allow")
    return "Done.\n"


@app.get("/whoami")
@protected("read")
def whoami():
    return jsonify(current_token["user"] or current_token["client"])
