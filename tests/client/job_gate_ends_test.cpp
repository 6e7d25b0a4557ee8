// SPDX-License-Identifier: Apache-2.0
// Tests how calls of job_gate::run() and rate_gate end when their stop token fires, their lock is lost, or no server
// answers.
#include <future>

#include "support.hpp"
#include "turnstile/tools/request_count.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// This timeout is longer than any test, so a call that ends only by this timeout hangs the test.
constexpr std::chrono::hours k_for_ever{1};

// These constants count a run's requests after its grant. Before the start there are five: a read of the gate's data,
// and four requests that find out the servers' time (a watch, a commit, a watch, a read of the time stamp). Each commit
// also sets the watch on the hold's znode again.
constexpr std::size_t k_before_start = 5;
// At the start of a job there are a commit, a watch and a read of the time stamp. At its end there is also a read of
// the gate's data.
constexpr std::size_t k_start = 3;
constexpr std::size_t k_end = 4;

class job_ends : public shell_test {
protected:
    using outcome = result<job_report>;

    std::unique_ptr<client> servers =
        connect({.session_timeout = k_for_ever, .close_timeout = 50ms});
    job_gate gate{*servers, "/jobs/ends", {.period = 1h}};
    std::stop_source stop;
    const std::int64_t session = servers->session().id;
    std::atomic<std::uint64_t> stalled_at{
        0};  // requests so far, with the request that gets no answer

    // The servers answer the next `answered` requests, and do not answer the request after them.
    void stall_after(std::size_t answered) {
        stalled_at = requests_sent(*servers) + answered + 1;
        faults.stall_after(session, answered);
    }
    // Returns options whose callback calls stall_after(answered) at the grant.
    [[nodiscard]] acquire_options stalling_after(std::size_t answered) {
        acquire_options options;
        options.stop = stop.get_token();
        options.on_granted_at = [this, answered](auto) { stall_after(answered); };
        return options;
    }
    std::future<outcome> start(const std::function<void(job_run&)>& job, acquire_options options) {
        return std::async(std::launch::async, [this, job, options = std::move(options)]() mutable {
            return gate.run(job, std::move(options));
        });
    }
    [[nodiscard]] bool stalls() const {
        return eventually([&] { return stalled_at != 0 && requests_sent(*servers) >= stalled_at; });
    }
    // Ends the session and prevents a new session.
    void lose() {
        faults.refuse_connections();
        faults.expire(session);
    }
    void lose(job_run& run) {
        lose();
        EXPECT_TRUE(eventually([&] { return run.lost().stop_requested(); }));
    }
    // Returns the outcome of the run. If the run does not end in time, closes the client, which ends the run, and
    // returns an error.
    outcome ended(std::future<outcome>& run) {
        if (run.wait_for(limit()) == std::future_status::ready) return run.get();
        servers->close();
        run.wait();
        return error{errc::protocol, "the run has not ended"};
    }
    // Returns the error if the job ended but the gate could not write that end.
    std::optional<errc> unrecorded(std::future<outcome>& run) {
        const auto report = ended(run);
        EXPECT_TRUE(report) << report.error().message();
        if (!report || !report->unrecorded) return std::nullopt;
        return report->unrecorded->code();
    }
};

TEST_F(job_ends, a_stop_ends_the_wait_for_the_lock) {
    mutex same{*servers, "/jobs/ends"};
    const auto held = same.acquire().value();
    event entered;
    acquire_options options{.timeout = limit(), .stop = stop.get_token()};
    options.on_entered = [&](const std::string&) { entered.set(); };
    auto run = start([](job_run&) { FAIL(); }, std::move(options));
    ASSERT_TRUE(entered.wait());
    stop.request_stop();
    EXPECT_EQ(ended(run).error(), errc::cancelled);
}

// A service stops and ends its job. Other processes must not believe that the job still runs.
TEST_F(job_ends, a_stop_during_the_job_leaves_time_to_write_its_end) {
    auto run = start([&](job_run&) { stop.request_stop(); }, {.stop = stop.get_token()});
    EXPECT_EQ(unrecorded(run), std::nullopt);
    EXPECT_EQ(gate.last().value().state, job_state::succeeded);
}

TEST_F(job_ends, a_stop_during_the_job_leaves_little_time_where_no_server_answers) {
    auto run = start(
        [&](job_run&) {
            stall_after(0);
            stop.request_stop();
        },
        {.stop = stop.get_token()});
    EXPECT_EQ(unrecorded(run), errc::timeout);
}

// The parameter is the number of the request that gets no answer.
class job_start_phases : public job_ends, public ::testing::WithParamInterface<std::size_t> {
protected:
    // Returns `why`, or outcome_unknown if the run has sent a request for the start.
    [[nodiscard]] errc unless_sent(errc why) const {
        return GetParam() < k_before_start ? why : errc::outcome_unknown;
    }
};

TEST_P(job_start_phases, end_with_a_stop) {
    auto run = start([](job_run&) { FAIL(); }, stalling_after(GetParam()));
    ASSERT_TRUE(stalls());
    stop.request_stop();
    EXPECT_EQ(ended(run).error(), unless_sent(errc::cancelled));
}

TEST_P(job_start_phases, end_with_the_session) {
    auto run = start([](job_run&) { FAIL(); }, stalling_after(GetParam()));
    ASSERT_TRUE(stalls());
    lose();
    const bool in_flight = GetParam() == k_before_start;
    const auto end = ended(run);
    ASSERT_TRUE(end.has_error());
    EXPECT_EQ(end.error().code(), in_flight ? errc::outcome_unknown : errc::session_lost)
        << end.error().message();
}

INSTANTIATE_TEST_SUITE_P(requests, job_start_phases,
                         ::testing::Range(std::size_t{0}, k_before_start + k_start));

class job_reading_phases : public job_ends, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(job_reading_phases, end_with_the_time_out) {
    auto options = stalling_after(GetParam());
    options.timeout = 200ms;
    auto run = start([](job_run&) { FAIL(); }, std::move(options));
    EXPECT_EQ(ended(run).error(), errc::timeout);
}

INSTANTIATE_TEST_SUITE_P(requests, job_reading_phases,
                         ::testing::Range(std::size_t{0}, k_before_start));

class job_end_phases : public job_ends, public ::testing::WithParamInterface<std::size_t> {
protected:
    [[nodiscard]] std::optional<errc> unless_written(errc why) const {
        if (GetParam() == 0) return why;
        return GetParam() == 1 ? std::optional{errc::outcome_unknown} : std::nullopt;
    }
};

TEST_P(job_end_phases, end_with_a_stop) {
    auto run = start([&](job_run&) { stall_after(GetParam()); }, {.stop = stop.get_token()});
    ASSERT_TRUE(stalls());
    stop.request_stop();
    EXPECT_EQ(unrecorded(run), unless_written(errc::cancelled));
}

TEST_P(job_end_phases, end_with_the_session) {
    auto run = start([&](job_run&) { stall_after(GetParam()); }, {});
    ASSERT_TRUE(stalls());
    lose();
    EXPECT_EQ(unrecorded(run), unless_written(errc::session_lost));
}

INSTANTIATE_TEST_SUITE_P(requests, job_end_phases, ::testing::Range(std::size_t{0}, k_end));

TEST_F(job_ends, a_loss_during_the_job_is_told_at_once) {
    auto run = start([&](job_run& job) { lose(job); }, {});
    EXPECT_EQ(unrecorded(run), errc::session_lost);
}

TEST_F(job_ends, a_loss_during_a_job_that_throws_lets_it_throw) {
    auto run = start(
        [&](job_run& job) {
            lose(job);
            throw std::runtime_error{"no"};
        },
        {});
    EXPECT_THROW(static_cast<void>(ended(run)), std::runtime_error);
}

TEST_F(job_ends, a_job_whose_servers_went_away_for_good_has_lost_its_session) {
    auto brief = connect({.session_timeout = 200ms, .close_timeout = 50ms});
    job_gate short_lived{*brief, "/jobs/brief", {.period = 1h}};
    auto run = std::async(std::launch::async, [&] {
        return short_lived.run([&](job_run&) {
            faults.refuse_connections();
            faults.detach(brief->session().id);
        });
    });
    EXPECT_EQ(unrecorded(run), errc::session_lost);
}

// The call waits for a busy lock. It must end at its timeout, and not wait for the gate's data from the silent servers.
TEST_F(job_ends, a_time_out_in_the_queue_ends_a_run_whose_servers_are_silent) {
    mutex same{*servers, "/jobs/ends"};
    const auto held = same.acquire().value();
    acquire_options options{.timeout = 200ms};
    options.on_queued = [&](std::size_t) {
        faults.set_traffic(session, local::traffic::stalls_before_server);
    };
    auto run = start([](job_run&) { FAIL(); }, std::move(options));
    EXPECT_EQ(ended(run).error(), errc::timeout);
}

using rate_ends = job_ends;

TEST_F(rate_ends, a_loss_ends_an_entry_whose_servers_are_away) {
    rate_gate rate{*servers, "/limits/ends", {.entries = 1, .period = 1h}};
    auto entry = std::async(std::launch::async, [&] { return rate.enter(stalling_after(0)); });
    ASSERT_TRUE(stalls());
    lose();
    const bool in_time = entry.wait_for(limit()) == std::future_status::ready;
    EXPECT_TRUE(in_time);
    if (!in_time) servers->close();
    EXPECT_EQ(entry.get().error(), errc::session_lost);
}

}  // namespace
}  // namespace turnstile::tests
