"""An authorization server and its API: django-oauth-toolkit as it comes, with Django's own admin for the login of the user.

Three clients are registered; FOREIGN_SECRET is the secret of `reports`. FOREIGN_LIFE is the life of an access token in seconds,
FOREIGN_DATABASE the file. A path below /slow is the same path after three seconds.

With FOREIGN_KEY, a file with an RSA key, it is an OpenID provider, too, with the clients `strata`, which has the same
secret, and `symmetric`, which has it twice and whose id tokens are signed with it.
"""

import asyncio
import os

import django
from django.conf import settings

key = None
if path_of_key := os.environ.get("FOREIGN_KEY"):
    with open(path_of_key, encoding="ascii") as file:
        key = file.read()
openid = {} if key is None else {
    "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key, "OAUTH2_VALIDATOR_CLASS": f"{__name__}.NamedUsers",
    "SCOPES": {"openid": "Who you are", "profile": "Your name"}}

settings.configure(
    SECRET_KEY="not a secret",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    LOGIN_URL="/admin/login/",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["FOREIGN_DATABASE"]}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
        "django.contrib.messages", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages"]}}],
    LOGGING={
        "version": 1, "disable_existing_loggers": False, "handlers": {"log": {"class": "logging.StreamHandler"}},
        "loggers": {"django.request": {"handlers": ["log"], "level": "ERROR"}}},
    # A slow hash would only slow the run down.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    OAUTH2_PROVIDER={
        "ACCESS_TOKEN_EXPIRE_SECONDS": int(os.environ["FOREIGN_LIFE"]),
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,  # RFC 9207
        "DEVICE_FLOW_INTERVAL": 1,
        "OAUTH_DEVICE_VERIFICATION_URI": os.environ["FOREIGN_ADDRESS"] + "/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{os.environ['FOREIGN_ADDRESS']}/device/?user_code={code}",
        **openid})
django.setup()

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from django.core.management import call_command
from django.http import JsonResponse
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import Application
from oauth2_provider.oauth2_validators import OAuth2Validator


class NamedUsers(OAuth2Validator):
    def get_additional_claims(self):
        return {"preferred_username": lambda request: request.user.username}


@protected_resource(scopes=["read"], advertise_metadata=True)
def whoami(request):
    return JsonResponse(getattr(request.resource_owner, "username", "nobody"), safe=False)


urlpatterns = [
    path("admin/", admin.site.urls), path("whoami", whoami), path("", include("oauth2_provider.urls"))]

call_command("migrate", verbosity=0)
if not User.objects.exists():
    User.objects.create_superuser("ada", password="correct horse")
    for name, kind, grant, extra in (
            ("reports", "confidential", "client-credentials", {"client_secret": os.environ["FOREIGN_SECRET"]}),
            ("tides", "public", "authorization-code", {"redirect_uris": "http://127.0.0.1/callback"}),
            ("tv", "public", "urn:ietf:params:oauth:grant-type:device_code", {})):
        Application.objects.create(
            name=name, client_id=name, client_type=kind, authorization_grant_type=grant, **extra)
    # The path alone counts: django-oauth-toolkit takes any port of a loopback address (RFC 8252).
    for name, algorithm, times in (("strata", "RS256", 1), ("symmetric", "HS256", 2)) if key else ():
        Application.objects.create(
            name=name, client_id=name, client_type="confidential", authorization_grant_type="authorization-code",
            client_secret=os.environ["FOREIGN_SECRET"] * times, hash_client_secret=algorithm == "RS256", algorithm=algorithm,
            redirect_uris="http://127.0.0.1/signin/openid/callback")

server = get_asgi_application()


async def app(scope, receive, send):
    if scope.get("path", "").startswith("/slow/"):
        await asyncio.sleep(3)
        rest = scope["path"][5:]
        scope = {**scope, "path": rest, "raw_path": rest.encode()}
    await server(scope, receive, send)
