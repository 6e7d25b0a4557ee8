// SPDX-License-Identifier: Apache-2.0
// Fixture for the tests of shared_mutex: two clients of a tree of znodes in memory, their calls, and their holds.
#pragma once

#include <vector>

#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "support.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;

class shared_mutex_test : public shell_test {
protected:
    // Returns options with which a client soon notices deletions by other clients.
    static client_options watchful() {
        client_options result;
        result.lease.confirm_every = 20ms;
        return result;
    }
    std::unique_ptr<client> servers = connect(watchful());
    std::unique_ptr<client> others = connect();
    shared_mutex lock{*servers, "/lock"};
    shared_mutex theirs{*others, "/lock"};

    // A call for the lock, and its result.
    struct asker {
        std::shared_ptr<event> answered = std::make_shared<event>();
        std::shared_ptr<guard> hold = std::make_shared<guard>();
        std::stop_source stop;

        [[nodiscard]] bool granted() const { return answered->is_set() && *hold; }
        [[nodiscard]] bool becomes_granted() const { return answered->wait() && *hold; }
    };
    // Starts a call. Returns when its contender has queued.
    asker ask(const shared_mutex_view& way) {
        asker waiter;
        const auto size = queue_size() + 1;
        way.async_acquire({.stop = waiter.stop.get_token()},
                          [hold = waiter.hold, answered = waiter.answered](result<guard> mine) {
                              if (mine) *hold = std::move(*mine);
                              answered->set();
                          });
        EXPECT_TRUE(eventually([&] { return queue_size() == size; }));
        return waiter;
    }
    [[nodiscard]] std::size_t queue_size() const { return lock.queue().value().size(); }
    [[nodiscard]] bool becomes_size(std::size_t size) const {
        return eventually([&] { return queue_size() == size; });
    }
    [[nodiscard]] std::vector<contender_kind> holders() const {
        std::vector<contender_kind> kinds;
        const auto all = lock.holders().value();
        for (const auto& contender : all) kinds.push_back(contender.kind);
        return kinds;
    }
    // Waits until each waiter has read the current queue. Every waiter that can be granted is granted then.
    void settle() {
        ASSERT_TRUE(detail::internals::of(*others)->read({core::exists_op{"/"}}, {}));
        ASSERT_TRUE(detail::internals::of(*servers)->read({core::exists_op{"/"}}, {}));
    }
    void remove(const std::string& znode) {
        ASSERT_EQ(detail::internals::of(*others)
                      ->write_repeatedly({core::remove_op{znode}}, {})
                      .value()
                      .front()
                      .error,
                  core::server_error::ok);
    }
};

using kinds = std::vector<contender_kind>;
inline constexpr auto reader = contender_kind::reader;
inline constexpr auto writer = contender_kind::writer;
inline constexpr auto upgradable = contender_kind::upgradable;
inline constexpr auto upgrade = contender_kind::upgrade;

}  // namespace turnstile::tests
