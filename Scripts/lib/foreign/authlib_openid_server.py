"""A second OpenID provider: authlib's classes in Flask, with everything in the memory of the process.

It takes the client secret in the body alone, names itself in each answer to the browser (RFC 9207), and signs with other keys than
django-oauth-toolkit: the clients `ES256`, `PS256` and `EdDSA` get id tokens of that algorithm. FOREIGN_SECRET is the secret of each.
Whoever sends the form of /authorize is the user Ada.
"""

import hmac
import os
import time
import types

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

app = Flask(__name__)
address, codes = os.environ["FOREIGN_ADDRESS"], {}
ada = types.SimpleNamespace(subject="ada|1815")
keys = KeySet([
    make(size, {"use": "sig", "alg": algorithm, "kid": algorithm}) for algorithm, make, size in (
        ("ES256", ECKey.generate_key, "P-256"), ("PS256", RSAKey.generate_key, 2048), ("EdDSA", OKPKey.generate_key, "Ed25519"))])


class Client(ClientMixin):
    def __init__(self, name):
        self.id_token_signed_response_alg = name

    def get_client_id(self):
        return self.id_token_signed_response_alg

    def get_allowed_scope(self, scope):
        return scope

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri.startswith("http://127.0.0.1:") and redirect_uri.endswith("/signin/openid/callback")

    def check_client_secret(self, client_secret):
        return hmac.compare_digest(os.environ["FOREIGN_SECRET"].encode(), client_secret.encode())

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_post"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type == "authorization_code"


class Code(types.SimpleNamespace, AuthorizationCodeMixin):
    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_post"]

    def save_authorization_code(self, code, request):
        data = request.payload.data
        codes[code] = Code(
            code=code, client=request.client, redirect_uri=request.payload.redirect_uri, scope=request.scope, user=request.user,
            nonce=data.get("nonce"), auth_time=int(time.time()), code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client is client else None

    def delete_authorization_code(self, authorization_code):
        del codes[authorization_code.code]

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class IDTokens(OpenIDCode):
    def exists_nonce(self, nonce, request):
        return any(code.nonce == nonce for code in codes.values())

    def resolve_client_private_key(self, client):
        return keys.get_by_kid(client.get_client_id())

    def get_encode_header(self, client):
        return {"alg": client.get_client_id(), "kid": client.get_client_id()}

    def get_client_claims(self, client):
        return {"iss": address, "aud": [client.get_client_id()]}

    def generate_user_info(self, user, scope):
        return UserInfo(sub=user.subject, preferred_username="Ada L.")


class Issuer(IssuerParameter):
    def get_issuer(self):
        return address


clients = {name: Client(name) for name in ("ES256", "PS256", "EdDSA")}
server = AuthorizationServer(app, clients.get, lambda token, made_for: None)
server.register_grant(CodeGrant, [CodeChallenge(required=True), IDTokens(require_nonce=True)])
server.register_extension(Issuer())


@app.get("/.well-known/openid-configuration")
def configuration():
    return jsonify({
        "issuer": address, "authorization_endpoint": f"{address}/authorize", "token_endpoint": f"{address}/token",
        "jwks_uri": f"{address}/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": list(clients), "scopes_supported": ["openid", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_post"], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True})


@app.get("/keys")
def public_keys():
    return jsonify(keys.as_dict(private=False))


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    grant = server.get_consent_grant(end_user=ada)
    if request.method == "GET":
        return '<form method="post"><button name="allow" value="yes">Allow</button> <button>Refuse</button></form>'
    return server.create_authorization_response(grant_user=ada if "allow" in request.form else None, grant=grant)


@app.post("/token")
def token():
    return server.create_token_response()
