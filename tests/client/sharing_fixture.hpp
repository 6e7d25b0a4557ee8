// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of locks that a process's threads share.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "support.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;

inline constexpr lock_options k_retained{.retain_for = 1h};
inline constexpr lock_options k_cohort{.cohort = 2};

class sharing : public shell_test {
protected:
    const std::string path = "/locks/a";
    std::unique_ptr<client> here = connect(confirming_often());
    std::unique_ptr<client> there = connect();

    static client_options confirming_often() {
        client_options result;
        result.lease.confirm_every = 50ms;
        return result;
    }
    // Reconnects the client `here`, which has lost some answers.
    void reconnect() {
        const auto id = here->session().id;
        faults.set_traffic(id, local::traffic::flows);
        faults.detach(id);
        faults.attach(id);
    }
    struct outcome {
        event came;
        std::optional<result<guard>> answer;
        [[nodiscard]] bool is_granted() const {
            return came.wait() && answer && answer->has_value();
        }
        auto handler() {
            return [this](result<guard> got) {
                answer = std::move(got);
                came.set();
            };
        }
    };
};

}  // namespace turnstile::tests
