// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

constexpr const char* k_servers = R"(
Servers:
  --servers HOST:PORT,...     ZooKeeper servers; zk1:2181/shop has the chroot
                              /shop. Or a connect string that begins with
                              redis://, postgresql://, mysql:// or sqlite:
                              [the environment variable TURNSTILE_SERVERS]
  --servers-file FILE         a file with the servers in its first line, for a
                              connect string with a password; only its owner may
                              have access [TURNSTILE_SERVERS_FILE]
  --credentials-file FILE     a file with user:password in its first line; only
                              its owner may have access
                              [TURNSTILE_CREDENTIALS_FILE]
  --session-timeout DURATION  how long the servers keep a silent session [30s]
  --connect-timeout DURATION  how long to wait for an answer of a server [10s]
  --tick DURATION             the servers' tickTime [as they report, else 2s]
  --sync-limit N              the servers' syncLimit [as they report, else 5]

A DURATION is 500ms, 30s, 5m, 1h, 1d, or a number of seconds.
)";

}  // namespace

std::string_view servers_help() noexcept {
    return k_servers;
}

std::string program_help() {
    return R"(Fair distributed locks on Apache ZooKeeper, Redis, PostgreSQL, MariaDB, SQLite.

Usage: turnstile COMMAND [OPTION]...

Commands:
  run         run a command while holding a lock
  elect       run a command on one machine of several, while it leads
  ls          list the locks that are held or waited for
  show        show the holder of a lock, and its queue
  watch       show locks, or a lock and its queue, as they change
  ask         ask the holder of a lock to release it
  take        take a lock away from its holder
  mkdir       create a folder, and the chroot of the connect string
  sessions    list sessions with their hosts and znodes
  doctor      find problems of the servers, the settings and a path
  bench       measure how fast your servers pass a lock between clients
  serve       show locks on a page for browsers, and as JSON
  dev         run private ZooKeeper servers, to try things out
  completion  print the word completion for bash, zsh or fish
  manual      print the manual page of a command

  turnstile COMMAND --help    explains a command
  turnstile --version

Set the servers in TURNSTILE_SERVERS, as in
  export TURNSTILE_SERVERS=zk1:2181,zk2:2181,zk3:2181
or as redis://host, postgresql://host/database, mysql://host/database,
sqlite:/path/to/file
)";
}

std::string elect_help() {
    return std::string{
               R"(Run a command while this machine leads. When the command ends, or the lead is
lost, another machine leads, and this one takes part again.

Usage: turnstile elect [OPTION]... PATH -- COMMAND [ARGUMENT]...
       turnstile elect --listen PATH

  PATH                 path of the election. The library's leader, Curator's
                       LeaderSelector, and a kazoo Election that uses
                       Turnstile's names of znodes, take part too
  --id TEXT            the name that other participants see [HOST-PID]
  --data TEXT          data to publish with the id, such as an address
  --once               do not take part again when the command has ended
  --pause DURATION     after the command's end, wait this long before this
                       machine takes part again [1s]
  --listen             take no part; print the id and data of each new leader,
                       "-" for none
  -o, --output FORM    with --listen: text, or json (a line for each leader:
                       path, leader, znode, token and data) [text]
  --http ADDRESS       serve HTTP for sidecars and probes; ADDRESS is a port of
                       127.0.0.1, or HOST:PORT. The paths are /leader,
                       /isLeader, /healthz and /metrics
  --allow-host NAME    another host name that requests to --http may use
  -q, --quiet          do not report on the terminal when this machine leads

The command, which is dead before another machine can lead:
  --shell              COMMAND is one line for /bin/sh -c
  --grace DURATION     time from SIGTERM to SIGKILL when the lead ends [2s]
  --on-lost ACTION     when the lead ends: term, kill or none [term]
  --guard GUARD        how to find all processes of the command: cgroup,
                       children, or auto (cgroup if possible, else children)
                       [auto]
  --lost-exit-code N   with --once: the exit code when the lead was lost [76]
)"} + k_servers +
           R"(
The command has in its environment TURNSTILE_PATH, TURNSTILE_ID,
TURNSTILE_TOKEN (for fencing), TURNSTILE_VALID_UNTIL, TURNSTILE_GUARD and
TURNSTILE_STATUS_FD, as with turnstile run. elect passes a signal on to the
command, and ends when the command ends.

Exit codes: as with turnstile run; 76 only with --once.

Examples:
  turnstile elect /election/scheduler -- ./scheduler
  turnstile elect --listen /election/scheduler
)";
}

std::string ls_help() {
    return std::string{
               R"(List the locks that are held or waited for: locks of every kind of Turnstile,
and locks of Curator, Go and kazoo.

Usage: turnstile ls [OPTION]... [PREFIX]

  PREFIX                the folder whose locks are listed [/]
  -o, --output FORM     text or json [text]
)"} + k_servers +
           R"(
AGE is the time since the holder entered the queue, by the servers' clock, so it
includes the holder's wait.

Examples:
  turnstile ls
  turnstile ls /locks/shop
  turnstile ls -o json | jq '.locks[] | select(.contenders > 10) | .path'
)";
}

std::string show_help() {
    return std::string{R"(Show the holder of a lock, and its queue.

Usage: turnstile show [OPTION]... PATH

  PATH                  path of the lock
  -o, --output FORM     text, wide (with kinds, sessions, znodes) or json [text]
  --limit N             show only the first N contenders [100]
)"} + k_servers +
           R"(
AGE is the time since a contender entered the queue, by the servers' clock. For
a holder it includes the wait. TOKEN is the fencing token of the grant.

Examples:
  turnstile show /locks/orders
  turnstile show -o json /locks/orders | jq -r '.locks[].holders[].host'
)";
}

std::string watch_help() {
    return std::string{
               R"(Show locks as they change, until Ctrl-C: all locks below a folder, or one lock
with its queue.

Usage: turnstile watch [OPTION]... [PATH]

  PATH                  a folder or a lock [/]
  --interval DURATION   time between two readings [1s]
  -o, --output FORM     text, wide or json (a line for each reading) [text]
)"} + k_servers +
           R"(
Examples:
  turnstile watch
  turnstile watch /locks/orders
)";
}

std::string ask_help() {
    return std::string{
               R"(Ask the holder of a lock to release it; the holder may refuse. A program gets
the request in its callback on_asked_to_release. A command of turnstile run gets
the request as a line in TURNSTILE_STATUS_FD.

Usage: turnstile ask [OPTION]... PATH

  PATH                  path of the lock
  --reason TEXT         the reason for the request; the holder can read it
  --who NAME            your name; the holder can read it [USER@HOST]
  --znode NAME          ask this contender: a name from turnstile show -o wide
  -o, --output FORM     text or json [text]
)"} + k_servers +
           R"(
Example:
  turnstile ask --reason 'deployment of 4.2' /locks/orders
)";
}

std::string take_help() {
    return std::string{
               R"(Take a lock away from its holder. The command first asks the holder to release
the lock. If the holder does not release it, the command orders the release, and
deletes the holder's znode when the hold can no longer be valid. So no two
clients hold the lock at once.

Usage: turnstile take [OPTION]... --reason TEXT PATH

  PATH                  path of the lock
  --reason TEXT         the reason, for the holder and the system's log
  --who NAME            your name, for the holder and the log [USER@HOST]
  --znode NAME          take the lock from this contender, a name from show
                        -o wide; needed if several hold the lock
  --ask-for DURATION    after the request, wait this long for the release, then
                        order it; 0: order it without a request [5s]
  --wait DURATION       after the order, wait this long for the release, then
                        delete the znode [twice the session timeout that the
                        holder claims]; required for holders of other libraries,
                        and if the claim cannot be true
  --now                 delete the znode at once; until the holder learns of the
                        deletion, it may work as if it held the lock
  -o, --output FORM     text, or json (one object, at the end) [text]
  -y, --yes             ask no question on the terminal
)"} + k_servers +
           R"(
The command writes its actions to the system's log, and prints first how long it
may take. The command acts only on the contender that it has shown, and never on
a contender that has taken its place. Ctrl-C withdraws the request or the order;
a holder that has read the order has lost the lock nevertheless.

Example:
  turnstile take --reason 'stuck since noon' --yes /locks/orders
)";
}

std::string serve_help() {
    return std::string{
               R"(Serve a page that shows all locks, their queues, past holds, and which holders
the waiters wait for. Serve the same data as JSON. The page is read-only by
default.

Usage: turnstile serve [OPTION]...

  --listen ADDR:PORT    address; port 0: any free port [127.0.0.1:8088]
  --allow-host NAME     another host name that browsers may use, https://NAME
                        behind a proxy with TLS; may be repeated
  --refresh DURATION    shortest time between two readings of the servers [1s]
  --max-requests N      requests a second to the servers, on average [2000]

Access:
  --password-file FILE  a password for people, in the first line of the file: 8
                        characters or more
  --token-file FILE     a token for programs (Authorization: Bearer TOKEN): 16
                        characters or more
  --users-file FILE     named users: one line NAME ROLE SECRET for each; ROLE is
                        look, ask or take; SECRET is scrypt$..., sha256$... or
                        proxy
  --hash-password       read a password, print its SECRET for --users-file,
                        and end
  --trust-proxy ADDR    believe the headers of a proxy with this address or
                        block (10.0.0.0/8); may be repeated
  --user-header NAME    proxy header with the user's name [X-Forwarded-User]
  --groups-header NAME  proxy header with the user's groups [X-Forwarded-Groups]
  --tls-cert FILE       a certificate chain in PEM
  --tls-key FILE        the private key of the certificate
  --allow-changes       let signed-in people ask holders to release a lock, and
                        let them take locks away
  --audit-log FILE      append a JSON line for each request to release and
                        each lock that is taken away

An address other than loopback, and --allow-changes, require a password, a token
or users. Only the owner of these files may have access to them.
)"} + k_servers +
           R"(
The command prints its address on standard output. Ctrl-C ends it.

Examples:
  turnstile serve
  turnstile serve --allow-changes --password-file ~/.turnstile-password
  curl -s http://127.0.0.1:8088/api/v1/locks | jq -r '.locks[].path'
)";
}

std::string dev_help() {
    return R"(Run private ZooKeeper servers on this machine, for a command or until Ctrl-C.
They leave no files behind. They need Java and ZooKeeper's jars (Debian and
Ubuntu: default-jre-headless, libzookeeper-java).

Usage: turnstile dev [OPTION]... [-- COMMAND [ARGUMENT]...]

  --count N             the number of servers: 1 or 3 [1]

Without a COMMAND turnstile prints a line for the shell that sets
TURNSTILE_SERVERS. A COMMAND has TURNSTILE_SERVERS in its environment; turnstile
exits with the command's exit code.

Examples:
  turnstile dev -- bash
  turnstile dev --count 3 -- ./run-my-tests
)";
}

std::string run_help() {
    return std::string{
               R"(Run a command while holding a lock. The command is dead before another client
can hold the lock.

Usage: turnstile run [OPTION]... PATH... -- COMMAND [ARGUMENT]...

The lock:
  PATH                 path of the lock; several PATHs: all of the locks or none
  --mutex              exclusive, the default: excludes other runs, and the
                       library's mutex, Curator's InterProcessMutex, Go's Lock
  -s, --shared         shared: other runs with --shared, and readers of the
                       library's shared_mutex, can hold the lock too
  -x, --exclusive      excludes runs with --shared or --exclusive
  -p, --permits N/M    N of the M permits of a semaphore; M alone is 1/M
  --lock-delay DURATION
                       with --mutex: how long no client gets the lock after a
                       crash of the holder
  --label TEXT         the label that others see in the queue [the command's
                       name]

Waiting:
  -n, --try            do not wait for the lock; --connect-timeout limits the
                       wait for a server
  -w, --wait DURATION  the longest wait for a server and the lock together;
                       0 means --try [no limit for the lock]
  --reenter            if PATH is held by a turnstile run that started this one,
                       run the command under that hold. Without --reenter, --try
                       and --wait, this run then fails at once, because the two
                       runs would wait for each other
  -q, --quiet          show no progress on the terminal

The command:
  --shell              COMMAND is one line for /bin/sh -c
  --max-hold DURATION  end the command after this time. If turnstile itself is
                       stopped or dead, the lock is free when turnstile's
                       session expires
  --grace DURATION     time from SIGTERM to SIGKILL when the hold ends [2s]
  --on-lost ACTION     when the hold ends: term, kill or none [term]
  --guard GUARD        how to find all processes of the command: cgroup,
                       children, or auto (cgroup if possible, else children)
                       [auto]
  --once-per PERIOD    run the command once per period, on the machine that
                       comes first
  --not-due-exit-code N
                       the exit code when the command is not due [0]
  -E, --conflict-exit-code N
                       the exit code when the lock is taken, or the wait has
                       ended [75]
  --lost-exit-code N   the exit code when the lock was lost, not 0 [76]
)"} + k_servers +
           R"(
The command has in its environment TURNSTILE_PATH, TURNSTILE_ZNODE,
TURNSTILE_TOKEN (for fencing), TURNSTILE_VALID_UNTIL (the end of the lease, in
nanoseconds of CLOCK_BOOTTIME), TURNSTILE_GUARD (the guard in use: cgroup or
children), TURNSTILE_STATUS_FD (a descriptor with a line of JSON at each change)
and TURNSTILE_HELD (a line for each lock that this run, and the runs that
started it, hold). Background processes of the command end with the command. The
kinds of locks (--mutex; --shared and --exclusive; --permits) do not exclude
each other: if a contender of another kind is ahead at PATH, turnstile refuses
to run the command.

Exit codes:
)" + std::string{exit_code_table()} +
           R"(
Examples:
  turnstile run /locks/backup -- pg_dump shop
  turnstile run --try /locks/report -- ./report --daily
  turnstile run --wait 30s --permits 1/4 /locks/gpu -- ./train
  turnstile run --shell /locks/a /locks/b -- 'sort a b > c'
  turnstile run --once-per 1d /jobs/invoices -- ./send-invoices
)";
}

}  // namespace turnstile::cli
