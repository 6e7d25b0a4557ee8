// SPDX-License-Identifier: Apache-2.0
// player: a thread of a campaign's worker process that uses one recipe, and the code that all recipes share.
//
// Thread safety: a player belongs to one thread. The library's callbacks may use a `trace` from other threads.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "notes.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"

namespace campaign {

using std::chrono::milliseconds;
using turnstile::acquire_options;
using turnstile::guard;
using turnstile::result;

// State of one call, which the call's callbacks share.
struct trace {
    trace(notes& to, std::uint64_t number) : out{to}, id{number} {}

    notes& out;
    std::uint64_t id;
    // True: another client wants this hold to be released.
    std::atomic<bool> release_requested = false;
};

// The three ways to acquire one lock.
struct way {
    std::function<result<guard>(acquire_options)> acquire;
    std::function<result<guard>(acquire_options)> try_acquire;
    std::function<void(acquire_options, std::function<void(result<guard>)>)> async;
};

template <class L>
way way_of(L& lock) {
    return {[&lock](acquire_options o) { return lock.acquire(std::move(o)); },
            [&lock](acquire_options o) { return lock.try_acquire(std::move(o)); },
            [&lock](acquire_options o, std::function<void(result<guard>)> done) {
                lock.async_acquire(std::move(o), std::move(done));
            }};
}

// Identifies this process in a campaign: its start on the boot clock, in ns. A busy machine may reuse a pid within
// minutes.
inline std::int64_t process_number() {
    static const std::int64_t k_number =
        std::chrono::nanoseconds{boottime_clock::now().time_since_epoch()}.count();
    return k_number;
}

class player {
public:
    // `where` is the connect string of the servers. `servers` and `others` are the process's two sessions with these
    // servers. The player uses mainly `servers`.
    player(notes& out, turnstile::client& servers, turnstile::client& others, std::string where,
           std::string name, std::uint64_t seed, std::stop_token ending)
        : out_{out},
          servers_{servers},
          others_{others},
          where_{std::move(where)},
          name_{std::move(name)},
          random_{seed},
          ending_{std::move(ending)} {}

    [[nodiscard]] notes& out() noexcept { return out_; }
    [[nodiscard]] turnstile::client& servers() noexcept { return servers_; }
    [[nodiscard]] turnstile::client& others() noexcept { return others_; }
    [[nodiscard]] const std::string& where() const noexcept { return where_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "worker-3"
    [[nodiscard]] bool goes_on() const noexcept { return !ending_.stop_requested(); }
    [[nodiscard]] const std::stop_token& ending() const noexcept { return ending_; }

    [[nodiscard]] int between(int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random_);
    }
    [[nodiscard]] bool chance(double p) { return std::bernoulli_distribution{p}(random_); }
    // Sleeps, to simulate a program's work.
    static void work(milliseconds time);
    void think() { work(milliseconds{between(5, 120)}); }

    // Records that a call begins. Returns the call's state for its callbacks. `action` describes the call: "role=mutex
    // path=/campaign/mutex want=exclusive".
    std::shared_ptr<trace> begin(const std::string& action, milliseconds timeout);
    acquire_options options(const std::shared_ptr<trace>& of, milliseconds timeout);
    [[nodiscard]] milliseconds some_timeout();

    // Takes the lock by one of the functions of `lock`.
    result<guard> take(const way& lock, acquire_options options);

    // Records the grant. `paths` are the paths on which the hold excludes other clients.
    void granted(const trace& of, const guard& hold, const std::vector<std::string>& paths);
    void failed(const trace& of, const turnstile::error& why);
    // Checks whether the hold is valid, and records the result.
    bool still_valid(const trace& of, const guard& hold);
    // Works in steps while the hold is valid and no other client requests the lock. Each step ends with a write. Like a
    // careless program, the player does not check the hold again before a write, and writes once more after a failed
    // check.
    void critical_section(const trace& of, const guard& hold);
    void release(const trace& of, guard& hold);

    // Acquires the lock, works under it, and releases it.
    void turn(const way& lock, const std::string& action, const std::vector<std::string>& paths);

private:
    notes& out_;
    turnstile::client& servers_;
    turnstile::client& others_;
    std::string where_;
    std::string name_;
    std::mt19937_64 random_;
    std::stop_token ending_;
};

// Each of these functions uses one recipe until the player ends.
void play_mutex(player& me);
// Takes one lock several times in a row, with little competition.
void play_again(player& me);
void play_recursive(player& me);
void play_retained(player& me);
void play_multi(player& me);
void play_commits(player& me);
void play_put(player& me);
void play_shared(player& me);
void play_semaphore(player& me);
void play_election(player& me);
void play_latch(player& me);
void play_job(player& me);
void play_rate(player& me);
void play_checked(player& me);
// Acts as an operator: waits in no queue, requests releases, and takes locks away.
void play_operator(player& me);

}  // namespace campaign
