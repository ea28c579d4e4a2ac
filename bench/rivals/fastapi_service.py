"""The same calls as the service answers, as one writes them with FastAPI and asyncpg.

It does the work of a registration that costs most, and no more: one transaction with the rows that
bench/upsert.sql writes; a report that is stored already is one read. There are no keys, no
validation and no texts of catalogs. What a profile has is in bench_profile.
"""

import json
import os
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse

APP = int(os.environ["BENCH_APP"])
COLUMNS = (
    "platform, environment, apns_status, voip_status, languages, facets, locale, time_zone, "
    "app_build, app_build_order, os_version, os_version_order, device_model, localization, "
    'capabilities, "authorization", tags, attributes, reported_at'
)
READ = """
    SELECT installation_id, apns_token, voip_token, apns_status, languages, locale, time_zone,
      app_version, app_build, os_version, device_model, localization, capabilities,
      "authorization", user_id, tags, attributes, language_override, revision
    FROM installation WHERE app_id = $1 AND installation_id = $2
"""
WRITE = f"""
    INSERT INTO installation AS i (app_id, installation_id, revision, apns_token, voip_token,
      apns_registered_at, apns_presented_at, voip_registered_at, voip_presented_at, app_version,
      app_version_order, user_id, created_at, updated_at, last_seen_at, {COLUMNS})
    SELECT $1, $2, 1, $3::bytea, $4::bytea,
      CASE WHEN $3::bytea IS NOT NULL THEN now() END,
      CASE WHEN $3::bytea IS NOT NULL THEN now() END,
      CASE WHEN $4::bytea IS NOT NULL THEN now() END,
      CASE WHEN $4::bytea IS NOT NULL THEN now() END,
      $5, $6::bigint[], $7, now(), now(), now(), {COLUMNS}
    FROM bench_profile WHERE number = $8
    ON CONFLICT (app_id, installation_id) DO UPDATE SET
      revision = i.revision + 1, apns_token = excluded.apns_token,
      voip_token = excluded.voip_token, apns_registered_at = excluded.apns_registered_at,
      apns_presented_at = excluded.apns_presented_at,
      voip_registered_at = excluded.voip_registered_at,
      voip_presented_at = excluded.voip_presented_at, app_version = excluded.app_version,
      app_version_order = excluded.app_version_order, updated_at = excluded.updated_at,
      last_seen_at = excluded.last_seen_at, facets = excluded.facets
"""
LEDGER = """
    INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at,
      moved_from)
    SELECT $1, 'production', kind, token, owner, now(), former
    FROM unnest($2::text[], $3::bytea[], $4::uuid[], $5::uuid[]) AS x (kind, token, owner, former)
    ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
      installation_id = excluded.installation_id, registered_at = excluded.registered_at,
      moved_from = excluded.moved_from
"""
HISTORY = """
    INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
    SELECT $1, $2, now(), 'production', kind, token, event, 'backend'
    FROM unnest($3::text[], $4::bytea[], $5::text[]) AS x (kind, token, event)
"""


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.pool = await asyncpg.create_pool(
        host=os.environ["BENCH_SOCKET"], user="postilion", database="postilion",
        min_size=16, max_size=16)
    yield
    await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


@app.get("/healthz")
async def healthz():
    return PlainTextResponse("ok\n")


@app.put("/v1/apps/bench/installations/{installation_id}")
async def put(installation_id: str, request: Request):
    report = await request.json()
    tokens = {
        kind: bytes.fromhex(credential["token"])
        for kind, credential in report["credentials"].items()
    }
    version = report["app_version"]
    async with request.app.state.pool.acquire() as connection:
        stored = await connection.fetchrow(READ, APP, installation_id)
        if stored is not None and stored["app_version"] == version and all(
                stored[f"{kind}_token"] == tokens.get(kind) for kind in ("apns", "voip")):
            return JSONResponse({"installation_id": installation_id, "applied": True})
        async with connection.transaction():
            await write(connection, installation_id, report, version, tokens, stored)
    return JSONResponse({"installation_id": installation_id, "applied": True})


async def write(connection, installation_id, report, version, tokens, stored):
    ledger, history = [], []
    for kind, token in tokens.items():
        old = stored and stored[f"{kind}_token"]
        ledger.append((kind, token, installation_id, None))
        if old is not None:
            ledger.append((kind, old, None, installation_id))
            history.append((kind, old, "replaced"))
        history.append((kind, token, "registered" if old is None else "rotated"))
    order = [int(part) for part in version.split(".")]
    await connection.execute(
        WRITE, APP, installation_id, tokens.get("apns"), tokens.get("voip"), version, order,
        report["user"]["id"], int(installation_id[-12:], 16) % int(os.environ["BENCH_PROFILES"]))
    if tokens:
        await connection.execute(LEDGER, APP, *(list(column) for column in zip(*ledger)))
        await connection.execute(
            HISTORY, APP, installation_id, *(list(column) for column in zip(*history)))


@app.post("/v1/apps/bench/render")
async def render(request: Request):
    body = await request.json()
    async with request.app.state.pool.acquire() as connection:
        stored = await connection.fetchrow(READ, APP, body["to"]["installation"])
    arguments = body["arguments"]
    alert = {
        "title": "Order received",
        "body": f"{arguments['name']}, your order {arguments['order']} is ready to be picked up.",
    }
    return JSONResponse({
        "deliveries": [{
            "installation_id": str(stored["installation_id"]),
            "token": stored["apns_token"].hex(),
            "payload": json.dumps({"aps": {"alert": alert, "sound": "default"}}),
            "language": stored["languages"][0],
        }],
    })
