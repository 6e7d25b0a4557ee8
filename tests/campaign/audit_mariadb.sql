-- SPDX-License-Identifier: Apache-2.0
-- These triggers record each change of a znode and each end of a session, in the server's order and with the server's
-- time. judge.py reads these records to check a campaign (a long test on real servers). The triggers also record the
-- times in the recipes' data, because the recipes compare them. A trigger locks only the row that it inserts into
-- campaign_audit: the row's number needs no lock (innodb_autoinc_lock_mode = 2), the trigger reads no table, and
-- campaign_audit has no further key. Workers append to campaign_entries under sql::check. Rows of campaign_filler fill
-- the disk.
CREATE TABLE campaign_entries (n bigint AUTO_INCREMENT PRIMARY KEY, data varchar(255) NOT NULL) ENGINE = InnoDB;
CREATE TABLE campaign_filler (n bigint AUTO_INCREMENT PRIMARY KEY, data longblob NOT NULL) ENGINE = InnoDB;
CREATE TABLE campaign_audit (
    n bigint AUTO_INCREMENT PRIMARY KEY,
    at bigint NOT NULL,
    what varchar(8) NOT NULL,
    path varbinary(2000) NOT NULL,
    owner bigint NOT NULL,
    number bigint NOT NULL,
    deadline bigint NOT NULL,
    data longblob NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
CREATE TRIGGER campaign_create AFTER INSERT ON turnstile_nodes FOR EACH ROW
    INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
    VALUES (IF(NEW.owner = 0, NEW.ctime * 1000, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
            'create', NEW.path, NEW.owner, NEW.czxid, 0, NEW.data);
CREATE TRIGGER campaign_delete AFTER DELETE ON turnstile_nodes FOR EACH ROW
    INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
    VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
            'delete', OLD.path, OLD.owner, OLD.czxid, 0, '');
CREATE TRIGGER campaign_session AFTER DELETE ON turnstile_sessions FOR EACH ROW
    INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
    VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
            'end', '', OLD.id, 0, OLD.deadline, '');
DELIMITER //
CREATE TRIGGER campaign_set AFTER UPDATE ON turnstile_nodes FOR EACH ROW
    IF OLD.mzxid <> NEW.mzxid THEN
        INSERT INTO campaign_audit (at, what, path, owner, number, deadline, data)
        VALUES (NEW.mtime * 1000, 'set', NEW.path, NEW.owner, NEW.mzxid, 0, NEW.data);
    END IF //
DELIMITER ;
