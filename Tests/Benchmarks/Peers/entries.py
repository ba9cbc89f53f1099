"""A plain FastAPI service with the routes that the benchmark calls. DATABASE and PUBLIC_KEY name its files."""

import os
import sqlite3
import threading
import time
import uuid
from typing import Annotated, Literal

import jwt
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response
from pydantic import BaseModel, Field

COLUMNS = "author, host, id, occurred_at, severity, text, updated_at, version"
with open(os.environ["PUBLIC_KEY"], "rb") as file:
    KEY = file.read()
local = threading.local()
app = FastAPI()


class NewEntry(BaseModel):
    text: str = Field(min_length=1)
    host: str | None = None
    severity: Literal["info", "warning", "critical"]


class Entry(NewEntry):
    author: str
    id: str
    occurred_at: str
    updated_at: str
    version: int


class Page(BaseModel):
    items: list[Entry]
    next_cursor: str | None


def database():
    """The connection of this thread: endpoints with blocking work run in FastAPI's pool of threads."""
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(os.environ["DATABASE"], isolation_level=None, timeout=5)
        local.connection.row_factory = sqlite3.Row
        local.connection.execute("PRAGMA journal_mode = WAL")
        local.connection.execute("PRAGMA synchronous = FULL")
    return local.connection


def person(authorization: Annotated[str, Header()]) -> str:
    try:
        return jwt.decode(authorization.removeprefix("Bearer "), KEY, algorithms=["ES256"], options={"verify_aud": False})["name"]
    except jwt.InvalidTokenError as error:
        raise HTTPException(401, "Send a valid token.") from error


@app.get("/health/live")
async def live():
    return {"status": "live"}


@app.get("/v1/journal/entries")
def page(limit: Annotated[int, Query(ge=1, le=200)], name: Annotated[str, Depends(person)]) -> Page:
    rows = database().execute(
        f"SELECT {COLUMNS} FROM entry ORDER BY occurred_at DESC, id DESC LIMIT ?", (limit + 1,)).fetchall()
    return Page(
        items=[Entry(**row) for row in rows[:limit]], next_cursor=rows[limit - 1]["id"] if len(rows) > limit else None)


@app.get("/v1/journal/entries/{id}")
def one(
    id: str, response: Response, name: Annotated[str, Depends(person)],
    if_none_match: Annotated[str | None, Header()] = None,
) -> Entry:
    row = database().execute(f"SELECT {COLUMNS} FROM entry WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise HTTPException(404, "There is no such entry.")
    tag = f'"{row["version"]}"'
    if if_none_match == tag:
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return Entry(**row)


@app.post("/v1/journal/entries", status_code=201)
def create(new: NewEntry, response: Response, name: Annotated[str, Depends(person)]) -> Entry:
    at = time.time()
    now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03d}Z"
    entry = Entry(author=name, id=str(uuid.uuid4()), occurred_at=now, updated_at=now, version=1, **new.model_dump())
    database().execute(
        f"INSERT INTO entry ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [getattr(entry, column) for column in COLUMNS.split(", ")])
    response.headers["ETag"] = '"1"'
    return entry
