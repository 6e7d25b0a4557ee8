// SPDX-License-Identifier: Apache-2.0
// Tests callers that read their session's messages while they wait. For this purpose a caller calls its session's
// help(). Here the session is in memory, and the test can act during help().
#include <gtest/gtest.h>

#include <atomic>
#include <boost/thread/thread.hpp>
#include <memory>
#include <string>
#include <thread>

#include "client/back_ends.hpp"
#include "core/seam/coordinator.hpp"
#include "local/coordinator.hpp"
#include "needs_interruption.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

struct help_record {
    std::atomic<int> submitted{0};
    std::atomic<int> answered{0};
    std::atomic<int> helped{0};
    std::atomic<bool> takes_help{true};
    std::atomic<bool> slow{false};  // true: replies wait until a caller helps
    // help() calls this function, in the thread of the helping caller.
    std::function<void()> meanwhile = [] {};
};

help_record* current = nullptr;

class helped_session final : public core::coordinator_session, private core::session_sink {
public:
    helped_session(core::coordinator& servers, const core::session_settings& settings,
                   core::session_sink& sink, help_record& record)
        : sink_{sink}, record_{record}, inner_{servers.open(settings, *this)} {}
    ~helped_session() override = default;

    void submit(core::request&& request) override {
        ++record_.submitted;
        inner_->submit(std::move(request));
    }
    void forget_watches(const std::string& path) override { inner_->forget_watches(path); }
    [[nodiscard]] core::session_identity identity() const override { return inner_->identity(); }
    void close() noexcept override { inner_->close(); }

    // A waiting caller calls this function to read its session's messages, and holds none of the library's locks then.
    // In this test, another thread delivers all answers meanwhile.
    [[nodiscard]] bool help(core::time_point /*until*/) noexcept override {
        ++record_.helped;
        record_.meanwhile();
        EXPECT_TRUE(eventually([&] { return record_.answered >= record_.submitted; }));
        return false;
    }

private:
    void deliver(core::coordinator_event&& event) noexcept override {
        const bool answer = std::holds_alternative<core::reply>(event);
        if (answer && record_.slow) await_help();
        sink_.deliver(std::move(event));
        if (!answer) return;
        // This line must come before the next line. After the next line, the caller may continue, send another request
        // and call help() again.
        if (record_.answered + 1 == record_.submitted) helped_before_ = record_.helped;
        ++record_.answered;
    }

    // Waits until a caller calls help(), for at most 100 ms. On a busy machine the caller may run too late, and then
    // waits without help().
    void await_help() const {
        const auto patience = boottime_clock::now() + std::chrono::milliseconds{100};
        while (record_.helped <= helped_before_ && boottime_clock::now() < patience)
            std::this_thread::yield();
    }

    core::session_sink& sink_;
    help_record& record_;
    int helped_before_ = 0;  // value of `helped` when all requests were answered
    std::unique_ptr<core::coordinator_session> inner_;
};

class helped_servers final : public core::coordinator {
public:
    explicit helped_servers(std::string_view tree) : tree_{tree} {}
    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        return std::make_unique<helped_session>(tree_, settings, sink, *current);
    }
    [[nodiscard]] bool takes_help() const noexcept override { return current->takes_help; }
    [[nodiscard]] turnstile::promises promises() const override { return tree_.promises(); }
    [[nodiscard]] std::string describe() const override { return tree_.describe(); }

private:
    local::in_memory_coordinator tree_;
};

class caller_help : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        detail::stand_in_for_zookeeper(
            [](std::string_view where,
               const client_options& /*options*/) -> std::shared_ptr<core::coordinator> {
                return std::make_shared<helped_servers>("local:" + std::string{where});
            });
    }
    caller_help() { current = &record; }
    [[nodiscard]] std::unique_ptr<client> connect() const {
        auto found = std::make_unique<client>(fresh_tree(), client_options{});
        found->wait_connected(limit()).value();
        return found;
    }
    // Returns how often callers call help() during `call`.
    template <class F>
    [[nodiscard]] int helps_in(F&& call) const {
        const int before = record.helped;
        call();
        return record.helped - before;
    }

    help_record record;
};

// No thread notifies a caller that is inside help(). So after help() the caller must check its condition before it
// waits again.
TEST_F(caller_help, sees_what_has_come_while_it_helped) {
    const auto servers = connect();
    mutex lock{*servers, "/orders"};
    std::optional<guard> hold;
    record.slow = true;
    const int before = record.helped;
    EXPECT_LE(helps_in([&] { hold = lock.acquire().value(); }), 1);
    EXPECT_LE(helps_in([&] { EXPECT_TRUE(hold->commit(transaction{}.create("/written", "x"))); }),
              1);
    EXPECT_TRUE(lock.queue());
    EXPECT_LE(helps_in([&] { EXPECT_TRUE(hold->release()); }), 1);
    EXPECT_GT(record.helped, before);
    record.slow = false;
}

TEST_F(caller_help, is_not_given_where_the_servers_take_none) {
    record.takes_help = false;
    const auto servers = connect();
    mutex lock{*servers, "/orders"};
    EXPECT_EQ(helps_in([&] { EXPECT_TRUE(lock.acquire().value().release()); }), 0);
}

TEST_F(caller_help, is_not_given_by_a_thread_that_is_interrupted) {
    TURNSTILE_NEEDS_INTERRUPTION();
    const auto servers = connect();
    mutex lock{*servers, "/orders"};
    const auto held = lock.acquire().value();
    std::optional<errc> told;
    boost::thread waiter{[&] {
        boost::this_thread::interruption_point();
        // The interruption arrives during help(), and takes effect when help() has returned.
        record.meanwhile = [&] { waiter.interrupt(); };
        const auto outcome = lock.acquire();
        if (!outcome) told = outcome.error().code();
    }};
    waiter.join();
    EXPECT_EQ(told, errc::interrupted);
}

TEST_F(caller_help, ends_with_the_client) {
    auto servers = connect();
    mutex lock{*servers, "/orders"};
    auto hold = lock.acquire().value();
    servers->close();
    EXPECT_EQ(helps_in([&] { EXPECT_FALSE(hold.release()); }), 0);
}

}  // namespace
}  // namespace turnstile::tests
