// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

constexpr const char* k_servers = R"(
Servers:
  --servers HOST:PORT,...     or TURNSTILE_SERVERS; a chroot: zk1:2181/shop;
                              or redis://, postgresql://, mysql://, sqlite:
  --servers-file FILE         or TURNSTILE_SERVERS_FILE: its first line is that,
                              with a password; only its owner can read it
  --credentials-file FILE     or TURNSTILE_CREDENTIALS_FILE: its first line is
                              user:password, and only its owner can read it
  --session-timeout DURATION  how long the servers keep a silent session [30s]
  --connect-timeout DURATION  give up if no server answers for so long [10s]
  --tick DURATION             the servers' tickTime [what they tell, else 2s]
  --sync-limit N              the servers' syncLimit [what they tell, else 5]

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
  doctor      look for what is wrong with servers, settings and a path
  bench       measure how fast a lock goes round on your servers
  serve       the same and more as a page for browsers, and as JSON
  dev         private ZooKeeper servers, to try things out
  completion  print what bash, zsh or fish completes words with
  manual      print the manual page of a command

  turnstile COMMAND --help    says more about one of them
  turnstile --version

The servers stand in TURNSTILE_SERVERS, as in
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

  PATH                 where the election is: that of `leader`, Curator's
                       LeaderSelector, kazoo's Election under Turnstile's names
  --id TEXT            what the others call this machine [HOST-PID]
  --data TEXT          published with the id: an address, say
  --once               take part no more when the command has ended
  --pause DURATION     from the command's end to the next try [1s]
  --listen             print the leader's id and data when another one leads,
                       "-" for none; take no part
  -o, --output FORM    with --listen: text, or json (a line for each leader:
                       path, leader, znode, token and data) [text]
  --http ADDRESS       answer sidecars and probes at a port of 127.0.0.1, or at
                       ADDRESS:PORT: /leader, /isLeader, /healthz, /metrics
  --allow-host NAME    a further name that clients may call the server of --http
  -q, --quiet          do not say on the terminal when it leads

The command, which is dead before another machine can lead:
  --shell              COMMAND is one line for /bin/sh -c
  --grace DURATION     from SIGTERM to SIGKILL when the lead runs out [2s]
  --on-lost ACTION     when the lead runs out: term, kill or none [term]
  --guard GUARD        what finds all that it has started: cgroup, children, or
                       auto: cgroup where one can be made, else children [auto]
  --lost-exit-code N   with --once: the exit code when the lead was lost [76]
)"} + k_servers +
           R"(
The command finds in its environment TURNSTILE_PATH, TURNSTILE_ID,
TURNSTILE_TOKEN (for fencing), TURNSTILE_VALID_UNTIL, TURNSTILE_GUARD and
TURNSTILE_STATUS_FD, as with turnstile run. A signal goes to the command, and
ends elect with it.

Exit codes: as with turnstile run; 76 only with --once.

Examples:
  turnstile elect /election/scheduler -- ./scheduler
  turnstile elect --listen /election/scheduler
)";
}

std::string ls_help() {
    return std::string{
               R"(List the locks that are held or waited for, of every kind: those of Turnstile,
and of Curator, Go and kazoo.

Usage: turnstile ls [OPTION]... [PREFIX]

  PREFIX                the folder to look below [/]
  -o, --output FORM     text or json [text]
)"} + k_servers +
           R"(
THERE FOR is how long ago the holder came, by the servers' clock: it may have
waited first.

Examples:
  turnstile ls
  turnstile ls /locks/shop
  turnstile ls -o json | jq '.locks[] | select(.contenders > 10) | .path'
)";
}

std::string show_help() {
    return std::string{R"(Show the holder of a lock, and its queue.

Usage: turnstile show [OPTION]... PATH

  PATH                  where the lock is
  -o, --output FORM     text, wide (with kinds, sessions, znodes) or json [text]
  --limit N             show so many contenders, first come first [100]
)"} + k_servers +
           R"(
THERE FOR is how long ago a contender came, by the servers' clock: a holder may
have waited first. TOKEN is the fencing token that comes with its grant.

Examples:
  turnstile show /locks/orders
  turnstile show -o json /locks/orders | jq -r '.locks[].holders[].host'
)";
}

std::string watch_help() {
    return std::string{
               R"(Show locks as they change, until Ctrl-C: those below a folder, or one lock with
its queue.

Usage: turnstile watch [OPTION]... [PATH]

  PATH                  a folder or a lock [/]
  --interval DURATION   between two looks [1s]
  -o, --output FORM     text, wide or json (a line for each look) [text]
)"} + k_servers +
           R"(
Examples:
  turnstile watch
  turnstile watch /locks/orders
)";
}

std::string ask_help() {
    return std::string{
               R"(Ask the holder of a lock to release it. Whether it does is its own affair: a
program is told by on_asked_to_release, a command of turnstile run by a line in
TURNSTILE_STATUS_FD.

Usage: turnstile ask [OPTION]... PATH

  PATH                  where the lock is
  --reason TEXT         the holder is told
  --who NAME            the holder is told [USER@HOST]
  --znode NAME          ask this contender, as turnstile show -o wide calls it
  -o, --output FORM     text or json [text]
)"} + k_servers +
           R"(
Example:
  turnstile ask --reason 'deployment of 4.2' /locks/orders
)";
}

std::string take_help() {
    return std::string{
               R"(Take a lock away from its holder. The holder is asked first. If it does not go,
it is ordered to, and its znode is deleted once its hold cannot be valid any
more: no other client holds the lock beside it.

Usage: turnstile take [OPTION]... --reason TEXT PATH

  PATH                  where the lock is
  --reason TEXT         the holder is told, and it is written down
  --who NAME            the same [USER@HOST]
  --znode NAME          take it from this contender, as turnstile show -o wide
                        calls it; needed if several hold the lock
  --ask-for DURATION    from the request to the order; 0: no request [5s]
  --wait DURATION       from the order to the deletion [twice the session
                        time-out that the holder claims]; to be given for other
                        libraries' holders, and where the claim cannot be true
  --now                 delete the znode at once. The holder may go on believing
                        that it holds, until it hears of it
  -o, --output FORM     text, or json (one object, when it is over) [text]
  -y, --yes             ask no question on the terminal
)"} + k_servers +
           R"(
What is done is written to the system's log. The contender that was shown is the
one that it is done to: if another one stands there by now, nothing happens.
How long it may last is printed first. Ctrl-C ends it, and withdraws the request
or the order; a holder that has read the order has lost the lock nonetheless.

Example:
  turnstile take --reason 'stuck since noon' --yes /locks/orders
)";
}

std::string serve_help() {
    return std::string{
               R"(Serve a page that shows all locks, their queues, past holds, and who waits for
whom; and the same as JSON. It is read-only unless told otherwise.

Usage: turnstile serve [OPTION]...

  --listen ADDR:PORT    where; port 0: one that is free [127.0.0.1:8088]
  --allow-host NAME     another name that browsers call it, https://NAME
                        behind a proxy with TLS; may be repeated
  --refresh DURATION    from one look at the servers to the next, at least [1s]
  --max-requests N      requests a second to the servers, on average [2000]

Access:
  --password-file FILE  for people: its first line, 8 characters or more
  --token-file FILE     for programs (Authorization: Bearer TOKEN): 16 or more
  --users-file FILE     named users: a line NAME ROLE SECRET each; ROLE is look,
                        ask or take, SECRET scrypt$..., sha256$... or proxy
  --hash-password       read a password, print its SECRET, and end
  --trust-proxy ADDR    believe the headers of a proxy with this address or
                        block (10.0.0.0/8); may be repeated
  --user-header NAME    that names its user [X-Forwarded-User]
  --groups-header NAME  that names the user's groups [X-Forwarded-Groups]
  --tls-cert FILE       a certificate chain in PEM
  --tls-key FILE        its key
  --allow-changes       let signed-in people ask holders to release, and take
                        locks away
  --audit-log FILE      append a JSON line for each of these orders

Off loopback, and with --allow-changes, a password, a token or users are needed;
only the owner of these files may be able to open them.
)"} + k_servers +
           R"(
The address is printed on standard output. Ctrl-C ends it.

Examples:
  turnstile serve
  turnstile serve --allow-changes --password-file ~/.turnstile-password
  curl -s http://127.0.0.1:8088/api/v1/locks | jq -r '.locks[].path'
)";
}

std::string dev_help() {
    return R"(Run private ZooKeeper servers on this machine, for a command or until Ctrl-C.
They leave nothing behind. They need Java and ZooKeeper's jars (Debian and
Ubuntu: default-jre-headless, libzookeeper-java).

Usage: turnstile dev [OPTION]... [-- COMMAND [ARGUMENT]...]

  --count N             1 server or 3 [1]

Without a COMMAND it prints a line for the shell that sets TURNSTILE_SERVERS; a
COMMAND has it in its environment, and its exit code is the one of turnstile.

Examples:
  turnstile dev -- bash
  turnstile dev --count 3 -- ./run-my-tests
)";
}

std::string run_help() {
    return std::string{
               R"(Run a command while holding a lock. It is dead before others can hold the lock.

Usage: turnstile run [OPTION]... PATH... -- COMMAND [ARGUMENT]...

The lock:
  PATH                 where it is; with several PATHs all of them or none
  --mutex              alone, also beside applications: the library's mutex,
                       Curator's InterProcessMutex, Go's Lock; the default
  -s, --shared         together with others that say --shared, and with readers
                       of the library's shared_mutex
  -x, --exclusive      alone among those: not beside --shared
  -p, --permits N/M    N of the M permits of a semaphore; M alone is 1/M
  --lock-delay DURATION
                       keep others out so long after a crash (of --mutex)
  --label TEXT         what others see in the queue [the command's name]

Waiting:
  -n, --try            do not wait
  -w, --wait DURATION  wait so long at most; 0 is --try [for ever]
  --reenter            if a turnstile run above holds PATH, run the command
                       under that hold; without it that is refused: each would
                       wait for the other
  -q, --quiet          show no progress on the terminal

The command:
  --shell              COMMAND is one line for /bin/sh -c
  --max-hold DURATION  end it after so long; the lock of a stopped or dead
                       turnstile is free when its session expires, not before
  --grace DURATION     from SIGTERM to SIGKILL when the hold runs out [2s]
  --on-lost ACTION     when the hold runs out: term, kill or none [term]
  --guard GUARD        what finds all that it has started: cgroup, children, or
                       auto: cgroup where one can be made, else children [auto]
  --once-per PERIOD    run it once in a period, whichever machine comes first
  --not-due-exit-code N
                       the exit code when it is not due [0]
  -E, --conflict-exit-code N
                       the exit code when the lock is taken, or the wait over
                       [75]
  --lost-exit-code N   the exit code when the lock was lost, not 0 [76]
)"} + k_servers +
           R"(
The command finds in its environment TURNSTILE_PATH, TURNSTILE_ZNODE,
TURNSTILE_TOKEN (for fencing), TURNSTILE_VALID_UNTIL (nanoseconds of
CLOCK_BOOTTIME), TURNSTILE_GUARD (cgroup or children: the one in force) and
TURNSTILE_STATUS_FD: a line of JSON at each change; TURNSTILE_HELD has a line
for each lock that this run and those above it hold. What the command has
started in the background ends with it. The kinds of locks (--mutex; --shared
and --exclusive; --permits) do not exclude each other: a run that finds another
kind ahead at its PATH is refused.

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
