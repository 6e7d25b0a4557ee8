-- SPDX-License-Identifier: Apache-2.0
-- These triggers record each change of a znode and each end of a session, in the file's order and with the system's
-- time. judge.py reads these records to check a campaign (a long test on real servers). The triggers also record the
-- times in the recipes' data, because the recipes compare them. A session's deadline is a time of the boot clock.
-- Workers append to campaign_entries under sql::check.
CREATE TABLE campaign_entries (n INTEGER PRIMARY KEY AUTOINCREMENT, data TEXT NOT NULL);
CREATE TABLE campaign_audit (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)),
    what TEXT NOT NULL,
    path TEXT NOT NULL,
    owner INTEGER NOT NULL,
    number INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TRIGGER campaign_create AFTER INSERT ON turnstile_nodes BEGIN
    INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
    VALUES (CASE WHEN NEW.owner = 0 THEN NEW.ctime * 1000
            ELSE CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) END,
            'create', NEW.path, NEW.owner, NEW.czxid, 0, NEW.data);
END;
CREATE TRIGGER campaign_delete AFTER DELETE ON turnstile_nodes BEGIN
    INSERT INTO campaign_audit (what, path, owner, number, deadline, data)
    VALUES ('delete', OLD.path, OLD.owner, OLD.czxid, 0, x'');
END;
CREATE TRIGGER campaign_set AFTER UPDATE ON turnstile_nodes WHEN OLD.mzxid <> NEW.mzxid BEGIN
    INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
    VALUES (NEW.mtime * 1000, 'set', NEW.path, NEW.owner, NEW.mzxid, 0, NEW.data);
END;
CREATE TRIGGER campaign_session AFTER DELETE ON turnstile_sessions BEGIN
    INSERT INTO campaign_audit (what, path, owner, number, deadline, data)
    VALUES ('end', '', OLD.id, 0, OLD.deadline, x'');
END;
