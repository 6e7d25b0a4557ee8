-- SPDX-License-Identifier: Apache-2.0
-- Turnstile's tables in MariaDB, version 2. The library creates them on first use if it has the rights. Otherwise an
-- operator runs this file, and grants the library's user SELECT, INSERT, UPDATE and DELETE on the tables, and SELECT
-- and INSERT on the sequence turnstile_number. The file may run several times. Its last statement writes the row
-- 'schema', which shows that everything exists.
CREATE TABLE IF NOT EXISTS turnstile_meta (
    name varbinary(64) PRIMARY KEY,
    value bigint NOT NULL
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS turnstile_sessions (
    id bigint PRIMARY KEY,
    attachment bigint NOT NULL,
    lasts bigint NOT NULL,
    deadline bigint NOT NULL,
    changes bigint NOT NULL
) ENGINE = InnoDB;
-- A user's transaction can prevent the removal of a znode: it locks the znode's entry in the index
-- turnstile_nodes_created. Changing a znode leaves this entry unchanged, and removing the znode deletes it. The lock
-- also covers the gap before the entry. This hinders no client, because new entries come after all other entries.
CREATE TABLE IF NOT EXISTS turnstile_nodes (
    path varbinary(2000) PRIMARY KEY,
    parent varbinary(2000) NOT NULL,
    data longblob NOT NULL,
    acl blob NOT NULL,
    kind integer NOT NULL,
    owner bigint NOT NULL,
    czxid bigint NOT NULL,
    mzxid bigint NOT NULL,
    pzxid bigint NOT NULL,
    ctime bigint NOT NULL,
    mtime bigint NOT NULL,
    version integer NOT NULL,
    creates integer NOT NULL,
    children integer NOT NULL,
    KEY turnstile_nodes_parent (parent),
    KEY turnstile_nodes_owner (owner),
    UNIQUE KEY turnstile_nodes_created (czxid, path)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
CREATE TABLE IF NOT EXISTS turnstile_watches (
    path varbinary(2000) NOT NULL,
    kind integer NOT NULL,
    session bigint NOT NULL,
    identity blob NOT NULL,
    PRIMARY KEY (path, kind, session),
    KEY turnstile_watches_session (session)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
CREATE TABLE IF NOT EXISTS turnstile_events (
    id bigint AUTO_INCREMENT PRIMARY KEY,
    session bigint NOT NULL,
    kind integer NOT NULL,
    path varbinary(2000) NOT NULL,
    nonce bigint NOT NULL,
    KEY turnstile_events_session (session)
) ENGINE = InnoDB;
-- To lock a path, a transaction locks the row with the path's hash. So a path without a znode can be locked.
CREATE TABLE IF NOT EXISTS turnstile_stripes (stripe integer PRIMARY KEY) ENGINE = InnoDB;
INSERT IGNORE INTO turnstile_stripes SELECT seq FROM seq_0_to_1023;
INSERT IGNORE INTO turnstile_nodes VALUES
    ('/', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    ('/zookeeper', '/', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
    ('/zookeeper/config', '/zookeeper', '', '*', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ('/zookeeper/quota', '/zookeeper', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
-- The transaction numbers, which are also the fencing tokens, start at the time of day. So the tokens of a new database
-- are larger than the tokens of a lost database. The server caches numbers for all connections together, so each number
-- is larger than all earlier numbers.
EXECUTE IMMEDIATE CONCAT('CREATE SEQUENCE IF NOT EXISTS turnstile_number START WITH ',
    CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), ' CACHE 1000 ENGINE = InnoDB');
INSERT IGNORE INTO turnstile_meta VALUES ('cleaned', 0), ('schema', 2);
