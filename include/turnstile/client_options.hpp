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

// The ACL of the znodes that the client creates. For `creator_only` the client needs an identity at the servers:
// `credentials`, a SASL user, or a TLS certificate (`cert_file`) if the servers accept certificates as identities. All
// identities of the client may use the znodes.
enum class access_policy { everybody, creator_only };

// Decides what a waiter (a call that waits for a lock) does when its session ends. The waiter's place in the queue ends
// with the session. `enter_again`: the waiter queues again, at the end. `fail`: the call fails with `session_lost`.
enum class session_loss_policy { enter_again, fail };

// Decides what an acquire does if contenders of another kind of lock are ahead of it at the same path. Locks exclude
// each other only if their kinds are in the same row of this table:
//
//  kind                                                          | other libraries                         |
// ---------------------------------------------------------------|-----------------------------------------|
//  mutex, recursive_mutex, job_gate, leader;                     | Curator's InterProcessMutex, Go's Lock  |
//  `turnstile run`, `turnstile elect`                            |                                         |
//  shared_mutex; `turnstile run --shared`, `--exclusive`         | Curator's InterProcessReadWriteLock     |
//  semaphore; `turnstile run --permits`                          |                                         |
//  leader with election_protocol::latch                          | Curator's LeaderLatch                   |
//
// `ignore`: the acquire ignores the other kind, so two clients may hold both locks at once. `warn`: like `ignore`, and
// each session also writes one log line for each path, for at most 64 paths. `refuse`: the acquire fails with
// `bad_option`. Set `refuse` in all clients, because a client without it still acquires its lock.
enum class foreign_kind_policy { ignore, warn, refuse };

// Decides whether the client asks each server to which it connects for the server's role, with the command `srvr` over
// a short second connection. A session on the leader or on a standalone server has longer leases, see `lease_settings`.
//
// Use `off` behind a load balancer, where another server may answer. With `off` and `server_preference::leader` the
// client still asks the servers, to find the leader, but no lease relies on the answers.
enum class role_detection { on, off };

// The server that the client connects to. The relay bound is the longest time until the leader learns of a message that
// a follower has received (`lease_settings`).
// - `automatic`: any server, if the session timeout is at least 5/2 of the relay bound, so that a lease is long enough
//   whichever server renews it. With a shorter timeout each session moves to the leader before it queues, and moves
//   again when another server becomes the leader. The client behaves as with `any` in two cases: it cannot learn the
//   servers' roles (behind a load balancer, with `role_detection::off`, or without `srvr` in the servers'
//   4lw.commands.whitelist), or the leader accepts no clients (leaderServes=no).
// - `any`: the server that answers first.
// - `leader`: the leader, whatever the session timeout.
//
// docs/why/placement.md explains these rules, and describes a change of the leader. docs/why/lease.md explains the
// length of a lease.
enum class server_preference { automatic, any, leader };

// Decides whether a client connects to a server that is cut off from its majority (state `read_only`). Through such a
// connection the client only learns that the server is running; it gets no lock.
//
// Use `allowed` only if all ZooKeeper clients of the process have the same servers, including the clients of other
// libraries. ZooKeeper's C client may connect one client to a server that it found for another client, and locks would
// then be taken at the wrong servers. So if two clients of the process have different servers, and at least one of them
// has `allowed`, the constructor of the second client throws `bad_option`. The constructor cannot see the clients of
// other libraries.
//
// While a session is read-only, the C client tries the other servers. Each time that a server refuses the connection,
// the C client leaks a descriptor: eight in the first minute, then one a minute.
enum class read_only_policy { never, allowed };

// The assumptions of a client about the servers. From them the client computes the lease of each hold: the time for
// which the hold is certain. docs/why/lease.md has the rule, the proof and its assumptions.
struct lease_settings {
    // The servers' tickTime and syncLimit. A follower reports each message of a session to the leader at most
    // (sync_limit + 1) * tick after the message has arrived. This time is the relay bound.
    //
    // Zero: the client uses the values of the server to which it is connected. That needs `conf` in the server's
    // 4lw.commands.whitelist, and `role_detection::on`. Otherwise the client uses the values of ZooKeeper's sample
    // configuration: a tick of 2 s and a syncLimit of 5, so a relay bound of 12 s. If the server granted a session
    // timeout that is impossible with this tick, the client uses a longer bound.
    //
    // If the servers differ, set the largest values of any server. The bound is at most ten years.
    std::chrono::milliseconds tick{0};
    int sync_limit = 0;
    // Your assumption about stalls: times in which the leader, the follower or the link between them does nothing. The
    // value is the longest total of all stalls that can delay one message. Then the relay bound (the longest time until
    // the leader learns of a message that a follower has received) is this value + tick/2, and exclusion rests on your
    // assumption. Zero: the client uses the proven relay bound, which follows from `tick` and `sync_limit`. At most ten
    // years.
    std::chrono::milliseconds assumed_stall{0};
    // The largest difference between the rates of this machine's clock and the servers' clocks, as a fraction: 0.001 is
    // 1 ms in a second. A time daemon may change the rate by more: chrony by up to 0.083, unless its maxslewrate is
    // lower (assumption A1 in docs/why/lease.md). At least 0, below 0.5.
    double clock_drift = 0.001;
    // The interval at which a session with a hold confirms (extends) its lease. Zero: the interval is a fifth of the
    // session timeout. The value must be less than session_timeout * (1 - clock_drift). If the servers grant a session
    // timeout that is too short for this value, the client uses a fifth of the granted timeout.
    std::chrono::milliseconds confirm_every{0};
    // Ends all leases after a pause of the whole machine in which CLOCK_BOOTTIME stopped too. (Many hypervisors stop
    // this clock in a paused virtual machine.) The client detects such a pause when the wall clock is corrected
    // afterwards: this correction is a jump ahead by more than 0.2 s, in addition to gradual corrections (slewing). If
    // an operator sets the wall clock ahead, the client takes that for a pause, and ends the leases without need.
    // docs/why/lease.md lists the pauses that the client does not detect.
    bool detect_clock_steps = true;
};

// A function of your program that runs tasks: it gets a task and runs the task once, at some later time, on a thread of
// its choice. All callbacks run through the executor, so it may be a strand, which runs one task at a time. The client
// calls the executor on a thread that the client or its runtime owns. The executor must not block.
// - If the executor throws, or destroys a task that has not run, the client assumes that the executor has ended, and
//   runs the task on its own thread.
// - close() waits up to `close_timeout` until the executor has run the queued tasks. On a thread on which the executor
//   has run callbacks, close() does not wait for these tasks, because an event loop would wait for itself. Tasks that
//   have not begun when close() returns stay with the executor. They run later, or are destroyed with the executor.
using executor = std::function<void(std::function<void()>)>;

// The settings of a client.
struct client_options {
    // The session timeout that the client requests. The servers may grant a different one, see `session_info::timeout`.
    // If the timeout is less than 5/2 of the relay bound (the longest time until the leader learns of a message that a
    // follower has received, see `lease_settings`), the sessions move to the leader (see `server_preference`). With the
    // default relay bound, 5/2 of it are 30 s. At most 1 h.
    std::chrono::milliseconds session_timeout{30'000};
    // Credentials of ZooKeeper's digest scheme: "user:password", with a colon, at most 64 KiB. Empty: none. With
    // `access_policy::creator_only` this user owns the znodes. For a Redis server or a database, put user and password
    // into the connect string instead.
    std::string credentials{};
    // The settings for TLS to ZooKeeper's servers. They must be empty if the connect string begins with zookeepers://.
    tls_options tls{};
    // The settings for SASL at ZooKeeper's servers. They must be empty if the connect string has sasl_... options.
    sasl_options sasl{};
    // The ACL of the znodes that the client creates.
    access_policy acl = access_policy::everybody;
    // Creates the connect string's chroot, with its parents, before the first session. An existing chroot stays
    // unchanged. If the servers refuse to create it, connecting fails with `no_permission` or `quota_exceeded`. If this
    // option is false and the chroot is missing, connecting fails with `no_chroot`, which reveals a mistyped connect
    // string.
    bool create_chroot = false;
    // Decides what a waiter does when its session ends.
    session_loss_policy waiters = session_loss_policy::enter_again;
    // Decides what an acquire does about contenders of another kind of lock at its path. The check costs no request: an
    // acquire reads the list of contenders anyway, unless the client knows that none is ahead.
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    // The server to which sessions connect.
    server_preference server = server_preference::automatic;
    // Decides whether the client asks the servers for their roles.
    role_detection roles = role_detection::on;
    // Decides whether the client connects to servers that are cut off from their majority.
    read_only_policy attach_to_read_only = read_only_policy::never;
    // The client's assumptions about the servers' timing.
    lease_settings lease{};
    // The first and the longest pause between attempts to open a session. Each pause is twice as long as the pause
    // before, with jitter. `retry_first` is positive and at most `retry_longest`, which is at most a day.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{5'000};
    // The longest time for which requests may wait on a connection without an answer to any of them. After that time
    // the session moves to the servers' leader, if the leader answers over another connection meanwhile. A session
    // moves at most once per session timeout.
    //
    // If answers are slow, the client waits longer: eight times the longest recent round trip, but never more than a
    // sixth of the session timeout. If the leader does not answer, or if this option is 0, the client leaves the
    // connection after two thirds of the session timeout. At most a day. The option applies to ZooKeeper and Redis; for
    // databases the client uses statement timeouts. docs/why/silence.md explains these limits.
    std::chrono::milliseconds connection_timeout{5'000};
    // The number of sessions that the client opens first (`sessions`), and the largest number that it may have
    // (`max_sessions`). The client opens another session when the paths of one session's znodes would exceed 128 KiB in
    // total, which is about 1,000 contenders. (128 KiB is half of what fits safely into one transaction of the
    // servers.) `sessions` is from 1 to `max_sessions`, which is at most 1,024.
    //
    // Each session has one connection. Sometimes the client opens a second, short connection to ask for the server's
    // role. A server allows 60 connections from one address (maxClientCnxns) unless it is configured otherwise. A
    // client that gets no further connection continues with the sessions that it has, and logs that once
    // (docs/reference/limits.md).
    unsigned sessions = 1;
    unsigned max_sessions = 16;
    // The client's name in the holder metadata of its znodes. Empty: no name. At most 1024 bytes.
    std::string label{};
    // Runs handlers, listeners and callbacks. Empty: they run on one thread of the client, or on a thread of its
    // runtime. They never run on the threads of ZooKeeper's C client, nor while the library holds one of its mutexes.
    executor callbacks{};
    // The threads that this client shares with other clients (runtime.hpp). Empty: the client has its own threads.
    turnstile::runtime runtime{};
    // The metrics to which this client adds its numbers (metrics.hpp). Several clients may share one object. Empty: the
    // client records no metrics.
    turnstile::metrics metrics{};
    // The longest time for which close() waits until the servers have confirmed the removal of the znodes. After that,
    // close() waits up to the same time again until an executor has run its queued tasks. The comment of
    // client::close() lists the waits to which this limit does not apply. The largest duration means no limit.
    std::chrono::milliseconds close_timeout{5'000};
    // Decides whether a guardian, a separate small process (guardian.hpp), ends the client's sessions as soon as this
    // process has died.
    guardian_settings guardian{};
    // The promises that the program requires of the servers. Default: none. If the servers promise less, the
    // constructor throws `bad_option`, and the message names the missing promises. To find out, the constructor asks a
    // Redis, PostgreSQL or MariaDB server, see client::promises().
    //
    // The client checks such a server again each time that it connects, because an operator may have changed the
    // server's settings, or the server did not answer before. If a promise is missing then, the client opens no session
    // with that server. The log names the missing promise; so does the error of wait_connected() until the first
    // session exists.
    promises require{};
};

}  // namespace turnstile
