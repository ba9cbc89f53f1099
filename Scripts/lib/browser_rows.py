"""Rows of the service's database that no request makes or shows."""

import base64
import contextlib
import hashlib
import os
import secrets
import sqlite3
import time


@contextlib.contextmanager
def database(service):
    """A connection whose changes are committed at the end."""
    connection = sqlite3.connect(os.path.join(service.home, "server.sqlite"), timeout=30)
    with contextlib.closing(connection), connection:
        yield connection


def reset_token(service, user):
    """The token of a link for a user, as if a mail had been sent."""
    token = f"slp_{secrets.token_urlsafe(32)}"
    digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).decode().rstrip("=")
    with database(service) as rows:
        rows.execute(
            "INSERT OR REPLACE INTO password_reset (user_id, token_hash, expires_at) SELECT id, ?, ? FROM app_user WHERE username = ?",
            (digest, int((time.time() + 600) * 1000), user))
    return token


def set_aside_job(service, job, key=None, error=None):
    """A job that failed for the last time."""
    with database(service) as rows:
        rows.execute(
            "INSERT INTO service_job (id, kind, job_key, seq, state, payload, enqueued_at, due_at, attempt, failures, beat, error)"
            " VALUES (?, 'mail', ?, 1, 'failed', '{}', 1, 1, 3, 3, 0, ?)", (job, key, error))
