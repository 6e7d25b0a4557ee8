// SPDX-License-Identifier: Apache-2.0
// crowd: the load of the measure "saturation" (many sessions and many locks), and the code for that load that the peers
// in C++ share.
//
//     saturate FOLDER LOCKS WHICH PROCESS PROCESSES SESSIONS SLOTS BEGIN END
//         Each of this process's SESSIONS always has SLOTS acquires in progress. After a grant the session releases
//         the lock at once, without waiting for the confirmation, and requests the next lock. Answers grants=N, the
//         grants between BEGIN and END, and all=N, all grants.
//     pace FOLDER LOCKS WHICH PROCESS PROCESSES SESSIONS RATE BEGIN END
//         Begins RATE acquires a second at random instants, even while earlier acquires still wait. Answers us=LIST:
//         for each acquire that was due between BEGIN and END, the time from its instant to its grant.
//
// PROCESS is the index of this process, from 0 to PROCESSES - 1. The locks are FOLDER/0 to FOLDER/(LOCKS - 1). If WHICH
// is "own", each session of all PROCESSES has locks that no other session takes, and each slot has some of these locks.
// If WHICH is "zipf", a session takes any lock, by Zipf's law with the exponent of YCSB.
//
// A peer is a class with
//
//     void prepare(const bench::crowd_load&);                                   creates sessions and locks
//     void take(std::size_t session, std::size_t lock, bench::crowd_waiter&);   takes the lock, releases it, and
//                                                                               reports both to the waiter
//
// Thread safety: any thread may call a crowd_waiter, one call at a time. Only one thread may use the rest.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "protocol.hpp"

namespace bench {

struct crowd_load {
    std::string folder;
    std::size_t locks = 0;
    bool skewed = false;
    std::size_t process = 0;
    std::size_t processes = 0;
    std::size_t sessions = 0;  // number of sessions in this process
    std::int64_t amount = 0;   // slots of each session, or this process's acquires a second
    std::int64_t begin = 0;
    std::int64_t end = 0;

    explicit crowd_load(const arguments& given)
        : folder{given.at(0)},
          locks{static_cast<std::size_t>(number(given.at(1)))},
          skewed{given.at(2) == "zipf"},
          process{static_cast<std::size_t>(number(given.at(3)))},
          processes{static_cast<std::size_t>(number(given.at(4)))},
          sessions{static_cast<std::size_t>(number(given.at(5)))},
          amount{number(given.at(6))},
          begin{number(given.at(7))},
          end{number(given.at(8))} {
        if (!skewed && given.at(2) != "own")
            throw std::invalid_argument{"'" + given.at(2) + "' is not own or zipf"};
    }
    [[nodiscard]] std::string path(std::size_t lock) const {
        return folder + "/" + std::to_string(lock);
    }
};

// Chooses the lock that the next acquire of the load takes.
class lock_choice {
public:
    // Makes the choices for one slot of a session. (A session has a slot for each acquire that it keeps in progress.)
    // The sequence of choices is the same for all peers.
    lock_choice(const crowd_load& load, std::size_t session, std::size_t slot, std::size_t slots)
        : locks_{load.locks},
          number_{load.process * load.sessions + session},
          step_{load.processes * load.sessions * slots},
          first_{number_ + load.processes * load.sessions * slot},
          next_{first_},
          random_{number_ * slots + slot} {
        if (load.skewed) {
            weigh();
        } else if (first_ >= locks_) {
            throw std::invalid_argument{"fewer locks than slots"};
        }
    }
    std::size_t next() {
        if (!weight_sums_.empty()) {
            const double at =
                std::uniform_real_distribution<double>{0, weight_sums_.back()}(random_);
            const auto found = std::upper_bound(weight_sums_.begin(), weight_sums_.end() - 1, at);
            return static_cast<std::size_t>(found - weight_sums_.begin());
        }
        const auto result = next_;
        next_ = next_ + step_ < locks_ ? next_ + step_ : first_;
        return result;
    }

private:
    void weigh() {
        constexpr double k_exponent = 0.99;
        double sum = 0;
        for (std::size_t rank = 1; rank <= locks_; ++rank)
            weight_sums_.push_back(sum += std::pow(static_cast<double>(rank), -k_exponent));
    }

    const std::size_t locks_;
    const std::size_t number_;  // number of the session, over all processes
    const std::size_t step_;
    const std::size_t first_;
    std::size_t next_;
    std::mt19937_64 random_;
    // Empty if all locks are chosen equally often. Else value i is the sum of the weights of the locks 0 to i.
    std::vector<double> weight_sums_;
};

// A peer reports the outcome of an acquire to this object.
class crowd_waiter {
public:
    virtual void granted() = 0;
    virtual void given_up() = 0;  // the last call for this acquire, like failed()
    virtual void failed(const std::string& why) = 0;

protected:
    ~crowd_waiter() = default;
};

// Counts the operations in progress, and keeps the first failure.
class crowd_tally {
public:
    void begin() {
        const std::lock_guard held{mutex_};
        ++running_;
    }
    void end(const std::optional<std::string>& failure = {}) {
        const std::lock_guard held{mutex_};
        if (failure && !failure_) failure_ = failure;
        if (--running_ == 0) changed_.notify_all();
    }
    void wait() {
        std::unique_lock held{mutex_};
        changed_.wait(held, [this] { return running_ == 0; });
        if (failure_) throw std::runtime_error{*failure_};
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t running_ = 0;
    std::optional<std::string> failure_;
};

template <class Peer>
class crowd_slot final : public crowd_waiter {
public:
    crowd_slot(Peer& peer, const crowd_load& load, crowd_tally& tally, std::size_t session,
               std::size_t slot)
        : count{load.begin, load.end},
          peer_{peer},
          tally_{tally},
          session_{session},
          choice_{load, session, slot, static_cast<std::size_t>(load.amount)} {}

    void start() {
        tally_.begin();
        next();
    }
    void granted() override { count.granted(); }
    void given_up() override { next(); }
    void failed(const std::string& why) override { tally_.end(why); }

    grant_count count;

private:
    void next() {
        if (count.over()) return tally_.end();
        peer_.take(session_, choice_.next(), *this);
    }

    Peer& peer_;
    crowd_tally& tally_;
    const std::size_t session_;
    lock_choice choice_;
};

template <class Peer>
std::string saturate(Peer& peer, const crowd_load& load) {
    peer.prepare(load);
    crowd_tally tally;
    std::vector<std::unique_ptr<crowd_slot<Peer>>> slots;
    for (std::size_t session = 0; session != load.sessions; ++session)
        for (std::size_t slot = 0; slot != static_cast<std::size_t>(load.amount); ++slot)
            slots.push_back(std::make_unique<crowd_slot<Peer>>(peer, load, tally, session, slot));
    for (const auto& slot : slots) slot->start();
    tally.wait();
    grant_count sum;
    for (const auto& slot : slots) sum.add(slot->count);
    return sum.text();
}

// An acquire of the command `pace`. The object deletes itself at the end.
class paced_acquire final : public crowd_waiter {
public:
    struct times {
        std::mutex mutex;
        std::vector<std::int64_t> us;
    };
    // `found` receives the time from `due` to the grant. It is null if `due` is before the measured period.
    paced_acquire(crowd_tally& tally, times* found, std::int64_t due)
        : tally_{tally}, found_{found}, due_{due} {
        tally_.begin();
    }
    void granted() override {
        const auto took = now_us() - due_;
        if (found_ == nullptr) return;
        const std::lock_guard held{found_->mutex};
        found_->us.push_back(took);
    }
    void given_up() override {
        const std::unique_ptr<paced_acquire> self{this};
        tally_.end();
    }
    void failed(const std::string& why) override {
        const std::unique_ptr<paced_acquire> self{this};
        tally_.end(why);
    }

private:
    crowd_tally& tally_;
    times* const found_;
    const std::int64_t due_;
};

template <class Peer>
std::string pace(Peer& peer, const crowd_load& load) {
    peer.prepare(load);
    std::vector<lock_choice> choices;
    for (std::size_t session = 0; session != load.sessions; ++session)
        choices.emplace_back(load, session, 0, 1);
    std::mt19937_64 random{load.process};
    std::exponential_distribution<double> gap{static_cast<double>(load.amount) / 1e6};
    crowd_tally tally;
    paced_acquire::times found;
    auto due = static_cast<double>(now_us());
    for (std::size_t session = 0; due < static_cast<double>(load.end);
         session = (session + 1) % load.sessions, due += gap(random)) {
        const auto at = static_cast<std::int64_t>(due);
        std::this_thread::sleep_until(
            std::chrono::system_clock::time_point{std::chrono::microseconds{at}});
        auto waiter =
            std::make_unique<paced_acquire>(tally, at < load.begin ? nullptr : &found, at);
        peer.take(session, choices[session].next(), *waiter.release());
    }
    tally.wait();
    return list_of(found.us);
}

}  // namespace bench
