-- SPDX-License-Identifier: Apache-2.0
-- Turnstile's tables in SQLite, version 2. The library creates them on first use.
CREATE TABLE turnstile_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE turnstile_sessions (
    id INTEGER PRIMARY KEY,
    attachment INTEGER NOT NULL,
    lasts INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    changes INTEGER NOT NULL
);
CREATE TABLE turnstile_nodes (
    path TEXT PRIMARY KEY,
    parent TEXT NOT NULL,
    data BLOB NOT NULL,
    acl TEXT NOT NULL,
    kind INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    czxid INTEGER NOT NULL,
    mzxid INTEGER NOT NULL,
    pzxid INTEGER NOT NULL,
    ctime INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    version INTEGER NOT NULL,
    creates INTEGER NOT NULL,
    children INTEGER NOT NULL
);
CREATE INDEX turnstile_nodes_parent ON turnstile_nodes (parent);
CREATE INDEX turnstile_nodes_owner ON turnstile_nodes (owner) WHERE owner <> 0;
CREATE TABLE turnstile_watches (
    path TEXT NOT NULL,
    kind INTEGER NOT NULL,
    session INTEGER NOT NULL,
    identity TEXT NOT NULL,
    PRIMARY KEY (path, kind, session)
) WITHOUT ROWID;
CREATE INDEX turnstile_watches_session ON turnstile_watches (session);
CREATE TABLE turnstile_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    path TEXT NOT NULL,
    nonce INTEGER NOT NULL
);
CREATE INDEX turnstile_events_session ON turnstile_events (session);
INSERT INTO turnstile_nodes VALUES
    ('/', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    ('/zookeeper', '/', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
    ('/zookeeper/config', '/zookeeper', '', '*', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ('/zookeeper/quota', '/zookeeper', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO turnstile_meta VALUES ('schema', 2), ('number', CAST(strftime('%s', 'now') AS INTEGER) * 1000000),
    ('boot', 0), ('cleaned', 0);
