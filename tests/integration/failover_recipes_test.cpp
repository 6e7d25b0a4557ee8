// SPDX-License-Identifier: Apache-2.0
// Tests elections, semaphores and jobs on three servers, while the leader dies under load.
#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "support.hpp"

namespace turnstile::tests {
namespace {

ensemble& three_servers() {
    static ensemble servers{{.count = 3}};
    static const bool ready = (servers.wait_until_serving(), true);
    EXPECT_TRUE(ready);
    return servers;
}

// Several threads that use a recipe until the crew ends, each with a client. The tests wait until the count of results
// grows.
class crew {
public:
    crew(int size, const std::function<void(crew&, client&, int)>& round) {
        for (int i = 0; i != size; ++i) {
            workers_.emplace_back([this, round, i] {
                const auto mine = connect(three_servers().connect_string(), quick_options(10s));
                while (!over()) round(*this, *mine, i);
            });
        }
    }
    ~crew() { end(); }
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    // Each thread of the crew calls this function after each result.
    void count() { ++done_; }
    [[nodiscard]] int done() const { return done_; }
    [[nodiscard]] bool over() const { return over_.is_set(); }
    // Sleeps for this time, or until the crew ends.
    void rest(std::chrono::nanoseconds time) const {
        static_cast<void>(over_.wait(1, testing::test_deadline{time}));
    }

    // Checks that the recipe works before, during and after the death of the servers' leader.
    void outlive_the_leader(int more) {
        EXPECT_TRUE(goes_on(more));
        const auto leader = three_servers().leader();
        ASSERT_TRUE(leader);
        three_servers().kill(*leader);
        EXPECT_TRUE(goes_on(more));
        three_servers().start(*leader);
        three_servers().wait_until_serving();
        EXPECT_TRUE(goes_on(more));
        end();
    }

private:
    [[nodiscard]] bool goes_on(int more) const {
        const int from = done_;
        return eventually([&] { return done_ >= from + more; });
    }
    void end() {
        over_.set();
        for (auto& thread : workers_)
            if (thread.joinable()) thread.join();
    }

    std::atomic<int> done_{0};
    testing::event over_;
    std::vector<std::thread> workers_;
};

// ---- semaphore ------------------------------------------------------------------------------

// Counts the valid guards of permits. The count only includes guards that existed before it began. An invalid guard
// never becomes valid again, so all counted guards were valid when the count began.
class leases_at_once {
public:
    void enter(const guard& lease) {
        const std::lock_guard hold{mutex_};
        inside_.push_back(&lease);
        const auto valid = std::count_if(inside_.begin(), inside_.end(),
                                         [](const guard* entered) { return entered->valid(); });
        most_ = std::max(most_, valid);
    }
    void leave(const guard& lease) {
        const std::lock_guard hold{mutex_};
        std::erase(inside_, &lease);
    }
    [[nodiscard]] std::ptrdiff_t most() const { return most_; }

private:
    std::mutex mutex_;
    std::vector<const guard*> inside_;
    std::ptrdiff_t most_ = 0;
};

TEST(failover_recipes, F20_a_semaphore_is_never_overbooked_when_the_leader_dies) {
    constexpr int k_permits = 2;
    const auto path = lock_path();
    leases_at_once leases;
    crew workers{
        5, [&](crew& all, client& servers, int) {
            semaphore pool{servers, path, k_permits};
            const auto lease = pool.acquire({.timeout = limit()});
            if (!lease) return;
            leases.enter(*lease);
            all.count();
            // Holds the permit until another client gets one, too.
            const int from = all.done();
            static_cast<void>(eventually([&] { return all.over() || all.done() != from; }));
            leases.leave(*lease);
        }};
    workers.outlive_the_leader(12);
    EXPECT_EQ(leases.most(), k_permits);
    const auto observer = connect(three_servers().connect_string());
    const semaphore pool{*observer, path};
    EXPECT_TRUE(eventually([&] { return pool.available().value() == k_permits; }));
}

// ---- elections ------------------------------------------------------------------------------

// Returns true if two participants lead at once. If a participant leads the same term before and after the check of
// another participant, it also led during that check.
bool two_lead(const std::vector<std::unique_ptr<leader>>& seats) {
    for (const auto& seat : seats) {
        const auto before = seat->fencing_token();
        if (before == fencing_token{}) continue;
        for (const auto& other : seats) {
            const bool both = other != seat && other->leads();
            if (both && seat->fencing_token() == before) return true;
        }
    }
    return false;
}

TEST(failover_recipes, F4_there_are_never_two_leaders_and_soon_one_when_the_leader_dies) {
    constexpr int k_seats = 4;
    const auto path = lock_path();
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<leader>> seats;
    for (int i = 0; i != k_seats; ++i) {
        clients.push_back(connect(three_servers().connect_string(), quick_options(10s)));
        seats.push_back(
            std::make_unique<leader>(*clients.back(), path,
                                     leader_options{.id = "seat-" + std::to_string(i),
                                                    .protocol = election_protocol::latch}));
    }
    std::atomic<bool> violated{false};
    std::atomic<std::uint64_t> newest{0};
    crew workers{k_seats, [&](crew& all, client&, int i) {
                     auto& mine = *seats[static_cast<std::size_t>(i)];
                     mine.start();
                     if (!mine.await({.timeout = limit()})) return;
                     const auto term = mine.fencing_token().zxid();
                     if (two_lead(seats)) violated = true;
                     // A participant at a server without a majority may wrongly believe that it leads. A commit proves
                     // that it leads.
                     const auto done = mine.commit(transaction{}.check("/"), {.timeout = limit()});
                     if (two_lead(seats)) violated = true;
                     if (done && newest.exchange(term) >= term && mine.leads()) violated = true;
                     if (done) all.count();
                     mine.close();
                 }};
    workers.outlive_the_leader(12);
    EXPECT_FALSE(violated);
    for (auto& seat : seats) seat->close();
    EXPECT_TRUE(eventually([&] { return seats.front()->participants().value().empty(); }));
}

// ---- jobs -----------------------------------------------------------------------------------

// The runs of a job, as the processes report them.
class runs_seen {
public:
    void ran(std::uint64_t number) {
        const std::lock_guard hold{mutex_};
        if (++runs_[number].times > 1) twice_ = true;
    }
    void recorded(const job_record& record) {
        const std::lock_guard hold{mutex_};
        runs_[record.number].started = record.started;
    }
    [[nodiscard]] bool twice() const { return twice_; }
    // Returns the shortest time between the starts of two successive runs.
    [[nodiscard]] std::int64_t shortest_ms() const {
        std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
        std::int64_t last = 0;
        for (const auto& [number, entry] : runs_) {
            if (entry.started == 0) continue;
            if (last != 0) shortest = std::min(shortest, entry.started - last);
            last = entry.started;
        }
        return shortest;
    }

private:
    struct run {
        int times = 0;
        std::int64_t started = 0;  // time stamp of the servers' leader
    };
    std::mutex mutex_;
    std::map<std::uint64_t, run> runs_;
    bool twice_ = false;
};

TEST(failover_recipes, a_job_runs_at_most_once_a_period_when_the_leader_dies) {
    constexpr auto k_period = 300ms;
    const auto path = lock_path();
    runs_seen seen;
    crew workers{3, [&](crew& all, client& servers, int) {
                     job_gate gate{servers, path, {.period = k_period, .at_most_for = 1s}};
                     const auto report = gate.run(
                         [&](job_run& run) {
                             seen.ran(run.number());
                             all.count();
                         },
                         {.timeout = limit()});
                     if (!report) return;
                     if (report->verdict == job_verdict::ran) seen.recorded(report->record);
                     all.rest(report->retry_in);
                 }};
    workers.outlive_the_leader(3);
    EXPECT_FALSE(seen.twice());
    EXPECT_GE(seen.shortest_ms(), std::chrono::milliseconds{k_period}.count());
}

}  // namespace
}  // namespace turnstile::tests
