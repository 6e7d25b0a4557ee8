// SPDX-License-Identifier: Apache-2.0
#include "sql/dialects.hpp"

#include <algorithm>
#include <new>
#include <thread>

#include "base/check.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"
#include "turnstile/error.hpp"

namespace turnstile::sql {

namespace {

constexpr std::chrono::milliseconds k_least_patience{20};

}  // namespace

bool ask_apart(bool unanswered, const std::function<bool()>& question) {
    bool answer = unanswered;
    bool exhausted = false;
    std::thread asking = [&] {
        const support::block_signals none_here;
        return std::thread{[&] {
            base::name_this_thread("turnstile-ask");
            try {
                answer = question();
            } catch (const std::bad_alloc&) {
                exhausted = true;
            } catch (const std::exception&) {
            }
        }};
    }();
    asking.join();
    if (exhausted) throw std::bad_alloc{};
    return answer;
}

// Like ZooKeeper's clients, a session waits for an answer for two thirds of its timeout. The last third remains for
// another connection attempt.
std::unique_ptr<database> make_database(const database_address& where,
                                        const core::session_settings& settings,
                                        const session_links& session) {
    const auto patience =
        std::max(k_least_patience,
                 std::chrono::duration_cast<std::chrono::milliseconds>(settings.timeout * 2 / 3));
    const auto lacking = missing(promises_of(where.kind, durability::not_said), settings.required);
    const auto* const own = dialect_of(where.kind);
    TURNSTILE_CHECK(own != nullptr);
    return own->make({where, patience, session, lacking});
}

turnstile::promises promises_of(kind which, durability of_commits) noexcept {
    const bool host = which == kind::sqlite;
    const bool keeps = of_commits == durability::each_commit;
    return {.exclusion = keeps ? exclusion_promise::leased : exclusion_promise::best_effort,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::none,
            .loss = keeps ? loss_promise::told : loss_promise::none,
            .token = which == kind::mariadb ? token_promise::grows_across_lost_data
                                            : token_promise::grows,
            .writes = write_promise::guarded,
            .crash = host ? crash_promise::at_once : crash_promise::session_timeout,
            .scope = host ? scope_promise::host : scope_promise::server};
}

turnstile::promises promises_at(const database_address& where) {
    const auto* const own = dialect_of(where.kind);
    TURNSTILE_CHECK(own != nullptr);
    const bool keeps = own->keeps_commits == nullptr || own->keeps_commits(where);
    return promises_of(where.kind, keeps ? durability::each_commit : durability::not_said);
}

}  // namespace turnstile::sql
