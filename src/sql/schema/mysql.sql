-- SPDX-License-Identifier: Apache-2.0
-- Turnstile's tables in MySQL, version 2. The library creates them on first use if it has the rights. Otherwise an
-- operator runs this file, and grants the library's user SELECT, INSERT, UPDATE and DELETE on the tables. The file may
-- run several times. Its last statement writes the row 'schema', which shows that everything exists. The file
-- mariadb.sql explains the tables.
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
CREATE TABLE IF NOT EXISTS turnstile_stripes (stripe integer PRIMARY KEY) ENGINE = InnoDB;
INSERT IGNORE INTO turnstile_stripes
    WITH RECURSIVE part (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM part WHERE number < 31)
    SELECT 32 * upper_part.number + lower_part.number FROM part upper_part, part lower_part;
INSERT IGNORE INTO turnstile_nodes VALUES
    ('/', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    ('/zookeeper', '/', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
    ('/zookeeper/config', '/zookeeper', '', '*', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ('/zookeeper/quota', '/zookeeper', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
-- MySQL has no sequences. To get a transaction number, a writer inserts a row and deletes it. The id of this row is
-- larger than all earlier ids.
CREATE TABLE IF NOT EXISTS turnstile_number (id bigint AUTO_INCREMENT PRIMARY KEY) ENGINE = InnoDB;
INSERT IGNORE INTO turnstile_meta VALUES ('cleaned', 0), ('schema', 2);
