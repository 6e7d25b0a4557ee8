// SPDX-License-Identifier: Apache-2.0
// static_client <connect string>: a program with static clients that log everything. It must end cleanly: `inside`
// closes before the log ends, `made_in_main` closes after the log has ended, and `never_destroyed` never closes.
#include <memory>

#include "turnstile/turnstile.hpp"

namespace {

// Destroyed after main()'s static objects, spdlog's registry, and the log.
std::unique_ptr<turnstile::client> made_in_main;

turnstile::client before_main{"local:static"};

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 2;
    turnstile::set_log_level(turnstile::log_level::trace);
    made_in_main = std::make_unique<turnstile::client>(words[1]);
    static turnstile::client inside{words[1]};
    // The pointer is volatile, so that leak checkers find it.
    static turnstile::client* volatile never_destroyed = new turnstile::client{words[1]};
    static_cast<void>(never_destroyed);
    turnstile::mutex lock{before_main, "/lock"};
    static const auto hold = lock.acquire();
    return hold ? 0 : 1;
}
