"""What must hold in the registry's tables after whatever happened to it."""

import collections

# The tokens of all installations, one in each row. `OFFSET 0` keeps the planner from taking the two
# apart, which it would compare row by row.
HELD_TOKENS = """
  SELECT i.app_id, i.installation_id, i.environment, k.kind, k.token, k.status
  FROM installation AS i CROSS JOIN LATERAL (VALUES ('apns', i.apns_token, i.apns_status),
    ('voip', i.voip_token, i.voip_status)) AS k (kind, token, status)
  WHERE k.token IS NOT NULL
  UNION ALL
  SELECT i.app_id, i.installation_id, k.environment, k.kind, decode(k.token, 'hex'), k.status
  FROM installation AS i CROSS JOIN LATERAL jsonb_to_recordset(i.other_credentials::jsonb)
    AS k (environment text, kind text, token text, status text)
  OFFSET 0"""

# The latest event of each token.
LATEST_EVENTS = """
  SELECT DISTINCT ON (app_id, environment, kind, token)
    app_id, environment, kind, token, event, installation_id
  FROM token_history ORDER BY app_id, environment, kind, token, id DESC"""

# Each selects what breaks a rule; a sound registry answers nothing.
INVARIANTS = {
    "each token of an installation is its own in the ledger": f"""
        SELECT held.app_id, held.installation_id, held.kind FROM ({HELD_TOKENS}) AS held
        LEFT JOIN token_owner AS t USING (app_id, environment, kind, token)
        WHERE t.installation_id IS DISTINCT FROM held.installation_id""",
    "each owner in the ledger has the token": f"""
        SELECT t.app_id, t.installation_id, t.kind FROM token_owner AS t
        LEFT JOIN ({HELD_TOKENS}) AS held
          USING (app_id, installation_id, environment, kind, token)
        WHERE t.installation_id IS NOT NULL AND held.status IS NULL
          AND t.app_id IN (SELECT id FROM app WHERE deleted_at IS NULL)""",
    "no two installations of an app have a token": f"""
        SELECT app_id, environment, kind, token FROM ({HELD_TOKENS}) AS held
        GROUP BY 1, 2, 3, 4 HAVING count(*) > 1""",
    "the two tokens of an installation differ": """
        SELECT app_id, installation_id FROM installation WHERE apns_token = voip_token""",
    "the latest event of a token that is in use gave it to its installation": f"""
        SELECT t.app_id, t.installation_id, latest.event FROM token_owner AS t
        JOIN ({LATEST_EVENTS}) AS latest USING (app_id, environment, kind, token)
        WHERE t.installation_id IS NOT NULL
          AND (event IN ('removed', 'replaced') OR latest.installation_id <> t.installation_id)""",
    "the latest event of a token says its status": f"""
        SELECT held.app_id, held.installation_id, event, status FROM ({HELD_TOKENS}) AS held
        JOIN ({LATEST_EVENTS}) AS latest USING (app_id, environment, kind, token)
        WHERE status <> CASE event WHEN 'invalidated' THEN 'invalid'
          WHEN 'quarantined' THEN 'quarantined' ELSE 'active' END""",
    "each token that is in use has a history": """
        SELECT t.app_id, t.installation_id FROM token_owner AS t
        WHERE t.installation_id IS NOT NULL AND NOT EXISTS (
          SELECT FROM token_history AS h WHERE h.app_id = t.app_id AND h.token = t.token
            AND h.environment = t.environment AND h.kind = t.kind)""",
    "an installation's times are in order": """
        SELECT app_id, installation_id FROM installation
        WHERE updated_at < created_at OR last_seen_at < created_at""",
}


def broken_invariants(database):
    """The rules that do not hold, each with the number of rows that break it."""
    database.query("ANALYZE")
    broken = {}
    for name, select in INVARIANTS.items():
        count = int(database.query(f"SELECT count(*) FROM ({select}) AS found")[0])
        if count:
            broken[name] = count
    return broken


def stored_tokens(database, app):
    """The token of each installation of an app, and its status; empty texts stand for none."""
    lines = database.query(
        "SELECT installation_id, encode(apns_token, 'hex'), apns_status FROM installation"
        f" WHERE app_id = (SELECT id FROM app WHERE slug = '{app}' AND deleted_at IS NULL)")
    return {name: (token, status) for name, token, status in (line.split("|") for line in lines)}


def stored_events(database, app, *events):
    """Installation and token of each event of some kinds that the history has."""
    kinds = ", ".join(f"'{event}'" for event in events)
    return collections.Counter(tuple(line.split("|")) for line in database.query(
        "SELECT installation_id, encode(token, 'hex') FROM token_history"
        f" WHERE app_id = (SELECT id FROM app WHERE slug = '{app}' AND deleted_at IS NULL)"
        f" AND event IN ({kinds})"))


def lost(database, app, load):
    """What was acknowledged and is not there: states of installations, and events."""
    tokens = stored_tokens(database, app)
    arrivals = stored_events(database, app, "registered", "rotated", "moved", "revived")
    deaths = stored_events(database, app, "invalidated")
    missing = set()
    for device in load.devices:
        for name, token in device.tokens.items():
            status = "invalid" if name in device.dead else "active"
            expected = (token, status) if token else ("", "")
            if name not in device.doubted and tokens.get(name) != expected:
                missing.add((name, token))
        missing |= set(collections.Counter(device.events) - arrivals)
        missing |= {("dead", *event) for event in collections.Counter(device.deaths) - deaths}
    return missing
