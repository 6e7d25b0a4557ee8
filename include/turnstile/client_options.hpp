// SPDX-License-Identifier: Apache-2.0
// client_options: the settings of a client, with their defaults.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181", {.session_timeout = 20s, .label = "billing"}};
//
// The defaults fit an ensemble with ZooKeeper's sample configuration. The constructor of `client` checks every value,
// and throws `bad_option` with the value and the rule.
//
// Thread safety: values.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "turnstile/guardian.hpp"
#include "turnstile/metrics_handle.hpp"
#include "turnstile/promises.hpp"
#include "turnstile/runtime.hpp"
#include "turnstile/sasl_options.hpp"
#include "turnstile/tls_options.hpp"

namespace turnstile {

// The ACL of the znodes that the client creates. `creator_only` needs an identity at the servers: `credentials`, a user
// of SASL, or a certificate of TLS (`cert_file`) at servers that take it for one. All identities of the client may use
// the znodes.
enum class access_policy { everybody, creator_only };

// Decides what a waiter does when its session ends, and its place in the queue with the session. `enter_again`: it
// queues again, at the end. `fail`: its call fails with `session_lost`.
enum class session_loss_policy { enter_again, fail };

// Decides what an acquire does if it finds, at the path of its lock, contenders of another kind ahead of the call's own
// contender. Locks exclude each other only if their kinds are in the same row of this table:
//
//  kind                                                          | other libraries                         |
// ---------------------------------------------------------------|-----------------------------------------|
//  mutex, recursive_mutex, job_gate, leader;                     | Curator's InterProcessMutex, Go's Lock  |
//  `turnstile run`, `turnstile elect`                            |                                         |
//  shared_mutex; `turnstile run --shared`, `--exclusive`         | Curator's InterProcessReadWriteLock     |
//  semaphore; `turnstile run --permits`                          |                                         |
//  leader with election_protocol::latch                          | Curator's LeaderLatch                   |
//
// `ignore`: both locks are held at once. `warn`: both are held, and each session writes one log line for each path, for
// at most 64 paths. `refuse`: the acquire fails with `bad_option`; so of two kinds at one path the second is refused,
// if its client has this setting.
enum class foreign_kind_policy { ignore, warn, refuse };

// Decides whether the client asks each server that it connects to for its role, with the command `srvr` over a short
// second connection. A session on the leader or on a standalone server has longer leases, see `lease_settings`.
//
// Use `off` behind a load balancer, where another server may answer. With `off` and `server_preference::leader` the
// client asks the servers nevertheless, to find the leader, but no lease relies on the answers.
enum class role_detection { on, off };

// The server that the client connects to.
// - `automatic`: any server, if leases through any server are long enough; that needs a session timeout of at least
//   5/2 of the relay bound. With a shorter timeout each session moves to the leader before it queues, and
//   moves again when another server leads. The client behaves as with `any` if the servers do not give their roles (a
//   load balancer, `role_detection::off`, no `srvr` in their 4lw.commands.whitelist), or if the leader accepts no
//   clients (leaderServes=no).
// - `any`: the server that answers first.
// - `leader`: the leader, whatever the session timeout.
//
// docs/why/lease.md gives the reason. docs/why/placement.md describes a change of the leader.
enum class server_preference { automatic, any, leader };

// Decides whether a client connects to a server that is cut off from its majority (state `read_only`). Such a
// connection shows only that the server is there; it grants no lock.
//
// Use `allowed` only if all ZooKeeper clients of the process have the same servers, including the clients of other
// libraries. The C client may connect one of them to a server that it has found for another one; locks would then be
// taken at the wrong servers. The constructor refuses a client of other servers beside a client with `allowed`, with
// `bad_option`; it cannot see the clients of other libraries. While it is read-only, the C client also leaves a
// descriptor open each time that another server refuses it: eight in the first minute, then one a minute.
enum class read_only_policy { never, allowed };

// The assumptions of a client about the servers, from which it computes how long a hold is certain. docs/why/lease.md
// has the rule, the proof and its assumptions.
struct lease_settings {
    // The servers' tickTime and syncLimit. A follower reports to the leader what it heard from a session with a delay
    // of at most (sync_limit + 1) * tick: the relay bound.
    //
    // Zero: the client uses the values of the server that it is connected to, if that server gives them (`conf` in its
    // 4lw.commands.whitelist, and `role_detection::on`), or else ZooKeeper's sample configuration: 2 s and 5, a relay
    // bound of 12 s. A session timeout that servers with this tick would not grant makes the bound longer.
    //
    // If the servers differ, set the largest values of any server. The bound is at most ten years.
    std::chrono::milliseconds tick{0};
    int sync_limit = 0;
    // The longest total of all stalls of leader, link and follower that one message can meet, as you assume it. The
    // relay bound is then this value + tick/2, and exclusion rests on your assumption. Zero: the client uses the proven
    // relay bound above. At most ten years.
    std::chrono::milliseconds assumed_stall{0};
    // The largest difference between the rates of this machine's clock and the servers', as a fraction: 0.001 is 1 ms
    // in a second. A time daemon may change the rate more: chrony by up to 0.083, unless its maxslewrate says otherwise
    // (docs/why/lease.md, A1). At least 0, below 0.5.
    double clock_drift = 0.001;
    // Says how often a session with a hold confirms its lease. Zero: every fifth of the session timeout. Must be less
    // than session_timeout * (1 - clock_drift). If the servers grant a session timeout that is too short for this
    // value, the client uses a fifth of it.
    std::chrono::milliseconds confirm_every{0};
    // Ends all leases after a pause of the whole machine that also stopped CLOCK_BOOTTIME, as many hypervisors do to
    // guests. The client detects such a pause when the wall clock is set again and jumps ahead by more than 0.2 s
    // beyond slewing. A clock that is set ahead by hand looks the same, and ends the leases without need.
    // docs/why/lease.md lists the pauses that this does not detect.
    bool detect_clock_steps = true;
};

// A function of yours that runs tasks: it gets a task and runs it once, at some later time, on a thread of its choice.
// Callbacks run there and nowhere else, so an executor may be a strand. The client calls the executor on a thread that
// the client or its runtime owns. The executor must not block.
// - If the executor throws, or destroys a task without having run it, the client takes the executor for gone, and runs
//   the task on its own thread.
// - close() waits up to `close_timeout` until the executor has run the queued tasks, but not on a thread on which the
//   executor has run callbacks: an event loop would wait for itself. Tasks that have not begun by then stay with the
//   executor. They run later, or are destroyed with the executor.
using executor = std::function<void(std::function<void()>)>;

// The settings of a client.
struct client_options {
    // The session timeout that the client asks for. The servers may grant a different one, see `session_info::timeout`.
    // Below 5/2 of the relay bound (30 s by default, see `lease_settings`) the sessions move to the leader, see
    // `server_preference`. At most 1 h.
    std::chrono::milliseconds session_timeout{30'000};
    // Credentials of ZooKeeper's digest scheme: "user:password", with a colon, at most 64 KiB. Empty: none. The user
    // owns the znodes, see `access_policy`. The login at a Redis server or a database is a part of the connect string
    // instead.
    std::string credentials{};
    // TLS to ZooKeeper's servers, for a connect string that does not begin with zookeepers://.
    tls_options tls{};
    // SASL at ZooKeeper's servers, for a connect string without sasl_... options.
    sasl_options sasl{};
    // The ACL of the znodes that the client creates.
    access_policy acl = access_policy::everybody;
    // Creates the connect string's chroot, with its parents, before the first session. An existing chroot stays
    // unchanged. If the servers refuse the creation, connecting fails with their error (`no_permission`,
    // `quota_exceeded`). If false, a missing chroot is the error `no_chroot`, which reveals a mistyped connect string.
    bool create_chroot = false;
    // Decides what a waiter does when its session ends.
    session_loss_policy waiters = session_loss_policy::enter_again;
    // Decides what an acquire does about contenders of another kind at its path. The check costs no request: an acquire
    // lists the path anyway, unless the client knows that no contender is ahead.
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    // The server that sessions connect to.
    server_preference server = server_preference::automatic;
    // Decides whether the client asks servers for their roles.
    role_detection roles = role_detection::on;
    // Decides whether the client connects to servers without a majority.
    read_only_policy attach_to_read_only = read_only_policy::never;
    // The client's assumptions about the servers' timing.
    lease_settings lease{};
    // Pauses between attempts to open a session, with jitter. They double from `retry_first` to `retry_longest`.
    // `retry_first` is positive and at most `retry_longest`, which is at most a day.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{5'000};
    // Says how long a connection may carry requests of the client without answering one. After that time the session
    // moves to the servers' leader, if the leader answers over another connection meanwhile. This happens at most once
    // per session timeout.
    //
    // The client uses a longer time where answers are slow (eight of the longest round trips seen lately), and never
    // more than a sixth of the session timeout. If the leader does not answer, or with 0, the client leaves the
    // connection after two thirds of the session timeout. At most a day. For ZooKeeper and Redis; databases have
    // timeouts of statements. docs/why/silence.md has the reasons.
    std::chrono::milliseconds connection_timeout{5'000};
    // The number of sessions that the client opens first (`sessions`), and the largest number that it may have
    // (`max_sessions`). It opens another session when the paths of the znodes of one would exceed 128 KiB, which is
    // about 1,000 contenders. (That is half of what fits safely into one transaction of the servers.) `sessions` is
    // from 1 to `max_sessions`, which is at most 1,024.
    //
    // Each session is a connection. Sometimes a second, short connection asks for the server's role. A server allows
    // 60 connections from one address (maxClientCnxns) unless it is configured otherwise. A client that gets no further
    // connection continues with the sessions that it has, and logs that once (docs/reference/limits.md).
    unsigned sessions = 1;
    unsigned max_sessions = 16;
    // The client's name in the holder metadata of its znodes. Empty: no name. At most 1024 bytes.
    std::string label{};
    // The place where handlers, listeners and callbacks run. Empty: one thread of the client, or a thread of its
    // runtime. They never run on the ZooKeeper C client's threads, nor under a lock of the library.
    executor callbacks{};
    // The threads that this client shares with others (runtime.hpp). Empty: the client has its own threads.
    turnstile::runtime runtime{};
    // The numbers to which this client adds (metrics.hpp). Several clients may have the same. Empty: none are taken.
    turnstile::metrics metrics{};
    // Says how long close() waits until the servers confirm that the znodes are removed, and then as long again for an
    // executor to run its queue. client::close() lists what else it waits for, without this limit. The largest duration
    // means without limit.
    std::chrono::milliseconds close_timeout{5'000};
    // Decides whether a guardian ends the client's sessions as soon as this process has died.
    guardian_settings guardian{};
    // The promises that the program requires of the servers. Default: none. The constructor throws `bad_option` for
    // servers that promise less, and names what is missing. To find out, it asks a Redis, PostgreSQL or MariaDB server,
    // see client::promises().
    //
    // The client judges such a server again each time that it connects. A server that has been reconfigured, or did not
    // answer before, may so be left without a session: the log names what is missing, and so does wait_connected()
    // until there is a first session.
    promises require{};
};

}  // namespace turnstile
