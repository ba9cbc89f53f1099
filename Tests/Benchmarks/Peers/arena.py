"""The entry of FastAPI for Scripts/bench arena. DATASET_PATH, DATABASE_URL and DATABASE_MAX_CONN are those of HttpArena."""

import json
import os
import time
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel

COLUMNS = "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count FROM items "
LIFETIME = 0.2  # of an item in the cache, in seconds; the rules give it
with open(os.environ["DATASET_PATH"], encoding="utf-8") as file:
    DATASET = json.load(file)
cache = {}


async def prepare(connection):
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")


@asynccontextmanager
async def lifespan(application):
    most = int(os.environ["DATABASE_MAX_CONN"])
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=most, init=prepare) as pool:
        application.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


class Draft(BaseModel):
    name: str
    price: int
    quantity: int


class NewItem(Draft):
    id: int
    category: str


def item(row):
    found = dict(row)
    found["rating"] = {"score": found.pop("rating_score"), "count": found.pop("rating_count")}
    return found


@app.get("/baseline11")
async def baseline(a: int, b: int):
    return PlainTextResponse(str(a + b))


@app.get("/json/{count}")
async def priced(count: int, m: int = 1):
    items = [{**one, "total": one["price"] * one["quantity"] * m} for one in DATASET[:max(0, count)]]
    return JSONResponse({"items": items, "count": len(items)})


@app.get("/async-db")
async def found(min: int = 10, max: int = 50, limit: int = 50):
    limit = 1 if limit < 1 else 50 if limit > 50 else limit
    rows = await app.state.pool.fetch(f"{COLUMNS}WHERE price BETWEEN $1 AND $2 LIMIT $3", min, max, limit)
    return JSONResponse({"items": [item(row) for row in rows], "count": len(rows)})


@app.get("/crud/items")
async def page(category: str = "electronics", page: int = 1, limit: int = 10):
    page, limit = max(1, page), min(50, max(1, limit))
    rows = await app.state.pool.fetch(
        f"{COLUMNS}WHERE category = $1 ORDER BY id LIMIT $2 OFFSET $3", category, limit, (page - 1) * limit)
    return JSONResponse({"items": [item(row) for row in rows], "total": len(rows), "page": page, "limit": limit})


@app.get("/crud/items/{id}")
async def one(id: int):
    value, end = cache.get(id, (None, 0))
    if time.monotonic() < end:
        return JSONResponse(value, headers={"X-Cache": "HIT"})
    row = await app.state.pool.fetchrow(f"{COLUMNS}WHERE id = $1", id)
    if row is None:
        raise HTTPException(404, "There is no such item.")
    value = item(row)
    cache[id] = value, time.monotonic() + LIFETIME
    return JSONResponse(value, headers={"X-Cache": "MISS"})


@app.post("/crud/items")
async def create(new: NewItem):
    await app.state.pool.execute(
        "INSERT INTO items (id, name, category, price, quantity, active, tags, rating_score, rating_count) "
        "VALUES ($1, $2, $3, $4, $5, true, '[\"bench\"]', 0, 0) "
        "ON CONFLICT (id) DO UPDATE SET name = excluded.name, price = excluded.price, quantity = excluded.quantity",
        new.id, new.name, new.category, new.price, new.quantity)
    return JSONResponse(new.model_dump(), 201)


@app.put("/crud/items/{id}")
async def update(id: int, draft: Draft):
    done = await app.state.pool.execute(
        "UPDATE items SET name = $1, price = $2, quantity = $3 WHERE id = $4", draft.name, draft.price, draft.quantity, id)
    if done == "UPDATE 0":
        raise HTTPException(404, "There is no such item.")
    cache.pop(id, None)
    return JSONResponse({"id": id, **draft.model_dump()})
