# SPDX-License-Identifier: Apache-2.0
"""The peers of the comparison of servers (scripts/bench --compare-servers): the library on each kind of server, the
usual other locks on that server, and the lower bounds that an aim names.
"""

from dataclasses import replace

from .kinds import ALL, HERE, ON_REDIS, OURS, REDIS, Kind

POSTGRESQL = "turnstile-postgresql"
MARIADB = "turnstile-mariadb"
SQLITE = "turnstile-sqlite"
LOCAL = "turnstile-local"
REDIS_PY = "redis-py"
REDIS_TURNS = "redis-turns"
REDIS_INCR = "redis-incr"
PG_LOCK = "pg-advisory-lock"
PG_ROW = "pg-row"
GET_LOCK = "get-lock"
MARIADB_ROW = "mariadb-row"
SQLITE_ROW = "sqlite-row"
FLOCK = "flock"

ON_EACH = (OURS, ON_REDIS, POSTGRESQL, MARIADB, SQLITE, LOCAL)
SESSION = "session={}"


def _ours(spelling):
    return lambda folder, address: [str(folder / OURS), spelling.format(address)]


def _program(name, *words):
    return lambda folder, address: [str(folder / name), address, *words]


def _of_the_other_page(name, label, ours, lease="", asks=()):
    known = next(kind for kind in ALL if kind.name == name)
    return replace(known, label=label, ours=ours, lease=lease, asks=asks)


_POSTGRESQL = {"/usr/lib/postgresql": "postgresql", "/usr/include/postgresql/libpq-fe.h": "libpq-dev"}
_MARIADB = {"/usr/sbin/mariadbd": "mariadb-server", "/usr/bin/mariadb": "mariadb-client",
            "/usr/include/mariadb/mysql.h": "libmariadb-dev"}
_SQLITE = {"/usr/include/sqlite3.h": "libsqlite3-dev"}

KINDS = [
    _of_the_other_page(OURS, "ZooKeeper: turnstile::mutex", OURS, SESSION),
    _of_the_other_page("curator", "ZooKeeper: Curator InterProcessMutex", OURS),
    _of_the_other_page(ON_REDIS, "Redis: turnstile::mutex", ON_REDIS, SESSION, ("evalsha",)),
    _of_the_other_page(REDIS, "Redis: SET NX PX (in C)", ON_REDIS, "{}", ("set", "evalsha")),
    Kind(REDIS_PY, "Redis: redis-py Lock", "redis",
         {"/usr/bin/redis-server": "redis-server", "/usr/lib/python3/dist-packages/redis": "python3-redis"},
         command=lambda _, address: ["/usr/bin/python3", str(HERE / "peers" / "redis_py_peer.py"), address],
         ours=ON_REDIS, lease="{}", asks=("set", "evalsha")),
    Kind(REDIS_TURNS, "Redis: BLPOP and LPUSH (in C)", "redis",
         {"/usr/bin/redis-server": "redis-server", "/usr/include/hiredis/hiredis.h": "libhiredis-dev"},
         command=lambda folder, address: [str(folder / "redis"), address, "turns"], ours=ON_REDIS,
         asks=("blpop", "lpush")),
    Kind(REDIS_INCR, "Redis: INCR in a script (in C)", "redis",
         {"/usr/bin/redis-server": "redis-server", "/usr/include/hiredis/hiredis.h": "libhiredis-dev"},
         command=lambda folder, address: [str(folder / "redis"), address, "incr"], ours=ON_REDIS),
    Kind(POSTGRESQL, "PostgreSQL: turnstile::mutex", "postgresql", _POSTGRESQL, command=_ours("{}"), ours=POSTGRESQL,
         lease=SESSION),
    Kind(PG_LOCK, "PostgreSQL: pg_advisory_lock", "postgresql", _POSTGRESQL, command=_program("postgresql", "lock"),
         ours=POSTGRESQL),
    Kind(PG_ROW, "PostgreSQL: insert and delete of a row", "postgresql", _POSTGRESQL,
         command=_program("postgresql", "row"), ours=POSTGRESQL),
    Kind(MARIADB, "MariaDB: turnstile::mutex", "mariadb", _MARIADB, command=_ours("mysql://root@{}/test"), ours=MARIADB,
         lease=SESSION),
    Kind(GET_LOCK, "MariaDB: GET_LOCK", "mariadb", _MARIADB, command=_program("mariadb", "lock"), ours=MARIADB),
    Kind(MARIADB_ROW, "MariaDB: insert and delete of a row", "mariadb", _MARIADB,
         command=_program("mariadb", "row"), ours=MARIADB),
    Kind(SQLITE, "SQLite: turnstile::mutex", "files", _SQLITE, command=_ours("sqlite:{}/locks.db"), ours=SQLITE,
         lease=SESSION),
    Kind(SQLITE_ROW, "SQLite: insert and delete of a row", "files", _SQLITE,
         command=lambda folder, address: [str(folder / "sqlite_row"), f"{address}/rows.db"], ours=SQLITE),
    Kind(FLOCK, "a file: flock", "files", {}, command=_program("flock"), ours=SQLITE),
    Kind(LOCAL, "in memory: turnstile::mutex", "none", {}, command=lambda folder, _: [str(folder / OURS), "local:bench"],
         ours=LOCAL),
]
