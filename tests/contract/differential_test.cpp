// SPDX-License-Identifier: Apache-2.0
// Sends the same random requests to the in-memory model and to a real server. Both must return the same replies and
// events. TURNSTILE_SEED replays the requests of one seed. By default the seeds are 1, 2, 3 ...
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "contract/backend.hpp"
#include "contract/script.hpp"
#include "local/coordinator.hpp"
#include "local/faults.hpp"

namespace turnstile::contract {
namespace {

constexpr std::uint64_t k_scripts = 500;
constexpr std::size_t k_steps = 50;

// Finds out the servers' version-dependent behaviour: a session with other credentials asks whether a node exists that
// only its creator may read.
local::server_traits traits_of(core::coordinator& servers) {
    const core::create_op secret{.path = "/secret", .acl = core::acl_policy::creator_only};
    const auto answers = play({{step::kind::ask, 1, {secret}, {}},
                               {step::kind::ask, 0, {core::exists_op{"/secret"}}, {}}},
                              servers, "/traits", zxids::ordered);
    return {.exists_needs_read = answers.back().find("no_auth") != std::string::npos};
}

class difference_finder {
public:
    // Returns the differences between model and servers; empty if there are none.
    std::string compare(const script& steps) {
        const std::string folder = "/script-" + std::to_string(++played_);
        const std::string name = "model" + folder.substr(1);
        local::faults tree{name};
        tree.set_traits(traits_);
        const auto model = local::make_coordinator("local:" + name);
        const auto told = counts_every_write() ? zxids::counted : zxids::ordered;
        const std::vector<std::string> expected = play(steps, *servers_, folder, told);
        const std::vector<std::string> actual = play(steps, *model, folder, told);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (actual[i] == expected[i]) continue;
            return "step " + std::to_string(i) + "\nserver:\n" + expected[i] + "model:\n" +
                   actual[i];
        }
        return {};
    }

    // Removes steps from the script as long as the servers and the model still differ. Returns the remaining script.
    script shrink(script steps) {
        for (std::size_t chunk = steps.size(); chunk > 0; chunk /= 2) {
            for (std::size_t i = 0; i + chunk <= steps.size();) {
                script less = steps;
                const auto begin = less.begin() + static_cast<std::ptrdiff_t>(i);
                less.erase(begin, begin + static_cast<std::ptrdiff_t>(chunk));
                if (compare(less).empty()) {
                    i += chunk;
                } else {
                    steps = std::move(less);
                }
            }
        }
        return steps;
    }

private:
    std::unique_ptr<core::coordinator> servers_ = shared_servers();
    const local::server_traits traits_ = traits_of(*servers_);
    std::size_t played_ = 0;
};

std::string told(const script& steps) {
    std::string text;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        text += std::to_string(i) + " " + to_string(steps[i]) + "\n";
    }
    return text;
}

// Returns the script for these servers. If a create consists of two requests, each request of the script becomes a
// separate step. Otherwise the next request of the script could remove the node between the create's two requests, and
// the create would have no reply.
script played_by_these(const script& any) {
    if (a_create_is_one_request()) return any;
    script apart;
    for (const step& whole : any) {
        if (whole.sort != step::kind::ask) {
            apart.push_back(whole);
            continue;
        }
        for (const auto& request : whole.requests)
            apart.push_back({step::kind::ask, whole.session, {request}, {}});
    }
    return apart;
}

std::vector<std::uint64_t> seeds() {
    if (const char* chosen = std::getenv("TURNSTILE_SEED"))
        return {std::strtoull(chosen, nullptr, 10)};
    std::vector<std::uint64_t> all;
    for (std::uint64_t seed = 1; seed <= k_scripts; ++seed) all.push_back(seed);
    return all;
}

TEST(contract_differential, the_model_answers_as_a_server_does) {
    difference_finder finder;
    for (const std::uint64_t seed : seeds()) {
        const script whole = played_by_these(make_script(seed, k_steps));
        const std::string difference = finder.compare(whole);
        if (difference.empty()) continue;
        const script least = finder.shrink(whole);
        FAIL() << "TURNSTILE_SEED=" << seed << " shows it, at " << difference << "\nand so does:\n"
               << told(least) << finder.compare(least);
    }
}

}  // namespace
}  // namespace turnstile::contract
