-- SPDX-License-Identifier: Apache-2.0
-- These triggers record each change of a znode and each end of a session, in the server's order and with the server's
-- time. judge.py reads these records to check a campaign (a long test on real servers). The triggers also record the
-- times in the recipes' data, because the recipes compare them. Workers append to campaign_entries under sql::check.
CREATE TABLE campaign_entries (n bigserial PRIMARY KEY, data text NOT NULL);
CREATE TABLE campaign_audit (
    n bigserial PRIMARY KEY,
    at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    what text NOT NULL,
    path text NOT NULL,
    owner bigint NOT NULL,
    number bigint NOT NULL,
    deadline bigint NOT NULL,
    data bytea NOT NULL
);
CREATE FUNCTION campaign_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
        VALUES (CASE WHEN NEW.owner = 0 THEN NEW.ctime * 1000
                ELSE (extract(epoch FROM clock_timestamp()) * 1000000)::bigint END,
                'create', NEW.path, NEW.owner, NEW.czxid, 0, NEW.data);
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
        VALUES (NEW.mtime * 1000, 'set', NEW.path, NEW.owner, NEW.mzxid, 0, NEW.data);
    ELSE
        INSERT INTO campaign_audit (what, path, owner, number, deadline, data)
        VALUES ('delete', OLD.path, OLD.owner, OLD.czxid, 0, '');
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION campaign_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign_audit (what, path, owner, number, deadline, data)
    VALUES ('end', '', OLD.id, 0, OLD.deadline, '');
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_node AFTER INSERT OR DELETE ON turnstile_nodes
    FOR EACH ROW EXECUTE FUNCTION campaign_node();
CREATE TRIGGER campaign_node_set AFTER UPDATE ON turnstile_nodes
    FOR EACH ROW WHEN (OLD.mzxid <> NEW.mzxid) EXECUTE FUNCTION campaign_node();
CREATE TRIGGER campaign_session AFTER DELETE ON turnstile_sessions
    FOR EACH ROW EXECUTE FUNCTION campaign_session();
