// SPDX-License-Identifier: Apache-2.0
// Tests quorum_hold with the timers of its clients.
#include "recipe/composite/quorum_hold.hpp"

#include <array>
#include <memory>
#include <vector>

#include "client/internals.hpp"
#include "client/support.hpp"

namespace turnstile::detail {
namespace {

using namespace turnstile::tests;
using namespace std::chrono_literals;

// When a machine resumes or its wall clock is set, all timers fire early and forget their deadlines. The hold must then
// set its deadline again.
TEST(quorum_hold, keeps_its_deadline_when_its_timers_call_before_it) {
    const std::array<std::string, 3> trees{fresh_tree(), fresh_tree(), fresh_tree()};
    std::vector<std::unique_ptr<client>> owners;
    std::vector<std::unique_ptr<client>> clients;
    std::vector<guard> holds;
    auto ensembles = std::make_shared<std::vector<quorum_ensemble>>();
    for (const auto& tree : trees) {
        owners.push_back(std::make_unique<client>("local:" + tree));
        holds.push_back(mutex{*owners.back(), "/lock"}.acquire({.timeout = limit()}).value());
        clients.push_back(std::make_unique<client>("local:" + tree));
        ensembles->push_back({tree, queue_lock{internals::of(*clients.back()), "/lock",
                                               core::contender_family::lock}});
    }
    event answered;
    errc why{};
    acquire_request request{{.timeout = 200ms}, core::attempt::wait, [&](result<guard> outcome) {
                                why = static_cast<errc>(outcome.error().code());
                                answered.set();
                            }};
    core::quorum_settings settings{.attempt = 1h, .retry_first = 1h, .retry_longest = 1h};
    settings.deadline = request.message.deadline;
    const auto call = std::make_shared<quorum_hold>(ensembles, settings, std::move(request));
    call->start();
    for (const auto& ensemble : *ensembles)
        ensemble.lock.servers()->services().timers->disarm(*call);
    call->on_timer();
    ASSERT_TRUE(answered.wait());
    EXPECT_EQ(why, errc::timeout);
}

}  // namespace
}  // namespace turnstile::detail
