// SPDX-License-Identifier: Apache-2.0
// client_options: how a client talks to its servers, with documented defaults.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "turnstile/guardian.hpp"
#include "turnstile/promises.hpp"
#include "turnstile/runtime.hpp"
#include "turnstile/tls_options.hpp"

namespace turnstile {

// Which clients may touch the znodes that the client makes.
enum class access_policy { everybody, creator_only };  // creator_only needs `credentials`

// What a waiter does when its session ends and its place in the queue with it.
enum class session_loss_policy { enter_again, fail };

// What an acquire does that finds contenders of another kind ahead of its own at the path of the lock. Kinds exclude
// each other only within one line of this table, whatever stands at the path:
//
// | kind                                                                  | other libraries                                  |
// |-----------------------------------------------------------------------|--------------------------------------------------|
// | mutex, recursive_mutex, job_gate, leader; `turnstile run`, `elect`    | Curator's InterProcessMutex, Go's Lock           |
// | shared_mutex; `turnstile run --shared`, `--exclusive`                 | Curator's InterProcessReadWriteLock              |
// | semaphore; `turnstile run --permits`                                  |                                                  |
// | leader with election_protocol::latch                                  | Curator's LeaderLatch                            |
//
// ignore: both hold. warn: both hold, and each session tells the log once for each path, of 64 paths at most. refuse: the
// acquire fails with `bad_option`; of two kinds at one path the second is refused if its client says so.
enum class foreign_kind_policy { ignore, warn, refuse };

// Whether the client asks each server that it is attached to for its role (the command `srvr`, over
// a short connection of its own). A connection to the leader or to a standalone server makes leases
// longer, see `lease_settings`. Behind a load balancer the answer may come from another server:
// use `off` there. With `off` and server_preference::leader the servers are asked all the same, to find the leader, but
// no lease rests on what they say.
enum class role_detection { on, off };

// Which server the client attaches to.
// automatic: any while leases through it last comfortably, with a session time-out of 5/2 of the relay bound. With a
//            shorter one each session moves to the leader, before it takes part in a queue, and follows when another
//            server leads. Where the servers do not tell their roles (a load balancer, role_detection::off, no `srvr`
//            in their 4lw.commands.whitelist) or the leader takes no clients (leaderServes=no), as `any`.
// any:       whichever server answers first. leader: the leader, whatever the time-out.
// docs/why/lease.md says why, and docs/why/placement.md what if the leader changes meanwhile.
enum class server_preference { automatic, any, leader };

// Whether a client attaches to a server that is cut off from its majority (state `read_only`). That tells only that the
// server is there: nothing can be acquired. `allowed` is for a process whose ZooKeeper clients all have the same
// servers, those of other libraries included: the C client may connect any of them to a server that it has found for
// another, and locks would be taken at servers that are not the client's own. A client of other servers beside one with
// `allowed` is refused with `bad_option`; what other libraries open is not seen. While it is read-only the C client
// also leaves a descriptor open each time that another server refuses it: eight in the first minute, then one a minute.
enum class read_only_policy { never, allowed };

// What a client assumes of the servers when it computes until when a hold is certain
// (docs/why/lease.md has the rule, the proof and what it rests on).
struct lease_settings {
    // The servers' tickTime and syncLimit. A follower relays what it heard from a session with a
    // delay of at most (sync_limit + 1) * tick: the relay bound. Zero: what the server that the session is
    // attached to says (`conf` in its 4lw.commands.whitelist, and role_detection::on), else the sample
    // configuration's 2 s and 5, which make 12 s; a session time-out that servers with that tick would not grant
    // makes it longer. Set them to the largest of any server. The bound is ten years at most.
    std::chrono::milliseconds tick{0};
    int sync_limit = 0;
    // Zero: use the proven relay bound above. Else: the longest that you are willing to assume for all stalls of
    // leader, link and follower together that one message meets; the relay bound is then this + tick/2, and exclusion
    // rests on it. Ten years at most.
    std::chrono::milliseconds assumed_stall{0};
    // The largest difference between the rates of this machine's clock and the servers', as a part
    // of one: 0.001 is 1 ms in a second. A time daemon may slew faster: chrony by up to 0.083 unless its maxslewrate
    // says otherwise (docs/why/lease.md, A1). From 0 to below 0.5.
    double clock_drift = 0.001;
    // How often a session that holds something confirms it; zero: a fifth of the session time-out.
    // Must be less than session_timeout * (1 - clock_drift). Where the servers grant a shorter
    // time-out than that allows, a fifth of it is used.
    std::chrono::milliseconds confirm_every{0};
    // Ends the leases of a machine that has stood still together with its CLOCK_BOOTTIME, as guests of many
    // hypervisors do: once the wall clock has been set again and has gone ahead by more than 0.2 s beyond slewing.
    // Setting the clock ahead by hand looks the same and ends them needlessly. What it does not find:
    // docs/why/lease.md.
    bool detect_clock_steps = true;
};

// Runs what it is given, once, some time later, on a thread of its choice; what it has been given runs there and
// nowhere else, so that it may be a strand. It is called on a thread of the client's or its runtime's, and must not
// block.
// - One that throws, or destroys a task without having run it, is taken for gone: that thread does the work.
// - close() waits up to `close_timeout` for it to run what is queued, but not on a thread on which it has run
//   callbacks: an event loop would wait for itself. What it has not begun by then stays with it: it runs later, or
//   is destroyed with the executor, without having run.
using executor = std::function<void(std::function<void()>)>;

struct client_options {
    // Asked for; the servers may grant another (see `session_info::timeout`). With less than 5/2 of the relay bound
    // (see `lease_settings`; 30 s by default) sessions go to the leader, see `server_preference`. At most 1 h.
    std::chrono::milliseconds session_timeout{30'000};
    // Digest scheme, "user:password", with a colon and at most 64 KiB; empty: none. They are the owner of the znodes,
    // see access_policy; the login at a Redis server or a database stands in the connect string.
    std::string credentials{};
    // TLS to ZooKeeper's servers, for a connect string that does not begin with zookeepers://.
    tls_options tls{};
    access_policy acl = access_policy::everybody;
    // On: the client creates the connect string's chroot, with its parents, before its first session. An existing chroot
    // stays unchanged. If the servers refuse the creation, connecting fails with their error (no_permission,
    // quota_exceeded). Off: a missing chroot is the error `no_chroot`, which reveals a mistyped connect string.
    bool create_chroot = false;
    session_loss_policy waiters = session_loss_policy::enter_again;
    // At no cost: each acquire lists the path anyway.
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    server_preference server = server_preference::automatic;
    role_detection roles = role_detection::on;
    read_only_policy attach_to_read_only = read_only_policy::never;
    lease_settings lease{};
    // Pauses between attempts to open a session: jittered, doubling from the first to the second. The first is positive
    // and not longer than the second, which is a day at most.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{5'000};
    // A connection that carries requests of the client and answers none of them for so long is left, and the session goes
    // on at the servers' leader, if that answers over another one meanwhile: longer where answers take long (eight of the
    // longest round trips seen lately), a sixth of the session time-out at most, and once in a session time-out. Else,
    // and with 0, it is left after two thirds of the session time-out. At most a day. ZooKeeper and Redis; databases have
    // limits of statements. docs/why/silence.md.
    std::chrono::milliseconds connection_timeout{5'000};
    // Sessions opened at the start; more are opened, up to the second number, when the znodes of one
    // would have paths of more than 128 KiB, half of what fits safely into one transaction of the servers: 1,000
    // contenders each. From 1 to max_sessions, which is at most 1,024.
    // Each is a connection, and now and then a second, short one that asks for the server's role; a server
    // allows 60 of one address (maxClientCnxns) unless configured otherwise. A client that finds that it
    // gets no more goes on with the sessions that it has, and says so once in the log (docs/reference/limits.md).
    unsigned sessions = 1;
    unsigned max_sessions = 16;
    // What the holder metadata in the znodes calls this client; empty: nothing. At most 1024 bytes.
    std::string label{};
    // Where handlers, listeners and callbacks run; empty: one thread of the client's own, or the runtime's. They never
    // run on the ZooKeeper client's threads nor under a lock of the library.
    executor callbacks{};
    // The threads that the client shares with others (runtime.hpp); none: it has threads of its own.
    turnstile::runtime runtime{};
    // How long `close()` waits for the servers to confirm that the znodes are gone, and then as long for an
    // executor to run what is queued. What else it waits for, without this limit: client::close(). Of any length; the
    // largest is for ever.
    std::chrono::milliseconds close_timeout{5'000};
    // Whether a guardian ends the client's sessions with ZooKeeper as soon as this process has died. With servers of
    // another kind it does nothing but a warning in the log.
    guardian_settings guardian{};
    // The least that the servers of the connect string have to promise. Default: nothing. The constructor refuses
    // a kind of server that promises less, with `bad_option`, and names what is missing. For that it asks a Redis,
    // PostgreSQL or MariaDB server, see client::promises(). Those are judged again at each attach, so that one that was
    // down, or has been set up differently meanwhile, has no session: the log names what is missing, and so does
    // wait_connected() where there has been none yet.
    promises require{};
};

}  // namespace turnstile
