// SPDX-License-Identifier: Apache-2.0
// Tests leader_watch: which leaders and errors it reports to its listener, and how it ends.
#include <mutex>
#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class told {
public:
    leader_watch::listener listener() {
        return [this](const std::optional<participant>& leader) {
            const std::lock_guard hold{mutex_};
            leaders_.push_back(leader ? leader->id + '@' + leader->data : "none");
        };
    }
    [[nodiscard]] std::vector<std::string> leaders() const {
        const std::lock_guard hold{mutex_};
        return leaders_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> leaders_;
};

class watch : public shell_test, public ::testing::WithParamInterface<election_protocol> {
protected:
    using names = std::vector<std::string>;

    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    std::unique_ptr<client> others = connect({.close_timeout = 50ms});
    told seen;

    [[nodiscard]] std::unique_ptr<leader> take_part(const std::string& id) const {
        auto seat = std::make_unique<leader>(
            *others, "/seat", leader_options{.id = id, .data = id + ":80", .protocol = GetParam()});
        seat->start();
        return seat;
    }
    [[nodiscard]] std::unique_ptr<leader_watch> look(leader_watch::listener listener) const {
        return std::make_unique<leader_watch>(
            *servers, "/seat", std::move(listener),
            leader_watch_options{.protocol = GetParam(), .every = 1ms});
    }
};

TEST_P(watch, tells_each_leader_with_its_data) {
    const auto watched = look(seen.listener());
    ASSERT_TRUE(eventually([&] { return seen.leaders() == names{"none"}; }));
    const auto ann = take_part("ann");
    ASSERT_TRUE(eventually([&] { return seen.leaders() == names{"none", "ann@ann:80"}; }));
    const auto bob = take_part("bob");
    ASSERT_TRUE(eventually([&] { return bob->participants().value().size() == 2; }));
    ann->close();
    ASSERT_TRUE(eventually([&] {
        return seen.leaders() == names{"none", "ann@ann:80", "bob@bob:80"};
    }));
    bob->close();
    ASSERT_TRUE(eventually([&] { return seen.leaders().size() == 4; }));
    EXPECT_EQ(seen.leaders().back(), "none");
    EXPECT_FALSE(watched->failure());
}

// Another term of the same participant counts as another leader, because its fencing token differs.
TEST_P(watch, tells_another_term_of_the_same_participant) {
    const auto ann = take_part("ann");
    ASSERT_TRUE(ann->await({.timeout = limit()}));
    const auto watched = look(seen.listener());
    ASSERT_TRUE(eventually([&] { return seen.leaders() == names{"ann@ann:80"}; }));
    faults.expire(others->session().id);
    ASSERT_TRUE(eventually(
        [&] { return seen.leaders().back() == "ann@ann:80" && seen.leaders().size() >= 2; }));
}

TEST_P(watch, says_why_it_cannot_look) {
    const auto watched = look(seen.listener());
    ASSERT_TRUE(eventually([&] { return !seen.leaders().empty(); }));
    servers->close();
    EXPECT_TRUE(eventually([&] { return watched->failure() == error{errc::closed}; }));
}

TEST_P(watch, a_listener_that_throws_is_called_again) {
    event calls;
    const auto watched = look([&](const auto&) {
        calls.set();
        throw std::runtime_error{"of a listener"};
    });
    ASSERT_TRUE(calls.wait());
    const auto ann = take_part("ann");
    EXPECT_TRUE(calls.wait(2));
}

TEST_P(watch, may_be_destroyed_by_its_listener) {
    event done;
    std::unique_ptr<leader_watch> watched;
    event assigned;
    watched = look([&](const auto&) {
        ASSERT_TRUE(assigned.wait());
        watched.reset();
        done.set();
    });
    assigned.set();
    EXPECT_TRUE(done.wait());
}

TEST_P(watch, its_end_waits_for_the_listener) {
    event inside;
    event go_on;
    std::atomic<bool> over{false};
    auto watched = look([&](const auto&) {
        inside.set();
        ASSERT_TRUE(go_on.wait());
        over = true;
    });
    ASSERT_TRUE(inside.wait());
    std::thread ends{[&] {
        watched.reset();
        EXPECT_TRUE(over);
    }};
    go_on.set();
    ends.join();
}

TEST_P(watch, misuse_is_refused) {
    EXPECT_THROW(leader_watch(*servers, "/seat", nullptr), std::system_error);
    EXPECT_THROW(leader_watch(*servers, "seat", seen.listener()), std::system_error);
    for (const boottime_clock::duration every : {-1ms, 0ms})
        EXPECT_THROW(leader_watch(*servers, "/seat", seen.listener(), {.every = every}),
                     std::system_error);
}

INSTANTIATE_TEST_SUITE_P(protocols, watch,
                         ::testing::Values(election_protocol::selector, election_protocol::latch),
                         [](const auto& tested) {
                             return tested.param == election_protocol::latch ? "latch" : "selector";
                         });

}  // namespace
}  // namespace turnstile::tests
