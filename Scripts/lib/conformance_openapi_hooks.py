"""What schemathesis does before its requests: it logs in, and it sends from 200 addresses.

The generated requests end sessions and delete users, the own ones too. Each login therefore makes sure of its account. The
address in X-Forwarded-For, which the server trusts here, keeps the rate limits away from requests that test other things.
"""

import itertools
import os

import schemathesis

from service import Service

PASSWORD = os.environ["STRATA_PASSWORD"]
addresses = itertools.count()


class Login:
    """A token of an administrator. A response 401 fetches a new one."""

    def __init__(self):
        self.service = Service.__new__(Service)
        self.service.program, self.service.binaries = "shiftlog", os.environ["STRATA_BINARIES"]
        self.service.environment, self.service.url = dict(os.environ), os.environ["STRATA_URL"]
        self.service.password = PASSWORD
        self.names = itertools.count()

    def get(self, case, context):
        name = f"tester-{os.getpid()}-{next(self.names)}"
        self.service.create_user(name)
        return self.service.token(name)

    def set(self, case, token, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


if PASSWORD:
    schemathesis.auth(refresh_interval=600, retry_on=[401])(Login)


@schemathesis.hook
def before_call(context, case, **arguments):
    number = next(addresses)
    case.headers = {**(case.headers or {}), "X-Forwarded-For": f"10.0.0.{number % 200 + 1}"}
    # A deadline that has passed is answered with 504, as documented; 0 is refused.
    if "X-Request-Deadline-Ms" in case.headers:
        try:
            sent = int(case.headers["X-Request-Deadline-Ms"])
        except (TypeError, ValueError):
            sent = None
        if sent is not None and 1 <= sent < 120_000:
            case.headers["X-Request-Deadline-Ms"] = "120000"
    # A repeated key repeats the stored response, whatever the other fields are; here each request is about itself.
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and 0 < len(key) < 200 and all("!" <= character <= "~" for character in key):
        case.headers["Idempotency-Key"] = f"{key}-{os.getpid()}-{number}"
    # A long poll may wait for 30 seconds; one second shows the same.
    wait = (case.query or {}).get("wait")
    if isinstance(wait, int) and not isinstance(wait, bool) and 1 < wait <= 30:
        case.query = {**case.query, "wait": 1}
